// What the kernels of refinement share: segments of entries in a warp, and the weights of parts.
//
// A partition is the part of each vertex in `parts`, and the weight of each part in `part_weights`.

#pragma once

#include "warp_rows.cuh"

struct Tracked;

// The argument of all kernels. src/partition/refine declares the same struct and fills it.
struct Arguments {
    // The rows of the graph, with the vertex of each entry, and the partition.
    const u32 *offsets, *neighbors, *edge_weights, *vertex_weights;
    u32 *row_of, *parts;
    u64* part_weights;
    // With a value for each entry: slots, and entries that are sorted to fill the slots.
    u32 *slot_parts, *slot_sums, *sorted_weights, *sorted_ids;
    // With a value for each vertex.
    u64* best;
    u32 *inside, *targets, *gains, *later_gains, *moved, *conflicts;
    Tracked* states;
    // Of balancing: the class of each vertex and its place there, and the classes of parts.
    u32 *classes, *places, *class_weights;
    u64 *excesses, *staying, *counters;
    u64 ceiling, limit;
    u32 vertices, entries, count, direction, pass, temperature, least, strict, seed;
};

// The result of `combine` over all values from this lane to the end of its segment. Lanes with the
// same key are a segment; they are next to each other. All lanes of the warp call it.
template <typename T, typename Key, typename Combine>
__device__ __forceinline__ T over_segment(T value, Key key, Combine combine) {
    u32 lane = threadIdx.x % WARP;
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        T other = __shfl_down_sync(ALL_LANES, value, distance);
        Key other_key = __shfl_down_sync(ALL_LANES, key, distance);
        if (lane + distance < WARP && other_key == key) value = combine(value, other);
    }
    return value;
}

// Whether this lane is the first one of its segment. All lanes of the warp call it.
template <typename Key>
__device__ __forceinline__ bool is_first_of_segment(Key key) {
    Key before = __shfl_up_sync(ALL_LANES, key, 1);
    return threadIdx.x % WARP == 0 || before != key;
}

struct Sum {
    __device__ u32 operator()(u32 a, u32 b) const { return a + b; }
};

struct Maximum {
    __device__ u64 operator()(u64 a, u64 b) const { return a > b ? a : b; }
};

// Whether this lane is the lowest one of a group of lanes.
__device__ __forceinline__ bool leads(u32 group) {
    return (u32)__ffs((int)group) - 1 == threadIdx.x % WARP;
}

// Adds the weight of each lane to the part of the lane, or subtracts it. One atomic operation adds
// the weights of all lanes with the same part. The part NONE has no weight. All lanes of the warp
// call it.
__device__ __forceinline__ void change_weights(u64* part_weights, u32 part, u32 weight,
                                               bool subtract) {
    u32 group = __match_any_sync(ALL_LANES, part);
    u64 sum = __reduce_add_sync(group, weight);
    if (part != NONE && leads(group)) {
        atomicAdd(&part_weights[part], subtract ? 0 - sum : sum);
    }
}

// Adds a weight to a part if the part stays within the limit. The sum may exceed the limit until a
// refused reservation is undone. Meanwhile others may be refused too, but nobody is admitted who
// does not fit. Weights of parts have 64 bits, so that refused reservations cannot overflow.
__device__ __forceinline__ bool reserve(u64* part_weights, u32 part, u32 weight, u64 limit) {
    if (load(&part_weights[part]) + weight > limit) return false;
    u64 before = atomicAdd(&part_weights[part], (u64)weight);
    if (before + weight <= limit) return true;
    atomicAdd(&part_weights[part], 0 - (u64)weight);
    return false;
}

__device__ __forceinline__ void release(u64* part_weights, u32 part, u32 weight) {
    atomicAdd(&part_weights[part], 0 - (u64)weight);
}
