// The steps of the contracting Borůvka algorithm for which GPU-e has one thread per entry of the
// rows. All other steps are in boruvka_contract.cu.
//
// Source: Biagiotti, GPU implementation, GPU-e. The arrays have the names of Sousa 2014, Algorithms
// 12 and 13.

#include "boruvka_contract.cuh"
#include "kernel_1024.cuh"
#include "rows.cuh"

// Algorithm 12. Counts the entries between different colors, for each new vertex.
KERNEL_1024 count_new_edges_by_entry(const Arguments<void> args) {
    u64 entry = first_index();
    if (entry >= args.entries) return;
    u32 my_color = args.color[owner(args.first_edge, args.vertices, (u32)entry)];
    if (args.color[args.neighbors[entry]] != my_color)
        atomicAdd(&args.new_first_edge[args.new_vertex[my_color]], 1);
}

// Algorithm 13. Inserts these entries into the rows of the new vertices.
template <typename K>
__device__ void insert_new_edges(const Arguments<K>& args) {
    u64 entry = first_index();
    if (entry >= args.entries) return;
    u32 my_color = args.color[owner(args.first_edge, args.vertices, (u32)entry)],
        other_color = args.color[args.neighbors[entry]];
    if (other_color == my_color) return;
    u32 new_entry = atomicAdd(&args.next_edge[args.new_vertex[my_color]], 1);
    args.new_neighbors[new_entry] = args.new_vertex[other_color];
    args.new_keys[new_entry] = args.keys[entry];
    args.new_ids[new_entry] = args.ids[entry];
}

// Kernels for keys of 32 and of 64 bits. src/boruvka_contract loads them.
#define KERNELS(BITS)                                                             \
    KERNEL_1024 insert_new_edges_by_entry_##BITS(const Arguments<u##BITS> args) { \
        insert_new_edges(args);                                                   \
    }

KERNELS(32)
KERNELS(64)
