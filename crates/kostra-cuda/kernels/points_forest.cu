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
#define EXTENT(TYPE, T, LARGEST)                                                                   \
    KERNEL extent_##TYPE(const T* points, u32 dimensions, u64 stride, u32 count, u64* extent,      \
                         u64* fault) {                                                             \
        u64 k = blockIdx.y, low = ~0ull, high = ~0ull, wrong = ~0ull;                              \
        for (u64 i = first_index(); i < count; i += index_stride()) {                              \
            T value = points[i * stride + k];                                                      \
            if (!(value >= -LARGEST && value <= LARGEST)) wrong = min(wrong, i * dimensions + k);  \
            u64 key = to_extent((double)value);                                                    \
            low = min(low, key);                                                                   \
            high = min(high, ~key);                                                                \
        }                                                                                          \
        for (u32 step = 16; step > 0; step /= 2) {                                                 \
            low = min(low, __shfl_xor_sync(EVERY_LANE, low, step));                                \
            high = min(high, __shfl_xor_sync(EVERY_LANE, high, step));                             \
        }                                                                                          \
        if (wrong != ~0ull) atomicMin(fault, wrong);                                               \
        if (threadIdx.x % 32 == 0) {                                                               \
            lower(&extent[k], low);                                                                \
            lower(&extent[dimensions + k], high);                                                  \
        }                                                                                          \
    }

EXTENT(f32, float, 3.402823466e38f)
EXTENT(f64, double, 1.7976931348623157e308)

// Numbers points or edges.
KERNEL __launch_bounds__(THREADS) number(u32 count, u32* places) {
    for (u64 i = first_index(); i < count; i += index_stride()) places[i] = (u32)i;
}

// ---- Components
// A component is named by one of its points.

KERNEL __launch_bounds__(THREADS) begin(u32 count, u32* labels, u32* parents, u32* components,
                                        u64* bounds, u64* pairs) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        labels[i] = parents[i] = components[i] = (u32)i;
        bounds[i] = pairs[i] = ~0ull;
    }
}

// With core distances, there are no lists, and no pair of a point is nearer than its core distance.
// `order` has the given index of each point.
KERNEL __launch_bounds__(THREADS) begin_with_cores(u32 count, const u32* order, const double* given,
                                                   u64* cores, u32* lists, u64* least_keys) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        double core = given[order[i]];
        cores[i] = least_keys[i] = (u64)__double_as_longlong(core == 0 ? 0 : core);
        for (u32 k = 0; k < LIST; k++) Lists{lists, count}.at(i, k) = NONE;
    }
}

// Finds a component that has an eighth of the sampled points or more, or NONE. It takes no pair in
// the round, because the pairs of all others are enough. One block.
KERNEL __launch_bounds__(SAMPLES) find_large(u32 count, const u32* labels, u32* large) {
    __shared__ u32 sampled[SAMPLES];
    __shared__ u64 most; // votes, and a label
    u32 label = sampled[threadIdx.x] = labels[(u64)threadIdx.x * count / SAMPLES];
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    u32 votes = 0;
    for (u32 i = 0; i < SAMPLES; i++) votes += sampled[i] == label;
    if (votes >= SAMPLES / 8) atomicMax(&most, (u64)votes << 32 | label);
    __syncthreads();
    if (threadIdx.x == 0) *large = most > 0 ? (u32)most : NONE;
}

// Lists the points that have to search: nothing is known of other components below the bound. The
// points of the component `skipped` do not search. `points_of` has the point of each of `slots`
// slots, or NONE. If it is null, slots are points. Otherwise the 32 slots of a tile are listed
// together, if one of them searches, with NONE for those that do not.
KERNEL __launch_bounds__(THREADS) list_searches(u32 slots, const u32* points_of,
                                                const u32* skipped, const u32* labels,
                                                const u32* lists, const u64* least_keys,
                                                const u64* bounds, u32* queries, u32* counters) {
    constexpr u32 STEPS = 8; // so that fewer atomics queue up for the counter
    u64 part = (u64)STEPS * THREADS;
    for (u64 first = blockIdx.x * part; first < slots; first += gridDim.x * part) {
        bool is_listed[STEPS];
        u32 items[STEPS];
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            u64 slot = first + step * THREADS + threadIdx.x;
            u32 i = slot >= slots ? NONE : points_of ? points_of[slot] : (u32)slot;
            bool searches = i != NONE && lists[i] == NONE && labels[i] != *skipped &&
                least_keys[i] <= bounds[labels[i]] && least_keys[i] != ~0ull;
            is_listed[step] = points_of ? __any_sync(EVERY_LANE, searches) : searches;
            items[step] = searches ? i : NONE;
        }
        append(is_listed, items, queries, &counters[QUERIES]);
    }
}

// Each component's pair: the first in the order among those of the least distance. The component
// `skipped` has none.
KERNEL __launch_bounds__(THREADS) choose(u32 count, const u32* skipped, const u32* labels,
                                         const u32* lists, const u64* keys, const u64* bounds,
                                         const u32* order, u64* pairs) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u32 found = lists[i], own = labels[i];
        if (found == NONE || own == *skipped || keys[i] != bounds[own]) continue;
        u32 a = order[i], b = order[found];
        lower(&pairs[own], (u64)min(a, b) << 32 | max(a, b));
    }
}

// Hooks each component to the one at the other end of its pair, or to itself if it has none.
KERNEL __launch_bounds__(THREADS) hook(const u32* components, u32 count, const u64* pairs,
                                       const u32* inverse, const u32* labels, u32* hooks) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u32 component = components[i];
        u64 pair = pairs[component];
        if (pair == ~0ull) {
            hooks[component] = component;
            continue;
        }
        u32 a = labels[inverse[(u32)(pair >> 32)]], b = labels[inverse[(u32)pair]];
        hooks[component] = a == component ? b : a;
    }
}

// Of two components that hook to each other, the lower one becomes a root. So does a component that
// hooks to itself. Every other component adds its pair to the tree.
KERNEL __launch_bounds__(THREADS) add_edges(const u32* components, u32 count, const u64* pairs,
                                            const u64* bounds, const u32* hooks, u32* parents,
                                            u64* edge_keys, u64* edge_pairs, u32* counters) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u32 component = components[i], other = hooks[component];
        bool is_root = hooks[other] == component && component <= other;
        parents[component] = is_root ? component : other;
        if (is_root) continue;
        u32 place = atomicAdd(&counters[EDGES], 1);
        edge_keys[place] = bounds[component];
        edge_pairs[place] = pairs[component];
    }
}

// Makes each component point to its root, and lists the roots with new bounds. Threads shorten each
// other's paths: what they write is always further up.
KERNEL __launch_bounds__(THREADS) shortcut(const u32* components, u32 count, u32* parents,
                                           u64* bounds, u64* pairs, u32* roots, u32* counters) {
    u64 rounded = (count + THREADS - 1) / THREADS * (u64)THREADS;
    for (u64 i = first_index(); i < rounded; i += index_stride()) {
        u32 component = components[i < count ? i : 0];
        if (i < count) {
            u32 parent = load(&parents[component]);
            for (u32 above = load(&parents[parent]); above != parent;) {
                *(volatile u32*)&parents[component] = above;
                parent = above;
                above = load(&parents[parent]);
            }
            if (parent == component) bounds[component] = pairs[component] = ~0ull;
        }
        append<1>({i < count && load(&parents[component]) == component}, {component}, roots,
                  &counters[COMPONENTS]);
    }
}

// Labels each point by its root, and each leaf by the component of all its points, if it is one.
KERNEL __launch_bounds__(THREADS) label_leaves(u32 count, const u32* parents, u32* labels,
                                               u32* node_labels) {
    u64 leaves = (count + LEAF - 1) / LEAF;
    u32 lane = threadIdx.x % LEAF;
    for (u64 leaf = first_index() / LEAF; leaf < leaves; leaf += index_stride() / LEAF) {
        u64 point = leaf * LEAF + lane;
        u32 label = point < count ? parents[labels[point]] : NONE;
        if (point < count) labels[point] = label;
        u32 first = __shfl_sync(EVERY_LANE, label, 0);
        bool same = __all_sync(EVERY_LANE, point >= count || label == first);
        if (lane == 0) node_labels[leaf] = same ? first : NONE;
    }
}

// The same for the nodes of the level that begins at `begin`.
KERNEL __launch_bounds__(THREADS) label_nodes(u32 below, u32 children, u32 begin, u32 nodes,
                                              u32* node_labels) {
    u32 lane = threadIdx.x % LEAF;
    for (u64 node = first_index() / LEAF; node < nodes; node += index_stride() / LEAF) {
        u64 child = node * LEAF + lane;
        u32 label = child < children ? node_labels[below + child] : NONE;
        u32 first = __shfl_sync(EVERY_LANE, label, 0);
        bool same = __all_sync(EVERY_LANE, child >= children || label == first);
        if (lane == 0) node_labels[begin + node] = same ? first : NONE;
    }
}
