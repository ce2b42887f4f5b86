// A round's nearest outgoing pairs: taken from the lists where these suffice, searched for in the
// tree elsewhere.
//
// The nearest point in another component never comes nearer, since components only grow. So what a
// point has found stays valid until the found point joins its component, and a point that has
// found nothing up to a distance need not search up to that distance again.

#pragma once

#include "points/counters.cuh"
#include "points/neighbors.cuh"

// The most lanes that want a leaf for which the points of the leaf are compared with one lane's
// point at a time.
constexpr u32 FEW_LANES = 12;

// The canonical distance of two points; with core distances, of mutual reachability.
template <bool reaches, typename T>
__device__ __forceinline__ u64 distance_of(const T* exact, const u64* cores, u32 a, u32 b) {
    u64 key = canonical(exact, a, b);
    return reaches ? max(key, max(cores[a], cores[b])) : key;
}

// Lowers the bound of a component.
__device__ __forceinline__ void lower_bound(u64* bounds, u32 component, u64 key) {
    if (key < load(&bounds[component])) atomicMin(&bounds[component], key);
}

// What a round needs of each point.
struct Found {
    u32* lists;      // of struct Lists
    u64* keys;       // the distance of the first of them
    u64* least_keys; // no point outside the list and the own component is nearer
};

template <bool reaches, typename T>
__device__ __forceinline__ void take_from_list(const T* exact, const u64* cores, u32 count,
                                               const u32* labels, Found found, u64* bounds) {
    Lists lists = {found.lists, count};
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u32 own = labels[i];
        u32 dropped = lists.drop(i, labels, own), nearest = lists.at(i, 0);
        if (nearest != NONE) {
            if (dropped > 0) found.keys[i] = distance_of<reaches>(exact, cores, i, nearest);
            lower_bound(bounds, own, found.keys[i]);
        } else if (i + 1 < count && labels[i + 1] != own) {
            // Any pair between the components is a bound for both.
            u64 key = distance_of<reaches>(exact, cores, i, i + 1);
            lower_bound(bounds, own, key);
            lower_bound(bounds, labels[i + 1], key);
        }
    }
}

// The points that search, of a warp: one for each lane.
template <bool reaches, typename T>
struct Search {
    const Row* rows;
    const T* exact;
    const u64* cores;
    const u32* order;
    const Box* boxes;
    const u32* lowest;
    const u32* labels;
    const u32* node_labels;
    u64* bounds;
    const Frame& frame;
    Row* tile;
    u32* tile_labels;
    u32 count;

    bool active;
    u32 point, index, component;
    u32 common; // the component of all lanes, or NONE
    Row own;
    Box packet;
    u64 floor;            // no pair of the point has a lower distance
    u64 best_key, best_pair;
    u32 best;
    u64 bound;            // of the component, as last read
    float limit;          // approximate distances above it are of no interest
    float widest;

    __device__ __forceinline__ void set_limit() {
        limit = active ? most<T>(frame, min(best_key, bound)) : -1;
    }

    __device__ __forceinline__ void read_bound() {
        u64 now = load(&bounds[component]);
        if (now < bound) {
            bound = now;
            set_limit();
        }
        widest = largest(fmaxf(limit, 0));
    }

    __device__ __forceinline__ float gap(u32 node) {
        read_bound();
        Box box = boxes[node];
        bool exists = box.low.at[0] <= box.high.at[0];
        if (exists && common != NONE && node_labels[node] == common) exists = false;
        return exists ? apart(packet, box) : __int_as_float(0x7FFFFFFF);
    }

    __device__ __forceinline__ float reach() { return widest; }

    __device__ __forceinline__ bool needs(u32 node) {
        bool needed = apart(own, boxes[node]) <= limit && node_labels[node] != component;
        // At the lowest possible distance, only a pair of lower indices is better.
        if (best_key <= floor) needed = needed && pair_of(index, lowest[node]) < best_pair;
        return needed;
    }

    __device__ __forceinline__ bool wants(u32 node) { return __any_sync(ALL, needs(node)); }

    // Compares a point of another component canonically.
    __device__ __forceinline__ bool consider(u32 other) {
        if (other >= count) return false;
        u64 key = distance_of<reaches>(exact, cores, point, other);
        if (key > best_key) return false;
        u64 pair = pair_of(index, order[other]);
        if (!is_before(key, pair, best_key, best_pair)) return false;
        best_key = key;
        best_pair = pair;
        best = other;
        limit = fminf(limit, most<T>(frame, key));
        return true;
    }

    __device__ __forceinline__ void leaf(u32 leaf) {
        u32 lane = threadIdx.x % WIDTH;
        u32 needing = __ballot_sync(ALL, needs(leaf));
        Row theirs = rows[(u64)leaf * WIDTH + lane];
        u32 label = leaf * WIDTH + lane < count ? labels[(u64)leaf * WIDTH + lane] : NONE;
        bool changed = false;
        // With few lanes, each of them is compared with all points at once.
        if (__popc(needing) <= FEW_LANES) {
            for (; needing != 0; needing &= needing - 1) {
                u32 lane_of = __ffs(needing) - 1;
                Row row;
#pragma unroll
                for (u32 k = 0; k < PADDED; k++) row.at[k] = __shfl_sync(ALL, own.at[k], lane_of);
                float their_limit = __shfl_sync(ALL, limit, lane_of);
                u32 their_label = __shfl_sync(ALL, component, lane_of);
                bool passes = apart(row, theirs) <= their_limit && label != their_label;
                u32 passing = __ballot_sync(ALL, passes);
                if (lane != lane_of) continue;
                for (; passing != 0; passing &= passing - 1) {
                    changed |= consider(leaf * WIDTH + __ffs(passing) - 1);
                }
            }
        } else {
            __syncwarp();
            tile[lane] = theirs;
            tile_labels[lane] = label;
            __syncwarp();
#pragma unroll 4
            for (u32 j = 0; j < WIDTH; j++) {
                bool passes = apart(own, tile[j]) <= limit && tile_labels[j] != component;
                if (passes) changed |= consider(leaf * WIDTH + j);
            }
        }
        if (changed && best_key < bound) {
            bound = min(best_key, atomicMin(&bounds[component], best_key));
            set_limit();
        }
        widest = largest(fmaxf(limit, 0));
    }
};

template <bool reaches, typename T>
__device__ __forceinline__ void search_some(Search<reaches, T>& search, const u32* queries,
                                            u32 first, u32 end, Found found,
                                            const Levels& levels) {
    u32 lane = threadIdx.x % WIDTH;
    search.active = first + lane < end;
    search.point = queries[search.active ? first + lane : first];
    search.index = search.order[search.point];
    search.component = search.labels[search.point];
    u32 of_first = __shfl_sync(ALL, search.component, 0);
    search.common = __all_sync(ALL, search.component == of_first) ? of_first : NONE;
    search.own = search.rows[search.point];
    search.packet = around(Box{search.own, search.own});
    search.floor = reaches ? search.cores[search.point] : 0;
    search.best_key = search.best_pair = search.bound = FAR;
    search.best = NONE;
    search.set_limit();
    search.read_bound();
    walk(search, levels);
    if (!search.active) return;
    // A component's bound may have cut off what is nearer than the best point found above it.
    if (search.best != NONE && search.best_key <= search.bound) {
        found.lists[search.point] = search.best;
        found.keys[search.point] = search.best_key;
        search.bound = search.best_key;
    }
    // After the best point, another one may have the same distance.
    u64 after = search.best != NONE && search.best_key <= search.bound ? 0 : 1;
    found.least_keys[search.point] = search.bound == FAR ? FAR : search.bound + after;
}

// The queries that a warp takes at a time. Few queries are shared out among all warps: the slowest
// one decides, and points far from each other make it slow.
__device__ __forceinline__ u32 share_of(u32 queries) {
    u32 warps = gridDim.x * (WARPS_BLOCK / WIDTH), share = WIDTH;
    while (share > 4 && queries < warps * (share / 2)) share /= 2;
    return share;
}

#define SEARCH(NAME, reaches, TYPE, T)                                                             \
    KERNEL take_##NAME##_##TYPE(const T* exact, const u64* cores, u32 count, const u32* labels,    \
                                u32* lists, u64* keys, u64* least_keys, u64* bounds) {             \
        take_from_list<reaches>(exact, cores, count, labels, Found{lists, keys, least_keys},       \
                                bounds);                                                           \
    }                                                                                              \
                                                                                                   \
    KERNEL __launch_bounds__(WARPS_BLOCK, RESIDENT)                                                \
        search_##NAME##_##TYPE(const Row* rows, const T* exact, const u64* cores,                  \
                               const u32* order, const Box* boxes, const u32* lowest, u32 count,   \
                               const Frame* frame, const u32* labels, const u32* node_labels,      \
                               const u32* queries, u32* counters, u32* lists, u64* keys,           \
                               u64* least_keys, u64* bounds) {                                     \
        __shared__ Row tiles[WARPS_BLOCK];                                                         \
        __shared__ u32 tile_labels[WARPS_BLOCK];                                                   \
        u32 begin = threadIdx.x / WIDTH * WIDTH, end = counters[QUERIES], share = share_of(end);   \
        Search<reaches, T> search = {rows, exact, cores, order, boxes, lowest, labels,             \
                                     node_labels, bounds, *frame, tiles + begin,                   \
                                     tile_labels + begin, count};                                  \
        Levels levels(count);                                                                      \
        for (;;) {                                                                                 \
            u32 first = 0;                                                                         \
            if (threadIdx.x % WIDTH == 0) first = atomicAdd(&counters[TAKEN], share);              \
            first = __shfl_sync(ALL, first, 0);                                                    \
            if (first >= end) return;                                                              \
            search_some(search, queries, first, min(end, first + share),                           \
                        Found{lists, keys, least_keys}, levels);                                   \
        }                                                                                          \
    }

SEARCH(plain, false, f32, float)
SEARCH(plain, false, f64, double)
SEARCH(reach, true, f32, float)
SEARCH(reach, true, f64, double)
