// The canonical distance of points of any number of dimensions, and the order of pairs.

#pragma once

#include "common.cuh"

// After the bits of every distance.
enum : u64 { FAR = 0xFFFFFFFFFFFFFFFFull };

// The rows by which distances are decided.
template <typename T>
struct Exact {
    const T* points;
    u64 stride;
    u32 dimensions;

    // The bits of the sum over the dimensions, in ascending order, of the squared differences in 64
    // bits. Every operation is rounded by itself. As in kostra-points/src/canonical/.
    __device__ __forceinline__ u64 canonical(u32 a, u32 b) const {
        const T *x = points + a * stride, *y = points + b * stride;
        double sum = 0;
#pragma unroll 8
        for (u32 k = 0; k < dimensions; k++) {
            double difference = __dsub_rn((double)x[k], (double)y[k]);
            sum = __dadd_rn(sum, __dmul_rn(difference, difference));
        }
        return (u64)__double_as_longlong(sum);
    }

    // The same; with core distances, of mutual reachability. Without them, `cores` is null.
    __device__ __forceinline__ u64 distance(const u64* cores, u32 a, u32 b) const {
        u64 key = canonical(a, b);
        return cores ? max(key, max(cores[a], cores[b])) : key;
    }
};

// Whether the pair of a point and `other` comes before that of the same point and `than`. For one
// point, pairs of equal distances are in the order of the other point.
__device__ __forceinline__ bool is_before(u64 key, u32 other, u64 than_key, u32 than) {
    return key < than_key || (key == than_key && other < than);
}
