// The rounded rows of all points, and what the warps of a block keep in shared memory: stages of
// columns, and the nearest points of their queries so far.
//
// Queries name points by given indices, which decide between equal distances.

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

// Panels of a span: a block finds the tiles of a whole span that it needs before it copies them.
constexpr u32 SPAN = 8;
// The most stages of a span, because a stage has at least 32 columns.
constexpr u32 SPAN_STAGES = 256;

struct Rounded {
    const unsigned short* rows;
    const float *halves, *norms, *errors;
    const Panel* panels;
    double scale;
    u32 depth;
    const u32* points_of; // the given index of each slot's point
    // Of tiles that rule out others. If `tiles` is null, all are compared.
    const unsigned short* centers;
    const Tile* tiles;
    const u32* tile_labels; // null in searches for neighbors

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
    u32* component;              // without components: the slot
    unsigned short* center;      // of all rows

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

// The first column of a stage, and which panel of the span it is in.
struct Stage {
    u32 column, panel;
};

// The panels that a block compares next, in shared memory. Its address is known when the kernel is
// compiled, so it needs no registers.
struct Span {
    // Of the queries of each warp: no row is farther from the center than `radius`, and the center
    // is not longer than `norm`.
    float radius[THREADS / 32], norm[THREADS / 32];
    u32 needed[THREADS / 32][SPAN]; // the tiles of each panel that each warp needs
    u32 stages;                     // that any warp needs
    u32 begin, end;                 // the panels of the block
    u32 next, left;                 // the next span's first panel, and the number of panels left
    u32 unused[3];
    Stage first[SPAN_STAGES];

    // The panels of the block are a ring: its first panel comes after its last.
    __device__ __forceinline__ u32 wrapped(u32 panel) const {
        return panel < end ? panel : panel - end + begin;
    }
};

// The parts of a block's shared memory.
struct Memory {
    u32 rows, stages, halves; // addresses
    const float* of_halves;
    Span* span;
    Queries queries;

    __device__ __forceinline__ Memory(char* at, const Rounded& rounded, u32 wanted) {
        u32 warp = threadIdx.x / 32;
        auto take = [&](u32 bytes) {
            char* part = at;
            at += (bytes + 15) / 16 * 16;
            return part;
        };
        span = (Span*)take(sizeof(Span));
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
        queries.center = (unsigned short*)take(2 * rounded.depth * (blockDim.x / 32)) +
            rounded.depth * warp;
    }
};

// One of the points that 32 lanes name, for a lane whose own is NONE. All may be NONE: then 0.
__device__ __forceinline__ u32 named_point(u32 point) {
    u32 named = __ballot_sync(ALL, point != NONE);
    u32 other = __shfl_sync(ALL, point, named ? __ffs(named) - 1 : 0);
    return point != NONE ? point : named ? other : 0;
}
