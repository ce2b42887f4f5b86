// The connections of vertices to parts: for each vertex and each part among its neighbors, the sum
// of the edge weights between them.
//
// One thread handles one entry of the rows, so the length of a row does not matter. `row_of` has
// the vertex of each entry. The sums of a vertex are stored in the places of its row, at most one
// for each entry: `slot_parts` has the part, and `slot_sums` the sum. A slot with the sum 0 is
// unused. Two ways fill the slots:
// - Hashing. The row is a hash table with as many places as entries. A warp first adds up the
//   weights of its entries that have the same vertex and part. So most rows need one insertion per
//   part, and long rows do not insert each entry.
// - Sorting (Manoochehri 2017, section 4.4.3). The entries of a row are sorted by part. Then a
//   segmented reduction adds up equal parts, at the place of the first of them.

#include "partition_refine.cuh"

// Threads of a block: several blocks fit on a multiprocessor. src/partition/refine reads the
// constants.
constexpr u32 THREADS = 256;

// The place in `counters` of the weight of all entries between different parts: twice the cut.
constexpr u32 DOUBLED_CUT = 0;

// The parts to which a vertex may move.
constexpr u32 ANY = 0;       // all
constexpr u32 UPWARD = 1;    // those with a higher number
constexpr u32 DOWNWARD = 2;  // those with a lower number
constexpr u32 FIRST_BIT = 3; // from here: 2 * bit + value, from parts with this value of the bit

__device__ bool is_allowed(u32 direction, u32 from, u32 to) {
    if (direction == ANY) return true;
    if (direction == UPWARD) return from < to;
    if (direction == DOWNWARD) return from > to;
    u32 bit = (direction - FIRST_BIT) / 2, value = (direction - FIRST_BIT) % 2;
    return (from >> bit & 1) == value && (to >> bit & 1) != value;
}

// Stores the vertex of each entry.
KERNEL __launch_bounds__(THREADS) find_rows(const Arguments args) {
    __shared__ WarpRows rows_of_warps[THREADS / WARP];
    WarpRows& rows = rows_of_warps[threadIdx.x / WARP];
    u32 lane = threadIdx.x % WARP;
    u64 first_vertex = first_index() - lane;
    rows.take(args.offsets, args.vertices, first_vertex, lane);
    for (u64 entry = rows.starts[0] + lane; entry < rows.starts[WARP]; entry += WARP) {
        args.row_of[entry] = (u32)first_vertex + rows.owner(entry);
    }
}

// Adds the weight of each vertex to its part.
KERNEL __launch_bounds__(THREADS) weigh_parts(const Arguments args) {
    u64 vertex = first_index();
    bool valid = vertex < args.vertices;
    change_weights(args.part_weights, valid ? args.parts[vertex] : NONE,
                   valid ? args.vertex_weights[vertex] : 0, false);
}

// ---- Hashing

// Adds a sum to the slot of a part in the hash table of a row. A row has at least as many slots as
// different parts, so the search ends.
__device__ void add_to_slot(u32* slot_parts, u32* slot_sums, u32 slots, u32 part, u32 sum) {
    // The golden ratio spreads consecutive parts over the row (Knuth 1998, section 6.4).
    constexpr u32 GOLDEN_RATIO = 0x9E3779B1u;
    u32 slot = __umulhi(part * GOLDEN_RATIO, slots);
    for (;;) {
        u32 found = load(&slot_parts[slot]);
        if (found == NONE) found = atomicCAS(&slot_parts[slot], NONE, part);
        if (found == NONE || found == part) break;
        slot = slot + 1 == slots ? 0 : slot + 1;
    }
    atomicAdd(&slot_sums[slot], sum);
}

// Fills the slots by hashing. All slots have the part NONE and the sum 0.
KERNEL __launch_bounds__(THREADS) connect(const Arguments args) {
    u64 entry = first_index();
    bool valid = entry < args.entries;
    u32 vertex = valid ? args.row_of[entry] : NONE,
        part = valid ? args.parts[args.neighbors[entry]] : NONE;
    u32 weight = valid ? args.edge_weights[entry] : 0;
    u32 group = __match_any_sync(ALL_LANES, (u64)vertex << 32 | part);
    u32 sum = __reduce_add_sync(group, weight);
    if (sum > 0 && leads(group)) {
        u32 start = args.offsets[vertex];
        add_to_slot(args.slot_parts + start, args.slot_sums + start,
                    args.offsets[vertex + 1] - start, part, sum);
    }
    count_in_block(valid && args.parts[vertex] != part ? weight : 0, &args.counters[DOUBLED_CUT]);
}

// ---- Sorting

// Replaces each neighbor by its part, before the sort.
KERNEL __launch_bounds__(THREADS) gather_parts(const Arguments args) {
    u64 entry = first_index();
    if (entry >= args.entries) return;
    args.slot_parts[entry] = args.parts[args.neighbors[entry]];
    args.sorted_weights[entry] = args.edge_weights[entry];
    args.sorted_ids[entry] = (u32)entry;
}

// Adds up the weights of equal parts of a row. All slots have the sum 0.
KERNEL __launch_bounds__(THREADS) sum_segments(const Arguments args) {
    u64 entry = first_index();
    bool valid = entry < args.entries;
    u32 vertex = valid ? args.row_of[entry] : NONE, part = valid ? args.slot_parts[entry] : NONE;
    u32 weight = valid ? args.sorted_weights[entry] : 0;
    u64 segment = (u64)vertex << 32 | part;
    u32 sum = over_segment(weight, segment, Sum());
    if (is_first_of_segment(segment) && sum > 0) {
        // The segment may begin in another warp.
        u32 low = args.offsets[vertex], high = (u32)entry;
        while (low < high) {
            u32 probe = low + (high - low) / 2;
            if (args.slot_parts[probe] < part) {
                low = probe + 1;
            } else {
                high = probe;
            }
        }
        atomicAdd(&args.slot_sums[low], sum);
    }
    count_in_block(valid && args.parts[vertex] != part ? weight : 0, &args.counters[DOUBLED_CUT]);
}

// ---- The best part of each vertex

// For each vertex, finds the part to which it has the heaviest connection, among the other parts in
// `direction` whose weight with the vertex is at most `ceiling`. Ties go to the lower part. `best`
// has the connection above and the complement of the part below; 0 if there is no such part.
// `inside` has the connection to the vertex's own part. Both arrays are 0 before.
KERNEL __launch_bounds__(THREADS) choose_parts(const Arguments args) {
    u64 entry = first_index();
    bool valid = entry < args.entries;
    u32 vertex = valid ? args.row_of[entry] : NONE, sum = valid ? args.slot_sums[entry] : 0;
    u64 candidate = 0;
    if (sum > 0) {
        u32 part = args.slot_parts[entry], own = args.parts[vertex];
        if (part == own) {
            args.inside[vertex] = sum;
        } else if (is_allowed(args.direction, own, part) &&
                   args.part_weights[part] + args.vertex_weights[vertex] <= args.ceiling) {
            candidate = rank_of(sum, ~part);
        }
    }
    candidate = over_segment(candidate, vertex, Maximum());
    if (is_first_of_segment(vertex) && candidate > 0) atomicMax(&args.best[vertex], candidate);
}
