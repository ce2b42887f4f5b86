// The edges of the tree in ascending order of distances and pairs. src/points/order.rs says how.

#pragma once

#include "points/append.cuh"
#include "points/counters.cuh"

// The lower bits of a distance, which the first sort does not compare.
constexpr u32 UNSORTED_BITS = 24;
// The longest runs that one thread and one block put in order.
constexpr u32 LONGEST_RUN = 32;
constexpr u32 LONGEST_RUN_OF_BLOCK = 2048;

// The argument of the kernels of this file. src/points/order.rs declares the same struct.
struct OrderArguments {
    // The distances and the places of all edges, in the order so far.
    u64* keys;
    u32* places;
    const u64* edge_pairs;
    // The first edges of long runs; then the indices of edges that are sorted again.
    u32 *list, *counters;
    // These edges: their distances or pairs, their places, and their indices.
    u64* pair_keys;
    u32* pair_values;
    const u64 *gathered, *indices;
    // The results.
    u32 *lower_ends, *higher_ends;
    double* distances;
    u32 count, is_half;
};

// The part of a distance by which edges are sorted first. Equal parts are rare among different
// distances: of 100 million edges, a tenth has one.
__device__ __forceinline__ u64 sorted_part(u64 key) { return key >> UNSORTED_BITS; }

// The edges are sorted by the upper parts of their distances, and `places` has the place of each.
// Puts runs of equal parts in the order of distances and pairs, and lists the first edges of runs
// that are too long for one thread.
KERNEL __launch_bounds__(THREADS) order_runs(const OrderArguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u64 part = sorted_part(args.keys[i]);
        if ((i > 0 && sorted_part(args.keys[i - 1]) == part) || i + 1 == args.count ||
            sorted_part(args.keys[i + 1]) != part) {
            continue;
        }
        u64 end = i + 1;
        while (end < args.count && end - i <= LONGEST_RUN && sorted_part(args.keys[end]) == part)
            end++;
        if (end - i > LONGEST_RUN) {
            args.list[atomicAdd(&args.counters[LONG_RUNS], 1)] = (u32)i;
            continue;
        }
        for (u64 next = i + 1; next < end; next++) {
            u64 key = args.keys[next], at = next;
            u32 place = args.places[next];
            for (; at > i; at--) {
                u64 before = args.keys[at - 1];
                u32 place_before = args.places[at - 1];
                if (before < key ||
                    (before == key && args.edge_pairs[place_before] < args.edge_pairs[place])) {
                    break;
                }
                args.keys[at] = before;
                args.places[at] = place_before;
            }
            args.keys[at] = key;
            args.places[at] = place;
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
KERNEL __launch_bounds__(THREADS) order_long_runs(const OrderArguments args) {
    __shared__ u64 of_keys[LONGEST_RUN_OF_BLOCK], of_pairs[LONGEST_RUN_OF_BLOCK];
    __shared__ u32 of_places[LONGEST_RUN_OF_BLOCK];
    Run own = {of_keys, of_pairs, of_places};
    for (u32 run = blockIdx.x; run < args.counters[LONG_RUNS]; run += gridDim.x) {
        u64 first = args.list[run], part = sorted_part(args.keys[first]);
        u32 length = 0, more = THREADS;
        while (more == THREADS && length <= LONGEST_RUN_OF_BLOCK) {
            u64 at = first + length + threadIdx.x;
            more = (u32)__syncthreads_count(at < args.count && sorted_part(args.keys[at]) == part);
            length += more;
        }
        if (length > LONGEST_RUN_OF_BLOCK) continue;
        u32 padded = LONGEST_RUN;
        while (padded < length) padded *= 2;
        for (u32 i = threadIdx.x; i < padded; i += THREADS) {
            own.places[i] = i < length ? args.places[first + i] : 0;
            own.keys[i] = i < length ? args.keys[first + i] : ~0ull;
            own.pairs[i] = i < length ? args.edge_pairs[own.places[i]] : ~0ull;
        }
        sort_in_block(own, padded);
        for (u32 i = threadIdx.x; i < length; i += THREADS) {
            args.keys[first + i] = own.keys[i];
            args.places[first + i] = own.places[i];
        }
        __syncthreads();
    }
}

// Lists the edges of runs that are longer still. An edge of such a run has one of the same run at
// half of the length before or behind it. Shorter runs have some such edges, too, which are in
// order.
KERNEL __launch_bounds__(THREADS) list_unordered(const OrderArguments args) {
    constexpr u64 HALF = LONGEST_RUN_OF_BLOCK / 2;
    u64 rounded = (args.count + THREADS - 1) / THREADS * (u64)THREADS;
    for (u64 i = first_index(); i < rounded; i += index_stride()) {
        u64 part = sorted_part(args.keys[min(i, args.count - 1ull)]);
        bool is_listed =
            i < args.count && ((i >= HALF && sorted_part(args.keys[i - HALF]) == part) ||
                               (i + HALF < args.count && sorted_part(args.keys[i + HALF]) == part));
        append<1>({is_listed}, {(u32)i}, args.list, &args.counters[UNORDERED]);
    }
}

// The indices of listed edges, as keys, and their places.
KERNEL __launch_bounds__(THREADS) take_unordered(const OrderArguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        args.pair_keys[i] = args.list[i];
        args.pair_values[i] = args.places[args.list[i]];
    }
}

// Writes distances and places to the given indices.
KERNEL __launch_bounds__(THREADS) put_ordered(const OrderArguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        args.keys[args.indices[i]] = args.pair_keys[i];
        args.places[args.indices[i]] = args.pair_values[i];
    }
}

// The keys or pairs at the given places.
KERNEL __launch_bounds__(THREADS) gather(const OrderArguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride())
        args.pair_keys[i] = args.gathered[args.pair_values[i]];
}

// The lower and the higher end of each edge, and its distance: the root of what was compared, or
// with `is_half` one half of it.
KERNEL __launch_bounds__(THREADS) report(const OrderArguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u64 pair = args.edge_pairs[args.places[i]];
        args.lower_ends[i] = (u32)(pair >> 32);
        args.higher_ends[i] = (u32)pair;
        double compared = __longlong_as_double((long long)args.keys[i]);
        args.distances[i] = args.is_half ? compared / 2 : __dsqrt_rn(compared);
    }
}
