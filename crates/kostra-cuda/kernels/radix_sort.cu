// A stable radix sort of 64-bit keys with 32-bit values, eight bits at a time. src/radix_sort.rs
// runs the steps.

#include "common.cuh"

// Threads of a block.
constexpr u32 THREADS = 256;
// Keys of a thread.
constexpr u32 ITEMS = 12;
constexpr u32 TILE = THREADS * ITEMS;
constexpr u32 WARPS = THREADS / 32;
constexpr u32 DIGITS = 256;

enum : u32 { LANES = 0xFFFFFFFFu };

__device__ __forceinline__ u32 digit_of(u64 key, u32 shift) { return (u32)(key >> shift) % DIGITS; }

// Finds the bits in which keys differ: those of `both[0]`, the union, that `both[1]`, the
// complement of the intersection, also has.
KERNEL __launch_bounds__(THREADS) differing_bits(const u64* keys, u32 count, u64* both) {
    u64 ones = 0, zeros = 0;
    for (u64 i = first_index(); i < count; i += index_stride()) {
        ones |= keys[i];
        zeros |= ~keys[i];
    }
    for (u32 step = 16; step > 0; step /= 2) {
        ones |= __shfl_xor_sync(LANES, ones, step);
        zeros |= __shfl_xor_sync(LANES, zeros, step);
    }
    if (threadIdx.x % 32 == 0) {
        if (ones & ~load(&both[0])) atomicOr(&both[0], ones);
        if (zeros & ~load(&both[1])) atomicOr(&both[1], zeros);
    }
}

// Counts the digits of each tile: `counts[digit * tiles + tile]`.
KERNEL __launch_bounds__(THREADS) count_digits(const u64* keys, u32 count, u32 shift, u32 tiles,
                                               u32* counts) {
    __shared__ u32 own[DIGITS];
    own[threadIdx.x] = 0;
    __syncthreads();
    u64 begin = (u64)blockIdx.x * TILE;
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u64 at = begin + item * THREADS + threadIdx.x;
        if (at < count) atomicAdd(&own[digit_of(keys[at], shift)], 1);
    }
    __syncthreads();
    counts[(u64)threadIdx.x * tiles + blockIdx.x] = own[threadIdx.x];
}

// Moves each tile's keys and values to their places. `places` has the sums over the counts before
// each digit of each tile. A tile is sorted in shared memory first, so that the keys of a digit are
// written next to each other.
KERNEL __launch_bounds__(THREADS) move_keys(const u64* keys, const u32* values, u32 count,
                                            u32 shift, u32 tiles, const u32* places, u64* to_keys,
                                            u32* to_values) {
    __shared__ u32 counts[WARPS][DIGITS];
    __shared__ u32 starts[DIGITS];
    __shared__ u64 sorted[TILE];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u64 begin = (u64)blockIdx.x * TILE;
    u32 size = (u32)min((u64)TILE, count - begin);
    for (u32 w = 0; w < WARPS; w++) counts[w][threadIdx.x] = 0;
    __syncthreads();
    // Each warp has consecutive keys, so that the order of equal digits is kept.
    u64 key[ITEMS];
    u32 rank[ITEMS];
    u32 own = warp * 32 * ITEMS;
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = own + item * 32 + lane;
        key[item] = at < size ? keys[begin + at] : ~0ull;
        u32 digit = at < size ? digit_of(key[item], shift) : DIGITS - 1;
        u32 peers = LANES;
#pragma unroll
        for (u32 bit = 0; bit < 8; bit++) {
            u32 set = __ballot_sync(LANES, digit >> bit & 1);
            peers &= digit >> bit & 1 ? set : ~set;
        }
        u32 before = __popc(peers & ((1u << lane) - 1));
        u32 so_far = counts[warp][digit];
        __syncwarp();
        if (before == 0) counts[warp][digit] = so_far + __popc(peers);
        __syncwarp();
        rank[item] = so_far + before;
    }
    __syncthreads();
    // Where each digit starts in the tile, and then in each warp's part.
    u32 digit = threadIdx.x, sum = 0;
    for (u32 w = 0; w < WARPS; w++) {
        u32 in_warp = counts[w][digit];
        counts[w][digit] = sum;
        sum += in_warp;
    }
    starts[digit] = sum;
    __syncthreads();
    for (u32 distance = 1; distance < DIGITS; distance *= 2) {
        u32 left = digit >= distance ? starts[digit - distance] : 0;
        __syncthreads();
        starts[digit] += left;
        __syncthreads();
    }
    u32 start = starts[digit] - sum;
    for (u32 w = 0; w < WARPS; w++) counts[w][digit] += start;
    __syncthreads();
    // From a place in the tile to the place among all keys.
    starts[digit] = places[(u64)digit * tiles + blockIdx.x] - start;
    __syncthreads();
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = own + item * 32 + lane;
        u32 of = at < size ? digit_of(key[item], shift) : DIGITS - 1;
        rank[item] += counts[warp][of];
        sorted[rank[item]] = key[item];
    }
    __syncthreads();
    u32 target[ITEMS];
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = item * THREADS + threadIdx.x;
        u64 moved = sorted[at];
        target[item] = at < size ? starts[digit_of(moved, shift)] + at : NONE;
        if (at < size) to_keys[target[item]] = moved;
    }
    __syncthreads();
    u32* sorted_values = (u32*)sorted;
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = own + item * 32 + lane;
        if (at < size) sorted_values[rank[item]] = values[begin + at];
    }
    __syncthreads();
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = item * THREADS + threadIdx.x;
        if (at < size) to_values[target[item]] = sorted_values[at];
    }
}
