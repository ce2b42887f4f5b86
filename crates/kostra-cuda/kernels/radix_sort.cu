// A stable radix sort of 64-bit keys with 32-bit values, eight bits at a time. src/radix_sort.rs
// runs the steps.

#include "common.cuh"

// Threads of a block.
constexpr u32 THREADS = 256;
// Keys of a thread.
constexpr u32 ITEMS = 10;
constexpr u32 TILE = THREADS * ITEMS;
constexpr u32 WARPS = THREADS / 32;
// Bits of a digit, the number of different digits, and the digits of a key.
constexpr u32 BITS = 8;
constexpr u32 DIGITS = 256;
constexpr u32 KEY_DIGITS = 8;
static_assert(DIGITS == 1 << BITS && KEY_DIGITS * BITS == 64 && THREADS == DIGITS, "");

enum : u32 { LANES = 0xFFFFFFFFu };

__device__ __forceinline__ u32 digit_of(u64 key, u32 shift) { return (u32)(key >> shift) % DIGITS; }

// The argument of all kernels. src/radix_sort.rs declares the same struct.
struct Arguments {
    const u64* keys;
    const u32* values;
    u64* to_keys;
    u32* to_values;
    // For each digit, its number of keys; then the number of keys with lower digits. Of all places,
    // or of one place in a pass.
    u32 *lower, *differs, *turns;
    u64* states;
    u32 count, shift, pass, first_turn;
};

// Counts how often each digit stands at each place of the keys: `lower[place * DIGITS + digit]`,
// all of them 0 before.
KERNEL __launch_bounds__(THREADS) count_digits(const Arguments args) {
    __shared__ u32 own[KEY_DIGITS][DIGITS];
    for (u32 place = 0; place < KEY_DIGITS; place++) own[place][threadIdx.x] = 0;
    __syncthreads();
    u32 lane = threadIdx.x % 32;
    u64 rounded = (args.count + 31ull) / 32 * 32;
    for (u64 i = first_index(); i < rounded; i += index_stride()) {
        // The lanes after the last key repeat it, and do not count it.
        u64 key = args.keys[min(i, args.count - 1ull)];
        u32 there = __ballot_sync(LANES, i < args.count);
        u32 differ[2];
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            u32 word = (u32)(key >> 32 * half);
            differ[half] = __reduce_or_sync(LANES, word) ^ __reduce_and_sync(LANES, word);
        }
#pragma unroll
        for (u32 place = 0; place < KEY_DIGITS; place++) {
            // One lane counts a digit that all lanes have: high digits are often equal.
            u32 shift = BITS * place, digit = digit_of(key, shift);
            bool equal = digit_of(differ[shift / 32], shift % 32) == 0;
            u32 counted = equal ? lane == 0 ? __popc(there) : 0 : i < args.count;
            if (counted) atomicAdd(&own[place][digit], counted);
        }
    }
    __syncthreads();
    for (u32 place = 0; place < KEY_DIGITS; place++) {
        u32 sum = own[place][threadIdx.x];
        if (sum) atomicAdd(&args.lower[place * DIGITS + threadIdx.x], sum);
    }
}

// Replaces the counts of each place by the numbers of keys with lower digits, and says at which
// places not all digits are equal. A block serves one place.
KERNEL __launch_bounds__(THREADS) begin_digits(const Arguments args) {
    __shared__ u32 sums[2][THREADS];
    u32* own = &args.lower[blockIdx.x * DIGITS + threadIdx.x];
    u32 number = *own;
    *own = sum_of_threads(number, sums) - number;
    int several = __syncthreads_or(number > 0 && number < args.count);
    if (threadIdx.x == 0) args.differs[blockIdx.x] = several != 0;
}

// The number of keys with a digit in the tiles before this one, which has `own` of them. `states`
// has a state for each tile, DIGITS apart. The upper half of a state says what the lower half is:
// 2 * pass: the number of keys in the tile, 2 * pass + 1: in the tile and all before it. Less is of
// an earlier pass.
__device__ __forceinline__ u32 count_before(u64* states, u32 tile, u32 own, u32 pass) {
    u64* state = &states[(u64)tile * DIGITS];
    u32 before = 0;
    if (tile > 0) *(volatile u64*)state = (u64)(2 * pass) << 32 | own;
    for (u64* other = state; other > states;) {
        other -= DIGITS;
        u64 seen;
        do seen = load(other);
        while (seen >> 32 < 2 * pass);
        before += (u32)seen;
        if (seen >> 32 > 2 * pass) break;
    }
    *(volatile u64*)state = (u64)(2 * pass + 1) << 32 | (before + own);
    return before;
}

// Moves each tile's keys and values to their places. `lower` has the number of keys with lower
// digits for each digit. A tile is sorted in shared memory first, so that the keys of a digit are
// written next to each other. Blocks take tiles in ascending order: `first_turn` is the number of
// tiles that were taken in earlier passes. So a block waits only for blocks that have begun.
KERNEL __launch_bounds__(THREADS, 4) move_keys(const Arguments args) {
    __shared__ u32 counts[WARPS][DIGITS];
    __shared__ u32 sums[2][DIGITS];
    __shared__ u32 starts[DIGITS];
    __shared__ u64 sorted[TILE];
    __shared__ u32 taken;
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) taken = atomicAdd(args.turns, 1) - args.first_turn;
    for (u32 w = 0; w < WARPS; w++) counts[w][threadIdx.x] = 0;
    __syncthreads();
    u64 begin = (u64)taken * TILE;
    u32 size = (u32)min((u64)TILE, args.count - begin);
    // Each warp has consecutive keys, so that the order of equal digits is kept.
    u64 key[ITEMS];
    u32 rank[ITEMS];
    u32 own = warp * 32 * ITEMS;
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = own + item * 32 + lane;
        key[item] = at < size ? args.keys[begin + at] : ~0ull;
    }
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 digit = digit_of(key[item], args.shift);
        u32 peers = LANES;
#pragma unroll
        for (u32 bit = 0; bit < BITS; bit++) {
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
    u32 start = sum_of_threads(sum, sums) - sum;
    for (u32 w = 0; w < WARPS; w++) counts[w][digit] += start;
    __syncthreads();
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        rank[item] += counts[warp][digit_of(key[item], args.shift)];
        sorted[rank[item]] = key[item];
    }
    // The places after the last key of the last tile count as keys with the highest digit.
    u32 own_keys = digit == DIGITS - 1 ? size - start : sum;
    // From a place in the tile to the place among all keys.
    starts[digit] =
        args.lower[digit] + count_before(args.states + digit, taken, own_keys, args.pass) - start;
    __syncthreads();
    u32 target[ITEMS];
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = item * THREADS + threadIdx.x;
        u64 moved = sorted[at];
        target[item] = starts[digit_of(moved, args.shift)] + at;
        if (at < size) args.to_keys[target[item]] = moved;
    }
    __syncthreads();
    u32* sorted_values = (u32*)sorted;
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = own + item * 32 + lane;
        if (at < size) sorted_values[rank[item]] = args.values[begin + at];
    }
    __syncthreads();
#pragma unroll
    for (u32 item = 0; item < ITEMS; item++) {
        u32 at = item * THREADS + threadIdx.x;
        if (at < size) args.to_values[target[item]] = sorted_values[at];
    }
}
