// How a block compares long rows. It multiplies 256 queries with 128 columns at a time, as large
// matrices are multiplied: slabs of both come through shared memory, and each of eight warps has
// the products of 64 queries and 64 columns in its registers.
//
// Apart from that, each warp serves 32 queries: it knows their limits, and compares what all warps
// have collected for them. The nearest points of a query are in global memory, because several
// blocks look for them, each in a part of the columns. So a few queries and a few columns at a time
// are read by all blocks, and stay in the cache.

#pragma once

#include "points/comparison.cuh"

// Columns of a stage, and coordinates of a slab.
constexpr u32 COLUMNS = 128;
constexpr u32 SLAB = 32;
// The bytes of a slab of one row, and of all rows. The half squares of columns come after them.
constexpr u32 SLAB_ROW = 2 * SLAB;
constexpr u32 SLAB_ROWS = (THREADS + COLUMNS) * SLAB_ROW;
constexpr u32 SLAB_BYTES = SLAB_ROWS + COLUMNS * 4;
// The pieces of one row in a slab. At once, all threads copy a piece of this many rows.
constexpr u32 PIECES = SLAB_ROW / PIECE;
constexpr u32 ROWS = THREADS / PIECES;
// Queries and columns of a warp's products.
constexpr u32 SIDE = 64;

// Waits until all copies but the last `pending` groups have ended.
__device__ __forceinline__ void wait_for_groups(u32 pending) {
    switch (pending) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    }
}

template <bool searches, typename T>
struct LongRows : Comparison<searches, T> {
    using Base = Comparison<searches, T>;
    using Base::queries;
    using Base::rounded;
    using Base::span;

    // Where the nearest points of a block's queries are.
    struct Answers {
        u64* keys;
        u32 *found, *locks;
    };

    const char* of_slabs;
    u32 slabs;     // the address of the first one
    u32 places;    // of slabs
    float* limits; // of the products of each query of the block
    u32* slots;    // of the queries
    u32 own[THREADS / ROWS]; // the slots of the queries whose rows this thread copies
    u32 pairs;               // that a warp collects before it compares them
    // Where this lane's fragments of queries and of columns are in a slab, in each step.
    u32 query_at[SLAB / STEP], column_at[SLAB / STEP];
    float products[4][8][4];

    __device__ __forceinline__ LongRows(const Rounded& rounded, Exact<T> exact,
                                        Components components, char* shared, Answers answers,
                                        u32 wanted, u32 places, u32 pairs)
        : Base(rounded, exact, components), places(places), pairs(pairs) {
        Parts parts = {shared};
        span = (Span*)parts.take(sizeof(Span));
        of_slabs = parts.take(places * SLAB_BYTES);
        slabs = shared_address(of_slabs);
        limits = (float*)parts.take(THREADS * sizeof(float));
        slots = (u32*)parts.take(THREADS * sizeof(u32));
        u32 warp = threadIdx.x / 32 * QUERIES_WARP;
        queries.wanted = wanted;
        queries.keys = answers.keys + (u64)warp * wanted;
        queries.found = answers.found + (u64)warp * wanted;
        queries.locks = answers.locks + warp;
        parts.take(queries, rounded);
    }

    // Takes the query of this lane: a point and its slot.
    __device__ __forceinline__ void take(u32 point, u32 slot, bool exists) {
        slots[threadIdx.x] = slot;
        Base::take(point, slot, exists);
        Base::settle();
    }

    // The place of a piece of a row in its slab, such that eight rows have it in different banks.
    __device__ __forceinline__ static u32 place_of(u32 row, u32 piece) {
        return row * SLAB_ROW + (piece ^ row / 2 % 4) * PIECE;
    }

    // Where the slabs of a span are. Slabs take places in turn.
    struct Slab {
        u32 stage, step; // its stage, and its place in the rows
        u32 at;          // its address
    };

    __device__ __forceinline__ Slab first_slab() const { return {0, 0, slabs}; }

    __device__ __forceinline__ void advance(Slab& slab) const {
        if (++slab.step == rounded.depth / SLAB) {
            slab.step = 0;
            slab.stage++;
        }
        slab.at += SLAB_BYTES;
        if (slab.at == slabs + places * SLAB_BYTES) slab.at = slabs;
    }

    // Starts to copy a slab of the queries and of a stage's columns, if the span has the stage.
    // Ends a group of copies.
    __device__ __forceinline__ void copy(Slab& slab) const {
        if (slab.stage < span->stages) {
            // A thread copies the same piece of every 64th row.
            u32 pieces = rounded.depth / 8;
            u32 row = threadIdx.x / PIECES, piece = threadIdx.x % PIECES;
            u32 to = slab.at + place_of(row, piece);
            const uint4* from = (const uint4*)rounded.rows + slab.step * PIECES + piece;
            u32 first = span->first[slab.stage].column;
#pragma unroll
            for (u32 i = 0; i < (THREADS + COLUMNS) / ROWS; i++) {
                u32 slot = i < THREADS / ROWS ? own[i] : first + row + (i - THREADS / ROWS) * ROWS;
                copy_piece(to + i * ROWS * SLAB_ROW, from + (u64)slot * pieces);
            }
            if (slab.step == 0 && threadIdx.x < COLUMNS / 4) {
                copy_piece(slab.at + SLAB_ROWS + threadIdx.x * PIECE,
                           rounded.halves + first + threadIdx.x * 4);
            }
        }
        advance(slab);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }

    // The first query and the first column of this warp's products, and of this lane's in them.
    __device__ __forceinline__ static u32 first_query() { return threadIdx.x / 64 * SIDE; }
    __device__ __forceinline__ static u32 first_column() { return threadIdx.x / 32 % 2 * SIDE; }
    // The query of products[m][..][i].
    __device__ __forceinline__ static u32 query(u32 m, u32 i) {
        return first_query() + 16 * m + i / 2 * 8 + threadIdx.x % 32 / 4;
    }
    // The column of products[..][n][i] in its stage.
    __device__ __forceinline__ static u32 column(u32 n, u32 i) {
        return first_column() + 8 * n + threadIdx.x % 4 * 2 + i % 2;
    }

    // The products begin with the columns' half squares, which are negative. They are in the first
    // slab of a stage.
    __device__ __forceinline__ void begin(const Slab& slab) {
        const float* halves = (const float*)(of_slabs + (slab.at - slabs) + SLAB_ROWS);
#pragma unroll
        for (u32 n = 0; n < 8; n++) {
            float2 half = *(const float2*)&halves[column(n, 0)];
#pragma unroll
            for (u32 m = 0; m < 4; m++) {
                products[m][n][0] = products[m][n][2] = half.x;
                products[m][n][1] = products[m][n][3] = half.y;
            }
        }
    }

    // Adds the products of the slab at an address.
    __device__ __forceinline__ void add(u32 from) {
#pragma unroll
        for (u32 step = 0; step < SLAB / STEP; step++) {
            u32 rows[4][4], columns[4][4];
#pragma unroll
            for (u32 m = 0; m < 4; m++) {
                load_matrices(rows[m], from + query_at[step] + 16 * m * SLAB_ROW);
            }
#pragma unroll
            for (u32 n = 0; n < 4; n++) {
                load_matrices(columns[n], from + column_at[step] + 16 * n * SLAB_ROW);
            }
#pragma unroll
            for (u32 m = 0; m < 4; m++) {
#pragma unroll
                for (u32 n = 0; n < 4; n++) {
                    multiply(products[m][2 * n], rows[m], columns[n][0], columns[n][1]);
                    multiply(products[m][2 * n + 1], rows[m], columns[n][2], columns[n][3]);
                }
            }
        }
    }

    // Computes the limit of the lane's query for a panel's columns from `column` on.
    __device__ __forceinline__ void set_limits(u32 column) {
        u32 lane = threadIdx.x % 32;
        const Panel& panel = rounded.panels[column / PANEL];
        float far = (Base::reach() + queries.error[lane] + panel.error) * MORE;
        bool done = this->is_done(this->least_from(column));
        limits[threadIdx.x] = done ? __int_as_float(0x7F800000)
                                   : this->limit_of(queries.norm[lane], panel.norm, far);
    }

    // Compares the collected pairs, whose columns are before `next` in its panel, or in the one
    // that ends there.
    __device__ __forceinline__ void compare(u32 next) {
        bool nearer = Base::compare(next - 1);
        if (nearer && next % PANEL != 0) set_limits(next);
    }

    // The number of threads that have a product above its limit.
    __device__ __forceinline__ u32 count_passing() const {
        bool above = false;
#pragma unroll
        for (u32 m = 0; m < 4; m++) {
            float own[2] = {limits[query(m, 0)], limits[query(m, 2)]};
#pragma unroll
            for (u32 n = 0; n < 8; n++) {
#pragma unroll
                for (u32 i = 0; i < 4; i++) above |= products[m][n][i] > own[i / 2];
            }
        }
        return __syncthreads_count(above);
    }

    // Collects the pairs above the limits of a quarter of the stage.
    __device__ __forceinline__ void collect(u32 first, u32 part) {
        if (first_column() != part * GROUP / SIDE * SIDE) return;
        u64 above = 0;
#pragma unroll
        for (u32 place = 0; place < 64; place++) {
            // The products of both quarters of a warp have their places in registers.
            float of_even = products[place / 16][place / 4 % 4][place % 4];
            float of_odd = products[place / 16][place / 4 % 4 + 4][place % 4];
            float product = part % 2 == 0 ? of_even : of_odd;
            above |= (u64)(product > limits[query(place / 16, place % 4)]) << place;
        }
        for (; above != 0; above &= above - 1) {
            u32 place = __ffsll(above) - 1, n = part % 2 * 4 + place / 4 % 4;
            offer(query(place / 16, place % 4), first + column(n, place % 4));
        }
    }

    // What comes after the products of a stage: pairs above the limits are collected. They are
    // compared at the end of a panel, and before there is no more room for them. Before a stage, a
    // warp has less than `pairs` of them.
    __device__ __forceinline__ void finish_stage(u32 first, bool ends_panel) {
        // A thread has up to 64 pairs for a warp.
        constexpr u32 MOST_PASSING = (ROOM - MANY_PAIRS) / 64;
        u32 passing = count_passing();
        if (passing > MOST_PASSING || (passing > 0 && pairs == FEW_PAIRS)) {
            for (u32 part = 0; part < COLUMNS / GROUP; part++) {
                collect(first, part);
                __syncthreads();
                if (load(queries.length) >= pairs) compare(first + (part + 1) * GROUP);
                __syncthreads();
            }
        } else if (passing > 0) {
            for (u32 part = 0; part < COLUMNS / GROUP; part++) collect(first, part);
        }
        if (!ends_panel) return;
        __syncthreads();
        if (load(queries.length) > 0) compare(first + COLUMNS);
    }

    // Collects a pair of a query of the block.
    __device__ __forceinline__ void offer(u32 query, u32 other) {
        // The parts of all warps follow each other.
        int warps = (int)(query / QUERIES_WARP) - (int)(threadIdx.x / 32);
        Queries served = queries;
        served.waiting += warps * (int)ROOM;
        served.length += warps;
        served.component += warps * (int)QUERIES_WARP;
        Base::collect(served, query % QUERIES_WARP, other);
    }

    // Compares the queries with the needed stages of a span.
    __device__ __forceinline__ void compare_span() {
        Slab copied = first_slab();
        for (u32 ahead = 1; ahead < places; ahead++) copy(copied);
        for (Slab slab = first_slab(); slab.stage < span->stages; advance(slab)) {
            u32 first = span->first[slab.stage].column, panel = span->first[slab.stage].panel;
            wait_for_groups(places - 2);
            __syncthreads();
            if (slab.step == 0) {
                begin(slab);
                if (slab.stage == 0 || span->first[slab.stage - 1].panel != panel) {
                    this->read_bound();
                    set_limits(first / PANEL * PANEL);
                } else if (load(queries.length) >= pairs) {
                    compare(first);
                }
            }
            add(slab.at);
            // The place of the slab before this one is free. Copies begin while others multiply.
            copy(copied);
            if (slab.step + 1 < rounded.depth / SLAB) continue;
            finish_stage(first, slab.stage + 1 == span->stages ||
                                    span->first[slab.stage + 1].panel != panel);
        }
        wait_for_copies();
        __syncthreads();
    }

    // Compares the queries with the columns of panels `begin` to `end`, starting with `first`.
    __device__ __forceinline__ void run(u32 begin, u32 end, u32 first) {
        this->begin_span(begin, end, first);
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < THREADS / ROWS; i++) own[i] = slots[i * ROWS + threadIdx.x / PIECES];
        u32 lane = threadIdx.x % 32, row = THREADS + first_column() + lane / 16 * 8 + lane % 8;
#pragma unroll
        for (u32 step = 0; step < SLAB / STEP; step++) {
            query_at[step] = place_of(first_query() + lane % 16, 2 * step + lane / 16);
            column_at[step] = place_of(row, 2 * step + lane / 8 % 2);
        }
        // The panel of the queries comes first, by itself: it has near points.
        for (u32 most = rounded.tiles ? 1 : SPAN; this->find_needed(most, COLUMNS); most = SPAN) {
            compare_span();
        }
    }
};
