// Matrix products of rounded rows on tensor cores: fragments of a warp, and copies to shared
// memory.
//
// A warp compares the 32 rows of its queries with 32 columns at a time. The fragments are those of
// the instruction `mma.m16n8k16`.

#pragma once

#include "points/panels.cuh"

// Queries of a warp: one for each lane. Columns that it compares at once.
constexpr u32 QUERIES_WARP = 32;
constexpr u32 GROUP = 32;
// Coordinates whose query fragments fit in registers.
constexpr u32 CHUNK = 64;
constexpr u32 STEPS = CHUNK / STEP;
// Bytes between the end of a row in shared memory and the next one, so that eight rows are in
// different banks: the length of a row is an even number of such pieces.
constexpr u32 PIECE = 16;

__device__ __forceinline__ u32 shared_address(const void* at) {
    return (u32)__cvta_generic_to_shared(at);
}

// Starts to copy 16 bytes to shared memory.
__device__ __forceinline__ void copy_piece(u32 to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Waits for all copies of this thread.
__device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ __forceinline__ void load_matrices(u32 (&to)[4], u32 address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

__device__ __forceinline__ void multiply(float (&sums)[4], const u32 (&rows)[4], u32 low,
                                         u32 high) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(low), "r"(high));
}

// The fragments of 32 queries, of one chunk.
struct QueryFragments {
    u32 of[2][STEPS][4];

    // `rows` is the address of the first query's first coordinate of the chunk, `pitch` the bytes
    // from a query to the next one.
    __device__ __forceinline__ void load(u32 rows, u32 pitch, u32 steps) {
        u32 lane = threadIdx.x % 32;
        u32 own = rows + lane % 16 * pitch + lane / 16 * PIECE;
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            if (step >= steps) break;
            load_matrices(of[0][step], own + 2 * STEP * step);
            load_matrices(of[1][step], own + 2 * STEP * step + 16 * pitch);
        }
    }
};

// The products of 32 queries and 32 columns, less half the square of each column.
struct Products {
    float of[2][4][4];

    // A place in `of` as a number, and the query and the column of that place.
    __device__ __forceinline__ static u32 query(u32 place) {
        return place / 16 * 16 + place / 2 % 2 * 8 + threadIdx.x % 32 / 4;
    }
    __device__ __forceinline__ static u32 column(u32 place) {
        return place / 4 % 4 * 8 + threadIdx.x % 4 * 2 + place % 2;
    }

    // `halves` has the columns' half squares, which are negative.
    __device__ __forceinline__ void begin(const float* halves) {
#pragma unroll
        for (u32 n = 0; n < 4; n++) {
            float2 half = *(const float2*)&halves[8 * n + threadIdx.x % 4 * 2];
#pragma unroll
            for (u32 m = 0; m < 2; m++) {
                of[m][n][0] = of[m][n][2] = half.x;
                of[m][n][1] = of[m][n][3] = half.y;
            }
        }
    }

    // Adds the products of `steps` steps. `columns` is the address of the first column's first
    // coordinate.
    template <u32 steps>
    __device__ __forceinline__ void add(const QueryFragments& queries, u32 columns, u32 pitch) {
        u32 lane = threadIdx.x % 32;
        u32 own = columns + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * PIECE;
#pragma unroll
        for (u32 step = 0; step < steps; step++) {
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                u32 fragments[4];
                load_matrices(fragments, own + 2 * STEP * step + 16 * half * pitch);
#pragma unroll
                for (u32 m = 0; m < 2; m++) {
                    multiply(of[m][2 * half], queries.of[m][step], fragments[0], fragments[1]);
                    multiply(of[m][2 * half + 1], queries.of[m][step], fragments[2], fragments[3]);
                }
            }
        }
    }

    // The same for a number of steps that is not known when the kernel is compiled. Each number has
    // its own instructions: sums that several branches change would have to be moved.
    __device__ __forceinline__ void add(const QueryFragments& queries, u32 columns, u32 pitch,
                                        u32 steps) {
        switch (steps) {
        case 1: return add<1>(queries, columns, pitch);
        case 2: return add<2>(queries, columns, pitch);
        case 3: return add<3>(queries, columns, pitch);
        default: return add<STEPS>(queries, columns, pitch);
        }
    }
};
