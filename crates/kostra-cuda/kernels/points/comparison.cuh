// How the warps of a block compare their queries with the columns that they need.

#pragma once

#include "points/queries.cuh"

// Where the answers of a block's queries are restricted to other components, and how.
struct Components {
    const u32* labels;
    const u32* slot_labels; // of the points of slots
    const u64* cores; // null without core distances
    u64* bounds;
};

// A comparison of neighbors or for searches. Short rows `fit` in a chunk, so that the fragments of
// the queries stay in registers.
template <bool searches, bool fits, typename T>
struct Comparison {
    const Rounded& rounded;
    Exact<T> exact;
    Components components;
    Memory memory;
    bool active;
    u64 bound; // of its component, as last read
    float limit[4]; // of the four queries whose products this lane has

    __device__ __forceinline__ Comparison(const Rounded& rounded, Exact<T> exact,
                                          Components components, char* shared, u32 wanted)
        : rounded(rounded), exact(exact), components(components),
          memory(shared, rounded, wanted) {}

    // Takes the query of this lane: a point and its slot.
    __device__ __forceinline__ void take(u32 point, u32 slot, bool exists) {
        Queries& queries = memory.queries;
        u32 lane = threadIdx.x % 32;
        active = exists;
        queries.point[lane] = point;
        queries.norm[lane] = rounded.norms[slot];
        queries.error[lane] = rounded.errors[slot];
        if (lane == 0) *queries.length = 0;
        for (u32 k = 0; k < queries.wanted; k++) {
            queries.keys[lane * queries.wanted + k] = FAR;
            queries.found[lane * queries.wanted + k] = NONE;
        }
        bound = FAR;
        queries.component[lane] = slot;
        __syncwarp();
        u32 pieces = rounded.depth / 8, row = 2 * rounded.depth + PIECE;
        for (u32 i = lane; i < QUERIES_WARP * pieces; i += 32) {
            u32 query = i / pieces, piece = i % pieces;
            u64 from = queries.component[query];
            copy_piece(memory.rows + query * row + piece * PIECE,
                       rounded.rows + from * rounded.depth + piece * 8);
        }
        if (rounded.tiles) find_center(slot);
        __syncwarp();
        if (searches) queries.component[lane] = components.labels[point];
        __syncwarp();
    }

    // The center of the warp's rows, rounded to 16 bits, and the largest distance from it.
    __device__ __forceinline__ void find_center(u32 slot) {
        Queries& queries = memory.queries;
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
        if (lane == 0) memory.span->norm[threadIdx.x / 32] = sqrtf(square) * MORE;
        __syncwarp();
        const unsigned short* row = rounded.rows + (u64)slot * rounded.depth;
        float apart = 0;
        for (u32 k = 0; k < rounded.depth; k++) {
            float difference = widened(row[k]) - widened(queries.center[k]);
            apart = fmaf(difference, difference, apart);
        }
        apart = (sqrtf(apart) * MORE + queries.error[lane]) * MORE;
        apart = __uint_as_float(__reduce_max_sync(ALL, __float_as_uint(apart)));
        if (lane == 0) memory.span->radius[threadIdx.x / 32] = apart;
    }

    // No pair of the lane's query has a lower distance.
    __device__ __forceinline__ u64 lowest_distance() const {
        if (!searches || !components.cores) return 0;
        return components.cores[memory.queries.point[threadIdx.x % 32]];
    }

    // The least given index in a panel from `column` on, or a lower bound of it. Without tiles,
    // slots are in the given order, so all found points are before the later ones.
    __device__ __forceinline__ u32 least_from(u32 column) const {
        return rounded.tiles ? rounded.tiles[column / TILE].least : NONE;
    }

    // Whether no point with at least the index `least` can be an answer of the lane's query. If all
    // its answers have the lowest possible distance, only lower indices come before them.
    __device__ __forceinline__ bool is_done(u32 least) const {
        u32 lane = threadIdx.x % 32;
        u64 floor = lowest_distance();
        bool lowest = memory.queries.last_key(lane) <= floor &&
            memory.queries.last_found(lane) <= least;
        return !active || lowest || bound < floor;
    }

    // The distance of rounded rows up to which the lane's query searches.
    __device__ __forceinline__ float reach() const {
        u64 key = min(memory.queries.last_key(threadIdx.x % 32), bound);
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

    // Computes the limits of the products from the distances of interest, for a panel's columns
    // from `column` on.
    __device__ __forceinline__ void set_limits(u32 column) {
        Queries& queries = memory.queries;
        u32 lane = threadIdx.x % 32;
        const Panel& panel = rounded.panels[column / PANEL];
        float own = is_done(least_from(column)) ? -1 : reach();
        __syncwarp();
        queries.reach[lane] = own;
        __syncwarp();
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u32 query = 8 * i + lane / 4;
            float reach = queries.reach[query];
            float far = (reach + queries.error[query] + panel.error) * MORE;
            limit[i] = limit_of(queries.norm[query], panel.norm, far);
            if (reach < 0) limit[i] = __int_as_float(0x7F800000);
        }
    }

    __device__ __forceinline__ void read_bound() {
        if (searches) bound = load(&components.bounds[memory.queries.component[threadIdx.x % 32]]);
    }

    // Whether any product of the warp is above its limit.
    __device__ __forceinline__ bool passes(const Products& products) const {
        bool above = false;
#pragma unroll
        for (u32 place = 0; place < 32; place++) {
            above |= products.of[place / 16][place / 4 % 4][place % 4] >
                limit[place / 16 * 2 + place / 2 % 2];
        }
        return __any_sync(ALL, above);
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
            // The slot's component in searches, or else the slot itself.
            u32 own = searches ? components.slot_labels[other] : other;
            if (own == queries.component[query]) continue;
            u32 at = atomicAdd(queries.length, 1);
            queries.waiting[at] = (unsigned short)(query * PANEL + other % PANEL);
        }
        __syncwarp();
    }

    // Compares the collected pairs canonically, which are up to the tile of `column`.
    __device__ __forceinline__ void compare(u32 column) {
        Queries& queries = memory.queries;
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
        if ((column + TILE) % PANEL != 0) set_limits(column + TILE);
    }

    // The tiles of a panel that a query may need, as bits. No query searches farther than `reach`.
    __device__ __forceinline__ u32 needed_tiles(u32 panel, float reach, u32 component) const {
        if (__all_sync(ALL, is_done(least_from(panel * PANEL)))) return 0;
        if (!rounded.tiles) return ALL;
        u32 lane = threadIdx.x % 32, group = lane / 4, part = lane % 4, depth = rounded.depth;
        const unsigned short* centers = rounded.centers + (u64)panel * (PANEL / TILE) * depth;
        float products[4][4] = {};
        for (u32 k = 0; k < depth; k += STEP) {
            uint2 pair = *(const uint2*)&memory.queries.center[k + 4 * part];
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
        float far = (reach + memory.span->radius[threadIdx.x / 32] + tile.radius) * MORE;
        float norm = memory.span->norm[threadIdx.x / 32];
        bool near = !(product + tile.half < limit_of(norm, tile.norm, far));
        if (searches && component != NONE) near = near && rounded.tile_labels[at] != component;
        return __reduce_or_sync(ALL, near ? 1u << bit : 0);
    }

    // Starts to copy a stage of columns, from coordinate `begin` on, to one of two places.
    __device__ __forceinline__ void copy_stage(u32 first, u32 begin, u32 place) const {
        u32 columns = rounded.columns(), pitch = rounded.pitch();
        u32 pieces = min(rounded.slab(), rounded.depth - begin) / 8;
        u32 to = memory.stages + place * columns * pitch;
        for (u32 i = threadIdx.x; i < columns * pieces; i += blockDim.x) {
            u32 column = i / pieces, piece = i % pieces;
            copy_piece(to + column * pitch + piece * PIECE,
                       rounded.rows + (u64)(first + column) * rounded.depth + begin + piece * 8);
        }
        for (u32 i = threadIdx.x; i < columns / 4; i += blockDim.x) {
            copy_piece(memory.halves + (place * columns + 4 * i) * 4,
                       rounded.halves + first + 4 * i);
        }
    }

    // The component of all queries of the warp, or NONE.
    __device__ __forceinline__ u32 common_component() const {
        if (!searches) return NONE;
        u32 own = memory.queries.component[threadIdx.x % 32];
        return __all_sync(ALL, own == __shfl_sync(ALL, own, 0)) ? own : NONE;
    }

    // Finds the tiles that each warp needs of the next panels, at most `most`, and lists the stages
    // that any warp needs. Returns whether there is another panel.
    __device__ __forceinline__ bool find_needed(u32 most) {
        Span& span = *memory.span;
        u32 lane = threadIdx.x % 32, columns = rounded.columns(), tiles = columns / TILE;
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

    // Adds the products of a stage's columns from `column` on, for the stage's coordinates from
    // `begin` on.
    __device__ __forceinline__ void add(QueryFragments& fragments, Products& products, u32 column,
                                        u32 begin) {
        u32 depth = rounded.depth, to = memory.stages + column * rounded.pitch();
        if (fits || begin == 0) products.begin(memory.of_halves + column);
        if constexpr (fits) {
            products.add(fragments, to, rounded.pitch(), depth / STEP);
        } else {
            u32 width = min(SLAB, depth - begin);
            for (u32 at = 0; at < width; at += CHUNK) {
                fragments.load(memory.rows + 2 * (begin + at), 2 * depth + PIECE, STEPS);
                products.add<STEPS>(fragments, to + 2 * at, rounded.pitch());
            }
        }
    }

    // Compares the queries with the needed stages of a span.
    __device__ __forceinline__ void compare_span(u32& place) {
        u32 columns = rounded.columns(), depth = rounded.depth;
        const Span& span = *memory.span;
        QueryFragments fragments;
        Products products;
        auto load_queries = [&]() {
            if (fits) fragments.load(memory.rows, 2 * depth + PIECE, depth / STEP);
        };
        if (span.stages > 0) copy_stage(span.first[0].column, 0, place);
        for (u32 stage = 0; stage < span.stages; stage++) {
            u32 first = span.first[stage].column, panel = span.first[stage].panel;
            u32 mask = span.needed[threadIdx.x / 32][panel] >> first % PANEL / TILE;
            if (stage == 0 || span.first[stage - 1].panel != panel) {
                read_bound();
                set_limits(first / PANEL * PANEL);
            }
            load_queries();
            for (u32 begin = 0; begin < depth; begin += SLAB, place ^= 1) {
                bool ends = fits || begin + SLAB >= depth, more = stage + 1 < span.stages;
                wait_for_copies();
                __syncthreads();
                if (!ends) copy_stage(first, begin + SLAB, place ^ 1);
                if (ends && more) copy_stage(span.first[stage + 1].column, 0, place ^ 1);
                for (u32 group = 0; group < columns; group += GROUP) {
                    if (!(mask >> group / TILE & 1)) continue;
                    add(fragments, products, place * columns + group, begin);
                    if (!ends || !passes(products)) continue;
                    collect(products, first + group);
                    if (load(memory.queries.length) < FEW_PAIRS) continue;
                    compare(first + group);
                    // Again, so that the comparison can use their registers.
                    load_queries();
                }
                if (fits) {
                    place ^= 1;
                    break;
                }
            }
            bool ends_panel = stage + 1 == span.stages || span.first[stage + 1].panel != panel;
            if (ends_panel && load(memory.queries.length) > 0) compare(first + columns - TILE);
        }
    }

    // Compares the queries with the columns of panels `begin` to `end`, starting with `first`.
    __device__ __forceinline__ void run(u32 begin, u32 end, u32 first) {
        Span& span = *memory.span;
        if (threadIdx.x == 0) {
            span.begin = begin;
            span.end = end;
            span.next = first;
            span.left = end - begin;
        }
        wait_for_copies();
        __syncthreads();
        u32 place = 0;
        // The panel of the queries comes first, by itself: it has near points.
        for (u32 most = rounded.tiles ? 1 : SPAN; find_needed(most); most = SPAN) {
            compare_span(place);
        }
        wait_for_copies();
    }
};
