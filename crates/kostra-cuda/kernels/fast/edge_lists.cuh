// Gather: the edges of an edge list that go on the lists.

#pragma once

// Prefetches the keys of a warp's next tile. Otherwise each tile would wait for memory first.
template <class K>
__device__ __forceinline__ void Solver<K>::prefetch_keys(u32 i0) {
    const u32 LINE = 128 / sizeof(Key); // keys of a line of the cache
    u32 i = i0 + warps * TILE_RECORDS + lane * LINE;
    if (lane < TILE_RECORDS / LINE && i < graph.edges)
        asm volatile("prefetch.global.L2 [%0];" ::"l"((const Key*)graph.weights + i));
}

// Lists all edges, or with `filtered` those up to the pivot.
template <class K>
__device__ void Solver<K>::gather_edges(bool filtered, u64 pivot) {
    for (u32 i0 = warp * TILE_RECORDS; i0 < graph.edges; i0 += warps * TILE_RECORDS) {
        Quad<K> edges;
        prefetch_keys(i0);
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            edges.id[j] = i0 + 32 * j + lane;
            edges.key[j] = edges.id[j] < graph.edges ? key_at(edges.id[j]) : 0;
            edges.keep[j] = edges.id[j] < graph.edges &&
                            (!filtered || K::order(edges.key[j], edges.id[j]) <= pivot);
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            edges.a[j] = edges.keep[j] ? graph.u[edges.id[j]] : 0;
            edges.b[j] = edges.keep[j] ? graph.v[edges.id[j]] : 0;
            edges.keep[j] = edges.a[j] != edges.b[j];
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            if (edges.keep[j]) {
                edges.a[j] = write_min(edges.a[j], edges.key[j], edges.id[j]);
                edges.b[j] = write_min(edges.b[j], edges.key[j], edges.id[j]);
            }
        }
        append(lists.light, edges);
    }
}

// Lists the edges of the list of light edges.
template <class K>
__device__ void Solver<K>::gather_light_edges() {
    const Key* weights = (const Key*)graph.light_weights;
    for (u32 i0 = warp * TILE_RECORDS; i0 < graph.lights; i0 += warps * TILE_RECORDS) {
        Quad<K> edges;
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 i = edges.id[j] = i0 + 32 * j + lane;
            bool there = i < graph.lights;
            edges.a[j] = there ? graph.light_u[i] : 0;
            edges.b[j] = there ? graph.light_v[i] : 0;
            edges.key[j] = there ? key_of(weights[i], graph.kind, graph.flip) : 0;
            edges.keep[j] = edges.a[j] != edges.b[j];
        }
        write_min_four(edges);
        append(lists.light, edges);
    }
}

// Notes in `bits` which vertices are in the giant component. Bits after the last vertex are set.
template <class K>
__device__ void Solver<K>::note_giant(u32 giant) {
    u32 label = FINAL | (giant - level.base);
    for (u32 v0 = warp * 32; v0 < graph.vertices; v0 += warps * 32) {
        bool inside = v0 + lane >= graph.vertices || scratch.link[v0 + lane] == label;
        u32 word = __ballot_sync(ALL_LANES, inside);
        if (lane == 0) scratch.bits[v0 / 32] = word;
    }
}

template <class K>
__device__ __forceinline__ bool Solver<K>::is_noted(u32 v) {
    return scratch.bits[v / 32] >> v % 32 & 1;
}

// Folds the bits of `bits` in shared memory: bit i says whether all vertices v with v % FOLDED_BITS
// = i are in the giant component. All threads of the block call this.
template <class K>
__device__ void Solver<K>::fold_giant() {
    u32* folded = (u32*)shared;
    u32 words = (graph.vertices + 31) / 32;
    for (u32 i = threadIdx.x; i < FOLDED_BITS / 32; i += BLOCK_THREADS) {
        u32 all = ~0u;
        for (u32 at = i; at < words; at += FOLDED_BITS / 32) all &= scratch.bits[at];
        folded[i] = all;
    }
    __syncthreads();
}

template <class K>
__device__ __forceinline__ bool Solver<K>::is_folded(u32 v) {
    return ((u32*)shared)[v % FOLDED_BITS / 32] >> v % 32 & 1;
}

// The second pass over an edge list: the edges between components. Most edges are inside the giant
// component, if there is one. The bits that say so have a 32nd of the size of the labels, so reads
// of them hit caches. A cache serves the lanes of a warp one line after the other, though, and
// shared memory serves nearly all at once, so the folded bits are asked first.
template <class K>
__device__ void Solver<K>::gather_edges_outside(u32 giant) {
    if (giant != UNSET) {
        note_giant(giant);
        sync(LABEL);
        fold_giant();
    }
    for (u32 i0 = warp * TILE_RECORDS; i0 < graph.edges; i0 += warps * TILE_RECORDS) {
        Quad<K> edges;
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            edges.id[j] = i0 + 32 * j + lane;
            edges.a[j] = edges.id[j] < graph.edges ? __ldcs(graph.u + edges.id[j]) : 0;
            edges.b[j] = edges.id[j] < graph.edges ? __ldcs(graph.v + edges.id[j]) : 0;
        }
        if (giant != UNSET) {
#pragma unroll
            for (u32 j = 0; j < PER_LANE; j++)
                edges.keep[j] = !(is_folded(edges.a[j]) & is_folded(edges.b[j]));
#pragma unroll
            for (u32 j = 0; j < PER_LANE; j++) {
                if (edges.keep[j])
                    edges.keep[j] = !(is_noted(edges.a[j]) & is_noted(edges.b[j]));
            }
#pragma unroll
            for (u32 j = 0; j < PER_LANE; j++) {
                if (!edges.keep[j]) edges.a[j] = edges.b[j] = 0;
            }
            bool any = false;
#pragma unroll
            for (u32 j = 0; j < PER_LANE; j++) any |= edges.keep[j];
            if (!__any_sync(ALL_LANES, any)) continue;
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            edges.a[j] = scratch.link[edges.a[j]];
            edges.b[j] = scratch.link[edges.b[j]];
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            edges.keep[j] = edges.a[j] != edges.b[j];
            edges.key[j] = edges.keep[j] ? key_at(edges.id[j]) : 0;
            edges.a[j] = component_of(edges.a[j]);
            edges.b[j] = component_of(edges.b[j]);
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            edges.id[j] += first_id();
            if (edges.keep[j]) write_min_except(giant, edges, j);
        }
        append(lists.light, edges);
    }
}
