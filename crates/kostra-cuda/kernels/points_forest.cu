// The components of the rounds and the edges of the tree. Nothing here depends on the number of
// dimensions or the type of coordinates.

#include "points/counters.cuh"
#include "points/extent.cuh"
#include "points/lists.cuh"

constexpr u32 THREADS = 256;
constexpr u32 LEAF = 32;
// The points whose labels are looked at to find a large component.
constexpr u32 SAMPLES = 256;
// The lower bits of a distance, which the first sort does not compare.
constexpr u32 UNSORTED_BITS = 24;
// The longest runs that one thread and one block put in order.
constexpr u32 LONGEST_RUN = 32;
constexpr u32 LONGEST_RUN_OF_BLOCK = 2048;

enum : u32 { EVERY_LANE = 0xFFFFFFFFu };

// Appends the items that the threads have to `list`: up to `STEPS` of each thread, and of all
// threads the first ones first. Every thread of the block calls it.
template <u32 STEPS>
__device__ __forceinline__ void append(const bool (&has)[STEPS], const u32 (&items)[STEPS],
                                       u32* list, u32* length) {
    constexpr u32 WARPS = THREADS / 32;
    __shared__ u32 before[STEPS * WARPS + 1];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, having[STEPS];
#pragma unroll
    for (u32 step = 0; step < STEPS; step++) {
        having[step] = __ballot_sync(EVERY_LANE, has[step]);
        if (lane == 0) before[step * WARPS + warp] = __popc(having[step]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 sum = 0;
        for (u32 i = 0; i < STEPS * WARPS; i++) {
            u32 own = before[i];
            before[i] = sum;
            sum += own;
        }
        before[STEPS * WARPS] = sum > 0 ? atomicAdd(length, sum) : 0;
    }
    __syncthreads();
#pragma unroll
    for (u32 step = 0; step < STEPS; step++) {
        u32 place = before[STEPS * WARPS] + before[step * WARPS + warp] +
            __popc(having[step] & ((1u << lane) - 1));
        if (has[step]) list[place] = items[step];
    }
    __syncthreads();
}

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

// ---- Edges in order

KERNEL __launch_bounds__(THREADS) number(u32 count, u32* places) {
    for (u64 i = first_index(); i < count; i += index_stride()) places[i] = (u32)i;
}

// The part of a distance by which edges are sorted first. Equal parts are rare among different
// distances: of 100 million edges, a tenth has one.
__device__ __forceinline__ u64 sorted_part(u64 key) { return key >> UNSORTED_BITS; }

// The edges are sorted by the upper parts of their distances, and `places` has the place of each.
// Puts runs of equal parts in the order of distances and pairs, and lists the first edges of runs
// that are too long for one thread.
KERNEL __launch_bounds__(THREADS) order_runs(u32 count, u64* keys, u32* places,
                                             const u64* edge_pairs, u32* counters, u32* long_runs) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 part = sorted_part(keys[i]);
        if ((i > 0 && sorted_part(keys[i - 1]) == part) || i + 1 == count ||
            sorted_part(keys[i + 1]) != part) {
            continue;
        }
        u64 end = i + 1;
        while (end < count && end - i <= LONGEST_RUN && sorted_part(keys[end]) == part) end++;
        if (end - i > LONGEST_RUN) {
            long_runs[atomicAdd(&counters[LONG_RUNS], 1)] = (u32)i;
            continue;
        }
        for (u64 next = i + 1; next < end; next++) {
            u64 key = keys[next], at = next;
            u32 place = places[next];
            for (; at > i; at--) {
                u64 before = keys[at - 1];
                u32 place_before = places[at - 1];
                if (before < key ||
                    (before == key && edge_pairs[place_before] < edge_pairs[place])) {
                    break;
                }
                keys[at] = before;
                places[at] = place_before;
            }
            keys[at] = key;
            places[at] = place;
        }
    }
}

// A run in shared memory.
struct Run {
    u64 *keys, *pairs;
    u32* places;

    __device__ __forceinline__ bool is_after(u32 a, u32 b) const {
        return keys[a] > keys[b] || (keys[a] == keys[b] && pairs[a] > pairs[b]);
    }
    __device__ __forceinline__ void swap(u32 a, u32 b) const {
        u64 key = keys[a], pair = pairs[a];
        u32 place = places[a];
        keys[a] = keys[b];
        pairs[a] = pairs[b];
        places[a] = places[b];
        keys[b] = key;
        pairs[b] = pair;
        places[b] = place;
    }
};

// Sorts a run by Batcher's bitonic network (1968). Its length is a power of two. Every thread of
// the block calls it.
__device__ void sort_in_block(const Run& run, u32 length) {
    for (u32 sorted = 2; sorted <= length; sorted *= 2) {
        for (u32 distance = sorted / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (u32 i = threadIdx.x; i < length / 2; i += THREADS) {
                u32 low = i / distance * 2 * distance + i % distance, high = low + distance;
                bool ascends = (low & sorted) == 0;
                if (run.is_after(low, high) == ascends) run.swap(low, high);
            }
        }
    }
    __syncthreads();
}

// Puts long runs in order, a block at a time. Longer runs stay as they are.
KERNEL __launch_bounds__(THREADS) order_long_runs(u32 count, u64* keys, u32* places,
                                                  const u64* edge_pairs, const u32* counters,
                                                  const u32* long_runs) {
    __shared__ u64 of_keys[LONGEST_RUN_OF_BLOCK], of_pairs[LONGEST_RUN_OF_BLOCK];
    __shared__ u32 of_places[LONGEST_RUN_OF_BLOCK];
    Run own = {of_keys, of_pairs, of_places};
    for (u32 run = blockIdx.x; run < counters[LONG_RUNS]; run += gridDim.x) {
        u64 first = long_runs[run], part = sorted_part(keys[first]);
        u32 length = 0, more = THREADS;
        while (more == THREADS && length <= LONGEST_RUN_OF_BLOCK) {
            u64 at = first + length + threadIdx.x;
            more = (u32)__syncthreads_count(at < count && sorted_part(keys[at]) == part);
            length += more;
        }
        if (length > LONGEST_RUN_OF_BLOCK) continue;
        u32 padded = LONGEST_RUN;
        while (padded < length) padded *= 2;
        for (u32 i = threadIdx.x; i < padded; i += THREADS) {
            own.places[i] = i < length ? places[first + i] : 0;
            own.keys[i] = i < length ? keys[first + i] : ~0ull;
            own.pairs[i] = i < length ? edge_pairs[own.places[i]] : ~0ull;
        }
        sort_in_block(own, padded);
        for (u32 i = threadIdx.x; i < length; i += THREADS) {
            keys[first + i] = own.keys[i];
            places[first + i] = own.places[i];
        }
        __syncthreads();
    }
}

// Lists the edges of runs that are longer still. An edge of such a run has one of the same run at
// half of the length before or behind it. Shorter runs have some such edges, too, which are in
// order.
KERNEL __launch_bounds__(THREADS) list_unordered(u32 count, const u64* keys, u32* unordered,
                                                 u32* counters) {
    constexpr u64 HALF = LONGEST_RUN_OF_BLOCK / 2;
    u64 rounded = (count + THREADS - 1) / THREADS * (u64)THREADS;
    for (u64 i = first_index(); i < rounded; i += index_stride()) {
        u64 part = sorted_part(keys[min(i, count - 1ull)]);
        bool is_listed = i < count &&
            ((i >= HALF && sorted_part(keys[i - HALF]) == part) ||
             (i + HALF < count && sorted_part(keys[i + HALF]) == part));
        append<1>({is_listed}, {(u32)i}, unordered, &counters[UNORDERED]);
    }
}

// The indices of listed edges, as keys, and their places.
KERNEL __launch_bounds__(THREADS) take_unordered(u32 count, const u32* unordered, const u32* places,
                                                 u64* keys, u32* values) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        keys[i] = unordered[i];
        values[i] = places[unordered[i]];
    }
}

// Writes distances and places to the given indices.
KERNEL __launch_bounds__(THREADS) put_ordered(u32 count, const u64* indices, const u64* ordered_keys,
                                              const u32* ordered_places, u64* keys, u32* places) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        keys[indices[i]] = ordered_keys[i];
        places[indices[i]] = ordered_places[i];
    }
}

// The keys or pairs at the given places.
KERNEL __launch_bounds__(THREADS) gather(u32 count, const u32* places, const u64* from, u64* to) {
    for (u64 i = first_index(); i < count; i += index_stride()) to[i] = from[places[i]];
}

// The lower and the higher end of each edge, and its distance: the root of what was compared, or
// with `is_half` one half of it.
KERNEL __launch_bounds__(THREADS) report(u32 count, u32 is_half, const u64* sorted_keys,
                                         const u32* places, const u64* edge_pairs, u32* lower_ends,
                                         u32* higher_ends, double* distances) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 pair = edge_pairs[places[i]];
        lower_ends[i] = (u32)(pair >> 32);
        higher_ends[i] = (u32)pair;
        double compared = __longlong_as_double((long long)sorted_keys[i]);
        distances[i] = is_half ? compared / 2 : __dsqrt_rn(compared);
    }
}
