// The steps of the contracting Borůvka algorithm that Biagiotti's GPU-e does with one thread an
// entry of the rows; the others it shares with one thread a vertex.
//
// Source: Biagiotti, GPU implementation, GPU-e; arrays have their names from Sousa 2014, Algorithms
// 12 and 13.

#include "common.cuh"

// For blocks of any size.
#define KERNEL_1024 KERNEL __launch_bounds__(1024)

// The vertex whose row holds an entry: the last one whose row does not start after it.
__device__ u32 owner(const u32* first_edge, u32 vertices, u32 entry) {
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

// Counts the entries between different colours, for the new vertices that they start from.
KERNEL_1024 count_new_edges_by_entry(const u32* first_edge, const u32* neighbours, u32 vertices, u32 entries,
                                     const u32* color, const u32* new_vertex, u32* outdegree) {
    u64 entry = first_index();
    if (entry >= entries) return;
    u32 my_color = color[owner(first_edge, vertices, (u32)entry)];
    if (color[neighbours[entry]] != my_color) atomicAdd(&outdegree[new_vertex[my_color]], 1);
}

// Inserts them into the rows of those.
template <typename K>
__device__ void insert_new_edges(const u32* first_edge, const u32* neighbours, const K* keys, const u32* ids,
                                 u32 vertices, u32 entries, const u32* color, const u32* new_vertex, u32* next_edge,
                                 u32* new_neighbours, K* new_keys, u32* new_ids) {
    u64 entry = first_index();
    if (entry >= entries) return;
    u32 my_color = color[owner(first_edge, vertices, (u32)entry)], other_color = color[neighbours[entry]];
    if (other_color == my_color) return;
    u32 new_entry = atomicAdd(&next_edge[new_vertex[my_color]], 1);
    new_neighbours[new_entry] = new_vertex[other_color];
    new_keys[new_entry] = keys[entry];
    new_ids[new_entry] = ids[entry];
}

#define KERNELS(BITS)                                                                                                  \
    KERNEL_1024 insert_new_edges_by_entry_##BITS(                                                                      \
        const u32* first_edge, const u32* neighbours, const u##BITS* keys, const u32* ids, u32 vertices, u32 entries,  \
        const u32* color, const u32* new_vertex, u32* next_edge, u32* new_neighbours, u##BITS* new_keys,               \
        u32* new_ids) {                                                                                                \
        insert_new_edges(first_edge, neighbours, keys, ids, vertices, entries, color, new_vertex, next_edge,           \
                         new_neighbours, new_keys, new_ids);                                                           \
    }

KERNELS(32)
KERNELS(64)
