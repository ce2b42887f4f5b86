// Coordinates as integers of the same order, in which the extent of the points is collected.

#pragma once

#include "common.cuh"

__device__ __forceinline__ u64 to_extent(double value) {
    return key_of((u64)__double_as_longlong(value), 2, 0);
}

__device__ __forceinline__ double from_extent(u64 key) {
    return __longlong_as_double((long long)(key >> 63 ? key ^ 0x8000000000000000ull : ~key));
}
