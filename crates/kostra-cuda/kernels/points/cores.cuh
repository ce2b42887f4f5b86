// Core distances: the canonical distance from each point to its k-th nearest other point.
//
// A warp serves one point. Its lanes hold the nearest distances in ascending order: `slots` of them
// each, so that up to 32 * slots can be kept. Which of several equally near points is kept does not
// change the distance.

#pragma once

#include "points/walk.cuh"

template <u32 slots>
struct Ascending {
    u64 keys[slots]; // position 32 * slot + lane

    __device__ __forceinline__ u64 at(u32 position) const {
        u64 own = keys[0];
#pragma unroll
        for (u32 s = 1; s < slots; s++) {
            if (position / WIDTH == s) own = keys[s];
        }
        return __shfl_sync(ALL, own, position % WIDTH);
    }

    __device__ __forceinline__ void insert(u64 key) {
        u32 lane = threadIdx.x % WIDTH;
#pragma unroll
        for (u32 s = slots; s-- > 0;) {
            u64 before = __shfl_up_sync(ALL, keys[s], 1);
            u64 last = s > 0 ? __shfl_sync(ALL, keys[s > 0 ? s - 1 : 0], WIDTH - 1) : 0;
            if (lane == 0) before = last;
            if (keys[s] > key) keys[s] = max(key, before);
        }
    }
};

template <u32 slots, typename T>
struct CoreVisitor {
    const Row* rows;
    const T* exact;
    const Box* boxes;
    const Frame& frame;
    u32 count, neighbors;
    u32 point;
    Row own;
    Ascending<slots> nearest;
    u64 farthest; // the distance of the last of the neighbors
    float limit;

    __device__ __forceinline__ void set_limit() {
        farthest = nearest.at(neighbors - 1);
        limit = most<T>(frame, farthest);
    }

    __device__ __forceinline__ float gap(u32 node) {
        Box box = boxes[node];
        bool exists = box.low.at[0] <= box.high.at[0];
        return exists ? apart(own, box) : __int_as_float(0x7FFFFFFF);
    }

    __device__ __forceinline__ float reach() { return limit; }

    // At distance 0, no nearer point is left.
    __device__ __forceinline__ bool wants(u32 node) {
        return farthest > 0 && apart(own, boxes[node]) <= limit;
    }

    // The own leaf has been looked at before the walk.
    __device__ __forceinline__ void leaf(u32 leaf) {
        if (leaf != point / WIDTH) look(leaf);
    }

    __device__ __forceinline__ void look(u32 leaf) {
        u32 other = leaf * WIDTH + threadIdx.x % WIDTH;
        u64 key = FAR;
        if (other < count && other != point && apart(own, rows[other]) <= limit) {
            key = canonical(exact, point, other);
        }
        u32 nearer = __ballot_sync(ALL, key < farthest);
        for (; nearer != 0; nearer &= nearer - 1) {
            nearest.insert(__shfl_sync(ALL, key, __ffs(nearer) - 1));
        }
        set_limit();
    }
};

template <u32 slots, typename T>
__device__ __forceinline__ void find_cores(const Row* rows, const T* exact, const u32* order,
                                           const Box* boxes, u32 count, const Frame* frame,
                                           u32 neighbors, double* cores) {
    CoreVisitor<slots, T> visitor = {rows, exact, boxes, *frame, count, neighbors};
    Levels levels(count);
    u64 warps = index_stride() / WIDTH;
    for (u64 point = first_index() / WIDTH; point < count; point += warps) {
        visitor.point = (u32)point;
        visitor.own = rows[point];
        for (u32 s = 0; s < slots; s++) visitor.nearest.keys[s] = FAR;
        visitor.set_limit();
        visitor.look((u32)point / WIDTH);
        walk(visitor, levels);
        if (threadIdx.x % WIDTH == 0) {
            cores[order[point]] = __longlong_as_double((long long)visitor.farthest);
        }
    }
}

#define CORES(TYPE, T, NAME, slots)                                                              \
    KERNEL __launch_bounds__(WARPS_BLOCK, RESIDENT)                                              \
        cores_##NAME##_##TYPE(const TreeArguments<T> args) {                                     \
        find_cores<slots>(args.rows, args.exact, args.order, args.boxes, args.count, args.frame, \
                          args.neighbors, args.core_distances);                                  \
    }

CORES(f32, float, few, 1)
CORES(f64, double, few, 1)
CORES(f32, float, many, 4)
CORES(f64, double, many, 4)
