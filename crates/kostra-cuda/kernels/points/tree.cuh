// Builds the tree: the frame, the places along a Hilbert curve, the sorted rows, and the boxes.

#pragma once

#include "points/extent.cuh"
#include "points/walk.cuh"

// Bits of a place along the curve, for each dimension.
constexpr u32 CURVE_BITS = D <= 2 ? 32 : 64 / D;

// The place of a cell along a Hilbert curve. The steps turn and mirror the cell's coordinates from
// the largest cube to the smallest, so that the curve of each cube is the standard one (J.
// Skilling, "Programming the Hilbert curve", 2004).
__device__ __forceinline__ u64 along_curve(u32 (&cell)[D]) {
#pragma unroll 1
    for (u32 bit = 1u << (CURVE_BITS - 1); bit > 1; bit >>= 1) {
        u32 below = bit - 1;
#pragma unroll
        for (u32 k = 0; k < D; k++) {
            u32 swap = cell[k] & bit ? 0 : (cell[0] ^ cell[k]) & below;
            cell[0] ^= cell[k] & bit ? below : swap;
            cell[k] ^= swap;
        }
    }
#pragma unroll
    for (u32 k = 1; k < D; k++) cell[k] ^= cell[k - 1];
    u32 mirrored = 0;
    for (u32 bit = 1u << (CURVE_BITS - 1); bit > 1; bit >>= 1) {
        if (cell[D - 1] & bit) mirrored ^= bit - 1;
    }
    u64 place = 0;
#pragma unroll 1
    for (u32 bit = CURVE_BITS; bit-- > 0;) {
#pragma unroll
        for (u32 k = 0; k < D; k++) place = place << 1 | ((cell[k] ^ mirrored) >> bit & 1);
    }
    return place;
}

// Makes the frame from the extent of the points.
template <bool rounds>
__device__ __forceinline__ void make_frame(const u64* extent, u32 dimensions, Frame* frame) {
    double width = 0, farthest = 0;
    for (u32 k = 0; k < 16; k++) {
        double low = k < dimensions ? from_extent(extent[k]) : 0;
        double high = k < dimensions ? from_extent(~extent[dimensions + k]) : 0;
        frame->low[k] = low;
        frame->center[k] = rounds ? low / 2 + high / 2 : 0;
        width = fmax(width, high - low);
        farthest = fmax(farthest, fmax(high - frame->center[k], frame->center[k] - low));
    }
    int exponent = 0;
    if (rounds && farthest > 0) frexp(farthest, &exponent);
    exponent = max(-900, min(900, exponent));
    frame->scale = ldexp(1.0, -exponent);
    frame->unit = ldexp(1.0, exponent);
    // Each of the two coordinates of a difference is rounded by 2^-25 at most, and twice that is
    // allowed for the roundings in 64 bits.
    frame->slack = rounds ? D * 0x1p-23 : 0;
    double most = (double)(CURVE_BITS == 32 ? 0xFFFFFFFFu : (1u << (CURVE_BITS % 32)) - 1);
    frame->cells = width > 0 ? fmin(most / width, 1e300) : 0;
}

template <typename T>
__device__ __forceinline__ u64 place_of(const T* point, u32 dimensions, const Frame& frame) {
    u32 cell[D];
#pragma unroll
    for (u32 k = 0; k < D; k++) {
        double value = k < dimensions ? (double)point[k] - frame.low[k] : 0;
        cell[k] = __double2uint_rd(value * frame.cells);
        if (CURVE_BITS < 32) cell[k] = min(cell[k], (1u << (CURVE_BITS % 32)) - 1);
    }
    return along_curve(cell);
}

template <typename T>
__device__ __forceinline__ void take_row(const T* point, u32 dimensions, const Frame& frame,
                                         Row* row, T* exact) {
    Row rounded;
#pragma unroll
    for (u32 k = 0; k < PADDED; k++) {
        T value = k < dimensions ? point[k] : T(0);
        if (sizeof(T) == 8) exact[k] = value;
        rounded.at[k] = sizeof(T) == 8 ? (float)(((double)value - frame.center[k]) * frame.scale)
                                       : (float)value;
    }
    *row = rounded;
}

#define TREE(TYPE, T)                                                                  \
    KERNEL frame_##TYPE(const TreeArguments<T> args) {                                 \
        if (first_index() == 0)                                                        \
            make_frame<sizeof(T) == 8>(args.extent, args.dimensions, args.frame);      \
    }                                                                                  \
                                                                                       \
    KERNEL places_##TYPE(const TreeArguments<T> args) {                                \
        for (u64 i = first_index(); i < args.count; i += index_stride()) {             \
            args.places[i] =                                                           \
                place_of(args.points + i * args.stride, args.dimensions, *args.frame); \
            args.order[i] = (u32)i;                                                    \
        }                                                                              \
    }                                                                                  \
                                                                                       \
    KERNEL rows_##TYPE(const TreeArguments<T> args) {                                  \
        for (u64 i = first_index(); i < args.count; i += index_stride()) {             \
            u32 from = args.order[i];                                                  \
            args.inverse[from] = (u32)i;                                               \
            take_row(args.points + from * args.stride, args.dimensions, *args.frame,   \
                     args.rows + i, args.exact + i * PADDED);                          \
        }                                                                              \
    }

TREE(f32, float)
TREE(f64, double)

// The boxes and the lowest indices of the leaves, one warp for each. `nodes` is a multiple of 32.
KERNEL __launch_bounds__(WARPS_BLOCK) leaf_boxes(const TreeArguments<void> args) {
    u32 node = (u32)(first_index() / WIDTH), lane = threadIdx.x % WIDTH;
    if (node >= args.nodes) return;
    u64 point = (u64)node * WIDTH + lane;
    Box own = empty_box();
    if (point < args.count) own.low = own.high = args.rows[point];
    Box box = around(own);
    u32 first = __reduce_min_sync(ALL, point < args.count ? args.order[point] : NONE);
    if (lane == 0) args.boxes[node] = box;
    if (lane == 0) args.lowest[node] = first;
}

// The same for the nodes of the level that begins at `begin`. The level below it has `children`
// nodes from `below` on.
KERNEL __launch_bounds__(WARPS_BLOCK) node_boxes(const TreeArguments<void> args) {
    u32 node = (u32)(first_index() / WIDTH), lane = threadIdx.x % WIDTH;
    if (node >= args.nodes) return;
    u64 child = (u64)node * WIDTH + lane;
    Box box = around(child < args.children ? args.boxes[args.below + child] : empty_box());
    u32 first =
        __reduce_min_sync(ALL, child < args.children ? args.lowest[args.below + child] : NONE);
    if (lane == 0) args.boxes[args.begin + node] = box;
    if (lane == 0) args.lowest[args.begin + node] = first;
}
