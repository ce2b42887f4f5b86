// Conversion of the caller's arrays to the types of the solvers, and values at a forest's edges.

#include "common.cuh"

// Converts integers of any type to vertices: unsigned, 32 bits. `fault` gets the first place of a
// value out of range, `highest` the highest of the other values. If `target` is null, the values
// have 32 bits already and are only checked.
template <typename Integer>
__device__ void take_vertices(const Integer* source, u64 count, u32* target, u64* fault,
                              u32* highest) {
    u32 high = 0;
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 number = (u64)source[i]; // a negative value becomes one above 2^32
        bool right = number <= 0xFFFFFFFFull;
        if (!right) lower(fault, i);
        if (right && (u32)number > high) high = (u32)number;
        if (target) target[i] = right ? (u32)number : 0;
    }
    for (u32 distance = 16; distance > 0; distance /= 2) {
        u32 other = __shfl_down_sync(NONE, high, distance);
        if (other > high) high = other;
    }
    if (threadIdx.x % 32 == 0 && load(highest) < high) atomicMax(highest, high);
}

#define TAKE_VERTICES(TYPE, Integer)                                                  \
    KERNEL vertices_##TYPE(const Integer* source, u64 count, u32* target, u64* fault, \
                           u32* highest) {                                            \
        take_vertices(source, count, target, fault, highest);                         \
    }
TAKE_VERTICES(i8, signed char)
TAKE_VERTICES(i16, short)
TAKE_VERTICES(i32, int)
TAKE_VERTICES(i64, long long)
TAKE_VERTICES(u8, unsigned char)
TAKE_VERTICES(u16, unsigned short)
TAKE_VERTICES(u32, u32)
TAKE_VERTICES(u64, u64)

// Converts narrow weights to wide ones, without rounding.
template <typename Narrow, typename Wide>
__device__ void widen(const Narrow* source, u64 count, Wide* target) {
    for (u64 i = first_index(); i < count; i += index_stride()) target[i] = source[i];
}

#define WIDEN(TYPE, Narrow, Wide)                                        \
    KERNEL widen_##TYPE(const Narrow* source, u64 count, Wide* target) { \
        widen(source, count, target);                                    \
    }
WIDEN(i8, signed char, int)
WIDEN(i16, short, int)
WIDEN(u8, unsigned char, u32)
WIDEN(u16, unsigned short, u32)

// The half-precision type needs a header; the instruction does not.
KERNEL widen_f16(const unsigned short* source, u64 count, float* target) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        asm("cvt.f32.f16 %0, %1;" : "=f"(target[i]) : "h"(source[i]));
    }
}

// Replaces each edge whose weight is NaN by a self-loop, which is in no forest.
template <typename Bits>
__device__ void skip_nan(u32* u, const u32* v, Bits* weights, u64 count, Bits infinity) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        // The shift removes the sign. Without it, the bits of a NaN, and of nothing else, exceed
        // those of infinity.
        if ((Bits)(weights[i] << 1) <= (Bits)(infinity << 1)) continue;
        u[i] = v[i];
        weights[i] = 0;
    }
}

// The bits of infinity follow the width of the weights.
#define SKIP_NAN(BITS, INFINITE)                                                \
    KERNEL skip_nan_##BITS(u32* u, const u32* v, u##BITS* weights, u64 count) { \
        skip_nan(u, v, weights, count, (u##BITS)INFINITE);                      \
    }
SKIP_NAN(32, 0x7F800000u)
SKIP_NAN(64, 0x7FF0000000000000ull)

// Copies the values of a column at the given places.
template <typename Value>
__device__ void pick(const Value* column, const u64* places, u64 count, Value* picked) {
    for (u64 i = first_index(); i < count; i += index_stride()) picked[i] = column[places[i]];
}

#define PICK(BYTES, Value)                                                                  \
    KERNEL pick_##BYTES(const Value* column, const u64* places, u64 count, Value* picked) { \
        pick(column, places, count, picked);                                                \
    }
PICK(1, unsigned char)
PICK(2, unsigned short)
PICK(4, u32)
PICK(8, u64)
