// The generic contracting Borůvka algorithm: one thread per vertex.
// The steps that other solvers share are in contraction.cu.
//
// Source: Sousa 2014, section 4.4, Algorithms 7 to 13, and Biagiotti, GPU-u. The arrays have
// Sousa's names. The rows of a graph are `first_edge`, and the `neighbors`, `keys` and `ids` of
// their entries.

#include "common.cuh"
#include "kernel_1024.cuh"

// Algorithm 7.
template <typename K>
__device__ void find_minimum_edges(const u32* first_edge, const K* keys, const u32* ids,
                                   u32 vertices, u32* vertex_minedge) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    u32 min_edge = NONE, min_id = NONE;
    K min_key = 0;
    for (u32 entry = first_edge[vertex], end = first_edge[vertex + 1]; entry < end; entry++) {
        K key = keys[entry];
        u32 id = ids[entry];
        if (min_edge == NONE || key < min_key || (key == min_key && id < min_id)) {
            min_edge = entry;
            min_key = key;
            min_id = id;
        }
    }
    vertex_minedge[vertex] = min_edge;
}

// Algorithm 8. Adds the edges that remain to the forest.
KERNEL_1024 remove_mirrored_edges(const u32* neighbors, const u32* ids, u32 vertices,
                                  u32* vertex_minedge, u32* forest) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    u32 edge = vertex_minedge[vertex];
    if (edge == NONE) return;
    u32 succ = neighbors[edge];
    // If two vertices chose the same edge, only the lower one removes it, so this thread still sees
    // the other vertex's edge. A successor without an edge has removed one that it shared with a
    // third vertex.
    if (vertex < succ) {
        u32 succ_edge = load(&vertex_minedge[succ]);
        if (succ_edge != NONE && neighbors[succ_edge] == vertex) {
            vertex_minedge[vertex] = NONE;
            return;
        }
    }
    insert(forest, ids[edge]);
}

// Algorithm 9.
KERNEL_1024 initialize_colors(const u32* neighbors, const u32* vertex_minedge, u32 vertices,
                              u32* color) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    u32 edge = vertex_minedge[vertex];
    color[vertex] = edge == NONE ? (u32)vertex : neighbors[edge];
}

// Algorithm 11. A vertex without edges is done, and no other vertex has its color.
KERNEL_1024 flag_roots(const u32* first_edge, const u32* color, u32 vertices, u32* flag) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    flag[vertex] = color[vertex] == vertex && first_edge[vertex] < first_edge[vertex + 1];
}

// Algorithm 12.
KERNEL_1024 count_new_edges(const u32* first_edge, const u32* neighbors, u32 vertices,
                            const u32* color, const u32* new_vertex, u32* outdegree) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    u32 my_color = color[vertex], new_edges = 0;
    for (u32 entry = first_edge[vertex], end = first_edge[vertex + 1]; entry < end; entry++) {
        new_edges += color[neighbors[entry]] != my_color;
    }
    if (new_edges > 0) atomicAdd(&outdegree[new_vertex[my_color]], new_edges);
}

// Algorithm 13.
template <typename K>
__device__ void insert_new_edges(const u32* first_edge, const u32* neighbors, const K* keys,
                                 const u32* ids, u32 vertices, const u32* color,
                                 const u32* new_vertex, u32* next_edge, u32* new_neighbors,
                                 K* new_keys, u32* new_ids) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    u32 my_color = color[vertex];
    for (u32 entry = first_edge[vertex], end = first_edge[vertex + 1]; entry < end; entry++) {
        u32 other_color = color[neighbors[entry]];
        if (other_color == my_color) continue;
        u32 new_entry = atomicAdd(&next_edge[new_vertex[my_color]], 1);
        new_neighbors[new_entry] = new_vertex[other_color];
        new_keys[new_entry] = keys[entry];
        new_ids[new_entry] = ids[entry];
    }
}

// Kernels for keys of 32 and of 64 bits. src/boruvka_contract reads their parameters.
#define KERNELS(BITS)                                                                            \
    KERNEL_1024 find_minimum_edges_##BITS(const u32* first_edge, const u##BITS* keys,            \
                                          const u32* ids, u32 vertices, u32* vertex_minedge) {   \
        find_minimum_edges(first_edge, keys, ids, vertices, vertex_minedge);                     \
    }                                                                                            \
    KERNEL_1024 insert_new_edges_##BITS(const u32* first_edge, const u32* neighbors,            \
                                        const u##BITS* keys, const u32* ids, u32 vertices,       \
                                        const u32* color, const u32* new_vertex, u32* next_edge, \
                                        u32* new_neighbors, u##BITS* new_keys, u32* new_ids) {  \
        insert_new_edges(first_edge, neighbors, keys, ids, vertices, color, new_vertex,         \
                         next_edge, new_neighbors, new_keys, new_ids);                          \
    }

KERNELS(32)
KERNELS(64)
