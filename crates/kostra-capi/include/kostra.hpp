// Minimum spanning forests in C++20: a header over kostra.h, with objects that free themselves,
// spans instead of pointers, and exceptions instead of return values. Link the C library.
//
//     std::vector<std::uint32_t> u{0, 1, 2}, v{1, 2, 0};
//     std::vector<double> meters{400, 100, 300};
//     kostra::graph roads(3, u, v, meters);
//     for (auto edge : kostra::minimum_spanning_forest(roads).ids()) ...
//
// An edge is identified by its id: its position in the arrays or in the file, counted from 0. The
// same graph always has the same forest: among edges of equal weight, the lower id comes first.
// Several threads may use one graph or one forest at the same time, but only one thread at a time a
// dynamic forest. An object that was moved from may only be destroyed and assigned to.

#ifndef KOSTRA_HPP
#define KOSTRA_HPP

#include <kostra.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kostra {

/// Why a call failed: one sentence.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

using vertex = std::uint32_t;
using edge_id = std::uint32_t;

/// Whether a forest has the least or the greatest weight.
enum class order : std::int32_t { minimum = KOSTRA_MINIMUM, maximum = KOSTRA_MAXIMUM };

/// A type of weights.
template <typename T>
concept weight =
    std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, float> || std::same_as<T, double>;

/// The options of a solve.
struct solve_options {
    /// The id of a solver, as the command `kostra solvers` lists them; "auto" is the fastest.
    std::string algorithm = "auto";
    /// The number of threads, at most 4096; 0 is all.
    std::size_t threads = 0;
};

namespace detail {

[[noreturn]] inline void fail() { throw error(kostra_last_error()); }

inline void check(bool succeeded) {
    if (!succeeded) fail();
}

template <typename T>
T *made(T *object) {
    check(object != nullptr);
    return object;
}

/// Frees an object of the C library.
struct free_object {
    void operator()(KostraGraph *object) const noexcept { kostra_graph_free(object); }
    void operator()(KostraForest *object) const noexcept { kostra_forest_free(object); }
    void operator()(KostraDynamicForest *object) const noexcept { kostra_dynamic_free(object); }
};

template <typename T>
using owned = std::unique_ptr<T, free_object>;

/// The functions of the C library for one type of weights.
template <weight W>
struct functions;

#define KOSTRA_FUNCTIONS(TYPE, NAME, CODE)                                            \
    template <>                                                                       \
    struct functions<TYPE> {                                                          \
        static constexpr std::int32_t code = CODE;                                    \
        static constexpr auto graph = kostra_graph_##NAME;                            \
        static constexpr auto insert = kostra_dynamic_insert_##NAME;                  \
        static constexpr auto reweight = kostra_dynamic_reweight_##NAME;              \
    };
KOSTRA_FUNCTIONS(std::int32_t, i32, KOSTRA_I32)
KOSTRA_FUNCTIONS(std::uint32_t, u32, KOSTRA_U32)
KOSTRA_FUNCTIONS(std::int64_t, i64, KOSTRA_I64)
KOSTRA_FUNCTIONS(std::uint64_t, u64, KOSTRA_U64)
KOSTRA_FUNCTIONS(float, f32, KOSTRA_F32)
KOSTRA_FUNCTIONS(double, f64, KOSTRA_F64)
#undef KOSTRA_FUNCTIONS

/// The columns of edges must have one length, which the C library cannot check.
inline std::size_t same_length(std::size_t u, std::size_t v, std::size_t weights) {
    if (u != v || u != weights) {
        throw error("u, v and weights must have the same length, but have " + std::to_string(u) +
                    ", " + std::to_string(v) + " and " + std::to_string(weights) + " items");
    }
    return u;
}

}  // namespace detail

/// The version of the library, such as "0.1.0".
inline std::string_view version() { return kostra_version(); }

/// A weighted graph. Vertices are numbered from 0.
class graph {
public:
    /// Edge i joins u[i] and v[i] and has the weight weights[i]. The arrays are copied. Parallel
    /// edges and self-loops are allowed. Throws if a vertex is not below `vertices`, a weight is
    /// NaN, or the lengths differ.
    template <typename Weights>
    graph(vertex vertices, std::span<const vertex> u, std::span<const vertex> v,
          const Weights &weights) {
        const std::span items(weights);
        using item = std::remove_const_t<typename decltype(items)::element_type>;
        static_assert(weight<item>, "weights are 32-bit or 64-bit integers, float or double");
        const auto edges = detail::same_length(u.size(), v.size(), items.size());
        inner_.reset(detail::made(detail::functions<item>::graph(vertices, edges, u.data(),
                                                                 v.data(), items.data())));
    }

    /// Takes an object of the C library.
    explicit graph(KostraGraph *object) : inner_(detail::made(object)) {}

    /// Reads a file, whose format is recognized. The options are those of `kostra solve` without
    /// `--`, such as "weight=km". Throws if the file is at fault, or leaves something open: then the
    /// error names an option.
    static graph read(const std::string &path, const std::vector<std::string> &options = {}) {
        std::vector<const char *> texts;
        for (const auto &option : options) texts.push_back(option.c_str());
        texts.push_back(nullptr);
        return graph(kostra_graph_read_with(path.c_str(), texts.data()));
    }

    vertex vertices() const noexcept { return kostra_graph_vertices(get()); }
    std::size_t edges() const noexcept { return kostra_graph_edges(get()); }

    /// The first ends by edge id, valid as long as the graph.
    std::span<const vertex> u() const & noexcept { return {kostra_graph_u(get()), edges()}; }
    std::span<const vertex> u() const && = delete;
    /// The second ends by edge id, valid as long as the graph.
    std::span<const vertex> v() const & noexcept { return {kostra_graph_v(get()), edges()}; }
    std::span<const vertex> v() const && = delete;

    /// Whether the weights have this type. A file determines the type of its graph.
    template <weight W>
    bool has_weights() const noexcept {
        return kostra_graph_weight_type(get()) == detail::functions<W>::code;
    }

    /// The weights by edge id, valid as long as the graph. Throws if they have another type.
    template <weight W>
    std::span<const W> weights() const & {
        if (!has_weights<W>()) throw error("the weights of the graph have another type");
        return {static_cast<const W *>(kostra_graph_weights(get())), edges()};
    }
    template <weight W>
    std::span<const W> weights() const && = delete;

    /// The object of the C library.
    const KostraGraph *get() const noexcept { return inner_.get(); }

private:
    detail::owned<KostraGraph> inner_;
};

/// A spanning forest: the ids of its edges, ascending.
class forest {
public:
    /// Takes an object of the C library.
    explicit forest(KostraForest *object) : inner_(detail::made(object)) {}

    /// The ids of the edges, ascending, valid as long as the forest.
    std::span<const edge_id> ids() const & noexcept {
        return {kostra_forest_ids(get()), kostra_forest_length(get())};
    }
    /// A copy of the ids of a forest that is about to be freed, as in a loop over
    /// minimum_spanning_forest(graph).ids().
    std::vector<edge_id> ids() && {
        const auto ids = std::as_const(*this).ids();
        return {ids.begin(), ids.end()};
    }
    std::size_t size() const noexcept { return kostra_forest_length(get()); }

    /// The number of components, isolated vertices included.
    vertex components() const noexcept { return kostra_forest_components(get()); }

    /// The sum of the weights. A sum of integers above 2^53 is rounded.
    double total() const noexcept { return kostra_forest_total(get()); }

    /// The exact sum, unless the weights are no integers or the sum does not fit.
    std::optional<std::int64_t> integer_total() const noexcept {
        std::int64_t total = 0;
        if (!kostra_forest_integer_total(get(), &total)) return std::nullopt;
        return total;
    }

    /// The component of each vertex of the forest's graph, numbered from 0 in the order of their
    /// lowest vertices.
    std::vector<std::uint32_t> labels(const graph &of) const {
        std::vector<std::uint32_t> labels(of.vertices());
        detail::check(kostra_forest_labels(of.get(), get(), labels.data(), labels.size()));
        return labels;
    }

    /// Writes a file in the format of its extension. The file appears whole or not at all.
    void write(const graph &of, const std::string &path) const {
        detail::check(kostra_forest_write(of.get(), get(), path.c_str()));
    }

    /// The id of the solver that ran, valid as long as the forest.
    std::string_view algorithm() const & noexcept { return kostra_forest_algorithm(get()); }
    std::string_view algorithm() const && = delete;

    /// Why a solver on the processor ran instead of the one for a device that was chosen first.
    std::optional<std::string> fallback() const {
        const char *reason = kostra_forest_fallback(get());
        if (reason == nullptr) return std::nullopt;
        return reason;
    }

    /// The object of the C library.
    const KostraForest *get() const noexcept { return inner_.get(); }

private:
    detail::owned<KostraForest> inner_;
};

/// The minimum or maximum spanning forest of a graph. Throws if an option is wrong, or the system
/// refuses memory.
inline forest spanning_forest(const graph &of, order by, const solve_options &options = {}) {
    return forest(kostra_solve(of.get(), options.algorithm.c_str(), static_cast<std::int32_t>(by),
                               options.threads));
}

inline forest minimum_spanning_forest(const graph &of, const solve_options &options = {}) {
    return spanning_forest(of, order::minimum, options);
}

inline forest maximum_spanning_forest(const graph &of, const solve_options &options = {}) {
    return spanning_forest(of, order::maximum, options);
}

/// Decides, without any solver, whether edges are the forest of a graph. Returns the first
/// violation, or nothing if they are. Throws if this cannot be decided.
inline std::optional<std::string> violation(const graph &of, std::span<const edge_id> ids,
                                            order by = order::minimum) {
    const auto verdict =
        kostra_verify(of.get(), static_cast<std::int32_t>(by), ids.data(), ids.size());
    detail::check(verdict >= 0);
    if (verdict == 1) return std::nullopt;
    return kostra_last_error();
}

/// A graph that changes, and its spanning forest. Each edge has an id from its insertion to its
/// deletion; ids ascend in the order of insertion and are never used again. A call that throws
/// changes nothing, except that a log may lack an update if it cannot be written.
template <weight W>
class dynamic_forest {
public:
    /// A graph without edges.
    explicit dynamic_forest(vertex vertices, order by = order::minimum)
        : inner_(detail::made(kostra_dynamic_new(vertices, detail::functions<W>::code,
                                                 static_cast<std::int32_t>(by)))) {}

    /// A copy of a graph, whose edges keep their ids. Throws if its weights have another type.
    explicit dynamic_forest(const graph &of, order by = order::minimum)
        : inner_(detail::made(kostra_dynamic_of_graph(of.get(), static_cast<std::int32_t>(by)))) {
        of.weights<W>();
    }

    /// Starts a log in a new or empty file.
    void log(const std::string &path) { detail::check(kostra_dynamic_log(get(), path.c_str())); }
    /// Rewrites the log to the present edges.
    void compact() { detail::check(kostra_dynamic_compact(get())); }

    /// Continues from a log. Throws if the file is no log with weights of this type.
    static dynamic_forest open(const std::string &path) {
        dynamic_forest opened(detail::made(kostra_dynamic_open(path.c_str(), nullptr)));
        if (kostra_dynamic_weight_type(opened.get()) != detail::functions<W>::code) {
            throw error("the weights of the log have another type");
        }
        return opened;
    }

    /// Adds isolated vertices, and returns the first one.
    vertex add_vertices(vertex count) {
        const auto first = kostra_dynamic_add_vertices(get(), count, nullptr);
        detail::check(first >= 0);
        return static_cast<vertex>(first);
    }

    /// Inserts edges, and returns the id of the first one; the others have the following ids.
    edge_id insert(std::span<const vertex> u, std::span<const vertex> v,
                   std::span<const W> weights) {
        const auto edges = detail::same_length(u.size(), v.size(), weights.size());
        const auto first = detail::functions<W>::insert(get(), edges, u.data(), v.data(),
                                                        weights.data());
        detail::check(first >= 0);
        return static_cast<edge_id>(first);
    }

    /// Deletes edges.
    void erase(std::span<const edge_id> ids) {
        detail::check(kostra_dynamic_delete(get(), ids.data(), ids.size()));
    }

    /// Deletes all edges with ids below `before`, and returns their number.
    std::size_t expire(edge_id before) {
        const auto deleted = kostra_dynamic_expire(get(), before);
        detail::check(deleted >= 0);
        return static_cast<std::size_t>(deleted);
    }

    /// Changes the weight of edge ids[i] to weights[i].
    void reweight(std::span<const edge_id> ids, std::span<const W> weights) {
        if (ids.size() != weights.size()) {
            throw error("ids and weights must have the same length");
        }
        detail::check(
            detail::functions<W>::reweight(get(), ids.data(), ids.size(), weights.data()));
    }

    vertex vertices() const noexcept { return kostra_dynamic_vertices(get()); }
    std::size_t edges() const noexcept { return kostra_dynamic_edges(get()); }
    vertex components() const noexcept { return kostra_dynamic_components(get()); }
    double total() const noexcept { return kostra_dynamic_total(get()); }

    /// The ids of the forest's edges, ascending.
    std::vector<edge_id> ids() { return listed(kostra_dynamic_ids); }
    /// The ids of all present edges, ascending.
    std::vector<edge_id> present_ids() { return listed(kostra_dynamic_present_ids); }
    /// The ids of the edges that the last update brought into the forest.
    std::vector<edge_id> entered() { return listed(kostra_dynamic_entered); }
    /// The ids of the edges that the last update took out of the forest.
    std::vector<edge_id> left() { return listed(kostra_dynamic_left); }

    bool connected(vertex s, vertex t) {
        const auto answer = kostra_dynamic_connected(get(), s, t);
        detail::check(answer >= 0);
        return answer == 1;
    }

    /// The number of vertices of a vertex's component.
    vertex component_size(vertex of) {
        const auto size = kostra_dynamic_component_size(get(), of);
        detail::check(size > 0);
        return size;
    }

    /// The graph of some present edges, in the order of `ids`.
    graph edges_of(std::span<const edge_id> ids) const {
        return graph(kostra_dynamic_graph(get(), ids.data(), ids.size()));
    }

    /// The object of the C library.
    KostraDynamicForest *get() noexcept { return inner_.get(); }
    const KostraDynamicForest *get() const noexcept { return inner_.get(); }

private:
    explicit dynamic_forest(KostraDynamicForest *object) : inner_(object) {}

    std::vector<edge_id> listed(const std::uint32_t *(*function)(KostraDynamicForest *,
                                                                 std::size_t *)) {
        std::size_t length = 0;
        const auto *ids = function(get(), &length);
        detail::check(ids != nullptr);
        return {ids, ids + length};
    }

    detail::owned<KostraDynamicForest> inner_;
};

}  // namespace kostra

#endif  // KOSTRA_HPP
