// The light edges of an edge list: samples for a pivot, and the edges up to it, as a set or a list.

#include "members.cuh"

// A sample: the key of an edge in two words, and its id.
struct Sample {
    u32 key_low;
    u32 key_high;
    u32 id;
};

// The argument of all kernels. src/light_edges.rs declares the same struct.
template <typename Weight>
struct Arguments {
    // `count` edges, whose ids begin at `first`.
    const u32 *u, *v;
    const Weight* weights;
    u32 *taken_u, *taken_v;
    Weight* taken_weights;
    u32* taken_ids;
    Sample* sampled;
    u32 *set, *listed, *places;
    u64 count, words, pivot_key;
    u32 pivot_id, first, total, kind, flip, draws, samples, room;
};

// Writes samples of all `total` edges of the graph for a pivot. Sample i is the least of `draws`
// edges that are drawn from those with the `count` ids from `first` on, which this device has. All
// devices draw the same ids. If none of the draws is of this device, the sample is above all edges.
// A warp draws for one sample at a time.
template <typename Weight>
__device__ void sample_edges(const Arguments<Weight>& args) {
    u32 lane = threadIdx.x % 32;
    for (u64 i = first_index() / 32; i < args.samples; i += index_stride() / 32) {
        u64 key = ~0ull;
        u32 id = ~0u;
#pragma unroll 4
        for (u32 draw = lane; draw < args.draws; draw += 32) {
            u64 x = (i * args.draws + draw) * 0x9e3779b97f4a7c15ull; // the finalizer of splitmix64
            x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
            x = (x ^ x >> 27) * 0x94d049bb133111ebull;
            u32 drawn = (u32)((x >> 32) * args.total >> 32);
            u64 other = drawn - args.first < args.count
                            ? key_of(args.weights[drawn - args.first], args.kind, args.flip)
                            : ~0ull;
            if (drawn - args.first < args.count && (other < key || (other == key && drawn < id))) {
                key = other;
                id = drawn;
            }
        }
        u64 least = key;
        for (u32 step = 16; step; step /= 2)
            least = min(least, __shfl_xor_sync(0xffffffff, least, step));
        id = __reduce_min_sync(0xffffffff, key == least ? id : ~0u);
        if (lane == 0) args.sampled[i] = {(u32)least, (u32)(least >> 32), id};
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
__device__ void select_light(const Arguments<Weight>& args) {
    const u32 EACH = 64 / sizeof(Weight); // edges of a lane, and words of a warp
    u32 lane = threadIdx.x % 32;
    for (u64 w = first_index() / 32 * EACH; w < args.words; w += index_stride() / 32 * EACH) {
        alignas(uint4) Weight weight[EACH];
        u64 first_at = 32 * w + 4 * lane;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4)
            load_four(weight + j, args.weights, first_at + 32 * j, args.count);
        u32 mine = 0;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4) {
            u32 bits = 0;
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                u64 i = first_at + 32 * j + k, key = key_of(weight[j + k], args.kind, args.flip);
                bool light = i < args.count &&
                             is_light(key, args.first + (u32)i, args.pivot_key, args.pivot_id);
                bits |= (u32)light << k;
            }
            // The bits of eight lanes are a word. The lane of each eight with the number j / 4
            // keeps it.
            bits <<= 4 * (lane % 8);
            for (u32 step = 1; step < 8; step *= 2) bits |= __shfl_xor_sync(NONE, bits, step);
            if (lane % 8 == j / 4) mine = bits;
        }
        u64 at = w + 4 * (lane % 8) + lane / 8;
        if (lane % 8 < EACH / 4 && at < args.words) args.set[at] = mine;
    }
}

// Lists the places of the edges that select_light selects, in any order. Counts all of them in
// `listed`, and writes the first `room`. Places wait in shared memory until there is one for each
// lane, because one addition for each place would take longer than reading the keys.
template <typename Weight>
__device__ void list_light(const Arguments<Weight>& args) {
    const u32 EACH = 64 / sizeof(Weight); // edges of a lane
    __shared__ u32 queues[LINE_WARPS][64];
    u32 lane = threadIdx.x % 32, waiting = 0;
    u32* queue = queues[threadIdx.x / 32];
    auto flush = [&](u32 some) {
        __syncwarp();
        u32 start = 0, place = queue[lane], next = queue[32 + lane];
        if (lane == 0) start = atomicAdd(args.listed, some);
        u32 at = __shfl_sync(NONE, start, 0) + lane;
        if (lane < some && at < args.room) args.places[at] = place;
        queue[lane] = next;
        waiting -= some;
        __syncwarp();
    };
    for (u64 i0 = first_index() / 32 * 32 * EACH; i0 < args.count; i0 += index_stride() * EACH) {
        alignas(uint4) Weight weight[EACH];
        u32 here = (u32)min(args.count - i0, (u64)(32 * EACH)), light = 0;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4)
            load_four(weight + j, args.weights + i0, 4 * lane + 32 * j, here);
#pragma unroll
        for (u32 j = 0; j < EACH; j++) {
            u32 i = 4 * lane + 32 * (j / 4 * 4) + j % 4, id = args.first + (u32)i0 + i;
            u64 key = key_of(weight[j], args.kind, args.flip);
            light |= (u32)(is_light(key, id, args.pivot_key, args.pivot_id) && i < here) << j;
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
__device__ void take_edges(const Arguments<Weight>& args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u32 place = args.places[i];
        args.taken_u[i] = args.u[place];
        args.taken_v[i] = args.v[place];
        args.taken_weights[i] = args.weights[place];
        args.taken_ids[i] = args.first + place;
    }
}

#define PIVOT(BITS)                                                                   \
    KERNEL sample_edges_##BITS(const Arguments<u##BITS> args) { sample_edges(args); } \
    KERNEL select_light_##BITS(const Arguments<u##BITS> args) { select_light(args); } \
    KERNEL list_light_##BITS(const Arguments<u##BITS> args) { list_light(args); }     \
    KERNEL take_edges_##BITS(const Arguments<u##BITS> args) { take_edges(args); }
PIVOT(32)
PIVOT(64)
