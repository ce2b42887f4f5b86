// Borůvka's algorithm by data-parallel primitives: scans, segmented scans, and sorts.
//
// Source: Vineet et al. 2009, "Fast minimum spanning tree for large graphs on the GPU". The scans
// are those of segmented.cuh, and the sort is radix_sort.cu. These kernels prepare their input and
// use their output. `from` has the vertex of each entry.

#include "kernel_1024.cuh"
#include "segmented.cuh"

// The argument of all kernels that are no scans. src/boruvka_primitives declares the same struct
// and fills it. Only kernels with keys know their type.
template <typename K>
struct Arguments {
    // The graph of the round.
    const u32 *first_edge, *from, *neighbors;
    const K* keys;
    const u32* ids;
    // The graph of the next round.
    u32 *new_first_edge, *new_from, *new_neighbors;
    K* new_keys;
    u32* new_ids;
    // For each vertex: its minimum edge, its successor and later its representative, and its number
    // in the next graph.
    u32 *minimum_edge, *successor, *new_vertex;
    // For each entry: the lightest entry of its segment up to it, and whether a segment begins.
    u32 *lightest, *heads;
    // For each vertex or entry, and the end: a flag, and later the sum of the flags before it.
    u32* places;
    // What is sorted: representatives with vertices, later pairs of new vertices with entries.
    u64* pairs;
    u32* values;
    u32* forest;
    u32 vertices, entries, sorted, new_vertices, new_entries, keeps_parallel;
};

// The entry of the lower rank. NONE is no entry.
template <typename K>
struct ScanLightest {
    static constexpr u32 IDENTITY = NONE;
    const K* keys;
    const u32* ids;

    __device__ explicit ScanLightest(const ScanArguments<K>& args)
        : keys(args.keys), ids(args.ids) {}
    __device__ u32 operator()(u32 a, u32 b) const {
        if (a == NONE || b == NONE) return a == NONE ? b : a;
        K key_a = keys[a], key_b = keys[b];
        return key_a < key_b || (key_a == key_b && ids[a] < ids[b]) ? a : b;
    }
};

// The input of the scan that finds minimum edges: each row is a segment.
KERNEL_1024 list_entries(const Arguments<void> args) {
    u64 entry = first_index();
    if (entry >= args.entries) return;
    args.lightest[entry] = (u32)entry;
    args.heads[entry] = args.first_edge[args.from[entry]] == entry;
}

// The lightest entry of a row is at its last entry. A vertex without edges is its own successor.
KERNEL_1024 choose_successors(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 start = args.first_edge[vertex], end = args.first_edge[vertex + 1];
    u32 edge = start < end ? args.lightest[end - 1] : NONE;
    args.minimum_edge[vertex] = edge;
    args.successor[vertex] = edge == NONE ? (u32)vertex : args.neighbors[edge];
}

// Two vertices that are each other's successor have the same minimum edge. The lower one becomes a
// representative. Only it changes its successor, and the higher one does not read it for a
// decision of its own. Adds the minimum edges of all other vertices to the forest.
KERNEL_1024 remove_cycles(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 edge = args.minimum_edge[vertex];
    if (edge == NONE) return;
    u32 successor = args.neighbors[edge];
    if (vertex < successor && load(&args.successor[successor]) == vertex) {
        args.successor[vertex] = (u32)vertex;
    } else {
        insert(args.forest, args.ids[edge]);
    }
}

// The input of the sort of vertices by representative.
KERNEL_1024 list_vertices(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    args.pairs[vertex] = args.successor[vertex];
    args.values[vertex] = (u32)vertex;
}

// Flags the first vertex of each representative but the first one. The inclusive sum of the flags
// numbers the representatives.
KERNEL_1024 flag_representatives(const Arguments<void> args) {
    u64 i = first_index();
    if (i < args.vertices) args.places[i] = i > 0 && args.pairs[i] != args.pairs[i - 1];
}

KERNEL_1024 number_vertices(const Arguments<void> args) {
    u64 i = first_index();
    if (i < args.vertices) args.new_vertex[args.values[i]] = args.places[i];
}

// Flags the entries between different vertices of the next graph. The flag at the end is 0.
KERNEL_1024 flag_outgoing(const Arguments<void> args) {
    u64 entry = first_index();
    if (entry > args.entries) return;
    args.places[entry] =
        entry < args.entries &&
        args.new_vertex[args.from[entry]] != args.new_vertex[args.neighbors[entry]];
}

// The input of the sort of entries by both ends.
KERNEL_1024 list_outgoing(const Arguments<void> args) {
    u64 entry = first_index();
    if (entry >= args.entries) return;
    u32 place = args.places[entry];
    if (args.places[entry + 1] == place) return;
    u32 from = args.new_vertex[args.from[entry]], to = args.new_vertex[args.neighbors[entry]];
    args.pairs[place] = (u64)from << 32 | to;
    args.values[place] = (u32)entry;
}

// The input of the scan that finds the lightest of parallel edges, which are a segment.
KERNEL_1024 find_parallel(const Arguments<void> args) {
    u64 i = first_index();
    if (i >= args.sorted) return;
    args.lightest[i] = args.values[i];
    args.heads[i] = args.keeps_parallel || i == 0 || args.pairs[i] != args.pairs[i - 1];
}

// Flags the last entry of each segment, where the scan has left the lightest one. The flag at the
// end is 0.
KERNEL_1024 flag_lightest(const Arguments<void> args) {
    u64 i = first_index();
    if (i > args.sorted) return;
    args.places[i] = i < args.sorted && (i + 1 == args.sorted || args.heads[i + 1]);
}

// Builds the entries of the next graph.
template <typename K>
__device__ void make_edges(const Arguments<K>& args) {
    u64 i = first_index();
    if (i >= args.sorted) return;
    u32 place = args.places[i];
    if (args.places[i + 1] == place) return;
    u32 entry = args.lightest[i];
    args.new_from[place] = (u32)(args.pairs[i] >> 32);
    args.new_neighbors[place] = (u32)args.pairs[i];
    args.new_keys[place] = args.keys[entry];
    args.new_ids[place] = args.ids[entry];
}

// Builds the vertices of the next graph: the first entry that is not of a lower vertex.
KERNEL_1024 make_rows(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex > args.new_vertices) return;
    u32 low = 0, high = args.new_entries;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (args.new_from[middle] < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    args.new_first_edge[vertex] = low;
}

// Kernels for keys of 32 and of 64 bits. src/boruvka_primitives loads them.
#define KERNELS(BITS)                                                                              \
    KERNEL __launch_bounds__(SCAN_THREADS)                                                         \
        scan_reduce_lightest_##BITS(const ScanArguments<u##BITS> args) {                           \
        scan_reduce<ScanLightest<u##BITS>>(args);                                                  \
    }                                                                                              \
    KERNEL __launch_bounds__(SCAN_THREADS)                                                         \
        scan_down_sweep_lightest_##BITS(const ScanArguments<u##BITS> args) {                       \
        scan_down_sweep<ScanLightest<u##BITS>>(args);                                              \
    }                                                                                              \
    KERNEL_1024 make_edges_##BITS(const Arguments<u##BITS> args) { make_edges(args); }

KERNELS(32)
KERNELS(64)
