// Boruvka's algorithm with a filter, from the Graph Based Benchmark Suite (Dhulipala, Blelloch and
// Shun).
//
// It needs simple rows of pairs, and packs them in place during the solve, so they are restored
// before each solve. Weights are signed 32-bit integers below the maximum, which marks a missing
// edge.

#include "benchmarks/MinimumSpanningForest/Boruvka/MinimumSpanningForest.h"

#include "peer.hpp"

namespace {

using Weight = gbbs::intE;
using Graph = gbbs::symmetric_graph<gbbs::symmetric_vertex, Weight>;

class Gbbs {
  public:
    explicit Gbbs(peer::Graph graph) : n_(graph.n), vertices_(n_) {
        peer::refuse_weights_above(graph, INT32_MAX - 1);
        const peer::Rows rows = peer::simple_rows(std::move(graph));
        m_ = rows.neighbors.size();
        parlay::parallel_for(0, n_, [&](size_t x) {
            vertices_[x].offset = rows.offsets[x];
            vertices_[x].degree = static_cast<gbbs::uintE>(rows.offsets[x + 1] - rows.offsets[x]);
        });
        pairs_ = parlay::tabulate(m_, [&](size_t i) {
            return Graph::neighbor_type(rows.neighbors[i].id, static_cast<Weight>(rows.neighbors[i].weight));
        });
        used_vertices_ = vertices_;
        used_pairs_ = pairs_;
    }

    void prepare() {
        forest_.clear();
        parlay::copy(vertices_, used_vertices_);
        parlay::copy(pairs_, used_pairs_);
    }

    double solve() {
        Graph graph(used_vertices_.data(), n_, m_, [] {}, used_pairs_.data());
        return peer::seconds_of(
            [&] { forest_ = gbbs::MinimumSpanningForest_boruvka::MinimumSpanningForest(graph); });
    }

    peer::Answer answer() const {
        peer::Answer answer{forest_.size(), 0};
        for (const Graph::edge& edge : forest_) answer.total += static_cast<uint64_t>(std::get<2>(edge));
        return answer;
    }

  private:
    size_t n_, m_;
    parlay::sequence<gbbs::vertex_data> vertices_, used_vertices_;
    parlay::sequence<Graph::neighbor_type> pairs_, used_pairs_;
    parlay::sequence<Graph::edge> forest_;
};

}  // namespace

int main(int count, char** arguments) { return peer::serve<Gbbs>("GBBS " PEER_COMMIT, count, arguments); }
