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

// Appends the edges of the lanes with `keep` to a chain. All lanes call this.
template <class K>
__device__ __forceinline__ void Solver<K>::append(Chain& chain, bool keep, uint2 ends, Key key,
                                                  u32 id) {
    u32 votes = __ballot_sync(ALL_LANES, keep);
    if (!votes) return;
    u32 total = __popc(votes), slot = __popc(votes & ((1u << lane) - 1));
    u32 fill = chain.count & (TILE_RECORDS - 1);
    u32 room = fill ? TILE_RECORDS - fill : 0;
    u32 old = chain.tail;
    if (total > room) {
        u32 tile = take_tile();
        if (chain.count == 0)
            chain.head = tile;
        else
            scratch.next[chain.tail] = tile;
        chain.tail = tile;
    }
    u32 at =
        slot < room ? old * TILE_RECORDS + fill + slot : chain.tail * TILE_RECORDS + slot - room;
    if (keep) K::store(scratch, at, ends, key, id);
    chain.count += total;
}

// Appends edge i of each lane.
template <class K>
__device__ __forceinline__ void Solver<K>::append(Chain& chain, const Quad<K>& edges, u32 i) {
    append(chain, edges.keep[i], make_uint2(edges.a[i], edges.b[i]), edges.key[i], edges.id[i]);
}

// Adds up the edges of all warps' lists, at a barrier.
template <class K>
__device__ void Solver<K>::count_edges(Step step) {
    lists.in_play = sum(step, lists.light.count);
}
