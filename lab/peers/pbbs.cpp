// Kruskal's algorithm with a filter, from the Problem Based Benchmark Suite (Blelloch and others):
// in parallel (`PBBS_MST` = parallelFilterKruskal/MST.C) or on one thread (bench/serialMST.C).
//
// Weights are floats, which are exact up to 2^24. It needs an array of edges, does not change it,
// and resolves ties by position. It accepts self-loops and parallel edges.

#include <iostream>

#include PBBS_MST

#include "peer.hpp"

namespace {

class Pbbs {
  public:
    explicit Pbbs(peer::Graph graph) {
        peer::refuse_weights_above(graph, 1 << 24);
        auto edges = parlay::tabulate(graph.m(), [&](size_t i) {
            return wghEdge<vertexId, edgeWeight>(graph.u[i], graph.v[i], graph.w[i]);
        });
        edges_ = wghEdgeArray<vertexId, edgeWeight>(std::move(edges), graph.n);
    }

    void prepare() { forest_.clear(); }

    double solve() {
        return peer::seconds_of([&] { forest_ = mst(edges_); });
    }

    peer::Answer answer() const {
        peer::Answer answer{forest_.size(), 0};
        for (edgeId id : forest_) answer.total += static_cast<uint64_t>(edges_.E[id].weight);
        return answer;
    }

  private:
    wghEdgeArray<vertexId, edgeWeight> edges_;
    parlay::sequence<edgeId> forest_;
};

}  // namespace

int main(int count, char** arguments) { return peer::serve<Pbbs>("PBBS " PEER_COMMIT, count, arguments); }
