// Rows of a graph, for every kernel file that looks up the row of an entry.

#pragma once

#include "common.cuh"

// The vertex whose row contains an entry: the last one whose row does not start after the entry.
__device__ __forceinline__ u32 owner(const u32* first_edge, u32 vertices, u32 entry) {
    u32 low = 0, high = vertices;
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        if (first_edge[middle] <= entry) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
