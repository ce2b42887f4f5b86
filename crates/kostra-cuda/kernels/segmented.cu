// Primitives on segments of arrays, made of segmented scans: enumerate, copy, split, and quicksort.
//
// Source: Manoochehri 2017, section 4.3.2. A segment is a run of elements, and the head flag of its
// first element is set. `starts` has the first element of each element's segment: an element knows
// the new start when it moves, so that a pass of the sort needs two scans, as in the source.

#include "segmented.cuh"

// Threads of a block of all kernels but the scans. src/segmented reads the constant.
constexpr u32 THREADS = 256;

// The argument of the kernels that are no scans. src/segmented declares the same struct and fills
// it.
struct Arguments {
    // Rows of a graph: the start of each row, and the row of each entry.
    const u32 *first_edge, *from;
    // The elements, and where they are moved.
    u32 *keys, *values, *starts, *heads;
    u32 *new_keys, *new_values, *new_starts, *new_heads;
    // For each start of a segment: its end, later its number of elements below the pivot.
    u32* totals;
    // For each element: the pivot of its segment, and the number of elements before it in the
    // segment that stay in front.
    u32 *pivots, *before;
    // Not 0 if a segment is out of order.
    u32* unsorted;
    u32 length, pass;
};

KERNEL __launch_bounds__(SCAN_THREADS) scan_reduce_sum(const ScanArguments<void> args) {
    scan_reduce<ScanSum>(args);
}
KERNEL __launch_bounds__(SCAN_THREADS) scan_down_sweep_sum(const ScanArguments<void> args) {
    scan_down_sweep<ScanSum>(args);
}

// Makes each row a segment.
KERNEL __launch_bounds__(THREADS) find_segments(const Arguments args) {
    u64 i = first_index();
    if (i >= args.length) return;
    u32 start = args.first_edge[args.from[i]];
    args.starts[i] = start;
    args.heads[i] = start == i;
}

__device__ __forceinline__ bool is_last(const Arguments& args, u64 i) {
    return i + 1 == args.length || args.heads[i + 1];
}

// Stores the end of each segment, and finds out whether a segment is out of order.
KERNEL __launch_bounds__(THREADS) find_ends(const Arguments args) {
    u64 i = first_index();
    if (i >= args.length) return;
    if (is_last(args, i)) {
        args.totals[args.starts[i]] = (u32)i + 1;
    } else if (args.keys[i] > args.keys[i + 1]) {
        *args.unsorted = 1;
    }
}

// The finalizer of MurmurHash3.
__device__ __forceinline__ u32 mixed(u32 hash) {
    hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
    return hash ^ hash >> 16;
}

// The element of a segment that is the pivot of two passes. If the first one does not split the
// segment, then the pivot is its greatest key, and the second one has the same pivot and splits the
// segment, unless all keys are equal.
__device__ __forceinline__ u32 pivot_of(const Arguments& args, u32 start) {
    u32 length = args.totals[start] - start;
    return start + mixed(start ^ args.pass / 2 * 0x9E3779B9u) % length;
}

// Stores each segment's pivot at its head, and 0 elsewhere.
KERNEL __launch_bounds__(THREADS) take_pivots(const Arguments args) {
    u64 i = first_index();
    if (i >= args.length) return;
    args.pivots[i] = args.heads[i] ? args.keys[pivot_of(args, (u32)i)] : 0;
}

// Whether an element moves to the end of its segment.
__device__ __forceinline__ bool moves(const Arguments& args, u64 i) {
    u32 key = args.keys[i], pivot = args.pivots[i];
    return args.pass % 2 == 0 ? key > pivot : key >= pivot;
}

// Flags the elements that stay in front.
KERNEL __launch_bounds__(THREADS) compare(const Arguments args) {
    u64 i = first_index();
    if (i < args.length) args.before[i] = !moves(args, i);
}

// Stores the number of elements of each segment that stay in front.
KERNEL __launch_bounds__(THREADS) count_front(const Arguments args) {
    u64 i = first_index();
    if (i >= args.length || !is_last(args, i)) return;
    args.totals[args.starts[i]] = args.before[i] + !moves(args, i);
}

// Moves the elements. Elements keep their order among those that stay and among those that move.
KERNEL __launch_bounds__(THREADS) split_and_segment(const Arguments args) {
    u64 i = first_index();
    if (i >= args.length) return;
    u32 start = args.starts[i], front = args.totals[start], before = args.before[i];
    bool stays = !moves(args, i);
    u32 place = stays ? start + before : (u32)i - before + front;
    u32 new_start = stays ? start : start + front;
    args.new_keys[place] = args.keys[i];
    args.new_values[place] = args.values[i];
    args.new_starts[place] = new_start;
    args.new_heads[place] = place == new_start;
}
