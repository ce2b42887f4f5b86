// The edges of the tree in ascending order of distances and pairs. src/points/order.rs says how.

#pragma once

#include "points/append.cuh"
#include "points/counters.cuh"

// The lower bits of a distance, which the first sort does not compare.
constexpr u32 UNSORTED_BITS = 24;
// The longest runs that one thread and one block put in order.
constexpr u32 LONGEST_RUN = 32;
constexpr u32 LONGEST_RUN_OF_BLOCK = 2048;

// The part of a distance by which edges are sorted first. Equal parts are rare among different
// distances: of 100 million edges, a tenth has one.
__device__ __forceinline__ u64 sorted_part(u64 key) { return key >> UNSORTED_BITS; }

// The edges are sorted by the upper parts of their distances, and `places` has the place of each.
// Puts runs of equal parts in the order of distances and pairs, and lists the first edges of runs
// that are too long for one thread.
KERNEL __launch_bounds__(THREADS) order_runs(u32 count, u64* keys, u32* places,
                                             const u64* edge_pairs, u32* counters, u32* long_runs) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 part = sorted_part(keys[i]);
        if ((i > 0 && sorted_part(keys[i - 1]) == part) || i + 1 == count ||
            sorted_part(keys[i + 1]) != part) {
            continue;
        }
        u64 end = i + 1;
        while (end < count && end - i <= LONGEST_RUN && sorted_part(keys[end]) == part) end++;
        if (end - i > LONGEST_RUN) {
            long_runs[atomicAdd(&counters[LONG_RUNS], 1)] = (u32)i;
            continue;
        }
        for (u64 next = i + 1; next < end; next++) {
            u64 key = keys[next], at = next;
            u32 place = places[next];
            for (; at > i; at--) {
                u64 before = keys[at - 1];
                u32 place_before = places[at - 1];
                if (before < key ||
                    (before == key && edge_pairs[place_before] < edge_pairs[place])) {
                    break;
                }
                keys[at] = before;
                places[at] = place_before;
            }
            keys[at] = key;
            places[at] = place;
        }
    }
}

// A run in shared memory.
struct Run {
    u64 *keys, *pairs;
    u32* places;

    __device__ __forceinline__ bool is_after(u32 a, u32 b) const {
        return keys[a] > keys[b] || (keys[a] == keys[b] && pairs[a] > pairs[b]);
    }
    __device__ __forceinline__ void swap(u32 a, u32 b) const {
        u64 key = keys[a], pair = pairs[a];
        u32 place = places[a];
        keys[a] = keys[b];
        pairs[a] = pairs[b];
        places[a] = places[b];
        keys[b] = key;
        pairs[b] = pair;
        places[b] = place;
    }
};

// Sorts a run by Batcher's bitonic network (1968). Its length is a power of two. Every thread of
// the block calls it.
__device__ void sort_in_block(const Run& run, u32 length) {
    for (u32 sorted = 2; sorted <= length; sorted *= 2) {
        for (u32 distance = sorted / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (u32 i = threadIdx.x; i < length / 2; i += THREADS) {
                u32 low = i / distance * 2 * distance + i % distance, high = low + distance;
                bool ascends = (low & sorted) == 0;
                if (run.is_after(low, high) == ascends) run.swap(low, high);
            }
        }
    }
    __syncthreads();
}

// Puts long runs in order, a block at a time. Longer runs stay as they are.
KERNEL __launch_bounds__(THREADS) order_long_runs(u32 count, u64* keys, u32* places,
                                                  const u64* edge_pairs, const u32* counters,
                                                  const u32* long_runs) {
    __shared__ u64 of_keys[LONGEST_RUN_OF_BLOCK], of_pairs[LONGEST_RUN_OF_BLOCK];
    __shared__ u32 of_places[LONGEST_RUN_OF_BLOCK];
    Run own = {of_keys, of_pairs, of_places};
    for (u32 run = blockIdx.x; run < counters[LONG_RUNS]; run += gridDim.x) {
        u64 first = long_runs[run], part = sorted_part(keys[first]);
        u32 length = 0, more = THREADS;
        while (more == THREADS && length <= LONGEST_RUN_OF_BLOCK) {
            u64 at = first + length + threadIdx.x;
            more = (u32)__syncthreads_count(at < count && sorted_part(keys[at]) == part);
            length += more;
        }
        if (length > LONGEST_RUN_OF_BLOCK) continue;
        u32 padded = LONGEST_RUN;
        while (padded < length) padded *= 2;
        for (u32 i = threadIdx.x; i < padded; i += THREADS) {
            own.places[i] = i < length ? places[first + i] : 0;
            own.keys[i] = i < length ? keys[first + i] : ~0ull;
            own.pairs[i] = i < length ? edge_pairs[own.places[i]] : ~0ull;
        }
        sort_in_block(own, padded);
        for (u32 i = threadIdx.x; i < length; i += THREADS) {
            keys[first + i] = own.keys[i];
            places[first + i] = own.places[i];
        }
        __syncthreads();
    }
}

// Lists the edges of runs that are longer still. An edge of such a run has one of the same run at
// half of the length before or behind it. Shorter runs have some such edges, too, which are in
// order.
KERNEL __launch_bounds__(THREADS) list_unordered(u32 count, const u64* keys, u32* unordered,
                                                 u32* counters) {
    constexpr u64 HALF = LONGEST_RUN_OF_BLOCK / 2;
    u64 rounded = (count + THREADS - 1) / THREADS * (u64)THREADS;
    for (u64 i = first_index(); i < rounded; i += index_stride()) {
        u64 part = sorted_part(keys[min(i, count - 1ull)]);
        bool is_listed = i < count &&
            ((i >= HALF && sorted_part(keys[i - HALF]) == part) ||
             (i + HALF < count && sorted_part(keys[i + HALF]) == part));
        append<1>({is_listed}, {(u32)i}, unordered, &counters[UNORDERED]);
    }
}

// The indices of listed edges, as keys, and their places.
KERNEL __launch_bounds__(THREADS) take_unordered(u32 count, const u32* unordered, const u32* places,
                                                 u64* keys, u32* values) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        keys[i] = unordered[i];
        values[i] = places[unordered[i]];
    }
}

// Writes distances and places to the given indices.
KERNEL __launch_bounds__(THREADS) put_ordered(u32 count, const u64* indices,
                                              const u64* ordered_keys, const u32* ordered_places,
                                              u64* keys, u32* places) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        keys[indices[i]] = ordered_keys[i];
        places[indices[i]] = ordered_places[i];
    }
}

// The keys or pairs at the given places.
KERNEL __launch_bounds__(THREADS) gather(u32 count, const u32* places, const u64* from, u64* to) {
    for (u64 i = first_index(); i < count; i += index_stride()) to[i] = from[places[i]];
}

// The lower and the higher end of each edge, and its distance: the root of what was compared, or
// with `is_half` one half of it.
KERNEL __launch_bounds__(THREADS) report(u32 count, u32 is_half, const u64* sorted_keys,
                                         const u32* places, const u64* edge_pairs, u32* lower_ends,
                                         u32* higher_ends, double* distances) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 pair = edge_pairs[places[i]];
        lower_ends[i] = (u32)(pair >> 32);
        higher_ends[i] = (u32)pair;
        double compared = __longlong_as_double((long long)sorted_keys[i]);
        distances[i] = is_half ? compared / 2 : __dsqrt_rn(compared);
    }
}
