// The trees of PMA, and the search of rows by one thread. pma.cu has the rules for shared words.

#pragma once

#include "common.cuh"

template <typename K>
struct Graph {
    const u32* first_edge;
    const u32* from;
    u32* neighbors;
    K* keys;
    u32* ids;

    __device__ void swap(u32 a, u32 b) const {
        u32 neighbor = neighbors[a], id = ids[a];
        K key = keys[a];
        neighbors[a] = neighbors[b];
        keys[a] = keys[b];
        ids[a] = ids[b];
        neighbors[b] = neighbor;
        keys[b] = key;
        ids[b] = id;
    }
};

// The lightest entry of a search so far.
template <typename K>
struct Lightest {
    u32 entry = NONE;
    K key = 0;
    u32 id = 0;

    // Whether an entry precedes this one in the strict total order of edges.
    __device__ bool is_after(const Graph<K>& graph, u32 other) const {
        if (entry == NONE) return true;
        K other_key = graph.keys[other];
        return other_key != key ? other_key < key : graph.ids[other] < id;
    }

    __device__ void take(const Graph<K>& graph, u32 other) {
        entry = other;
        key = graph.keys[other];
        id = graph.ids[other];
    }
};

// A tree that a processor grows.
template <typename K>
struct Tree {
    Graph<K> graph;
    u32* successor;
    // Q, without the vertices that have no outgoing edge any more. A vertex is represented by an
    // entry of its row: none of its outgoing edges is lighter. The places of all processors are
    // interleaved, so that the threads of a warp read neighboring words.
    u32* list;
    u32 stride;
    u32 root;
    u32 listed;

    __device__ bool has(u32 vertex) const { return load(&successor[vertex]) == root; }
    __device__ u32& place(u32 index) const { return list[(u64)index * stride]; }
};

// MinPMA, Algorithm 3: searches all edges of a vertex.
struct MinSearch {
    // The lightest outgoing edge of a vertex, or NONE. Brings it to the front of the row (5.4).
    template <typename K>
    static __device__ __forceinline__ u32 first(const Tree<K>& tree, u32 vertex) {
        const Graph<K>& graph = tree.graph;
        u32 front = graph.first_edge[vertex], end = graph.first_edge[vertex + 1];
        Lightest<K> lightest;
        for (u32 entry = front; entry < end; entry++) {
            // The weight first: it is in the row, and the successor is anywhere.
            if (lightest.is_after(graph, entry) && !tree.has(graph.neighbors[entry])) {
                lightest.take(graph, entry);
            }
        }
        if (lightest.entry == NONE) return NONE;
        if (lightest.entry != front) graph.swap(front, lightest.entry);
        return front;
    }

    // The lightest outgoing edge of a vertex whose edge `entry` has become internal, or NONE.
    template <typename K>
    static __device__ __forceinline__ u32 next(const Tree<K>& tree, u32 entry) {
        return first(tree, tree.graph.from[entry]);
    }
};

// SortPMA, Algorithm 4: the edges of a row are sorted. The place in the list is `Last`.
struct SortSearch {
    template <typename K>
    static __device__ __forceinline__ u32 first(const Tree<K>& tree, u32 vertex) {
        return from_last(tree, vertex, tree.graph.first_edge[vertex]);
    }

    template <typename K>
    static __device__ __forceinline__ u32 next(const Tree<K>& tree, u32 entry) {
        return from_last(tree, tree.graph.from[entry], entry + 1);
    }

    // The first outgoing edge of a vertex from `last` on, or NONE.
    template <typename K>
    static __device__ __forceinline__ u32 from_last(const Tree<K>& tree, u32 vertex, u32 last) {
        u32 end = tree.graph.first_edge[vertex + 1];
        while (last < end && tree.has(tree.graph.neighbors[last])) last++;
        return last < end ? last : NONE;
    }
};
