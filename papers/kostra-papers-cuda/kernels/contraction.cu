// The steps that the contracting solvers share: keys, the row of each entry, and the roots of
// components.

#include "common.cuh"
#include "kernel_1024.cuh"
#include "rows.cuh"

// Replaces the weights of all entries by their keys.
template <typename K>
__device__ void make_keys(K* keys, u32 entries, u32 kind, u32 flip) {
    u64 entry = first_index();
    if (entry < entries) keys[entry] = key_of(keys[entry], kind, flip);
}

KERNEL_1024 make_keys_32(u32* keys, u32 entries, u32 kind, u32 flip) {
    make_keys(keys, entries, kind, flip);
}
KERNEL_1024 make_keys_64(u64* keys, u32 entries, u32 kind, u32 flip) {
    make_keys(keys, entries, kind, flip);
}

// Stores the vertex of each entry.
KERNEL_1024 list_owners(const u32* first_edge, u32 vertices, u32 entries, u32* from) {
    u64 entry = first_index();
    if (entry < entries) from[entry] = owner(first_edge, vertices, (u32)entry);
}

// One sweep of distance doubling: Algorithm 10 of Sousa 2014. If another thread changes
// `color[succ]` meanwhile, the new color is nearer to the root. Both the old and the new one are
// correct.
KERNEL_1024 propagate_colors(u32* color, u32 vertices, u32* changed) {
    u64 vertex = first_index();
    if (vertex >= vertices) return;
    u32 succ = color[vertex], succ_succ = load(&color[succ]);
    if (succ == succ_succ) return;
    color[vertex] = succ_succ;
    *changed = 1;
}
