// Gather: the edges of an edge list that go on the lists.

#pragma once

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

// Puts wanted edges into the queue. A lane has four edges of each 128, from `first` on: bit j is
// edge first + j % 4 + j / 4 * 128.
template <class K>
template <class Wanted>
__device__ __forceinline__ void Solver<K>::push_wanted(WantedQueue<u32>& queue, u32 first, u32 bits,
                                                       Wanted wanted) {
    while (__any_sync(ALL_LANES, bits != 0)) {
        u32 j = __ffs(bits) - 1;
        if (queue.push(bits != 0, first + j % 4 + j / 4 * 128)) flush_wanted(queue, wanted);
        bits &= bits - 1;
    }
}

// Puts up to WANTED_BATCH wanted edges on the list.
template <class K>
template <class Wanted>
__device__ void Solver<K>::flush_wanted(WantedQueue<u32>& queue, Wanted wanted) {
    Quad<K> edges;
    queue.take(edges.id);
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++) {
        bool there = edges.id[j] != queue.NOTHING;
        edges.a[j] = there ? graph.u[edges.id[j]] : 0;
        edges.b[j] = there ? graph.v[edges.id[j]] : 0;
        edges.key[j] = there ? key_at(edges.id[j]) : 0;
    }
    if constexpr (Wanted::between) {
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            edges.a[j] = component_of(scratch.link[edges.a[j]]);
            edges.b[j] = component_of(scratch.link[edges.b[j]]);
            edges.id[j] += first_id();
            edges.keep[j] = edges.a[j] != edges.b[j];
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++)
            if (edges.keep[j]) write_min_except(wanted.giant, edges, j);
        append(lists.light, edges);
    } else {
        append_light(edges, wanted.pivot);
    }
}

// Puts edges of the input on the lists: those up to the pivot, and those above it.
template <class K>
__device__ __forceinline__ void Solver<K>::append_light(Quad<K>& edges, u64 pivot) {
    bool is_heavy[PER_LANE], any = false;
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++) {
        bool between = edges.a[j] != edges.b[j];
        is_heavy[j] = between && K::order(edges.key[j], edges.id[j]) > pivot;
        edges.keep[j] = between && !is_heavy[j];
        any |= is_heavy[j];
    }
    write_min_four(edges);
    append(lists.light, edges);
    if (__any_sync(ALL_LANES, any)) {
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) edges.keep[j] = is_heavy[j];
        append(lists.heavy, edges);
    }
}

// Lists the edges up to the pivot.
template <class K>
__device__ void Solver<K>::gather_edges_up_to(u64 pivot, u64 light_pivot) {
    const u32 EACH = LANE_BYTES / sizeof(Key);
    WantedQueue<u32> queue(wanted_edges());
    for (u32 i0 = warp * 32 * EACH; i0 < graph.edges; i0 += warps * 32 * EACH) {
        alignas(uint4) Key weight[EACH];
        u32 first = i0 + 4 * lane, bits = 0;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4)
            load_four(weight + j, (const Key*)graph.weights, first + 32 * j, graph.edges);
#pragma unroll
        for (u32 j = 0; j < EACH; j++) {
            u32 i = first + j % 4 + j / 4 * 128;
            Key key = key_of(weight[j], graph.kind, graph.flip);
            if (i < graph.edges && K::order(key, i) <= pivot) bits |= 1u << j;
        }
        push_wanted(queue, first, bits, Light{light_pivot});
    }
    flush_wanted(queue, Light{light_pivot});
}

// Lists the edges of the list of light edges.
template <class K>
__device__ void Solver<K>::gather_light_edges(u64 pivot) {
    const Key* weights = (const Key*)graph.light_weights;
    for (u32 i0 = warp * TILE_RECORDS; i0 < graph.lights; i0 += warps * TILE_RECORDS) {
        Quad<K> edges;
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 i = i0 + 32 * j + lane;
            bool there = i < graph.lights;
            edges.id[j] = there && graph.light_ids ? graph.light_ids[i] : i;
            edges.a[j] = there ? graph.light_u[i] : 0;
            edges.b[j] = there ? graph.light_v[i] : 0;
            edges.key[j] = there ? key_of(weights[i], graph.kind, graph.flip) : 0;
        }
        append_light(edges, pivot);
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
        alignas(uint4) u32 a[PER_LANE], b[PER_LANE];
        u32 first = i0 + 4 * lane, bits = 0;
        load_four(a, graph.u, first, graph.edges);
        load_four(b, graph.v, first, graph.edges);
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            if (a[j] != b[j] && !(folded && is_folded(a[j]) && is_folded(b[j]))) bits |= 1u << j;
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            if (bits >> j & 1 && (giant == UNSET ? scratch.link[a[j]] == scratch.link[b[j]]
                                                 : is_noted(a[j]) & is_noted(b[j])))
                bits ^= 1u << j;
        }
        push_wanted(queue, first, bits, BetweenComponents{giant});
    }
    flush_wanted(queue, BetweenComponents{giant});
}
