// The contraction of a multilevel partitioner: matched vertices become one vertex of a coarser
// graph, and parallel edges become one edge that has the sum of their weights.
//
// Source: Manoochehri 2017, section 4.4.2, steps 4 to 14. The lower vertex of a pair is its leader.
// The coarse rows are built in two arrays: the gathered rows of a pair are side by side, from
// `starts`, with coarse neighbors; they are sorted, and packed to the rows of the coarse graph. The
// last kernel is the projection of section 4.4.3.

#include "common.cuh"
#include "stm.cuh"
#include "warp_rows.cuh"

// Threads of a block: several blocks fit on a multiprocessor. src/partition reads the constant.
constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / WARP;

// The argument of all kernels. src/partition/coarsen/contraction.rs declares the same struct and
// fills it.
struct Arguments {
    // The graph, its partition, and the coarse vertex of each vertex.
    const u32 *offsets, *neighbors, *edge_weights, *vertex_weights;
    u32* parts;
    const Tracked* matches;
    u32* map;
    // The gathered rows, and for each entry and the end a mark or a place in the coarse graph.
    u32 *starts, *from, *gathered_neighbors, *gathered_weights, *ids, *places;
    // The coarse graph and its partition.
    u32 *coarse_offsets, *coarse_neighbors, *coarse_edge_weights, *coarse_weights, *coarse_parts;
    u32 vertices, entries, coarse_vertices;
};

// Step 4: marks the leaders. Vertices without a mate are leaders.
KERNEL __launch_bounds__(THREADS) mark_leaders(const Arguments args) {
    u64 vertex = first_index();
    if (vertex < args.vertices) args.map[vertex] = vertex <= args.matches[vertex].value;
}

// Step 4, after the prefix sum of the marks has numbered the leaders: gives the others the numbers
// of their leaders.
KERNEL __launch_bounds__(THREADS) map_mates(const Arguments args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 mate = args.matches[vertex].value;
    if (mate < vertex) args.map[vertex] = args.map[mate];
}

__device__ __forceinline__ u32 degree(const u32* offsets, u32 vertex) {
    return offsets[vertex + 1] - offsets[vertex];
}

// Steps 5 and 14: the number of entries that are gathered for each coarse vertex, its weight, and
// its part: the vertices of a pair have the same part. The number after the last one is 0.
KERNEL __launch_bounds__(THREADS) measure_rows(const Arguments args) {
    u64 vertex = first_index();
    if (vertex == 0) args.starts[args.coarse_vertices] = 0;
    if (vertex >= args.vertices) return;
    u32 mate = args.matches[vertex].value;
    if (mate < vertex) return;
    u32 entries = degree(args.offsets, (u32)vertex), weight = args.vertex_weights[vertex];
    if (mate != vertex) {
        entries += degree(args.offsets, mate);
        weight += args.vertex_weights[mate];
    }
    args.starts[args.map[vertex]] = entries;
    args.coarse_weights[args.map[vertex]] = weight;
    args.coarse_parts[args.map[vertex]] = args.parts[vertex];
}

// Step 7: copies each row to the gathered row of its coarse vertex, by warp segmentation. The row
// of a leader is the first. `from` gets the coarse vertex of each entry, and `ids` the entry's
// place, which makes entries distinct for the sort.
KERNEL __launch_bounds__(THREADS) gather_rows(const Arguments args) {
    __shared__ WarpRows rows_of_warps[WARPS];
    __shared__ u32 targets_of_warps[WARPS][WARP], owners_of_warps[WARPS][WARP];
    u32 lane = threadIdx.x % WARP;
    u64 vertex = first_index(), first_vertex = vertex - lane;
    WarpRows& rows = rows_of_warps[threadIdx.x / WARP];
    // The first place of each vertex's entries, and the coarse vertex.
    u32* targets = targets_of_warps[threadIdx.x / WARP];
    u32* owners = owners_of_warps[threadIdx.x / WARP];
    if (vertex < args.vertices) {
        u32 mate = args.matches[vertex].value;
        owners[lane] = args.map[vertex];
        targets[lane] =
            args.starts[owners[lane]] + (mate < vertex ? degree(args.offsets, mate) : 0);
    }
    rows.take(args.offsets, args.vertices, first_vertex, lane);
    for (u64 entry = rows.starts[0] + lane; entry < rows.starts[WARP]; entry += WARP) {
        u32 owner = rows.owner(entry);
        u32 target = targets[owner] + ((u32)entry - rows.starts[owner]);
        args.from[target] = owners[owner];
        args.gathered_neighbors[target] = args.map[args.neighbors[entry]];
        args.gathered_weights[target] = args.edge_weights[entry];
        args.ids[target] = (u32)entry;
    }
}

// Step 9: marks the entries that stay: the first one of each neighbor, which gets the sum of the
// weights, unless the edge is inside the pair. At most four edges join two pairs, so a thread adds
// up at most four weights. The mark after the last one is 0.
KERNEL __launch_bounds__(THREADS) mark_kept(const Arguments args) {
    u64 entry = first_index();
    if (entry == args.entries) args.places[entry] = 0;
    if (entry >= args.entries) return;
    u32 vertex = args.from[entry], neighbor = args.gathered_neighbors[entry];
    bool is_first = entry == 0 || args.from[entry - 1] != vertex ||
                    args.gathered_neighbors[entry - 1] != neighbor;
    bool stays = is_first && neighbor != vertex;
    args.places[entry] = stays;
    if (!stays) return;
    u32 sum = args.gathered_weights[entry];
    for (u64 next = entry + 1; next < args.entries && args.from[next] == vertex &&
                               args.gathered_neighbors[next] == neighbor;
         next++) {
        sum += args.gathered_weights[next];
    }
    args.gathered_weights[entry] = sum;
}

// Steps 10 and 13: copies the marked entries to their places. The prefix sum of the marks is
// `places`.
KERNEL __launch_bounds__(THREADS) pack_entries(const Arguments args) {
    u64 entry = first_index();
    if (entry >= args.entries) return;
    u32 place = args.places[entry];
    if (args.places[entry + 1] == place) return;
    args.coarse_neighbors[place] = args.gathered_neighbors[entry];
    args.coarse_edge_weights[place] = args.gathered_weights[entry];
}

// Steps 11, 12 and 14: the start of each coarse row, and the end of the last one, are the places of
// the starts of the gathered rows.
KERNEL __launch_bounds__(THREADS) pack_offsets(const Arguments args) {
    u64 vertex = first_index();
    if (vertex <= args.coarse_vertices)
        args.coarse_offsets[vertex] = args.places[args.starts[vertex]];
}

// Step 11: the size of each coarse row, which is the number of the last entry of the gathered row.
// `places` has the number of marks up to each entry of its row. The size after the last one is 0.
KERNEL __launch_bounds__(THREADS) measure_packed(const Arguments args) {
    u64 vertex = first_index();
    if (vertex > args.coarse_vertices) return;
    u32 size = 0;
    if (vertex < args.coarse_vertices) {
        u32 start = args.starts[vertex], end = args.starts[vertex + 1];
        if (start < end) size = args.places[end - 1];
    }
    args.coarse_offsets[vertex] = size;
}

// Step 13: copies the marked entries, whose numbers differ from those before them, to their places
// in the coarse rows.
KERNEL __launch_bounds__(THREADS) pack_segments(const Arguments args) {
    u64 entry = first_index();
    if (entry >= args.entries) return;
    u32 vertex = args.from[entry], number = args.places[entry];
    u32 before = entry == args.starts[vertex] ? 0 : args.places[entry - 1];
    if (number == before) return;
    u32 place = args.coarse_offsets[vertex] + before;
    args.coarse_neighbors[place] = args.gathered_neighbors[entry];
    args.coarse_edge_weights[place] = args.gathered_weights[entry];
}

// Gives each vertex the part of its coarse vertex.
KERNEL __launch_bounds__(THREADS) project(const Arguments args) {
    u64 vertex = first_index();
    if (vertex < args.vertices) args.parts[vertex] = args.coarse_parts[args.map[vertex]];
}
