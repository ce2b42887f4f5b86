// Borůvka's algorithm with merges in transactions.
//
// Source: Manoochehri 2017, chapter 3. Edge discovery (Algorithm 3.2) is discover_edges,
// suggest_ids and choose_edges. The merge phase (Algorithm 3.4) is merge_in_transactions, or hook,
// which does without transactions. Flattening and pruning (3.1.3) are flatten and prune.
//
// The rows of the graph are `first_edge`, and the `neighbors`, `keys` and `ids` of their entries. A
// pruned entry has the neighbor NONE. The value of a vertex in `components` is its parent in the
// tree of its component. Outside of the merge phase, trees are flat: the parent is the root. The
// suggestion of a vertex is the entry of its lightest edge, or NONE after it has been deactivated.

#include "common.cuh"
#include "stm.cuh"
#include "warp_rows.cuh"

// Threads of a block: several blocks fit on a multiprocessor. src/boruvka_stm reads the constants.
constexpr u32 THREADS = 256;
// Blocks of edge discovery on a multiprocessor. With more of them, a thread has too few registers.
constexpr u32 DISCOVERY_BLOCKS = 6;
// The most vertices in a transaction: the room for the log of a thread.
constexpr u32 CAPACITY = 32;

// The places of `counters`, which has five.
constexpr u32 REMAINING = 0; // entries that are not pruned
constexpr u32 STARTED = 1;   // attempts of transactions
constexpr u32 COMMITTED = 2;
constexpr u32 ABORTED = 3;  // conflicts
constexpr u32 EXCEEDED = 4; // more than the allowed number of vertices

constexpr u32 WARPS = THREADS / WARP;

// The argument of all kernels. src/boruvka_stm declares the same struct and fills it. Only kernels
// with keys know their type.
template <typename K>
struct Arguments {
    const u32* first_edge;
    u32* neighbors;
    const K* keys;
    const u32* ids;
    // Arrays with an element for each vertex.
    Tracked* components;
    u32* suggestions;
    u64* slots;
    u32 *slot_ids, *chosen;
    u32 *changed, *forest;
    u64* counters;
    u32 vertices, longest;
};

// ---- The suggestions to a component
// With 32-bit keys, the slot of a root has the rank of the lightest edge. With 64-bit keys, it has
// the key, and `slot_ids` has the lowest id among the edges of this key. Clear slots have all bits.

__device__ void suggest(u64* slots, u32 root, u32 key, u32 id) {
    lower(&slots[root], rank_of(key, id));
}
__device__ void suggest(u64* slots, u32 root, u64 key, u32) { lower(&slots[root], key); }

__device__ bool is_lightest(const u64* slots, const u32*, u32 root, u32 key, u32 id) {
    return slots[root] == rank_of(key, id);
}
__device__ bool is_lightest(const u64* slots, const u32* slot_ids, u32 root, u64 key, u32 id) {
    return slots[root] == key && slot_ids[root] == id;
}

// ---- Preparation

// Makes each vertex a component, which is active and which no transaction has marked.
KERNEL __launch_bounds__(THREADS) make_components(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    args.components[vertex] = Tracked{LOWEST, (u32)vertex};
    args.suggestions[vertex] = 0;
}

// ---- Edge discovery

// The candidates of a chunk and the suggestions of the vertices of a warp.
template <typename K>
struct Suggestions {
    // The keys of the chunk that is being reduced.
    K chunk_keys[WARP];
    // The lightest entry of each vertex in all chunks so far, and its key.
    u32 entries[WARP];
    K keys[WARP];

    // Whether the chunk's entry `a` is lighter than `b`. Ids are read only if the keys are equal.
    __device__ bool lighter(const u32* chunk_ids, u32 a, u32 b) const {
        if (chunk_keys[a] != chunk_keys[b]) return chunk_keys[a] < chunk_keys[b];
        return chunk_ids[a] < chunk_ids[b];
    }
};

// Algorithm 3.2. Each active vertex suggests its lightest edge to its root.
template <typename K>
__device__ void discover_edges(const Arguments<K>& args) {
    __shared__ WarpRows rows_of_warps[WARPS];
    __shared__ Suggestions<K> suggestions_of_warps[WARPS];
    u32 lane = threadIdx.x % WARP;
    u64 vertex = first_index(), first_vertex = vertex - lane;
    bool active = vertex < args.vertices && args.suggestions[vertex] != NONE;
    u32 active_lanes = __ballot_sync(ALL_LANES, active);
    if (active_lanes == 0) return;
    WarpRows& rows = rows_of_warps[threadIdx.x / WARP];
    Suggestions<K>& found = suggestions_of_warps[threadIdx.x / WARP];
    found.entries[lane] = NONE;
    rows.take(args.first_edge, args.vertices, first_vertex, lane);
    u64 end = rows.starts[WARP];
    for (u64 chunk = rows.starts[0]; chunk < end; chunk += WARP) {
        u64 entry = chunk + lane;
        bool valid = entry < end;
        u32 owner = valid ? rows.owner(entry) : 0;
        bool candidate = valid && (active_lanes >> owner & 1) && args.neighbors[entry] != NONE;
        found.chunk_keys[lane] = candidate ? args.keys[entry] : 0;
        __syncwarp(); // the keys of all lanes are stored before any lane reads them
        // The segmented reduction: `best` is the lane of the lightest entry among those from this
        // lane on, in this lane's row. WARP stands for none.
        u64 last = valid ? rows.starts[owner + 1] - 1 - chunk : 0;
        u32 best = candidate ? lane : WARP;
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            u32 other = __shfl_down_sync(ALL_LANES, best, distance);
            bool in_row = lane + distance <= last && lane + distance < WARP && other < WARP;
            if (in_row && (best == WARP || found.lighter(args.ids + chunk, other, best)))
                best = other;
        }
        bool first_in_segment = lane == 0 || rows.starts[owner] == entry;
        if (valid && first_in_segment && best < WARP) {
            K key = found.chunk_keys[best];
            u32 old = found.entries[owner];
            bool lighter = old == NONE || key < found.keys[owner] ||
                           (key == found.keys[owner] && args.ids[chunk + best] < args.ids[old]);
            if (lighter) {
                found.entries[owner] = (u32)(chunk + best);
                found.keys[owner] = key;
            }
        }
        __syncwarp(); // all lanes have read the keys before the next chunk replaces them
    }
    if (!active) return;
    u32 entry = found.entries[lane];
    args.suggestions[vertex] = entry;
    if (entry != NONE)
        suggest(args.slots, args.components[vertex].value, found.keys[lane], args.ids[entry]);
}

// With 64-bit keys, finds the lowest id among the suggested edges that have the least key.
KERNEL __launch_bounds__(THREADS) suggest_ids_64(const Arguments<u64> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 entry = args.suggestions[vertex], root = args.components[vertex].value;
    if (entry != NONE && args.keys[entry] == args.slots[root])
        lower(&args.slot_ids[root], args.ids[entry]);
}

// Stores the entry of each component's lightest edge at its root. Only one of the edge's two
// entries is in a row of this component.
template <typename K>
__device__ void choose_edges(const Arguments<K>& args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 entry = args.suggestions[vertex], root = args.components[vertex].value;
    if (entry == NONE) return;
    if (is_lightest(args.slots, args.slot_ids, root, args.keys[entry], args.ids[entry]))
        args.chosen[root] = entry;
}

// ---- Merge phase

// What a thread has done.
struct Tally {
    u32 started, committed, aborted, exceeded;
};

// The loop of Algorithm 3.4 for one root: links it to the root of the component that has `vertex`,
// unless that component has been linked to this one. Returns whether it merged. Only this thread
// changes the parent of its root, so the root is still one.
__device__ bool merge(Transaction<CAPACITY>& transaction, u32 own_root, u32 vertex, Tally* tally) {
    for (;;) {
        tally->started++;
        transaction.begin();
        // find(vertexID) of the source.
        u32 own_slot, slot;
        Access access = transaction.open(own_root, &own_slot);
        // union(rootVertex): finds the root of the other component.
        u32 root = vertex;
        while (access == Access::DONE) {
            u32 known = transaction.size;
            access = transaction.open(root, &slot);
            if (access != Access::DONE || transaction.values[slot] == root) break;
            if (transaction.size == known) break; // a cycle, which only a doomed transaction sees
            root = transaction.values[slot];
        }
        if (access == Access::FULL) {
            // A parent stays in the component for ever, so the search goes on where it ended.
            transaction.rollback();
            tally->exceeded++;
            vertex = root;
            continue;
        }
        if (access == Access::DONE) {
            if (root == own_root) {
                transaction.rollback();
                return false;
            }
            // The own root and all vertices on the path get the root at the end of the path.
            for (u32 i = own_slot; i < slot; i++) transaction.write(i, root);
            if (transaction.commit()) {
                tally->committed++;
                return true;
            }
        }
        tally->aborted++;
        transaction.wait_for_winner();
    }
}

// Algorithm 3.4. Each root merges its component along its chosen edge, unless the other component
// has chosen the same edge and merged before.
KERNEL __launch_bounds__(THREADS) merge_in_transactions(const Arguments<void> args) {
    Transaction<CAPACITY> transaction(args.components, (u32)first_index(), args.longest);
    Tally tally = {0, 0, 0, 0};
    for (u64 vertex = first_index(); vertex < args.vertices; vertex += index_stride()) {
        u32 edge = args.chosen[vertex];
        if (edge == NONE) continue;
        if (merge(transaction, (u32)vertex, args.neighbors[edge], &tally))
            insert(args.forest, args.ids[edge]);
    }
    count_in_block(tally.started, &args.counters[STARTED]);
    count_in_block(tally.committed, &args.counters[COMMITTED]);
    count_in_block(tally.aborted, &args.counters[ABORTED]);
    count_in_block(tally.exceeded, &args.counters[EXCEEDED]);
}

// The root of a vertex, without transactions. Halves the path: a vertex on it gets its grandparent.
// Another thread may have stored a nearer or a farther ancestor meanwhile; each one is right.
__device__ u32 find_halving(Tracked* components, u32 vertex) {
    for (;;) {
        u32 parent = load(&components[vertex].value);
        if (parent == vertex) return vertex;
        u32 grandparent = load(&components[parent].value);
        if (grandparent == parent) return parent;
        store(&components[vertex].value, grandparent);
        vertex = grandparent;
    }
}

// The merge phase without transactions: one compare-and-swap hooks the higher root to the lower
// one. So parents decrease, and no cycle closes.
KERNEL __launch_bounds__(THREADS) hook(const Arguments<void> args) {
    Tally tally = {0, 0, 0, 0};
    for (u64 vertex = first_index(); vertex < args.vertices; vertex += index_stride()) {
        u32 edge = args.chosen[vertex];
        if (edge == NONE) continue;
        u32 u = (u32)vertex, v = args.neighbors[edge];
        for (;;) {
            tally.started++;
            u = find_halving(args.components, u);
            v = find_halving(args.components, v);
            if (u == v) break;
            u32 high = u > v ? u : v, low = u > v ? v : u;
            if (atomicCAS(&args.components[high].value, high, low) == high) {
                tally.committed++;
                insert(args.forest, args.ids[edge]);
                break;
            }
            tally.aborted++;
        }
    }
    count_in_block(tally.started, &args.counters[STARTED]);
    count_in_block(tally.committed, &args.counters[COMMITTED]);
    count_in_block(tally.aborted, &args.counters[ABORTED]);
}

// ---- Flattening and pruning

// One level of pointer doubling. If another thread changes the parent's parent meanwhile, the new
// one is nearer to the root. Both are correct.
KERNEL __launch_bounds__(THREADS) flatten(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 parent = args.components[vertex].value, grandparent = load(&args.components[parent].value);
    if (parent == grandparent) return;
    store(&args.components[vertex].value, grandparent);
    *args.changed = 1;
}

// Removes the entries of active vertices that lead into their own component, and counts the others.
// Trees are flat.
KERNEL __launch_bounds__(THREADS) prune(const Arguments<void> args) {
    __shared__ WarpRows rows_of_warps[WARPS];
    __shared__ u32 roots_of_warps[WARPS][WARP];
    u32 lane = threadIdx.x % WARP, remaining = 0;
    u64 vertex = first_index(), first_vertex = vertex - lane;
    bool active = vertex < args.vertices && args.suggestions[vertex] != NONE;
    u32 active_lanes = __ballot_sync(ALL_LANES, active);
    WarpRows& rows = rows_of_warps[threadIdx.x / WARP];
    u32* roots = roots_of_warps[threadIdx.x / WARP];
    if (active_lanes != 0) {
        roots[lane] = active ? args.components[vertex].value : NONE;
        rows.take(args.first_edge, args.vertices, first_vertex, lane);
        for (u64 entry = rows.starts[0] + lane; entry < rows.starts[WARP]; entry += WARP) {
            u32 owner = rows.owner(entry);
            if (!(active_lanes >> owner & 1)) continue;
            u32 neighbor = args.neighbors[entry];
            if (neighbor == NONE) continue;
            if (args.components[neighbor].value == roots[owner]) {
                args.neighbors[entry] = NONE;
            } else {
                remaining++;
            }
        }
    }
    count_in_block(remaining, &args.counters[REMAINING]);
}

// Kernels for keys of 32 and of 64 bits. src/boruvka_stm loads them.
#define KERNELS(BITS)                                                                      \
    KERNEL __launch_bounds__(THREADS, DISCOVERY_BLOCKS)                                    \
        discover_edges_##BITS(const Arguments<u##BITS> args) {                             \
        discover_edges(args);                                                              \
    }                                                                                      \
    KERNEL __launch_bounds__(THREADS) choose_edges_##BITS(const Arguments<u##BITS> args) { \
        choose_edges(args);                                                                \
    }

KERNELS(32)
KERNELS(64)
