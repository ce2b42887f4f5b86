// Lists of edges: each warp has its own chain of tiles.

#pragma once

// An empty tile. If none is left, sets the overflow counter and returns the spare tile.
template <class K>
__device__ u32 Solver<K>::take_tile() {
    u32 tile = lists.free;
    if (tile != UNSET) {
        lists.free = scratch.next[tile];
    } else {
        if (lane == 0) tile = atomicAdd(scratch.counters + TILES_COUNTER, 1);
        tile = __shfl_sync(ALL_LANES, tile, 0);
        if (tile >= scratch.tiles) {
            scratch.counters[OVERFLOW_COUNTER] = 1;
            tile = scratch.tiles;
        }
        scratch.next[tile] = UNSET;
    }
    return tile;
}

template <class K>
__device__ void Solver<K>::free_tile(u32 tile) {
    scratch.next[tile] = lists.free;
    lists.free = tile;
}

// Adds an empty tile to a chain if it needs one.
template <class K>
__device__ __forceinline__ void Solver<K>::extend(Chain& chain, bool needs_one) {
    if (!needs_one) return;
    u32 tile = take_tile();
    if (chain.count == 0)
        chain.head = tile;
    else
        scratch.next[chain.tail] = tile;
    chain.tail = tile;
}

// Appends the edges of the lanes with `keep` to a chain. All lanes call this.
template <class K>
__device__ __forceinline__ void Solver<K>::append(Chain& chain, bool keep, uint2 ends, Key key,
                                                  u32 id) {
    u32 votes = __ballot_sync(ALL_LANES, keep);
    if (!votes) return;
    u32 total = __popc(votes), slot = __popc(votes & ((1u << lane) - 1));
    u32 fill = chain.count & (TILE_RECORDS - 1);
    u32 room = fill ? TILE_RECORDS - fill : 0;
    u32 old = chain.tail * TILE_RECORDS + fill;
    extend(chain, total > room);
    u32 at = slot < room ? old + slot : chain.tail * TILE_RECORDS + slot - room;
    if (keep) K::store(scratch, at, ends, key, id);
    chain.count += total;
}

// Appends the edges of a quad that have `keep`, which need one more tile at most. All lanes call
// this.
template <class K>
__device__ __forceinline__ void Solver<K>::append(Chain& chain, const Quad<K>& edges) {
    u32 votes[PER_LANE], total = 0;
#pragma unroll
    for (u32 i = 0; i < PER_LANE; i++) {
        votes[i] = __ballot_sync(ALL_LANES, edges.keep[i]);
        total += __popc(votes[i]);
    }
    if (!total) return;
    u32 fill = chain.count & (TILE_RECORDS - 1);
    u32 room = fill ? TILE_RECORDS - fill : 0;
    u32 old = chain.tail * TILE_RECORDS + fill;
    extend(chain, total > room);
    u32 slot = 0;
#pragma unroll
    for (u32 i = 0; i < PER_LANE; i++) {
        u32 own = slot + __popc(votes[i] & ((1u << lane) - 1));
        u32 at = own < room ? old + own : chain.tail * TILE_RECORDS + own - room;
        if (edges.keep[i])
            K::store(scratch, at, make_uint2(edges.a[i], edges.b[i]), edges.key[i], edges.id[i]);
        slot += __popc(votes[i]);
    }
    chain.count += total;
}

// Adds up the edges of all warps' lists, at a barrier.
template <class K>
__device__ void Solver<K>::count_edges(Step step) {
    lists.in_play = sum(step, lists.light.count);
}
