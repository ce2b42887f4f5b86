// Sorts the entries within each row by a merge sort, whatever the lengths of the rows. One block
// sorts each tile of entries in shared memory. Then runs of a tile, of two tiles, of four and so on
// are merged. Only the row that spans the end of the left run has entries in both runs, so only its
// entries move.

#include "common.cuh"

// Threads of a block of sort_tiles: several blocks fit on a multiprocessor. src/sort_rows.rs reads
// both constants.
constexpr u32 THREADS = 256;
// Entries of a thread. They fit in its registers.
constexpr u32 ITEMS = 4;
constexpr u32 TILE = THREADS * ITEMS;

// What moves with an entry. Its vertex stays, because entries move within their row.
template <typename K>
struct Entry {
    u32 neighbor;
    K key;
    u32 id;
};

// Entries in global or in shared memory.
template <typename K>
struct Entries {
    u32* neighbors;
    K* keys;
    u32* ids;

    __device__ Entry<K> at(u64 place) const { return {neighbors[place], keys[place], ids[place]}; }

    __device__ void set(u64 place, const Entry<K>& entry) const {
        neighbors[place] = entry.neighbor;
        keys[place] = entry.key;
        ids[place] = entry.id;
    }
};

// The argument of all kernels. src/sort_rows.rs declares the same struct and fills it.
template <typename K>
struct Arguments {
    const u32 *first_edge, *from;
    u32* neighbors;
    K* keys;
    u32* ids;
    // Memory for as many entries.
    u32* merged_neighbors;
    K* merged_keys;
    u32* merged_ids;
    u64 width;
    u32 length;

    __device__ Entries<K> entries() const { return {neighbors, keys, ids}; }
    __device__ Entries<K> merged() const { return {merged_neighbors, merged_keys, merged_ids}; }
};

// The strict total order of edges: key, then id.
struct ByWeight {
    template <typename K>
    static __device__ bool precedes(const Entry<K>& a, const Entry<K>& b) {
        return a.key != b.key ? a.key < b.key : a.id < b.id;
    }
};

// Parallel edges side by side, the first in the order of edges before the others.
struct ByNeighbor {
    template <typename K>
    static __device__ bool precedes(const Entry<K>& a, const Entry<K>& b) {
        return a.neighbor != b.neighbor ? a.neighbor < b.neighbor : ByWeight::precedes(a, b);
    }
};

// Two neighboring runs of `width` entries, and the row that contains one of the entries. All places
// count from the same start.
struct Runs {
    // The first place of the right run.
    u64 middle;
    // The part of the row that is in the runs.
    u64 start, end;

    __device__ Runs(u64 place, u64 row_start, u64 row_end, u64 width)
        : middle(place / (2 * width) * (2 * width) + width),
          start(row_start > middle - width ? row_start : middle - width),
          end(row_end < middle + width ? row_end : middle + width) {}

    // Whether the row has entries in both runs. If not, its part is sorted already.
    __device__ bool are_merged() const { return start < middle && middle < end; }
};

// The place of an entry after its two runs are merged: its distance from the start of its own run,
// and the number of entries of the other run that precede it. No two entries of a row are equal,
// so all entries get different places.
template <typename Order, typename K>
__device__ u64 merged_place(const Entries<K>& entries, u64 place, const Entry<K>& entry,
                            const Runs& runs) {
    bool is_left = place < runs.middle;
    u64 low = is_left ? runs.middle : runs.start, high = is_left ? runs.end : runs.middle;
    while (low < high) {
        u64 probe = low + (high - low) / 2;
        if (Order::precedes(entries.at(probe), entry)) {
            low = probe + 1;
        } else {
            high = probe;
        }
    }
    // Left: place + (low - middle). Right: start + (place - middle) + (low - start). The same.
    return place + low - runs.middle;
}

// Sorts each tile.
template <typename Order, typename K>
__device__ void sort_tiles(const Arguments<K>& args) {
    Entries<K> entries = args.entries();
    __shared__ u32 neighbors[TILE];
    __shared__ K keys[TILE];
    __shared__ u32 ids[TILE];
    Entries<K> tile = {neighbors, keys, ids};
    u64 begin = (u64)blockIdx.x * TILE;
    u64 count = args.length - begin < TILE ? args.length - begin : TILE;
    Entry<K> own[ITEMS];
    u32 row_start[ITEMS], row_end[ITEMS], target[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        u32 place = i * THREADS + threadIdx.x;
        if (place >= count) continue;
        u32 row = args.from[begin + place];
        u64 start = args.first_edge[row], end = args.first_edge[row + 1];
        row_start[i] = start > begin ? (u32)(start - begin) : 0;
        row_end[i] = (u32)((end < begin + count ? end : begin + count) - begin);
        tile.set(place, entries.at(begin + place));
    }
    for (u32 width = 1; width < TILE; width *= 2) {
        // All entries of the last level, or of the tile, are in shared memory.
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            u32 place = i * THREADS + threadIdx.x;
            if (place >= count) continue;
            own[i] = tile.at(place);
            Runs runs(place, row_start[i], row_end[i], width);
            target[i] = place;
            if (runs.are_merged()) {
                target[i] = (u32)merged_place<Order>(tile, place, own[i], runs);
            }
        }
        // All threads have read what they compare.
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            u32 place = i * THREADS + threadIdx.x;
            if (place < count && target[i] != place) tile.set(target[i], own[i]);
        }
    }
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        u32 place = i * THREADS + threadIdx.x;
        if (place < count) entries.set(begin + place, tile.at(place));
    }
}

// The runs that contain an entry.
__device__ Runs runs_of(const u32* first_edge, const u32* from, u64 place, u64 width) {
    u32 row = from[place];
    return Runs(place, first_edge[row], first_edge[row + 1], width);
}

// Writes the entries that are merged to their places in `merged`.
template <typename Order, typename K>
__device__ void merge_runs(const Arguments<K>& args) {
    Entries<K> entries = args.entries();
    Entries<K> merged = args.merged();
    u64 place = first_index();
    if (place >= args.length) return;
    Runs runs = runs_of(args.first_edge, args.from, place, args.width);
    if (!runs.are_merged()) return;
    Entry<K> entry = entries.at(place);
    merged.set(merged_place<Order>(entries, place, entry, runs), entry);
}

// Copies the merged entries back.
template <typename K>
__device__ void take_merged(const Arguments<K>& args) {
    Entries<K> entries = args.entries();
    Entries<K> merged = args.merged();
    u64 place = first_index();
    if (place >= args.length) return;
    if (runs_of(args.first_edge, args.from, place, args.width).are_merged())
        entries.set(place, merged.at(place));
}

#define KERNELS(BITS)                                                                             \
    KERNEL __launch_bounds__(THREADS) sort_tiles_weight_##BITS(const Arguments<u##BITS> args) {   \
        sort_tiles<ByWeight>(args);                                                               \
    }                                                                                             \
    KERNEL __launch_bounds__(THREADS) merge_runs_weight_##BITS(const Arguments<u##BITS> args) {   \
        merge_runs<ByWeight>(args);                                                               \
    }                                                                                             \
    KERNEL __launch_bounds__(THREADS) sort_tiles_neighbor_##BITS(const Arguments<u##BITS> args) { \
        sort_tiles<ByNeighbor>(args);                                                             \
    }                                                                                             \
    KERNEL __launch_bounds__(THREADS) merge_runs_neighbor_##BITS(const Arguments<u##BITS> args) { \
        merge_runs<ByNeighbor>(args);                                                             \
    }                                                                                             \
    KERNEL __launch_bounds__(THREADS) take_merged_##BITS(const Arguments<u##BITS> args) {         \
        take_merged(args);                                                                        \
    }

KERNELS(32)
KERNELS(64)
