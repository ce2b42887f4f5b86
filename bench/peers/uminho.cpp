// Boruvka UMinho, the OpenMP version (Sousa, Mariano and Proenca): compressed sparse rows,
// contracted in every round.
//
// It wants simple rows whose edges count from 1, and does not change them. Its seconds are those of
// its own clock, which leave out the arrays that it sets up on one thread before the first round.
// The TBB that it needs is in tbb/.
//
// Three lines of its src/BoruvkaUMinho_OMP.cpp must be mended first: a parameter is declared again
// inside the function, and that declaration must go; the loop must end when no more than one vertex
// is left rather than at exactly one, or it goes on for ever where more than one tree remains; and
// there the rows of the last round must be freed, or each call leaks them.

#include <cstdio>

namespace {

double last_printed = 0;

template <class... Values>
void note(const char*, Values...) {}
void note(const char*, double value) { last_printed = value; }

}  // namespace

// Each phase, and in the end the whole, is printed in milliseconds.
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
        graph_.nedges = static_cast<unsigned>(rows.neighbours.size());
        graph_.allocate();
        for (uint32_t x = 0; x < n; x++) {
            graph_.psrc[x] = static_cast<unsigned>(rows.offsets[x] + 1);
            graph_.outdegree[x] = static_cast<unsigned>(rows.offsets[x + 1] - rows.offsets[x]);
        }
        for (size_t i = 0; i < rows.neighbours.size(); i++) {
            graph_.edgessrcdst[i + 1] = rows.neighbours[i].id;
            graph_.edgessrcwt[i + 1] = rows.neighbours[i].weight;
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
