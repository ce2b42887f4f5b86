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

// Lists all edges.
template <class K>
__device__ void Solver<K>::gather_edges() {
    for (u32 i0 = warp * TILE_RECORDS; i0 < graph.edges; i0 += warps * TILE_RECORDS) {
        Quad<K> edges;
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 i = edges.id[j] = i0 + 32 * j + lane;
            bool there = i < graph.edges;
            edges.a[j] = there ? graph.u[i] : 0;
            edges.b[j] = there ? graph.v[i] : 0;
            edges.key[j] = there ? key_at(i) : 0;
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

// The warps' queues of wanted edges.
__device__ __forceinline__ u32* wanted_edges() {
    __shared__ u32 words[BLOCK_WARPS * WANTED_WORDS];
    return words;
}

// Puts wanted edges into the queue. Bit j of `wanted` is edge first + 32 * j.
template <class K>
template <class Wanted>
__device__ __forceinline__ void Solver<K>::push_wanted(WantedQueue<u32>& queue, u32 first,
                                                       u32 wanted, u32 giant) {
    while (__any_sync(ALL_LANES, wanted != 0)) {
        if (queue.push(wanted != 0, first + 32 * (__ffs(wanted) - 1)))
            flush_wanted<Wanted>(queue, giant);
        wanted &= wanted - 1;
    }
}

// Puts up to WANTED_BATCH wanted edges on the list.
template <class K>
template <class Wanted>
__device__ void Solver<K>::flush_wanted(WantedQueue<u32>& queue, u32 giant) {
    Quad<K> edges;
    queue.take(edges.id);
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++) {
        bool there = edges.id[j] != queue.NOTHING;
        edges.a[j] = there ? graph.u[edges.id[j]] : 0;
        edges.b[j] = there ? graph.v[edges.id[j]] : 0;
        edges.key[j] = there ? key_at(edges.id[j]) : 0;
    }
    if (Wanted::between) {
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            edges.a[j] = component_of(scratch.link[edges.a[j]]);
            edges.b[j] = component_of(scratch.link[edges.b[j]]);
            edges.id[j] += first_id();
        }
    }
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++) edges.keep[j] = edges.a[j] != edges.b[j];
    if (Wanted::between) {
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++)
            if (edges.keep[j]) write_min_except(giant, edges, j);
    } else {
        write_min_four(edges);
    }
    append(lists.light, edges);
}

// Lists the edges up to the pivot.
template <class K>
__device__ void Solver<K>::gather_edges_up_to(u64 pivot) {
    WantedQueue<u32> queue(wanted_edges());
    for (u32 i0 = warp * TILE_RECORDS; i0 < graph.edges; i0 += warps * TILE_RECORDS) {
        Key key[PER_LANE];
        u32 wanted = 0;
        prefetch_keys(i0);
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 i = i0 + 32 * j + lane;
            key[j] = i < graph.edges ? key_at(i) : 0;
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 i = i0 + 32 * j + lane;
            if (i < graph.edges && K::order(key[j], i) <= pivot) wanted |= 1u << j;
        }
        push_wanted<Light>(queue, i0 + lane, wanted, UNSET);
    }
    flush_wanted<Light>(queue, UNSET);
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
// = i are in the giant component. Returns whether most bits do. All threads of the block call this.
template <class K>
__device__ bool Solver<K>::fold_giant() {
    u32* folded = (u32*)shared;
    u32 words = (graph.vertices + 31) / 32, inside = 0;
    for (u32 i = threadIdx.x; i < FOLDED_BITS / 32; i += BLOCK_THREADS) {
        u32 all = ALL_LANES;
        for (u32 at = i; at < words; at += FOLDED_BITS / 32) all &= scratch.bits[at];
        folded[i] = all;
        inside += __popc(all);
    }
    bool most = inside > FOLDED_BITS / BLOCK_THREADS / 2;
    return __syncthreads_count(most) > BLOCK_THREADS / 2;
}

template <class K>
__device__ __forceinline__ bool Solver<K>::is_folded(u32 v) {
    return ((u32*)shared)[v % FOLDED_BITS / 32] >> v % 32 & 1;
}

// The second pass over an edge list: the edges between components. Most edges are inside the giant
// component, if there is one. The bits that say so have a 32nd of the size of the labels, so reads
// of them hit the L2 cache. This cache is slower than the ends come from memory (measured), so the
// folded bits are asked first.
template <class K>
__device__ void Solver<K>::gather_edges_outside(u32 giant) {
    bool folded = false;
    if (giant != UNSET) {
        note_giant(giant);
        sync(LABEL);
        folded = fold_giant();
    }
    WantedQueue<u32> queue(wanted_edges());
    for (u32 i0 = warp * TILE_RECORDS; i0 < graph.edges; i0 += warps * TILE_RECORDS) {
        u32 a[PER_LANE], b[PER_LANE], wanted = 0;
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 i = i0 + 32 * j + lane;
            a[j] = i < graph.edges ? __ldcs(graph.u + i) : 0;
            b[j] = i < graph.edges ? __ldcs(graph.v + i) : 0;
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            if (a[j] != b[j] && !(folded && is_folded(a[j]) && is_folded(b[j]))) wanted |= 1u << j;
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            if (wanted >> j & 1 && (giant == UNSET ? scratch.link[a[j]] == scratch.link[b[j]]
                                                   : is_noted(a[j]) & is_noted(b[j])))
                wanted ^= 1u << j;
        }
        push_wanted<BetweenComponents>(queue, i0 + lane, wanted, giant);
    }
    flush_wanted<BetweenComponents>(queue, giant);
}
