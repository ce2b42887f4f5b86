// Scan: each vertex takes the least edge of its row, without atomic minima.

#pragma once

// Puts long rows on the queue, in items. All lanes call this; a lane without a long row passes an
// empty one.
template <class K>
__device__ void Solver<K>::queue_items(u32 v, u32 start, u32 end, u32 queue_counter) {
    u32 items = (end - start + ITEM_ENTRIES - 1) / ITEM_ENTRIES, upto = items;
    if (!__any_sync(ALL_LANES, items)) return;
    for (u32 d = 1; d < 32; d *= 2) {
        u32 other = __shfl_up_sync(ALL_LANES, upto, d);
        if (lane >= d) upto += other;
    }
    u32 at = lane == 31 ? atomicAdd(scratch.counters + queue_counter, upto) : 0;
    at = __shfl_sync(ALL_LANES, at, 31) + upto - items;
    for (u32 i = 0; i < items; i++) scratch.queue[at + i] = make_uint2(v, start + i * ITEM_ENTRIES);
}

// Where a row begins; rows past the last one are empty.
template <class K>
__device__ __forceinline__ u32 Solver<K>::row_start(u32 v) {
    return graph.offsets[min(v, graph.vertices)];
}

// A warp's part of shared memory, for the entries of its 32 rows.
template <class Key>
struct StagedRows {
    static constexpr u32 CAPACITY = STAGE_WORDS * sizeof(u64) / (sizeof(Key) + 2 * sizeof(u32));
    Key* keys;
    u32* others; // the other ends
    u32* ids;
    __device__ __forceinline__ StagedRows(u64* shared)
        : keys((Key*)(shared + (threadIdx.x >> 5) * STAGE_WORDS)),
          others((u32*)(keys + CAPACITY)),
          ids(others + CAPACITY) {}
};
static_assert(StagedRows<u32>::CAPACITY * 12 <= STAGE_WORDS * 8, "a warp's part holds the rows");
static_assert(StagedRows<u64>::CAPACITY * 16 <= STAGE_WORDS * 8, "a warp's part holds the rows");

// Loads the entries from `first` on. Keys, ends and ids are loaded together, so that no load
// depends on another.
template <class K>
__device__ __forceinline__ void Solver<K>::stage_rows(StagedRows<Key> rows, u32 first, u32 span) {
    for (u32 i0 = lane; i0 < span; i0 += 32 * PER_LANE) {
        Key key[PER_LANE];
        u32 other[PER_LANE], id[PER_LANE];
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++)
            if (i0 + 32 * j < span) {
                key[j] = key_at(first + i0 + 32 * j);
                other[j] = graph.neighbors[first + i0 + 32 * j];
                id[j] = graph.ids[first + i0 + 32 * j];
            }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++)
            if (i0 + 32 * j < span) {
                rows.keys[i0 + 32 * j] = key[j];
                rows.others[i0 + 32 * j] = other[j];
                rows.ids[i0 + 32 * j] = id[j];
            }
    }
}

// Each vertex takes the least edge of its row, and links to its other end. Rows of more than
// LANE_ROW_LIMIT entries take none.
template <class K>
__device__ void Solver<K>::scan_by_lane(u32 queue_counter) {
    StagedRows<Key> rows(shared);
    u32 next_start = row_start(warp * 32 + lane), next_end = row_start(warp * 32 + lane + 1);
    for (u32 v0 = warp * 32; v0 < graph.vertices; v0 += warps * 32) {
        u32 v = v0 + lane, start = next_start, end = next_end;
        next_start = row_start(v + warps * 32);
        next_end = row_start(v + warps * 32 + 1);
        u32 first = __shfl_sync(ALL_LANES, start, 0);
        u32 span = __shfl_sync(ALL_LANES, end, 31) - first;
        bool staged = span <= StagedRows<Key>::CAPACITY;
        __syncwarp();
        if (staged) stage_rows(rows, first, span);
        __syncwarp();
        bool is_long = end - start > LANE_ROW_LIMIT, chooses = start != end && !is_long;
        queue_items(v, start, is_long ? end : start, queue_counter);
        Key best = ~(Key)0;
        u32 at = start, link = is_long ? v : ISOLATED, chosen = 0;
        if (chooses && staged) {
            at -= first;
            for (u32 e = start - first; e < end - first; e++) {
                Key key = rows.keys[e];
                if (key < best || (key == best && rows.ids[e] < rows.ids[at])) {
                    best = key;
                    at = e;
                }
            }
            link = rows.others[at];
            chosen = rows.ids[at];
        } else if (chooses) {
            for (u32 e = start; e < end; e++) {
                Key key = key_at(e);
                if (key < best || (key == best && graph.ids[e] < graph.ids[at])) {
                    best = key;
                    at = e;
                }
            }
            link = graph.neighbors[at];
            chosen = graph.ids[at];
        }
        if (v < graph.vertices) scratch.link[v] = link;
        insert_edges(chooses, chosen);
    }
}

// The entry of the least edge among the lanes of a group, returned to each of them; UNSET if no
// lane has one.
template <class K>
__device__ __forceinline__ u32 Solver<K>::least_of_group(Key best, u32 at, u32 width) {
    Key least = best;
    for (u32 d = 1; d < width; d *= 2) {
        Key other = __shfl_xor_sync(ALL_LANES, least, d);
        if (other < least) least = other;
    }
    bool candidate = at != UNSET && best == least;
    u32 candidates = __ballot_sync(ALL_LANES, candidate) & group_mask(width);
    bool tie = __popc(candidates) > 1;
    if (__any_sync(ALL_LANES, tie)) {
        u32 id = candidate ? graph.ids[at] : MAX_ID, least_id = id;
        for (u32 d = 1; d < width; d *= 2)
            least_id = min(least_id, __shfl_xor_sync(ALL_LANES, least_id, d));
        candidate = candidate && id == least_id;
        candidates = __ballot_sync(ALL_LANES, candidate) & group_mask(width);
    }
    u32 chosen = __shfl_sync(ALL_LANES, at, candidates ? __ffs(candidates) - 1 : lane);
    return candidates ? chosen : UNSET;
}

// The lanes of this lane's group.
template <class K>
__device__ __forceinline__ u32 Solver<K>::group_mask(u32 width) {
    return width == 32 ? ALL_LANES : ((1u << width) - 1) << (lane & ~(width - 1));
}

// Of the rows left in `todo`, group g takes the one with index g.
template <class K>
__device__ __forceinline__ RowTurn Solver<K>::take_row(u32& todo) {
    u32 rest = todo;
    for (u32 g = 0; g < lane / GROUP_LANES; g++) rest &= rest - 1;
    u32 source = rest ? __ffs(rest) - 1 : 0;
    for (u32 g = 0; g < GROUPS; g++) todo &= todo - 1;
    return {source, rest};
}

// Scans the row of the lane's group: its least entry, and the lane's light entries.
template <class K>
__device__ __forceinline__ GroupRow Solver<K>::scan_row(u32 start, u32 end, u64 pivot) {
    constexpr u32 step = GROUP_LANES * KEYS_IN_FLIGHT;
    Key best = ~(Key)0;
    u32 at = UNSET, lights = 0, bit = 1;
    for (u32 e0 = start + lane % GROUP_LANES; __any_sync(ALL_LANES, e0 < end); e0 += step) {
        Key key[KEYS_IN_FLIGHT];
#pragma unroll
        for (u32 i = 0; i < KEYS_IN_FLIGHT; i++) {
            u32 e = e0 + GROUP_LANES * i;
            key[i] = e < end ? key_at(e) : ~(Key)0;
        }
#pragma unroll
        for (u32 i = 0; i < KEYS_IN_FLIGHT; i++, bit <<= 1) {
            u32 e = e0 + GROUP_LANES * i;
            if (e >= end) continue;
            if (at == UNSET || key[i] < best || (key[i] == best && graph.ids[e] < graph.ids[at])) {
                best = key[i];
                at = e;
            }
            if (K::is_light(key[i], e, graph.ids, pivot)) lights |= bit;
        }
    }
    return {least_of_group(best, at, GROUP_LANES), lights};
}

// Each vertex takes the least edge of its row, and light edges go on the list. A group of lanes
// scans a row; rows of more than GROUP_ROW_LIMIT entries take none.
template <class K>
__device__ void Solver<K>::scan_by_group(u64 pivot, u32 queue_counter) {
    WantedQueue<u64> queue(shared);
    for (u32 v0 = warp * 32; v0 < graph.vertices; v0 += warps * 32) {
        u32 mine = v0 + lane, my_start = 0, my_end = 0, my_at = UNSET;
        if (mine < graph.vertices) {
            my_start = graph.offsets[mine];
            my_end = graph.offsets[mine + 1];
            if (my_start == my_end) scratch.link[mine] = ISOLATED;
        }
        bool is_long = my_end - my_start > GROUP_ROW_LIMIT;
        queue_items(mine, my_start, is_long ? my_end : my_start, queue_counter);
        if (is_long) {
            scratch.link[mine] = mine;
            my_end = my_start;
        }
        u32 todo = __ballot_sync(ALL_LANES, my_end > my_start);
        while (todo) {
            RowTurn turn = take_row(todo);
            u32 start = __shfl_sync(ALL_LANES, my_start, turn.lane);
            u32 end = __shfl_sync(ALL_LANES, my_end, turn.lane);
            if (!turn.rows) end = start;
            GroupRow row = scan_row(start, end, pivot);
            // The row's own lane keeps the choice.
            for (u32 g = 0; g < GROUPS; g++) {
                u32 owner = __shfl_sync(ALL_LANES, turn.rows ? turn.lane : 32, GROUP_LANES * g);
                u32 choice = __shfl_sync(ALL_LANES, row.least, GROUP_LANES * g);
                if (lane == owner) my_at = choice;
            }
            push_wanted<Light>(queue, v0 + turn.lane, start + lane % GROUP_LANES,
                                      GROUP_LANES, row.light);
        }
        if (my_at != UNSET) {
            scratch.link[mine] = graph.neighbors[my_at];
            insert_edge(graph.ids[my_at]);
        }
    }
    flush_wanted<Light>(queue);
}

// Lists the light entries of long rows.
template <class K>
__device__ void Solver<K>::list_light_of_long_rows(u64 pivot, u32 items) {
    WantedQueue<u64> queue(shared);
    for (u32 i = warp; i < items; i += warps) {
        uint2 item = scratch.queue[i];
        u32 v = item.x, start = item.y, end = min(start + ITEM_ENTRIES, graph.offsets[v + 1]);
        u32 lights = 0;
        for (u32 j0 = 0; j0 < ITEM_ENTRIES / 32; j0 += KEYS_IN_FLIGHT) {
            Key key[KEYS_IN_FLIGHT];
#pragma unroll
            for (u32 j = 0; j < KEYS_IN_FLIGHT; j++) {
                u32 e = start + 32 * (j0 + j) + lane;
                key[j] = e < end ? key_at(e) : ~(Key)0;
            }
#pragma unroll
            for (u32 j = 0; j < KEYS_IN_FLIGHT; j++) {
                u32 e = start + 32 * (j0 + j) + lane;
                if (e < end && K::is_light(key[j], e, graph.ids, pivot)) lights |= 1u << (j0 + j);
            }
        }
        push_wanted<Light>(queue, v, start + lane, 32, lights);
    }
    flush_wanted<Light>(queue);
}
