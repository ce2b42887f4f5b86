// Compares points with all others. Products of rounded coordinates rule out nearly all pairs, and
// the others are compared canonically.
//
// For rounded rows x and y, whose squares of lengths are known, x y - y y / 2 is above a limit if
// and only if x and y are near. The rounding errors of both rows are known, too. So a limit follows
// from the distance up to which a query searches: no pair within that distance is below the limit.
// Products are computed by tensor cores, column by column.
//
// If slots have tiles, the product of the center of a warp's queries and that of a tile rules out
// whole tiles in the same way. A stage of columns that no warp of a block needs is not copied.

#include "points/lists.cuh"
#include "points/long_rows.cuh"
#include "points/short_rows.cuh"

// The rows of an argument, with the labels of tiles for searches.
template <bool searches, typename T>
__device__ __forceinline__ Rounded rows_of(const PairArguments<T>& args) {
    return {args.rounded, args.halves,    args.norms,
            args.errors,  args.panels,    __longlong_as_double((long long)args.scale),
            args.depth,   args.points_of, args.centers,
            args.tiles,   searches ? args.tile_labels : nullptr};
}

template <bool searches, typename T>
__device__ __forceinline__ Components components_of(const PairArguments<T>& args) {
    if (!searches) return {};
    return {args.labels, args.slot_labels, args.cores, args.bounds};
}

// The query of this lane.
struct Query {
    u32 point, slot;
    bool exists;
};

// The query at a place. Searches have a list of queries, and some of them are NONE. Without a list,
// the points of the slots from `first` on are the queries. A lane without a query has the row of
// another lane of its warp.
template <bool searches, typename T>
__device__ __forceinline__ Query query_at(u64 place, const PairArguments<T>& args) {
    if (searches) {
        u32 point = place < args.query_count ? args.queries[place] : NONE;
        bool exists = point != NONE;
        point = named_point(point);
        return {point, args.slots_of ? args.slots_of[point] : point, exists};
    }
    u32 slot = args.first + (u32)min(place, (u64)args.query_count - 1);
    u32 point = args.points_of[slot];
    bool exists = place < args.query_count && point != NONE;
    // The first slot of a tile has a point.
    if (!exists) slot = slot / TILE * TILE;
    return {args.points_of[slot], slot, exists};
}

// The panel from which the block with the queries from a place on starts, in panels `begin` to
// `end`: their own, if it is one of these and slots have tiles.
template <bool searches, typename T>
__device__ __forceinline__ u32 start_of(u32 place, u32 begin, u32 end,
                                        const PairArguments<T>& args) {
    if (!args.tiles) return begin;
    u32 slot = args.first + place;
    if (searches) {
        while (args.queries[place] == NONE) {
            if (++place == args.query_count) return begin;
        }
        slot = args.slots_of[args.queries[place]];
    }
    u32 panel = slot / PANEL;
    return panel >= begin && panel < end ? panel : begin;
}

// ---- Short rows

// The nearest points of the points of `query_count` slots from `first` on: the lists, or if
// `core_distances` is not null, the distance of the `wanted`-th nearest point.
#define NEAREST(TYPE, T)                                                                          \
    KERNEL __launch_bounds__(THREADS, 2) nearest_##TYPE(const PairArguments<T> args) {            \
        extern __shared__ __align__(16) char shared[];                                            \
        Rounded rows = rows_of<false>(args);                                                      \
        ShortRows<false, T> comparison(rows, Exact<T>{args.points, args.stride, args.dimensions}, \
                                       Components{}, shared, args.wanted);                        \
        Query query = query_at<false>(first_index(), args);                                       \
        comparison.take(query.point, query.slot, query.exists);                                   \
        u32 panels = (args.slots + PANEL - 1) / PANEL;                                            \
        u32 start = start_of<false>(blockIdx.x * blockDim.x, 0, panels, args);                    \
        comparison.run(0, panels, start);                                                         \
        __syncwarp();                                                                             \
        u32 own = threadIdx.x % 32 * args.wanted;                                                 \
        if (query.exists) {                                                                       \
            store(query.point, comparison.queries.keys + own, comparison.queries.found + own,     \
                  args);                                                                          \
        }                                                                                         \
    }

// Stores the nearest points of a point.
template <typename T>
__device__ __forceinline__ void store(u32 point, const u64* keys, const u32* found,
                                      const PairArguments<T>& args) {
    u64 last = keys[args.wanted - 1];
    if (args.core_distances) {
        args.core_distances[point] = __longlong_as_double((long long)last);
        return;
    }
    Lists lists = {args.lists, args.count};
    for (u32 k = 0; k < LIST; k++) lists.at(point, k) = k < args.wanted ? found[k] : NONE;
    args.keys[point] = keys[0];
    args.least_keys[point] = last;
}

NEAREST(f32, float)
NEAREST(f64, double)

// For each query, the first point of another component in `columns` panels, as far as its distance
// is not above the component's bound. If `slots_of` is null, slots are points.
#define PAIRS(TYPE, T)                                                                           \
    KERNEL __launch_bounds__(THREADS, 2) pairs_##TYPE(const PairArguments<T> args) {             \
        extern __shared__ __align__(16) char shared[];                                           \
        Rounded rows = rows_of<true>(args);                                                      \
        ShortRows<true, T> comparison(rows, Exact<T>{args.points, args.stride, args.dimensions}, \
                                      components_of<true>(args), shared, 1);                     \
        u64 place = first_index();                                                               \
        Query query = query_at<true>(place, args);                                               \
        comparison.take(query.point, query.slot, query.exists);                                  \
        u32 begin = blockIdx.y * args.columns;                                                   \
        u32 end = min(begin + args.columns, (args.slots + PANEL - 1) / PANEL);                   \
        comparison.run(begin, end, start_of<true>(blockIdx.x * blockDim.x, begin, end, args));   \
        __syncwarp();                                                                            \
        if (place >= args.query_count) return;                                                   \
        Last last = comparison.queries.last(threadIdx.x % 32);                                   \
        args.part_keys[blockIdx.y * (u64)args.query_count + place] = last.key;                   \
        args.part_found[blockIdx.y * (u64)args.query_count + place] = last.found;                \
    }

PAIRS(f32, float)
PAIRS(f64, double)

// ---- Long rows
// Of both kinds of queries, the `wanted` nearest points. Consecutive blocks have the same queries
// and all `parts` of the columns. If a part has no columns, blocks compare their queries with those
// of their own panel only.

template <bool searches, typename T>
__device__ __forceinline__ void compare_long(const PairArguments<T>& args, char* shared) {
    Rounded rows = rows_of<searches>(args);
    u32 part = blockIdx.x % args.parts, first = blockIdx.x / args.parts * THREADS;
    typename LongRows<searches, T>::Answers answers = {
        args.part_keys + (u64)first * args.wanted, args.part_found + (u64)first * args.wanted,
        args.locks + first};
    LongRows<searches, T> comparison(rows, Exact<T>{args.points, args.stride, args.dimensions},
                                     components_of<searches>(args), shared, answers, args.wanted,
                                     args.slabs, args.columns ? MANY_PAIRS : FEW_PAIRS);
    Query query = query_at<searches>(first + threadIdx.x, args);
    comparison.take(query.point, query.slot, query.exists);
    u32 begin = part * args.columns;
    u32 end = min(begin + args.columns, (args.slots + PANEL - 1) / PANEL);
    u32 start = start_of<searches>(first, begin, end, args);
    if (args.columns == 0) {
        start = begin = (args.first + first) / PANEL;
        end = begin + 1;
    }
    comparison.run(begin, end, start);
}

#define LONG(NAME, searches, TYPE, T)                                                           \
    KERNEL __launch_bounds__(THREADS, 1) NAME##_long_##TYPE(const PairArguments<T> args) {      \
        extern __shared__ __align__(16) char shared[];                                          \
        compare_long<searches>(args, shared);                                                   \
    }

LONG(nearest, false, f32, float)
LONG(nearest, false, f64, double)
LONG(pairs, true, f32, float)
LONG(pairs, true, f64, double)

// Stores the nearest points that all parts have found, for `query_count` slots from `first` on.
KERNEL __launch_bounds__(THREADS) store_nearest(const PairArguments<void> args) {
    for (u64 q = first_index(); q < args.query_count; q += index_stride()) {
        u32 point = args.points_of[args.first + q];
        if (point == NONE) continue;
        store(point, args.part_keys + q * args.wanted, args.part_found + q * args.wanted, args);
    }
}
