// The components of the rounds. Nothing here or in the order of the edges depends on the number of
// dimensions or the type of coordinates.

#include "points/append.cuh"
#include "points/counters.cuh"
#include "points/extent.cuh"
#include "points/lists.cuh"
#include "points/order.cuh"

constexpr u32 LEAF = 32;
// The points whose labels are looked at to find a large component.
constexpr u32 SAMPLES = 256;

// ---- Input

// Collects the least coordinate of each dimension, and the complement of the greatest one, as
// integers of the same order. `fault` becomes the first place that has no finite number, counted
// row by row. A block serves one dimension.
#define EXTENT(TYPE, T, LARGEST)                                                                  \
    KERNEL extent_##TYPE(const T* points, u32 dimensions, u64 stride, u32 count, u64* extent,     \
                         u64* fault) {                                                            \
        u64 k = blockIdx.y, low = ~0ull, high = ~0ull, wrong = ~0ull;                             \
        for (u64 i = first_index(); i < count; i += index_stride()) {                             \
            T value = points[i * stride + k];                                                     \
            if (!(value >= -LARGEST && value <= LARGEST)) wrong = min(wrong, i * dimensions + k); \
            u64 key = to_extent((double)value);                                                   \
            low = min(low, key);                                                                  \
            high = min(high, ~key);                                                               \
        }                                                                                         \
        for (u32 step = 16; step > 0; step /= 2) {                                                \
            low = min(low, __shfl_xor_sync(EVERY_LANE, low, step));                               \
            high = min(high, __shfl_xor_sync(EVERY_LANE, high, step));                            \
        }                                                                                         \
        if (wrong != ~0ull) atomicMin(fault, wrong);                                              \
        if (threadIdx.x % 32 == 0) {                                                              \
            lower(&extent[k], low);                                                               \
            lower(&extent[dimensions + k], high);                                                 \
        }                                                                                         \
    }

EXTENT(f32, float, 3.402823466e38f)
EXTENT(f64, double, 1.7976931348623157e308)

// Numbers points or edges.
KERNEL __launch_bounds__(THREADS) number(u32 count, u32* places) {
    for (u64 i = first_index(); i < count; i += index_stride()) places[i] = (u32)i;
}

// ---- Components
// The argument of the kernels of rounds. src/points/kernels.rs declares the same struct.
struct Arguments {
    // The order of the points.
    const u32 *order, *inverse, *points_of;
    // With a value for each point.
    const double* given;
    u64* cores;
    u32* lists;
    u64 *keys, *least_keys;
    u32 *labels, *queries, *hooks, *parents;
    u64 *bounds, *pairs;
    // Components, and those of the next round.
    u32 *components, *roots;
    // One word: the component that takes no pair, or NONE.
    u32 *skipped, *counters;
    u64 *edge_keys, *edge_pairs;
    // Labels of nodes, and the nodes of a level and of the level below it.
    u32* node_labels;
    u32 count, slots, below, children, begin, nodes;
};

// A component is named by one of its points.

KERNEL __launch_bounds__(THREADS) begin(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        args.labels[i] = args.parents[i] = args.components[i] = (u32)i;
        args.bounds[i] = args.pairs[i] = ~0ull;
    }
}

// With core distances, there are no lists, and no pair of a point is nearer than its core distance.
// `order` has the given index of each point.
KERNEL __launch_bounds__(THREADS) begin_with_cores(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        double core = args.given[args.order[i]];
        args.cores[i] = args.least_keys[i] = (u64)__double_as_longlong(core == 0 ? 0 : core);
        for (u32 k = 0; k < LIST; k++) Lists{args.lists, args.count}.at(i, k) = NONE;
    }
}

// Finds a component that has an eighth of the sampled points or more, or NONE. It takes no pair in
// the round, because the pairs of all others are enough. One block.
KERNEL __launch_bounds__(SAMPLES) find_large(const Arguments args) {
    __shared__ u32 sampled[SAMPLES];
    __shared__ u64 most; // votes, and a label
    u32 label = sampled[threadIdx.x] = args.labels[(u64)threadIdx.x * args.count / SAMPLES];
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    u32 votes = 0;
    for (u32 i = 0; i < SAMPLES; i++) votes += sampled[i] == label;
    if (votes >= SAMPLES / 8) atomicMax(&most, (u64)votes << 32 | label);
    __syncthreads();
    if (threadIdx.x == 0) *args.skipped = most > 0 ? (u32)most : NONE;
}

// Lists the points that have to search: nothing is known of other components below the bound. The
// points of the component `skipped` do not search. `points_of` has the point of each of `slots`
// slots, or NONE. If it is null, slots are points. Otherwise the 32 slots of a tile are listed
// together, if one of them searches, with NONE for those that do not.
KERNEL __launch_bounds__(THREADS, 8) list_searches(const Arguments args) {
    constexpr u32 STEPS = 8; // so that fewer atomics queue up for the counter
    u64 part = (u64)STEPS * THREADS;
    for (u64 first = blockIdx.x * part; first < args.slots; first += gridDim.x * part) {
        bool is_listed[STEPS];
        u32 items[STEPS];
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            u64 slot = first + step * THREADS + threadIdx.x;
            u32 i = slot >= args.slots ? NONE : args.points_of ? args.points_of[slot] : (u32)slot;
            bool searches = i != NONE && args.lists[i] == NONE && args.labels[i] != *args.skipped &&
                            args.least_keys[i] <= args.bounds[args.labels[i]] &&
                            args.least_keys[i] != ~0ull;
            is_listed[step] = args.points_of ? __any_sync(EVERY_LANE, searches) : searches;
            items[step] = searches ? i : NONE;
        }
        append(is_listed, items, args.queries, &args.counters[QUERIES]);
    }
}

// Each component's pair: the first in the order among those of the least distance. The component
// `skipped` has none.
KERNEL __launch_bounds__(THREADS) choose(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u32 found = args.lists[i], own = args.labels[i];
        if (found == NONE || own == *args.skipped || args.keys[i] != args.bounds[own]) continue;
        u32 a = args.order[i], b = args.order[found];
        lower(&args.pairs[own], (u64)min(a, b) << 32 | max(a, b));
    }
}

// Hooks each component to the one at the other end of its pair, or to itself if it has none.
KERNEL __launch_bounds__(THREADS) hook(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u32 component = args.components[i];
        u64 pair = args.pairs[component];
        if (pair == ~0ull) {
            args.hooks[component] = component;
            continue;
        }
        u32 a = args.labels[args.inverse[(u32)(pair >> 32)]],
            b = args.labels[args.inverse[(u32)pair]];
        args.hooks[component] = a == component ? b : a;
    }
}

// Of two components that hook to each other, the lower one becomes a root. So does a component that
// hooks to itself. Every other component adds its pair to the tree.
KERNEL __launch_bounds__(THREADS) add_edges(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u32 component = args.components[i], other = args.hooks[component];
        bool is_root = args.hooks[other] == component && component <= other;
        args.parents[component] = is_root ? component : other;
        if (is_root) continue;
        u32 place = atomicAdd(&args.counters[EDGES], 1);
        args.edge_keys[place] = args.bounds[component];
        args.edge_pairs[place] = args.pairs[component];
    }
}

// Makes each component point to its root, and lists the roots with new bounds. Threads shorten each
// other's paths: what they write is always further up.
KERNEL __launch_bounds__(THREADS) shortcut(const Arguments args) {
    u64 rounded = (args.count + THREADS - 1) / THREADS * (u64)THREADS;
    for (u64 i = first_index(); i < rounded; i += index_stride()) {
        u32 component = args.components[i < args.count ? i : 0];
        if (i < args.count) {
            u32 parent = load(&args.parents[component]);
            for (u32 above = load(&args.parents[parent]); above != parent;) {
                *(volatile u32*)&args.parents[component] = above;
                parent = above;
                above = load(&args.parents[parent]);
            }
            if (parent == component) args.bounds[component] = args.pairs[component] = ~0ull;
        }
        append<1>({i < args.count && load(&args.parents[component]) == component}, {component},
                  args.roots, &args.counters[COMPONENTS]);
    }
}

// Labels each point by its root, and each leaf by the component of all its points, if it is one.
KERNEL __launch_bounds__(THREADS) label_leaves(const Arguments args) {
    u64 leaves = (args.count + LEAF - 1) / LEAF;
    u32 lane = threadIdx.x % LEAF;
    for (u64 leaf = first_index() / LEAF; leaf < leaves; leaf += index_stride() / LEAF) {
        u64 point = leaf * LEAF + lane;
        u32 label = point < args.count ? args.parents[args.labels[point]] : NONE;
        if (point < args.count) args.labels[point] = label;
        u32 first = __shfl_sync(EVERY_LANE, label, 0);
        bool same = __all_sync(EVERY_LANE, point >= args.count || label == first);
        if (lane == 0) args.node_labels[leaf] = same ? first : NONE;
    }
}

// The same for the nodes of the level that begins at `begin`.
KERNEL __launch_bounds__(THREADS) label_nodes(const Arguments args) {
    u32 lane = threadIdx.x % LEAF;
    for (u64 node = first_index() / LEAF; node < args.nodes; node += index_stride() / LEAF) {
        u64 child = node * LEAF + lane;
        u32 label = child < args.children ? args.node_labels[args.below + child] : NONE;
        u32 first = __shfl_sync(EVERY_LANE, label, 0);
        bool same = __all_sync(EVERY_LANE, child >= args.children || label == first);
        if (lane == 0) args.node_labels[args.begin + node] = same ? first : NONE;
    }
}
