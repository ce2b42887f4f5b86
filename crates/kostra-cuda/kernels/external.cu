// Forests of graphs whose edges arrive in blocks: the filter of a block, the list of a forest's
// edges, and the levels of vertices. src/external/ explains the steps.

#include "members.cuh"

// Edges that are copied to the device at once, one array behind the other.
constexpr u32 PORTION = 1 << 17;
// Threads of the only block of place_lines and find_center.
constexpr u32 BLOCK = 1024;
// The number of levels of vertices in the component of the center.
constexpr u32 LEVELS = 7;
// The level of all other vertices.
constexpr u32 OUTSIDE = 7;

// The arrays of the portion of a chunk that has edge i.
template <typename Weight>
struct Portion {
    const u32* u;
    const u32* v;
    const Weight* weights;

    __device__ __forceinline__ Portion(const unsigned char* chunk, u64 i) {
        const unsigned char* start = chunk + i / PORTION * PORTION * (8 + sizeof(Weight));
        u = (const u32*)start;
        v = u + PORTION;
        weights = (const Weight*)(v + PORTION);
    }
};

// Writes the set of the edges of a chunk that may be in the forest, and the number of members in
// each line. An edge is not in the forest if edges up to its key join both its ends to the center.
template <typename Weight>
__device__ __forceinline__ void filter(const unsigned char* chunk, u32 count, u32 kind, u32 flip,
                                       const unsigned char* levels, const u64* pivots, u32* words,
                                       u32* members) {
    __shared__ u64 pivot[LEVELS];
    if (threadIdx.x < LEVELS) pivot[threadIdx.x] = pivots[threadIdx.x];
    __syncthreads();
    u32 lane = threadIdx.x % 32;
    u32 lines = (count + LINE - 1) / LINE;
    for (u64 line = first_index() / 32; line < lines; line += index_stride() / 32) {
        Portion<Weight> edges(chunk, line * LINE);
        u32 first = line * LINE % PORTION, rest = count - (u32)line * LINE, mine = 0;
#pragma unroll 8
        for (u32 j = 0; j < LINE / 32; j++) {
            u32 i = 32 * j + lane;
            bool keeps = false;
            if (i < rest) {
                u32 u = edges.u[first + i], v = edges.v[first + i];
                u64 key = key_of(edges.weights[first + i], kind, flip);
                u32 level = max(levels[u], levels[v]);
                keeps = u != v && (level >= OUTSIDE || key < pivot[level]);
            }
            u32 word = __ballot_sync(NONE, keeps);
            if (lane == j) mine = word;
        }
        words[line * 32 + lane] = mine;
        u32 sum = __reduce_add_sync(NONE, __popc(mine));
        if (lane == 0) members[line] = sum;
    }
}

// Replaces the number of members of each line by the place of its first member behind the `filled`
// edges so far, and counts the members as filled. Runs in one block.
KERNEL __launch_bounds__(BLOCK) place_lines(u32* members, u32 lines, u32* filled) {
    __shared__ u32 sums[2][BLOCK];
    u32 base = *filled;
    u32 own = (lines + BLOCK - 1) / BLOCK, start = threadIdx.x * own;
    u32 end = min(start + own, lines), sum = 0;
    for (u32 line = start; line < end; line++) sum += members[line];
    u32 inclusive = sum_of_threads(sum, sums);
    u32 place = base + inclusive - sum;
    for (u32 line = start; line < end; line++) {
        u32 more = members[line];
        members[line] = place;
        place += more;
    }
    if (threadIdx.x == BLOCK - 1) *filled = base + inclusive;
}

// Appends the members of a chunk to the buffer, in ascending order. `first` is the id of the first
// edge of the chunk.
template <typename Weight>
__device__ __forceinline__ void append(const unsigned char* chunk, u32 count, u64 first_id,
                                       const u32* words, const u32* places, u32* u, u32* v,
                                       Weight* weights, u64* ids) {
    u32 lane = threadIdx.x % 32;
    u32 lines = (count + LINE - 1) / LINE;
    for (u64 line = first_index() / 32; line < lines; line += index_stride() / 32) {
        Portion<Weight> edges(chunk, line * LINE);
        u32 first = line * LINE % PORTION;
        for_each_of_line(words[line * 32 + lane], places[line], [&](u32 at, u32 i) {
            u[at] = edges.u[first + i];
            v[at] = edges.v[first + i];
            weights[at] = edges.weights[first + i];
            ids[at] = first_id + line * LINE + i;
        });
    }
}

// Copies the members of a set of listed edges to a list of their own, in ascending order. `before`
// has, for each line of the set, the number of members in the lines before it.
template <typename Weight>
__device__ __forceinline__ void take_forest(const u32* words, u64 count, const u32* before,
                                            const u32* u, const u32* v, const Weight* weights,
                                            const u64* ids, u32* taken_u, u32* taken_v,
                                            Weight* taken_weights, u64* taken_ids) {
    for_each_member(words, count, before, [&](u32 to, u64 from) {
        taken_u[to] = u[from];
        taken_v[to] = v[from];
        taken_weights[to] = weights[from];
        taken_ids[to] = ids[from];
    });
}

// Copies the keys of `samples` of the `count` edges, at equal distances.
template <typename Weight>
__device__ __forceinline__ void sample_keys(const Weight* weights, u32 count, u32 kind, u32 flip,
                                            u32 samples, u64* keys) {
    for (u64 i = first_index(); i < samples; i += index_stride())
        keys[i] = key_of(weights[i * count / samples], kind, flip);
}

// ---- Levels
// Components are trees of parents. The parent of a root is the root itself, and all other parents
// are lower than their children (ECL-CC, Jaiganesh & Burtscher 2018).

// Makes each vertex a component outside.
KERNEL begin_levels(u32* parents, unsigned char* levels, u32 vertices) {
    for (u64 i = first_index(); i < vertices; i += index_stride()) {
        parents[i] = (u32)i;
        levels[i] = OUTSIDE;
    }
}

// The root of a vertex. Halves the path: a vertex that is no root never becomes one, so that any
// ancestor may be its parent.
__device__ __forceinline__ u32 root_of(u32* parents, u32 vertex) {
    for (;;) {
        u32 parent = load(&parents[vertex]);
        if (parent == vertex) return vertex;
        u32 above = load(&parents[parent]);
        if (above == parent) return parent;
        parents[vertex] = above;
        vertex = above;
    }
}

// Joins the ends of the edges with keys from `low` to `high`.
template <typename Weight>
__device__ __forceinline__ void unite(const u32* u, const u32* v, const Weight* weights, u32 count,
                                      u32 kind, u32 flip, u64 low, u64 high, u32* parents) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 key = key_of(weights[i], kind, flip);
        if (key < low || key > high) continue;
        u32 one = root_of(parents, u[i]), other = root_of(parents, v[i]);
        while (one != other) {
            u32 child = max(one, other), parent = min(one, other);
            u32 seen = atomicCAS(&parents[child], child, parent);
            if (seen == child) break;
            one = root_of(parents, seen);
            other = root_of(parents, parent);
        }
    }
}

// Finds a vertex of the largest component: each thread samples an edge up to a key, and the root
// that most threads find is the center. Runs in one block.
template <typename Weight>
__device__ __forceinline__ void find_center(const u32* u, const Weight* weights, u32 count,
                                            u32 kind, u32 flip, u64 high, u32* parents,
                                            u32* center) {
    __shared__ u32 roots[BLOCK];
    __shared__ u64 best;
    u64 i = (u64)threadIdx.x * count / BLOCK;
    bool is_light = key_of(weights[i], kind, flip) <= high;
    u32 root = is_light ? root_of(parents, u[i]) : NONE;
    roots[threadIdx.x] = root;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    u32 votes = 0;
    for (u32 j = 0; j < BLOCK; j++) votes += roots[j] == root;
    if (is_light) atomicMax(&best, (u64)votes << 32 | root);
    __syncthreads();
    if (threadIdx.x == 0) *center = (u32)best;
}

// Gives a level to the vertices outside that the center's component has now.
KERNEL label_component(u32* parents, const u32* center, u32 level, unsigned char* levels,
                       u32 vertices) {
    u32 root = root_of(parents, *center);
    for (u64 i = first_index(); i < vertices; i += index_stride()) {
        if (levels[i] == OUTSIDE && root_of(parents, (u32)i) == root) levels[i] = level;
    }
}

#define EXTERNAL(BITS)                                                                           \
    KERNEL filter_##BITS(const unsigned char* chunk, u32 count, u32 kind, u32 flip,              \
                         const unsigned char* levels, const u64* pivots, u32* words,             \
                         u32* members) {                                                         \
        filter<u##BITS>(chunk, count, kind, flip, levels, pivots, words, members);               \
    }                                                                                            \
    KERNEL append_##BITS(const unsigned char* chunk, u32 count, u64 first_id, const u32* words,  \
                         const u32* places, u32* u, u32* v, u##BITS* weights, u64* ids) {        \
        append(chunk, count, first_id, words, places, u, v, weights, ids);                       \
    }                                                                                            \
    KERNEL take_forest_##BITS(const u32* words, u64 count, const u32* before, const u32* u,      \
                              const u32* v, const u##BITS* weights, const u64* ids,              \
                              u32* taken_u, u32* taken_v, u##BITS* taken_weights,                \
                              u64* taken_ids) {                                                  \
        take_forest(words, count, before, u, v, weights, ids, taken_u, taken_v, taken_weights,   \
                    taken_ids);                                                                  \
    }                                                                                            \
    KERNEL sample_keys_##BITS(const u##BITS* weights, u32 count, u32 kind, u32 flip,             \
                              u32 samples, u64* keys) {                                          \
        sample_keys(weights, count, kind, flip, samples, keys);                                  \
    }                                                                                            \
    KERNEL unite_##BITS(const u32* u, const u32* v, const u##BITS* weights, u32 count, u32 kind, \
                        u32 flip, u64 low, u64 high, u32* parents) {                             \
        unite(u, v, weights, count, kind, flip, low, high, parents);                             \
    }                                                                                            \
    KERNEL __launch_bounds__(BLOCK) find_center_##BITS(                                          \
        const u32* u, const u##BITS* weights, u32 count, u32 kind, u32 flip, u64 high,           \
        u32* parents, u32* center) {                                                             \
        find_center(u, weights, count, kind, flip, high, parents, center);                       \
    }
EXTERNAL(32)
EXTERNAL(64)
