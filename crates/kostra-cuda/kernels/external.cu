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

// The argument of all kernels. src/external/kernels.rs declares the same struct. Only kernels with
// weights know their type.
template <typename Weight>
struct Arguments {
    const unsigned char* chunk;
    unsigned char* levels;
    const u64* pivots;
    // A set of edges; for each line of it, the number of members, and then their places.
    u32 *words, *members;
    const u32* before;
    u32* filled;
    // The forest and the buffer, and a list of taken edges.
    u32 *u, *v;
    Weight* weights;
    u64* ids;
    u32 *taken_u, *taken_v;
    Weight* taken_weights;
    u64 *taken_ids, *keys;
    u32 *parents, *center;
    u64 first_id, low, high, word_count;
    u32 count, kind, flip, vertices, level, lines, samples;
};

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
__device__ __forceinline__ void filter(const Arguments<Weight>& args) {
    __shared__ u64 pivot[LEVELS];
    if (threadIdx.x < LEVELS) pivot[threadIdx.x] = args.pivots[threadIdx.x];
    __syncthreads();
    u32 lane = threadIdx.x % 32;
    u32 lines = (args.count + LINE - 1) / LINE;
    for (u64 line = first_index() / 32; line < lines; line += index_stride() / 32) {
        Portion<Weight> edges(args.chunk, line * LINE);
        u32 first = line * LINE % PORTION, rest = args.count - (u32)line * LINE, mine = 0;
#pragma unroll 8
        for (u32 j = 0; j < LINE / 32; j++) {
            u32 i = 32 * j + lane;
            bool keeps = false;
            if (i < rest) {
                u32 u = edges.u[first + i], v = edges.v[first + i];
                u64 key = key_of(edges.weights[first + i], args.kind, args.flip);
                u32 level = max(args.levels[u], args.levels[v]);
                keeps = u != v && (level >= OUTSIDE || key < pivot[level]);
            }
            u32 word = __ballot_sync(NONE, keeps);
            if (lane == j) mine = word;
        }
        args.words[line * 32 + lane] = mine;
        u32 sum = __reduce_add_sync(NONE, __popc(mine));
        if (lane == 0) args.members[line] = sum;
    }
}

// Replaces the number of members of each line by the place of its first member behind the `filled`
// edges so far, and counts the members as filled. Runs in one block.
KERNEL __launch_bounds__(BLOCK) place_lines(const Arguments<void> args) {
    __shared__ u32 sums[2][BLOCK];
    u32 base = *args.filled;
    u32 own = (args.lines + BLOCK - 1) / BLOCK, start = threadIdx.x * own;
    u32 end = min(start + own, args.lines), sum = 0;
    for (u32 line = start; line < end; line++) sum += args.members[line];
    u32 inclusive = sum_of_threads(sum, sums);
    u32 place = base + inclusive - sum;
    for (u32 line = start; line < end; line++) {
        u32 more = args.members[line];
        args.members[line] = place;
        place += more;
    }
    if (threadIdx.x == BLOCK - 1) *args.filled = base + inclusive;
}

// Appends the members of a chunk to the buffer, in ascending order. `first` is the id of the first
// edge of the chunk.
template <typename Weight>
__device__ __forceinline__ void append(const Arguments<Weight>& args) {
    u32 lane = threadIdx.x % 32;
    u32 lines = (args.count + LINE - 1) / LINE;
    for (u64 line = first_index() / 32; line < lines; line += index_stride() / 32) {
        Portion<Weight> edges(args.chunk, line * LINE);
        u32 first = line * LINE % PORTION;
        for_each_of_line(args.words[line * 32 + lane], args.members[line], [&](u32 at, u32 i) {
            args.u[at] = edges.u[first + i];
            args.v[at] = edges.v[first + i];
            args.weights[at] = edges.weights[first + i];
            args.ids[at] = args.first_id + line * LINE + i;
        });
    }
}

// Copies the members of a set of listed edges to a list of their own, in ascending order. `before`
// has, for each line of the set, the number of members in the lines before it.
template <typename Weight>
__device__ __forceinline__ void take_forest(const Arguments<Weight>& args) {
    for_each_member(args.words, args.word_count, args.before, [&](u32 to, u64 from) {
        args.taken_u[to] = args.u[from];
        args.taken_v[to] = args.v[from];
        args.taken_weights[to] = args.weights[from];
        args.taken_ids[to] = args.ids[from];
    });
}

// Copies the keys of `samples` of the `count` edges, at equal distances.
template <typename Weight>
__device__ __forceinline__ void sample_keys(const Arguments<Weight>& args) {
    for (u64 i = first_index(); i < args.samples; i += index_stride())
        args.keys[i] = key_of(args.weights[i * args.count / args.samples], args.kind, args.flip);
}

// ---- Levels
// Components are trees of parents. The parent of a root is the root itself, and all other parents
// are lower than their children (ECL-CC, Jaiganesh & Burtscher 2018).

// Makes each vertex a component outside.
KERNEL begin_levels(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.vertices; i += index_stride()) {
        args.parents[i] = (u32)i;
        args.levels[i] = OUTSIDE;
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
__device__ __forceinline__ void unite(const Arguments<Weight>& args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u64 key = key_of(args.weights[i], args.kind, args.flip);
        if (key < args.low || key > args.high) continue;
        u32 one = root_of(args.parents, args.u[i]), other = root_of(args.parents, args.v[i]);
        while (one != other) {
            u32 child = max(one, other), parent = min(one, other);
            u32 seen = atomicCAS(&args.parents[child], child, parent);
            if (seen == child) break;
            one = root_of(args.parents, seen);
            other = root_of(args.parents, parent);
        }
    }
}

// Finds a vertex of the largest component: each thread samples an edge up to a key, and the root
// that most threads find is the center. Runs in one block.
template <typename Weight>
__device__ __forceinline__ void find_center(const Arguments<Weight>& args) {
    __shared__ u32 roots[BLOCK];
    __shared__ u64 best;
    u64 i = (u64)threadIdx.x * args.count / BLOCK;
    bool is_light = key_of(args.weights[i], args.kind, args.flip) <= args.high;
    u32 root = is_light ? root_of(args.parents, args.u[i]) : NONE;
    roots[threadIdx.x] = root;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    u32 votes = 0;
    for (u32 j = 0; j < BLOCK; j++) votes += roots[j] == root;
    if (is_light) atomicMax(&best, (u64)votes << 32 | root);
    __syncthreads();
    if (threadIdx.x == 0) *args.center = (u32)best;
}

// Gives a level to the vertices outside that the center's component has now.
KERNEL label_component(const Arguments<void> args) {
    u32 root = root_of(args.parents, *args.center);
    for (u64 i = first_index(); i < args.vertices; i += index_stride()) {
        if (args.levels[i] == OUTSIDE && root_of(args.parents, (u32)i) == root)
            args.levels[i] = args.level;
    }
}

#define EXTERNAL(BITS)                                                                  \
    KERNEL filter_##BITS(const Arguments<u##BITS> args) { filter(args); }               \
    KERNEL append_##BITS(const Arguments<u##BITS> args) { append(args); }               \
    KERNEL take_forest_##BITS(const Arguments<u##BITS> args) { take_forest(args); }     \
    KERNEL sample_keys_##BITS(const Arguments<u##BITS> args) { sample_keys(args); }     \
    KERNEL unite_##BITS(const Arguments<u##BITS> args) { unite(args); }                 \
    KERNEL __launch_bounds__(BLOCK) find_center_##BITS(const Arguments<u##BITS> args) { \
        find_center(args);                                                              \
    }
EXTERNAL(32)
EXTERNAL(64)
