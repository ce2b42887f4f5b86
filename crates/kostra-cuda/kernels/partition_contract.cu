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

// Step 4: marks the leaders. Vertices without a mate are leaders.
KERNEL __launch_bounds__(THREADS) mark_leaders(const Tracked* matches, u32 vertices, u32* map) {
    u64 vertex = first_index();
    if (vertex < vertices) map[vertex] = vertex <= matches[vertex].value;
}

// Step 4, after the prefix sum of the marks has numbered the leaders: gives the others the numbers
// of their leaders.
KERNEL __launch_bounds__(THREADS) map_mates(const Tracked* matches, u32 vertices, u32* map) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    u32 mate = matches[vertex].value;
    if (mate < vertex) map[vertex] = map[mate];
}

__device__ __forceinline__ u32 degree(const u32* offsets, u32 vertex) {
    return offsets[vertex + 1] - offsets[vertex];
}

// Steps 5 and 14: the number of entries that are gathered for each coarse vertex, its weight, and
// its part: the vertices of a pair have the same part. The number after the last one is 0.
KERNEL __launch_bounds__(THREADS) measure_rows(const Tracked* matches, const u32* offsets,
                                               const u32* vertex_weights, const u32* parts,
                                               u32 vertices, const u32* map, u32 coarse_vertices,
                                               u32* starts, u32* coarse_weights,
                                               u32* coarse_parts) {
    u64 vertex = first_index();
    if (vertex == 0) starts[coarse_vertices] = 0;
    if (vertex >= vertices) return;
    u32 mate = matches[vertex].value;
    if (mate < vertex) return;
    u32 entries = degree(offsets, (u32)vertex), weight = vertex_weights[vertex];
    if (mate != vertex) {
        entries += degree(offsets, mate);
        weight += vertex_weights[mate];
    }
    starts[map[vertex]] = entries;
    coarse_weights[map[vertex]] = weight;
    coarse_parts[map[vertex]] = parts[vertex];
}

// Step 7: copies each row to the gathered row of its coarse vertex, by warp segmentation. The row
// of a leader is the first. `from` gets the coarse vertex of each entry, and `ids` the entry's
// place, which makes entries distinct for the sort.
KERNEL __launch_bounds__(THREADS) gather_rows(const u32* offsets, const u32* neighbors,
                                              const u32* edge_weights, u32 vertices,
                                              const Tracked* matches, const u32* map,
                                              const u32* starts, u32* from,
                                              u32* gathered_neighbors, u32* gathered_weights,
                                              u32* ids) {
    __shared__ WarpRows rows_of_warps[WARPS];
    __shared__ u32 targets_of_warps[WARPS][WARP], owners_of_warps[WARPS][WARP];
    u32 lane = threadIdx.x % WARP;
    u64 vertex = first_index(), first_vertex = vertex - lane;
    WarpRows& rows = rows_of_warps[threadIdx.x / WARP];
    // The first place of each vertex's entries, and the coarse vertex.
    u32* targets = targets_of_warps[threadIdx.x / WARP];
    u32* owners = owners_of_warps[threadIdx.x / WARP];
    if (vertex < vertices) {
        u32 mate = matches[vertex].value;
        owners[lane] = map[vertex];
        targets[lane] = starts[owners[lane]] + (mate < vertex ? degree(offsets, mate) : 0);
    }
    rows.take(offsets, vertices, first_vertex, lane);
    for (u64 entry = rows.starts[0] + lane; entry < rows.starts[WARP]; entry += WARP) {
        u32 owner = rows.owner(entry);
        u32 target = targets[owner] + ((u32)entry - rows.starts[owner]);
        from[target] = owners[owner];
        gathered_neighbors[target] = map[neighbors[entry]];
        gathered_weights[target] = edge_weights[entry];
        ids[target] = (u32)entry;
    }
}

// Step 9: marks the entries that stay: the first one of each neighbor, which gets the sum of the
// weights, unless the edge is inside the pair. At most four edges join two pairs, so a thread adds
// up at most four weights. The mark after the last one is 0.
KERNEL __launch_bounds__(THREADS) mark_kept(const u32* from, const u32* gathered_neighbors,
                                            u32 entries, u32* gathered_weights, u32* kept) {
    u64 entry = first_index();
    if (entry == entries) kept[entry] = 0;
    if (entry >= entries) return;
    u32 vertex = from[entry], neighbor = gathered_neighbors[entry];
    bool is_first = entry == 0 || from[entry - 1] != vertex ||
                    gathered_neighbors[entry - 1] != neighbor;
    bool stays = is_first && neighbor != vertex;
    kept[entry] = stays;
    if (!stays) return;
    u32 sum = gathered_weights[entry];
    for (u64 next = entry + 1; next < entries && from[next] == vertex &&
                               gathered_neighbors[next] == neighbor;
         next++) {
        sum += gathered_weights[next];
    }
    gathered_weights[entry] = sum;
}

// Steps 10 and 13: copies the marked entries to their places. The prefix sum of the marks is
// `places`.
KERNEL __launch_bounds__(THREADS) pack_entries(const u32* gathered_neighbors,
                                               const u32* gathered_weights, u32 entries,
                                               const u32* places, u32* neighbors,
                                               u32* edge_weights) {
    u64 entry = first_index();
    if (entry >= entries) return;
    u32 place = places[entry];
    if (places[entry + 1] == place) return;
    neighbors[place] = gathered_neighbors[entry];
    edge_weights[place] = gathered_weights[entry];
}

// Steps 11, 12 and 14: the start of each coarse row, and the end of the last one, are the places of
// the starts of the gathered rows.
KERNEL __launch_bounds__(THREADS) pack_offsets(const u32* starts, u32 coarse_vertices,
                                               const u32* places, u32* offsets) {
    u64 vertex = first_index();
    if (vertex <= coarse_vertices) offsets[vertex] = places[starts[vertex]];
}

// Gives each vertex the part of its coarse vertex.
KERNEL __launch_bounds__(THREADS) project(const u32* coarse_parts, const u32* map, u32 vertices,
                                          u32* parts) {
    u64 vertex = first_index();
    if (vertex < vertices) parts[vertex] = coarse_parts[map[vertex]];
}
