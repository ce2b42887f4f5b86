// Rows of coordinates, boxes, and distances between them: approximate ones in 32 bits, which decide
// what to look at, and the canonical ones in 64 bits, which decide everything else.
//
// The file that includes this one defines D, the number of coordinates of a row. Points of fewer
// dimensions have zeros at the end, which change no distance.

#pragma once

#include "common.cuh"

// Points of a leaf, children of a node, and points that a warp serves at once: one for each lane.
constexpr u32 WIDTH = 32;
// Threads of a block of the kernels that have one warp for each task, and the blocks for which the
// registers of a multiprocessor suffice. Since compute capability 9.0, a thread has 64 registers in
// up to 8 dimensions: some kernels then spill a few, and more warps hide the waiting for memory.
// Compilers for older devices would spill several times as many.
constexpr u32 WARPS_BLOCK = 128;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
constexpr u32 RESIDENT = D <= 8 ? 8 : 3;
#else
constexpr u32 RESIDENT = D <= 8 ? 5 : 3;
#endif

// The most lanes that want a leaf for which the points of the leaf are compared with one lane's
// point at a time.
constexpr u32 FEW_LANES = 12;

enum : u32 { ALL = 0xFFFFFFFFu };
// After the bits of every distance.
enum : u64 { FAR = 0xFFFFFFFFFFFFFFFFull };

// Coordinates of a row in memory: a power of two.
constexpr u32 PADDED = D <= 2 ? 2 : D <= 4 ? 4 : D <= 8 ? 8 : 16;

// The approximate coordinates of a point, or a corner of a box.
struct __align__(PADDED >= 4 ? 16 : 8) Row {
    float at[PADDED];
};

struct Box {
    Row low, high;
};

// How approximate coordinates follow from the given ones: (x - center) * scale, rounded to 32 bits.
// For 32-bit coordinates, both are the same numbers.
struct Frame {
    double low[16]; // the least coordinate of each dimension
    double center[16];
    double scale, unit; // powers of two; unit is 1 / scale
    double slack;       // how much rounded coordinates change an approximate distance
    double cells;       // the factor from a difference of coordinates to cells of the curve
};

// The argument of the kernels of trees. src/points/kernels.rs declares the same struct. Only
// kernels with coordinates know their type.
template <typename T>
struct TreeArguments {
    const T* points;
    // The points in the order of the tree: approximate and exact coordinates, and both orders.
    Row* rows;
    T* exact;
    u32 *order, *inverse;
    u64* places;
    const u64* extent;
    Frame* frame;
    Box* boxes;
    u32* lowest;
    double* core_distances;
    // The arrays of rounds.
    const u64* cores;
    u32 *labels, *node_labels, *queries, *counters, *lists;
    u64 *keys, *least_keys, *bounds;
    u64 stride;
    // `nodes` nodes from `begin` on; below them, `children` nodes from `below` on.
    u32 dimensions, count, neighbors, below, children, begin, nodes;
};

// ---- Approximate distances
// Squared, without a square root. Rounding is monotone, and a box's distance takes the same
// operations as a point's. So it is never above the distance of a point in the box.

__device__ __forceinline__ float apart(const Row& a, const Row& b) {
    float sum = 0;
#pragma unroll
    for (u32 k = 0; k < D; k++) {
        float difference = a.at[k] - b.at[k];
        sum = __fmaf_rn(difference, difference, sum);
    }
    return sum;
}

__device__ __forceinline__ float apart(const Box& a, const Box& b) {
    float sum = 0;
#pragma unroll
    for (u32 k = 0; k < D; k++) {
        float gap = fmaxf(b.low.at[k] - a.high.at[k], a.low.at[k] - b.high.at[k]);
        gap = fmaxf(gap, 0);
        sum = __fmaf_rn(gap, gap, sum);
    }
    return sum;
}

__device__ __forceinline__ float apart(const Row& point, const Box& box) {
    return apart(Box{point, point}, box);
}

// ---- Bounds between approximate and canonical distances

// A relative error above that of all roundings of an approximate distance, and of its root.
constexpr double ERROR = (D + 8) * 0x1p-20;
// Squares below this number may have lost digits.
constexpr float TINY = 1e-30f;

// The square root with a relative error below 2^-20, without the slow path of the exact one.
__device__ __forceinline__ float root(float value) {
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
}

// A number that is not above the canonical distance of points whose approximate distance is at
// least `apart`.
template <typename T>
__device__ __forceinline__ double least(const Frame& frame, float apart) {
    if (apart < TINY) return 0;
    apart = fminf(apart, 3.4e38f);
    if (sizeof(T) == 4) return apart * (1 - ERROR);
    double distance = root(apart) * (1 - ERROR) - frame.slack;
    if (distance <= 0) return 0;
    distance *= frame.unit;
    return distance * distance * (1 - ERROR);
}

// A number that is not below the approximate distance of points whose canonical distance has at
// most the bits `key`.
template <typename T>
__device__ __forceinline__ float most(const Frame& frame, u64 key) {
    if (key >= 0x7FF0000000000000ull) return __int_as_float(0x7F800000);
    double apart = __longlong_as_double((long long)key);
    if (sizeof(T) == 8) {
        float distance = root(__double2float_ru(apart * frame.scale * frame.scale));
        apart = distance * (1 + ERROR) + frame.slack;
        apart *= apart;
    }
    return fmaxf(__double2float_ru(apart * (1 + ERROR)), TINY);
}

// ---- The canonical distance
// The bits of the sum over the dimensions, in ascending order, of the squared differences in 64
// bits. Every operation is rounded by itself. As in kostra-points/src/canonical/.

template <typename T>
__device__ __forceinline__ u64 canonical(const T* points, u32 a, u32 b) {
    double sum = 0;
#pragma unroll
    for (u32 k = 0; k < D; k++) {
        double difference =
            __dsub_rn((double)points[(u64)a * PADDED + k], (double)points[(u64)b * PADDED + k]);
        sum = __dadd_rn(sum, __dmul_rn(difference, difference));
    }
    return (u64)__double_as_longlong(sum);
}

// A pair of points as one number that is ordered by the lower index, then by the higher one.
__device__ __forceinline__ u64 pair_of(u32 a, u32 b) { return (u64)min(a, b) << 32 | max(a, b); }

__device__ __forceinline__ bool is_before(u64 key, u64 pair, u64 other_key, u64 other_pair) {
    return key < other_key || (key == other_key && pair < other_pair);
}

// ---- Over the lanes of a warp

// Floats as integers of the same order.
__device__ __forceinline__ u32 ordered(float value) {
    u32 bits = __float_as_uint(value);
    return bits ^ ((u32)((int)bits >> 31) | 0x80000000u);
}
__device__ __forceinline__ float from_ordered(u32 bits) {
    return __uint_as_float(bits ^ ((bits >> 31) - 1 | 0x80000000u));
}

// The row that a lane has, for all lanes.
__device__ __forceinline__ Row row_of(const Row& own, u32 lane) {
    Row row;
#pragma unroll
    for (u32 k = 0; k < D; k++) row.at[k] = __shfl_sync(ALL, own.at[k], lane);
    return row;
}

// The box around the boxes of all lanes.
__device__ __forceinline__ Box around(const Box& own) {
    Box box;
#pragma unroll
    for (u32 k = 0; k < PADDED; k++) {
        box.low.at[k] = k < D ? from_ordered(__reduce_min_sync(ALL, ordered(own.low.at[k]))) : 0;
        box.high.at[k] = k < D ? from_ordered(__reduce_max_sync(ALL, ordered(own.high.at[k]))) : 0;
    }
    return box;
}

// The largest of the lanes' numbers. No number may be negative.
__device__ __forceinline__ float largest(float value) {
    return __uint_as_float(__reduce_max_sync(ALL, __float_as_uint(value)));
}

__device__ __forceinline__ Box empty_box() {
    Box box;
#pragma unroll
    for (u32 k = 0; k < PADDED; k++) {
        box.low.at[k] = __int_as_float(0x7F800000);
        box.high.at[k] = -box.low.at[k];
    }
    return box;
}
