// The nearest points of every point, found before the rounds.
//
// A warp serves the points of a leaf. It keeps the nearest ones by their approximate distances. In
// the end they are compared canonically. An entry is kept if its distance is below any distance
// that a point outside the list can have. So the list holds the nearest points without a gap.

#pragma once

#include "points/lists.cuh"
#include "points/walk.cuh"

// The approximate distances of the nearest points, ascending, and which points these are. The last
// distance is only a bound: no other point is nearer.
struct Nearest {
    float apart[LIST + 1];
    u32 point[LIST];

    __device__ __forceinline__ void insert(float distance, u32 index) {
#pragma unroll
        for (u32 k = LIST; k > 0; k--) {
            bool moves = distance < apart[k - 1];
            if (k < LIST) point[k] = moves ? point[k - 1] : distance < apart[k] ? index : point[k];
            apart[k] = moves ? apart[k - 1] : fminf(distance, apart[k]);
        }
        if (distance < apart[0]) point[0] = index;
        apart[0] = fminf(distance, apart[0]);
    }
};

struct NearestVisitor {
    const Row* rows;
    const Box* boxes;
    Row* tile;
    u32 own_leaf, leaves;
    Row own;
    Box packet;
    Nearest nearest;
    float widest;

    __device__ __forceinline__ float gap(u32 node) {
        Box box = boxes[node];
        bool exists = box.low.at[0] <= box.high.at[0];
        return exists ? apart(packet, box) : __int_as_float(0x7FFFFFFF);
    }

    __device__ __forceinline__ float reach() { return widest; }

    __device__ __forceinline__ bool wants(u32 node) {
        return __any_sync(ALL, apart(own, boxes[node]) < nearest.apart[LIST]);
    }

    // The leaves beside the own one have been looked at before the walk.
    __device__ __forceinline__ void leaf(u32 leaf) {
        if (leaf + 1 >= own_leaf && leaf <= own_leaf + 1) return;
        u32 wanting = __ballot_sync(ALL, apart(own, boxes[leaf]) < nearest.apart[LIST]);
        if (__popc(wanting) > FEW_LANES) {
            look(leaf);
        } else {
            look_for(wanting, leaf);
        }
    }

    // Compares the points of a leaf with the points of the given lanes, one lane at a time.
    __device__ __forceinline__ void look_for(u32 lanes, u32 leaf) {
        u32 lane = threadIdx.x % WIDTH, first = leaf * WIDTH, near = 0;
        Row theirs = rows[first + lane];
        for (; lanes != 0; lanes &= lanes - 1) {
            u32 from = __ffs(lanes) - 1;
            float reach = __shfl_sync(ALL, nearest.apart[LIST], from);
            u32 passing = __ballot_sync(ALL, apart(row_of(own, from), theirs) < reach);
            if (lane == from) near = passing;
        }
        for (; near != 0; near &= near - 1) {
            u32 other = first + __ffs(near) - 1;
            float distance = apart(own, rows[other]);
            if (distance < nearest.apart[LIST]) nearest.insert(distance, other);
        }
        widest = largest(nearest.apart[LIST]);
    }

    __device__ __forceinline__ void look(u32 leaf) {
        u32 lane = threadIdx.x % WIDTH;
        __syncwarp();
        tile[lane] = rows[(u64)leaf * WIDTH + lane];
        __syncwarp();
#pragma unroll 4
        for (u32 j = 0; j < WIDTH; j++) {
            float distance = apart(own, tile[j]);
            if (leaf == own_leaf && j == lane) continue;
            if (distance < nearest.apart[LIST]) nearest.insert(distance, leaf * WIDTH + j);
        }
        widest = largest(nearest.apart[LIST]);
    }
};

// An entry of a list, with its place in the canonical order.
struct Entry {
    u64 key, pair;
    u32 point;
};

__device__ __forceinline__ void put_in_order(Entry& a, Entry& b) {
    if (is_before(b.key, b.pair, a.key, a.pair)) {
        Entry swap = a;
        a = b;
        b = swap;
    }
}

template <typename T>
__device__ __forceinline__ void store_list(const Frame& frame, const T* exact, const u32* order,
                                           const Nearest& nearest, u32 own, Lists lists, u64* keys,
                                           u64* least_keys) {
    double least_outside = least<T>(frame, nearest.apart[LIST]);
    u64 outside = (u64)__double_as_longlong(least_outside);
    Entry entry[LIST];
#pragma unroll
    for (u32 k = 0; k < LIST; k++) {
        u32 point = nearest.point[k];
        entry[k] = {FAR, FAR, NONE};
        if (point != NONE) {
            entry[k] = {canonical(exact, own, point), pair_of(order[own], order[point]), point};
        }
    }
    put_in_order(entry[0], entry[1]);
    put_in_order(entry[2], entry[3]);
    put_in_order(entry[0], entry[2]);
    put_in_order(entry[1], entry[3]);
    put_in_order(entry[1], entry[2]);
#pragma unroll
    for (u32 k = 0; k < LIST; k++) {
        lists.at(own, k) = entry[k].key >= outside ? NONE : entry[k].point;
    }
    keys[own] = entry[0].key;
    least_keys[own] = outside;
}

template <typename T>
__device__ __forceinline__ void find_neighbors(const Row* rows, const T* exact, const u32* order,
                                               const Box* boxes, u32 count, const Frame* frame,
                                               Lists lists, u64* keys, u64* least_keys) {
    __shared__ Row tiles[WARPS_BLOCK];
    u32 leaf = (u32)(first_index() / WIDTH), lane = threadIdx.x % WIDTH;
    u32 leaves = (count + WIDTH - 1) / WIDTH, point = leaf * WIDTH + lane;
    if (leaf >= leaves) return;
    NearestVisitor visitor = {rows, boxes, tiles + threadIdx.x / WIDTH * WIDTH, leaf, leaves};
    bool exists = point < count;
    visitor.own = rows[exists ? point : leaf * WIDTH];
    visitor.packet = boxes[leaf];
#pragma unroll
    for (u32 k = 0; k <= LIST; k++) {
        visitor.nearest.apart[k] = exists ? __int_as_float(0x7F800000) : 0;
        if (k < LIST) visitor.nearest.point[k] = NONE;
    }
    visitor.look(leaf);
    if (leaf > 0) visitor.look(leaf - 1);
    if (leaf + 1 < leaves) visitor.look(leaf + 1);
    walk(visitor, Levels(count));
    if (exists) store_list(*frame, exact, order, visitor.nearest, point, lists, keys, least_keys);
}

#define NEIGHBORS(TYPE, T)                                                                    \
    KERNEL __launch_bounds__(WARPS_BLOCK, RESIDENT)                                           \
        neighbors_##TYPE(const TreeArguments<T> args) {                                       \
        find_neighbors(args.rows, args.exact, args.order, args.boxes, args.count, args.frame, \
                       Lists{args.lists, args.count}, args.keys, args.least_keys);            \
    }

NEIGHBORS(f32, float)
NEIGHBORS(f64, double)
