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

// The argument of all kernels. src/boruvka_edge declares the same struct and fills it.
template <typename K>
struct Arguments {
    // A list of edges.
    u32 *from, *to;
    K* keys;
    u32* ids;
    // A new list, which `counter` has the length of.
    u32 *new_from, *new_to;
    K* new_keys;
    u32 *new_ids, *counter;
    // For each vertex: its record in the union-find, and its lightest edge.
    u64 *records, *slots;
    u32* slot_ids;
    u32 *forest, *joined;
    u32 length, vertices, kind, flip, path_compression;
};

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
__device__ void initialize_edges(const Arguments<K>& args) {
    u64 i = first_index();
    if (i >= args.length) return;
    args.keys[i] = key_of(args.keys[i], args.kind, args.flip);
    args.ids[i] = (u32)i;
}

// Makes each vertex a component with a clear slot.
template <typename K>
__device__ void initialize_vertices(const Arguments<K>& args) {
    Components components(args.records, args.path_compression);
    Lightest<K> lightest(args.slots, args.slot_ids);
    u64 vertex = first_index();
    if (vertex >= args.vertices) return;
    components.make_set((u32)vertex);
    lightest.clear((u32)vertex);
}

// Finds the lightest edge that leaves each component; with 64-bit keys, its key only.
template <typename K>
__device__ void find_lightest(const Arguments<K>& args) {
    Lightest<K> lightest(args.slots, args.slot_ids);
    u64 i = first_index();
    if (i >= args.length || args.from[i] == args.to[i]) return;
    lightest.write_min(args.from[i], args.keys[i], args.ids[i]);
    lightest.write_min(args.to[i], args.keys[i], args.ids[i]);
}

// Joins the components of each edge that is the lightest of one of them.
template <typename K>
__device__ void join_ends(const Arguments<K>& args) {
    Components components(args.records, args.path_compression);
    Lightest<K> lightest(args.slots, args.slot_ids);
    u64 i = first_index();
    bool joined = false;
    if (i < args.length) {
        u32 u = args.from[i], v = args.to[i], id = args.ids[i];
        K key = args.keys[i];
        joined = (lightest.is(u, key, id) || lightest.is(v, key, id)) && components.merge(u, v);
        if (joined) insert(args.forest, id);
    }
    int in_block = __syncthreads_count(joined);
    if (threadIdx.x == 0 && in_block > 0) atomicAdd(args.joined, (u32)in_block);
}

// Replaces the ends of each edge by their components, and clears the slots of components that have
// outgoing edges.
template <typename K>
__device__ void map(const Arguments<K>& args) {
    Components components(args.records, args.path_compression);
    Lightest<K> lightest(args.slots, args.slot_ids);
    u64 i = first_index();
    if (i >= args.length) return;
    u32 u = components.representative(args.from[i]), v = components.representative(args.to[i]);
    args.from[i] = u;
    args.to[i] = v;
    if (u != v) {
        lightest.clear(u);
        lightest.clear(v);
    }
}

// Copies the edges between different components to a new list.
template <typename K>
__device__ void filter(const Arguments<K>& args) {
    u64 i = first_index();
    bool keep = i < args.length && args.from[i] != args.to[i];
    u32 place = place_in_block(keep, args.counter);
    if (!keep) return;
    args.new_from[place] = args.from[i];
    args.new_to[place] = args.to[i];
    args.new_keys[place] = args.keys[i];
    args.new_ids[place] = args.ids[i];
}

// Does three steps in one: maps each edge, copies the edges between different components to a new
// list, and finds the lightest of them.
template <typename K>
__device__ void map_filter_lightest(const Arguments<K>& args) {
    Components components(args.records, args.path_compression);
    Lightest<K> lightest(args.slots, args.slot_ids);
    u64 i = first_index();
    if (i >= args.length) return;
    u32 u = components.representative(args.from[i]), v = components.representative(args.to[i]);
    if (u == v) return;
    u32 place = atomicAdd(args.counter, 1), id = args.ids[i];
    K key = args.keys[i];
    args.new_from[place] = u;
    args.new_to[place] = v;
    args.new_keys[place] = key;
    args.new_ids[place] = id;
    lightest.write_min(u, key, id);
    lightest.write_min(v, key, id);
}

// Clears the slots of the ends of all edges. The components of the next round are among them.
template <typename K>
__device__ void reset(const Arguments<K>& args) {
    Lightest<K> lightest(args.slots, args.slot_ids);
    u64 i = first_index();
    if (i >= args.length) return;
    lightest.clear(args.from[i]);
    lightest.clear(args.to[i]);
}

// Kernels for keys of 32 and of 64 bits. src/boruvka_edge loads them.
#define KERNELS(BITS)                                                                              \
    KERNEL_1024 initialize_edges_##BITS(const Arguments<u##BITS> args) { initialize_edges(args); } \
    KERNEL_1024 initialize_vertices_##BITS(const Arguments<u##BITS> args) {                        \
        initialize_vertices(args);                                                                 \
    }                                                                                              \
    KERNEL_1024 lightest_##BITS(const Arguments<u##BITS> args) { find_lightest(args); }            \
    KERNEL_1024 join_##BITS(const Arguments<u##BITS> args) { join_ends(args); }                    \
    KERNEL_1024 map_##BITS(const Arguments<u##BITS> args) { map(args); }                           \
    KERNEL_1024 filter_##BITS(const Arguments<u##BITS> args) { filter(args); }                     \
    KERNEL_1024 map_filter_lightest_##BITS(const Arguments<u##BITS> args) {                        \
        map_filter_lightest(args);                                                                 \
    }                                                                                              \
    KERNEL_1024 reset_##BITS(const Arguments<u##BITS> args) { reset(args); }

KERNELS(32)
KERNELS(64)

// Finds the lowest id among the edges that have a component's least 64-bit key.
KERNEL_1024 lightest_ids_64(const Arguments<u64> args) {
    u64 i = first_index();
    if (i >= args.length || args.from[i] == args.to[i]) return;
    Lightest<u64> lightest(args.slots, args.slot_ids);
    lightest.write_min_id(args.from[i], args.keys[i], args.ids[i]);
    lightest.write_min_id(args.to[i], args.keys[i], args.ids[i]);
}
