// Conversion of the caller's arrays to the solvers' types, and forests that stay on the device.

#include "common.cuh"

// Converts integers of any type to vertices: unsigned, 32 bits. `fault` gets the first place of a
// value out of range, `highest` the highest of the other values. If `target` is null, the values
// have 32 bits already and are only checked.
template <typename Integer>
__device__ void take_vertices(const Integer* source, u64 count, u32* target, u64* fault, u32* highest) {
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

#define TAKE_VERTICES(name, Integer)                                                               \
    KERNEL name(const Integer* source, u64 count, u32* target, u64* fault, u32* highest) {         \
        take_vertices(source, count, target, fault, highest);                                      \
    }
TAKE_VERTICES(vertices_i8, signed char)
TAKE_VERTICES(vertices_i16, short)
TAKE_VERTICES(vertices_i32, int)
TAKE_VERTICES(vertices_i64, long long)
TAKE_VERTICES(vertices_u8, unsigned char)
TAKE_VERTICES(vertices_u16, unsigned short)
TAKE_VERTICES(vertices_u32, u32)
TAKE_VERTICES(vertices_u64, u64)

// Converts narrow weights to wide ones, without rounding.
template <typename Narrow, typename Wide>
__device__ void widen(const Narrow* source, u64 count, Wide* target) {
    for (u64 i = first_index(); i < count; i += index_stride()) target[i] = source[i];
}

KERNEL widen_i8(const signed char* source, u64 count, int* target) { widen(source, count, target); }
KERNEL widen_i16(const short* source, u64 count, int* target) { widen(source, count, target); }
KERNEL widen_u8(const unsigned char* source, u64 count, u32* target) { widen(source, count, target); }
KERNEL widen_u16(const unsigned short* source, u64 count, u32* target) { widen(source, count, target); }

// The half-precision type needs a header; the instruction does not.
KERNEL widen_f16(const unsigned short* source, u64 count, float* target) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        asm("cvt.f32.f16 %0, %1;" : "=f"(target[i]) : "h"(source[i]));
    }
}

// Makes a self-loop, which is in no forest, of each edge whose weight is NaN.
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

KERNEL skip_nan_32(u32* u, const u32* v, u32* weights, u64 count) { skip_nan(u, v, weights, count, 0x7F800000u); }
KERNEL skip_nan_64(u32* u, const u32* v, u64* weights, u64 count) {
    skip_nan(u, v, weights, count, (u64)0x7FF0000000000000ull);
}

// Counts the members in each word of a set.
KERNEL count_members(const u32* words, u64 count, u32* members) {
    for (u64 i = first_index(); i < count; i += index_stride()) members[i] = __popc(words[i]);
}

// Lists the members of a set in ascending order; `before` is the number of members in the words
// before each word.
KERNEL list_members(const u32* words, u64 count, const u32* before, u64* ids) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 place = before[i];
        for (u32 word = words[i]; word != 0; word &= word - 1) ids[place++] = 32 * i + __ffs(word) - 1;
    }
}

// The values of a column at the given places.
template <typename Value>
__device__ void pick(const Value* column, const u64* places, u64 count, Value* picked) {
    for (u64 i = first_index(); i < count; i += index_stride()) picked[i] = column[places[i]];
}

KERNEL pick_1(const unsigned char* column, const u64* places, u64 count, unsigned char* picked) {
    pick(column, places, count, picked);
}
KERNEL pick_2(const unsigned short* column, const u64* places, u64 count, unsigned short* picked) {
    pick(column, places, count, picked);
}
KERNEL pick_4(const u32* column, const u64* places, u64 count, u32* picked) { pick(column, places, count, picked); }
KERNEL pick_8(const u64* column, const u64* places, u64 count, u64* picked) { pick(column, places, count, picked); }
