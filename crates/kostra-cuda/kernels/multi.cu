// The forest of a share of the edges, as a list of its own, and as members of the whole edge set.

#include "members.cuh"

// The ids of the edges of a list. The `known` edges from place `first` on have ids in `ids`. Those
// of the others ascend by one, and `offset` is what to add to their places, modulo 2^32.
__device__ __forceinline__ u32 id_at(const u32* ids, u32 first, u32 known, u32 offset, u32 i) {
    return i - first < known ? ids[i - first] : offset + i;
}

// Copies the members of a set of listed edges to a list of their own, in ascending order. `before`
// has, for each line of the set, the number of members in the lines before it.
template <typename Weight>
__device__ void take_members(const u32* words, u64 count, const u32* before, const u32* u,
                             const u32* v, const Weight* weights, const u32* ids, u32 first,
                             u32 known, u32 offset, u32* taken_u, u32* taken_v,
                             Weight* taken_weights, u32* taken_ids) {
    for_each_member(words, count, before, [&](u32 place, u64 edge) {
        taken_u[place] = u[edge];
        taken_v[place] = v[edge];
        taken_weights[place] = weights[edge];
        taken_ids[place] = id_at(ids, first, known, offset, (u32)edge);
    });
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

// ---- One pivot for all devices

// A sample: the key of an edge in two words, and its id.
struct Sample {
    u32 key_low;
    u32 key_high;
    u32 id;
};

// Writes samples of all `total` edges of the graph for a pivot. Sample i is the least of `draws`
// edges that are drawn from those with the `count` ids from `first` on, which this device has. All
// devices draw the same ids. If none of the draws is of this device, the sample is above all edges.
// A warp draws for one sample at a time.
template <typename Weight>
__device__ void sample_edges(const Weight* weights, u32 count, u32 first, u32 total, u32 kind,
                             u32 flip, u32 draws, u32 samples, Sample* sampled) {
    u32 lane = threadIdx.x % 32;
    for (u64 i = first_index() / 32; i < samples; i += index_stride() / 32) {
        u64 key = ~0ull;
        u32 id = ~0u;
#pragma unroll 4
        for (u32 draw = lane; draw < draws; draw += 32) {
            u64 x = (i * draws + draw) * 0x9e3779b97f4a7c15ull; // the finalizer of splitmix64
            x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
            x = (x ^ x >> 27) * 0x94d049bb133111ebull;
            u32 drawn = (u32)((x >> 32) * total >> 32);
            u64 other = drawn - first < count ? key_of(weights[drawn - first], kind, flip) : ~0ull;
            if (drawn - first < count && (other < key || (other == key && drawn < id))) {
                key = other;
                id = drawn;
            }
        }
        u64 least = key;
        for (u32 step = 16; step; step /= 2)
            least = min(least, __shfl_xor_sync(0xffffffff, least, step));
        id = __reduce_min_sync(0xffffffff, key == least ? id : ~0u);
        if (lane == 0) sampled[i] = {(u32)least, (u32)(least >> 32), id};
    }
}

// Writes the set of the edges that do not exceed a pivot: a key and an id. The `count` edges have
// the ids from `first` on. A lane loads four edges of each 128, 64 bytes at once, so that enough
// bytes are in flight.
template <typename Weight>
__device__ void select_light(const Weight* weights, u64 count, u32 first, u32 kind, u32 flip,
                             u64 pivot_key, u32 pivot_id, u32* set, u64 words) {
    const u32 EACH = 64 / sizeof(Weight); // edges of a lane, and words of a warp
    u32 lane = threadIdx.x % 32;
    for (u64 w = first_index() / 32 * EACH; w < words; w += index_stride() / 32 * EACH) {
        alignas(uint4) Weight weight[EACH];
        u64 first_at = 32 * w + 4 * lane;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4)
            load_four(weight + j, weights, first_at + 32 * j, count);
        u32 mine = 0;
#pragma unroll
        for (u32 j = 0; j < EACH; j += 4) {
            u32 bits = 0;
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                u64 i = first_at + 32 * j + k, key = key_of(weight[j + k], kind, flip);
                bool light = i < count && (key < pivot_key || (key == pivot_key &&
                                                               first + (u32)i <= pivot_id));
                bits |= (u32)light << k;
            }
            // The bits of eight lanes are a word. The lane of each eight with the number j / 4
            // keeps it.
            bits <<= 4 * (lane % 8);
            for (u32 step = 1; step < 8; step *= 2) bits |= __shfl_xor_sync(NONE, bits, step);
            if (lane % 8 == j / 4) mine = bits;
        }
        u64 at = w + 4 * (lane % 8) + lane / 8;
        if (lane % 8 < EACH / 4 && at < words) set[at] = mine;
    }
}

#define PIVOT(BITS)                                                                              \
    KERNEL sample_edges_##BITS(const u##BITS* weights, u32 count, u32 first, u32 total, u32 kind, \
                               u32 flip, u32 draws, u32 samples, Sample* sampled) {              \
        sample_edges(weights, count, first, total, kind, flip, draws, samples, sampled);         \
    }                                                                                            \
    KERNEL select_light_##BITS(const u##BITS* weights, u64 count, u32 first, u32 kind, u32 flip, \
                               u64 pivot_key, u32 pivot_id, u32* set, u64 words) {               \
        select_light(weights, count, first, kind, flip, pivot_key, pivot_id, set, words);        \
    }
PIVOT(32)
PIVOT(64)

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
