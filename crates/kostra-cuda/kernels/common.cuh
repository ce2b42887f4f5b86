// Types, keys, atomic minima and disjoint sets, for every kernel file.

#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

#define KERNEL extern "C" __global__ void

enum : u32 { NONE = 0xFFFFFFFFu };

// The index of the thread in the grid, and the number of threads. Loops over more items use both.
__device__ __forceinline__ u64 first_index() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u64 index_stride() { return (u64)gridDim.x * blockDim.x; }

// ---- Keys
// The unsigned integer that orders weights, as in kostra-core/src/weight.rs. kind: 0 unsigned, 1
// signed, 2 float. flip: 0 for a minimum spanning forest, all ones for a maximum one.

__device__ __forceinline__ u32 key_of(u32 bits, u32 kind, u32 flip) {
    if (kind == 1) {
        bits ^= 0x80000000u;
    } else if (kind == 2) {
        if (bits == 0x80000000u) bits = 0; // -0.0 is 0.0
        bits ^= (u32)((int)bits >> 31) | 0x80000000u;
    }
    return bits ^ flip;
}

__device__ __forceinline__ u64 key_of(u64 bits, u32 kind, u32 flip) {
    if (kind == 1) {
        bits ^= 0x8000000000000000ull;
    } else if (kind == 2) {
        if (bits == 0x8000000000000000ull) bits = 0; // -0.0 is 0.0
        bits ^= (u64)((long long)bits >> 63) | 0x8000000000000000ull;
    }
    return bits ^ ((u64)flip << 32 | flip);
}

// A 32-bit key with an edge id, or another tie breaker, below it: one integer that holds the
// strict total order.
__device__ __forceinline__ u64 rank_of(u32 key, u32 id) { return (u64)key << 32 | id; }

// ---- Shared words

__device__ __forceinline__ u32 load(const u32* word) { return *(const volatile u32*)word; }
__device__ __forceinline__ u64 load(const u64* word) { return *(const volatile u64*)word; }

// Loads four words of an array of `count` words from place i on, as 16 bytes at once where they are
// aligned. Words after the last one are not loaded. The words are read once, so they need not stay
// in the cache.
template <class Word>
__device__ __forceinline__ void load_four(Word* words, const Word* from, u64 i, u64 count) {
    if ((u64)from % sizeof(uint4) == 0 && i + 4 <= count) {
#pragma unroll
        for (u32 j = 0; j < 4 * sizeof(Word) / sizeof(uint4); j++)
            ((uint4*)words)[j] = __ldcs((const uint4*)(from + i) + j);
    } else {
#pragma unroll
        for (u32 j = 0; j < 4; j++) words[j] = i + j < count ? from[i + j] : 0;
    }
}

// Lowers a word to a value. Looks first: most offers come too late, and a look is cheaper than an
// atomic.
__device__ __forceinline__ void lower(u32* word, u32 value) {
    if (load(word) > value) atomicMin(word, value);
}
__device__ __forceinline__ void lower(u64* word, u64 value) {
    if (load(word) > value) atomicMin(word, value);
}

// Whether a set that has a bit for each edge or vertex has this one.
__device__ __forceinline__ bool has(const u32* set, u32 id) {
    return load(&set[id / 32]) >> id % 32 & 1;
}

// Adds an edge or a vertex to a set that has a bit for each.
__device__ __forceinline__ void insert(u32* set, u32 id) { atomicOr(&set[id / 32], 1u << id % 32); }

// ---- Sums

// The sum of the numbers of this thread and of the threads before it. Every thread of the block
// calls it; `sums` has room for all of them.
template <u32 threads>
__device__ __forceinline__ u32 sum_of_threads(u32 own, u32 (&sums)[2][threads]) {
    // In each step the number of threads whose sum a thread holds doubles. The thread itself is the
    // last of them.
    u32 now = 0, inclusive = own;
    sums[now][threadIdx.x] = own;
    __syncthreads();
    for (u32 distance = 1; distance < threads; distance *= 2) {
        if (threadIdx.x >= distance) inclusive += sums[now][threadIdx.x - distance];
        now = 1 - now;
        sums[now][threadIdx.x] = inclusive;
        __syncthreads();
    }
    return inclusive;
}

// ---- Disjoint sets
// As in papers/kostra-papers/src/shared/shared_union_find.rs, where it is proved and checked: a
// record has the rank above and the parent below, so that one compare-and-swap sees and changes
// both; wait-free. Shou & He 2024, Listing 4, after Anderson & Woll 1991. Deviates from the listing
// in two lines: line 37 gives a linked root the rank of its new parent, which can close a cycle,
// and line 35 swaps the ranks without their roots. join also says whether it merged.

__device__ __forceinline__ u64 record_of(u32 rank, u32 parent) { return (u64)rank << 32 | parent; }

// The representative of the set that holds an element. Compression shortens the path that is
// walked.
template <bool compress>
__device__ __forceinline__ u32 find(u64* records, u32 element) {
    u64 found = load(&records[element]);
    for (;;) {
        u32 parent = (u32)found;
        if (parent == element) return element;
        u64 above = load(&records[parent]);
        if (!compress) {
            element = parent;
            found = above;
            continue;
        }
        u32 grandparent = (u32)above;
        if (grandparent != parent) {
            // Whoever was faster has shortened the path as well.
            atomicCAS(&records[element], found, record_of((u32)(found >> 32), grandparent));
        }
        element = grandparent;
        found = load(&records[element]);
    }
}

// Changes the record of an element, if that is still a root of the old rank.
__device__ __forceinline__ bool update_root(u64* records, u32 element, u32 old_rank, u32 parent,
                                            u32 new_rank) {
    u64 root = record_of(old_rank, element);
    return atomicCAS(&records[element], root, record_of(new_rank, parent)) == root;
}

// Merges the sets of two elements, and says whether it was this call that merged them.
template <bool compress>
__device__ __forceinline__ bool join(u64* records, u32 u, u32 v) {
    for (;;) {
        u = find<compress>(records, u);
        v = find<compress>(records, v);
        if (u == v) return false;
        u32 rank_u = (u32)(load(&records[u]) >> 32), rank_v = (u32)(load(&records[v]) >> 32);
        if (rank_u > rank_v || (rank_u == rank_v && u > v)) {
            u32 swap = u; u = v; v = swap;
            swap = rank_u; rank_u = rank_v; rank_v = swap;
        }
        if (update_root(records, u, rank_u, v, rank_u)) {
            if (rank_u == rank_v) update_root(records, v, rank_v, v, rank_v + 1);
            return true;
        }
    }
}
