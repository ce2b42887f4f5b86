// The steps of the contracting Borůvka algorithm for which GPU-e has one thread per entry of the
// rows. All other steps are in boruvka_contract.cu.
//
// Source: Biagiotti, GPU implementation, GPU-e. The arrays have the names of Sousa 2014, Algorithms
// 12 and 13.

#include "common.cuh"
#include "kernel_1024.cuh"
#include "rows.cuh"

// Algorithm 12. Counts the entries between different colors, for each new vertex.
KERNEL_1024 count_new_edges_by_entry(const u32* first_edge, const u32* neighbors, u32 vertices,
                                     u32 entries, const u32* color, const u32* new_vertex,
                                     u32* outdegree) {
    u64 entry = first_index();
    if (entry >= entries) return;
    u32 my_color = color[owner(first_edge, vertices, (u32)entry)];
    if (color[neighbors[entry]] != my_color) atomicAdd(&outdegree[new_vertex[my_color]], 1);
}

// Algorithm 13. Inserts these entries into the rows of the new vertices.
template <typename K>
__device__ void insert_new_edges(const u32* first_edge, const u32* neighbors, const K* keys,
                                 const u32* ids, u32 vertices, u32 entries, const u32* color,
                                 const u32* new_vertex, u32* next_edge, u32* new_neighbors,
                                 K* new_keys, u32* new_ids) {
    u64 entry = first_index();
    if (entry >= entries) return;
    u32 my_color = color[owner(first_edge, vertices, (u32)entry)],
        other_color = color[neighbors[entry]];
    if (other_color == my_color) return;
    u32 new_entry = atomicAdd(&next_edge[new_vertex[my_color]], 1);
    new_neighbors[new_entry] = new_vertex[other_color];
    new_keys[new_entry] = keys[entry];
    new_ids[new_entry] = ids[entry];
}

// Kernels for keys of 32 and of 64 bits. src/boruvka_contract reads their parameters.
#define KERNELS(BITS)                                                                             \
    KERNEL_1024 insert_new_edges_by_entry_##BITS(                                                 \
        const u32* first_edge, const u32* neighbors, const u##BITS* keys, const u32* ids,        \
        u32 vertices, u32 entries, const u32* color, const u32* new_vertex, u32* next_edge,       \
        u32* new_neighbors, u##BITS* new_keys, u32* new_ids) {                                   \
        insert_new_edges(first_edge, neighbors, keys, ids, vertices, entries, color, new_vertex, \
                         next_edge, new_neighbors, new_keys, new_ids);                           \
    }

KERNELS(32)
KERNELS(64)
