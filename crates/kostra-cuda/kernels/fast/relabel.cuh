// Relabel: gives the ends of listed edges their labels on the new level.

#pragma once

// The place of a pair of components in a table of PAIR_LIMIT / 2 rows. Rows of the lower half of
// the components use the places right of the diagonal; rows of the upper half, reversed, use the
// places left of it.
__device__ __forceinline__ u32 place_of_pair(u32 a, u32 b) {
    u32 x = min(a, b), y = max(a, b);
    return x < PAIR_LIMIT / 2 ? x * PAIR_LIMIT + y
                              : (PAIR_LIMIT - 1 - x) * PAIR_LIMIT + (PAIR_LIMIT - 1 - y);
}
__device__ __forceinline__ uint2 pair_at(u32 place) {
    u32 x = place / PAIR_LIMIT, y = place % PAIR_LIMIT;
    return y > x ? make_uint2(x, y) : make_uint2(PAIR_LIMIT - 1 - x, PAIR_LIMIT - 1 - y);
}

// Prepares the minima of this level: few components have theirs in shared memory. Otherwise, if
// there are many edges, returns the component that holds the most sampled vertices. It chooses
// nothing: the others link to it.
template <class K>
__device__ __forceinline__ u32 Solver<K>::prepare_minima(Labels labels, Keep keep) {
    u32 giant = UNSET;
    if (level.count <= FEW_LIMIT) {
        u32 minima = keep == Keep::LEAST_OF_PAIRS ? FINISH_LIMIT : level.count;
        for (u32 c = threadIdx.x; c < minima; c += BLOCK_THREADS) shared[c] = MAX_ORDER;
        __syncthreads();
    } else if (labels != Labels::FINAL && lists.in_play > GIANT_EDGES) {
        giant = find_giant(level.base);
        if (giant >= level.end()) giant = UNSET;
        if (blockIdx.x == 0 && threadIdx.x == 0 && giant != UNSET) scratch.link[giant] = giant;
    }
    return giant;
}

// Loads the records and ids of a tile's `left` edges, and the new labels of their ends. Lanes
// without an edge get equal ends.
template <class K>
__device__ __forceinline__ void Solver<K>::load_relabeled(Quad<K>& edges, uint4* records, u32 tile,
                                                          u32 left, Labels labels) {
    const u16* few_label = FewMemory(shared).label;
#pragma unroll
    for (u32 i = 0; i < PER_LANE; i++) {
        u32 at = tile * TILE_RECORDS + 32 * i + lane;
        bool there = 32 * i + lane < left;
        records[i] = there ? scratch.records[at] : make_uint4(0, 0, 0, 0);
        edges.id[i] = there ? K::id_in(records[i], scratch.record_ids, at) : 0;
    }
#pragma unroll
    for (u32 i = 0; i < PER_LANE; i++) {
        bool there = 32 * i + lane < left;
        u32 x = records[i].x & ~CANDIDATE, y = records[i].y & ~CANDIDATE;
        bool is_few = labels == Labels::FEW;
        edges.a[i] = !there   ? level.base
                     : is_few ? level.base + few_label[x - few.base]
                              : scratch.link[x];
        edges.b[i] = !there   ? level.base
                     : is_few ? level.base + few_label[y - few.base]
                              : scratch.link[y];
    }
    if (labels == Labels::FINAL) {
// Every label is a final number, as label_vertices left it.
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            bool there = 32 * i + lane < left;
            edges.a[i] = there ? component_of(edges.a[i]) : 0;
            edges.b[i] = there ? component_of(edges.b[i]) : 0;
        }
    } else if (labels == Labels::LINKED) {
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            while (edges.a[i] < level.base) edges.a[i] = scratch.link[edges.a[i]];
            while (edges.b[i] < level.base) edges.b[i] = scratch.link[edges.b[i]];
        }
    }
    __syncwarp(); // every lane has read its records before the tile is reused
}

// Lowers the least order of each edge's pair of components, in shared memory.
template <class K>
__device__ __forceinline__ void Solver<K>::write_min_of_pairs(const Quad<K>& edges,
                                                              const uint4* records) {
#pragma unroll
    for (u32 i = 0; i < PER_LANE; i++) {
        if (edges.a[i] == edges.b[i]) continue;
        u64* least = shared + place_of_pair(edges.a[i] - level.base, edges.b[i] - level.base);
        u64 order = K::order(K::key_in(records[i]), edges.id[i]);
        if (*(volatile u64*)least > order) atomicMin(least, order);
    }
}

// Gives the ends of listed edges their labels on the new level, and removes edges within a
// component. The others become candidates and go on the list, or where `keep` says.
template <class K>
__device__ void Solver<K>::relabel(Chain in, Labels labels, Keep keep, u64 pivot) {
    bool is_few = level.count <= FEW_LIMIT;
    u32 giant = prepare_minima(labels, keep);
    Chain light = EMPTY, heavy = EMPTY;
    u32 tile = in.head;
    for (u32 left = in.count; left;) {
        u32 next = scratch.next[tile];
        Quad<K> edges;
        uint4 records[PER_LANE];
        load_relabeled(edges, records, tile, left, labels);
        free_tile(tile);
        left -= min(left, TILE_RECORDS);
        tile = next;
        if (keep == Keep::LEAST_OF_PAIRS) {
            write_min_of_pairs(edges, records);
            continue;
        }
        bool is_heavy[PER_LANE];
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            edges.key[i] = K::key_in(records[i]);
            edges.keep[i] = edges.a[i] != edges.b[i];
            is_heavy[i] =
                edges.keep[i] && keep == Keep::LIGHT && K::order(edges.key[i], edges.id[i]) > pivot;
            edges.keep[i] &= !is_heavy[i];
        }
        // With few edges, loads that wait for earlier atomics cost more than atomics that change
        // nothing.
        bool at_once = !is_few && labels != Labels::FINAL && lists.in_play <= GIANT_EDGES;
        if (at_once) write_min_four(edges);
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            if (edges.keep[i] && is_few) {
                edges.a[i] = write_min_in_block(edges.a[i], edges.key[i], edges.id[i]);
                edges.b[i] = write_min_in_block(edges.b[i], edges.key[i], edges.id[i]);
            } else if (edges.keep[i] && !at_once) {
                write_min_except(giant, edges, i);
            }
        }
        append(light, edges);
        if (keep == Keep::LIGHT) {
#pragma unroll
            for (u32 i = 0; i < PER_LANE; i++) edges.keep[i] = is_heavy[i];
            append(heavy, edges);
        }
    }
    lists.light = light;
    if (keep == Keep::LIGHT) lists.heavy = heavy;
    if (is_few) {
        __syncthreads();
        bool paired = keep == Keep::LEAST_OF_PAIRS;
        merge_block_minima(paired ? scratch.pairs : scratch.least + few.least_at,
                           paired ? FINISH_LIMIT : level.count);
    }
}
