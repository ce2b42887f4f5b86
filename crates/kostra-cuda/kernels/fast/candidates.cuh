// The least edge of each component: candidates lower the component's word to their order. Edges of
// the forest are bits of a set.

#pragma once

// The key of an entry of the rows, or of an edge of the list.
template <class K>
__device__ __forceinline__ typename K::Key Solver<K>::key_at(u32 at) {
    return key_of(*((const Key*)graph.weights + at), graph.kind, graph.flip);
}

// Lowers a component's least order to that of an edge. Returns the component, with CANDIDATE if the
// edge may be its least one.
template <class K>
__device__ __forceinline__ u32 Solver<K>::write_min(u32 c, Key key, u32 id) {
    return write_min_after(load(scratch.least + (c - level.base)), c, K::order(key, id));
}

// The same with the least order that was seen before. The atomic is left out if it would come too
// late.
template <class K>
__device__ __forceinline__ u32 Solver<K>::write_min_after(u64 seen, u32 c, u64 order) {
    if (seen > order) atomicMin(scratch.least + (c - level.base), order);
    return seen > order || (K::wide && seen == order) ? c | CANDIDATE : c;
}

// The same for few components, where all threads would update the same words: the minimum is in the
// block's shared memory.
template <class K>
__device__ __forceinline__ u32 Solver<K>::write_min_in_block(u32 c, Key key, u32 id) {
    u64 order = K::order(key, id);
    u64 *p = shared + (c - level.base), seen = *(volatile u64*)p;
    if (seen > order) atomicMin(p, order);
    return seen > order || (K::wide && seen == order) ? c | CANDIDATE : c;
}

// The same for both ends of four edges: all loads come before all atomic minima.
template <class K>
__device__ __forceinline__ void Solver<K>::write_min_four(Quad<K>& edges) {
    u64 at_a[PER_LANE], at_b[PER_LANE];
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++) {
        at_a[j] = edges.keep[j] ? load(scratch.least + (edges.a[j] - level.base)) : 0;
        at_b[j] = edges.keep[j] ? load(scratch.least + (edges.b[j] - level.base)) : 0;
    }
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++)
        if (edges.keep[j]) {
            u64 order = K::order(edges.key[j], edges.id[j]);
            edges.a[j] = write_min_after(at_a[j], edges.a[j], order);
            edges.b[j] = write_min_after(at_b[j], edges.b[j], order);
        }
}

// The same for both ends of edge i, but not for the giant component, which chooses nothing.
template <class K>
__device__ __forceinline__ void Solver<K>::write_min_except(u32 giant, Quad<K>& edges, u32 i) {
    if (edges.a[i] != giant) edges.a[i] = write_min(edges.a[i], edges.key[i], edges.id[i]);
    if (edges.b[i] != giant) edges.b[i] = write_min(edges.b[i], edges.key[i], edges.id[i]);
}

// Merges the block's minima into those of the grid.
template <class K>
__device__ void Solver<K>::merge_block_minima(u64* least, u32 values) {
    for (u32 c0 = threadIdx.x; c0 < values; c0 += PER_LANE * BLOCK_THREADS) {
        u64 order[PER_LANE], seen[PER_LANE];
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            u32 c = c0 + BLOCK_THREADS * i;
            order[i] = c < values ? shared[c] : MAX_ORDER;
            seen[i] = order[i] != MAX_ORDER ? load(least + c) : 0;
        }
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++)
            if (seen[i] > order[i]) atomicMin(least + c0 + BLOCK_THREADS * i, order[i]);
    }
}

// Resets the least order of component i of a level, and its label.
template <class K>
__device__ __forceinline__ void Solver<K>::clear_component(u32 i) {
    scratch.least[i] = MAX_ORDER;
    if (K::wide) scratch.least_id[i] = MAX_ID;
    scratch.link[level.base + i] = UNSET;
}

// Adds an edge to the forest.
template <class K>
__device__ __forceinline__ void Solver<K>::insert_edge(u32 id) {
    atomicOr(scratch.forest + (id >> 5), 1u << (id & 31));
}

// Adds the edge of each lane that has one. Where neighboring vertices have edges with neighboring
// ids, one lane inserts for all lanes with edges in the same word.
template <class K>
__device__ void Solver<K>::insert_edges(bool there, u32 id) {
    u32 word = id >> 5, one = __shfl_sync(ALL_LANES, word, 0);
    u32 near = __popc(__ballot_sync(ALL_LANES, there && word - one + NEAR_WORDS / 2 < NEAR_WORDS));
    if (near < INSERT_TOGETHER_LANES) {
        if (there) insert_edge(id);
        return;
    }
    u32 peers = __match_any_sync(ALL_LANES, there ? word : ALL_LANES), bits = 0;
    if (there) bits = __reduce_or_sync(peers, 1u << (id & 31));
    if (there && lane == __ffs(peers) - 1) atomicOr(scratch.forest + word, bits);
}
