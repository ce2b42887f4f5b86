// The forest of a share of the edges, as a list of its own, and as members of the whole edge set.

#include "members.cuh"

// The argument of all kernels. src/multi/kernels.rs declares the same struct. Only kernels with
// weights know their type.
template <typename Weight>
struct Arguments {
    // A set of edges or vertices, and for each line of it the number of members in lines before.
    const u32 *words, *before;
    // `count` edges or words, and the ids of edges.
    u32 *u, *v;
    const Weight* weights;
    const u32* ids;
    u32 *taken_u, *taken_v;
    Weight* taken_weights;
    u32 *taken_ids, *set;
    const u32* labels;
    u32* representatives;
    const u32* other;
    u32* common;
    u64 count;
    u32 known, offset, hidden;
};

// The ids of the edges of a list. The first `known` edges have ids in `ids`. Those of the others
// ascend by one, and `offset` is what to add to their places, modulo 2^32.
__device__ __forceinline__ u32 id_at(const u32* ids, u32 known, u32 offset, u32 i) {
    return i < known ? ids[i] : offset + i;
}

// Copies the members of a set of listed edges to a list of their own, in ascending order. `before`
// has, for each line of the set, the number of members in the lines before it.
template <typename Weight>
__device__ void take_members(const Arguments<Weight>& args) {
    for_each_member(args.words, args.count, args.before, [&](u32 place, u64 edge) {
        args.taken_u[place] = args.u[edge];
        args.taken_v[place] = args.v[edge];
        args.taken_weights[place] = args.weights[edge];
        args.taken_ids[place] = id_at(args.ids, args.known, args.offset, (u32)edge);
    });
}

#define TAKE_MEMBERS(BITS) \
    KERNEL take_members_##BITS(const Arguments<u##BITS> args) { take_members(args); }
TAKE_MEMBERS(32)
TAKE_MEMBERS(64)

// Adds the members of a set of listed edges to the set of all edges, by their ids.
KERNEL mark_members(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        for (u32 word = args.words[i]; word != 0; word &= word - 1) {
            insert(args.set,
                   id_at(args.ids, args.known, args.offset, (u32)(32 * i) + __ffs(word) - 1));
        }
    }
}

// The component that a label names. The label also has a mark in the highest bit.
__device__ __forceinline__ u32 component_of(u32 label) { return label & 0x7fffffff; }

// Replaces the ends of edges by the components that they are in.
KERNEL contract_ends(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        args.u[i] = component_of(args.labels[args.u[i]]);
        args.v[i] = component_of(args.labels[args.v[i]]);
    }
}

// ---- Interiors
// The vertices of a set are numbered by bits, as edges are.

// Adds both ends of all edges to a set. Most are in it already, and a look is cheaper than an
// atomic.
KERNEL add_ends(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        for (u32 x : {args.u[i], args.v[i]})
            if (!has(args.set, x)) insert(args.set, x);
    }
}

// Adds what two sets have in common to a third one.
KERNEL add_common(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride())
        args.common[i] |= args.words[i] & args.other[i];
}

// Copies the ends of edges. `hidden` takes the place of all vertices of a set.
KERNEL hide_ends(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        args.taken_u[i] = has(args.set, args.u[i]) ? args.hidden : args.u[i];
        args.taken_v[i] = has(args.set, args.v[i]) ? args.hidden : args.v[i];
    }
}

// Gives each component that has vertices of a set one of them as its representative.
KERNEL represent_by_members(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        for (u32 word = args.words[i]; word != 0; word &= word - 1) {
            u32 vertex = (u32)(32 * i) + __ffs(word) - 1;
            args.representatives[component_of(args.labels[vertex])] = vertex;
        }
    }
}

// Gives each component of an end of an edge this end as its representative, if it has none.
KERNEL represent_by_ends(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        for (u32 x : {args.u[i], args.v[i]}) {
            u32* representative = &args.representatives[component_of(args.labels[x])];
            if (load(representative) == NONE) *representative = x;
        }
    }
}

// Replaces the ends of edges by the representatives of their components.
KERNEL replace_ends(const Arguments<void> args) {
    for (u64 i = first_index(); i < args.count; i += index_stride()) {
        args.u[i] = args.representatives[component_of(args.labels[args.u[i]])];
        args.v[i] = args.representatives[component_of(args.labels[args.v[i]])];
    }
}

// Lists each vertex of a set with the representative of its component. `before` has, for each line
// of the set, the number of vertices in the lines before it.
KERNEL list_links(const Arguments<void> args) {
    for_each_member(args.words, args.count, args.before, [&](u32 place, u64 vertex) {
        args.taken_u[place] = (u32)vertex;
        args.taken_v[place] = args.representatives[component_of(args.labels[vertex])];
    });
}
