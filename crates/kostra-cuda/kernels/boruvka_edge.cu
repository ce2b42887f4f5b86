// Borůvka's algorithm by edges: one thread per edge of a list.
//
// Source: Shou & He 2024, section 3.2. Listing 5 is lightest, join, map, filter. Listing 6, which
// keeps a worklist, is map_filter_lightest, join, reset. 64-bit keys need one more kernel, because
// an atomic minimum cannot compare a 64-bit key and an id at once.
//
// A list is four arrays: the two ends, the keys and the ids of its edges. A kernel that fills a new
// list adds the list's length to `counter`.

#include "common.cuh"
#include "kernel_1024.cuh"

// The lightest edge of each component. A clear slot compares greater than every edge.
template <typename K>
struct Lightest;

// With 32-bit keys, a slot has the rank: the key and, below it, the id.
template <>
struct Lightest<u32> {
    u64* slots;

    __device__ Lightest(u64* slots, u32*) : slots(slots) {}
    __device__ void clear(u32 component) const { slots[component] = ~0ull; }
    __device__ void write_min(u32 component, u32 key, u32 id) const {
        atomicMin(&slots[component], rank_of(key, id));
    }
    __device__ bool is(u32 component, u32 key, u32 id) const {
        return slots[component] == rank_of(key, id);
    }
};

// With 64-bit keys, one kernel finds the least key, and another one the lowest id among the edges
// that have this key.
template <>
struct Lightest<u64> {
    u64* slots;
    u32* slot_ids;

    __device__ Lightest(u64* slots, u32* slot_ids) : slots(slots), slot_ids(slot_ids) {}
    __device__ void clear(u32 component) const {
        slots[component] = ~0ull;
        slot_ids[component] = NONE;
    }
    __device__ void write_min(u32 component, u64 key, u32) const {
        atomicMin(&slots[component], key);
    }
    __device__ void write_min_id(u32 component, u64 key, u32 id) const {
        if (slots[component] == key) atomicMin(&slot_ids[component], id);
    }
    __device__ bool is(u32 component, u64, u32 id) const { return slot_ids[component] == id; }
};

// The union-find, with or without path compression.
struct Components {
    u64* records;
    bool path_compression;

    __device__ Components(u64* records, u32 path_compression)
        : records(records), path_compression(path_compression != 0) {}
    __device__ void make_set(u32 vertex) const { records[vertex] = record_of(0, vertex); }
    __device__ u32 representative(u32 vertex) const {
        return path_compression ? find<true>(records, vertex) : find<false>(records, vertex);
    }
    __device__ bool merge(u32 u, u32 v) const {
        return path_compression ? join<true>(records, u, v) : join<false>(records, u, v);
    }
};

// Returns the place of the thread's edge in the new list, if `keep` is set. One atomic addition per
// block reserves the places of all its threads.
__device__ u32 place_in_block(bool keep, u32* length) {
    __shared__ u32 kept, first;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    u32 place = keep ? atomicAdd(&kept, 1) : 0;
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(length, kept);
    __syncthreads();
    return first + place;
}

// Replaces the weights by their keys, and numbers the edges.
template <typename K>
__device__ void initialize_edges(K* keys, u32* ids, u32 length, u32 kind, u32 flip) {
    u64 i = first_index();
    if (i >= length) return;
    keys[i] = key_of(keys[i], kind, flip);
    ids[i] = (u32)i;
}

// Makes each vertex a component with a clear slot.
template <typename K>
__device__ void initialize_vertices(Components components, Lightest<K> lightest, u32 vertices) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    components.make_set((u32)vertex);
    lightest.clear((u32)vertex);
}

// Finds the lightest edge that leaves each component; with 64-bit keys, its key only.
template <typename K>
__device__ void find_lightest(const u32* from, const u32* to, const K* keys, const u32* ids,
                              u32 length, Lightest<K> lightest) {
    u64 i = first_index();
    if (i >= length || from[i] == to[i]) return;
    lightest.write_min(from[i], keys[i], ids[i]);
    lightest.write_min(to[i], keys[i], ids[i]);
}

// Joins the components of each edge that is the lightest of one of them.
template <typename K>
__device__ void join_ends(const u32* from, const u32* to, const K* keys, const u32* ids, u32 length,
                          Lightest<K> lightest, Components components, u32* forest,
                          u32* all_joined) {
    u64 i = first_index();
    bool joined = false;
    if (i < length) {
        u32 u = from[i], v = to[i], id = ids[i];
        K key = keys[i];
        joined = (lightest.is(u, key, id) || lightest.is(v, key, id)) && components.merge(u, v);
        if (joined) insert(forest, id);
    }
    int in_block = __syncthreads_count(joined);
    if (threadIdx.x == 0 && in_block > 0) atomicAdd(all_joined, (u32)in_block);
}

// Replaces the ends of each edge by their components, and clears the slots of components that have
// outgoing edges.
template <typename K>
__device__ void map(u32* from, u32* to, u32 length, Lightest<K> lightest, Components components) {
    u64 i = first_index();
    if (i >= length) return;
    u32 u = components.representative(from[i]), v = components.representative(to[i]);
    from[i] = u;
    to[i] = v;
    if (u != v) {
        lightest.clear(u);
        lightest.clear(v);
    }
}

// Copies the edges between different components to a new list.
template <typename K>
__device__ void filter(const u32* from, const u32* to, const K* keys, const u32* ids, u32 length,
                       u32* new_from, u32* new_to, K* new_keys, u32* new_ids, u32* counter) {
    u64 i = first_index();
    bool keep = i < length && from[i] != to[i];
    u32 place = place_in_block(keep, counter);
    if (!keep) return;
    new_from[place] = from[i];
    new_to[place] = to[i];
    new_keys[place] = keys[i];
    new_ids[place] = ids[i];
}

// Does three steps in one: maps each edge, copies the edges between different components to a new
// list, and finds the lightest of them.
template <typename K>
__device__ void map_filter_lightest(const u32* from, const u32* to, const K* keys, const u32* ids,
                                    u32 length, u32* new_from, u32* new_to, K* new_keys,
                                    u32* new_ids, Lightest<K> lightest, Components components,
                                    u32* counter) {
    u64 i = first_index();
    if (i >= length) return;
    u32 u = components.representative(from[i]), v = components.representative(to[i]);
    if (u == v) return;
    u32 place = atomicAdd(counter, 1), id = ids[i];
    K key = keys[i];
    new_from[place] = u;
    new_to[place] = v;
    new_keys[place] = key;
    new_ids[place] = id;
    lightest.write_min(u, key, id);
    lightest.write_min(v, key, id);
}

// Clears the slots of the ends of all edges. The components of the next round are among them.
template <typename K>
__device__ void reset(const u32* from, const u32* to, u32 length, Lightest<K> lightest) {
    u64 i = first_index();
    if (i >= length) return;
    lightest.clear(from[i]);
    lightest.clear(to[i]);
}

// Kernels for keys of 32 and of 64 bits. src/boruvka_edge reads their parameters.
#define KERNELS(BITS)                                                                              \
    KERNEL_1024 initialize_edges_##BITS(u##BITS* keys, u32* ids, u32 length, u32 kind, u32 flip) { \
        initialize_edges(keys, ids, length, kind, flip);                                           \
    }                                                                                              \
    KERNEL_1024 initialize_vertices_##BITS(u64* records, u32 path_compression, u64* slots,         \
                                           u32* slot_ids, u32 vertices) {                          \
        initialize_vertices(Components(records, path_compression),                                 \
                            Lightest<u##BITS>(slots, slot_ids), vertices);                         \
    }                                                                                              \
    KERNEL_1024 lightest_##BITS(u32* from, u32* to, u##BITS* keys, u32* ids, u32 length,           \
                                u64* slots, u32* slot_ids) {                                       \
        find_lightest(from, to, keys, ids, length, Lightest<u##BITS>(slots, slot_ids));            \
    }                                                                                              \
    KERNEL_1024 join_##BITS(u32* from, u32* to, u##BITS* keys, u32* ids, u32 length, u64* slots,   \
                            u32* slot_ids, u64* records, u32 path_compression, u32* forest,        \
                            u32* joined) {                                                         \
        join_ends(from, to, keys, ids, length, Lightest<u##BITS>(slots, slot_ids),                 \
                  Components(records, path_compression), forest, joined);                          \
    }                                                                                              \
    KERNEL_1024 map_##BITS(u32* from, u32* to, u32 length, u64* slots, u32* slot_ids,              \
                           u64* records, u32 path_compression) {                                   \
        map(from, to, length, Lightest<u##BITS>(slots, slot_ids),                                  \
            Components(records, path_compression));                                                \
    }                                                                                              \
    KERNEL_1024 filter_##BITS(u32* from, u32* to, u##BITS* keys, u32* ids, u32 length,             \
                              u32* new_from, u32* new_to, u##BITS* new_keys, u32* new_ids,         \
                              u32* counter) {                                                      \
        filter(from, to, keys, ids, length, new_from, new_to, new_keys, new_ids, counter);         \
    }                                                                                              \
    KERNEL_1024 map_filter_lightest_##BITS(                                                        \
        u32* from, u32* to, u##BITS* keys, u32* ids, u32 length, u32* new_from, u32* new_to,       \
        u##BITS* new_keys, u32* new_ids, u64* slots, u32* slot_ids, u64* records,                  \
        u32 path_compression, u32* counter) {                                                      \
        map_filter_lightest(from, to, keys, ids, length, new_from, new_to, new_keys, new_ids,      \
                            Lightest<u##BITS>(slots, slot_ids),                                    \
                            Components(records, path_compression), counter);                       \
    }                                                                                              \
    KERNEL_1024 reset_##BITS(u32* from, u32* to, u32 length, u64* slots, u32* slot_ids) {          \
        reset(from, to, length, Lightest<u##BITS>(slots, slot_ids));                               \
    }

KERNELS(32)
KERNELS(64)

// Finds the lowest id among the edges that have a component's least 64-bit key.
KERNEL_1024 lightest_ids_64(u32* from, u32* to, u64* keys, u32* ids, u32 length, u64* slots,
                            u32* slot_ids) {
    u64 i = first_index();
    if (i >= length || from[i] == to[i]) return;
    Lightest<u64> lightest(slots, slot_ids);
    lightest.write_min_id(from[i], keys[i], ids[i]);
    lightest.write_min_id(to[i], keys[i], ids[i]);
}
