// Kruskal's algorithm of the Boost Graph Library (boost.org), on one thread.
//
// It gets an adjacency list with the weights at the edges, which accepts self-loops and parallel
// edges. Its forest is a list of edge descriptors.

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <boost/version.hpp>

#include "peer.hpp"

namespace {

using Weight = boost::property<boost::edge_weight_t, uint32_t>;
using Adjacency =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, Weight>;

class BoostKruskal {
  public:
    explicit BoostKruskal(peer::Graph graph) : graph_(graph.n) {
        for (size_t i = 0; i < graph.m(); i++) {
            boost::add_edge(graph.u[i], graph.v[i], Weight(graph.w[i]), graph_);
        }
    }

    void prepare() { forest_.clear(); }

    double solve() {
        return peer::seconds_of(
            [&] { boost::kruskal_minimum_spanning_tree(graph_, std::back_inserter(forest_)); });
    }

    peer::Answer answer() const {
        const auto weights = boost::get(boost::edge_weight, graph_);
        peer::Answer answer{forest_.size(), 0};
        for (const auto& edge : forest_) answer.total += boost::get(weights, edge);
        return answer;
    }

  private:
    Adjacency graph_;
    std::vector<boost::graph_traits<Adjacency>::edge_descriptor> forest_;
};

}  // namespace

int main(int count, char** arguments) {
    return peer::serve<BoostKruskal>("Boost " BOOST_LIB_VERSION, count, arguments);
}
