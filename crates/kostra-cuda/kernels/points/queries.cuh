// The rounded rows of all points, and what the warps of a block keep in shared memory: stages of
// columns, and the nearest points of their queries so far.

#pragma once

#include "points/exact.cuh"
#include "points/products.cuh"

// The most coordinates and the most columns of a stage, and the coordinates of all its columns.
constexpr u32 SLAB = 256;
constexpr u32 MOST_COLUMNS = 256;
constexpr u32 STAGE = 8192;
// Threads of the largest block.
constexpr u32 THREADS = 256;
// Pairs that a warp collects before it compares them canonically, and the room for them: one group
// may add a pair for each query and column.
constexpr u32 FEW_PAIRS = 32;
constexpr u32 ROOM = 1056;

enum : u32 { ALL = 0xFFFFFFFFu };
enum : u64 { INFINITE = 0x7FF0000000000000ull };

struct Rounded {
    const unsigned short* rows;
    const float *halves, *norms, *errors;
    const Panel* panels;
    double scale;
    u32 count, depth;

    // Coordinates and columns of a stage.
    __device__ __forceinline__ u32 slab() const { return min(depth, SLAB); }
    __device__ __forceinline__ u32 columns() const {
        u32 fit = min(STAGE / slab(), MOST_COLUMNS);
        return 1u << (31 - __clz(fit));
    }
    __device__ __forceinline__ u32 pitch() const { return 2 * slab() + PIECE; }
};

// What a warp knows of its queries, in shared memory.
struct Queries {
    u64* keys;           // for each query, the nearest points so far, in ascending order
    u32* found;
    u32 wanted;          // how many
    unsigned short* waiting; // pairs to compare: the query above the column's place in its panel
    u32* length;         // their number
    float* reach;        // approximate distances above it are of no interest; negative if none is
    float *norm, *error; // of the rounded rows
    u32* point;
    u32* component;

    __device__ __forceinline__ u64 last_key(u32 query) const {
        return load(&keys[query * wanted + wanted - 1]);
    }
    __device__ __forceinline__ u32 last_found(u32 query) const {
        return load(&found[query * wanted + wanted - 1]);
    }

    // Inserts a point for a query. All lanes call it with the same arguments.
    __device__ __forceinline__ void insert(u32 query, u64 key, u32 other) {
        u32 lane = threadIdx.x % 32, rank = 0;
        u64* of_keys = keys + query * wanted;
        u32* of_found = found + query * wanted;
        for (u32 k = lane; k - lane < wanted; k += 32) {
            bool before = k < wanted && is_before(of_keys[k], of_found[k], key, other);
            rank += __popc(__ballot_sync(ALL, before));
        }
        if (rank >= wanted) return;
        for (u32 begin = (wanted - 1) / 32 * 32;; begin -= 32) {
            u32 k = begin + lane;
            bool moves = k < wanted && k > rank;
            u64 moved_key = moves ? of_keys[k - 1] : 0;
            u32 moved = moves ? of_found[k - 1] : 0;
            __syncwarp();
            if (moves) {
                of_keys[k] = moved_key;
                of_found[k] = moved;
            }
            __syncwarp();
            if (begin <= rank) break;
        }
        if (lane == 0) {
            of_keys[rank] = key;
            of_found[rank] = other;
        }
        __syncwarp();
    }
};

// The parts of a block's shared memory.
struct Memory {
    u32 rows, stages, halves; // addresses
    const float* of_halves;
    Queries queries;

    __device__ __forceinline__ Memory(char* at, const Rounded& rounded, u32 wanted) {
        u32 warp = threadIdx.x / 32;
        auto take = [&](u32 bytes) {
            char* part = at;
            at += (bytes + 15) / 16 * 16;
            return part;
        };
        u32 row = 2 * rounded.depth + PIECE;
        rows = shared_address(take(blockDim.x * row)) + warp * QUERIES_WARP * row;
        stages = shared_address(take(2 * rounded.columns() * rounded.pitch()));
        of_halves = (const float*)take(2 * 4 * rounded.columns());
        halves = shared_address(of_halves);
        queries.wanted = wanted;
        queries.keys = (u64*)take(8 * blockDim.x * wanted) + warp * QUERIES_WARP * wanted;
        queries.found = (u32*)take(4 * blockDim.x * wanted) + warp * QUERIES_WARP * wanted;
        queries.waiting = (unsigned short*)take(2 * ROOM * (blockDim.x / 32)) + ROOM * warp;
        queries.length = (u32*)take(blockDim.x / 32 * 4) + warp;
        queries.reach = (float*)take(4 * blockDim.x) + warp * QUERIES_WARP;
        queries.norm = (float*)take(4 * blockDim.x) + warp * QUERIES_WARP;
        queries.error = (float*)take(4 * blockDim.x) + warp * QUERIES_WARP;
        queries.point = (u32*)take(4 * blockDim.x) + warp * QUERIES_WARP;
        queries.component = (u32*)take(4 * blockDim.x) + warp * QUERIES_WARP;
    }
};
