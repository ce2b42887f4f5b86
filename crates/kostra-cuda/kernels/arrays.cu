// Arrays that others hand in with element types of their own, and answers that stay on the device.

// Vertices of any integer type as those that solvers take: 32 bits, unsigned. What is no such number is reported by its
// place; of the others the highest is found. Where `target` is null, the numbers have 32 bits already and stay.
template <typename Integer>
__device__ void take_vertices(const Integer* source, u64 count, u32* target, u64* fault, u32* highest) {
    u32 high = 0;
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 number = (u64)source[i]; // one that is negative becomes a large one
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

// Narrow weights as wide ones, none of them rounded.
template <typename Narrow, typename Wide>
__device__ void widen(const Narrow* source, u64 count, Wide* target) {
    for (u64 i = first_index(); i < count; i += index_stride()) target[i] = source[i];
}

KERNEL widen_i8(const signed char* source, u64 count, int* target) { widen(source, count, target); }
KERNEL widen_i16(const short* source, u64 count, int* target) { widen(source, count, target); }
KERNEL widen_u8(const unsigned char* source, u64 count, u32* target) { widen(source, count, target); }
KERNEL widen_u16(const unsigned short* source, u64 count, u32* target) { widen(source, count, target); }

// The type of half precision is in a header; the instruction is not.
KERNEL widen_f16(const unsigned short* source, u64 count, float* target) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        asm("cvt.f32.f16 %0, %1;" : "=f"(target[i]) : "h"(source[i]));
    }
}

// Edges whose weight is not a number become edges from a vertex to itself, which are in no forest.
template <typename Bits>
__device__ void skip_nan(u32* u, const u32* v, Bits* weights, u64 count, Bits infinity) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        // Without the sign, which a shift takes away, only what is not a number has more bits than infinity.
        if ((Bits)(weights[i] << 1) <= (Bits)(infinity << 1)) continue;
        u[i] = v[i];
        weights[i] = 0;
    }
}

KERNEL skip_nan_32(u32* u, const u32* v, u32* weights, u64 count) { skip_nan(u, v, weights, count, 0x7F800000u); }
KERNEL skip_nan_64(u32* u, const u32* v, u64* weights, u64 count) {
    skip_nan(u, v, weights, count, (u64)0x7FF0000000000000ull);
}

// How many edges each word of a set holds.
KERNEL count_members(const u32* words, u64 count, u32* members) {
    for (u64 i = first_index(); i < count; i += index_stride()) members[i] = __popc(words[i]);
}

// The members of a set, ascending, from the numbers of members in the words before each.
KERNEL list_members(const u32* words, u64 count, const u32* before, u64* ids) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u64 place = before[i];
        for (u32 word = words[i]; word != 0; word &= word - 1) ids[place++] = 32 * i + __ffs(word) - 1;
    }
}

// What stands in a column at some places.
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
