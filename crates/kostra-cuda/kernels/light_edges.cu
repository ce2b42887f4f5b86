// The light edges of an edge list: samples for a pivot, and the edges up to it, as a set or a list.

#include "members.cuh"

// A sample: the key of an edge in two words, and its id.
struct Sample {
    u32 key_low;
    u32 key_high;
    u32 id;
};

// Writes samples of all `total` edges of the graph for a pivot. Sample i is the least of `draws`
// edges that are drawn from those with the `count` ids from `first` on, which this device has. All
// devices draw the same ids. If none of the draws is of this device, the sample is above all edges.
// A warp draws for one sample at a time.
template <typename Weight>
__device__ void sample_edges(const Weight* weights, u32 count, u32 first, u32 total, u32 kind,
                             u32 flip, u32 draws, u32 samples, Sample* sampled) {
    u32 lane = threadIdx.x % 32;
    for (u64 i = first_index() / 32; i < samples; i += index_stride() / 32) {
        u64 key = ~0ull;
        u32 id = ~0u;
#pragma unroll 4
        for (u32 draw = lane; draw < draws; draw += 32) {
            u64 x = (i * draws + draw) * 0x9e3779b97f4a7c15ull; // the finalizer of splitmix64
            x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
            x = (x ^ x >> 27) * 0x94d049bb133111ebull;
            u32 drawn = (u32)((x >> 32) * total >> 32);
            u64 other = drawn - first < count ? key_of(weights[drawn - first], kind, flip) : ~0ull;
            if (drawn - first < count && (other < key || (other == key && drawn < id))) {
                key = other;
                id = drawn;
            }
        }
        u64 least = key;
        for (u32 step = 16; step; step /= 2)
            least = min(least, __shfl_xor_sync(0xffffffff, least, step));
        id = __reduce_min_sync(0xffffffff, key == least ? id : ~0u);
        if (lane == 0) sampled[i] = {(u32)least, (u32)(least >> 32), id};
    }
}

// Whether an edge does not exceed a pivot.
__device__ __forceinline__ bool is_light(u64 key, u32 id, u64 pivot_key, u32 pivot_id) {
    return key < pivot_key || (key == pivot_key && id <= pivot_id);
}

// Writes the set of the edges that do not exceed a pivot: a key and an id. The `count` edges have
// the ids from `first` on. A lane loads four edges of each 128, 64 bytes at once, so that enough
// bytes are in flight.
template <typename Weight>
__device__ void select_light(const Weight* weights, u64 count, u32 first, u32 kind, u32 flip,
                             u64 pivot_key, u32 pivot_id, u32* set, u64 words) {
    const u32 EACH = 64 / sizeof(Weight); // edges of a lane, and words of a warp
    u32 lane = threadIdx.x % 32;
    for (u64 w = first_index() / 32 * EACH; w < words; w += index_stride() / 32 * EACH) {
        alignas(uint4) Weight weight[EACH];
        u64 first_at = 32 * w + 4 * lane;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4)
            load_four(weight + j, weights, first_at + 32 * j, count);
        u32 mine = 0;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4) {
            u32 bits = 0;
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                u64 i = first_at + 32 * j + k, key = key_of(weight[j + k], kind, flip);
                bool light = i < count && is_light(key, first + (u32)i, pivot_key, pivot_id);
                bits |= (u32)light << k;
            }
            // The bits of eight lanes are a word. The lane of each eight with the number j / 4
            // keeps it.
            bits <<= 4 * (lane % 8);
            for (u32 step = 1; step < 8; step *= 2) bits |= __shfl_xor_sync(NONE, bits, step);
            if (lane % 8 == j / 4) mine = bits;
        }
        u64 at = w + 4 * (lane % 8) + lane / 8;
        if (lane % 8 < EACH / 4 && at < words) set[at] = mine;
    }
}

// Lists the places of the edges that select_light selects, in any order. Counts all of them in
// `listed`, and writes the first `room`. Places wait in shared memory until there is one for each
// lane, because one addition for each place would take longer than reading the keys.
template <typename Weight>
__device__ void list_light(const Weight* weights, u64 count, u32 first, u32 kind, u32 flip,
                           u64 pivot_key, u32 pivot_id, u32* listed, u32* places, u32 room) {
    const u32 EACH = 64 / sizeof(Weight); // edges of a lane
    __shared__ u32 queues[LINE_WARPS][64];
    u32 lane = threadIdx.x % 32, waiting = 0;
    u32* queue = queues[threadIdx.x / 32];
    auto flush = [&](u32 some) {
        __syncwarp();
        u32 start = 0, place = queue[lane], next = queue[32 + lane];
        if (lane == 0) start = atomicAdd(listed, some);
        u32 at = __shfl_sync(NONE, start, 0) + lane;
        if (lane < some && at < room) places[at] = place;
        queue[lane] = next;
        waiting -= some;
        __syncwarp();
    };
    for (u64 i0 = first_index() / 32 * 32 * EACH; i0 < count; i0 += index_stride() * EACH) {
        alignas(uint4) Weight weight[EACH];
        u32 here = (u32)min(count - i0, (u64)(32 * EACH)), light = 0;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4)
            load_four(weight + j, weights + i0, 4 * lane + 32 * j, here);
#pragma unroll
        for (u32 j = 0; j < EACH; j++) {
            u32 i = 4 * lane + 32 * (j / 4 * 4) + j % 4, id = first + (u32)i0 + i;
            u64 key = key_of(weight[j], kind, flip);
            light |= (u32)(is_light(key, id, pivot_key, pivot_id) && i < here) << j;
        }
        while (__any_sync(NONE, light != 0)) {
            u32 votes = __ballot_sync(NONE, light != 0), j = __ffs(light) - 1;
            if (light != 0)
                queue[waiting + __popc(votes & ((1u << lane) - 1))] =
                    (u32)i0 + 4 * lane + 32 * (j / 4 * 4) + j % 4;
            light &= light - 1;
            waiting += __popc(votes);
            if (waiting >= 32) flush(32);
        }
    }
    flush(waiting);
}

// Copies the edges at `count` places of an edge list to a list of their own, with their ids.
template <typename Weight>
__device__ void take_edges(const u32* places, u32 count, u32 first, const u32* u, const u32* v,
                           const Weight* weights, u32* taken_u, u32* taken_v,
                           Weight* taken_weights, u32* taken_ids) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u32 place = places[i];
        taken_u[i] = u[place];
        taken_v[i] = v[place];
        taken_weights[i] = weights[place];
        taken_ids[i] = first + place;
    }
}

#define PIVOT(BITS)                                                                              \
    KERNEL sample_edges_##BITS(const u##BITS* weights, u32 count, u32 first, u32 total, u32 kind, \
                               u32 flip, u32 draws, u32 samples, Sample* sampled) {              \
        sample_edges(weights, count, first, total, kind, flip, draws, samples, sampled);         \
    }                                                                                            \
    KERNEL select_light_##BITS(const u##BITS* weights, u64 count, u32 first, u32 kind, u32 flip, \
                               u64 pivot_key, u32 pivot_id, u32* set, u64 words) {               \
        select_light(weights, count, first, kind, flip, pivot_key, pivot_id, set, words);        \
    }                                                                                            \
    KERNEL list_light_##BITS(const u##BITS* weights, u64 count, u32 first, u32 kind, u32 flip,   \
                             u64 pivot_key, u32 pivot_id, u32* listed, u32* places, u32 room) {  \
        list_light(weights, count, first, kind, flip, pivot_key, pivot_id, listed, places, room); \
    }                                                                                            \
    KERNEL take_edges_##BITS(const u32* places, u32 count, u32 first, const u32* u,              \
                             const u32* v, const u##BITS* weights, u32* taken_u, u32* taken_v,   \
                             u##BITS* taken_weights, u32* taken_ids) {                           \
        take_edges(places, count, first, u, v, weights, taken_u, taken_v, taken_weights,         \
                   taken_ids);                                                                   \
    }
PIVOT(32)
PIVOT(64)
