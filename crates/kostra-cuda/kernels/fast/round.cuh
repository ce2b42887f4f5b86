// The steps of a round on many components: hook, number, shortcut.

#pragma once

// Adds the least edge of each component to the forest, and links the component to that edge's other
// end.
template <class K>
__device__ void Solver<K>::hook() {
    u32 tile = lists.light.head;
    for (u32 left = lists.light.count; left;) {
        u32 next = scratch.next[tile];
        uint4 r[PER_LANE];
        u64 at_a[PER_LANE], at_b[PER_LANE];
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++)
            r[i] = 32 * i + lane < left ? scratch.records[tile * TILE_RECORDS + 32 * i + lane]
                                        : make_uint4(0, 0, 0, 0);
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            at_a[i] = r[i].x & CANDIDATE ? least_of(r[i].x) : 0;
            at_b[i] = r[i].y & CANDIDATE ? least_of(r[i].y) : 0;
        }
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            u64 order = K::order(K::key_in(r[i]), r[i].z);
            bool x = r[i].x & CANDIDATE && at_a[i] == order;
            bool y = r[i].y & CANDIDATE && at_b[i] == order;
            r[i].x &= ~CANDIDATE;
            r[i].y &= ~CANDIDATE;
            u32 id = r[i].z;
            if (K::wide && (x || y)) {
                id = scratch.record_ids[tile * TILE_RECORDS + 32 * i + lane];
                x = x && scratch.least_id[r[i].x - level.base] == id;
                y = y && scratch.least_id[r[i].y - level.base] == id;
            }
            if (x || y) insert_edge(id);
            if (x) scratch.link[r[i].x] = r[i].y;
            if (y) scratch.link[r[i].y] = r[i].x;
        }
        left -= min(left, TILE_RECORDS);
        tile = next;
    }
}

// The least order of the component of an end in a record.
template <class K>
__device__ __forceinline__ u64 Solver<K>::least_of(u32 end) {
    return scratch.least[few.least_at + (end & ~CANDIDATE) - level.base];
}

// Finds the least id among the edges of each component's least order, for wide keys.
template <class K>
__device__ void Solver<K>::find_least_ids() {
    u32 tile = lists.light.head;
    for (u32 left = lists.light.count; left;) {
        u32 next = scratch.next[tile];
        for (u32 i = 0; i < PER_LANE; i++) {
            u32 at = tile * TILE_RECORDS + 32 * i + lane;
            if (32 * i + lane >= left) continue;
            uint4 r = scratch.records[at];
            u64 order = K::key_in(r);
            u32 id = scratch.record_ids[at];
            u32 a = r.x & ~CANDIDATE, b = r.y & ~CANDIDATE;
            if (a != r.x && scratch.least[a - level.base] == order)
                atomicMin(scratch.least_id + (a - level.base), id);
            if (b != r.y && scratch.least[b - level.base] == order)
                atomicMin(scratch.least_id + (b - level.base), id);
        }
        left -= min(left, TILE_RECORDS);
        tile = next;
    }
}

// Notes in `bits` the roots among the components of 32 * first.. 32 * last, and those without an
// edge. Returns how many of each there are. Halves the paths on the way; this makes no root of a
// component that is not one.
template <class K>
__device__ __forceinline__ uint2 Solver<K>::find_roots(u32 first, u32 last) {
    u32 above = level.end(), roots = 0, finished = 0;
    for (u32 i = first; i < last; i += PER_LANE) {
        u32 p[PER_LANE], q[PER_LANE]; // parent and grandparent
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 x = level.base + (i + j) * 32 + lane;
            p[j] = i + j < last && x < above ? scratch.link[x] : ISOLATED;
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 x = level.base + (i + j) * 32 + lane;
            q[j] = p[j] < above && p[j] != x ? scratch.link[p[j]] : UNSET;
        }
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++) {
            u32 x = level.base + (i + j) * 32 + lane;
            if (q[j] != UNSET && q[j] != x && q[j] != p[j]) scratch.link[x] = q[j];
            // Of two components that chose each other, the lower is the root.
            u32 r = __ballot_sync(ALL_LANES, p[j] == x || (q[j] == x && x < p[j]));
            u32 d = __ballot_sync(ALL_LANES, p[j] == UNSET);
            if (lane == 0 && i + j < last) {
                scratch.bits[2 * (i + j)] = r;
                scratch.bits[2 * (i + j) + 1] = d;
            }
            roots += __popc(r);
            finished += __popc(d);
        }
    }
    __syncwarp();
    return make_uint2(roots, finished);
}

// Turns each warp's counts of roots and of components without an edge into the first number of
// each, after those of all warps before.
template <class K>
__device__ __forceinline__ uint2 Solver<K>::first_numbers(uint2 counts, u32 roots_counter) {
    __shared__ u32 part[2][BLOCK_WARPS], start[2];
    u32 w = threadIdx.x >> 5;
    if (lane == 0) {
        part[0][w] = counts.x;
        part[1][w] = counts.y;
    }
    __syncthreads();
    u32 root_at = level.end(), done_at = 0, total = 0;
    for (u32 i = 0; i < BLOCK_WARPS; i++) {
        if (i < w) {
            root_at += part[0][i];
            done_at += part[1][i];
        }
        total += part[w & 1][i];
    }
    // Threads of two warps add, so that the two atomics overlap.
    if (threadIdx.x == 0) start[0] = total ? atomicAdd(scratch.counters + roots_counter, total) : 0;
    if (threadIdx.x == 32) start[1] = total ? atomicAdd(scratch.counters + phase.finals, total) : 0;
    __syncthreads();
    root_at += start[0];
    done_at += start[1];
    return make_uint2(root_at, done_at);
}

// Gives each root its number on the next level, and each component without an edge its final
// number. Returns how many roots the warp found.
template <class K>
__device__ u32 Solver<K>::number(u32 roots_counter) {
    u32 words = (level.count + 31) / 32, share = (words + warps - 1) / warps;
    u32 first = min(warp * share, words), last = min(first + share, words);
    uint2 counts = find_roots(first, last);
    uint2 numbers = first_numbers(counts, roots_counter);
    u32 above = level.end(), before = (1u << lane) - 1;
    for (u32 i = first; i < last; i++) {
        u32 x = level.base + i * 32 + lane;
        u32 r = scratch.bits[2 * i], d = scratch.bits[2 * i + 1];
        if (r >> lane & 1) {
            u32 id = numbers.x + __popc(r & before);
            scratch.link[x] = id;
            scratch.link[id] = UNSET;
            scratch.least[id - above] = MAX_ORDER;
            if (K::wide) scratch.least_id[id - above] = MAX_ID;
        }
        if (d >> lane & 1) scratch.link[x] = FINAL | (numbers.y + __popc(d & before));
        numbers.x += __popc(r);
        numbers.y += __popc(d);
    }
    return counts.x;
}

// Replaces each component's link by the number of its root. A path of more than SHORTCUT_LINKS is
// left to another pass; returns whether the warp has left one.
template <class K>
__device__ bool Solver<K>::shortcut() {
    u32 above = level.end();
    bool far = false;
    u32 step = warps * 32 * PER_LANE;
    for (u32 x0 = level.base + warp * 32 * PER_LANE + lane; x0 - lane < above; x0 += step) {
        u32 was[PER_LANE], y[PER_LANE];
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++)
            y[j] = was[j] = x0 + 32 * j < above ? scratch.link[x0 + 32 * j] : ISOLATED;
        bool more = true;
        for (u32 links = 0; more && links < SHORTCUT_LINKS; links++) {
            more = false;
#pragma unroll
            for (u32 j = 0; j < PER_LANE; j++) {
                if (y[j] < above) y[j] = scratch.link[y[j]];
                more |= y[j] < above;
            }
        }
        far |= more;
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++)
            if (y[j] != was[j]) scratch.link[x0 + 32 * j] = y[j];
    }
    return __any_sync(ALL_LANES, far);
}

// Makes the components that the hooks joined the components of the next level.
template <class K>
__device__ void Solver<K>::contract() {
    u32 numbered = sum(NUMBER, number(new_counter()));
    // With few components relabel follows the paths itself. After the scan the gather steps do not.
    for (bool more = level.count > FOLLOW_LIMIT || level.base == 0; more;
         more = sum(SHORTCUT, shortcut())) {
    }
    level.base += level.count;
    level.count = numbered;
    few.least_at = 0;
}
