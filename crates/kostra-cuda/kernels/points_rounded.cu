// Before and after the comparison of all pairs: rounded rows, and the nearest outgoing pairs that
// lists know.

#include "points/counters.cuh"
#include "points/exact.cuh"
#include "points/extent.cuh"
#include "points/lists.cuh"
#include "points/panels.cuh"

constexpr u32 THREADS = 256;
constexpr u32 WARP = 32;

// ---- Input

// Divides vectors by their lengths, operation by operation as kostra-points/src/canonical/. `fault`
// becomes the first vector of length zero.
template <typename T>
__device__ __forceinline__ void divide(const T* points, u32 dimensions, u64 stride, u32 count,
                                       double* rows, u64* fault) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        const T* vector = points + i * stride;
        double* row = rows + i * dimensions;
        double largest = 0;
        for (u32 k = 0; k < dimensions; k++) largest = fmax(largest, fabs((double)vector[k]));
        if (largest == 0) atomicMin(fault, i);
        double scale = largest > 0x1p400 ? 0x1p-600 : largest < 0x1p-400 ? 0x1p600 : 1;
        double sum = 0;
        for (u32 k = 0; k < dimensions; k++) {
            double x = __dmul_rn((double)vector[k], scale);
            row[k] = x;
            sum = __dadd_rn(sum, __dmul_rn(x, x));
        }
        double length = __dsqrt_rn(sum);
        for (u32 k = 0; k < dimensions; k++) row[k] = __ddiv_rn(row[k], length);
    }
}

KERNEL __launch_bounds__(THREADS) directions_f32(const float* points, u32 dimensions, u64 stride,
                                                 u32 count, double* rows, u64* fault) {
    divide(points, dimensions, stride, count, rows, fault);
}

KERNEL __launch_bounds__(THREADS) directions_f64(const double* points, u32 dimensions, u64 stride,
                                                 u32 count, double* rows, u64* fault) {
    divide(points, dimensions, stride, count, rows, fault);
}

// Rounds (x - center) * scale to 16 bits: `depth` numbers of a row, with zeros at the end. Keeps
// the length of each rounded row, how far it is from the row itself, and minus half its square. A
// warp rounds a row. `points_of` has the point of each of `slots` slots, or NONE. Rows without a
// point, up to a whole panel, have a half square that no pair passes.
template <typename T>
__device__ __forceinline__ void round_rows(Exact<T> exact, const u32* points_of, u32 slots,
                                           const double* center, double scale, u32 depth,
                                           unsigned short* rounded, float* halves, float* norms,
                                           float* errors, Panel* panels) {
    u32 lane = threadIdx.x % WARP;
    u64 padded = (slots + (u64)PANEL - 1) / PANEL * PANEL;
    for (u64 i = first_index() / WARP; i < padded; i += index_stride() / WARP) {
        u32 point = i < slots ? points_of[i] : NONE;
        float square = 0, error = 0;
        for (u32 k = lane; k < depth; k += WARP) {
            double x = 0;
            if (point != NONE && k < exact.dimensions) {
                x = (double)exact.points[point * exact.stride + k];
                x = __dmul_rn(__dsub_rn(x, center[k]), scale);
            }
            unsigned short bits;
            float near;
            asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
            asm("cvt.f32.f16 %0, %1;" : "=f"(near) : "h"(bits));
            rounded[i * depth + k] = bits;
            // The subtraction and the scaling have a relative error, too.
            float off = (float)fabs(x - (double)near) + (float)fabs(x) * 1e-14f;
            square = fmaf(near, near, square);
            error = fmaf(off, off, error);
        }
        square = sum_up(square);
        float norm = sqrtf(square) * MORE;
        error = sqrtf(sum_up(error)) * MORE + 1e-17f;
        if (lane > 0) continue;
        halves[i] = point != NONE ? -0.5f * square : __int_as_float(0xFF800000);
        norms[i] = norm;
        errors[i] = error;
        atomicMax((int*)&panels[i / PANEL].norm, __float_as_int(norm));
        atomicMax((int*)&panels[i / PANEL].error, __float_as_int(error));
    }
}

#define ROUND(TYPE, T)                                                                           \
    KERNEL __launch_bounds__(THREADS) round_##TYPE(const PairArguments<T> args) {                \
        round_rows(Exact<T>{args.points, args.stride, args.dimensions}, args.points_of,          \
                   args.slots, args.center, __longlong_as_double((long long)args.scale),         \
                   args.depth, args.rounded, args.halves, args.norms, args.errors, args.panels); \
    }

ROUND(f32, float)
ROUND(f64, double)

// ---- Rounds

// Takes the nearest outgoing pair from each list that has one, and lowers the components' bounds.
#define ADVANCE(TYPE, T)                                                                      \
    KERNEL __launch_bounds__(THREADS) advance_##TYPE(const PairArguments<T> args) {           \
        Exact<T> exact = {args.points, args.stride, args.dimensions};                         \
        for (u64 i = first_index(); i < args.count; i += index_stride()) {                    \
            u32 dropped = Lists{args.lists, args.count}.drop(i, args.labels, args.labels[i]), \
                nearest = args.lists[i];                                                      \
            if (nearest == NONE) continue;                                                    \
            if (dropped > 0) args.keys[i] = exact.distance(args.cores, i, nearest);           \
            lower(&args.bounds[args.labels[i]], args.keys[i]);                                \
        }                                                                                     \
    }

ADVANCE(f32, float)
ADVANCE(f64, double)

// Joins the answers of all parts of the columns. What a search has found below its component's
// bound becomes its list. Up to the bound, there is nothing else.
KERNEL __launch_bounds__(THREADS) finish(const PairArguments<void> args) {
    for (u64 q = first_index(); q < args.query_count; q += index_stride()) {
        u64 best_key = FAR;
        u32 best = NONE, point = args.queries[q];
        if (point == NONE) continue;
        for (u32 part = 0; part < args.parts; part++) {
            u64 key = args.part_keys[(u64)part * args.query_count + q];
            u32 found = args.part_found[(u64)part * args.query_count + q];
            if (is_before(key, found, best_key, best)) {
                best_key = key;
                best = found;
            }
        }
        u64 bound = args.bounds[args.labels[point]];
        bool found = best != NONE && best_key <= bound;
        if (found) {
            args.lists[point] = best;
            args.keys[point] = best_key;
        }
        // After the best point, another one may have the same distance.
        args.least_keys[point] = found ? best_key : bound == FAR ? FAR : bound + 1;
    }
}

// Lowers the bounds of components to those of another device, which are in place of answers' keys.
KERNEL __launch_bounds__(THREADS) lower_bounds(const PairArguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        args.bounds[i] = min(args.bounds[i], args.part_keys[i]);
    }
}
