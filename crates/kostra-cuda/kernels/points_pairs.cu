// Compares points with all others. Products of rounded coordinates rule out nearly all pairs, and
// the others are compared canonically.
//
// For rounded rows x and y, whose squares of lengths are known, x y - y y / 2 is above a limit if
// and only if x and y are near. The rounding errors of both rows are known, too. So a limit follows
// from the distance up to which a query searches: no pair within that distance is below the limit.
// Products are computed by tensor cores, column by column in ascending order of the points.
//
// A block has 32 queries for each warp, and a stage of columns in shared memory for all of them.

#include "points/queries.cuh"

// Where the answers of a block's queries are restricted to other components, and how.
struct Components {
    const u32* labels;
    const u64* cores; // null without core distances
    u64* bounds;
};

template <bool searches, typename T>
struct Comparison {
    const Rounded& rounded;
    Exact<T> exact;
    Components components;
    Memory memory;
    bool active;
    u64 floor; // no pair of this lane's query has a lower distance
    u64 bound; // of its component, as last read
    float limit[4]; // of the four queries whose products this lane has

    __device__ __forceinline__ Comparison(const Rounded& rounded, Exact<T> exact,
                                          Components components, char* shared, u32 wanted)
        : rounded(rounded), exact(exact), components(components),
          memory(shared, rounded, wanted) {}

    // Takes the query of this lane.
    __device__ __forceinline__ void take(u32 point, bool exists) {
        Queries& queries = memory.queries;
        u32 lane = threadIdx.x % 32;
        active = exists;
        queries.point[lane] = point;
        queries.norm[lane] = rounded.norms[point];
        queries.error[lane] = rounded.errors[point];
        if (lane == 0) *queries.length = 0;
        for (u32 k = 0; k < queries.wanted; k++) {
            queries.keys[lane * queries.wanted + k] = FAR;
            queries.found[lane * queries.wanted + k] = NONE;
        }
        floor = 0;
        bound = FAR;
        if (searches) {
            queries.component[lane] = components.labels[point];
            if (components.cores) floor = components.cores[point];
        }
        __syncwarp();
        u32 pieces = rounded.depth / 8, row = 2 * rounded.depth + PIECE;
        for (u32 i = lane; i < QUERIES_WARP * pieces; i += 32) {
            u32 query = i / pieces, piece = i % pieces;
            copy_piece(memory.rows + query * row + piece * PIECE,
                       rounded.rows + (u64)queries.point[query] * rounded.depth + piece * 8);
        }
    }

    // Whether the lane's query is complete. Of points at the lowest possible distance, the first
    // one has been found.
    __device__ __forceinline__ bool is_done() const {
        return !active || memory.queries.last_key(threadIdx.x % 32) <= floor || bound < floor;
    }

    // Computes the limits of the products from the distances of interest. Returns whether all
    // queries are complete.
    __device__ __forceinline__ bool set_limits(const Panel& panel) {
        Queries& queries = memory.queries;
        u32 lane = threadIdx.x % 32;
        bool done = is_done();
        u64 key = min(queries.last_key(lane), bound);
        float reach = __int_as_float(0x7F800000);
        if (key < INFINITE) {
            double distance = __dsqrt_ru(__longlong_as_double((long long)key));
            reach = __double2float_ru(distance * rounded.scale * (1 + 1e-9));
        }
        __syncwarp();
        queries.reach[lane] = done ? -1 : reach;
        __syncwarp();
        // More than the relative errors of all sums: each step truncates up to 17 addends to 24
        // bits.
        float slack = (rounded.depth / STEP + 4) * 0x1p-18f;
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u32 query = 8 * i + lane / 4;
            float reach = queries.reach[query], norm = queries.norm[query];
            float far = (reach + queries.error[query] + panel.error) * 1.00001f;
            float sum = norm + panel.norm;
            limit[i] = 0.5f * (norm * norm - far * far) - slack * (sum * sum + far * far);
            if (reach < 0) limit[i] = __int_as_float(0x7F800000);
        }
        return __all_sync(ALL, done);
    }

    __device__ __forceinline__ void read_bound() {
        if (searches) bound = load(&components.bounds[memory.queries.component[threadIdx.x % 32]]);
    }

    // Collects the pairs above the limits.
    __device__ __forceinline__ void collect(const Products& products, u32 first) {
        Queries& queries = memory.queries;
        u32 above = 0;
#pragma unroll
        for (u32 place = 0; place < 32; place++) {
            float product = products.of[place / 16][place / 4 % 4][place % 4];
            if (product > limit[place / 16 * 2 + place / 2 % 2]) above |= 1u << place;
        }
        for (; above != 0; above &= above - 1) {
            u32 place = __ffs(above) - 1;
            u32 query = Products::query(place), other = first + Products::column(place);
            bool is_other = searches ? components.labels[other] != queries.component[query]
                                     : other != queries.point[query];
            if (!is_other) continue;
            u32 at = atomicAdd(queries.length, 1);
            queries.waiting[at] = (unsigned short)(query * PANEL + other % PANEL);
        }
        __syncwarp();
    }

    // Compares the collected pairs canonically.
    __device__ __forceinline__ void compare(u32 panel) {
        Queries& queries = memory.queries;
        u32 lane = threadIdx.x % 32, length = load(queries.length);
        bool changed = false;
        for (u32 begin = 0; begin < length; begin += 32) {
            u32 query = 0, other = NONE;
            u64 key = FAR;
            if (begin + lane < length) {
                u32 pair = queries.waiting[begin + lane];
                query = pair / PANEL;
                other = panel * PANEL + pair % PANEL;
                key = exact.distance(components.cores, queries.point[query], other);
            }
            bool nearer = other != NONE &&
                is_before(key, other, queries.last_key(query), queries.last_found(query));
            u32 pending = __ballot_sync(ALL, nearer);
            changed |= pending != 0;
            for (; pending != 0; pending &= pending - 1) {
                u32 from = __ffs(pending) - 1;
                queries.insert(__shfl_sync(ALL, query, from), __shfl_sync(ALL, key, from),
                               __shfl_sync(ALL, other, from));
            }
        }
        __syncwarp();
        if (lane == 0) *queries.length = 0;
        __syncwarp();
        if (!changed) return;
        if (searches && queries.last_key(lane) < bound) {
            u64 key = queries.last_key(lane);
            bound = min(key, atomicMin(&components.bounds[queries.component[lane]], key));
        }
        set_limits(rounded.panels[panel]);
    }

    // Starts to copy a stage of columns: `stage` counts the slabs of all columns.
    __device__ __forceinline__ void copy_stage(u32 stage, u32 slabs) const {
        u32 columns = rounded.columns(), slab = rounded.slab(), pitch = rounded.pitch();
        u32 first = stage / slabs * columns, begin = stage % slabs * slab;
        u32 pieces = min(slab, rounded.depth - begin) / 8;
        u32 to = memory.stages + stage % 2 * columns * pitch;
        for (u32 i = threadIdx.x; i < columns * pieces; i += blockDim.x) {
            u32 column = i / pieces, piece = i % pieces;
            copy_piece(to + column * pitch + piece * PIECE,
                       rounded.rows + (u64)(first + column) * rounded.depth + begin + piece * 8);
        }
        for (u32 i = threadIdx.x; i < columns / 4; i += blockDim.x) {
            copy_piece(memory.halves + (stage % 2 * columns + 4 * i) * 4,
                       rounded.halves + first + 4 * i);
        }
    }

    // Compares the queries with the columns of panels `begin` to `end`.
    __device__ __forceinline__ void run(u32 begin, u32 end) {
        u32 columns = rounded.columns(), depth = rounded.depth;
        u32 slabs = (depth + SLAB - 1) / SLAB, of_panel = PANEL / columns * slabs;
        u32 row = 2 * depth + PIECE, pitch = rounded.pitch();
        bool resident = depth <= CHUNK;
        QueryFragments fragments;
        Products products;
        if (begin < end) copy_stage(begin * of_panel, slabs);
        for (u32 panel = begin; panel < end; panel++) {
            read_bound();
            bool done = set_limits(rounded.panels[panel]);
            for (u32 i = 0; i < of_panel; i++) {
                u32 stage = panel * of_panel + i, slab = i % slabs;
                wait_for_copies();
                if (__syncthreads_and(i == 0 && done)) return;
                if (stage + 1 < end * of_panel) copy_stage(stage + 1, slabs);
                u32 width = min(SLAB, depth - slab * SLAB);
                if (resident && stage == begin * of_panel) {
                    fragments.load(memory.rows, row, depth / STEP);
                }
                for (u32 group = 0; group < columns && !done; group += GROUP) {
                    u32 in_stage = stage % 2 * columns + group;
                    if (slab == 0) products.begin(memory.of_halves + in_stage);
                    for (u32 at = 0; at < width; at += CHUNK) {
                        u32 steps = min(CHUNK, width - at) / STEP;
                        if (!resident) {
                            fragments.load(memory.rows + 2 * (slab * SLAB + at), row, steps);
                        }
                        products.add(fragments, memory.stages + in_stage * pitch + 2 * at, pitch,
                                     steps);
                    }
                    if (slab + 1 < slabs) continue;
                    bool any = false;
#pragma unroll
                    for (u32 place = 0; place < 32; place++) {
                        any |= products.of[place / 16][place / 4 % 4][place % 4] >
                            limit[place / 16 * 2 + place / 2 % 2];
                    }
                    if (!__any_sync(ALL, any)) continue;
                    collect(products, stage / slabs * columns + group);
                    if (load(memory.queries.length) >= FEW_PAIRS) compare(panel);
                }
            }
            if (load(memory.queries.length) > 0) compare(panel);
        }
        wait_for_copies();
    }
};

// ---- The nearest points of every point
// Of `queries` points from `first` on: the lists, or if `core_distances` is not null, the distance
// of the `wanted`-th nearest point.

#define NEAREST(TYPE, T)                                                                           \
    KERNEL __launch_bounds__(THREADS, 2)                                                           \
        nearest_##TYPE(const T* points, u64 stride, u32 dimensions, const unsigned short* rounded, \
                       const float* halves, const float* norms, const float* errors,               \
                       const Panel* panels, u64 scale, u32 count, u32 depth, u32 first,            \
                       u32 queries, u32 wanted, uint4* lists, u64* keys, u64* least_keys,          \
                       double* core_distances) {                                                   \
        extern __shared__ __align__(16) char shared[];                                             \
        Rounded rows = {rounded, halves, norms, errors, panels,                                    \
                        __longlong_as_double((long long)scale), count, depth};                     \
        Comparison<false, T> comparison(rows, Exact<T>{points, stride, dimensions}, Components{},  \
                                        shared, wanted);                                           \
        u64 query = first_index();                                                                 \
        bool exists = query < queries;                                                             \
        u32 point = first + (u32)(exists ? query : 0);                                             \
        comparison.take(point, exists);                                                            \
        comparison.run(0, (count + PANEL - 1) / PANEL);                                            \
        store(comparison.memory.queries, point, exists, lists, keys, least_keys, core_distances);  \
    }

__device__ __forceinline__ void store(const Queries& queries, u32 point, bool exists, uint4* lists,
                                      u64* keys, u64* least_keys, double* core_distances) {
    __syncwarp();
    if (!exists) return;
    u32 lane = threadIdx.x % 32, wanted = queries.wanted;
    const u32* found = queries.found + lane * wanted;
    u64 last = queries.last_key(lane);
    if (core_distances) {
        core_distances[point] = __longlong_as_double((long long)last);
        return;
    }
    auto entry = [&](u32 k) { return k < wanted ? found[k] : NONE; };
    lists[point] = make_uint4(entry(0), entry(1), entry(2), entry(3));
    keys[point] = queries.keys[lane * wanted];
    least_keys[point] = last;
}

NEAREST(f32, float)
NEAREST(f64, double)

// ---- Searches
// For each query, the first point of another component in `columns` panels, as far as its distance
// is not above the component's bound.

#define PAIRS(TYPE, T)                                                                             \
    KERNEL __launch_bounds__(THREADS, 2)                                                           \
        pairs_##TYPE(const T* points, u64 stride, u32 dimensions, const unsigned short* rounded,   \
                     const float* halves, const float* norms, const float* errors,                 \
                     const Panel* panels, u64 scale, u32 count, u32 depth, const u32* queries,     \
                     u32 query_count, u32 columns, const u32* labels, const u64* cores,            \
                     u64* bounds, u64* part_keys, u32* part_found) {                               \
        extern __shared__ __align__(16) char shared[];                                             \
        Rounded rows = {rounded, halves, norms, errors, panels,                                    \
                        __longlong_as_double((long long)scale), count, depth};                     \
        Comparison<true, T> comparison(rows, Exact<T>{points, stride, dimensions},                 \
                                       Components{labels, cores, bounds}, shared, 1);              \
        u64 query = first_index();                                                                 \
        bool exists = query < query_count;                                                         \
        comparison.take(queries[exists ? query : 0], exists);                                      \
        u32 begin = blockIdx.y * columns, all = (count + PANEL - 1) / PANEL;                       \
        comparison.run(begin, min(begin + columns, all));                                          \
        __syncwarp();                                                                              \
        if (!exists) return;                                                                       \
        u64 place = (u64)blockIdx.y * query_count + query;                                         \
        part_keys[place] = comparison.memory.queries.last_key(threadIdx.x % 32);                   \
        part_found[place] = comparison.memory.queries.last_found(threadIdx.x % 32);                \
    }

PAIRS(f32, float)
PAIRS(f64, double)
