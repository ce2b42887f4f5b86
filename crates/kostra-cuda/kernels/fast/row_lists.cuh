// Gather: the edges of rows that go on the lists.

#pragma once

// Puts the wanted entries of a row into the queue. Bit j of `wanted` is entry first + j * step, in
// the row of v.
template <class K>
template <class Wanted>
__device__ __forceinline__ void Solver<K>::push_wanted(WantedQueue<u64>& queue, u32 v, u32 first,
                                                       u32 step, u32 wanted) {
    while (__any_sync(ALL_LANES, wanted != 0)) {
        u64 entry = (u64)v << 32 | (first + step * (__ffs(wanted) - 1));
        if (queue.push(wanted != 0, entry)) flush_wanted<Wanted>(queue);
        wanted &= wanted - 1;
    }
}

// Puts up to WANTED_BATCH wanted entries on the list, each edge only from the row of its lower end.
template <class K>
template <class Wanted>
__device__ void Solver<K>::flush_wanted(WantedQueue<u64>& queue) {
    Quad<K> edges;
    u64 entry[PER_LANE];
    u32 e[PER_LANE];
    queue.take(entry);
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++) {
        edges.a[j] = (u32)(entry[j] >> 32);
        e[j] = (u32)entry[j];
    }
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++)
        edges.b[j] = edges.a[j] != NO_VERTEX ? graph.neighbors[e[j]] : 0;
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++) {
        edges.keep[j] = edges.a[j] != NO_VERTEX && edges.b[j] > edges.a[j];
        if (Wanted::between && edges.keep[j]) {
            edges.a[j] = scratch.link[edges.a[j]];
            edges.b[j] = scratch.link[edges.b[j]];
        }
    }
#pragma unroll
    for (u32 j = 0; j < PER_LANE; j++) {
        edges.keep[j] = edges.keep[j] && edges.a[j] != edges.b[j];
        edges.key[j] = edges.keep[j] ? key_at(e[j]) : 0;
        edges.id[j] = edges.keep[j] ? graph.ids[e[j]] : 0;
    }
    if (Wanted::between) write_min_four(edges);
    append(lists.light, edges);
}

// Lists the edges between components after the scan. Each edge is taken from the row of its lower
// end, so half of the entries are not wanted.
template <class K>
__device__ void Solver<K>::gather_short_rows() {
    WantedQueue<u64> queue(shared);
    u32 next_start = row_start(warp * 32 + lane), next_end = row_start(warp * 32 + lane + 1);
    for (u32 v0 = warp * 32; v0 < graph.vertices; v0 += warps * 32) {
        u32 v = v0 + lane, start = next_start, end = next_end;
        next_start = row_start(v + warps * 32);
        next_end = row_start(v + warps * 32 + 1);
        if (end - start > LANE_ROW_LIMIT) end = start;
        u32 upper = 0; // the entries whose other end is the higher one
        for (u32 e0 = start; __any_sync(ALL_LANES, e0 < end); e0 += PER_LANE) {
            u32 w[PER_LANE];
#pragma unroll
            for (u32 i = 0; i < PER_LANE; i++) w[i] = e0 + i < end ? graph.neighbors[e0 + i] : 0;
#pragma unroll
            for (u32 i = 0; i < PER_LANE; i++)
                if (w[i] > v && e0 + i < end) upper |= 1u << (e0 + i - start);
        }
        push_wanted<BetweenComponents>(queue, v, start, 1, upper);
    }
    flush_wanted<BetweenComponents>(queue);
}

template <class K>
__device__ void Solver<K>::gather_long_rows(u32 items) {
    for (u32 i = warp; i < items; i += warps) {
        uint2 item = scratch.queue[i];
        u32 v = item.x, end = min(item.y + ITEM_ENTRIES, graph.offsets[v + 1]), a = scratch.link[v];
        for (u32 e0 = item.y; e0 < end; e0 += 32) {
            u32 e = e0 + lane;
            u32 w = e < end ? graph.neighbors[e] : 0;
            u32 b = w > v && e < end ? scratch.link[w] : a;
            bool keep = b != a;
            Key key = 0;
            u32 id = 0, x = a;
            if (keep) {
                key = key_at(e);
                id = graph.ids[e];
                x = write_min(a, key, id);
                b = write_min(b, key, id);
            }
            append(lists.light, keep, make_uint2(x, b), key, id);
        }
    }
}

// The second pass over rows: those outside the giant component. Of a row's edges to the giant
// component only the least is listed; a row of more than GROUP_ROW_LIMIT entries lists the least of
// each item.
template <class K>
__device__ void Solver<K>::gather_outside(u32 giant, u32 queue_counter) {
    for (u32 v0 = warp * 32; v0 < graph.vertices; v0 += warps * 32) {
        u32 mine = v0 + lane, my_start = 0, my_end = 0, my_label = ISOLATED;
        if (mine < graph.vertices) {
            my_label = scratch.link[mine];
            if (my_label != giant && my_label != ISOLATED) {
                my_start = graph.offsets[mine];
                my_end = graph.offsets[mine + 1];
            }
        }
        bool is_long = my_end - my_start > GROUP_ROW_LIMIT;
        queue_items(mine, my_start, is_long ? my_end : my_start, queue_counter);
        if (is_long) my_end = my_start;
        u32 todo = __ballot_sync(ALL_LANES, my_end > my_start);
        while (todo) {
            RowTurn turn = take_row(todo);
            RowPart row;
            row.v = v0 + turn.lane;
            row.start = __shfl_sync(ALL_LANES, my_start, turn.lane);
            row.end = __shfl_sync(ALL_LANES, my_end, turn.lane);
            row.label = __shfl_sync(ALL_LANES, my_label, turn.lane);
            if (!turn.rows) row.end = row.start;
            gather_row_outside(row, lane % GROUP_LANES, GROUP_LANES, giant);
        }
    }
}

template <class K>
__device__ void Solver<K>::gather_long_outside(u32 giant, u32 items) {
    for (u32 i = warp; i < items; i += warps) {
        uint2 item = scratch.queue[i];
        RowPart row;
        row.v = item.x;
        row.start = item.y;
        row.end = min(item.y + ITEM_ENTRIES, graph.offsets[row.v + 1]);
        row.label = scratch.link[row.v];
        gather_row_outside(row, lane, 32, giant);
    }
}

// Lists the edges of a part of a row, on `width` lanes; `sub` is the number of this lane. Lists all
// edges between components other than the giant one, and the least edge to the giant component.
template <class K>
__device__ __forceinline__ void Solver<K>::gather_row_outside(RowPart row, u32 sub, u32 width,
                                                              u32 giant) {
    Key best = ~(Key)0;
    u32 at = UNSET;
    for (u32 e0 = row.start + sub; __any_sync(ALL_LANES, e0 < row.end); e0 += PER_LANE * width) {
        u32 w[PER_LANE], label[PER_LANE];
        Key key[PER_LANE];
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            u32 e = e0 + i * width;
            w[i] = e < row.end ? graph.neighbors[e] : row.v;
            key[i] = e < row.end ? key_at(e) : ~(Key)0;
        }
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++)
            label[i] = w[i] != row.v ? scratch.link[w[i]] : row.label;
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            u32 e = e0 + i * width;
            if (label[i] == giant && row.label != giant) {
                if (at == UNSET || key[i] < best ||
                    (key[i] == best && graph.ids[e] < graph.ids[at])) {
                    best = key[i];
                    at = e;
                }
            }
            bool keep = label[i] != row.label && label[i] != giant && w[i] > row.v;
            if (!__any_sync(ALL_LANES, keep)) continue;
            u32 id = 0, a = component_of(row.label), b = component_of(label[i]);
            if (keep) {
                id = graph.ids[e];
                a = write_min(a, key[i], id);
                b = write_min(b, key[i], id);
            }
            append(lists.light, keep, make_uint2(a, b), key[i], id);
        }
    }
    u32 chosen = least_of_group(best, at, width);
    bool keep = at != UNSET && chosen == at;
    u32 id = keep ? graph.ids[at] : 0;
    u32 a = component_of(row.label), b = component_of(giant);
    if (keep) a = write_min(a, best, id); // the giant component itself has no least edge
    append(lists.light, keep, make_uint2(a, b), best, id);
}
