// Borůvka's algorithm by edges: one thread an edge of a list, of which nothing is known but its two
// ends.
//
// Source: Shou & He 2024, section 3.2. Listing 5 is lightest, join, map, filter; Listing 6, which
// keeps a worklist, is map_filter_lightest, join, reset. 64-bit keys need one kernel more, since a
// key and an id do not fit in what one atomic minimum compares.
//
// A list is four arrays: the ends, the keys and the ids of its edges. The kernels that draw places
// in a new list leave its length behind.

#include "common.cuh"

// The lightest edge that was offered to each component. A slot that is clear is lighter at nothing.
template <typename K> struct Lightest;

// With 32-bit keys: the key above the id.
template <> struct Lightest<u32> {
    u64* slots;

    __device__ Lightest(u64* slots, u32*) : slots(slots) {}
    __device__ void clear(u32 component) const { slots[component] = ~0ull; }
    __device__ void offer(u32 component, u32 key, u32 id) const { atomicMin(&slots[component], rank_of(key, id)); }
    __device__ bool is(u32 component, u32 key, u32 id) const { return slots[component] == rank_of(key, id); }
};

// With 64-bit keys: first the lowest key, then the lowest id among the edges of that key.
template <> struct Lightest<u64> {
    u64* slots;
    u32* slot_ids;

    __device__ Lightest(u64* slots, u32* slot_ids) : slots(slots), slot_ids(slot_ids) {}
    __device__ void clear(u32 component) const {
        slots[component] = ~0ull;
        slot_ids[component] = NONE;
    }
    __device__ void offer(u32 component, u64 key, u32) const { atomicMin(&slots[component], key); }
    __device__ void offer_id(u32 component, u64 key, u32 id) const {
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

// Adds up a block's threads, and has one of them draw a place for all: one atomic addition a block.
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

template <typename K> __device__ void initialize_edges(K* keys, u32* ids, u32 m, u32 kind, u32 flip) {
    u64 i = first_index();
    if (i >= m) return;
    keys[i] = key_of(keys[i], kind, flip);
    ids[i] = (u32)i;
}

template <typename K> __device__ void initialize_vertices(Components components, Lightest<K> lightest, u32 n) {
    u64 vertex = first_index();
    if (vertex >= n) return;
    components.make_set((u32)vertex);
    lightest.clear((u32)vertex);
}

// Finds the lightest edge out of every component.
template <typename K>
__device__ void offer(const u32* from, const u32* to, const K* keys, const u32* ids, u32 length, Lightest<K> lightest) {
    u64 i = first_index();
    if (i >= length || from[i] == to[i]) return;
    lightest.offer(from[i], keys[i], ids[i]);
    lightest.offer(to[i], keys[i], ids[i]);
}

// Joins the ends of every edge that is the lightest at one of them.
template <typename K>
__device__ void join_ends(const u32* from, const u32* to, const K* keys, const u32* ids, u32 length,
                          Lightest<K> lightest, Components components, u32* forest, u32* all_joined) {
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

// Has every edge end at components, and clears the slots of those that have outgoing edges.
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

// Lists the edges between different components.
template <typename K>
__device__ void filter(const u32* from, const u32* to, const K* keys, const u32* ids, u32 length, u32* new_from,
                       u32* new_to, K* new_keys, u32* new_ids, u32* counter) {
    u64 i = first_index();
    bool keep = i < length && from[i] != to[i];
    u32 place = place_in_block(keep, counter);
    if (!keep) return;
    new_from[place] = from[i];
    new_to[place] = to[i];
    new_keys[place] = keys[i];
    new_ids[place] = ids[i];
}

// Three steps in one: maps every edge, lists those between different components, and finds the
// lightest of them.
template <typename K>
__device__ void map_filter_offer(const u32* from, const u32* to, const K* keys, const u32* ids, u32 length,
                                 u32* new_from, u32* new_to, K* new_keys, u32* new_ids, Lightest<K> lightest,
                                 Components components, u32* counter) {
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
    lightest.offer(u, key, id);
    lightest.offer(v, key, id);
}

// Clears every slot that was offered to; the components of the next round are among them.
template <typename K> __device__ void reset(const u32* from, const u32* to, u32 length, Lightest<K> lightest) {
    u64 i = first_index();
    if (i >= length) return;
    lightest.clear(from[i]);
    lightest.clear(to[i]);
}

// For blocks of any size.
#define KERNEL_1024 KERNEL __launch_bounds__(1024)
#define LIST(K) u32* from, u32* to, K* keys, u32* ids, u32 length
#define NEW_LIST(K) u32* new_from, u32* new_to, K* new_keys, u32* new_ids
#define SLOTS u64* slots, u32* slot_ids
#define COMPONENTS u64* records, u32 path_compression

#define KERNELS(BITS)                                                                                                  \
    KERNEL_1024 initialize_edges_##BITS(u##BITS* keys, u32* ids, u32 m, u32 kind, u32 flip) {                          \
        initialize_edges(keys, ids, m, kind, flip);                                                                    \
    }                                                                                                                  \
    KERNEL_1024 initialize_vertices_##BITS(COMPONENTS, SLOTS, u32 n) {                                                 \
        initialize_vertices(Components(records, path_compression), Lightest<u##BITS>(slots, slot_ids), n);             \
    }                                                                                                                  \
    KERNEL_1024 lightest_##BITS(LIST(u##BITS), SLOTS) {                                                                \
        offer(from, to, keys, ids, length, Lightest<u##BITS>(slots, slot_ids));                                        \
    }                                                                                                                  \
    KERNEL_1024 join_##BITS(LIST(u##BITS), SLOTS, COMPONENTS, u32* forest, u32* joined) {                              \
        join_ends(from, to, keys, ids, length, Lightest<u##BITS>(slots, slot_ids),                                     \
                  Components(records, path_compression), forest, joined);                                              \
    }                                                                                                                  \
    KERNEL_1024 map_##BITS(u32* from, u32* to, u32 length, SLOTS, COMPONENTS) {                                        \
        map(from, to, length, Lightest<u##BITS>(slots, slot_ids), Components(records, path_compression));              \
    }                                                                                                                  \
    KERNEL_1024 filter_##BITS(LIST(u##BITS), NEW_LIST(u##BITS), u32* counter) {                                        \
        filter(from, to, keys, ids, length, new_from, new_to, new_keys, new_ids, counter);                             \
    }                                                                                                                  \
    KERNEL_1024 map_filter_lightest_##BITS(LIST(u##BITS), NEW_LIST(u##BITS), SLOTS, COMPONENTS,                        \
                                           u32* counter) {                                                             \
        map_filter_offer(from, to, keys, ids, length, new_from, new_to, new_keys, new_ids,                             \
                         Lightest<u##BITS>(slots, slot_ids), Components(records, path_compression), counter);          \
    }                                                                                                                  \
    KERNEL_1024 reset_##BITS(u32* from, u32* to, u32 length, SLOTS) {                                                  \
        reset(from, to, length, Lightest<u##BITS>(slots, slot_ids));                                                   \
    }

KERNELS(32)
KERNELS(64)

// Of the edges that have the lowest 64-bit key at an end, finds the lowest id.
KERNEL_1024 lightest_ids_64(LIST(u64), SLOTS) {
    u64 i = first_index();
    if (i >= length || from[i] == to[i]) return;
    Lightest<u64> lightest(slots, slot_ids);
    lightest.offer_id(from[i], keys[i], ids[i]);
    lightest.offer_id(to[i], keys[i], ids[i]);
}
