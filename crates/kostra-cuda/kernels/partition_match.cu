// The matching of a multilevel partitioner: pairs of vertices that become one vertex of a coarser
// graph.
//
// Source: Manoochehri 2017, section 4.4.2, steps 1 and 2. In a round, each unmatched vertex finds
// its best unmatched neighbor: its candidate (find_candidates). Then each vertex matches itself
// with its candidate, unless one of them has been matched meanwhile: in a transaction
// (match_in_transactions), or without one if the choice is mutual (match_by_handshake). The last
// four kernels match vertices that have a common neighbor, for graphs with few disjoint edges, such
// as stars; the source has no such step.
//
// find_heaviest, store_candidates, match_heavy_edges and fetch_matches are the source's way as a
// whole: candidates are chosen once, by the weight of the edge only, and are stored in the
// vertices.
//
// The value of a vertex in `matches` is its mate, or the vertex itself if it is unmatched. The
// arrays of a graph are `offsets`, `neighbors`, `edge_weights` and `vertex_weights`. Vertices of
// different `parts` are never matched.

#include "common.cuh"
#include "stm.cuh"
#include "warp_rows.cuh"

// Threads of a block: several blocks fit on a multiprocessor. src/partition reads the constants.
constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / WARP;
// Blocks of match_in_transactions on a multiprocessor. Without a number, the compiler aims at more
// blocks than a thread has registers for, and spills.
constexpr u32 MATCHING_BLOCKS = 4;

// The places of `counters`.
constexpr u32 STARTED = 0;   // attempts to match a pair
constexpr u32 COMMITTED = 1; // pairs
constexpr u32 ABORTED = 2;   // conflicts between transactions
constexpr u32 LATE = 3;      // attempts that found a vertex matched, or a choice that is not mutual

// The bit of the value of a matched vertex in match_heavy_edges, the highest one. src/partition
// reads it.
constexpr u32 MATCHED = 2147483648;

// The argument of all kernels. src/partition/coarsen/matching.rs declares the same struct and fills
// it.
struct Arguments {
    const u32 *offsets, *neighbors, *edge_weights, *vertex_weights, *parts;
    Tracked* matches;
    // The candidate or the favorite of each vertex.
    u32* chosen;
    // The followers of each vertex, and of the list of each part: the start of the list, after its
    // length, the number of each follower in its list, and the lists.
    u32 *starts, *numbers, *followers;
    u64* counters;
    u32 vertices, most, seed;
};

// Makes each vertex unmatched.
KERNEL __launch_bounds__(THREADS) unmatch_all(const Arguments args) {
    u64 vertex = first_index();
    if (vertex < args.vertices) args.matches[vertex] = Tracked{LOWEST, (u32)vertex};
}

// ---- Candidates

// An entry of the row of an unmatched vertex, which leads to a vertex of the same part.
struct Candidate {
    u32 vertex, neighbor;
    u32 edge_weight;
    // The weights of both ends.
    u32 own_weight, weight;
};

// Heavy-edge matching. The rating of an edge is its squared weight divided by the product of the
// weights of its ends (Holtgrewe, Sanders & Schulz 2010). Among edges of equal ratings, a random
// number of the edge decides. Both ends give an edge the same rank.
struct ByRating {
    u32 most, seed;

    // Whether the neighbor may be chosen.
    __device__ bool admits(const Candidate& entry, const Tracked* matches) const {
        return matches[entry.neighbor].value == entry.neighbor &&
               entry.own_weight + entry.weight <= most;
    }

    // A greater rank is better. No rank is 0.
    __device__ u64 rank(const Candidate& entry) const {
        float own = entry.own_weight > 0 ? (float)entry.own_weight : 1.0f;
        float other = entry.weight > 0 ? (float)entry.weight : 1.0f;
        float weight = (float)entry.edge_weight;
        // The bits of floating-point numbers that are not negative have the order of the numbers.
        u32 rating = __float_as_uint(weight * weight / (own * other));
        return rank_of(rating, tie(entry.vertex, entry.neighbor) | 1);
    }

    // The finalizer of MurmurHash3, applied to both ends.
    __device__ u32 tie(u32 u, u32 v) const {
        u32 low = u < v ? u : v, high = u < v ? v : u;
        u32 hash = mixed(low ^ seed);
        return mixed(hash ^ high * 0x9E3779B9u);
    }

    static __device__ u32 mixed(u32 hash) {
        hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
        hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
        return hash ^ hash >> 16;
    }
};

// Heavy-edge matching of the source: the heaviest edge, whether or not the neighbor will be taken.
// It does not say which of equal edges; here a random number decides.
struct ByHeaviestEdge {
    ByRating rating;

    __device__ bool admits(const Candidate& entry, const Tracked*) const {
        return entry.own_weight + entry.weight <= rating.most;
    }

    __device__ u64 rank(const Candidate& entry) const {
        return rank_of(entry.edge_weight, rating.tie(entry.vertex, entry.neighbor) | 1);
    }
};

// The heaviest edge in the part, matched or not; the lowest neighbor on ties. So leaves of one
// vertex, and vertices with equal rows, choose the same neighbor.
struct ByWeight {
    __device__ bool admits(const Candidate&, const Tracked*) const { return true; }

    __device__ u64 rank(const Candidate& entry) const {
        return rank_of(entry.edge_weight, NONE - entry.neighbor);
    }
};

// The best entry of each vertex of a warp in all chunks so far, and the vertices' weights and
// parts.
struct Found {
    u64 ranks[WARP];
    u32 neighbors[WARP];
    u32 weights[WARP];
    u32 parts[WARP];
};

// Stores for each unmatched vertex the neighbor at the entry of the greatest rank, by warp
// segmentation with a segmented maximum. The others, and vertices without an admitted neighbor,
// get NONE.
template <typename Order>
__device__ void find_best(const Order& order, const u32* offsets, const u32* neighbors,
                          const u32* edge_weights, const u32* vertex_weights, const u32* parts,
                          u32 vertices, const Tracked* matches, u32* candidates) {
    __shared__ WarpRows rows_of_warps[WARPS];
    __shared__ Found found_by_warps[WARPS];
    u32 lane = threadIdx.x % WARP;
    u64 vertex = first_index(), first_vertex = vertex - lane;
    bool active = vertex < vertices && matches[vertex].value == vertex;
    if (vertex < vertices && !active) candidates[vertex] = NONE;
    u32 active_lanes = __ballot_sync(ALL_LANES, active);
    if (active_lanes == 0) return;
    WarpRows& rows = rows_of_warps[threadIdx.x / WARP];
    Found& found = found_by_warps[threadIdx.x / WARP];
    found.ranks[lane] = 0;
    found.neighbors[lane] = NONE;
    found.weights[lane] = active ? vertex_weights[vertex] : 0;
    found.parts[lane] = active ? parts[vertex] : 0;
    rows.take(offsets, vertices, first_vertex, lane);
    u64 end = rows.starts[WARP];
    for (u64 chunk = rows.starts[0]; chunk < end; chunk += WARP) {
        u64 entry = chunk + lane;
        bool valid = entry < end;
        u32 owner = valid ? rows.owner(entry) : 0, neighbor = NONE;
        u64 rank = 0;
        if (valid && (active_lanes >> owner & 1)) {
            neighbor = neighbors[entry];
            Candidate candidate = {(u32)first_vertex + owner, neighbor, edge_weights[entry],
                                   found.weights[owner], vertex_weights[neighbor]};
            bool in_part = parts[neighbor] == found.parts[owner];
            if (in_part && order.admits(candidate, matches)) rank = order.rank(candidate);
        }
        // The segmented reduction: each lane gets the best entry from this lane on in its row.
        u64 last = valid ? rows.starts[owner + 1] - 1 - chunk : 0;
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            u64 other_rank = __shfl_down_sync(ALL_LANES, rank, distance);
            u32 other = __shfl_down_sync(ALL_LANES, neighbor, distance);
            bool in_row = lane + distance <= last && lane + distance < WARP;
            if (in_row && other_rank > rank) {
                rank = other_rank;
                neighbor = other;
            }
        }
        bool first_in_segment = lane == 0 || rows.starts[owner] == entry;
        if (valid && first_in_segment && rank > found.ranks[owner]) {
            found.ranks[owner] = rank;
            found.neighbors[owner] = neighbor;
        }
        __syncwarp(); // another lane may be the first one of this row in the next chunk
    }
    if (active) candidates[vertex] = found.neighbors[lane];
}

// Step 1. The weight of a pair is at most `most`.
KERNEL __launch_bounds__(THREADS) find_candidates(const Arguments args) {
    find_best(ByRating{args.most, args.seed}, args.offsets, args.neighbors, args.edge_weights,
              args.vertex_weights, args.parts, args.vertices, args.matches, args.chosen);
}

// Step 1 of the source's way.
KERNEL __launch_bounds__(THREADS) find_heaviest(const Arguments args) {
    find_best(ByHeaviestEdge{{args.most, args.seed}}, args.offsets, args.neighbors,
              args.edge_weights, args.vertex_weights, args.parts, args.vertices, args.matches,
              args.chosen);
}

// Stores the candidate of each vertex as its value; the vertex itself if it has none.
KERNEL __launch_bounds__(THREADS) store_candidates(const Arguments args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 candidate = args.chosen[vertex];
    args.matches[vertex].value = candidate == NONE ? (u32)vertex : candidate;
}

// ---- Pairs

// What a thread has done.
struct Tally {
    u32 started, committed, aborted, late;

    __device__ void add_to(u64* counters) const {
        count_in_block(started, &counters[STARTED]);
        count_in_block(committed, &counters[COMMITTED]);
        count_in_block(aborted, &counters[ABORTED]);
        count_in_block(late, &counters[LATE]);
    }
};

// Matches two vertices, unless one of them is matched. A vertex stays matched for ever, so the
// decision to end is right even if the transaction has lost a mark.
__device__ __forceinline__ void match_pair(Transaction<2>& transaction, u32 vertex, u32 candidate,
                                           Tally* tally) {
    for (;;) {
        tally->started++;
        transaction.begin();
        u32 own, other;
        Access access = transaction.open(vertex, &own);
        bool late = access == Access::DONE && transaction.values[own] != vertex;
        if (access == Access::DONE && !late) {
            access = transaction.open(candidate, &other);
            late = access == Access::DONE && transaction.values[other] != candidate;
        }
        if (late) {
            transaction.rollback();
            tally->late++;
            return;
        }
        if (access == Access::DONE) {
            transaction.write(own, candidate);
            transaction.write(other, vertex);
            if (transaction.commit()) {
                tally->committed++;
                return;
            }
        }
        tally->aborted++;
        transaction.wait_for_winner();
    }
}

// Step 2. The number of a thread is its priority, so a thread may have several vertices.
KERNEL __launch_bounds__(THREADS, MATCHING_BLOCKS) match_in_transactions(const Arguments args) {
    Transaction<2> transaction(args.matches, (u32)first_index(), 2);
    Tally tally = {0, 0, 0, 0};
    for (u64 vertex = first_index(); vertex < args.vertices; vertex += index_stride()) {
        u32 candidate = args.chosen[vertex];
        // A pair needs no transaction if one of its vertices is matched.
        bool is_free = candidate != NONE && load(&args.matches[vertex].value) == vertex &&
                       load(&args.matches[candidate].value) == candidate;
        if (is_free) match_pair(transaction, (u32)vertex, candidate, &tally);
    }
    tally.add_to(args.counters);
}

// Step 2 without transactions: matches the pairs whose vertices have chosen each other. The first
// edge in the order of ranks is such a pair.
KERNEL __launch_bounds__(THREADS) match_by_handshake(const Arguments args) {
    Tally tally = {0, 0, 0, 0};
    for (u64 vertex = first_index(); vertex < args.vertices; vertex += index_stride()) {
        u32 candidate = args.chosen[vertex];
        if (candidate == NONE) continue;
        tally.started++;
        if (args.chosen[candidate] != vertex) {
            tally.late++;
            continue;
        }
        args.matches[vertex].value = candidate;
        tally.committed += vertex < candidate;
    }
    tally.add_to(args.counters);
}

// The transaction of a vertex reads the vertex's candidate, and matches both unless one of them is
// matched. A value changes once, so the decision to end is right even if the transaction has lost a
// mark.
__device__ __forceinline__ void match_candidate(Transaction<2>& transaction, u32 vertex,
                                                Tally* tally) {
    for (;; transaction.wait_for_winner()) {
        tally->started++;
        transaction.begin();
        u32 own, other;
        Access access = transaction.open(vertex, &own);
        bool late = access == Access::DONE && (transaction.values[own] & MATCHED);
        u32 candidate = NONE;
        if (access == Access::DONE && !late) {
            candidate = transaction.values[own];
            access = transaction.open(candidate, &other);
            late = access == Access::DONE && (transaction.values[other] & MATCHED);
        }
        if (late) {
            transaction.rollback();
            tally->late++;
            return;
        }
        if (access == Access::DONE) {
            transaction.write(own, candidate | MATCHED);
            transaction.write(other, vertex | MATCHED);
            if (transaction.commit()) {
                tally->committed++;
                return;
            }
        }
        tally->aborted++;
    }
}

// Step 2 of the source's way. There are fewer than 2^31 vertices.
KERNEL __launch_bounds__(THREADS, MATCHING_BLOCKS) match_heavy_edges(const Arguments args) {
    Transaction<2> transaction(args.matches, (u32)first_index(), 2);
    Tally tally = {0, 0, 0, 0};
    for (u64 vertex = first_index(); vertex < args.vertices; vertex += index_stride()) {
        // A vertex without a candidate has itself, and a matched one needs no transaction.
        u32 value = load(&args.matches[vertex].value);
        if (value != vertex && !(value & MATCHED)) {
            match_candidate(transaction, (u32)vertex, &tally);
        }
    }
    tally.add_to(args.counters);
}

// Step 3 of the source's way: the mate of each vertex, and the vertex itself if it has none.
KERNEL __launch_bounds__(THREADS) fetch_matches(const Arguments args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 value = args.matches[vertex].value;
    args.matches[vertex].value = value & MATCHED ? value & ~MATCHED : (u32)vertex;
}

// ---- Pairs of vertices with a common neighbor
// The followers of a vertex are the unmatched vertices of its part whose heaviest edge in the part
// leads to it. Those without neighbors in their part follow a place after the last vertex: that of
// the part. So all followers of a vertex or a place are in one part.

// Finds the vertex that each unmatched vertex follows.
KERNEL __launch_bounds__(THREADS) find_favorites(const Arguments args) {
    find_best(ByWeight{}, args.offsets, args.neighbors, args.edge_weights, args.vertex_weights,
              args.parts, args.vertices, args.matches, args.chosen);
}

// Counts the followers of each vertex, and gives each follower its number among them. Other
// vertices get the number NONE. `counts` has been cleared.
KERNEL __launch_bounds__(THREADS) count_followers(const Arguments args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 number = NONE;
    if (args.matches[vertex].value == vertex) {
        if (args.chosen[vertex] == NONE) args.chosen[vertex] = args.vertices + args.parts[vertex];
        number = atomicAdd(&args.starts[args.chosen[vertex]], 1);
    }
    args.numbers[vertex] = number;
}

// Lists the followers of each vertex. `starts` has the first place of each list.
KERNEL __launch_bounds__(THREADS) list_followers(const Arguments args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices || args.numbers[vertex] == NONE) return;
    args.followers[args.starts[args.chosen[vertex]] + args.numbers[vertex]] = (u32)vertex;
}

// Matches each follower of an odd number with the one before it, if both together are not too
// heavy.
KERNEL __launch_bounds__(THREADS) match_followers(const Arguments args) {
    u64 vertex = first_index();
    u32 matched = 0;
    if (vertex < args.vertices && args.numbers[vertex] != NONE && args.numbers[vertex] % 2 == 1) {
        u32 other = args.followers[args.starts[args.chosen[vertex]] + args.numbers[vertex] - 1];
        if (args.vertex_weights[vertex] + args.vertex_weights[other] <= args.most) {
            args.matches[vertex].value = other;
            args.matches[other].value = (u32)vertex;
            matched = 1;
        }
    }
    count_in_block(matched, &args.counters[COMMITTED]);
}
