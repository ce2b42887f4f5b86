// A round's nearest outgoing pairs: taken from the lists where these suffice, searched for in the
// tree elsewhere.
//
// The nearest point in another component never comes nearer, since components only grow. So what a
// point has found stays valid until the found point joins its component, and a point that has
// found nothing up to a distance need not search up to that distance again.

#pragma once

#include "points/counters.cuh"
#include "points/neighbors.cuh"

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

// The two least approximate distances to the points of a leaf. The lowest bits of a distance are
// replaced by the point's place in the leaf, so it is not above the distance.
struct LeastTwo {
    u32 first = ALL, second = ALL;

    __device__ __forceinline__ void add(u32 key) {
        second = min(second, max(first, key));
        first = min(first, key);
    }

    __device__ static __forceinline__ float distance(u32 key) {
        return __uint_as_float(key & ~(WIDTH - 1));
    }
};

__device__ __forceinline__ u32 placed(float apart, u32 place) {
    return __float_as_uint(apart) & ~(WIDTH - 1) | place;
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
    u64 floor; // no pair of the point has a lower distance
    u64 best_key, best_pair;
    u32 best;
    u64 bound;   // of the component, as last read
    float limit; // approximate distances above it are of no interest
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

    // If many boxes are near the box around the points, they are compared with the points, because
    // the points of one warp may be far from each other.
    __device__ __forceinline__ float gap(u32 node) {
        read_bound();
        Box box = boxes[node];
        u32 label = node_labels[node];
        bool exists = box.low.at[0] <= box.high.at[0] && (common == NONE || label != common);
        float gap = exists ? apart(packet, box) : __int_as_float(0x7FFFFFFF);
        u32 lanes = __ballot_sync(ALL, active), near = __ballot_sync(ALL, gap <= widest);
        bool are_many = 4 * __popc(near) > __popc(lanes);
        return are_many ? least_gap(lanes, box, exists, label) : gap;
    }

    // The least gap between a box and the points of the given lanes that need it.
    __device__ __forceinline__ float least_gap(u32 lanes, const Box& box, bool exists, u32 label) {
        float least = __int_as_float(0x7FFFFFFF);
        for (; lanes != 0; lanes &= lanes - 1) {
            u32 from = __ffs(lanes) - 1;
            Row row = row_of(own, from);
            float their_limit = __shfl_sync(ALL, limit, from);
            u32 inside = __shfl_sync(ALL, component, from);
            float gap = apart(row, box);
            if (exists && label != inside && gap <= their_limit) least = fminf(least, gap);
        }
        return least;
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
        if (best_key <= floor && pair_of(index, order[other]) >= best_pair) return false;
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

    // The points of a leaf compared with each lane's point.
    __device__ __forceinline__ LeastTwo least_of_all(const Row& theirs, u32 label) {
        u32 lane = threadIdx.x % WIDTH;
        __syncwarp();
        tile[lane] = theirs;
        tile_labels[lane] = label;
        __syncwarp();
        LeastTwo least;
#pragma unroll 8
        for (u32 j = 0; j < WIDTH; j++) {
            u32 key = placed(apart(own, tile[j]), j);
            least.add(tile_labels[j] != component ? key : ALL);
        }
        return least;
    }

    // The points of a leaf compared with the points of the given lanes, one lane at a time.
    __device__ __forceinline__ LeastTwo least_of(u32 lanes, const Row& theirs, u32 label) {
        u32 lane = threadIdx.x % WIDTH;
        LeastTwo least;
        for (; lanes != 0; lanes &= lanes - 1) {
            u32 from = __ffs(lanes) - 1;
            Row row = row_of(own, from);
            u32 inside = __shfl_sync(ALL, component, from);
            u32 key = label != inside ? placed(apart(row, theirs), lane) : ALL;
            u32 first = __reduce_min_sync(ALL, key);
            u32 second = __reduce_min_sync(ALL, key == first ? ALL : key);
            if (lane == from) least = {first, second};
        }
        return least;
    }

    // The points of a leaf within the limits of the given lanes: for each of these, a bit for each
    // point, and no bit for other lanes.
    __device__ __forceinline__ u32 near_points(u32 lanes, const Row& theirs, u32 label) {
        u32 lane = threadIdx.x % WIDTH, near = 0;
        for (; lanes != 0; lanes &= lanes - 1) {
            u32 from = __ffs(lanes) - 1;
            Row row = row_of(own, from);
            float their_limit = __shfl_sync(ALL, limit, from);
            u32 inside = __shfl_sync(ALL, component, from);
            bool is_near = label != inside && apart(row, theirs) <= their_limit;
            u32 passing = __ballot_sync(ALL, is_near);
            if (lane == from) near = passing;
        }
        return near;
    }

    // The nearest point is compared canonically first. Usually no other one is as near.
    __device__ __forceinline__ void leaf(u32 leaf) {
        u32 first = leaf * WIDTH, lane = threadIdx.x % WIDTH;
        u32 needing = __ballot_sync(ALL, needs(leaf));
        Row theirs = rows[first + lane];
        u32 label = first + lane < count ? labels[first + lane] : NONE;
        LeastTwo least = __popc(needing) <= FEW_LANES ? least_of(needing, theirs, label)
                                                      : least_of_all(theirs, label);
        bool changed = false;
        if (LeastTwo::distance(least.first) <= limit) {
            changed = consider(first + least.first % WIDTH);
        }
        u32 lanes = __ballot_sync(ALL, LeastTwo::distance(least.second) <= limit);
        u32 near = near_points(lanes, theirs, label);
        for (; near != 0; near &= near - 1) changed |= consider(first + __ffs(near) - 1);
        if (changed && best_key < bound) {
            bound = min(best_key, atomicMin(&bounds[component], best_key));
            set_limit();
        }
        widest = largest(fmaxf(limit, 0));
    }
};

template <bool reaches, typename T>
__device__ __forceinline__ void search_some(Search<reaches, T>& search, const u32* queries,
                                            u32 first, u32 end, Found found, const Levels& levels) {
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
    KERNEL take_##NAME##_##TYPE(const TreeArguments<T> args) {                                     \
        take_from_list<reaches>(args.exact, args.cores, args.count, args.labels,                   \
                                Found{args.lists, args.keys, args.least_keys}, args.bounds);       \
    }                                                                                              \
                                                                                                   \
    KERNEL __launch_bounds__(WARPS_BLOCK, RESIDENT)                                                \
        search_##NAME##_##TYPE(const TreeArguments<T> args) {                                      \
        __shared__ Row tiles[WARPS_BLOCK];                                                         \
        __shared__ u32 tile_labels[WARPS_BLOCK];                                                   \
        u32 begin = threadIdx.x / WIDTH * WIDTH, end = args.counters[QUERIES],                     \
            share = share_of(end);                                                                 \
        Search<reaches, T> search = {args.rows,   args.exact,  args.cores,    args.order,          \
                                     args.boxes,  args.lowest, args.labels,   args.node_labels,    \
                                     args.bounds, *args.frame, tiles + begin, tile_labels + begin, \
                                     args.count};                                                  \
        Levels levels(args.count);                                                                 \
        for (;;) {                                                                                 \
            u32 first = 0;                                                                         \
            if (threadIdx.x % WIDTH == 0) first = atomicAdd(&args.counters[TAKEN], share);         \
            first = __shfl_sync(ALL, first, 0);                                                    \
            if (first >= end) return;                                                              \
            search_some(search, args.queries, first, min(end, first + share),                      \
                        Found{args.lists, args.keys, args.least_keys}, levels);                    \
        }                                                                                          \
    }

SEARCH(plain, false, f32, float)
SEARCH(plain, false, f64, double)
SEARCH(reach, true, f32, float)
SEARCH(reach, true, f64, double)
