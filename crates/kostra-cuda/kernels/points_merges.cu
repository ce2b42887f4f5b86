// The merges of a spanning tree whose edges are in ascending order. src/points/merges/mod.rs
// explains the method and the arrays.

#include "common.cuh"

constexpr u32 THREADS = 256;
// The steps towards the root that a thread takes in one pass. Most paths are shorter.
constexpr u32 STEPS = 32;
// The indices of the flags that the host reads.
constexpr u32 UNFINISHED = 0;
constexpr u32 OUTSIDE = 1;

// The argument of all kernels. src/points/merges declares the same struct and fills it.
struct Arguments {
    // The edges of a level, and of the next one. In chains, `ids` has the sorted edges.
    const u32 *u, *v;
    u32 *ids, *next_u, *next_v, *next_ids;
    // For each vertex: its lightest edge, and the vertex above it.
    u32 *lightest, *above;
    // For each vertex of a level, whether it is a root; then its number among the roots.
    u32* roots;
    // For each edge of a level, whether it remains; then the number of such edges before it.
    u32* places;
    u32 *flags, *absorbed_by;
    u64* chains;
    u32 *begins, *sums;
    // The merges.
    u32 *sizes, *lower_clusters, *higher_clusters;
    u32 edges, first, count, remaining, points;
};

// ---- Contraction
// Vertices have one number over all levels. Those of a level are consecutive, from `first` on. The
// edges of a level are in ascending order, and `ids` has their places among all edges. On the first
// level, it is null.

__device__ __forceinline__ u32 id_of(const u32* ids, u64 i) { return ids ? ids[i] : (u32)i; }

KERNEL __launch_bounds__(THREADS) begin_level(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        args.lightest[args.first + i] = NONE;
        args.above[args.first + i] = (u32)(args.first + i);
    }
}

// Finds the lightest edge at each vertex of the level.
KERNEL __launch_bounds__(THREADS) find_lightest(const Arguments args) {
    for (u64 i = first_index(); i < args.edges; i += index_stride()) {
        u32 a = args.u[i], b = args.v[i], id = id_of(args.ids, i);
        if (a - args.first >= args.count || b - args.first >= args.count) {
            args.flags[OUTSIDE] = 1;
            continue;
        }
        lower(&args.lightest[a], id);
        lower(&args.lightest[b], id);
    }
}

// Hooks each vertex to the other end of its lightest edge. The lower end of an edge that both ends
// choose is a root. Marks the edges that no end chooses: they remain.
__device__ __forceinline__ u32 hook_edge(u32 a, u32 b, u32 id, const u32* lightest, u32* above,
                                         u32* remains) {
    bool of_a = lightest[a] == id, of_b = lightest[b] == id;
    if (of_a) above[a] = of_b ? min(a, b) : b;
    if (of_b) above[b] = of_a ? min(a, b) : a;
    *remains = !of_a && !of_b;
    return (u32)of_a | (u32)of_b << 1;
}

KERNEL __launch_bounds__(THREADS) hook(const Arguments args) {
    for (u64 i = first_index(); i < args.edges; i += index_stride())
        hook_edge(args.u[i], args.v[i], args.ids[i], args.lightest, args.above, &args.places[i]);
}

// The same on the first level. An end that chooses an edge is one of the clusters that the edge
// merges. Begins each merge with these ends.
KERNEL __launch_bounds__(THREADS) hook_points(const Arguments args) {
    for (u64 i = first_index(); i < args.edges; i += index_stride()) {
        u32 a = args.u[i], b = args.v[i];
        u32 chosen = hook_edge(a, b, (u32)i, args.lightest, args.above, &args.places[i]);
        args.lower_clusters[i] = chosen == 0 ? NONE : chosen == 1 ? a : chosen == 2 ? b : min(a, b);
        args.higher_clusters[i] = chosen == 3 ? max(a, b) : 0;
        args.sizes[i] = __popc(chosen);
    }
}

// Shortens the paths to the roots, and marks the roots. `above` of others may change meanwhile, but
// only to a vertex that is nearer to the root.
KERNEL __launch_bounds__(THREADS) shortcut(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u32 vertex = (u32)(args.first + i), found = load(&args.above[vertex]), before = found;
        args.roots[i] = found == vertex;
        bool at_root = false;
        for (u32 step = 0; step < STEPS && !at_root; step++) {
            u32 next = load(&args.above[found]);
            at_root = next == found;
            found = next;
        }
        if (!at_root) args.flags[UNFINISHED] = 1;
        if (found != before) args.above[vertex] = found;
    }
}

// Replaces the root of each vertex by the vertex of the next level. `roots` has the numbers of
// the roots of the level.
KERNEL __launch_bounds__(THREADS) enter_next_level(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride())
        args.above[args.first + i] =
            args.first + args.count + args.roots[args.above[args.first + i] - args.first];
}

// Lists the edges that remain, and stores for each other edge the vertex that has absorbed it.
// `places` has the number of remaining edges before each edge.
KERNEL __launch_bounds__(THREADS) contract(const Arguments args) {
    for (u64 i = first_index(); i < args.edges; i += index_stride()) {
        u32 place = args.places[i],
            after = i + 1 < args.edges ? args.places[i + 1] : args.remaining;
        u32 id = id_of(args.ids, i), a = args.above[args.u[i]];
        if (place == after) {
            args.absorbed_by[id] = a;
        } else {
            args.next_u[place] = a;
            args.next_v[place] = args.above[args.v[i]];
            args.next_ids[place] = id;
        }
    }
}

// ---- Chains
// A chain is named by a vertex above the first level, counted from the first one of these. It ends
// below the lightest edge at its vertex.

// Finds the chain of each edge: the lowest vertex around the edge whose lightest edge is later.
KERNEL __launch_bounds__(THREADS) find_chains(const Arguments args) {
    for (u64 i = first_index(); i < args.edges; i += index_stride()) {
        u32 vertex = args.absorbed_by[i];
        while (args.lightest[vertex] < (u32)i) vertex = args.above[vertex];
        args.chains[i] = vertex - args.points;
        args.ids[i] = (u32)i;
    }
}

// Finds where each chain begins among the sorted edges. The last chain, which is the last vertex's,
// is followed by the number of edges.
KERNEL __launch_bounds__(THREADS) begin_chains(const Arguments args) {
    for (u64 i = first_index(); i < args.edges; i += index_stride()) {
        u64 chain = args.chains[i];
        if (i == 0 || args.chains[i - 1] != chain) args.begins[chain] = (u32)i;
        if (i + 1 == args.edges) args.begins[chain + 1] = args.edges;
    }
}

// ---- Sizes
// A level's chains are consecutive among the sorted edges: `count` edges from `first` on.

// Copies the number of points that each edge adds to its chain.
KERNEL __launch_bounds__(THREADS) list_sizes(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride())
        args.sums[i] = args.sizes[args.ids[args.first + i]];
}

// Adds a cluster to a merge. A merge with a point lacks one cluster, and a merge without a point
// lacks two.
__device__ __forceinline__ void add_cluster(u32 cluster, u32 merge, u32 points, u32* lower_clusters,
                                            u32* higher_clusters) {
    if (load(&lower_clusters[merge]) < points) {
        higher_clusters[merge] = cluster;
    } else {
        atomicMin(&lower_clusters[merge], cluster);
        atomicMax(&higher_clusters[merge], cluster);
    }
}

// Completes the sizes of a level, and adds each merge's cluster to the next merge: the next one of
// the chain or the one above the chain. `sums` has the sums of what earlier edges of the level
// add.
KERNEL __launch_bounds__(THREADS) finish_level(const Arguments args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u32 place = (u32)(args.first + i), id = args.ids[place], chain = (u32)args.chains[place];
        u32 size = args.sizes[id] + args.sums[i] - args.sums[args.begins[chain] - args.first];
        args.sizes[id] = size;
        bool is_last = place + 1 == args.begins[chain + 1];
        u32 next = is_last ? args.lightest[args.points + chain] : args.ids[place + 1];
        if (next == NONE) continue;
        if (is_last) atomicAdd(&args.sizes[next], size);
        add_cluster(args.points + id, next, args.points, args.lower_clusters, args.higher_clusters);
    }
}
