// The forest of a graph of Boost, next to Boost's own Kruskal.
#include "check.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>

#include <random>

using roads = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                    boost::no_property, boost::property<boost::edge_weight_t, int>>;
using road = boost::graph_traits<roads>::edge_descriptor;

/// The edges of the minimum spanning forest of a graph of Boost.
static std::vector<road> spanning_forest(const roads &of) {
    std::vector<kostra::vertex> u, v;
    std::vector<int> weights;
    std::vector<road> edges;
    for (auto [edge, end] = boost::edges(of); edge != end; ++edge) {
        u.push_back(static_cast<kostra::vertex>(boost::source(*edge, of)));
        v.push_back(static_cast<kostra::vertex>(boost::target(*edge, of)));
        weights.push_back(boost::get(boost::edge_weight, of, *edge));
        edges.push_back(*edge);
    }
    const auto vertices = static_cast<kostra::vertex>(boost::num_vertices(of));
    const kostra::graph graph(vertices, u, v, weights);
    std::vector<road> found;
    for (const auto id : kostra::minimum_spanning_forest(graph).ids()) found.push_back(edges[id]);
    return found;
}

template <typename Edges>
static long total(const roads &of, const Edges &edges) {
    long total = 0;
    for (const auto &edge : edges) total += boost::get(boost::edge_weight, of, edge);
    return total;
}

int main() {
    std::mt19937 random(7);
    for (const unsigned vertices : {1u, 2u, 50u, 400u}) {
        roads graph(vertices);
        for (unsigned edge = 0; edge < 3 * vertices; edge++) {
            const auto u = random() % vertices, v = random() % vertices;
            boost::add_edge(u, v, static_cast<int>(random() % 100), graph);
        }
        const auto ours = spanning_forest(graph);
        std::vector<road> theirs;
        boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(theirs));
        CHECK(ours.size() == theirs.size() && total(graph, ours) == total(graph, theirs));
    }
    std::puts("all promises kept");
}
