// What a warp knows of its 32 queries, one for each lane, and of the columns that they need. How
// rows are multiplied depends on their length: see short_rows.cuh and long_rows.cuh.

#pragma once

#include "points/queries.cuh"

// Where the answers of a block's queries are restricted to other components, and how.
struct Components {
    const u32* labels;
    const u32* slot_labels; // of the points of slots
    const u64* cores; // null without core distances
    u64* bounds;
};

// A comparison of neighbors or for searches.
template <bool searches, typename T>
struct Comparison {
    const Rounded& rounded;
    Exact<T> exact;
    Components components;
    Span* span;
    Queries queries;
    bool active;
    u64 bound; // of its component, as last read

    __device__ __forceinline__ Comparison(const Rounded& rounded, Exact<T> exact,
                                          Components components)
        : rounded(rounded), exact(exact), components(components) {}

    // Takes the query of this lane: a point and its slot.
    __device__ __forceinline__ void take(u32 point, u32 slot, bool exists) {
        u32 lane = threadIdx.x % 32;
        active = exists;
        queries.point[lane] = point;
        queries.norm[lane] = rounded.norms[slot];
        queries.error[lane] = rounded.errors[slot];
        if (lane == 0) *queries.length = 0;
        bound = FAR;
        queries.component[lane] = slot;
        __syncwarp();
    }

    // What a warp does with its queries after their rows are known by their slots.
    __device__ __forceinline__ void settle() {
        u32 lane = threadIdx.x % 32;
        if (rounded.tiles) find_center(queries.component[lane]);
        __syncwarp();
        if (searches) queries.component[lane] = components.labels[queries.point[lane]];
        __syncwarp();
    }

    // The center of the warp's rows, rounded to 16 bits, and the largest distance from it.
    __device__ __forceinline__ void find_center(u32 slot) {
        u32 lane = threadIdx.x % 32;
        float square = 0;
        for (u32 k = lane; k < rounded.depth; k += 32) {
            float sum = 0;
            for (u32 i = 0; i < QUERIES_WARP; i++) {
                sum += widened(rounded.rows[(u64)queries.component[i] * rounded.depth + k]);
            }
            unsigned short bits = narrowed(sum / QUERIES_WARP);
            queries.center[k] = bits;
            square = fmaf(widened(bits), widened(bits), square);
        }
        square = sum_up(square);
        if (lane == 0) span->norm[threadIdx.x / 32] = sqrtf(square) * MORE;
        __syncwarp();
        const unsigned short* row = rounded.rows + (u64)slot * rounded.depth;
        float apart = 0;
        for (u32 k = 0; k < rounded.depth; k++) {
            float difference = widened(row[k]) - widened(queries.center[k]);
            apart = fmaf(difference, difference, apart);
        }
        apart = (sqrtf(apart) * MORE + queries.error[lane]) * MORE;
        apart = __uint_as_float(__reduce_max_sync(ALL, __float_as_uint(apart)));
        if (lane == 0) span->radius[threadIdx.x / 32] = apart;
    }

    // No pair of the lane's query has a lower distance.
    __device__ __forceinline__ u64 lowest_distance() const {
        if (!searches || !components.cores) return 0;
        return components.cores[queries.point[threadIdx.x % 32]];
    }

    // The least given index in a panel from `column` on. Without tiles, slots are in the given
    // order.
    __device__ __forceinline__ u32 least_from(u32 column) const {
        return rounded.tiles ? rounded.tiles[column / TILE].least : column;
    }

    // Whether no point with at least the index `least` can be an answer of the lane's query. If all
    // its answers have the lowest possible distance, only lower indices come before them.
    __device__ __forceinline__ bool is_done(u32 least) const {
        u32 lane = threadIdx.x % 32;
        u64 floor = lowest_distance();
        Last last = queries.last(lane);
        return !active || (last.key <= floor && last.found <= least) || bound < floor;
    }

    // The distance of rounded rows up to which the lane's query searches.
    __device__ __forceinline__ float reach() const {
        u64 key = min(queries.last_key(threadIdx.x % 32), bound);
        if (key >= INFINITE) return __int_as_float(0x7F800000);
        double distance = __dsqrt_ru(__longlong_as_double((long long)key));
        return __double2float_ru(distance * rounded.scale * (1 + 1e-9));
    }

    // What a product may lack, relative to the square of both lengths. More than the relative
    // errors of all sums: each step truncates up to 17 addends to 24 bits.
    __device__ __forceinline__ float slack() const {
        return (rounded.depth / STEP + 4) * 0x1p-18f;
    }

    // The limit of the products of a row with rows of at most the length `column`, if distances up
    // to `far` are of interest.
    __device__ __forceinline__ float limit_of(float norm, float column, float far) const {
        float sum = norm + column;
        return 0.5f * (norm * norm - far * far) - slack() * (sum * sum + far * far);
    }

    __device__ __forceinline__ void read_bound() {
        if (searches) bound = load(&components.bounds[queries.component[threadIdx.x % 32]]);
    }

    // Collects a pair of a query of the warp, unless both ends are in one component, or one point.
    __device__ __forceinline__ void collect(const Queries& queries, u32 query,
                                            u32 other) const {
        // The slot's component in searches, or else the slot itself.
        u32 own = searches ? components.slot_labels[other] : other;
        if (own == queries.component[query]) return;
        u32 at = atomicAdd(queries.length, 1);
        queries.waiting[at] = (unsigned short)(query * PANEL + other % PANEL);
    }

    // Compares the collected pairs canonically, whose columns are in the panel of `column`. Returns
    // whether a query has a nearer point now.
    __device__ __forceinline__ bool compare(u32 column) {
        u32 lane = threadIdx.x % 32, length = load(queries.length);
        bool changed = false;
        for (u32 begin = 0; begin < length; begin += 32) {
            u32 query = 0, other = NONE;
            u64 key = FAR;
            if (begin + lane < length) {
                u32 pair = queries.waiting[begin + lane];
                query = pair / PANEL;
                other = rounded.points_of[column / PANEL * PANEL + pair % PANEL];
                key = exact.distance(components.cores, queries.point[query], other);
            }
            Last last = queries.last(query);
            bool nearer = other != NONE && is_before(key, other, last.key, last.found);
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
        if (!changed) return false;
        if (searches && queries.last_key(lane) < bound) {
            u64 key = queries.last_key(lane);
            bound = min(key, atomicMin(&components.bounds[queries.component[lane]], key));
        }
        return true;
    }

    // The tiles of a panel that a query may need, as bits. No query searches farther than `reach`.
    __device__ __forceinline__ u32 needed_tiles(u32 panel, float reach, u32 component) const {
        if (__all_sync(ALL, is_done(least_from(panel * PANEL)))) return 0;
        if (!rounded.tiles) return ALL;
        u32 lane = threadIdx.x % 32, group = lane / 4, part = lane % 4, depth = rounded.depth;
        const unsigned short* centers = rounded.centers + (u64)panel * (PANEL / TILE) * depth;
        float products[4][4] = {};
        for (u32 k = 0; k < depth; k += STEP) {
            uint2 pair = *(const uint2*)&queries.center[k + 4 * part];
            u32 rows[4] = {pair.x, pair.x, pair.y, pair.y};
#pragma unroll
            for (u32 n = 0; n < 4; n++) {
                uint2 column = *(const uint2*)&centers[(8 * n + group) * depth + k + 4 * part];
                multiply(products[n], rows, column.x, column.y);
            }
        }
        // All rows are equal, so each lane takes one of the 32 products from its own sums.
        u32 bit = 8 * (group % 4) + 2 * part + lane / 16;
        float product = 0;
#pragma unroll
        for (u32 n = 0; n < 4; n++) {
            if (group % 4 == n) product = lane / 16 ? products[n][1] : products[n][0];
        }
        u64 at = (u64)panel * (PANEL / TILE) + bit;
        Tile tile = rounded.tiles[at];
        float far = (reach + span->radius[threadIdx.x / 32] + tile.radius) * MORE;
        float norm = span->norm[threadIdx.x / 32];
        bool near = !(product + tile.half < limit_of(norm, tile.norm, far));
        if (searches && component != NONE) near = near && rounded.tile_labels[at] != component;
        return __reduce_or_sync(ALL, near ? 1u << bit : 0);
    }

    // The component of all queries of the warp, or NONE.
    __device__ __forceinline__ u32 common_component() const {
        if (!searches) return NONE;
        u32 own = queries.component[threadIdx.x % 32];
        return __all_sync(ALL, own == __shfl_sync(ALL, own, 0)) ? own : NONE;
    }

    // Finds the tiles that each warp needs of the next panels, at most `most`, and lists the stages
    // that any warp needs, of `columns` columns. Returns whether there is another panel.
    __device__ __forceinline__ bool find_needed(u32 most, u32 columns) {
        Span& span = *this->span;
        u32 lane = threadIdx.x % 32, tiles = columns / TILE;
        u32 next = span.next, panels = min(most, span.left);
        if (panels == 0) return false;
        read_bound();
        float farthest = active ? reach() : 0;
        farthest = __uint_as_float(__reduce_max_sync(ALL, __float_as_uint(farthest)));
        u32 component = common_component();
        for (u32 i = 0; i < panels; i++) {
            u32 panel = span.wrapped(next + i);
            u32 own = needed_tiles(panel, farthest, component);
            if (lane == 0) span.needed[threadIdx.x / 32][i] = own;
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            u32 listed = 0;
            for (u32 i = 0; i < panels; i++) {
                u32 panel = span.wrapped(next + i);
                u32 any = lane < blockDim.x / 32 ? span.needed[lane][i] : 0;
                any = __reduce_or_sync(ALL, any);
                bool is_needed = lane < PANEL / columns &&
                    (any >> lane * tiles & (1u << tiles) - 1) != 0;
                u32 stages = __ballot_sync(ALL, is_needed);
                if (is_needed) {
                    u32 before = listed + __popc(stages & (1u << lane) - 1);
                    span.first[before] = Stage{panel * PANEL + lane * columns, i};
                }
                listed += __popc(stages);
            }
            if (lane == 0) {
                span.stages = listed;
                span.next = span.wrapped(next + panels);
                span.left -= panels;
            }
        }
        __syncthreads();
        return true;
    }

    // Begins with the columns of panels `begin` to `end`, from panel `first` on. All threads wait
    // before they read the span.
    __device__ __forceinline__ void begin_span(u32 begin, u32 end, u32 first) {
        if (threadIdx.x != 0) return;
        span->begin = begin;
        span->end = end;
        span->next = first;
        span->left = end - begin;
    }
};
