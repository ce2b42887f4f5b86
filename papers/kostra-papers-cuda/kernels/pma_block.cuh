// Partial Prim with a block for each processor. Thread 0 grows the tree as `grow` in pma.cu does.
// Whenever it needs the lightest outgoing edge of a vertex, all threads of the block search its
// row.
//
// Nobari 2012 has one thread for each processor, so two vertices with millions of edges are left to
// one thread in the last round. The trees and the answer are the same.

#pragma once

#include "pma_tree.cuh"

// Threads of a block. src/pma reads it.
constexpr u32 SEARCH_THREADS = 256;

// A search of a row by all threads of a block, in shared memory.
struct RowSearch {
    // The vertex whose row is searched, from the entry `start` on. NONE if the tree is complete.
    u32 vertex, start;
    // The entry that was found, or NONE. At the end, the root of the tree that was touched.
    u32 found;
    u32 entries[SEARCH_THREADS];
};

// The entry that precedes the other one in the strict total order of edges. NONE is no entry.
template <typename K>
__device__ __forceinline__ u32 lighter(const Graph<K>& graph, u32 a, u32 b) {
    if (a == NONE || b == NONE) return a == NONE ? b : a;
    K key_a = graph.keys[a], key_b = graph.keys[b];
    return key_a < key_b || (key_a == key_b && graph.ids[a] < graph.ids[b]) ? a : b;
}

// Algorithm 3: searches all edges of a vertex, and brings the lightest outgoing edge to the front.
struct MinSearchByBlock {
    template <typename K>
    static __device__ void run(const Tree<K>& tree, RowSearch& search) {
        const Graph<K>& graph = tree.graph;
        u32 front = graph.first_edge[search.vertex], end = graph.first_edge[search.vertex + 1];
        Lightest<K> own;
        for (u64 entry = (u64)front + threadIdx.x; entry < end; entry += SEARCH_THREADS) {
            if (own.is_after(graph, (u32)entry) && !tree.has(graph.neighbors[entry])) {
                own.take(graph, (u32)entry);
            }
        }
        search.entries[threadIdx.x] = own.entry;
        for (u32 half = SEARCH_THREADS / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x >= half) continue;
            search.entries[threadIdx.x] =
                lighter(graph, search.entries[threadIdx.x], search.entries[threadIdx.x + half]);
        }
        __syncthreads(); // no thread reads the row any more
        if (threadIdx.x > 0) return;
        u32 lightest = search.entries[0];
        if (lightest != NONE && lightest != front) graph.swap(front, lightest);
        search.found = lightest == NONE ? NONE : front;
    }
};

// Algorithm 4: searches a sorted row from an entry on.
struct SortSearchByBlock {
    template <typename K>
    static __device__ void run(const Tree<K>& tree, RowSearch& search) {
        const Graph<K>& graph = tree.graph;
        u32 end = graph.first_edge[search.vertex + 1];
        if (threadIdx.x == 0) search.found = NONE;
        for (u64 chunk = search.start; chunk < end; chunk += SEARCH_THREADS) {
            __syncthreads(); // all threads have read `found`
            u64 entry = chunk + threadIdx.x;
            if (entry < end && !tree.has(graph.neighbors[entry]))
                atomicMin(&search.found, (u32)entry);
            __syncthreads();
            if (search.found != NONE) return;
        }
    }
};

// What thread 0 knows of the growth of a tree between two searches.
template <typename K>
struct Growth {
    u32 newest, size, index;
    // Whether the last search was of the newest vertex. Otherwise the entry at `index` in the list
    // is replaced.
    bool adds;
    Lightest<K> lightest;

    __device__ void search_newest(const Tree<K>& tree, RowSearch& search) {
        adds = true;
        search.vertex = newest;
        search.start = tree.graph.first_edge[newest];
    }

    __device__ void end(RowSearch& search, u32 touched) {
        search.vertex = NONE;
        search.found = touched;
    }

    // Takes the entry that was found, and continues until the next search. The steps are those of
    // `grow` and `lightest_edge` in pma.cu.
    __device__ void resume(Tree<K>& tree, RowSearch& search, u32 gamma, u32* forest) {
        if (adds) {
            if (search.found != NONE) tree.place(tree.listed++) = search.found;
            lightest = Lightest<K>();
            index = 0;
        } else {
            u32 entry = search.found == NONE ? tree.place(--tree.listed) : search.found;
            tree.place(index) = entry;
        }
        for (; index < tree.listed; index++) {
            u32 entry = tree.place(index);
            if (!lightest.is_after(tree.graph, entry)) continue;
            if (tree.has(tree.graph.neighbors[entry])) {
                adds = false;
                search.vertex = tree.graph.from[entry];
                search.start = entry + 1;
                return;
            }
            lightest.take(tree.graph, entry);
        }
        if (lightest.entry == NONE) return end(search, NONE);
        insert(forest, tree.graph.ids[lightest.entry]);
        newest = tree.graph.neighbors[lightest.entry];
        u32 claimed_by = atomicCAS(&tree.successor[newest], NONE, tree.root);
        size++;
        if (claimed_by != NONE || size == gamma) return end(search, claimed_by);
        search_newest(tree, search);
    }
};

// Algorithm 2 from line 5 on. Returns the root of the tree that this tree touched, or NONE. All
// threads of the block call it. `gamma` is at least 2.
template <typename Search, typename K>
__device__ u32 grow_by_block(Tree<K>& tree, u32 gamma, u32* forest) {
    __shared__ RowSearch search;
    Growth<K> growth = {tree.root, 1, 0, true, Lightest<K>()};
    if (threadIdx.x == 0) growth.search_newest(tree, search);
    __syncthreads();
    while (search.vertex != NONE) {
        Search::run(tree, search);
        __syncthreads();
        if (threadIdx.x == 0) growth.resume(tree, search, gamma, forest);
        __syncthreads();
    }
    return search.found;
}
