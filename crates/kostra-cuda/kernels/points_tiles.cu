// Puts points into an order in which near points follow each other, and makes tiles of them.
//
// Some points are pivots. Each point belongs to the cell of its nearest pivot. The slots of a cell
// begin at a whole tile. In a cell, points are in the order of their distances from the pivot,
// because a cell may have points of several clusters.
//
// Nothing here is exact except the bounds: a tile's radius, and the pairs that lower a component's
// bound.

#include "points/queries.cuh"

// Threads of the kernels that have one thread or one warp for each item.
constexpr u32 SIMPLE = 256;
// Below the pivot in a key: how many bits of a distance, and where they are in its 32 bits.
constexpr u32 DISTANCE_BITS = 8;
constexpr u32 DISTANCE_SHIFT = 21;
// A pivot at more than this multiple of the distance of the nearest one is far: then tiles of both
// cells rule each other out.
constexpr float FAR_PIVOT = 4;

__device__ __forceinline__ u32 pivot_of(u64 key) { return (u32)(key >> DISTANCE_BITS); }

// ---- Pivots

// Copies the rows of pivots: of each of `pivots` equal ranges of points, one that looks random.
// Rows up to a whole stage have a half square with which they are no point's nearest.
KERNEL __launch_bounds__(SIMPLE) take_pivots(const PairArguments<void> args) {
    u32 lane = threadIdx.x % 32;
    for (u64 i = first_index() / 32; i < args.padded; i += index_stride() / 32) {
        u64 begin = i * args.count / args.pivots,
            length = max((i + 1) * args.count / args.pivots - begin, (u64)1);
        u64 from = begin + (u32)(i * 2654435761u) % length;
        bool exists = i < args.pivots;
        for (u32 k = lane; k < args.depth; k += 32) {
            args.pivot_rows[i * args.depth + k] = exists ? args.rounded[from * args.depth + k] : 0;
        }
        if (lane == 0)
            args.pivot_halves[i] = exists ? args.halves[from] : __int_as_float(0xFF800000);
    }
}

// The squared distance of rounded rows, by one thread.
__device__ __forceinline__ float apart(const unsigned short* a, const unsigned short* b,
                                       u32 depth) {
    float sum = 0;
    for (u32 k = 0; k < depth; k += 4) {
        ushort4 x = *(const ushort4*)&a[k], y = *(const ushort4*)&b[k];
        float differences[4] = {widened(x.x) - widened(y.x), widened(x.y) - widened(y.y),
                                widened(x.z) - widened(y.z), widened(x.w) - widened(y.w)};
#pragma unroll
        for (u32 j = 0; j < 4; j++) sum = fmaf(differences[j], differences[j], sum);
    }
    return sum;
}

// Counts the pairs of a sampled point and a pivot that is far from it. A warp serves a sample.
KERNEL __launch_bounds__(SIMPLE) count_far(const PairArguments<void> args) {
    u32 lane = threadIdx.x % 32;
    for (u64 i = first_index() / 32; i < args.samples; i += index_stride() / 32) {
        const unsigned short* row = args.rounded + (i * args.count / args.samples) * args.depth;
        float nearest = __int_as_float(0x7F800000);
        for (u32 pivot = lane; pivot < args.pivots; pivot += 32) {
            nearest =
                fminf(nearest, apart(row, args.pivot_rows + (u64)pivot * args.depth, args.depth));
        }
        nearest = __uint_as_float(__reduce_min_sync(ALL, __float_as_uint(nearest)));
        u32 own = 0;
        for (u32 pivot = lane; pivot < args.pivots; pivot += 32) {
            float square = apart(row, args.pivot_rows + (u64)pivot * args.depth, args.depth);
            own += square > FAR_PIVOT * FAR_PIVOT * nearest;
        }
        own = __reduce_add_sync(ALL, own);
        if (lane == 0) atomicAdd(args.far, own);
    }
}

// ---- Cells

// The key of each point: its nearest pivot, then the distance from it. A warp has 32 points, and
// compares them with 32 pivots at once.
KERNEL __launch_bounds__(SIMPLE) assign(const PairArguments<void> args) {
    u32 lane = threadIdx.x % 32, group = lane / 4, part = lane % 4;
    u64 first = first_index() / 32 * 32;
    if (first >= args.count) return;
    float best[4];
    u32 nearest[4];
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        best[i] = __int_as_float(0xFF800000);
        nearest[i] = 0;
    }
    for (u32 begin = 0; begin < args.padded; begin += 32) {
        Products products;
        products.begin(args.pivot_halves + begin);
        for (u32 k = 0; k < args.depth; k += STEP) {
            u32 rows[2][4];
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u64 row = min(first + 8 * i + group, (u64)args.count - 1);
                uint2 pair = *(const uint2*)&args.rounded[row * args.depth + k + 4 * part];
                rows[i / 2][i % 2] = pair.x;
                rows[i / 2][i % 2 + 2] = pair.y;
            }
#pragma unroll
            for (u32 n = 0; n < 4; n++) {
                u64 row = begin + 8 * n + group;
                uint2 pair = *(const uint2*)&args.pivot_rows[row * args.depth + k + 4 * part];
                multiply(products.of[0][n], rows[0], pair.x, pair.y);
                multiply(products.of[1][n], rows[1], pair.x, pair.y);
            }
        }
#pragma unroll
        for (u32 place = 0; place < 32; place++) {
            float product = products.of[place / 16][place / 4 % 4][place % 4];
            u32 i = place / 16 * 2 + place / 2 % 2;
            if (product > best[i]) {
                best[i] = product;
                nearest[i] = begin + Products::column(place);
            }
        }
    }
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        for (u32 step = 1; step < 4; step *= 2) {
            float product = __shfl_xor_sync(ALL, best[i], step);
            u32 pivot = __shfl_xor_sync(ALL, nearest[i], step);
            if (product > best[i] || (product == best[i] && pivot < nearest[i])) {
                best[i] = product;
                nearest[i] = pivot;
            }
        }
        u64 point = first + 8 * i + group;
        if (part > 0 || point >= args.count) continue;
        float square = fmaxf(args.norms[point] * args.norms[point] - 2 * best[i], 0);
        u32 bits = __float_as_uint(square) >> DISTANCE_SHIFT & ((1u << DISTANCE_BITS) - 1);
        args.cell_keys[point] = (u64)nearest[i] << DISTANCE_BITS | bits;
        args.cell_points[point] = (u32)point;
    }
}

// The first place of each cell in the sorted keys, and their number at the end.
KERNEL __launch_bounds__(SIMPLE) begin_cells(const PairArguments<void> args) {
    for (u64 i = first_index(); i <= args.count; i += index_stride()) {
        u32 before = i == 0 ? 0 : pivot_of(args.cell_keys[i - 1]) + 1;
        u32 own = i == args.count ? args.pivots : pivot_of(args.cell_keys[i]);
        for (u32 cell = before; cell <= own; cell++) args.begins[cell] = (u32)i;
    }
}

// Puts each point into its slot. `first_slots` has the first slot of each cell.
KERNEL __launch_bounds__(SIMPLE) fill_slots(const PairArguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        u32 cell = pivot_of(args.cell_keys[i]),
            slot = args.first_slots[cell] + (u32)i - args.begins[cell];
        args.points_of[slot] = args.cell_points[i];
        args.slots_of[args.cell_points[i]] = slot;
    }
}

// ---- Tiles

// The center and the radius of each tile. A warp makes a tile.
KERNEL __launch_bounds__(SIMPLE) make_tiles(const PairArguments<void> args) {
    u32 lane = threadIdx.x % 32;
    u64 tile = first_index() / 32;
    if (tile >= args.padded / TILE) return;
    u64 slot = tile * TILE + lane;
    u32 valid = __ballot_sync(ALL, slot < args.slots && args.points_of[slot] != NONE);
    const unsigned short* rows = args.rounded + tile * TILE * args.depth;
    float square = 0;
    for (u32 k = lane; k < args.depth; k += 32) {
        float sum = 0;
        for (u32 i = 0; i < TILE; i++)
            sum += valid >> i & 1 ? widened(rows[i * args.depth + k]) : 0;
        unsigned short bits = narrowed(sum / max(__popc(valid), 1));
        args.centers[tile * args.depth + k] = bits;
        square = fmaf(widened(bits), widened(bits), square);
    }
    square = sum_up(square);
    __syncwarp();
    float radius = 0;
    if (valid >> lane & 1) {
        radius =
            sqrtf(apart(rows + lane * args.depth, args.centers + tile * args.depth, args.depth)) *
            MORE;
        radius += args.errors[slot];
    }
    radius = __uint_as_float(__reduce_max_sync(ALL, __float_as_uint(radius))) * MORE;
    u32 least = NONE;
    for (u64 next = slot; next < (tile * TILE / PANEL + 1) * PANEL && next < args.slots;
         next += TILE) {
        least = min(least, args.points_of[next]);
    }
    least = __reduce_min_sync(ALL, least);
    if (lane > 0) return;
    float half = valid ? -0.5f * square : __int_as_float(0xFF800000);
    args.tiles[tile] = Tile{half, sqrtf(square) * MORE, radius, least};
}

// The label of each slot's point, and of each tile: that of all its points, or NONE.
KERNEL __launch_bounds__(SIMPLE) label_tiles(const PairArguments<void> args) {
    u32 lane = threadIdx.x % 32;
    u64 tiles = (args.slots + TILE - 1) / TILE;
    for (u64 tile = first_index() / 32; tile < tiles; tile += index_stride() / 32) {
        u64 slot = tile * TILE + lane;
        u32 point = slot < args.slots ? args.points_of[slot] : NONE;
        u32 label = point == NONE ? NONE : args.labels[point];
        if (slot < args.slots) args.slot_labels[slot] = label;
        u32 first = __shfl_sync(ALL, label, 0);
        bool same = __all_sync(ALL, point == NONE || label == first);
        if (lane == 0) args.tile_labels[tile] = same ? first : NONE;
    }
}

// ---- First bounds

// The tile of another component whose center is nearest to a query: for every second of 32 queries,
// the rows of matrix products. Only tiles of a single component are looked at. Returns the tile for
// the lane's query or the one before it, or NONE.
__device__ __forceinline__ u32 nearest_tile(const unsigned short* rounded, u32 depth, u32 slot,
                                            u32 label, const unsigned short* centers,
                                            const Tile* tiles, const u32* tile_labels,
                                            u32 tile_count) {
    u32 lane = threadIdx.x % 32, group = lane / 4, part = lane % 4;
    const unsigned short* rows[2];
    u32 own[2], nearest[2] = {NONE, NONE};
    float best[2];
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        u32 query = 2 * (8 * i + group);
        rows[i] = rounded + (u64)__shfl_sync(ALL, slot, query) * depth + 4 * part;
        own[i] = __shfl_sync(ALL, label, query);
        best[i] = __int_as_float(0xFF800000);
    }
    for (u32 begin = 0; begin < tile_count; begin += 32) {
        float products[4][4] = {};
        for (u32 k = 0; k < depth; k += STEP) {
            uint2 low = *(const uint2*)&rows[0][k], high = *(const uint2*)&rows[1][k];
            u32 fragments[4] = {low.x, high.x, low.y, high.y};
#pragma unroll
            for (u32 n = 0; n < 4; n++) {
                u64 tile = min(begin + 8 * n + group, tile_count - 1);
                uint2 column = *(const uint2*)&centers[tile * depth + k + 4 * part];
                multiply(products[n], fragments, column.x, column.y);
            }
        }
#pragma unroll
        for (u32 place = 0; place < 16; place++) {
            u32 tile = begin + 8 * (place / 4) + 2 * part + place % 2, i = place / 2 % 2;
            u32 other = tile < tile_count ? tile_labels[tile] : NONE;
            bool is_other = other != NONE && other != own[i];
            float half = tiles[min(tile, tile_count - 1)].half;
            float product = products[place / 4][place % 4] + half;
            if (is_other && product > best[i]) {
                best[i] = product;
                nearest[i] = tile;
            }
        }
        __syncwarp();
    }
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        for (u32 step = 1; step < 4; step *= 2) {
            float product = __shfl_xor_sync(ALL, best[i], step);
            u32 tile = __shfl_xor_sync(ALL, nearest[i], step);
            if (product > best[i] || (product == best[i] && tile < nearest[i])) {
                best[i] = product;
                nearest[i] = tile;
            }
        }
    }
    u32 low = __shfl_sync(ALL, nearest[0], lane / 2 % 8 * 4);
    u32 high = __shfl_sync(ALL, nearest[1], lane / 2 % 8 * 4);
    return lane < 16 ? low : high;
}

// Lowers the bound of each query's component to the distance of a near point in a near tile of
// another component. A warp has 32 queries.
template <typename T>
__device__ __forceinline__ void first_bounds(Exact<T> exact, const unsigned short* rounded,
                                             u32 depth, const u32* points_of, const u32* slots_of,
                                             const unsigned short* centers, const Tile* tiles,
                                             const u32* tile_labels, u32 tile_count,
                                             const u32* queries, u32 count, const u32* labels,
                                             const u64* cores, u64* bounds) {
    u64 query = first_index();
    if (query - threadIdx.x % 32 >= count) return;
    u32 point = named_point(query < count ? queries[query] : NONE);
    u32 label = labels[point], slot = slots_of[point];
    u32 tile = nearest_tile(rounded, depth, slot, label, centers, tiles, tile_labels, tile_count);
    if (tile == NONE || tile_labels[tile] == label) return;
    u32 nearest = points_of[(u64)tile * TILE];
    float least = __int_as_float(0x7F800000);
    for (u32 i = 0; i < TILE; i++) {
        u64 other = (u64)tile * TILE + i;
        if (points_of[other] == NONE) break;
        float square = apart(rounded + (u64)slot * depth, rounded + other * depth, depth);
        if (square < least) {
            least = square;
            nearest = points_of[other];
        }
    }
    lower(&bounds[label], exact.distance(cores, point, nearest));
}

#define FIRST_BOUNDS(TYPE, T)                                                             \
    KERNEL __launch_bounds__(SIMPLE) first_bounds_##TYPE(const PairArguments<T> args) {   \
        first_bounds(Exact<T>{args.points, args.stride, args.dimensions}, args.rounded,   \
                     args.depth, args.points_of, args.slots_of, args.centers, args.tiles, \
                     args.tile_labels, args.tile_count, args.queries, args.query_count,   \
                     args.labels, args.cores, args.bounds);                               \
    }

FIRST_BOUNDS(f32, float)
FIRST_BOUNDS(f64, double)
