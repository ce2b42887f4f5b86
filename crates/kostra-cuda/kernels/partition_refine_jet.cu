// Refinement by unconstrained moves: the passes of Jet (Gilbert et al. 2024), and balancing, which
// moves vertices out of parts above the limit.
//
// `best` and `inside` are those of choose_parts in partition_refine.cu. The steps have the names of
// kostra-partition/src/refine/jet.rs and balance.rs.

#include "partition_refine.cuh"

// Threads of a block. src/partition/refine reads the constants.
constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / WARP;
// The denominator of the temperature.
constexpr u32 WHOLE = 1024;
// The number of classes by loss.
constexpr u32 CLASSES = 33;

// ---- A pass

// Each vertex that did not move in the last pass, and does not lose too much by the move to its
// best part, becomes a candidate: it gets a target. Other vertices have the target NONE.
KERNEL __launch_bounds__(THREADS) find_candidates(const Arguments args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u64 found = args.best[vertex];
    bool rests = args.pass > 1 && args.moved[vertex] == args.pass - 1;
    u32 own = args.inside[vertex];
    int gain = (int)(u32)(found >> 32) - (int)own;
    bool tolerated = gain >= 0 || (u32)-gain < (u32)((u64)own * args.temperature / WHOLE);
    args.targets[vertex] = found > 0 && !rests && tolerated ? ~(u32)found : NONE;
    args.gains[vertex] = (u32)gain;
}

// The gain of each candidate's move if all better candidates have moved. Equal gains are ordered by
// vertex. `later_gains` is 0 before. One thread handles an entry.
KERNEL __launch_bounds__(THREADS) afterburner(const Arguments args) {
    u64 entry = first_index();
    bool valid = entry < args.entries;
    u32 vertex = valid ? args.row_of[entry] : NONE;
    u32 target = valid ? args.targets[vertex] : NONE;
    if (__ballot_sync(ALL_LANES, target != NONE) == 0) return;
    u32 change = 0;
    if (target != NONE) {
        u32 neighbor = args.neighbors[entry], part = args.parts[neighbor],
            other = args.targets[neighbor];
        if (other != NONE) {
            int own_gain = (int)args.gains[vertex], other_gain = (int)args.gains[neighbor];
            bool is_first = other_gain > own_gain || (other_gain == own_gain && neighbor < vertex);
            if (is_first) part = other;
        }
        if (part == target) {
            change = args.edge_weights[entry];
        } else if (part == args.parts[vertex]) {
            change = 0 - args.edge_weights[entry];
        }
    }
    change = over_segment(change, vertex, Sum());
    if (is_first_of_segment(vertex) && change != 0) atomicAdd(&args.later_gains[vertex], change);
}

// Moves the candidates that do not lose.
KERNEL __launch_bounds__(THREADS) move_candidates(const Arguments args) {
    u64 vertex = first_index();
    u32 from = NONE, to = NONE, weight = 0;
    if (vertex < args.vertices && args.targets[vertex] != NONE &&
        (int)args.later_gains[vertex] >= 0) {
        from = args.parts[vertex];
        to = args.targets[vertex];
        weight = args.vertex_weights[vertex];
        args.parts[vertex] = to;
        args.moved[vertex] = args.pass;
    }
    change_weights(args.part_weights, from, weight, true);
    change_weights(args.part_weights, to, weight, false);
}

// ---- Balancing

// The class of a vertex by the cut that it loses for each unit of weight, if it leaves its part.
// Classes are powers of two, because a sort would cost more than it gains.
__device__ u32 class_of(int loss, u32 weight) {
    constexpr int LOWEST_EXPONENT = -16;
    if (loss < 0) return 0;
    if (loss == 0) return 1;
    int exponent = ilogbf((float)loss / (float)weight) - LOWEST_EXPONENT;
    int highest = (int)CLASSES - 3;
    return 2 + (u32)(exponent < 0 ? 0 : exponent > highest ? highest : exponent);
}

// Rates the vertices of parts above the limit. `classes` gets the part and the class of the vertex
// as one number, or NONE, and `places` the weight of the vertices before it in the class.
// `class_weights`, which is 0 before, gets the weight of each class of each part.
KERNEL __launch_bounds__(THREADS) rate(const Arguments args) {
    __shared__ u32 weights_of_warps[WARPS][WARP];
    u64 vertex = first_index();
    u32 lane = threadIdx.x % WARP, found = NONE, weight = 0;
    if (vertex < args.vertices) {
        u32 part = args.parts[vertex];
        u64 excess =
            args.part_weights[part] > args.limit ? args.part_weights[part] - args.limit : 0;
        weight = args.vertex_weights[vertex];
        // A vertex much heavier than the excess would leave a gap.
        if (weight > 0 && weight < 2 * excess) {
            int loss = (int)args.inside[vertex] - (int)(u32)(args.best[vertex] >> 32);
            found = part * CLASSES + class_of(loss, weight);
        }
    }
    u32 group = __match_any_sync(ALL_LANES, found);
    u32* weights = weights_of_warps[threadIdx.x / WARP];
    weights[lane] = weight;
    __syncwarp();
    u32 before = 0, base = 0;
    for (u32 lower = group & ((1u << lane) - 1); lower != 0; lower &= lower - 1) {
        before += weights[__ffs((int)lower) - 1];
    }
    u32 sum = __reduce_add_sync(group, weight);
    if (found != NONE && leads(group)) base = atomicAdd(&args.class_weights[found], sum);
    base = __shfl_sync(ALL_LANES, base, __ffs((int)group) - 1);
    if (vertex >= args.vertices) return;
    args.classes[vertex] = found;
    args.places[vertex] = base + before;
}

// Replaces the weight of each class by the weight of the classes before it in the part, and stores
// the excess of each part.
KERNEL __launch_bounds__(THREADS) scan_classes(const Arguments args) {
    u64 part = first_index();
    if (part >= args.count) return;
    args.excesses[part] =
        args.part_weights[part] > args.limit ? args.part_weights[part] - args.limit : 0;
    u32 before = 0;
    for (u32 i = 0; i < CLASSES; i++) {
        u32 weight = args.class_weights[part * CLASSES + i];
        args.class_weights[part * CLASSES + i] = before;
        before += weight;
    }
}

// The first part with room for a weight in a search that begins at a part, or NONE.
__device__ u32 part_with_room(const u64* part_weights, u32 count, u32 start, u32 weight,
                              u64 limit) {
    for (u32 i = 0; i < count; i++) {
        u32 part = start + i < count ? start + i : start + i - count;
        if (load(&part_weights[part]) + weight <= limit) return part;
    }
    return NONE;
}

// Moves the vertices out of each part above the limit that come first in the order of classes,
// until their weight is at least the excess. A vertex goes to its best part with room, or to any
// part with room. If `strict` is 0, several vertices may take the same room. Otherwise each
// reserves it.
KERNEL __launch_bounds__(THREADS) rebalance(const Arguments args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 found = args.classes[vertex];
    if (found == NONE) return;
    u32 from = found / CLASSES, weight = args.vertex_weights[vertex];
    if ((u64)args.class_weights[found] + args.places[vertex] >= args.excesses[from]) return;
    // Multiplicative hashing spreads the searches over the parts.
    u32 start = __umulhi(((u32)vertex ^ args.seed) * 0x9E3779B1u, args.count);
    u32 to = args.best[vertex] > 0 ? ~(u32)args.best[vertex] : NONE;
    if (args.strict == 0) {
        if (to == NONE)
            to = part_with_room(args.part_weights, args.count, start, weight, args.limit);
        if (to == NONE) return;
        atomicAdd(&args.part_weights[to], (u64)weight);
    } else if (to == NONE || !reserve(args.part_weights, to, weight, args.limit)) {
        // Another vertex may take the room first. Then the search goes on behind that part.
        u32 tries = 0;
        do {
            to = part_with_room(args.part_weights, args.count, start, weight, args.limit);
            if (to == NONE || ++tries > args.count) return;
            start = to + 1 < args.count ? to + 1 : 0;
        } while (!reserve(args.part_weights, to, weight, args.limit));
    }
    release(args.part_weights, from, weight);
    args.parts[vertex] = to;
}
