// Finish: one block runs the last rounds of a phase in shared memory, without barriers of the grid.

#pragma once

struct FinishMemory {
    static constexpr u32 BYTES = FINISH_LIMIT * (sizeof(u64) + sizeof(u32) + 3 * sizeof(u16));
    u64* least; // FINISH_LIMIT each
    u32* least_id;
    u16* link;
    u16* root;
    u16* label; // of each component of the first round: its component after the rounds so far
    __device__ __forceinline__ FinishMemory(u64* shared)
        : least(shared),
          least_id((u32*)(least + FINISH_LIMIT)),
          link((u16*)(least_id + FINISH_LIMIT)),
          root(link + FINISH_LIMIT),
          label(root + FINISH_LIMIT) {}
};
static_assert(FinishMemory::BYTES == SHARED_WORDS * sizeof(u64), "fills the shared memory");

// The edges of a thread; their ends are numbered from 0.
template <class K>
struct FinishEdges {
    static constexpr u32 EACH = FINISH_LIMIT / BLOCK_THREADS;
    u32 a[EACH];
    u32 b[EACH];
    u32 id[EACH];
    typename K::Key key[EACH];
};

// Collects the lists of all warps, and finishes them.
template <class K>
__device__ void Solver<K>::collect() {
    u32 taken = new_counter(), at = 0;
    if (lane == 0 && lists.light.count) at = atomicAdd(scratch.counters + taken, lists.light.count);
    at = __shfl_sync(ALL_LANES, at, 0);
    u32 tile = lists.light.head;
    for (u32 left = lists.light.count; left;) {
        u32 next = scratch.next[tile];
        for (u32 i = lane; i < min(left, TILE_RECORDS); i += 32) {
            scratch.tail[at + i] = scratch.records[tile * TILE_RECORDS + i];
            if (K::wide) scratch.tail_ids[at + i] = scratch.record_ids[tile * TILE_RECORDS + i];
        }
        free_tile(tile);
        at += min(left, TILE_RECORDS);
        left -= min(left, TILE_RECORDS);
        tile = next;
    }
    lists.light = EMPTY;
    sync(COLLECT);
}

// Runs the last rounds.
template <class K>
__device__ void Solver<K>::finish(FinishInput input, bool goes_on) {
    if (blockIdx.x == 0)
        finish_alone(input, input == FinishInput::PAIRS ? FINISH_LIMIT : lists.in_play);
    level.base += level.count;
    level.count = 0;
    lists.in_play = 0;
    if (goes_on) {
        sync(FINISH);
    } else if (blockIdx.x == 0) {
        __syncthreads();
        if (threadIdx.x == 0) trace(FINISH);
    }
}

// Loads the thread's edges. An edge that is not there has equal ends.
template <class K>
__device__ __forceinline__ void Solver<K>::load_finish_edges(FinishEdges<K>& edges,
                                                             FinishInput input, u32 count) {
#pragma unroll
    for (u32 i = 0; i < FinishEdges<K>::EACH; i++) {
        u32 at = threadIdx.x + BLOCK_THREADS * i;
        edges.a[i] = edges.b[i] = edges.id[i] = 0;
        edges.key[i] = 0;
        if (input == FinishInput::PAIRS) {
            u64 order = scratch.pairs[at];
            if (order != MAX_ORDER) {
                uint2 ends = pair_at(at);
                edges.a[i] = ends.x;
                edges.b[i] = ends.y;
                edges.key[i] = (Key)(order >> 32); // edges with wide keys are never paired
                edges.id[i] = (u32)order;
            }
        } else if (at < count) {
            uint4 r = scratch.tail[at];
            edges.a[i] = (r.x & ~CANDIDATE) - level.base;
            edges.b[i] = (r.y & ~CANDIDATE) - level.base;
            edges.key[i] = K::key_in(r);
            edges.id[i] = K::id_in(r, scratch.tail_ids, at);
        }
    }
}

// Finds the least order of each component, and for wide keys the least id of that order.
template <class K>
__device__ __forceinline__ void Solver<K>::find_finish_minima(FinishMemory memory,
                                                              const FinishEdges<K>& edges) {
#pragma unroll
    for (u32 i = 0; i < FinishEdges<K>::EACH; i++)
        if (edges.a[i] != edges.b[i]) {
            u64 order = K::order(edges.key[i], edges.id[i]);
            if (memory.least[edges.a[i]] > order) atomicMin(memory.least + edges.a[i], order);
            if (memory.least[edges.b[i]] > order) atomicMin(memory.least + edges.b[i], order);
        }
    __syncthreads();
    if (K::wide) {
#pragma unroll
        for (u32 i = 0; i < FinishEdges<K>::EACH; i++)
            if (edges.a[i] != edges.b[i]) {
                u64 order = K::order(edges.key[i], edges.id[i]);
                u32 a = edges.a[i], b = edges.b[i], id = edges.id[i];
                if (memory.least[a] == order) atomicMin(memory.least_id + a, id);
                if (memory.least[b] == order) atomicMin(memory.least_id + b, id);
            }
        __syncthreads();
    }
}

// As hook, in shared memory.
template <class K>
__device__ __forceinline__ void Solver<K>::finish_hook(FinishMemory memory,
                                                       const FinishEdges<K>& edges) {
#pragma unroll
    for (u32 i = 0; i < FinishEdges<K>::EACH; i++)
        if (edges.a[i] != edges.b[i]) {
            u64 order = K::order(edges.key[i], edges.id[i]);
            u32 a = edges.a[i], b = edges.b[i], id = edges.id[i];
            bool x = memory.least[a] == order && (!K::wide || memory.least_id[a] == id);
            bool y = memory.least[b] == order && (!K::wide || memory.least_id[b] == id);
            if (x) memory.link[a] = b;
            if (y) memory.link[b] = a;
            if (x || y) insert_edge(id);
        }
    __syncthreads();
}

// As shortcut: finds the root of each component. Of two components that chose each other, the lower
// is the root.
template <class K>
__device__ __forceinline__ void Solver<K>::finish_shortcut(FinishMemory memory) {
    for (u32 c = threadIdx.x; c < level.count; c += BLOCK_THREADS) {
        u32 x = c;
        for (;;) {
            u32 p = memory.link[x];
            if (p == NOWHERE || (memory.link[p] == x && x < p)) break;
            x = p;
        }
        memory.root[c] = x;
    }
    __syncthreads();
}

// Runs rounds on up to FINISH_LIMIT edges and components, and gives each component its final
// number.
template <class K>
__device__ void Solver<K>::finish_alone(FinishInput input, u32 count) {
    FinishMemory memory(shared);
    FinishEdges<K> edges;
    load_finish_edges(edges, input, count);
    __syncthreads();
    for (u32 c = threadIdx.x; c < level.count; c += BLOCK_THREADS) memory.label[c] = c;
    bool more = count != 0;
    while (more) {
        for (u32 c = threadIdx.x; c < level.count; c += BLOCK_THREADS) {
            memory.least[c] = MAX_ORDER;
            memory.least_id[c] = MAX_ID;
            memory.link[c] = NOWHERE;
        }
        __syncthreads();
        find_finish_minima(memory, edges);
        finish_hook(memory, edges);
        finish_shortcut(memory);
        for (u32 c = threadIdx.x; c < level.count; c += BLOCK_THREADS)
            memory.label[c] = memory.root[memory.label[c]];
        bool mine = false;
#pragma unroll
        for (u32 i = 0; i < FinishEdges<K>::EACH; i++)
            if (edges.a[i] != edges.b[i]) {
                edges.a[i] = memory.root[edges.a[i]];
                edges.b[i] = memory.root[edges.b[i]];
                mine |= edges.a[i] != edges.b[i];
            }
        more = __syncthreads_or(mine);
    }
    __syncthreads();
    u32* final_number = memory.least_id; // of each root; the rounds are over
    for (u32 c = threadIdx.x; c < level.count; c += BLOCK_THREADS)
        if (memory.label[c] == c) final_number[c] = atomicAdd(scratch.counters + phase.finals, 1);
    __syncthreads();
    for (u32 c = threadIdx.x; c < level.count; c += BLOCK_THREADS)
        scratch.link[level.base + c] = FINAL | final_number[memory.label[c]];
}
