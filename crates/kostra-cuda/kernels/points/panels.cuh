// The shape of the rounded rows, which `points_rounded.cu` makes and `points_pairs.cu` compares.
//
// Each row has a slot. Slots are in the given order, or in an order in which near points follow
// each other. In that order, some slots have no point.

#pragma once

#include "common.cuh"

// Points of a panel. A limit holds for a whole panel.
constexpr u32 PANEL = 1024;
// Coordinates of one matrix product. The depth of a row is a multiple of it.
constexpr u32 STEP = 16;

// More than the relative errors of a few roundings to 32 bits.
constexpr float MORE = 1.00001f;

// Slots of a tile: consecutive rows that have a common center.
constexpr u32 TILE = 32;

// The largest length and the largest rounding error of the rows of a panel.
struct Panel {
    float norm, error;
};

// The rows of a tile are at most `radius` from its center. The center is a rounded row, too:
// `half` is minus half the square of its length, and `norm` is not below the length. `least` is the
// least given index in this tile and all later ones of the same panel.
struct Tile {
    float half, norm, radius;
    u32 least;
};

// The argument of the kernels that compare all pairs. src/points/kernels.rs declares the same
// struct. Only kernels with coordinates know their type.
template <typename T>
struct PairArguments {
    const T* points;
    const double* center;
    // The rounded rows.
    unsigned short* rounded;
    float *halves, *norms, *errors;
    Panel* panels;
    // Slots and tiles. Some arrays are null without tiles.
    u32 *points_of, *slots_of;
    unsigned short* centers;
    Tile* tiles;
    u32 *slot_labels, *tile_labels;
    // Pivots, the cell of each point, and where cells begin.
    unsigned short* pivot_rows;
    float* pivot_halves;
    u32* far;
    u64* cell_keys;
    u32 *cell_points, *begins;
    const u32* first_slots;
    // The arrays of rounds; those that are not wanted are null.
    const u32 *labels, *queries;
    const u64* cores;
    u64 *bounds, *keys, *least_keys;
    u32* lists;
    double* core_distances;
    // Of each query, in each part of the columns, or for all parts, which take turns by its lock.
    u64* part_keys;
    u32 *part_found, *locks;
    u64 stride, scale; // the scale as the bits of a double
    u32 dimensions, count, slots, padded, depth, pivots, samples, tile_count;
    u32 first, query_count, wanted, columns, parts, slabs;
};

// A row of 16-bit numbers to 32 bits, and back.
__device__ __forceinline__ float widened(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
__device__ __forceinline__ unsigned short narrowed(float value) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

// The sum over the lanes of a warp.
__device__ __forceinline__ float sum_up(float value) {
    for (u32 step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, step);
    return value;
}
