// Compares points with all others. Products of rounded coordinates rule out nearly all pairs, and
// the others are compared canonically.
//
// For rounded rows x and y, whose squares of lengths are known, x y - y y / 2 is above a limit if
// and only if x and y are near. The rounding errors of both rows are known, too. So a limit follows
// from the distance up to which a query searches: no pair within that distance is below the limit.
// Products are computed by tensor cores, column by column.
//
// A block has 32 queries for each warp, and a stage of columns in shared memory for all of them. If
// slots have tiles, the product of the center of a warp's queries and that of a tile rules out
// whole tiles in the same way. A stage that no warp needs is not copied.

#include "points/comparison.cuh"
#include "points/lists.cuh"

// ---- The nearest points of every point
// Of the points of `query_count` slots from `first` on: the lists, or if `core_distances` is not
// null, the distance of the `wanted`-th nearest point.

#define NEAREST(TYPE, T, fits)                                                                     \
    KERNEL __launch_bounds__(THREADS, 2) nearest_##TYPE(const PairArguments<T> args) {             \
        extern __shared__ __align__(16) char shared[];                                             \
        Rounded rows = {args.rounded, args.halves,    args.norms,                                  \
                        args.errors,  args.panels,    __longlong_as_double((long long)args.scale), \
                        args.depth,   args.points_of, args.centers,                                \
                        args.tiles,   nullptr};                                                    \
        Comparison<false, fits, T> comparison(rows,                                                \
                                              Exact<T>{args.points, args.stride, args.dimensions}, \
                                              Components{}, shared, args.wanted);                  \
        u64 query = first_index();                                                                 \
        u32 slot = args.first + (u32)min(query, (u64)args.query_count - 1),                        \
            point = args.points_of[slot];                                                          \
        bool exists = query < args.query_count && point != NONE;                                   \
        /* A lane without a query has the row of the first one in its tile. */                     \
        comparison.take(point, exists ? slot : slot / TILE * TILE, exists);                        \
        u32 own = args.tiles ? (args.first + blockIdx.x * blockDim.x) / PANEL : 0;                 \
        comparison.run(0, (args.slots + PANEL - 1) / PANEL, own);                                  \
        store(comparison.memory.queries, point, exists, Lists{args.lists, args.count}, args.keys,  \
              args.least_keys, args.core_distances);                                               \
    }

__device__ __forceinline__ void store(const Queries& queries, u32 point, bool exists, Lists lists,
                                      u64* keys, u64* least_keys, double* core_distances) {
    __syncwarp();
    if (!exists) return;
    u32 lane = threadIdx.x % 32, wanted = queries.wanted;
    const u32* found = queries.found + lane * wanted;
    u64 last = queries.last_key(lane);
    if (core_distances) {
        core_distances[point] = __longlong_as_double((long long)last);
        return;
    }
    for (u32 k = 0; k < LIST; k++) lists.at(point, k) = k < wanted ? found[k] : NONE;
    keys[point] = queries.keys[lane * wanted];
    least_keys[point] = last;
}

NEAREST(f32, float, true)
NEAREST(f64, double, true)
NEAREST(long_f32, float, false)
NEAREST(long_f64, double, false)

// ---- Searches
// For each query, the first point of another component in `columns` panels, as far as its distance
// is not above the component's bound. Some queries are NONE. If `slots_of` is null, slots are
// points.

#define PAIRS(TYPE, T, fits)                                                                \
    KERNEL __launch_bounds__(THREADS, 2) pairs_##TYPE(const PairArguments<T> args) {        \
        extern __shared__ __align__(16) char shared[];                                      \
        Rounded rows = {                                                                    \
            args.rounded, args.halves,     args.norms,                                      \
            args.errors,  args.panels,     __longlong_as_double((long long)args.scale),     \
            args.depth,   args.points_of,  args.centers,                                    \
            args.tiles,   args.tile_labels};                                                \
        Comparison<true, fits, T> comparison(                                               \
            rows, Exact<T>{args.points, args.stride, args.dimensions},                      \
            Components{args.labels, args.slot_labels, args.cores, args.bounds}, shared, 1); \
        u64 query = first_index();                                                          \
        u32 point = query < args.query_count ? args.queries[query] : NONE;                  \
        bool exists = point != NONE;                                                        \
        point = named_point(point);                                                         \
        comparison.take(point, args.slots_of ? args.slots_of[point] : point, exists);       \
        u32 begin = blockIdx.y * args.columns, all = (args.slots + PANEL - 1) / PANEL;      \
        u32 end = min(begin + args.columns, all), own = begin;                              \
        if (args.tiles) {                                                                   \
            u32 at = blockIdx.x * blockDim.x;                                               \
            while (args.queries[at] == NONE) at++;                                          \
            u32 panel = args.slots_of[args.queries[at]] / PANEL;                            \
            if (panel >= begin && panel < end) own = panel;                                 \
        }                                                                                   \
        comparison.run(begin, end, own);                                                    \
        __syncwarp();                                                                       \
        if (query >= args.query_count) return;                                              \
        u64 place = (u64)blockIdx.y * args.query_count + query;                             \
        args.part_keys[place] = comparison.memory.queries.last_key(threadIdx.x % 32);       \
        args.part_found[place] = comparison.memory.queries.last_found(threadIdx.x % 32);    \
    }

PAIRS(f32, float, true)
PAIRS(f64, double, true)
PAIRS(long_f32, float, false)
PAIRS(long_f64, double, false)
