// The forest of a share of the edges, as a list of its own, and as members of the whole edge set.

#include "common.cuh"

// The ids of the edges of a list. The `known` edges from place `first` on have ids in `ids`. Those
// of the others ascend by one, and `offset` is what to add to their places, modulo 2^32.
__device__ __forceinline__ u32 id_at(const u32* ids, u32 first, u32 known, u32 offset, u32 i) {
    return i - first < known ? ids[i - first] : offset + i;
}

// Copies the members of a set of listed edges to a list of their own, in ascending order. `before`
// has, for each word of the set, the number of members in the words before it.
template <typename Weight>
__device__ void take_members(const u32* words, u64 count, const u32* before, const u32* u,
                             const u32* v, const Weight* weights, const u32* ids, u32 first,
                             u32 known, u32 offset, u32* taken_u, u32* taken_v,
                             Weight* taken_weights, u32* taken_ids) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u32 place = before[i];
        for (u32 word = words[i]; word != 0; word &= word - 1) {
            u32 edge = (u32)(32 * i) + __ffs(word) - 1;
            taken_u[place] = u[edge];
            taken_v[place] = v[edge];
            taken_weights[place] = weights[edge];
            taken_ids[place] = id_at(ids, first, known, offset, edge);
            place++;
        }
    }
}

#define TAKE_MEMBERS(BITS)                                                                      \
    KERNEL take_members_##BITS(const u32* words, u64 count, const u32* before, const u32* u,    \
                               const u32* v, const u##BITS* weights, const u32* ids, u32 first, \
                               u32 known, u32 offset, u32* taken_u, u32* taken_v,               \
                               u##BITS* taken_weights, u32* taken_ids) {                        \
        take_members(words, count, before, u, v, weights, ids, first, known, offset, taken_u,   \
                     taken_v, taken_weights, taken_ids);                                        \
    }
TAKE_MEMBERS(32)
TAKE_MEMBERS(64)

// Adds the members of a set of listed edges to the set of all edges, by their ids.
KERNEL mark_members(const u32* words, u64 count, const u32* ids, u32 first, u32 known, u32 offset,
                    u32* set) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        for (u32 word = words[i]; word != 0; word &= word - 1) {
            insert(set, id_at(ids, first, known, offset, (u32)(32 * i) + __ffs(word) - 1));
        }
    }
}
