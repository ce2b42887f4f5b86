// Boruvka UMinho, the OpenMP version (Sousa, Mariano and Proenca): compressed sparse rows,
// contracted in every round.
//
// It needs simple rows with edges numbered from 1, and does not change them. The seconds are those
// of its own clock, which excludes the setup of arrays on one thread before the first round. The
// folder tbb/ contains the TBB interface that it needs.
//
// Three changes to its src/BoruvkaUMinho_OMP.cpp are necessary. Delete the second declaration of a
// parameter inside the function. End the loop when at most one vertex remains, not exactly one;
// otherwise it never ends if several trees remain. Free the rows of the last round there; otherwise
// each call leaks them.

#include <cstdio>

namespace {

double last_printed = 0;

template <class... Values>
void note(const char*, Values...) {}
void note(const char*, double value) { last_printed = value; }

}  // namespace

// The times of all phases, and then the total, are printed in milliseconds.
#include "common.h"
#define printf(...) note(__VA_ARGS__)
#include "CSR_Graph.cpp"
#include "BoruvkaUMinho_OMP.cpp"
#undef printf

#include "peer.hpp"

namespace {

class Uminho {
  public:
    explicit Uminho(peer::Graph graph) : graph_(graph.n, 0) {
        const uint32_t n = graph.n;
        const peer::Rows rows = peer::simple_rows(std::move(graph));
        graph_.nedges = static_cast<unsigned>(rows.neighbors.size());
        graph_.allocate();
        for (uint32_t x = 0; x < n; x++) {
            graph_.psrc[x] = static_cast<unsigned>(rows.offsets[x] + 1);
            graph_.outdegree[x] = static_cast<unsigned>(rows.offsets[x + 1] - rows.offsets[x]);
        }
        for (size_t i = 0; i < rows.neighbors.size(); i++) {
            graph_.edgessrcdst[i + 1] = rows.neighbors[i].id;
            graph_.edgessrcwt[i + 1] = rows.neighbors[i].weight;
        }
    }

    void prepare() {
        free(selected_);
        selected_ = nullptr;
    }

    double solve() {
        selected_ = BoruvkaUMinho_OMP(&graph_, static_cast<unsigned>(omp_get_max_threads()));
        return last_printed / 1e3;
    }

    peer::Answer answer() const {
        peer::Answer answer;
        for (size_t i = 1; i <= graph_.nedges; i++) {
            if (selected_[i] == 0) continue;
            answer.edges++;
            answer.total += graph_.edgessrcwt[i];
        }
        return answer;
    }

  private:
    CSR_Graph graph_;
    unsigned* selected_ = nullptr;
};

}  // namespace

int main(int count, char** arguments) {
    return peer::serve<Uminho>("Boruvka UMinho OMP " PEER_COMMIT, count, arguments);
}
