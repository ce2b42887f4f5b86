// Calls the functions of kostra.hpp, and checks what they promise.
#include "check.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

using kostra::edge_id;
using kostra::vertex;

static const std::vector<vertex> U{0, 1, 2, 0};
static const std::vector<vertex> V{1, 2, 0, 2};

template <typename T, typename Other>
static bool same(const T &a, const Other &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <kostra::weight W>
static void check_weights() {
    const std::vector<W> weights{W(3), W(1), W(3), W(0)};
    const kostra::graph graph(4, U, V, weights);
    CHECK(graph.vertices() == 4 && graph.edges() == 4);
    CHECK(same(graph.u(), U) && same(graph.v(), V));
    CHECK(graph.has_weights<W>() && same(graph.template weights<W>(), weights));
    using other = std::conditional_t<std::same_as<W, float>, double, float>;
    CHECK_ERROR("another type", graph.template weights<other>());
    const auto least = kostra::minimum_spanning_forest(graph);
    CHECK(same(least.ids(), std::array<edge_id, 2>{1, 3}) && least.size() == 2);
    CHECK(least.components() == 2 && least.total() == 1);
    CHECK(least.integer_total() == (std::integral<W> ? std::optional(1) : std::nullopt));
    const auto most = kostra::maximum_spanning_forest(graph, {.algorithm = "kruskal"});
    CHECK(same(most.ids(), std::array<edge_id, 2>{0, 2}) && most.algorithm() == "kruskal");
    CHECK(!most.fallback());
    std::size_t sum = 0;
    for (const auto id : kostra::minimum_spanning_forest(graph).ids()) sum += id;
    CHECK(sum == 4);
    CHECK(same(least.labels(graph), std::array<vertex, 4>{0, 0, 0, 1}));
    CHECK(!kostra::violation(graph, least.ids()));
    CHECK(!kostra::violation(graph, most.ids(), kostra::order::maximum));
    CHECK(kostra::violation(graph, most.ids()).has_value());

    kostra::dynamic_forest<W> changing(graph);
    CHECK(same(changing.ids(), least.ids()) && changing.entered().size() == 2);
    const std::vector<vertex> from{3}, to{0};
    const std::vector<W> light{W(2)};
    CHECK(changing.insert(from, to, light) == 4);
    CHECK(same(changing.ids(), std::array<edge_id, 3>{1, 3, 4}) && changing.components() == 1);
    CHECK(changing.connected(1, 3) && changing.component_size(3) == 4);
    changing.erase(std::array<edge_id, 1>{3});
    CHECK(same(changing.left(), std::array<edge_id, 1>{3}) && changing.edges() == 4);
    changing.reweight(std::array<edge_id, 1>{2}, std::array<W, 1>{W(1)});
    CHECK(same(changing.ids(), std::array<edge_id, 3>{1, 2, 4}) && changing.total() == 4);
    const auto rest = changing.edges_of(changing.present_ids());
    CHECK(rest.edges() == 4 && rest.template weights<W>()[1] == W(1));
    CHECK(changing.add_vertices(2) == 4 && changing.vertices() == 6);
    CHECK(changing.expire(3) == 3 && same(changing.present_ids(), std::array<edge_id, 1>{4}));
    CHECK_ERROR("0", changing.erase(std::array<edge_id, 1>{0}));
    CHECK_ERROR("same length", changing.insert(from, to, {}));
    CHECK_ERROR("6", changing.connected(0, 6));
}

static void check_ownership() {
    static_assert(!std::copyable<kostra::graph> && std::movable<kostra::graph>);
    static_assert(!std::copyable<kostra::forest> && std::movable<kostra::forest>);
    static_assert(std::movable<kostra::dynamic_forest<double>>);
    kostra::graph graph(2, std::array<vertex, 1>{0}, std::array<vertex, 1>{1},
                        std::array<float, 1>{2.5f});
    auto forest = kostra::minimum_spanning_forest(graph);
    const kostra::graph moved = std::move(graph);
    graph = kostra::graph(0, {}, {}, std::vector<double>());
    CHECK(moved.edges() == 1 && graph.edges() == 0);
    forest = kostra::minimum_spanning_forest(graph);
    CHECK(forest.size() == 0 && forest.labels(graph).empty());
}

static void check_errors() {
    const std::vector<double> good{0, 0, 0, 0};
    std::vector<double> bad = good;
    bad[3] = std::numeric_limits<double>::quiet_NaN();
    CHECK_ERROR("edge 3 has weight NaN", kostra::graph(3, U, V, bad));
    CHECK_ERROR("2", kostra::graph(2, U, V, good));
    CHECK_ERROR("4, 4 and 3 items", kostra::graph(3, U, V, std::vector<double>(3)));
    const kostra::graph graph(3, U, V, good);
    CHECK_ERROR("magic", kostra::minimum_spanning_forest(graph, {.algorithm = "magic"}));
    CHECK_ERROR("5000", kostra::minimum_spanning_forest(graph, {.threads = 5000}));
    CHECK_ERROR("another type", kostra::dynamic_forest<float>(graph));
    CHECK_ERROR("missing.gr", kostra::graph::read("missing.gr"));
}

static void check_files() {
    const auto roads = kostra::graph::read("roads.gr");
    CHECK(roads.vertices() == 3 && roads.edges() == 3);
    CHECK_ERROR("weight", kostra::graph::read("roads.csv"));
    const auto table = kostra::graph::read("roads.csv", {"source=from", "target=to", "weight=km"});
    const auto forest = kostra::minimum_spanning_forest(table);
    forest.write(table, "forest.ids");
    CHECK_ERROR("missing", forest.write(table, "missing/forest.ids"));

    kostra::dynamic_forest<double> changing(3);
    changing.log("changes.log");
    changing.insert(std::array<vertex, 1>{0}, std::array<vertex, 1>{2}, std::array<double, 1>{1});
    changing.compact();
    changing = kostra::dynamic_forest<double>(1);  // closes the log
    CHECK(kostra::dynamic_forest<double>::open("changes.log").total() == 1);
    CHECK_ERROR("another type", kostra::dynamic_forest<float>::open("changes.log"));
}

int main() {
    CHECK(!kostra::version().empty());
    check_weights<std::int32_t>();
    check_weights<std::uint32_t>();
    check_weights<std::int64_t>();
    check_weights<std::uint64_t>();
    check_weights<float>();
    check_weights<double>();
    check_ownership();
    check_errors();
    check_files();
    std::puts("all promises kept");
}
