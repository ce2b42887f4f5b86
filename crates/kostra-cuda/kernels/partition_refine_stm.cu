// Refinement by moves in transactions.
//
// Source: Manoochehri 2017, section 4.4.3. `best` and `inside` are those of choose_parts in
// partition_refine.cu. An iteration handles the candidates: the vertices whose gain is positive and
// in the range of the iteration, with the part `targets[v]` to which they would move.
//
// Two adjacent candidates conflict if one would move to the part of the other. If no two vertices
// that move in an iteration conflict, the cut sinks by at least the sum of their gains. Proof: let
// an edge of weight w have two ends that both move. If both leave the same part, the sum of the
// gains counts -2 w for the edge, and the cut rises by w at most. If they leave different parts,
// neither moves to the part of the other, so the sum counts 0, and the edge was in the cut before.
// An edge with one end that moves is counted as it is.
//
// The outer transaction of a vertex opens the vertex and all candidates that conflict with it. It
// gives up if one of them has moved. So of two vertices that conflict, the one that commits later
// sees the other one. The inner transaction reserves room in the target, and the departure from the
// vertex's own part; see `reserve` and `Candidates::leave`.
//
// move_and_invalidate is the source's way: the transaction of a vertex opens all adjacent
// candidates, and marks their gains as invalid. It gives up if its own gain is invalid. Of two
// adjacent candidates, the one that commits later sees the mark, so vertices that move are not
// adjacent, and the cut sinks by the sum of their gains.
//
// The state of a vertex is a value of the transactional memory: its part, and the bits MOVED and
// INVALID.

#include "partition_refine.cuh"
#include "stm.cuh"

// Threads of a block. src/partition/refine reads the constants.
constexpr u32 THREADS = 256;
// Blocks on a multiprocessor that move vertices: with more of them, a thread has too few registers.
constexpr u32 MOVING_BLOCKS = 3;
// The most vertices in a transaction.
constexpr u32 CAPACITY = 32;
// The longest row that one thread searches for conflicts.
constexpr u32 LONGEST_ROW = 1 << 12;
// The bit of the state of a vertex that has moved in this iteration.
constexpr u32 MOVED = 0x80000000u;
// The bit of the state of a vertex whose gain is not exact any more.
constexpr u32 INVALID = 0x40000000u;

// The places of `counters`, which has eight. Place 0 is that of partition_refine.cu.
constexpr u32 GREATEST_GAIN = 1;
constexpr u32 STARTED = 2; // attempts of transactions
constexpr u32 COMMITTED = 3;
constexpr u32 ABORTED = 4;  // conflicts
constexpr u32 OUTDATED = 5; // a neighbor has moved, so the gain is not exact any more
constexpr u32 NO_ROOM = 6;  // the target was full, or the own part would have become empty
constexpr u32 TOO_LONG = 7; // more vertices than a transaction can have

// Makes the state of each vertex.
KERNEL __launch_bounds__(THREADS) make_states(const Arguments args) {
    u64 vertex = first_index();
    if (vertex < args.vertices) args.states[vertex] = Tracked{LOWEST, args.parts[vertex]};
}

// Computes the gain and the target of each vertex that has not moved in this pass. Vertices that
// gain nothing have the gain 0.
KERNEL __launch_bounds__(THREADS) find_gains(const Arguments args) {
    u64 vertex = first_index();
    u32 gain = 0;
    if (vertex < args.vertices) {
        u32 outside = (u32)(args.best[vertex] >> 32), own = args.inside[vertex];
        if (outside > own && args.moved[vertex] != args.pass) gain = outside - own;
        args.gains[vertex] = gain;
        args.targets[vertex] = ~(u32)args.best[vertex];
    }
    u64 greatest = __reduce_max_sync(ALL_LANES, gain);
    u64* counter = &args.counters[GREATEST_GAIN];
    if (threadIdx.x % WARP == 0 && greatest > load(counter)) atomicMax(counter, greatest);
}

// Whether two adjacent candidates conflict.
__device__ __forceinline__ bool conflict(const u32* parts, const u32* targets, u32 u, u32 v) {
    return parts[u] == targets[v] || targets[u] == parts[v];
}

// Counts the candidates that a transaction of each candidate opens. `conflicts` is 0 before. One
// thread handles an entry.
template <bool invalidates>
__device__ void count_opened(const Arguments& args) {
    u64 entry = first_index();
    bool valid = entry < args.entries;
    u32 vertex = valid ? args.row_of[entry] : NONE;
    bool is_candidate = valid && args.gains[vertex] >= args.least;
    if (__ballot_sync(ALL_LANES, is_candidate) == 0) return;
    u32 found = 0;
    if (is_candidate) {
        u32 neighbor = args.neighbors[entry];
        found = args.gains[neighbor] >= args.least &&
                (invalidates || conflict(args.parts, args.targets, vertex, neighbor));
    }
    found = over_segment(found, vertex, Sum());
    if (is_first_of_segment(vertex) && found > 0) atomicAdd(&args.conflicts[vertex], found);
}

// The candidates that conflict with each candidate.
KERNEL __launch_bounds__(THREADS) count_conflicts(const Arguments args) {
    count_opened<false>(args);
}

KERNEL __launch_bounds__(THREADS) count_adjacent_candidates(const Arguments args) {
    count_opened<true>(args);
}

// What a thread has done.
struct Tally {
    u32 started, committed, aborted, outdated, no_room, too_long;
};

// The candidates of an iteration.
struct Candidates {
    const u32* offsets;
    const u32* neighbors;
    const u32* vertex_weights;
    const u32* parts;
    const u32* targets;
    const u32* gains;
    u32 least;
    u64* part_weights;
    // The weight of each part at the start of the iteration, less the granted departures.
    u64* staying;
    u64 limit;

    // Takes a weight out of a part if something stays. As in `reserve`, a refused departure is
    // undone. Until then the number may be negative.
    __device__ bool leave(u32 part, u32 weight) const {
        long long before = (long long)atomicAdd(&staying[part], 0 - (u64)weight);
        if (before > (long long)weight) return true;
        atomicAdd(&staying[part], (u64)weight);
        return false;
    }

    // The inner transaction: reserves the move of a weight from a part to another one.
    __device__ bool reserve_move(u32 from, u32 to, u32 weight) const {
        if (!reserve(part_weights, to, weight, limit)) return false;
        if (leave(from, weight)) return true;
        release(part_weights, to, weight);
        return false;
    }

    __device__ void undo_move(u32 from, u32 to, u32 weight) const {
        release(part_weights, to, weight);
        atomicAdd(&staying[from], (u64)weight);
    }

    // Opens all candidates that conflict with a vertex. `outdated` becomes true if one has moved.
    // With `invalidates`, opens all adjacent candidates, and marks their gains as invalid.
    template <bool invalidates>
    __device__ Access open_conflicts(Transaction<CAPACITY>& transaction, u32 vertex,
                                     bool* outdated) const {
        for (u32 entry = offsets[vertex]; entry < offsets[vertex + 1]; entry++) {
            u32 neighbor = neighbors[entry], slot;
            if (gains[neighbor] < least) continue;
            if (!invalidates && !conflict(parts, targets, vertex, neighbor)) continue;
            Access access = transaction.open(neighbor, &slot);
            if (access != Access::DONE) return access;
            u32 state = transaction.values[slot];
            if (invalidates) {
                if (!(state & (MOVED | INVALID))) transaction.write(slot, state | INVALID);
            } else if (state & MOVED) {
                *outdated = true;
                return access;
            }
        }
        return Access::DONE;
    }

    // Moves a vertex to its target, unless a neighbor was faster or the target has no room.
    template <bool invalidates>
    __device__ void move(Transaction<CAPACITY>& transaction, u32 vertex, bool has_conflicts,
                         Tally* tally) const {
        u32 own = parts[vertex], target = targets[vertex], weight = vertex_weights[vertex];
        for (;; transaction.wait_for_winner()) {
            tally->started++;
            transaction.begin();
            u32 slot;
            bool outdated = false;
            Access access = transaction.open(vertex, &slot);
            if (invalidates && access == Access::DONE)
                outdated = transaction.values[slot] & INVALID;
            if (access == Access::DONE && has_conflicts && !outdated) {
                access = open_conflicts<invalidates>(transaction, vertex, &outdated);
            }
            if (access == Access::CONFLICT) {
                tally->aborted++;
                continue;
            }
            if (access == Access::FULL || outdated) {
                transaction.rollback();
                tally->outdated += outdated;
                tally->too_long += !outdated;
                return;
            }
            // The inner transaction takes effect before the outer one commits, and is undone if the
            // outer one fails. Undoing it only makes room.
            if (!reserve_move(own, target, weight)) {
                transaction.rollback();
                tally->no_room++;
                return;
            }
            transaction.write(slot, target | MOVED);
            if (transaction.commit()) {
                release(part_weights, own, weight);
                tally->committed++;
                return;
            }
            undo_move(own, target, weight);
            tally->aborted++;
        }
    }
};

// Moves the candidates in transactions: the vertices with a gain of at least `least`.
template <bool invalidates>
__device__ void move_candidates(const Arguments& args) {
    Candidates candidates = {args.offsets, args.neighbors, args.vertex_weights, args.parts,
                             args.targets, args.gains,     args.least,          args.part_weights,
                             args.staying, args.limit};
    Transaction<CAPACITY> transaction(args.states, (u32)first_index(), CAPACITY);
    Tally tally = {0, 0, 0, 0, 0, 0};
    for (u64 vertex = first_index(); vertex < args.vertices; vertex += index_stride()) {
        if (args.gains[vertex] < args.least) continue;
        u32 found = args.conflicts[vertex],
            degree = args.offsets[vertex + 1] - args.offsets[vertex];
        if (found >= CAPACITY || (found > 0 && degree > LONGEST_ROW)) {
            tally.too_long++;
            continue;
        }
        candidates.move<invalidates>(transaction, (u32)vertex, found > 0, &tally);
    }
    count_in_block(tally.started, &args.counters[STARTED]);
    count_in_block(tally.committed, &args.counters[COMMITTED]);
    count_in_block(tally.aborted, &args.counters[ABORTED]);
    count_in_block(tally.outdated, &args.counters[OUTDATED]);
    count_in_block(tally.no_room, &args.counters[NO_ROOM]);
    count_in_block(tally.too_long, &args.counters[TOO_LONG]);
}

KERNEL __launch_bounds__(THREADS, MOVING_BLOCKS) move_in_transactions(const Arguments args) {
    move_candidates<false>(args);
}

KERNEL __launch_bounds__(THREADS, MOVING_BLOCKS) move_and_invalidate(const Arguments args) {
    move_candidates<true>(args);
}

// Stores the new parts, and which vertices have moved in this pass. All gains become valid.
KERNEL __launch_bounds__(THREADS) take_moves(const Arguments args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 state = args.states[vertex].value;
    if (state & INVALID) args.states[vertex].value = state & ~INVALID;
    if (!(state & MOVED)) return;
    args.states[vertex].value = args.parts[vertex] = state & ~MOVED;
    args.moved[vertex] = args.pass;
}
