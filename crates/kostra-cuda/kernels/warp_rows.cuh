// Warp segmentation, and counters of blocks. A warp handles the entries of 32 consecutive vertices
// in chunks of 32, whatever the lengths of the rows are.
//
// Source: Manoochehri 2017, section 3.1.2.

#pragma once

#include "common.cuh"

constexpr u32 WARP = 32;
constexpr u32 ALL_LANES = 0xFFFFFFFFu;

// The starts of the rows of a warp's vertices, and the end of the last one.
struct WarpRows {
    u32 starts[WARP + 1];

    __device__ void take(const u32* first_edge, u32 vertices, u64 first_vertex, u32 lane) {
        u64 vertex = first_vertex + lane, after = first_vertex + WARP;
        starts[lane] = first_edge[vertex < vertices ? vertex : vertices];
        if (lane == 0) starts[WARP] = first_edge[after < vertices ? after : vertices];
        __syncwarp();
    }

    // The lane of the vertex whose row has an entry: the last one whose row does not start after
    // the entry.
    __device__ u32 owner(u64 entry) const {
        u32 low = 0;
        for (u32 step = WARP / 2; step > 0; step /= 2) {
            if (starts[low + step] <= entry) low += step;
        }
        return low;
    }
};

// Adds the sum of a number over all threads of the block to a counter. All threads call it.
__device__ void count_in_block(u32 number, u64* counter) {
    __shared__ u32 sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    u32 in_warp = __reduce_add_sync(ALL_LANES, number);
    if (threadIdx.x % WARP == 0 && in_warp > 0) atomicAdd(&sum, in_warp);
    __syncthreads();
    if (threadIdx.x == 0 && sum > 0) atomicAdd(counter, (u64)sum);
    __syncthreads();
}
