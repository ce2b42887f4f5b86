// Lists that the threads of all blocks append to.

#pragma once

#include "common.cuh"

// Threads of a block.
constexpr u32 THREADS = 256;

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
