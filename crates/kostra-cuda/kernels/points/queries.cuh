// The rounded rows of all points, and what the warps of a block know of their queries.
//
// Queries name points by given indices, which decide between equal distances.

#pragma once

#include "points/exact.cuh"
#include "points/products.cuh"

// Threads of the largest block.
constexpr u32 THREADS = 256;
// Pairs that a warp collects before it compares them canonically: few as long as limits are loose,
// so that they become strict early. And the room for them: another group of columns may add a pair
// for each query and column.
constexpr u32 FEW_PAIRS = 32;
constexpr u32 MANY_PAIRS = 256;
constexpr u32 ROOM = 1280;

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
};

// Reads and writes that order those of other words, as seen by all blocks: what was written before
// a word was published is seen by who has read the word.
__device__ __forceinline__ u64 acquire(const u64* word) {
    u64 value;
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}
__device__ __forceinline__ void publish(u64* word, u64 value) {
    asm volatile("st.release.gpu.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
__device__ __forceinline__ void acquire_lock(u32* lock) {
    u32 before;
    do {
        asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;"
                     : "=r"(before)
                     : "l"(lock)
                     : "memory");
    } while (before != 0);
}
__device__ __forceinline__ void release_lock(u32* lock) {
    asm volatile("st.release.gpu.u32 [%0], 0;" ::"l"(lock) : "memory");
}

// The last of the nearest points of a query.
struct Last {
    u64 key;
    u32 found;
};

// What a warp knows of its queries, in shared memory, but for nearest points that several blocks
// look for.
struct Queries {
    u64* keys;           // for each query, the nearest points so far, in ascending order
    u32* found;
    u32* locks;          // for each query, if other blocks change its nearest points, too; or null
    u32 wanted;          // how many nearest points
    unsigned short* waiting; // pairs to compare: the query above the column's place in its panel
    u32* length;         // their number
    float *norm, *error; // of the rounded rows
    u32* point;
    u32* component;      // without components: the slot
    unsigned short* center; // of all rows

    __device__ __forceinline__ u64 last_key(u32 query) const {
        return load(&keys[query * wanted + wanted - 1]);
    }

    // Another block may insert meanwhile. Then the index is not older than the distance, so that a
    // pair that comes after both is not wanted.
    __device__ __forceinline__ Last last(u32 query) const {
        u32 at = query * wanted + wanted - 1;
        u64 key = locks ? acquire(&keys[at]) : load(&keys[at]);
        return {key, load(&found[at])};
    }

    // Inserts a point for a query. All lanes call it with the same arguments.
    __device__ __forceinline__ void insert(u32 query, u64 key, u32 other) {
        u32 lane = threadIdx.x % 32, rank = 0;
        if (locks && lane == 0) acquire_lock(&locks[query]);
        __syncwarp();
        u64* of_keys = keys + query * wanted;
        u32* of_found = found + query * wanted;
        for (u32 k = lane; k - lane < wanted; k += 32) {
            u32 entry = k < wanted ? load(&of_found[k]) : NONE;
            bool before = k < wanted && is_before(load(&of_keys[k]), entry, key, other);
            rank += __popc(__ballot_sync(ALL, before));
            // It was inserted before.
            if (__any_sync(ALL, entry == other)) rank = wanted;
        }
        // From the last ones on, each takes the place of the next one.
        for (u32 begin = (wanted - 1) / 32 * 32; rank < wanted; begin -= 32) {
            u32 k = begin + lane;
            bool moves = k < wanted && k >= rank, comes = k == rank;
            u64 moved_key = moves && !comes ? load(&of_keys[k - 1]) : key;
            u32 moved = moves && !comes ? load(&of_found[k - 1]) : other;
            __syncwarp();
            if (moves) {
                of_found[k] = moved;
                if (locks) publish(&of_keys[k], moved_key);
                else of_keys[k] = moved_key;
            }
            __syncwarp();
            if (begin <= rank) break;
        }
        if (locks && lane == 0) release_lock(&locks[query]);
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

// Divides a block's shared memory, as src/points/pairs/shape.rs counts its bytes.
struct Parts {
    char* at;

    __device__ __forceinline__ char* take(u32 bytes) {
        char* part = at;
        at += (bytes + 15) / 16 * 16;
        return part;
    }

    // For each warp or thread of the block: the part of this warp.
    template <typename Item>
    __device__ __forceinline__ Item* of_warp(u32 items) {
        return (Item*)take(sizeof(Item) * items * (blockDim.x / 32)) + items * (threadIdx.x / 32);
    }

    __device__ __forceinline__ void take(Queries& queries, const Rounded& rounded) {
        queries.waiting = of_warp<unsigned short>(ROOM);
        queries.length = of_warp<u32>(1);
        queries.norm = of_warp<float>(QUERIES_WARP);
        queries.error = of_warp<float>(QUERIES_WARP);
        queries.point = of_warp<u32>(QUERIES_WARP);
        queries.component = of_warp<u32>(QUERIES_WARP);
        queries.center = of_warp<unsigned short>(rounded.depth);
    }
};

// One of the points that 32 lanes name, for a lane whose own is NONE. All may be NONE: then 0.
__device__ __forceinline__ u32 named_point(u32 point) {
    u32 named = __ballot_sync(ALL, point != NONE);
    u32 other = __shfl_sync(ALL, point, named ? __ffs(named) - 1 : 0);
    return point != NONE ? point : named ? other : 0;
}
