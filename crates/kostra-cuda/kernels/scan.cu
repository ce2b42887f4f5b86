// The exclusive prefix sum. One block scans each tile of numbers. Then each number of a tile is
// raised by the sum of all tiles before it.

#include "common.cuh"

// Threads of a block: several blocks fit on a multiprocessor. src/scan.rs reads both constants.
constexpr u32 THREADS = 256;
// Consecutive numbers that a thread adds up. They fit in its registers.
constexpr u32 NUMBERS = 8;

// Replaces each number of a tile by the sum of the numbers before it in the tile, and stores the
// sum of the tile.
KERNEL __launch_bounds__(THREADS) scan_tiles(u32* numbers, u64 length, u32* tile_sums) {
    __shared__ u32 sums[2][THREADS];
    u64 start = ((u64)blockIdx.x * THREADS + threadIdx.x) * NUMBERS;
    u32 own[NUMBERS], sum = 0;
    for (u32 i = 0; i < NUMBERS; i++) {
        own[i] = start + i < length ? numbers[start + i] : 0;
        sum += own[i];
    }
    u32 inclusive = sum_of_threads(sum, sums);
    u32 before = inclusive - sum;
    for (u32 i = 0; i < NUMBERS; i++) {
        if (start + i < length) numbers[start + i] = before;
        before += own[i];
    }
    if (threadIdx.x == THREADS - 1) tile_sums[blockIdx.x] = inclusive;
}

// Adds the sum of all tiles before a tile to each number of the tile.
KERNEL __launch_bounds__(THREADS) raise_tiles(u32* numbers, u64 length, const u32* before_tiles) {
    u64 start = (u64)blockIdx.x * THREADS * NUMBERS;
    u32 before = before_tiles[blockIdx.x];
    for (u32 i = 0; i < NUMBERS; i++) {
        u64 place = start + (u64)i * THREADS + threadIdx.x;
        if (place < length) numbers[place] += before;
    }
}
