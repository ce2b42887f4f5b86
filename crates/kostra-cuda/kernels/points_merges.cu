// The merges of a spanning tree whose edges are in ascending order. src/points/merges/mod.rs
// explains the method and the arrays.

#include "common.cuh"

constexpr u32 THREADS = 256;
// The steps towards the root that a thread takes in one pass. Most paths are shorter.
constexpr u32 STEPS = 32;
// The indices of the flags that the host reads.
constexpr u32 UNFINISHED = 0;
constexpr u32 OUTSIDE = 1;

// ---- Contraction
// Vertices have one number over all levels. Those of a level are consecutive, from `first` on. The
// edges of a level are in ascending order, and `ids` has their places among all edges. On the first
// level, it is null.

__device__ __forceinline__ u32 id_of(const u32* ids, u64 i) { return ids ? ids[i] : (u32)i; }

KERNEL __launch_bounds__(THREADS) begin_level(u32 first, u32 count, u32* lightest, u32* above) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        lightest[first + i] = NONE;
        above[first + i] = (u32)(first + i);
    }
}

// Finds the lightest edge at each vertex of the level.
KERNEL __launch_bounds__(THREADS) find_lightest(const u32* u, const u32* v, const u32* ids,
                                                u32 edges, u32 first, u32 count, u32* lightest,
                                                u32* flags) {
    for (u64 i = first_index(); i < edges; i += index_stride()) {
        u32 a = u[i], b = v[i], id = id_of(ids, i);
        if (a - first >= count || b - first >= count) {
            flags[OUTSIDE] = 1;
            continue;
        }
        lower(&lightest[a], id);
        lower(&lightest[b], id);
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

KERNEL __launch_bounds__(THREADS) hook(const u32* u, const u32* v, const u32* ids, u32 edges,
                                       const u32* lightest, u32* above, u32* remains) {
    for (u64 i = first_index(); i < edges; i += index_stride())
        hook_edge(u[i], v[i], ids[i], lightest, above, &remains[i]);
}

// The same on the first level. An end that chooses an edge is one of the clusters that the edge
// merges. Begins each merge with these ends.
KERNEL __launch_bounds__(THREADS) hook_points(const u32* u, const u32* v, u32 edges,
                                              const u32* lightest, u32* above, u32* remains,
                                              u32* lower_clusters, u32* higher_clusters,
                                              u32* sizes) {
    for (u64 i = first_index(); i < edges; i += index_stride()) {
        u32 a = u[i], b = v[i];
        u32 chosen = hook_edge(a, b, (u32)i, lightest, above, &remains[i]);
        lower_clusters[i] = chosen == 0 ? NONE : chosen == 1 ? a : chosen == 2 ? b : min(a, b);
        higher_clusters[i] = chosen == 3 ? max(a, b) : 0;
        sizes[i] = __popc(chosen);
    }
}

// Shortens the paths to the roots, and marks the roots. `above` of others may change meanwhile, but
// only to a vertex that is nearer to the root.
KERNEL __launch_bounds__(THREADS) shortcut(u32 first, u32 count, u32* above, u32* is_root,
                                           u32* flags) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u32 vertex = (u32)(first + i), found = load(&above[vertex]), before = found;
        is_root[i] = found == vertex;
        bool at_root = false;
        for (u32 step = 0; step < STEPS && !at_root; step++) {
            u32 next = load(&above[found]);
            at_root = next == found;
            found = next;
        }
        if (!at_root) flags[UNFINISHED] = 1;
        if (found != before) above[vertex] = found;
    }
}

// Replaces the root of each vertex by the vertex of the next level. `numbers` has the numbers of
// the roots of the level.
KERNEL __launch_bounds__(THREADS) enter_next_level(u32 first, u32 count, const u32* numbers,
                                                   u32* above) {
    for (u64 i = first_index(); i < count; i += index_stride())
        above[first + i] = first + count + numbers[above[first + i] - first];
}

// Lists the edges that remain, and stores for each other edge the vertex that has absorbed it.
// `places` has the number of remaining edges before each edge.
KERNEL __launch_bounds__(THREADS) contract(const u32* u, const u32* v, const u32* ids, u32 edges,
                                           const u32* places, u32 remaining, const u32* above,
                                           u32* next_u, u32* next_v, u32* next_ids,
                                           u32* absorbed_by) {
    for (u64 i = first_index(); i < edges; i += index_stride()) {
        u32 place = places[i], after = i + 1 < edges ? places[i + 1] : remaining;
        u32 id = id_of(ids, i), a = above[u[i]];
        if (place == after) {
            absorbed_by[id] = a;
        } else {
            next_u[place] = a;
            next_v[place] = above[v[i]];
            next_ids[place] = id;
        }
    }
}

// ---- Chains
// A chain is named by a vertex above the first level, counted from the first one of these. It ends
// below the lightest edge at its vertex.

// Finds the chain of each edge: the lowest vertex around the edge whose lightest edge is later.
KERNEL __launch_bounds__(THREADS) find_chains(u32 edges, u32 points, const u32* absorbed_by,
                                              const u32* lightest, const u32* above, u64* chains,
                                              u32* ids) {
    for (u64 i = first_index(); i < edges; i += index_stride()) {
        u32 vertex = absorbed_by[i];
        while (lightest[vertex] < (u32)i) vertex = above[vertex];
        chains[i] = vertex - points;
        ids[i] = (u32)i;
    }
}

// Finds where each chain begins among the sorted edges. The last chain, which is the last vertex's,
// is followed by the number of edges.
KERNEL __launch_bounds__(THREADS) begin_chains(u32 edges, const u64* chains, u32* begins) {
    for (u64 i = first_index(); i < edges; i += index_stride()) {
        u64 chain = chains[i];
        if (i == 0 || chains[i - 1] != chain) begins[chain] = (u32)i;
        if (i + 1 == edges) begins[chain + 1] = edges;
    }
}

// ---- Sizes
// A level's chains are consecutive among the sorted edges: `count` edges from `first` on.

// Copies the number of points that each edge adds to its chain.
KERNEL __launch_bounds__(THREADS) list_sizes(u32 first, u32 count, const u32* ids, const u32* sizes,
                                             u32* added) {
    for (u64 i = first_index(); i < count; i += index_stride()) added[i] = sizes[ids[first + i]];
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
// the chain or the one above the chain. `before` has the sums of what earlier edges of the level
// add.
KERNEL __launch_bounds__(THREADS) finish_level(u32 first, u32 count, u32 points, const u64* chains,
                                               const u32* ids, const u32* begins,
                                               const u32* lightest, const u32* before, u32* sizes,
                                               u32* lower_clusters, u32* higher_clusters) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u32 place = (u32)(first + i), id = ids[place], chain = (u32)chains[place];
        u32 size = sizes[id] + before[i] - before[begins[chain] - first];
        sizes[id] = size;
        bool is_last = place + 1 == begins[chain + 1];
        u32 next = is_last ? lightest[points + chain] : ids[place + 1];
        if (next == NONE) continue;
        if (is_last) atomicAdd(&sizes[next], size);
        add_cluster(points + id, next, points, lower_clusters, higher_clusters);
    }
}
