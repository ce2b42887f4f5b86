// The contracting Borůvka algorithm on a block of the vertices: the kernels of boruvka_contract.cu
// for a device that shares the graph with other devices and with threads.
//
// Source: Sousa 2014, section 4.4.2, Algorithm 6, with Algorithms 7 to 13. A member has the rows of
// its own vertices, which begin with the vertex `begin`. Arrays of all vertices are exchanged
// between the kernels.

#include "kernel_1024.cuh"

// The argument of all kernels. src/hetero declares the same struct and fills it. Only kernels with
// keys know their type.
template <typename K>
struct Arguments {
    // The rows of the own vertices.
    const u32 *first_edge, *neighbors;
    const K* keys;
    const u32* ids;
    // For each own vertex: the id of its minimum edge, or NONE; and a flag for a root.
    u32 *minimum_id, *flags;
    // For all vertices: the other end of the minimum edge, or NONE, the color, and a root's number
    // in the contracted graph.
    u32 *successor, *color, *new_vertex;
    // For each vertex of the contracted graph: the number of edges from own vertices.
    u32* outdegree;
    // For each member, the first vertex of the contracted graph that it will have, and the end; and
    // the place of the next edge for it in the list.
    const u32* starts;
    u32* next_in_list;
    // Edges of the contracted graph, by member; or edges for the own rows.
    u32 *list_from, *list_to;
    K* list_keys;
    u32* list_ids;
    // The new rows, which begin with the vertex `new_begin`.
    u32 *next_edge, *new_neighbors;
    K* new_keys;
    u32* new_ids;
    u32 *forest, *changed;
    u32 begin, count, members, listed, new_begin;
};

// Algorithm 7.
template <typename K>
__device__ void find_minimum_edges(const Arguments<K>& args) {
    u64 own = first_index();
    if (own >= args.count) return;
    u32 successor = NONE, min_id = NONE;
    K min_key = 0;
    for (u32 entry = args.first_edge[own], end = args.first_edge[own + 1]; entry < end; entry++) {
        K key = args.keys[entry];
        u32 id = args.ids[entry];
        if (min_id == NONE || key < min_key || (key == min_key && id < min_id)) {
            successor = args.neighbors[entry];
            min_key = key;
            min_id = id;
        }
    }
    args.successor[args.begin + own] = successor;
    args.minimum_id[own] = min_id;
}

// Algorithm 8. `successor` is that of all vertices, and does not change: the lower vertex of a pair
// removes its own minimum edge. Adds the edges that remain to the forest.
KERNEL_1024 remove_mirrored_edges(const Arguments<void> args) {
    u64 own = first_index();
    if (own >= args.count || args.minimum_id[own] == NONE) return;
    u32 vertex = args.begin + (u32)own, successor = args.successor[vertex];
    if (vertex < successor && args.successor[successor] == vertex) {
        args.minimum_id[own] = NONE;
    } else {
        insert(args.forest, args.minimum_id[own]);
    }
}

// Algorithm 9.
KERNEL_1024 initialize_colors(const Arguments<void> args) {
    u64 own = first_index();
    if (own >= args.count) return;
    u32 vertex = args.begin + (u32)own;
    args.color[vertex] = args.minimum_id[own] == NONE ? vertex : args.successor[vertex];
}

// One sweep of Algorithm 10 over the own vertices. If another thread changes a color meanwhile, the
// new one is nearer to the root. Both are correct.
KERNEL_1024 propagate_colors(const Arguments<void> args) {
    u64 own = first_index();
    if (own >= args.count) return;
    u32 vertex = args.begin + (u32)own, color = args.color[vertex];
    u32 next = load(&args.color[color]);
    if (next == color) return;
    args.color[vertex] = next;
    *args.changed = 1;
}

// Algorithm 11. A vertex without edges is done, and no other vertex has its color.
KERNEL_1024 flag_roots(const Arguments<void> args) {
    u64 own = first_index();
    if (own >= args.count) return;
    u32 vertex = args.begin + (u32)own;
    args.flags[own] =
        args.color[vertex] == vertex && args.first_edge[own] < args.first_edge[own + 1];
}

// The number of entries of an own vertex that lead to another color.
template <typename K>
__device__ u32 new_edges_of(const Arguments<K>& args, u64 own, u32 my_color) {
    u32 new_edges = 0;
    for (u32 entry = args.first_edge[own], end = args.first_edge[own + 1]; entry < end; entry++)
        new_edges += args.color[args.neighbors[entry]] != my_color;
    return new_edges;
}

// Algorithm 12.
KERNEL_1024 count_new_edges(const Arguments<void> args) {
    u64 own = first_index();
    if (own >= args.count) return;
    u32 my_color = args.color[args.begin + own], new_edges = new_edges_of(args, own, my_color);
    if (new_edges > 0) atomicAdd(&args.outdegree[args.new_vertex[my_color]], new_edges);
}

// The first half of Algorithm 13: lists the edges of the contracted graph for the members that will
// have their rows.
template <typename K>
__device__ void list_new_edges(const Arguments<K>& args) {
    u64 own = first_index();
    if (own >= args.count) return;
    u32 my_color = args.color[args.begin + own];
    u32 new_edges = new_edges_of(args, own, my_color);
    if (new_edges == 0) return;
    u32 from = args.new_vertex[my_color], member = 0;
    while (args.starts[member + 1] <= from) member++;
    u32 place = atomicAdd(&args.next_in_list[member], new_edges);
    for (u32 entry = args.first_edge[own], end = args.first_edge[own + 1]; entry < end; entry++) {
        u32 other_color = args.color[args.neighbors[entry]];
        if (other_color == my_color) continue;
        args.list_from[place] = from;
        args.list_to[place] = args.new_vertex[other_color];
        args.list_keys[place] = args.keys[entry];
        args.list_ids[place] = args.ids[entry];
        place++;
    }
}

// The second half: inserts listed edges into the new rows. `next_edge` has the place of the next
// edge of each new vertex.
template <typename K>
__device__ void insert_new_edges(const Arguments<K>& args) {
    u64 i = first_index();
    if (i >= args.listed) return;
    u32 place = atomicAdd(&args.next_edge[args.list_from[i] - args.new_begin], 1);
    args.new_neighbors[place] = args.list_to[i];
    args.new_keys[place] = args.list_keys[i];
    args.new_ids[place] = args.list_ids[i];
}

// Kernels for keys of 32 and of 64 bits. src/hetero loads them.
#define KERNELS(BITS)                                                                              \
    KERNEL_1024 find_minimum_edges_##BITS(const Arguments<u##BITS> args) {                         \
        find_minimum_edges(args);                                                                  \
    }                                                                                              \
    KERNEL_1024 list_new_edges_##BITS(const Arguments<u##BITS> args) { list_new_edges(args); }     \
    KERNEL_1024 insert_new_edges_##BITS(const Arguments<u##BITS> args) { insert_new_edges(args); }

KERNELS(32)
KERNELS(64)
