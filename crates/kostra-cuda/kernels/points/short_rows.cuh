// How a block compares short rows. They fit in a chunk, so the fragments of the queries stay in
// registers.
//
// A block has 32 queries for each warp, and a stage of columns in shared memory for all of them.

#pragma once

#include "points/comparison.cuh"

// The most columns of a stage, and the coordinates of all its columns.
constexpr u32 MOST_COLUMNS = 256;
constexpr u32 STAGE = 8192;

template <bool searches, typename T>
struct ShortRows : Comparison<searches, T> {
    using Base = Comparison<searches, T>;
    using Base::queries;
    using Base::rounded;
    using Base::span;

    u32 rows, stages, halves; // addresses
    const float* of_halves;
    float* reach;   // approximate distances above it are of no interest; negative if none is
    float limit[4]; // of the four queries whose products this lane has

    __device__ __forceinline__ ShortRows(const Rounded& rounded, Exact<T> exact,
                                         Components components, char* shared, u32 wanted)
        : Base(rounded, exact, components) {
        Parts parts = {shared};
        span = (Span*)parts.take(sizeof(Span));
        rows = shared_address(parts.of_warp<char>(QUERIES_WARP * pitch()));
        stages = shared_address(parts.take(2 * columns() * pitch()));
        of_halves = (const float*)parts.take(2 * 4 * columns());
        halves = shared_address(of_halves);
        queries.wanted = wanted;
        queries.locks = nullptr;
        queries.keys = parts.of_warp<u64>(QUERIES_WARP * wanted);
        queries.found = parts.of_warp<u32>(QUERIES_WARP * wanted);
        reach = parts.of_warp<float>(QUERIES_WARP);
        parts.take(queries, rounded);
    }

    // The columns of a stage.
    __device__ __forceinline__ u32 columns() const {
        return 1u << (31 - __clz(min(STAGE / rounded.depth, MOST_COLUMNS)));
    }

    // The bytes from a row to the next one.
    __device__ __forceinline__ u32 pitch() const { return 2 * rounded.depth + PIECE; }

    // Takes the query of this lane: a point and its slot.
    __device__ __forceinline__ void take(u32 point, u32 slot, bool exists) {
        u32 lane = threadIdx.x % 32;
        for (u32 k = 0; k < queries.wanted; k++) {
            queries.keys[lane * queries.wanted + k] = FAR;
            queries.found[lane * queries.wanted + k] = NONE;
        }
        Base::take(point, slot, exists);
        u32 pieces = rounded.depth / 8;
        for (u32 i = lane; i < QUERIES_WARP * pieces; i += 32) {
            u32 query = i / pieces, piece = i % pieces;
            u64 from = queries.component[query];
            copy_piece(rows + query * pitch() + piece * PIECE,
                       rounded.rows + from * rounded.depth + piece * 8);
        }
        Base::settle();
    }

    // Computes the limits of the products from the distances of interest, for a panel's columns
    // from `column` on.
    __device__ __forceinline__ void set_limits(u32 column) {
        u32 lane = threadIdx.x % 32;
        const Panel& panel = rounded.panels[column / PANEL];
        float own = this->is_done(this->least_from(column)) ? -1 : Base::reach();
        __syncwarp();
        reach[lane] = own;
        __syncwarp();
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u32 query = 8 * i + lane / 4;
            float farthest = reach[query];
            float far = (farthest + queries.error[query] + panel.error) * MORE;
            limit[i] = this->limit_of(queries.norm[query], panel.norm, far);
            if (farthest < 0) limit[i] = __int_as_float(0x7F800000);
        }
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
        u32 above = 0;
#pragma unroll
        for (u32 place = 0; place < 32; place++) {
            float product = products.of[place / 16][place / 4 % 4][place % 4];
            if (product > limit[place / 16 * 2 + place / 2 % 2]) above |= 1u << place;
        }
        for (; above != 0; above &= above - 1) {
            u32 place = __ffs(above) - 1;
            Base::collect(queries, Products::query(place), first + Products::column(place));
        }
        __syncwarp();
    }

    // Compares the collected pairs, which are up to the tile of `column`.
    __device__ __forceinline__ void compare(u32 column) {
        bool nearer = Base::compare(column);
        if (nearer && (column + TILE) % PANEL != 0) set_limits(column + TILE);
    }

    // Starts to copy a stage of columns to one of two places.
    __device__ __forceinline__ void copy_stage(u32 first, u32 place) const {
        u32 pieces = rounded.depth / 8;
        u32 to = stages + place * columns() * pitch();
        for (u32 i = threadIdx.x; i < columns() * pieces; i += blockDim.x) {
            u32 column = i / pieces, piece = i % pieces;
            copy_piece(to + column * pitch() + piece * PIECE,
                       rounded.rows + (u64)(first + column) * rounded.depth + piece * 8);
        }
        for (u32 i = threadIdx.x; i < columns() / 4; i += blockDim.x) {
            copy_piece(halves + (place * columns() + 4 * i) * 4, rounded.halves + first + 4 * i);
        }
    }

    // Compares the queries with the needed stages of a span.
    __device__ __forceinline__ void compare_span(u32& place) {
        QueryFragments fragments;
        Products products;
        auto load_queries = [&]() { fragments.load(rows, pitch(), rounded.depth / STEP); };
        if (span->stages > 0) copy_stage(span->first[0].column, place);
        for (u32 stage = 0; stage < span->stages; stage++, place ^= 1) {
            u32 first = span->first[stage].column, panel = span->first[stage].panel;
            u32 mask = span->needed[threadIdx.x / 32][panel] >> first % PANEL / TILE;
            if (stage == 0 || span->first[stage - 1].panel != panel) {
                this->read_bound();
                set_limits(first / PANEL * PANEL);
            }
            load_queries();
            wait_for_copies();
            __syncthreads();
            if (stage + 1 < span->stages) copy_stage(span->first[stage + 1].column, place ^ 1);
            for (u32 group = 0; group < columns(); group += GROUP) {
                if (!(mask >> group / TILE & 1)) continue;
                u32 column = place * columns() + group;
                products.begin(of_halves + column);
                products.add(fragments, stages + column * pitch(), pitch(), rounded.depth / STEP);
                if (!passes(products)) continue;
                collect(products, first + group);
                if (load(queries.length) < FEW_PAIRS) continue;
                compare(first + group);
                // Again, so that the comparison can use their registers.
                load_queries();
            }
            bool ends_panel =
                stage + 1 == span->stages || span->first[stage + 1].panel != panel;
            if (ends_panel && load(queries.length) > 0) compare(first + columns() - TILE);
        }
    }

    // Compares the queries with the columns of panels `begin` to `end`, starting with `first`.
    __device__ __forceinline__ void run(u32 begin, u32 end, u32 first) {
        this->begin_span(begin, end, first);
        wait_for_copies();
        __syncthreads();
        u32 place = 0;
        // The panel of the queries comes first, by itself: it has near points.
        for (u32 most = rounded.tiles ? 1 : SPAN; this->find_needed(most, columns()); most = SPAN) {
            compare_span(place);
        }
        wait_for_copies();
    }
};
