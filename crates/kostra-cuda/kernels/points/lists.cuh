// The lists of the nearest points that may be in other components.

#pragma once

#include "common.cuh"

// Entries of a list.
constexpr u32 LIST = 4;

// The lists of all points: first the first entry of each point, then the second ones, and so on,
// because most steps read the first ones only. The nearest point comes first, and NONE after the
// last.
struct Lists {
    u32* entries;
    u32 count; // of the points

    __device__ __forceinline__ u32& at(u64 point, u32 k) const {
        return entries[(u64)k * count + point];
    }

    // Drops the first entries of a point that are in its own component. Returns how many these are.
    __device__ __forceinline__ u32 drop(u64 point, const u32* labels, u32 component) const {
        u32 dropped = 0;
        while (dropped < LIST) {
            u32 entry = at(point, dropped);
            if (entry == NONE || labels[entry] != component) break;
            dropped++;
        }
        for (u32 k = 0; dropped > 0 && k < LIST; k++)
            at(point, k) = k + dropped < LIST ? at(point, k + dropped) : NONE;
        return dropped;
    }
};
