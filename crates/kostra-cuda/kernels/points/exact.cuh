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
        constexpr u32 WIDTH = 16 / sizeof(T);
        struct alignas(16) Wide {
            T of[WIDTH];
        };
        const T *x = points + a * stride, *y = points + b * stride;
        double sum = 0;
        u32 k = 0;
        // Lanes read different rows, so each of their reads is one of the cache. Wide ones are few.
        if (((u64)points | stride * sizeof(T)) % sizeof(Wide) == 0) {
#pragma unroll 4
            for (; k + WIDTH <= dimensions; k += WIDTH) {
                Wide wide_x = *(const Wide*)(x + k), wide_y = *(const Wide*)(y + k);
#pragma unroll
                for (u32 i = 0; i < WIDTH; i++) add(sum, wide_x.of[i], wide_y.of[i]);
            }
        }
#pragma unroll 4
        for (; k < dimensions; k++) add(sum, x[k], y[k]);
        return (u64)__double_as_longlong(sum);
    }

    __device__ __forceinline__ static void add(double& sum, T x, T y) {
        double difference = __dsub_rn((double)x, (double)y);
        sum = __dadd_rn(sum, __dmul_rn(difference, difference));
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
