// The forest of a share of the edges, as a list of its own, and as members of the whole edge set.

#include "members.cuh"

// The ids of the edges of a list. The first `known` edges have ids in `ids`. Those of the others
// ascend by one, and `offset` is what to add to their places, modulo 2^32.
__device__ __forceinline__ u32 id_at(const u32* ids, u32 known, u32 offset, u32 i) {
    return i < known ? ids[i] : offset + i;
}

// Copies the members of a set of listed edges to a list of their own, in ascending order. `before`
// has, for each line of the set, the number of members in the lines before it.
template <typename Weight>
__device__ void take_members(const u32* words, u64 count, const u32* before, const u32* u,
                             const u32* v, const Weight* weights, const u32* ids, u32 known,
                             u32 offset, u32* taken_u, u32* taken_v, Weight* taken_weights,
                             u32* taken_ids) {
    for_each_member(words, count, before, [&](u32 place, u64 edge) {
        taken_u[place] = u[edge];
        taken_v[place] = v[edge];
        taken_weights[place] = weights[edge];
        taken_ids[place] = id_at(ids, known, offset, (u32)edge);
    });
}

#define TAKE_MEMBERS(BITS)                                                                      \
    KERNEL take_members_##BITS(const u32* words, u64 count, const u32* before, const u32* u,    \
                               const u32* v, const u##BITS* weights, const u32* ids,            \
                               u32 known, u32 offset, u32* taken_u, u32* taken_v,               \
                               u##BITS* taken_weights, u32* taken_ids) {                        \
        take_members(words, count, before, u, v, weights, ids, known, offset, taken_u, taken_v, \
                     taken_weights, taken_ids);                                                 \
    }
TAKE_MEMBERS(32)
TAKE_MEMBERS(64)

// Adds the members of a set of listed edges to the set of all edges, by their ids.
KERNEL mark_members(const u32* words, u64 count, const u32* ids, u32 known, u32 offset, u32* set) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        for (u32 word = words[i]; word != 0; word &= word - 1) {
            insert(set, id_at(ids, known, offset, (u32)(32 * i) + __ffs(word) - 1));
        }
    }
}

// The component that a label names. The label also has a mark in the highest bit.
__device__ __forceinline__ u32 component_of(u32 label) { return label & 0x7fffffff; }

// Replaces the ends of edges by the components that they are in.
KERNEL contract_ends(u32* u, u32* v, u64 count, const u32* labels) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u[i] = component_of(labels[u[i]]);
        v[i] = component_of(labels[v[i]]);
    }
}

// ---- Interiors
// The vertices of a set are numbered by bits, as edges are.

// Adds both ends of all edges to a set. Most are in it already, and a look is cheaper than an
// atomic.
KERNEL add_ends(const u32* u, const u32* v, u64 count, u32* set) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        for (u32 x : {u[i], v[i]})
            if (!has(set, x)) insert(set, x);
    }
}

// Adds what two sets have in common to a third one.
KERNEL add_common(const u32* one, const u32* other, u64 count, u32* common) {
    for (u64 i = first_index(); i < count; i += index_stride()) common[i] |= one[i] & other[i];
}

// Copies the ends of edges. `hidden` takes the place of all vertices of a set.
KERNEL hide_ends(const u32* u, const u32* v, u64 count, const u32* set, u32 hidden, u32* left_u,
                 u32* left_v) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        left_u[i] = has(set, u[i]) ? hidden : u[i];
        left_v[i] = has(set, v[i]) ? hidden : v[i];
    }
}

// Gives each component that has vertices of a set one of them as its representative.
KERNEL represent_by_members(const u32* words, u64 count, const u32* labels,
                            u32* representatives) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        for (u32 word = words[i]; word != 0; word &= word - 1) {
            u32 vertex = (u32)(32 * i) + __ffs(word) - 1;
            representatives[component_of(labels[vertex])] = vertex;
        }
    }
}

// Gives each component of an end of an edge this end as its representative, if it has none.
KERNEL represent_by_ends(const u32* u, const u32* v, u64 count, const u32* labels,
                         u32* representatives) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        for (u32 x : {u[i], v[i]}) {
            u32* representative = &representatives[component_of(labels[x])];
            if (load(representative) == NONE) *representative = x;
        }
    }
}

// Replaces the ends of edges by the representatives of their components.
KERNEL replace_ends(u32* u, u32* v, u64 count, const u32* labels, const u32* representatives) {
    for (u64 i = first_index(); i < count; i += index_stride()) {
        u[i] = representatives[component_of(labels[u[i]])];
        v[i] = representatives[component_of(labels[v[i]])];
    }
}

// Lists each vertex of a set with the representative of its component. `before` has, for each line
// of the set, the number of vertices in the lines before it.
KERNEL list_links(const u32* words, u64 count, const u32* before, const u32* labels,
                  const u32* representatives, u32* u, u32* v) {
    for_each_member(words, count, before, [&](u32 place, u64 vertex) {
        u[place] = (u32)vertex;
        v[place] = representatives[component_of(labels[vertex])];
    });
}
