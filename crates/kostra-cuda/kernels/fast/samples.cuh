// Samples: pivots between light and heavy edges, and the giant component.

#pragma once

template <class K>
__device__ u32 Solver<K>::hash(u32 x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// How many samples a thread draws for a pivot that a `share` of all samples do not exceed.
template <class K>
__device__ u32 Solver<K>::draws_for(float share, u32 most) {
    u32 draws = (u32)(DRAWS_PER_SHARE / fmaxf(share, MIN_SHARE));
    return draws < 1 ? 1 : draws > most ? most : draws;
}

// Each thread passes the least of `draws` samples. Returns about the value that a `share` of all
// samples do not exceed. A thread's least sample does not exceed it with the probability
// 1 - (1 - share)^draws. The value is found bit by bit, by counting votes.
template <class K>
__device__ u64 Solver<K>::quantile(u64 mine, float share, u32 draws) {
    int k = (int)(BLOCK_THREADS * (1.0f - __powf(1.0f - share, (float)draws)));
    if (k >= (int)BLOCK_THREADS) k = BLOCK_THREADS - 1;
    u64 value = 0;
#pragma unroll 1
    for (u64 bit = 1ull << 63; bit; bit >>= 1)
        if (__syncthreads_count(mine < (value | bit)) <= k) value |= bit;
    return value;
}

// The least of the samples of `count` warps. Each thread of a block has warps of its own, as long
// as there are enough.
template <class K>
__device__ __forceinline__ u64 Solver<K>::least_of_warps(u32 count) {
    u64 least = MAX_ORDER;
    for (u32 i = 0; i < count; i++) {
        u32 at = (threadIdx.x + BLOCK_THREADS * i) % min(MAX_SAMPLES, warps);
        least = min(least, load(scratch.samples + at));
    }
    return least;
}

// Each warp samples `total` entries or edges of the input, which have these weights, for a pivot
// that a `share` of them do not exceed. `ids` is null for an edge list. Only the first MAX_SAMPLES
// warps do.
template <class K>
__device__ void Solver<K>::sample_input(const void* weights, u32 total, float share,
                                        const u32* ids) {
    if (warp >= MAX_SAMPLES) return;
    u32 draws = draws_for(share, MAX_DRAWS);
    u64 least = MAX_ORDER;
    for (u32 i = lane; i < min(draws, WARP_DRAWS); i += 32) {
        u32 at = (u64)hash(warp * WARP_DRAWS + i) * total >> 32;
        Key key = key_of(((const Key*)weights)[at], graph.kind, graph.flip);
        least = min(least, K::order(key, ids ? ids[at] : at));
    }
    for (u32 step = 16; step; step /= 2)
        least = min(least, __shfl_xor_sync(ALL_LANES, least, step));
    if (lane == 0) scratch.samples[warp] = least;
}

// An order that about a `share` of the input do not exceed, from the samples that sample_input took
// for `sampled_share`.
template <class K>
__device__ u64 Solver<K>::input_pivot(float share, float sampled_share) {
    if (share >= 1.0f) return MAX_ORDER;
    u32 draws = draws_for(sampled_share, MAX_DRAWS), sampled = max(draws / WARP_DRAWS, 1u);
    u64 least = least_of_warps(sampled);
    return quantile(least, share, sampled * min(draws, WARP_DRAWS));
}

// Samples one record of each warp's first tile, for a pivot; only the first MAX_SAMPLES warps do.
template <class K>
__device__ void Solver<K>::sample_list() {
    if (lane == 0 && warp < MAX_SAMPLES) {
        u64 order = MAX_ORDER;
        if (lists.light.count) {
            u32 at = lists.light.head * TILE_RECORDS +
                     hash(warp + next_counter) % min(lists.light.count, TILE_RECORDS);
            uint4 record = scratch.records[at];
            order = K::order(K::key_in(record), record.z);
        }
        scratch.samples[warp] = order;
    }
}

// An order that the lighter part of the lists does not exceed, from the samples of sample_list.
template <class K>
__device__ __forceinline__ u64 Solver<K>::list_pivot() {
    float share =
        fminf(SPLIT_LIGHT_DEGREE * (float)level.count / (float)lists.in_play, SPLIT_LIGHT_SHARE);
    u32 draws = draws_for(share, MAX_SAMPLES / BLOCK_THREADS);
    return quantile(least_of_warps(draws), share, draws);
}

// The label, from `above` on, of the most of the sampled vertices; UNSET if no label has more than
// GIANT_VOTES of them.
template <class K>
__device__ u32 Solver<K>::find_giant(u32 above) {
    u32* labels = (u32*)shared;
    __shared__ u64 most; // votes and label
    __syncthreads();
    if (threadIdx.x == 0) most = 0;
    if (threadIdx.x < GIANT_SAMPLES) {
        u32 x = (u64)hash(threadIdx.x) * graph.vertices >> 32;
        do x = scratch.link[x];
        while (x < above);
        labels[threadIdx.x] = x;
    }
    __syncthreads();
    if (threadIdx.x < GIANT_SAMPLES) {
        u32 votes = 0;
        for (u32 i = 0; i < GIANT_SAMPLES; i++) votes += labels[i] == labels[threadIdx.x];
        if (labels[threadIdx.x] != ISOLATED && votes > GIANT_VOTES)
            atomicMax(&most, (u64)votes << 32 | labels[threadIdx.x]);
    }
    __syncthreads();
    return most ? (u32)most : UNSET;
}

// The giant component of a new phase, or UNSET. It chooses nothing: the others link to it.
template <class K>
__device__ u32 Solver<K>::passive_giant() {
    u32 giant = find_giant(FINAL);
    if (giant == UNSET) return UNSET;
    giant = level.base + (giant & ~FINAL);
    if (blockIdx.x == 0 && threadIdx.x == 0) scratch.link[giant] = giant;
    return giant;
}
