// The segmented exclusive scan by a balanced tree, for any associative operation on words.
//
// Source: Manoochehri 2017, section 4.3.1, Algorithms 4.3 and 4.4. Without head flags they are
// Algorithms 4.1 and 4.2. A block scans a tile in shared memory. The last value of each tile's
// tree, its partial OR, and its first head flag are the input of the scan one level above, whose
// output is the value before each tile. A kernel file instantiates both kernels for an operation.
//
// Deviations: the down-sweep repeats the up-sweep of its tile, so no tree is stored between the two
// kernels. Line 1 of Algorithm 4.3 begins at d = 0, as Figure 4.3 does. Line 12 of Algorithm 4.4
// unsets a flag that no later step reads: a place is the left child of one step only.

#pragma once

#include "common.cuh"

// Threads of a block. src/segmented reads the constant.
constexpr u32 SCAN_THREADS = 512;
// A thread has two elements.
constexpr u32 SCAN_TILE = 2 * SCAN_THREADS;

// The argument of both kernels. src/segmented declares the same struct and fills it.
template <typename K>
struct ScanArguments {
    u32* values;
    // For each value, whether a segment begins there, and whether one begins in what the value
    // stands for: on the first level the value itself, above it a tile. Null if there is one
    // segment.
    const u32 *heads, *any;
    // For each tile: its value and flags; after the level above was scanned, the value before it.
    // Null on the last level.
    u32 *tile_values, *tile_heads, *tile_any;
    // What an operation looks up.
    const K* keys;
    const u32* ids;
    u64 length;
    u32 inclusive;
};

struct ScanSum {
    static constexpr u32 IDENTITY = 0;

    template <typename K>
    __device__ explicit ScanSum(const ScanArguments<K>&) {}
    __device__ u32 operator()(u32 a, u32 b) const { return a + b; }
};

// Avoids conflicts of shared memory's 32 banks.
__device__ __forceinline__ u32 scan_place(u32 index) { return index + index / 32; }

struct ScanTree {
    u32 values[SCAN_TILE + SCAN_TILE / 32];
    u32 heads[SCAN_TILE + SCAN_TILE / 32];
    u32 any[SCAN_TILE + SCAN_TILE / 32];

    template <typename Operation, typename K>
    __device__ void take(const ScanArguments<K>& args) {
        for (u32 index = threadIdx.x; index < SCAN_TILE; index += SCAN_THREADS) {
            u64 i = (u64)blockIdx.x * SCAN_TILE + index;
            bool valid = i < args.length, flagged = valid && args.heads != nullptr;
            values[scan_place(index)] = valid ? args.values[i] : Operation::IDENTITY;
            heads[scan_place(index)] = flagged ? args.heads[i] : 0;
            any[scan_place(index)] = flagged ? args.any[i] : 0;
        }
    }

    // Algorithm 4.3, and 4.1 without flags.
    template <typename Operation>
    __device__ void up_sweep(const Operation& combine) {
        for (u32 half = 1; half < SCAN_TILE; half *= 2) {
            __syncthreads();
            if (threadIdx.x >= SCAN_TILE / (2 * half)) continue;
            u32 k = threadIdx.x * 2 * half;
            u32 left = scan_place(k + half - 1), right = scan_place(k + 2 * half - 1);
            if (!any[right]) values[right] = combine(values[left], values[right]);
            any[right] |= any[left];
        }
        __syncthreads();
    }

    // Algorithm 4.4, and 4.2 without flags. `before` is the value before the tile.
    template <typename Operation>
    __device__ void down_sweep(const Operation& combine, u32 before) {
        if (threadIdx.x == 0) values[scan_place(SCAN_TILE - 1)] = before;
        for (u32 half = SCAN_TILE / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x >= SCAN_TILE / (2 * half)) continue;
            u32 k = threadIdx.x * 2 * half;
            u32 left = scan_place(k + half - 1), right = scan_place(k + 2 * half - 1);
            u32 old = values[left], parent = values[right];
            values[left] = parent;
            if (heads[scan_place(k + half)]) {
                values[right] = Operation::IDENTITY;
            } else if (any[left]) {
                values[right] = old;
            } else {
                values[right] = combine(parent, old);
            }
        }
        __syncthreads();
    }
};

// Stores the value and the flags of each tile.
template <typename Operation, typename K>
__device__ void scan_reduce(const ScanArguments<K>& args) {
    __shared__ ScanTree tree;
    tree.take<Operation>(args);
    tree.up_sweep(Operation(args));
    if (threadIdx.x > 0) return;
    args.tile_values[blockIdx.x] = tree.values[scan_place(SCAN_TILE - 1)];
    args.tile_heads[blockIdx.x] = tree.heads[0];
    args.tile_any[blockIdx.x] = tree.any[scan_place(SCAN_TILE - 1)];
}

// Replaces each value by the combination of the values before it in its segment; with `inclusive`,
// of these and its own.
template <typename Operation, typename K>
__device__ void scan_down_sweep(const ScanArguments<K>& args) {
    __shared__ ScanTree tree;
    tree.take<Operation>(args);
    Operation combine(args);
    tree.up_sweep(combine);
    bool last_level = args.tile_values == nullptr;
    tree.down_sweep(combine, last_level ? Operation::IDENTITY : args.tile_values[blockIdx.x]);
    for (u32 index = threadIdx.x; index < SCAN_TILE; index += SCAN_THREADS) {
        u64 i = (u64)blockIdx.x * SCAN_TILE + index;
        if (i >= args.length) continue;
        u32 before = tree.values[scan_place(index)];
        args.values[i] = args.inclusive ? combine(before, args.values[i]) : before;
    }
}
