// PMA: Partial Prim with one thread per processor, and the unification of the trees.
//
// Source: Nobari 2012, Algorithms 2 to 5 and section 5. The arrays have its names. The rows of a
// graph are `first_edge`, and the `from`, `neighbors`, `keys` and `ids` of their entries.
//
// Threads share only these words during Partial Prim:
//
// * `successor`: a word changes once, from NONE to the root of the tree that claims the vertex, and
//   only by atomicCAS. Atomic operations on one word have one order, which all threads agree on, so
//   exactly one tree claims a vertex. `load` reads a word by a volatile access. It may return NONE
//   when the vertex is claimed already. Such a vertex is in another tree, because a thread sees its
//   own claims. The atomicCAS that follows then fails and returns the root.
// * `forest` and `counters`, which change only by atomic additions and atomic ors.
//
// No thread reads a word that another thread has written because of what it found in a third one.
// So no fence is needed. A row, `touched[root]` and a list are used by one thread only. The end of
// a kernel makes all of them visible to the next kernel.
//
// No thread waits for another one. So the kernel does not rely on the order in which threads of a
// warp or blocks of a grid run.

#include "common.cuh"
#include "kernel_1024.cuh"
#include "pma_block.cuh"
#include "pma_tree.cuh"

// Indices of `counters`. src/pma reads them.
constexpr u32 TREES = 0;
constexpr u32 TOUCHES = 1;
constexpr u32 MUTUAL_TOUCHES = 2;

// Threads of a block of Partial Prim: a few thousand processors are spread over all
// multiprocessors. src/pma reads it.
constexpr u32 BLOCK_PROCESSORS = 64;
// Blocks of Partial Prim that a multiprocessor holds at least. With more, registers spill.
constexpr u32 LEAST_BLOCKS = 16;

// The argument of all kernels. src/pma declares the same struct and fills it. Only kernels with
// keys know their type.
template <typename K>
struct Arguments {
    // The graph of the iteration.
    const u32 *first_edge, *from;
    u32* neighbors;
    K* keys;
    u32* ids;
    // The unified graph, or the graph without parallel edges.
    u32 *new_first_edge, *new_from, *new_neighbors;
    K* new_keys;
    u32* new_ids;
    // Arrays with a word for each vertex. First `successor` has the root of the vertex's tree,
    // later of its component.
    u32 *successor, *touched, *lists, *degree, *new_vertex, *number, *shift, *next_edge;
    // For each entry, and the end of the last one, the number of entries before it that are kept.
    u32* before;
    u32 *forest, *counters;
    u32 vertices, entries, processors, gamma;
};

// The lightest outgoing edge of a tree, or NONE. An edge in the list that has become internal still
// bounds the outgoing edges of its vertex from below, because the tree only grows. So it is
// replaced only if it would be the lightest.
template <typename Search, typename K>
__device__ __forceinline__ u32 lightest_edge(Tree<K>& tree) {
    Lightest<K> lightest;
    u32 index = 0;
    while (index < tree.listed) {
        u32 entry = tree.place(index);
        if (lightest.is_after(tree.graph, entry)) {
            if (tree.has(tree.graph.neighbors[entry])) {
                entry = Search::next(tree, entry);
                // The vertex has no outgoing edge any more. The last one of the list replaces it.
                if (entry == NONE) entry = tree.place(--tree.listed);
                // The new entry may precede the lightest one or not.
                tree.place(index) = entry;
                continue;
            }
            lightest.take(tree.graph, entry);
        }
        index++;
    }
    return lightest.entry;
}

// Algorithm 2 from line 5 on. Returns the root of the tree that this tree touched, or NONE.
template <typename Search, typename K>
__device__ __forceinline__ u32 grow(Tree<K>& tree, u32 gamma, u32* forest) {
    u32 newest = tree.root;
    tree.listed = 0;
    for (u32 size = 1; size < gamma; size++) {
        u32 entry = Search::first(tree, newest);
        if (entry != NONE) tree.place(tree.listed++) = entry;
        entry = lightest_edge<Search>(tree);
        if (entry == NONE) return NONE;
        insert(forest, tree.graph.ids[entry]);
        newest = tree.graph.neighbors[entry];
        u32 claimed_by = atomicCAS(&tree.successor[newest], NONE, tree.root);
        if (claimed_by != NONE) return claimed_by;
    }
    return NONE;
}

// Algorithm 2. Each processor starts trees at the vertices of its own partition. `lists` has
// `gamma` words for each processor, or a word for each vertex if there is one processor.
template <typename Search, typename K>
__device__ void partial_prim(const Arguments<K>& args) {
    Graph<K> graph = {args.first_edge, args.from, args.neighbors, args.keys, args.ids};
    u64 processor = first_index();
    if (processor >= args.processors) return;
    u32 begin = (u32)(processor * args.vertices / args.processors),
        end = (u32)((processor + 1) * args.vertices / args.processors), trees = 0, touches = 0;
    for (u32 root = begin; root < end; root++) {
        if (load(&args.successor[root]) != NONE) continue;
        if (atomicCAS(&args.successor[root], NONE, root) != NONE) continue;
        Tree<K> tree = {graph, args.successor, args.lists + processor, args.processors, root, 0};
        u32 other = grow<Search>(tree, args.gamma, args.forest);
        args.touched[root] = other;
        trees++;
        touches += other != NONE;
    }
    if (trees > 0) atomicAdd(&args.counters[TREES], trees);
    if (touches > 0) atomicAdd(&args.counters[TOUCHES], touches);
}

// The same with a block for each processor, whose threads search rows together.
template <typename Search, typename K>
__device__ void partial_prim_by_block(const Arguments<K>& args) {
    __shared__ bool claimed;
    Graph<K> graph = {args.first_edge, args.from, args.neighbors, args.keys, args.ids};
    u64 processor = blockIdx.x;
    u32 begin = (u32)(processor * args.vertices / args.processors),
        end = (u32)((processor + 1) * args.vertices / args.processors), trees = 0, touches = 0;
    for (u32 root = begin; root < end; root++) {
        if (threadIdx.x == 0) {
            claimed = load(&args.successor[root]) == NONE &&
                      atomicCAS(&args.successor[root], NONE, root) == NONE;
        }
        __syncthreads();
        if (claimed) {
            Tree<K> tree = {graph, args.successor, args.lists + processor, args.processors,
                            root,  0};
            u32 other = grow_by_block<Search>(tree, args.gamma, args.forest);
            if (threadIdx.x == 0) args.touched[root] = other;
            trees++;
            touches += other != NONE;
        }
        __syncthreads(); // thread 0 changes `claimed` again
    }
    if (threadIdx.x > 0) return;
    if (trees > 0) atomicAdd(&args.counters[TREES], trees);
    if (touches > 0) atomicAdd(&args.counters[TOUCHES], touches);
}

// Lets the root of each tree follow the root of the tree that it touched. Two trees that touched
// each other would form a cycle: the lower root stays one. A thread reads only its own word of
// `successor`, and `touched` does not change.
KERNEL_1024 link_trees(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices || args.successor[vertex] != vertex) return;
    u32 other = args.touched[vertex];
    if (other == NONE) return;
    if (args.touched[other] == vertex && vertex < other) {
        atomicAdd(&args.counters[MUTUAL_TOUCHES], 1);
        return;
    }
    args.successor[vertex] = other;
}

// Algorithm 5, line 4. Flags the entries that are no self-loops of the new graph. The flag after
// the last entry is 0.
KERNEL_1024 flag_outgoing(const Arguments<void> args) {
    u64 entry = first_index();
    if (entry > args.entries) return;
    args.before[entry] = entry < args.entries &&
                         args.successor[args.from[entry]] != args.successor[args.neighbors[entry]];
}

// Counts the flagged entries of each component, at its root. `before` has the number of flagged
// entries before each entry.
KERNEL_1024 count_outgoing(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 count = args.before[args.first_edge[vertex + 1]] - args.before[args.first_edge[vertex]];
    if (count > 0) atomicAdd(&args.degree[args.successor[vertex]], count);
}

// Algorithm 5, line 2. Flags the roots whose component has edges: vertices of degree 0 are dropped
// (5.4).
KERNEL_1024 flag_new_vertices(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex < args.vertices)
        args.new_vertex[vertex] = args.successor[vertex] == vertex && args.degree[vertex] > 0;
}

// Moves the degrees of the new vertices to their new indices.
KERNEL_1024 take_degrees(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices || args.successor[vertex] != vertex || args.degree[vertex] == 0)
        return;
    args.new_first_edge[args.new_vertex[vertex]] = args.degree[vertex];
}

// Reserves a part of the new row for the flagged entries of each vertex that has some. `number`
// gets the vertex's index in the new graph, and `shift` the distance from the number of flagged
// entries before an entry to its new place, modulo 2^32.
KERNEL_1024 reserve_places(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    u32 start = args.before[args.first_edge[vertex]],
        count = args.before[args.first_edge[vertex + 1]] - start;
    if (count == 0) return;
    u32 new_number = args.new_vertex[args.successor[vertex]];
    args.number[vertex] = new_number;
    args.shift[vertex] = atomicAdd(&args.next_edge[new_number], count) - start;
}

// Algorithm 5, line 3. Moves the flagged entries to the new rows, with their new ends. The other
// end of an entry has a number, too, because its row has an entry for the same edge.
template <typename K>
__device__ void update_edges(const Arguments<K>& args) {
    u64 entry = first_index();
    if (entry >= args.entries || args.before[entry] == args.before[entry + 1]) return;
    u32 vertex = args.from[entry], place = args.before[entry] + args.shift[vertex];
    args.new_from[place] = args.number[vertex];
    args.new_neighbors[place] = args.number[args.neighbors[entry]];
    args.new_keys[place] = args.keys[entry];
    args.new_ids[place] = args.ids[entry];
}

// Flags the first of the parallel edges between two vertices, which is the lightest. The entries of
// each row are sorted by neighbor and rank. The flag after the last entry is 0.
KERNEL_1024 flag_lightest(const Arguments<void> args) {
    u64 entry = first_index();
    if (entry > args.entries) return;
    args.before[entry] =
        entry < args.entries && (entry == 0 || args.from[entry] != args.from[entry - 1] ||
                                 args.neighbors[entry] != args.neighbors[entry - 1]);
}

// Keeps the flagged entries. `before` has the number of flagged entries before each entry.
template <typename K>
__device__ void compact(const Arguments<K>& args) {
    u64 entry = first_index();
    if (entry >= args.entries || args.before[entry] == args.before[entry + 1]) return;
    u32 place = args.before[entry];
    args.new_from[place] = args.from[entry];
    args.new_neighbors[place] = args.neighbors[entry];
    args.new_keys[place] = args.keys[entry];
    args.new_ids[place] = args.ids[entry];
}

// Moves the starts of the rows, and the end of the last one, to where the entries are now.
KERNEL_1024 compact_rows(const Arguments<void> args) {
    u64 vertex = first_index();
    if (vertex <= args.vertices) args.new_first_edge[vertex] = args.before[args.first_edge[vertex]];
}

// Kernels for keys of 32 and of 64 bits. src/pma loads them.
#define KERNELS(BITS)                                                                      \
    KERNEL __launch_bounds__(BLOCK_PROCESSORS, LEAST_BLOCKS)                               \
        partial_prim_min_##BITS(const Arguments<u##BITS> args) {                           \
        partial_prim<MinSearch>(args);                                                     \
    }                                                                                      \
    KERNEL __launch_bounds__(BLOCK_PROCESSORS, LEAST_BLOCKS)                               \
        partial_prim_sort_##BITS(const Arguments<u##BITS> args) {                          \
        partial_prim<SortSearch>(args);                                                    \
    }                                                                                      \
    KERNEL __launch_bounds__(SEARCH_THREADS)                                               \
        partial_prim_min_by_block_##BITS(const Arguments<u##BITS> args) {                  \
        partial_prim_by_block<MinSearchByBlock>(args);                                     \
    }                                                                                      \
    KERNEL __launch_bounds__(SEARCH_THREADS)                                               \
        partial_prim_sort_by_block_##BITS(const Arguments<u##BITS> args) {                 \
        partial_prim_by_block<SortSearchByBlock>(args);                                    \
    }                                                                                      \
    KERNEL_1024 update_edges_##BITS(const Arguments<u##BITS> args) { update_edges(args); } \
    KERNEL_1024 compact_##BITS(const Arguments<u##BITS> args) { compact(args); }

KERNELS(32)
KERNELS(64)
