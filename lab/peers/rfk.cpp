// Filter-Kruskal on one thread (righier/filter-kruskal), after Osipov, Sanders and Singler.
//
// Weights are floats, which are exact up to 2^24. It needs an array of edges and shuffles it, so
// the array is copied before each solve. It removes equal weights one by one, so a graph with very
// many equal weights would overflow the stack.

// Its union-find includes a framework for tests.
#define DOCTEST_CONFIG_DISABLE
#include "filterkruskal.hpp"

#include "peer.hpp"

namespace {

constexpr size_t MOST_EQUAL_WEIGHTS = 10000;

class Rfk {
  public:
    explicit Rfk(peer::Graph graph) : n_(static_cast<int>(graph.n)) {
        peer::refuse_weights_above(graph, 1 << 24);
        edges_.reserve(graph.m());
        for (size_t i = 0; i < graph.m(); i++) {
            edges_.emplace_back(static_cast<int>(graph.u[i]), static_cast<int>(graph.v[i]),
                                static_cast<float>(graph.w[i]));
        }
        std::vector<uint32_t> weights = std::move(graph.w);
        std::sort(weights.begin(), weights.end());
        for (size_t i = MOST_EQUAL_WEIGHTS; i < weights.size(); i++) {
            if (weights[i] == weights[i - MOST_EQUAL_WEIGHTS]) peer::refuse("it cannot solve graphs with very many equal weights");
        }
    }

    void prepare() {
        forest_.clear();
        used_ = edges_;
    }

    double solve() {
        return peer::seconds_of([&] { forest_ = filterKruskal(used_, n_); });
    }

    peer::Answer answer() const {
        peer::Answer answer{forest_.size(), 0};
        for (const Edge& edge : forest_) answer.total += static_cast<uint64_t>(edge.w);
        return answer;
    }

  private:
    int n_;
    Edges edges_, used_, forest_;
};

}  // namespace

int main(int count, char** arguments) {
    return peer::serve<Rfk>("righier/filter-kruskal " PEER_COMMIT, count, arguments);
}
