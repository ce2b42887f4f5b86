// The canonical minimum spanning forest in one cooperative launch: the blocks stay resident for the
// whole solve and synchronize at grid barriers between steps. docs/algorithms/cuda-fast.md explains
// the algorithm.

#include "common.cuh"

typedef unsigned short u16;

// ---- Sizes
// ---------------------------------------------------------------------------------------------------------
// Values marked "measured" were the fastest of those that were tried when they were chosen.

constexpr u32 BLOCK = 512;             // threads of a block, as in src/fast/plan.rs
constexpr u32 WARPS = BLOCK / 32;
constexpr u32 TILE = 128;              // records of a tile: four a lane
constexpr u32 SAMPLES = 4096;          // the most samples for a pivot; also sizes the buffers of wanted entries
constexpr u32 TAIL = 2048;             // edges, and components, that one block finishes
constexpr u32 FEW = 4096;              // the most components that contract_here takes; as in src/fast/plan.rs
constexpr u32 PAIRED = 64;             // the most components for finish_pairs: 2016 pairs, fewer than TAIL
constexpr u32 DIRECT = 8192;           // up to this many components, shortcut is left out and relabel follows the paths
constexpr u32 CROWD = 1 << 18;         // with more listed edges than this, relabel looks for a giant component
constexpr u32 SHARED_WORDS = 4608;     // 64-bit words of shared memory; finish_alone needs all of them
constexpr u32 LABELS_AT = SHARED_WORDS - FEW / 4; // where contract_here keeps its 16-bit labels
constexpr u32 TURN_WORDS = 3 << 12;    // 32-bit words of the counters and meetings of one solve; as in src/fast/plan.rs
constexpr u32 ROW_BY_LANE = 32;        // the longest row that one lane scans; src/fast/plan.rs sizes the queue by it
constexpr u32 ROW_BY_GROUP = 256;      // the longest row that eight lanes scan
constexpr u32 ITEM = 1024;             // entries in one item of a longer row; a warp scans an item
constexpr u32 FILTER_FROM = 4;         // from this many edges per vertex on, light edges go first
constexpr float SPLIT = 3;             // with more edges per component than this, a list may be split (measured)
constexpr float SPLIT_LIGHT = 4;       // edges per component in the lighter part, at most half of the list (measured)
constexpr u32 SPLIT_FROM = 1 << 21;    // with more edges than this, a split pays for its rounds (measured)

// ---- Marks
// ---------------------------------------------------------------------------------------------------------
constexpr u32 ALL = 0xffffffff;        // lanes of a warp
constexpr u32 UNSET = 0x7fffffff;      // no edge chosen, no tile, no entry, no component
constexpr u32 DONE = 0x80000000;       // on a label: no edge is left in this phase; the other bits are the final number
constexpr u32 ISOLATED = 0xffffffff;   // the label of a vertex whose row is empty
constexpr u32 OFFERED = 0x80000000;    // on an end in a record: the edge may be the least one of that component

// ---- Arguments: laid out as in src/fast/plan.rs
// --------------------------------------------------------------------- One step of the trace: when
// it ended, which step it was, and what was left.
struct Step {
    u64 time;
    u32 code, components, edges, unused;
};
struct Graph {
    u32 vertices, edges;
    u32 entries;                              // entries of the rows; 0 for an edge list
    u32 kind, flip, wide;
    const u32 *offsets, *neighbours, *ids;    // rows
    const u32 *u, *v;                         // an edge list
    const void* weights;                      // one for each entry of the rows, or for each edge of the list
};
struct Scratch {
    u32 tiles, steps;
    u32* link;        // 5 n: labels of vertices, then of each level's components, by turns in two regions of 2 n
    u64* least;       // max(n, FEW) + FEW: for each component of a level, the least order of its edges
    u32* least_id;    // n, for wide keys: the least id among the edges of that order
    uint4* records;   // TILE for each tile, and one more tile, which is written when no tile is left
    u32* record_ids;  // as many, for wide keys: the edge id of each record
    u32* next;        // for each tile, the next of its chain
    uint2* queue;     // long rows: vertex and first entry of each item
    u32* bits;        // two words for 32 components: which are roots, and which have no edge left
    u64* samples;     // SAMPLES
    u64* pairs;       // TAIL: for each pair of components, the least order of the edges between them
    uint4* tail;      // TAIL
    u32* tail_ids;    // TAIL, for wide keys
    u32* counters;    // zero at the start
    u64* meetings;    // zero at the start: one for each barrier
    u32* next_turn;   // the counters and meetings of the next solve, which this one clears
    u32* forest;      // one bit for each edge
    Step* trace;      // `steps` of them; null if nothing is traced
    u32* told;        // in host memory: whether the tiles ran out, and how many steps were traced
};
struct Args {
    Graph graph;
    Scratch scratch;
};

// Counters with fixed places. `counter` hands out those from FRESH on, each for one purpose.
constexpr u32 TILES = 0, OVERFLOW = 1, STEPS = 2, FRESH = 3;

// The steps in the trace, each ended by a barrier; in the order of STEPS_BY_CODE in src/fast.rs.
enum Code : u32 { BEGIN, CLEAR, CHOOSE, LIGHT, GATHER, LEAST_IDS, HOOK, NUMBER, SHORTCUT, RELABEL, LABEL, RESTART, RETURN, COLLECT, FINISH };

// ---- Keys of two widths
// --------------------------------------------------------------------------------------------
// Minima are taken of an edge's order. With 32-bit keys the order is the rank: the key and, below
// it, the id. With 64-bit keys the order is the key, and the id breaks ties in a step of its own.
struct Narrow {
    typedef u32 Key;
    static constexpr bool wide = false;
    static __device__ __forceinline__ u64 order(u32 key, u32 id) { return rank_of(key, id); }
};
struct Wide {
    typedef u64 Key;
    static constexpr bool wide = true;
    static __device__ __forceinline__ u64 order(u64 key, u32) { return key; }
};

__device__ __forceinline__ u32 load_acquire(const u32* p) {
    u32 value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ __forceinline__ u64 load_acquire(const u64* p) {
    u64 value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}

// Adds with acquire and release semantics: earlier writes of the block come before it, later reads
// after it. Returns the sum.
__device__ __forceinline__ u64 arrive(u64* p, u64 amount) {
    u64 before;
    asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(p), "l"(amount) : "memory");
    return before + amount;
}

__device__ __forceinline__ u64 nanoseconds() {
    u64 time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

// A warp's list of edges: tiles linked by `next`. Every tile but the last is full.
struct Chain {
    u32 head, tail, count;
};
constexpr Chain EMPTY = {UNSET, UNSET, 0};

// The state of one thread. All but `lane` is equal in all threads of a warp. All but `lane`,
// `warp`, `free`, `list`, `heavy` and `shared` is equal in all threads of the grid, so that all
// threads take the same branches.
template <class K>
struct Solver {
    typedef typename K::Key Key;
    const Graph& G;
    const Scratch& S;
    u64* shared;           // SHARED_WORDS
    u32 lane, warp, warps; // the number in the warp, the warp's number in the grid, and the number of warps
    u32 free;              // the first of the warp's unused tiles
    Chain list, heavy;     // the edges in play, and the heavier ones that a split set aside
    u32 in_play;           // edges on the lists of all warps (solve_rows sets another value once)
    u32 base, count;       // this level's components have the labels from base to base + count - 1
    u32 finals;            // the index of the counter of components that have no edge left in this phase
    u32 heavy_base;        // the `base` of the level whose labels the edges set aside have
    u32 few_base, few_count, few_done; // the level that contract_here contracted last; `finals` before it
    u32 least_at;          // where the least orders of this level start in `least`
    u32 fresh;             // the next unused counter
    u32 met;               // the barriers that this thread has passed

    __device__ Solver(const Args& args, u64* memory)
        : G(args.graph), S(args.scratch), shared(memory), lane(threadIdx.x % 32),
          warp(blockIdx.x * WARPS + threadIdx.x / 32), warps(gridDim.x * WARPS), free(UNSET), list(EMPTY),
          heavy(EMPTY), in_play(0), base(0), count(args.graph.vertices), least_at(0), fresh(FRESH), met(0) {}

    // ---- the grid
    // -------------------------------------------------------------------------------------------------
    // A barrier of the grid: no thread continues before all have arrived, and each sees what the
    // others wrote before.
    __device__ void sync(Code code) {
        __syncthreads();
        if (threadIdx.x == 0) meet(code, 0);
        __syncthreads();
        met++;
    }
    // The same barrier; returns the sum of the warps' amounts.
    __device__ u32 sum(Code code, u32 amount) {
        __shared__ u32 part[WARPS], total;
        if (lane == 0) part[threadIdx.x >> 5] = amount;
        __syncthreads();
        if (threadIdx.x < 32) {
            amount = __reduce_add_sync(ALL, threadIdx.x < WARPS ? part[threadIdx.x] : 0);
            if (threadIdx.x == 0) total = meet(code, amount);
        }
        __syncthreads();
        met++;
        return total;
    }
    // The lower half of the word counts the blocks that have arrived; the upper half adds up their
    // amounts.
    __device__ u32 meet(Code code, u32 amount) {
        u64 *meeting = S.meetings + met, now = arrive(meeting, (u64)amount << 32 | 1);
        while ((u32)now != gridDim.x) now = load_acquire(meeting);
        if (blockIdx.x == 0) note(code);
        return (u32)(now >> 32);
    }
    // Starts the trace, and clears the forest and the next solve's counters and meetings. This
    // solve's own were cleared by the solve before it, or by the host.
    __device__ void begin() {
        if (blockIdx.x == 0 && threadIdx.x == 0) note(BEGIN);
        u32 first = warp * 32 + lane, step = warps * 32, words = (G.edges + 63) / 64 * 2;
        for (u32 i = first; i < words; i += step) S.forest[i] = 0;
        for (u32 i = first; i < TURN_WORDS; i += step) S.next_turn[i] = 0;
    }
    __device__ void note(Code code) {
        if (S.counters[STEPS] < S.steps) S.trace[S.counters[STEPS]++] = {nanoseconds(), code, count, in_play, 0};
    }
    __device__ u32 counter() { return fresh++; }
    // A counter's value. One thread of a block loads it, because loads of one word by all threads
    // are slow. All threads call this.
    __device__ u32 read(u32 index) {
        __shared__ u32 value;
        __syncthreads();
        if (threadIdx.x == 0) value = load_acquire(S.counters + index);
        __syncthreads();
        return value;
    }
    // Writes to host memory what the host needs.
    __device__ void tell() {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            S.told[0] = load_acquire(S.counters + OVERFLOW);
            S.told[1] = S.counters[STEPS];
        }
    }

    // ---- lists: each warp has its own chain of tiles
    // ---------------------------------------------------------------
    __device__ u32 take_tile() {
        u32 t = free;
        if (t != UNSET) {
            free = S.next[t];
        } else {
            if (lane == 0) t = atomicAdd(S.counters + TILES, 1);
            t = __shfl_sync(ALL, t, 0);
            if (t >= S.tiles) {
                S.counters[OVERFLOW] = 1;
                t = S.tiles;
            }
            S.next[t] = UNSET;
        }
        return t;
    }
    __device__ __forceinline__ void append(Chain &chain, bool keep, u32 a, u32 b, Key key, u32 id) {
        u32 votes = __ballot_sync(ALL, keep);
        if (!votes) return;
        u32 total = __popc(votes), slot = __popc(votes & ((1u << lane) - 1));
        u32 fill = chain.count & (TILE - 1);
        u32 room = fill ? TILE - fill : 0;
        u32 old = chain.tail;
        if (total > room) {
            u32 t = take_tile();
            if (chain.count == 0) chain.head = t; else S.next[chain.tail] = t;
            chain.tail = t;
        }
        u32 at = slot < room ? old * TILE + fill + slot : chain.tail * TILE + slot - room;
        if (keep) store(at, a, b, key, id);
        chain.count += total;
    }
    __device__ __forceinline__ void store(u32 at, u32 a, u32 b, u32 key, u32 id) { S.records[at] = make_uint4(a, b, id, key); }
    __device__ __forceinline__ void store(u32 at, u32 a, u32 b, u64 key, u32 id) {
        S.records[at] = make_uint4(a, b, (u32)key, (u32)(key >> 32));
        S.record_ids[at] = id;
    }
    __device__ __forceinline__ static u32 key_in(uint4 r, u32) { return r.w; }
    __device__ __forceinline__ static u64 key_in(uint4 r, u64) { return (u64)r.w << 32 | r.z; }
    __device__ __forceinline__ u32 id_in(uint4 r, u32 at) { return K::wide ? S.record_ids[at] : r.z; }
    __device__ void give_back(u32 tile) { S.next[tile] = free; free = tile; }

    // ---- the least edge of each component
    // --------------------------------------------------------------------------- Offers an edge to
    // a component. Returns the component, with OFFERED if the edge may be its least one.
    __device__ __forceinline__ u32 offer(u32 c, Key key, u32 id) {
        return offer_seen(c, load(S.least + (c - base)), K::order(key, id));
    }
    __device__ __forceinline__ u32 offer_seen(u32 c, u64 seen, u64 order) {
        if (seen > order) atomicMin(S.least + (c - base), order);
        return seen > order || (K::wide && seen == order) ? c | OFFERED : c;
    }
    // The same for few components, where all threads would update the same words: the minimum in
    // the block's shared memory.
    __device__ __forceinline__ u32 offer_here(u32 c, Key key, u32 id) {
        u64 order = K::order(key, id);
        u64 *p = shared + (c - base), seen = *(volatile u64 *)p;
        if (seen > order) atomicMin(p, order);
        return seen > order || (K::wide && seen == order) ? c | OFFERED : c;
    }
    __device__ __forceinline__ void mark(u32 id) { atomicOr(S.forest + (id >> 5), 1u << (id & 31)); }

    __device__ __forceinline__ Key weight(u32 at) { return key_of(*((const Key *)G.weights + at), G.kind, G.flip); }

    // ---- samples
    // ------------------------------------------------------------------------------------------------------
    // Each thread passes the least of `draws` samples. Returns about the value that a `share` of
    // all samples do not exceed.
    __device__ u64 pick(u64 mine, float share, u32 draws) {
        int k = (int)(BLOCK * (1.0f - __powf(1.0f - share, (float)draws)));
        if (k >= (int)BLOCK) k = BLOCK - 1;
        u64 picked = 0;
        for (u64 bit = 1ull << 63; bit; bit >>= 1)
            if (__syncthreads_count(mine < (picked | bit)) <= k) picked |= bit;
        return picked;
    }
    __device__ static u32 draws_for(float share, u32 most) {
        u32 draws = (u32)(0.7f / fmaxf(share, 1e-6f));
        return draws < 1 ? 1 : draws > most ? most : draws;
    }
    __device__ static u32 hash(u32 x) {
        x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16;
    }
    // An order that about a `share` of the `total` entries do not exceed.
    __device__ u64 threshold(u32 total, float share, const u32 *ids) {
        if (share >= 1.0f) return ~0ull;
        u32 draws = draws_for(share, 32);
        u64 least = ~0ull;
        #pragma unroll 4
        for (u32 i = 0; i < draws; i++) {
            u32 at = (u64)hash(threadIdx.x * 32 + i) * total >> 32;
            u64 order = K::order(weight(at), ids ? ids[at] : at);
            if (order < least) least = order;
        }
        return pick(least, share, draws);
    }

    // ---- round 0 on rows
    // ------------------------------------------------------------------------------------------------
    // Puts long rows on the queue, in items. All lanes call this; a lane without a long row passes
    // an empty one.
    __device__ void push_items(u32 v, u32 start, u32 end, u32 queue_counter) {
        u32 items = (end - start + ITEM - 1) / ITEM, upto = items;
        if (!__any_sync(ALL, items)) return;
        for (u32 d = 1; d < 32; d *= 2) {
            u32 other = __shfl_up_sync(ALL, upto, d);
            if (lane >= d) upto += other;
        }
        u32 at = lane == 31 ? atomicAdd(S.counters + queue_counter, upto) : 0;
        at = __shfl_sync(ALL, at, 31) + upto - items;
        for (u32 i = 0; i < items; i++) S.queue[at + i] = make_uint2(v, start + i * ITEM);
    }

    // Where a row begins; rows past the last one are empty.
    __device__ __forceinline__ u32 row_start(u32 v) { return G.offsets[min(v, G.vertices)]; }

    // Each vertex chooses the least edge of its row; rows of more than ROW_BY_LANE entries choose
    // nothing. If a warp's rows fit in its part of shared memory, keys, ends and ids are loaded
    // together, so no load depends on another.
    __device__ void choose_by_lane(u32 queue_counter) {
        constexpr u32 words = SHARED_WORDS / WARPS, room = words * 8 / (sizeof(Key) + 8);
        Key *keys = (Key *)(shared + (threadIdx.x >> 5) * words);
        u32 *others = (u32 *)(keys + room), *ids = others + room;
        u32 next_start = row_start(warp * 32 + lane), next_end = row_start(warp * 32 + lane + 1);
        for (u32 v0 = warp * 32; v0 < G.vertices; v0 += warps * 32) {
            u32 v = v0 + lane, start = next_start, end = next_end;
            next_start = row_start(v + warps * 32);
            next_end = row_start(v + warps * 32 + 1);
            u32 first = __shfl_sync(ALL, start, 0), span = __shfl_sync(ALL, end, 31) - first;
            bool staged = span <= room;
            __syncwarp();
            if (staged) {
                for (u32 i0 = lane; i0 < span; i0 += 128) {
                    Key key[4];
                    u32 other[4], id[4];
                    #pragma unroll
                    for (u32 j = 0; j < 4; j++)
                        if (i0 + 32 * j < span) {
                            key[j] = weight(first + i0 + 32 * j);
                            other[j] = G.neighbours[first + i0 + 32 * j];
                            id[j] = G.ids[first + i0 + 32 * j];
                        }
                    #pragma unroll
                    for (u32 j = 0; j < 4; j++)
                        if (i0 + 32 * j < span) {
                            keys[i0 + 32 * j] = key[j];
                            others[i0 + 32 * j] = other[j];
                            ids[i0 + 32 * j] = id[j];
                        }
                }
            }
            __syncwarp();
            bool is_long = end - start > ROW_BY_LANE, chooses = start != end && !is_long;
            push_items(v, start, is_long ? end : start, queue_counter);
            Key best = ~(Key)0;
            u32 at = start, link = is_long ? v : ISOLATED, chosen = 0;
            if (chooses && staged) {
                at -= first;
                for (u32 e = start - first; e < end - first; e++) {
                    Key key = keys[e];
                    if (key < best || (key == best && ids[e] < ids[at])) { best = key; at = e; }
                }
                link = others[at];
                chosen = ids[at];
            } else if (chooses) {
                for (u32 e = start; e < end; e++) {
                    Key key = weight(e);
                    if (key < best || (key == best && G.ids[e] < G.ids[at])) { best = key; at = e; }
                }
                link = G.neighbours[at];
                chosen = G.ids[at];
            }
            if (v < G.vertices) S.link[v] = link;
            mark_each(chooses, chosen);
        }
    }
    // Marks an edge for each lane that has one. Where neighbouring vertices have edges with
    // neighbouring ids, one lane marks for all lanes with edges in the same word.
    __device__ void mark_each(bool there, u32 id) {
        u32 word = id >> 5, one = __shfl_sync(ALL, word, 0), near = __popc(__ballot_sync(ALL, there && word - one + 4 < 8));
        if (near < 16) {
            if (there) mark(id);
            return;
        }
        u32 peers = __match_any_sync(ALL, there ? word : ALL), bits = 0;
        if (there) bits = __reduce_or_sync(peers, 1u << (id & 31));
        if (there && lane == __ffs(peers) - 1) atomicOr(S.forest + word, bits);
    }

    // Each vertex chooses the least edge of its row, and light edges go on the list. Eight lanes
    // scan a row; rows of more than ROW_BY_GROUP entries choose nothing.
    __device__ void choose_by_group(u64 light, u32 queue_counter) {
        u32 sub = lane & 7, group = lane >> 3, queued = 0;
        for (u32 v0 = warp * 32; v0 < G.vertices; v0 += warps * 32) {
            u32 mine = v0 + lane, my_start = 0, my_end = 0, my_at = UNSET;
            if (mine < G.vertices) {
                my_start = G.offsets[mine];
                my_end = G.offsets[mine + 1];
                if (my_start == my_end) S.link[mine] = ISOLATED;
            }
            bool is_long = my_end - my_start > ROW_BY_GROUP;
            push_items(mine, my_start, is_long ? my_end : my_start, queue_counter);
            if (is_long) { S.link[mine] = mine; my_end = my_start; }
            u32 todo = __ballot_sync(ALL, my_end > my_start);
            while (todo) {
                // Of the rows left in `todo`, group g scans the one with index g.
                u32 rest = todo;
                for (u32 g = 0; g < group; g++) rest &= rest - 1;
                u32 source = rest ? __ffs(rest) - 1 : 0;
                for (u32 g = 0; g < 4; g++) todo &= todo - 1;
                u32 start = __shfl_sync(ALL, my_start, source), end = __shfl_sync(ALL, my_end, source);
                if (!rest) end = start;
                Key best = ~(Key)0;
                u32 at = UNSET, lights = 0, bit = 1;
                for (u32 e0 = start + sub; __any_sync(ALL, e0 < end); e0 += 64) {
                    Key key[8];
                    #pragma unroll
                    for (u32 i = 0; i < 8; i++) key[i] = e0 + 8 * i < end ? weight(e0 + 8 * i) : ~(Key)0;
                    #pragma unroll
                    for (u32 i = 0; i < 8; i++, bit <<= 1) {
                        u32 e = e0 + 8 * i;
                        if (e >= end) continue;
                        if (at == UNSET || key[i] < best || (key[i] == best && G.ids[e] < G.ids[at])) { best = key[i]; at = e; }
                        if (is_light(key[i], e, light)) lights |= bit;
                    }
                }
                at = least_of_group(best, at, 8);
                // The row's own lane keeps the choice.
                for (u32 g = 0; g < 4; g++) {
                    u32 owner = __shfl_sync(ALL, rest ? source : 32, 8 * g), choice = __shfl_sync(ALL, at, 8 * g);
                    if (lane == owner) my_at = choice;
                }
                push_wanted<false>(queued, v0 + source, start + sub, 8, lights);
            }
            if (my_at != UNSET) {
                S.link[mine] = G.neighbours[my_at];
                mark(G.ids[my_at]);
            }
        }
        flush_wanted<false>(queued);
    }
    // The entry of the least edge among the lanes of a group, returned to each of them; UNSET if no
    // lane has one.
    __device__ __forceinline__ u32 least_of_group(Key best, u32 at, u32 width) {
        Key least = best;
        for (u32 d = 1; d < width; d *= 2) {
            Key other = __shfl_xor_sync(ALL, least, d);
            if (other < least) least = other;
        }
        bool candidate = at != UNSET && best == least;
        u32 candidates = __ballot_sync(ALL, candidate) & (width == 32 ? ALL : ((1u << width) - 1) << (lane & ~(width - 1)));
        bool tie = __popc(candidates) > 1;
        if (__any_sync(ALL, tie)) {
            u32 id = candidate ? G.ids[at] : ALL, least_id = id;
            for (u32 d = 1; d < width; d *= 2) least_id = min(least_id, __shfl_xor_sync(ALL, least_id, d));
            candidate = candidate && id == least_id;
            candidates = __ballot_sync(ALL, candidate) & (width == 32 ? ALL : ((1u << width) - 1) << (lane & ~(width - 1)));
        }
        u32 chosen = __shfl_sync(ALL, at, candidates ? __ffs(candidates) - 1 : lane);
        return candidates ? chosen : UNSET;
    }

    // Collects wanted entries in shared memory until there are 128, which are then handled
    // together, four per lane. Bit j of `wanted` is entry first + j * step, in the row of v.
    // Without `between` (light entries), each goes on the list; with `between`, only those whose
    // ends are in different components.
    template <bool between>
    __device__ __forceinline__ void push_wanted(u32 &queued, u32 v, u32 first, u32 step, u32 wanted) {
        u64 *waiting = shared + (threadIdx.x >> 5) * (SAMPLES / WARPS);
        for (u32 votes; (votes = __ballot_sync(ALL, wanted != 0)); ) {
            if (wanted) {
                waiting[queued + __popc(votes & ((1u << lane) - 1))] = (u64)v << 32 | (first + step * (__ffs(wanted) - 1));
                wanted &= wanted - 1;
            }
            queued += __popc(votes);
            if (queued >= 128) flush_wanted<between>(queued);
        }
    }
    // Puts up to 128 collected entries on the list, each edge only from the row of its lower end.
    template <bool between>
    __device__ void flush_wanted(u32 &queued) {
        u64 *waiting = shared + (threadIdx.x >> 5) * (SAMPLES / WARPS);
        __syncwarp();
        u32 a[4], b[4], e[4], id[4];
        Key key[4];
        bool keep[4];
        #pragma unroll
        for (u32 j = 0; j < 4; j++) {
            u64 one = 32 * j + lane < queued ? waiting[32 * j + lane] : ~0ull;
            a[j] = (u32)(one >> 32);
            e[j] = (u32)one;
        }
        u32 over = queued > 128 ? queued - 128 : 0;
        u64 last = lane < over ? waiting[128 + lane] : 0;
        __syncwarp();
        if (lane < over) waiting[lane] = last;
        __syncwarp();
        queued = over;
        #pragma unroll
        for (u32 j = 0; j < 4; j++) b[j] = a[j] != ALL ? G.neighbours[e[j]] : 0;
        #pragma unroll
        for (u32 j = 0; j < 4; j++) {
            keep[j] = a[j] != ALL && b[j] > a[j];
            if (between && keep[j]) {
                a[j] = S.link[a[j]];
                b[j] = S.link[b[j]];
            }
        }
        #pragma unroll
        for (u32 j = 0; j < 4; j++) {
            keep[j] = keep[j] && a[j] != b[j];
            key[j] = keep[j] ? weight(e[j]) : 0;
            id[j] = keep[j] ? G.ids[e[j]] : 0;
        }
        if (between) offer_four(keep, a, b, key, id);
        #pragma unroll
        for (u32 j = 0; j < 4; j++) append(list, keep[j], a[j], b[j], key[j], id[j]);
    }
    // Offers four edges: all loads come before all atomic minima.
    __device__ __forceinline__ void offer_four(const bool *keep, u32 *a, u32 *b, const Key *key, const u32 *id) {
        u64 at_a[4], at_b[4];
        #pragma unroll
        for (u32 j = 0; j < 4; j++) {
            at_a[j] = keep[j] ? load(S.least + (a[j] - base)) : 0;
            at_b[j] = keep[j] ? load(S.least + (b[j] - base)) : 0;
        }
        #pragma unroll
        for (u32 j = 0; j < 4; j++)
            if (keep[j]) {
                u64 order = K::order(key[j], id[j]);
                a[j] = offer_seen(a[j], at_a[j], order);
                b[j] = offer_seen(b[j], at_b[j], order);
            }
    }
    __device__ __forceinline__ bool is_light(u32 key, u32 e, u64 light) {
        u32 limit = (u32)(light >> 32);
        return key < limit || (key == limit && G.ids[e] <= (u32)light);
    }
    __device__ __forceinline__ bool is_light(u64 key, u32, u64 light) { return key <= light; }

    __device__ void light_of_long_rows(u64 light, u32 items) {
        u32 queued = 0;
        for (u32 i = warp; i < items; i += warps) {
            uint2 item = S.queue[i];
            u32 v = item.x, start = item.y, end = min(start + ITEM, G.offsets[v + 1]), lights = 0;
            for (u32 j0 = 0; j0 < 32; j0 += 8) {
                Key key[8];
                #pragma unroll
                for (u32 j = 0; j < 8; j++) {
                    u32 e = start + 32 * (j0 + j) + lane;
                    key[j] = e < end ? weight(e) : ~(Key)0;
                }
                #pragma unroll
                for (u32 j = 0; j < 8; j++) {
                    u32 e = start + 32 * (j0 + j) + lane;
                    if (e < end && is_light(key[j], e, light)) lights |= 1u << (j0 + j);
                }
            }
            push_wanted<false>(queued, v, start + lane, 32, lights);
        }
        flush_wanted<false>(queued);
    }

    // Lists the edges between components after round 0. Each edge is taken from the row of its
    // lower end, so half of the entries are not wanted.
    __device__ void gather_short_rows() {
        u32 queued = 0;
        u32 next_start = row_start(warp * 32 + lane), next_end = row_start(warp * 32 + lane + 1);
        for (u32 v0 = warp * 32; v0 < G.vertices; v0 += warps * 32) {
            u32 v = v0 + lane, start = next_start, end = next_end;
            next_start = row_start(v + warps * 32);
            next_end = row_start(v + warps * 32 + 1);
            if (end - start > ROW_BY_LANE) end = start;
            u32 upper = 0; // the entries whose other end is the higher one
            for (u32 e0 = start; __any_sync(ALL, e0 < end); e0 += 4) {
                u32 w[4];
                #pragma unroll
                for (u32 i = 0; i < 4; i++) w[i] = e0 + i < end ? G.neighbours[e0 + i] : 0;
                #pragma unroll
                for (u32 i = 0; i < 4; i++) if (w[i] > v && e0 + i < end) upper |= 1u << (e0 + i - start);
            }
            push_wanted<true>(queued, v, start, 1, upper);
        }
        flush_wanted<true>(queued);
    }
    __device__ void gather_long_rows(u32 items) {
        for (u32 i = warp; i < items; i += warps) {
            uint2 item = S.queue[i];
            u32 v = item.x, end = min(item.y + ITEM, G.offsets[v + 1]), a = S.link[v];
            for (u32 e0 = item.y; e0 < end; e0 += 32) {
                u32 e = e0 + lane;
                u32 w = e < end ? G.neighbours[e] : 0;
                u32 b = w > v && e < end ? S.link[w] : a;
                bool keep = b != a;
                Key key = 0;
                u32 id = 0, x = a;
                if (keep) {
                    key = weight(e);
                    id = G.ids[e];
                    x = offer(a, key, id);
                    b = offer(b, key, id);
                }
                append(list, keep, x, b, key, id);
            }
        }
    }

    // The second pass over rows: those outside the giant component. Of a row's edges into the giant
    // component only the lightest is listed; a row of more than ROW_BY_GROUP entries lists the
    // lightest of each item.
    __device__ void gather_outside(u32 giant, u32 queue_counter) {
        u32 sub = lane & 7, group = lane >> 3;
        for (u32 v0 = warp * 32; v0 < G.vertices; v0 += warps * 32) {
            u32 mine = v0 + lane, my_start = 0, my_end = 0, my_label = ISOLATED;
            if (mine < G.vertices) {
                my_label = S.link[mine];
                if (my_label != giant && my_label != ISOLATED) {
                    my_start = G.offsets[mine];
                    my_end = G.offsets[mine + 1];
                }
            }
            bool is_long = my_end - my_start > ROW_BY_GROUP;
            push_items(mine, my_start, is_long ? my_end : my_start, queue_counter);
            if (is_long) my_end = my_start;
            u32 todo = __ballot_sync(ALL, my_end > my_start);
            while (todo) {
                u32 rest = todo;
                for (u32 g = 0; g < group; g++) rest &= rest - 1;
                u32 source = rest ? __ffs(rest) - 1 : 0;
                for (u32 g = 0; g < 4; g++) todo &= todo - 1;
                u32 start = __shfl_sync(ALL, my_start, source), end = __shfl_sync(ALL, my_end, source);
                u32 la = __shfl_sync(ALL, my_label, source);
                if (!rest) end = start;
                row_outside(v0 + source, la, start, end, sub, 8, giant);
            }
        }
    }
    __device__ void outside_long_rows(u32 giant, u32 items) {
        for (u32 i = warp; i < items; i += warps) {
            uint2 item = S.queue[i];
            u32 v = item.x, end = min(item.y + ITEM, G.offsets[v + 1]);
            row_outside(v, S.link[v], item.y, end, lane, 32, giant);
        }
    }
    __device__ __forceinline__ void row_outside(u32 v, u32 la, u32 start, u32 end, u32 sub, u32 width, u32 giant) {
        Key best = ~(Key)0;
        u32 at = UNSET;
        for (u32 e0 = start + sub; __any_sync(ALL, e0 < end); e0 += 4 * width) {
            u32 w[4], lb[4];
            Key key[4];
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u32 e = e0 + i * width;
                w[i] = e < end ? G.neighbours[e] : v;
                key[i] = e < end ? weight(e) : ~(Key)0;
            }
            #pragma unroll
            for (u32 i = 0; i < 4; i++) lb[i] = w[i] != v ? S.link[w[i]] : la;
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u32 e = e0 + i * width;
                if (lb[i] == giant && la != giant) {
                    if (at == UNSET || key[i] < best || (key[i] == best && G.ids[e] < G.ids[at])) { best = key[i]; at = e; }
                }
                bool keep = lb[i] != la && lb[i] != giant && w[i] > v;
                if (!__any_sync(ALL, keep)) continue;
                u32 id = 0, a = base + (la & ~DONE), b = base + (lb[i] & ~DONE);
                if (keep) {
                    id = G.ids[e];
                    a = offer(a, key[i], id);
                    b = offer(b, key[i], id);
                }
                append(list, keep, a, b, key[i], id);
            }
        }
        u32 chosen = least_of_group(best, at, width);
        bool keep = at != UNSET && chosen == at;
        u32 id = keep ? G.ids[at] : 0;
        u32 a = base + (la & ~DONE), b = base + (giant & ~DONE);
        if (keep) {
            a = offer(a, best, id); // the giant component itself gets no offers
        }
        append(list, keep, a, b, best, id);
    }

    // ---- edge lists as input
    // ---------------------------------------------------------------------------------------
    __device__ void gather_edges(bool filtered, u64 light) {
        for (u32 i0 = warp * TILE; i0 < G.edges; i0 += warps * TILE) {
            u32 a[4], b[4], id[4];
            Key key[4];
            bool keep[4];
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                id[j] = i0 + 32 * j + lane;
                key[j] = id[j] < G.edges ? weight(id[j]) : 0;
                keep[j] = id[j] < G.edges && (!filtered || K::order(key[j], id[j]) <= light);
            }
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                a[j] = keep[j] ? G.u[id[j]] : 0;
                b[j] = keep[j] ? G.v[id[j]] : 0;
                keep[j] = a[j] != b[j];
            }
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                if (keep[j]) {
                    a[j] = offer(a[j], key[j], id[j]);
                    b[j] = offer(b[j], key[j], id[j]);
                }
                append(list, keep[j], a[j], b[j], key[j], id[j]);
            }
        }
    }
    // The second pass over an edge list: the edges between components.
    __device__ void gather_edges_outside(u32 giant) {
        for (u32 i0 = warp * TILE; i0 < G.edges; i0 += warps * TILE) {
            u32 a[4], b[4], id[4];
            Key key[4];
            bool keep[4];
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                id[j] = i0 + 32 * j + lane;
                a[j] = id[j] < G.edges ? G.u[id[j]] : 0;
                b[j] = id[j] < G.edges ? G.v[id[j]] : 0;
            }
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                a[j] = S.link[a[j]];
                b[j] = S.link[b[j]];
            }
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                keep[j] = a[j] != b[j];
                key[j] = keep[j] ? weight(id[j]) : 0;
                a[j] = base + (a[j] & ~DONE);
                b[j] = base + (b[j] & ~DONE);
            }
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                if (keep[j]) {
                    if (a[j] != giant) a[j] = offer(a[j], key[j], id[j]);
                    if (b[j] != giant) b[j] = offer(b[j], key[j], id[j]);
                }
                append(list, keep[j], a[j], b[j], key[j], id[j]);
            }
        }
    }

    // ---- one round
    // ----------------------------------------------------------------------------------------------------
    // Marks the least edge of each component, and links the component to that edge's other end.
    __device__ void hook() {
        u32 t = list.head;
        for (u32 left = list.count; left; ) {
            u32 next = S.next[t];
            uint4 r[4];
            u64 at_a[4], at_b[4];
            #pragma unroll
            for (u32 i = 0; i < 4; i++) r[i] = 32 * i + lane < left ? S.records[t * TILE + 32 * i + lane] : make_uint4(0, 0, 0, 0);
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                at_a[i] = r[i].x & OFFERED ? S.least[least_at + (r[i].x & ~OFFERED) - base] : 0;
                at_b[i] = r[i].y & OFFERED ? S.least[least_at + (r[i].y & ~OFFERED) - base] : 0;
            }
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u64 order = K::order(key_in(r[i], (Key)0), r[i].z);
                bool x = r[i].x & OFFERED && at_a[i] == order, y = r[i].y & OFFERED && at_b[i] == order;
                r[i].x &= ~OFFERED;
                r[i].y &= ~OFFERED;
                u32 id = r[i].z;
                if (K::wide && (x || y)) {
                    id = S.record_ids[t * TILE + 32 * i + lane];
                    x = x && S.least_id[r[i].x - base] == id;
                    y = y && S.least_id[r[i].y - base] == id;
                }
                if (x || y) mark(id);
                if (x) S.link[r[i].x] = r[i].y;
                if (y) S.link[r[i].y] = r[i].x;
            }
            left -= min(left, TILE);
            t = next;
        }
    }
    __device__ void least_ids() {
        u32 t = list.head;
        for (u32 left = list.count; left; ) {
            u32 next = S.next[t];
            for (u32 i = 0; i < 4; i++) {
                u32 at = t * TILE + 32 * i + lane;
                if (32 * i + lane >= left) continue;
                uint4 r = S.records[at];
                u64 order = key_in(r, (Key)0);
                u32 id = S.record_ids[at];
                u32 a = r.x & ~OFFERED, b = r.y & ~OFFERED;
                if (a != r.x && S.least[a - base] == order) atomicMin(S.least_id + (a - base), id);
                if (b != r.y && S.least[b - base] == order) atomicMin(S.least_id + (b - base), id);
            }
            left -= min(left, TILE);
            t = next;
        }
    }

    // Gives each root its number on the next level, and each component without an edge its final
    // number. Returns how many roots the warp found.
    __device__ u32 number(u32 roots_counter) {
        u32 words = (count + 31) / 32, share = (words + warps - 1) / warps;
        u32 first = min(warp * share, words), last = min(first + share, words);
        u32 above = base + count, roots = 0, finished = 0;
        for (u32 i = first; i < last; i += 4) {
            u32 p[4], q[4];
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                u32 x = base + (i + j) * 32 + lane;
                p[j] = i + j < last && x < above ? S.link[x] : ISOLATED;
            }
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                u32 x = base + (i + j) * 32 + lane;
                q[j] = p[j] < above && p[j] != x ? S.link[p[j]] : UNSET;
            }
            #pragma unroll
            for (u32 j = 0; j < 4; j++) {
                u32 x = base + (i + j) * 32 + lane;
                // Halves the paths on the way. This makes no root of a component that is not one.
                if (q[j] != UNSET && q[j] != x && q[j] != p[j]) S.link[x] = q[j];
                u32 r = __ballot_sync(ALL, p[j] == x || (q[j] == x && x < p[j]));
                u32 d = __ballot_sync(ALL, p[j] == UNSET);
                if (lane == 0 && i + j < last) {
                    S.bits[2 * (i + j)] = r;
                    S.bits[2 * (i + j) + 1] = d;
                }
                roots += __popc(r);
                finished += __popc(d);
            }
        }
        __syncwarp();
        __shared__ u32 part[2][WARPS], start[2];
        u32 w = threadIdx.x >> 5;
        if (lane == 0) { part[0][w] = roots; part[1][w] = finished; }
        __syncthreads();
        u32 root_at = above, done_at = 0, total = 0;
        for (u32 i = 0; i < WARPS; i++) {
            if (i < w) { root_at += part[0][i]; done_at += part[1][i]; }
            total += part[w & 1][i];
        }
        // Threads of two warps add, so that the two atomics overlap.
        if (threadIdx.x == 0) start[0] = total ? atomicAdd(S.counters + roots_counter, total) : 0;
        if (threadIdx.x == 32) start[1] = total ? atomicAdd(S.counters + finals, total) : 0;
        __syncthreads();
        root_at += start[0];
        done_at += start[1];
        u32 before = (1u << lane) - 1;
        for (u32 i = first; i < last; i++) {
            u32 x = base + i * 32 + lane;
            u32 r = S.bits[2 * i], d = S.bits[2 * i + 1];
            if (r >> lane & 1) {
                u32 id = root_at + __popc(r & before);
                S.link[x] = id;
                S.link[id] = UNSET;
                S.least[id - above] = ~0ull;
                if (K::wide) S.least_id[id - above] = ALL;
            }
            if (d >> lane & 1) S.link[x] = DONE | (done_at + __popc(d & before));
            root_at += __popc(r);
            done_at += __popc(d);
        }
        return roots;
    }

    // Replaces each component's link by the number of its root. A path of more than 64 steps is
    // left to another pass; returns whether the warp has left one.
    __device__ bool shortcut() {
        u32 above = base + count;
        bool far = false;
        for (u32 x0 = base + warp * 128 + lane; x0 - lane < above; x0 += warps * 128) {
            u32 was[4], y[4];
            #pragma unroll
            for (u32 j = 0; j < 4; j++) y[j] = was[j] = x0 + 32 * j < above ? S.link[x0 + 32 * j] : ISOLATED;
            bool more = true;
            for (u32 steps = 0; more && steps < 64; steps++) {
                more = false;
                #pragma unroll
                for (u32 j = 0; j < 4; j++) {
                    if (y[j] < above) y[j] = S.link[y[j]];
                    more |= y[j] < above;
                }
            }
            far |= more;
            #pragma unroll
            for (u32 j = 0; j < 4; j++) if (y[j] != was[j]) S.link[x0 + 32 * j] = y[j];
        }
        return __any_sync(ALL, far);
    }

    // Gives the ends of listed edges their numbers on the new level, removes edges within a
    // component, and offers the others. With `splitting`, edges above the pivot are set aside; with
    // `back`, they return, and their ends get the final numbers of the phase in between. With
    // `here`, labels come from contract_here. With `paired`, only the least edge of each pair of
    // components is kept, in `pairs`, and the list becomes empty.
    __device__ void relabel(Chain in, bool back, bool here, bool paired, bool splitting, u64 pivot) {
        const u16 *label = (const u16 *)(shared + LABELS_AT);
        bool few = count <= FEW;
        u32 giant = UNSET;
        if (few) {
            for (u32 c = threadIdx.x; c < (paired ? TAIL : count); c += BLOCK) shared[c] = ~0ull;
            __syncthreads();
        } else if (!back && in_play > CROWD) {
            // The component that holds the most sampled vertices chooses nothing: the others link
            // to it.
            giant = find_giant(base);
            if (giant >= base + count) giant = UNSET;
            if (blockIdx.x == 0 && threadIdx.x == 0 && giant != UNSET) S.link[giant] = giant;
        }
        Chain out = EMPTY, aside = out;
        u32 t = in.head;
        for (u32 left = in.count; left; ) {
            u32 next = S.next[t];
            uint4 r[4];
            u32 id[4], a[4], b[4];
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u32 at = t * TILE + 32 * i + lane;
                bool there = 32 * i + lane < left;
                r[i] = there ? *(S.records + at) : make_uint4(0, 0, 0, 0);
                id[i] = there ? id_in(r[i], at) : 0;
            }
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                bool there = 32 * i + lane < left;
                u32 x = r[i].x & ~OFFERED, y = r[i].y & ~OFFERED;
                a[i] = !there ? base : here ? base + label[x - few_base] : S.link[x];
                b[i] = !there ? base : here ? base + label[y - few_base] : S.link[y];
            }
            if (back) {
                // Every label is a final number, as label_vertices left it.
                #pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    bool there = 32 * i + lane < left;
                    a[i] = there ? base + (a[i] & ~DONE) : 0;
                    b[i] = there ? base + (b[i] & ~DONE) : 0;
                }
            } else if (!here) {
                #pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    while (a[i] < base) a[i] = S.link[a[i]];
                    while (b[i] < base) b[i] = S.link[b[i]];
                }
            }
            __syncwarp(); // every lane has read its records before the tile is reused
            give_back(t);
            left -= min(left, TILE);
            t = next;
            if (paired) {
                #pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    if (a[i] == b[i]) continue;
                    u64 *least = shared + place_of_pair(a[i] - base, b[i] - base), order = K::order(key_in(r[i], (Key)0), id[i]);
                    if (*(volatile u64 *)least > order) atomicMin(least, order);
                }
                continue;
            }
            bool keep[4], later[4];
            Key key[4];
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                key[i] = key_in(r[i], (Key)0);
                keep[i] = a[i] != b[i];
                later[i] = keep[i] && splitting && K::order(key[i], id[i]) > pivot;
                keep[i] &= !later[i];
            }
            // With few edges, loads that wait for earlier atomics cost more than atomics that
            // change nothing.
            bool at_once = !few && !back && in_play <= CROWD;
            if (at_once) offer_four(keep, a, b, key, id);
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                if (keep[i] && few) {
                    a[i] = offer_here(a[i], key[i], id[i]);
                    b[i] = offer_here(b[i], key[i], id[i]);
                } else if (keep[i] && !at_once) {
                    if (a[i] != giant) a[i] = offer(a[i], key[i], id[i]);
                    if (b[i] != giant) b[i] = offer(b[i], key[i], id[i]);
                }
                append(out, keep[i], a[i], b[i], key[i], id[i]);
                if (splitting) append(aside, later[i], a[i], b[i], key[i], id[i]);
            }
        }
        list = out;
        if (splitting) heavy = aside;
        if (few) {
            __syncthreads();
            lower_all(paired ? S.pairs : S.least + least_at, paired ? TAIL : count);
        }
    }
    // Merges the block's minima into those of the grid.
    __device__ void lower_all(u64 *least, u32 values) {
        for (u32 c0 = threadIdx.x; c0 < values; c0 += 4 * BLOCK) {
            u64 order[4], seen[4];
            #pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u32 c = c0 + BLOCK * i;
                order[i] = c < values ? shared[c] : ~0ull;
                seen[i] = order[i] != ~0ull ? load(least + c) : 0;
            }
            #pragma unroll
            for (u32 i = 0; i < 4; i++)
                if (seen[i] > order[i]) atomicMin(least + c0 + BLOCK * i, order[i]);
        }
    }
    // The place of a pair of components in a table of PAIRED / 2 rows. Rows of the lower half of
    // the components use the places right of the diagonal; rows of the upper half, reversed, use
    // the places left of it.
    __device__ static u32 place_of_pair(u32 a, u32 b) {
        u32 x = min(a, b), y = max(a, b);
        return x < PAIRED / 2 ? x * PAIRED + y : (PAIRED - 1 - x) * PAIRED + (PAIRED - 1 - y);
    }
    __device__ static uint2 pair_at(u32 place) {
        u32 x = place / PAIRED, y = place % PAIRED;
        return y > x ? make_uint2(x, y) : make_uint2(PAIRED - 1 - x, PAIRED - 1 - y);
    }

    // Samples one record of each warp's first tile, for a pivot; only the first SAMPLES warps do.
    __device__ void sample_list() {
        if (lane == 0 && warp < SAMPLES) {
            u64 order = ~0ull;
            if (list.count) {
                u32 at = list.head * TILE + hash(warp + fresh) % min(list.count, TILE);
                uint4 r = S.records[at];
                order = K::order(key_in(r, (Key)0), r.z);
            }
            S.samples[warp] = order;
        }
    }

    __device__ bool overflowed() { return read(OVERFLOW) != 0; }

    __device__ void count_edges(Code code) { in_play = sum(code, list.count); }

    // Runs rounds until all lists are empty and, if labels are wanted, every component has its
    // final number. Precondition: the listed edges have been offered to the components of this
    // level.
    __device__ void rounds(bool labels_wanted) {
        bool pending = false;
        while (count && (in_play || labels_wanted || pending)) {
            if (in_play <= TAIL && count <= TAIL) {
                finish(labels_wanted || pending);
            } else {
                if (K::wide) { least_ids(); sync(LEAST_IDS); }
                hook();
                bool splitting = !pending && !labels_wanted && in_play > SPLIT_FROM && (float)in_play > SPLIT * (float)count;
                if (splitting) sample_list();
                // contract_here has no barrier, so the next level's orders, in the half not in use,
                // are cleared here.
                if (!K::wide && count <= FEW) {
                    for (u32 i = warp * 32 + lane; i < count; i += warps * 32) S.least[other_least() + i] = ~0ull;
                    for (u32 i = warp * 32 + lane; i < TAIL; i += warps * 32) S.pairs[i] = ~0ull;
                }
                sync(HOOK);
                bool here = !K::wide && count <= FEW && contract_here();
                if (!here) contract();
                if (count || here) {
                    u64 pivot = 0;
                    if (splitting) {
                        float share = fminf(SPLIT_LIGHT * (float)count / (float)in_play, 0.5f);
                        u32 draws = draws_for(share, SAMPLES / BLOCK);
                        u64 least = ~0ull;
                        for (u32 i = 0; i < draws; i++) least = min(least, load(S.samples + (threadIdx.x + BLOCK * i) % min(SAMPLES, warps)));
                        pivot = pick(least, share, draws);
                    }
                    bool paired = here && !splitting && count > 1 && count <= PAIRED;
                    relabel(list, false, here, paired, splitting, pivot);
                    if (splitting) { pending = true; heavy_base = base; }
                    count_edges(RELABEL);
                    if (here && (labels_wanted || pending)) {
                        publish_labels();
                        if (count == 0) sync(NUMBER);
                    }
                    if (paired) finish_pairs(labels_wanted || pending);
                }
            }
            if (pending && count == 0) {
                pending = false;
                label_vertices(heavy_base, base);
                sync(LABEL);
                restart();
                relabel(heavy, true, false, false, false, 0);
                count_edges(RETURN);
            }
        }
    }
    // Makes the components that the chosen edges join the components of the next level.
    __device__ void contract() {
        u32 numbered = sum(NUMBER, number(counter()));
        // With few components relabel follows the paths itself. After round 0 the gather steps do
        // not.
        for (bool more = count > DIRECT || base == 0; more; more = sum(SHORTCUT, shortcut())) {}
        base += count;
        count = numbered;
        least_at = 0;
    }

    // The same for few components: every block computes it in its own shared memory, without a
    // barrier. The labels stay there for relabel. The links are not overwritten before a barrier,
    // because other blocks may still read them. Returns false and changes no state if there are
    // more than LABELS_AT roots.
    __device__ bool contract_here() {
        constexpr u16 NOWHERE = 0xffff, LONE = 0x8000;
        constexpr u32 each = FEW / BLOCK;
        u16 *parent = (u16 *)shared, *number = parent + FEW, *label = (u16 *)(shared + LABELS_AT);
        __shared__ u32 part[2][WARPS];
        u32 w = threadIdx.x >> 5, above = base + count, done = read(finals);
        for (u32 c0 = threadIdx.x; c0 < count; c0 += 4 * BLOCK) {
            u32 p[4];
            #pragma unroll
            for (u32 i = 0; i < 4; i++) p[i] = c0 + BLOCK * i < count ? S.link[base + c0 + BLOCK * i] : UNSET;
            #pragma unroll
            for (u32 i = 0; i < 4; i++)
                if (c0 + BLOCK * i < count) parent[c0 + BLOCK * i] = p[i] == UNSET ? NOWHERE : p[i] - base;
        }
        __syncthreads();
        u32 roots = 0, lone = 0, is_root[each], is_lone[each];
        #pragma unroll
        for (u32 i = 0; i < each; i++) {
            u32 c = (w * each + i) * 32 + lane, p = c < count ? parent[c] : c;
            is_root[i] = __ballot_sync(ALL, c < count && (p == c || (p != NOWHERE && parent[p] == c && c < p)));
            is_lone[i] = __ballot_sync(ALL, c < count && p == NOWHERE);
            roots += __popc(is_root[i]);
            lone += __popc(is_lone[i]);
        }
        if (lane == 0) { part[0][w] = roots; part[1][w] = lone; }
        __syncthreads();
        u32 root_at = 0, lone_at = 0, all_lone = 0;
        roots = 0;
        for (u32 i = 0; i < WARPS; i++) {
            if (i == w) { root_at = roots; lone_at = all_lone; }
            roots += part[0][i];
            all_lone += part[1][i];
        }
        if (roots > LABELS_AT) return false;
        u32 before = (1u << lane) - 1;
        #pragma unroll
        for (u32 i = 0; i < each; i++) {
            u32 c = (w * each + i) * 32 + lane;
            bool root = is_root[i] >> lane & 1, alone = is_lone[i] >> lane & 1;
            if (c < count) number[c] = root ? root_at + __popc(is_root[i] & before) : alone ? LONE | (lone_at + __popc(is_lone[i] & before)) : NOWHERE;
            root_at += __popc(is_root[i]);
            lone_at += __popc(is_lone[i]);
        }
        __syncthreads();
        for (u32 c = threadIdx.x; c < count; c += BLOCK) {
            u32 x = c;
            while (number[x] == NOWHERE) x = parent[x];
            label[c] = number[x];
        }
        finals = counter();
        if (blockIdx.x == 0) {
            if (threadIdx.x == 0) S.counters[finals] = done + all_lone;
            for (u32 i = threadIdx.x; i < roots; i += BLOCK) S.link[above + i] = UNSET;
        }
        __syncthreads();
        few_base = base;
        few_count = count;
        few_done = done;
        least_at = other_least();
        base = above;
        count = roots;
        return true;
    }
    // Where the least orders of the next level start if contract_here makes that level.
    __device__ u32 other_least() { return least_at ? 0 : max(G.vertices, FEW); }
    // Block 0 writes the labels of contract_here to `link`, after a barrier.
    __device__ void publish_labels() {
        if (blockIdx.x) return;
        const u16 *label = (const u16 *)(shared + LABELS_AT);
        for (u32 c = threadIdx.x; c < few_count; c += BLOCK)
            S.link[few_base + c] = label[c] & 0x8000 ? DONE | (few_done + (label[c] & 0x7fff)) : base + label[c];
    }

    // One block runs the last rounds of a phase in shared memory.
    __device__ void finish(bool goes_on) {
        u32 taken = counter(), at = 0;
        if (lane == 0 && list.count) at = atomicAdd(S.counters + taken, list.count);
        at = __shfl_sync(ALL, at, 0);
        u32 t = list.head;
        for (u32 left = list.count; left; ) {
            u32 next = S.next[t];
            for (u32 i = lane; i < min(left, TILE); i += 32) {
                S.tail[at + i] = S.records[t * TILE + i];
                if (K::wide) S.tail_ids[at + i] = S.record_ids[t * TILE + i];
            }
            give_back(t);
            at += min(left, TILE);
            left -= min(left, TILE);
            t = next;
        }
        list = EMPTY;
        sync(COLLECT);
        if (blockIdx.x == 0) finish_alone(false, in_play);
        finished(goes_on);
    }
    // The same for the least edges of all pairs of components.
    __device__ void finish_pairs(bool goes_on) {
        if (blockIdx.x == 0) finish_alone(true, TAIL);
        finished(goes_on);
    }
    // The barrier is left out if nothing follows in this solve.
    __device__ void finished(bool goes_on) {
        base += count;
        count = 0;
        in_play = 0;
        if (goes_on) {
            sync(FINISH);
        } else if (blockIdx.x == 0) {
            __syncthreads();
            if (threadIdx.x == 0) note(FINISH);
        }
    }
    __device__ void finish_alone(bool paired, u32 edges) {
        constexpr u16 NOWHERE = 0xffff;
        constexpr u32 each = TAIL / BLOCK;
        u64 *least = shared;
        u32* least_id = (u32*)(least + TAIL);
        u16 *link = (u16*)(least_id + TAIL), *root = link + TAIL, *label = root + TAIL;
        u32 a[each], b[each], id[each];
        Key key[each];
        #pragma unroll
        for (u32 i = 0; i < each; i++) {
            u32 at = threadIdx.x + BLOCK * i;
            a[i] = b[i] = id[i] = 0;
            key[i] = 0;
            if (paired) {
                u64 order = S.pairs[at];
                if (order != ~0ull) {
                    uint2 ends = pair_at(at);
                    a[i] = ends.x;
                    b[i] = ends.y;
                    key[i] = (Key)(order >> 32); // edges with wide keys are never paired
                    id[i] = (u32)order;
                }
            } else if (at < edges) {
                uint4 r = S.tail[at];
                a[i] = (r.x & ~OFFERED) - base;
                b[i] = (r.y & ~OFFERED) - base;
                key[i] = key_in(r, (Key)0);
                id[i] = K::wide ? S.tail_ids[at] : r.z;
            }
        }
        __syncthreads();
        for (u32 c = threadIdx.x; c < count; c += BLOCK) label[c] = c;
        bool more = edges != 0;
        while (more) {
            for (u32 c = threadIdx.x; c < count; c += BLOCK) {
                least[c] = ~0ull;
                least_id[c] = ALL;
                link[c] = NOWHERE;
            }
            __syncthreads();
            #pragma unroll
            for (u32 i = 0; i < each; i++)
                if (a[i] != b[i]) {
                    u64 order = K::order(key[i], id[i]);
                    if (least[a[i]] > order) atomicMin(least + a[i], order);
                    if (least[b[i]] > order) atomicMin(least + b[i], order);
                }
            __syncthreads();
            if (K::wide) {
                #pragma unroll
                for (u32 i = 0; i < each; i++)
                    if (a[i] != b[i]) {
                        u64 order = K::order(key[i], id[i]);
                        if (least[a[i]] == order) atomicMin(least_id + a[i], id[i]);
                        if (least[b[i]] == order) atomicMin(least_id + b[i], id[i]);
                    }
                __syncthreads();
            }
            #pragma unroll
            for (u32 i = 0; i < each; i++)
                if (a[i] != b[i]) {
                    u64 order = K::order(key[i], id[i]);
                    bool x = least[a[i]] == order && (!K::wide || least_id[a[i]] == id[i]);
                    bool y = least[b[i]] == order && (!K::wide || least_id[b[i]] == id[i]);
                    if (x) link[a[i]] = b[i];
                    if (y) link[b[i]] = a[i];
                    if (x || y) mark(id[i]);
                }
            __syncthreads();
            for (u32 c = threadIdx.x; c < count; c += BLOCK) {
                u32 x = c;
                for (;;) {
                    u32 p = link[x];
                    if (p == NOWHERE || (link[p] == x && x < p)) break;
                    x = p;
                }
                root[c] = x;
            }
            __syncthreads();
            for (u32 c = threadIdx.x; c < count; c += BLOCK) label[c] = root[label[c]];
            bool mine = false;
            #pragma unroll
            for (u32 i = 0; i < each; i++)
                if (a[i] != b[i]) {
                    a[i] = root[a[i]];
                    b[i] = root[b[i]];
                    mine |= a[i] != b[i];
                }
            more = __syncthreads_or(mine);
        }
        __syncthreads();
        for (u32 c = threadIdx.x; c < count; c += BLOCK)
            if (label[c] == c) least_id[c] = atomicAdd(S.counters + finals, 1);
        __syncthreads();
        for (u32 c = threadIdx.x; c < count; c += BLOCK) S.link[base + c] = DONE | least_id[label[c]];
    }

    // Starts a new phase on the components that the last one left.
    __device__ void restart() {
        count = read(finals);
        base = base >= 3 * G.vertices ? G.vertices : 3 * G.vertices;
        least_at = 0;
        for (u32 i = warp * 32 + lane; i < count; i += warps * 32) {
            S.least[i] = ~0ull;
            if (K::wide) S.least_id[i] = ALL;
            S.link[base + i] = UNSET;
        }
        finals = counter();
        sync(RESTART);
    }

    // The label, from `above` on, of the most of 256 sampled vertices; UNSET if no label has more
    // than 8 of them.
    __device__ u32 find_giant(u32 above) {
        u32 *labels = (u32 *)shared;
        __shared__ u64 most;
        __syncthreads();
        if (threadIdx.x == 0) most = 0;
        if (threadIdx.x < 256) {
            u32 x = (u64)hash(threadIdx.x) * G.vertices >> 32;
            do x = S.link[x]; while (x < above);
            labels[threadIdx.x] = x;
        }
        __syncthreads();
        if (threadIdx.x < 256) {
            u32 votes = 0;
            for (u32 i = 0; i < 256; i++) votes += labels[i] == labels[threadIdx.x];
            if (labels[threadIdx.x] != ISOLATED && votes > 8) atomicMax(&most, (u64)votes << 32 | labels[threadIdx.x]);
        }
        __syncthreads();
        return most ? (u32)most : UNSET;
    }
    // The giant component of a new phase, or UNSET. It chooses nothing: the others link to it.
    __device__ u32 passive_giant() {
        u32 giant = find_giant(DONE);
        if (giant == UNSET) return UNSET;
        giant = base + (giant & ~DONE);
        if (blockIdx.x == 0 && threadIdx.x == 0) S.link[giant] = giant;
        return giant;
    }
    // Replaces each label in from..to by the final number that it leads to.
    __device__ void label_vertices(u32 from, u32 to) {
        for (u32 x = from + warp * 32 + lane; x < to; x += warps * 32) {
            u32 y = S.link[x];
            while (y < DONE) y = S.link[y];
            S.link[x] = y;
        }
    }

    __device__ void solve_rows() {
        begin();
        bool filtered = G.entries / 2 >= FILTER_FROM * (u64)G.vertices;
        u32 queue_counter = counter();
        finals = counter();
        u64 light = filtered ? light_rows() : 0;
        sync(CLEAR);
        if (filtered) {
            choose_by_group(light, queue_counter);
        } else {
            choose_by_lane(queue_counter);
        }
        sync(CHOOSE);
        u32 items = read(queue_counter);
        if (filtered && items) {
            light_of_long_rows(light, items);
            sync(LIGHT);
        }
        if (overflowed()) return;
        contract();
        if (filtered) {
            in_play = CROWD + 1; // the true number is not known; relabel is to look for a giant component
            relabel(list, false, false, false, false, 0);
        } else {
            gather_short_rows();
            if (items) gather_long_rows(items);
        }
        count_edges(filtered ? RELABEL : GATHER);
        for (bool first = filtered; !overflowed(); first = false) {
            rounds(first);
            if (!first) return;
            settle();
            u32 giant = passive_giant();
            queue_counter = counter();
            gather_outside(giant == UNSET ? UNSET : DONE | (giant - base), queue_counter);
            sync(GATHER);
            items = read(queue_counter);
            if (items) outside_long_rows(giant == UNSET ? UNSET : DONE | (giant - base), items);
            count_edges(GATHER);
        }
    }
    // Gives every vertex its final number of the phase, and starts the next phase.
    __device__ void settle() {
        label_vertices(G.vertices, base);
        sync(LABEL);
        label_vertices(0, G.vertices);
        restart();
    }
    __device__ u64 light_rows() {
        // If most rows are much shorter than the mean, the long rows join the graph with fewer
        // light edges.
        u32 v = (u64)hash(threadIdx.x) * G.vertices >> 32, mean = G.entries / G.vertices;
        bool skewed = __syncthreads_count((G.offsets[v + 1] - G.offsets[v]) * 3 < mean) > BLOCK / 2;
        float wanted = mean > 128 ? 2.5f : skewed ? 0.5f : 1.0f;
        return threshold(G.entries, wanted * (float)G.vertices / (float)(G.entries / 2), G.ids);
    }

    __device__ void solve_edges() {
        begin();
        bool filtered = G.edges >= FILTER_FROM * (u64)G.vertices;
        finals = counter();
        for (u32 i = warp * 32 + lane; i < G.vertices; i += warps * 32) {
            S.least[i] = ~0ull;
            if (K::wide) S.least_id[i] = ALL;
            S.link[i] = UNSET;
        }
        u64 light = filtered ? threshold(G.edges, (G.edges / G.vertices > 64 ? 2.5f : 1.0f) * (float)G.vertices / (float)G.edges, 0) : 0;
        sync(CLEAR);
        gather_edges(filtered, light);
        count_edges(GATHER);
        for (bool first = filtered; !overflowed(); first = false) {
            rounds(first);
            if (!first) return;
            settle();
            gather_edges_outside(passive_giant());
            count_edges(GATHER);
        }
    }
};


#define SOLVE(name, width, input)                                     \
    KERNEL __launch_bounds__(BLOCK, 2) name(const Args args) {        \
        __shared__ u64 memory[SHARED_WORDS];                          \
        Solver<width> solver(args, memory);                           \
        solver.solve_##input();                                       \
        solver.tell();                                                \
    }
SOLVE(rows_32, Narrow, rows)
SOLVE(rows_64, Wide, rows)
SOLVE(edges_32, Narrow, edges)
SOLVE(edges_64, Wide, edges)
