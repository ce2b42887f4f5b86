// Checks that arrays in device memory are a graph. Each kind of fault has a word with the lowest
// place where it was found. The host reads all words at the end.

#include "common.cuh"

// The kinds of fault: the index of the word of each. src/foreign/check.rs reads them.
constexpr u32 OFFSET = 0;
constexpr u32 NEIGHBOR = 1;
constexpr u32 EDGE_ID = 2;
constexpr u32 NOT_A_NUMBER = 3;
constexpr u32 SELF_LOOP = 4;
constexpr u32 REPEATED = 5;

__device__ __forceinline__ void report(u64* faults, u32 fault, u64 place) {
    lower(&faults[fault], place);
}

__device__ __forceinline__ bool is_nan(u32 bits, u32 kind) {
    return kind == 2 && (bits & 0x7FFFFFFFu) > 0x7F800000u;
}
__device__ __forceinline__ bool is_nan(u64 bits, u32 kind) {
    return kind == 2 && (bits & 0x7FFFFFFFFFFFFFFFull) > 0x7FF0000000000000ull;
}

// A bijective mixing function: the finalizer mix64variant13 of Steele, Lea and Flood 2014.
__device__ __forceinline__ u64 scatter(u64 number) {
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9ull;
    number = (number ^ number >> 27) * 0x94D049BB133111EBull;
    return number ^ number >> 31;
}

// Checks that offsets start at 0, never decrease, and end at the number of entries. If they do not,
// check_entries reads nothing.
KERNEL check_offsets(const u32* offsets, u32 vertices, u32 entries, u64* faults) {
    for (u64 v = first_index(); v <= vertices; v += index_stride()) {
        u32 offset = offsets[v];
        bool right = v == 0 ? offset == 0 : offsets[v - 1] <= offset;
        if (v == vertices) right = right && offset == entries;
        if (!right) report(faults, OFFSET, v);
    }
}

// The row that contains an entry; the row is one of first..=last.
__device__ __forceinline__ u32 row_of(const u32* offsets, u32 first, u32 last, u32 entry) {
    while (first < last) {
        u32 middle = last - (last - first) / 2;
        if (offsets[middle] <= entry)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}

// Checks that neighbors and ids are in range, weights are not NaN, no edge joins a vertex to
// itself, and no id belongs to two edges. For symmetry, the entry at an edge's lower end adds a
// hash of ends, weight and id to the sum, and the entry at its higher end subtracts the hash. If
// the sum is not zero, the rows are not symmetric.
template <typename Bits>
__device__ void check_entries(const u32* offsets, const u32* neighbors, const u32* ids,
                              const Bits* weights, u32 vertices, u32 edges, u32 entries, u32 kind,
                              u32* seen, u64* faults, u64* sum) {
    if (load(&faults[OFFSET]) != ~0ull) return; // without valid offsets, no entry has a known row
    __shared__ u32 rows[2];
    u64 balance = 0;
    u64 tiles = ((u64)entries + blockDim.x - 1) / blockDim.x;
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        u64 start = tile * blockDim.x;
        if (threadIdx.x < 2) {
            u64 end = start + blockDim.x < entries ? start + blockDim.x : entries;
            rows[threadIdx.x] =
                row_of(offsets, 0, vertices - 1, threadIdx.x == 0 ? (u32)start : (u32)end - 1);
        }
        __syncthreads();
        u64 entry = start + threadIdx.x;
        if (entry < entries) {
            u32 from = row_of(offsets, rows[0], rows[1], (u32)entry);
            u32 to = neighbors[entry], id = ids[entry];
            Bits weight = weights[entry];
            if (to >= vertices) report(faults, NEIGHBOR, entry);
            if (id >= edges) report(faults, EDGE_ID, entry);
            if (is_nan(weight, kind)) report(faults, NOT_A_NUMBER, entry);
            if (to == from) report(faults, SELF_LOOP, entry);
            u64 low = from < to ? from : to, high = from < to ? to : from;
            u64 mark = scatter(low << 32 | high) + 0x9E3779B97F4A7C15ull;
            mark = scatter(mark ^ (u64)key_of(weight, kind, 0));
            mark = scatter(mark + (u64)id);
            balance += from < to ? mark : 0 - mark;
            if (from < to && id < edges && atomicOr(&seen[id / 32], 1u << id % 32) >> id % 32 & 1) {
                report(faults, REPEATED, entry);
            }
        }
        __syncthreads();
    }
    for (u32 distance = 16; distance > 0; distance /= 2)
        balance += __shfl_down_sync(NONE, balance, distance);
    if (threadIdx.x % 32 == 0 && balance != 0) atomicAdd(sum, balance);
}

// Checks that the ends of edges are in range, and their weights are not NaN.
template <typename Bits>
__device__ void check_edges(const u32* u, const u32* v, const Bits* weights, u32 vertices,
                            u32 edges, u32 kind, u64* faults) {
    for (u64 edge = first_index(); edge < edges; edge += index_stride()) {
        if (u[edge] >= vertices || v[edge] >= vertices) report(faults, NEIGHBOR, edge);
        if (is_nan(weights[edge], kind)) report(faults, NOT_A_NUMBER, edge);
    }
}

// Kernels for weights of 32 and of 64 bits.
#define KERNELS(BITS)                                                                           \
    KERNEL check_entries_##BITS(const u32* offsets, const u32* neighbors, const u32* ids,      \
                                const u##BITS* weights, u32 vertices, u32 edges, u32 entries,   \
                                u32 kind, u32* seen, u64* faults, u64* sum) {                   \
        check_entries(offsets, neighbors, ids, weights, vertices, edges, entries, kind, seen,  \
                      faults, sum);                                                             \
    }                                                                                           \
    KERNEL check_edges_##BITS(const u32* u, const u32* v, const u##BITS* weights, u32 vertices, \
                              u32 edges, u32 kind, u64* faults) {                               \
        check_edges(u, v, weights, vertices, edges, kind, faults);                              \
    }

KERNELS(32)
KERNELS(64)
