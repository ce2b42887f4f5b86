// The generic contracting Borůvka algorithm: one thread per vertex.
// The steps that other solvers share are in contraction.cu.
//
// Source: Sousa 2014, section 4.4, Algorithms 7 to 13, and Biagiotti, GPU-u. The arrays have
// Sousa's names. The rows of a graph are `first_edge`, and the `neighbors`, `keys` and `ids` of
// their entries.

#include "boruvka_contract.cuh"
#include "kernel_1024.cuh"

// Algorithm 7.
template <typename K>
__device__ void find_minimum_edges(const Arguments<K>& args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 min_edge = NONE, min_id = NONE;
    K min_key = 0;
    for (u32 entry = args.first_edge[vertex], end = args.first_edge[vertex + 1]; entry < end;
         entry++) {
        K key = args.keys[entry];
        u32 id = args.ids[entry];
        if (min_edge == NONE || key < min_key || (key == min_key && id < min_id)) {
            min_edge = entry;
            min_key = key;
            min_id = id;
        }
    }
    args.vertex_minedge[vertex] = min_edge;
}

// Algorithm 8. Adds the edges that remain to the forest.
KERNEL_1024 remove_mirrored_edges(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 edge = args.vertex_minedge[vertex];
    if (edge == NONE) return;
    u32 succ = args.neighbors[edge];
    // If two vertices chose the same edge, only the lower one removes it, so this thread still sees
    // the other vertex's edge. A successor without an edge has removed one that it shared with a
    // third vertex.
    if (vertex < succ) {
        u32 succ_edge = load(&args.vertex_minedge[succ]);
        if (succ_edge != NONE && args.neighbors[succ_edge] == vertex) {
            args.vertex_minedge[vertex] = NONE;
            return;
        }
    }
    insert(args.forest, args.ids[edge]);
}

// Algorithm 9.
KERNEL_1024 initialize_colors(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 edge = args.vertex_minedge[vertex];
    args.color[vertex] = edge == NONE ? (u32)vertex : args.neighbors[edge];
}

// Algorithm 11. A vertex without edges is done, and no other vertex has its color.
KERNEL_1024 flag_roots(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    args.new_vertex[vertex] =
        args.color[vertex] == vertex && args.first_edge[vertex] < args.first_edge[vertex + 1];
}

// Algorithm 12.
KERNEL_1024 count_new_edges(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 my_color = args.color[vertex], new_edges = 0;
    for (u32 entry = args.first_edge[vertex], end = args.first_edge[vertex + 1]; entry < end;
         entry++) {
        new_edges += args.color[args.neighbors[entry]] != my_color;
    }
    if (new_edges > 0) atomicAdd(&args.new_first_edge[args.new_vertex[my_color]], new_edges);
}

// Algorithm 13.
template <typename K>
__device__ void insert_new_edges(const Arguments<K>& args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 my_color = args.color[vertex];
    for (u32 entry = args.first_edge[vertex], end = args.first_edge[vertex + 1]; entry < end;
         entry++) {
        u32 other_color = args.color[args.neighbors[entry]];
        if (other_color == my_color) continue;
        u32 new_entry = atomicAdd(&args.next_edge[args.new_vertex[my_color]], 1);
        args.new_neighbors[new_entry] = args.new_vertex[other_color];
        args.new_keys[new_entry] = args.keys[entry];
        args.new_ids[new_entry] = args.ids[entry];
    }
}

// Kernels for keys of 32 and of 64 bits. src/boruvka_contract loads them.
#define KERNELS(BITS)                                                      \
    KERNEL_1024 find_minimum_edges_##BITS(const Arguments<u##BITS> args) { \
        find_minimum_edges(args);                                          \
    }                                                                      \
    KERNEL_1024 insert_new_edges_##BITS(const Arguments<u##BITS> args) { insert_new_edges(args); }

KERNELS(32)
KERNELS(64)
