// Few components: every block contracts them in its own shared memory, without a barrier.

#pragma once

// The shared memory of contract_few and of the relabel after it.
struct FewMemory {
    // The first word of the labels, which end the shared memory. Below them, relabel has the least
    // order of each root.
    static constexpr u32 LABELS_AT = SHARED_WORDS - FEW_LIMIT * sizeof(u16) / sizeof(u64);
    static constexpr u32 MAX_ROOTS = LABELS_AT;
    u16* parent; // FEW_LIMIT each
    u16* number;
    u16* label;
    __device__ __forceinline__ FewMemory(u64* shared)
        : parent((u16*)shared), number(parent + FEW_LIMIT), label((u16*)(shared + LABELS_AT)) {}
};
static_assert(2 * FEW_LIMIT * sizeof(u16) <= FewMemory::LABELS_AT * sizeof(u64), "no overlap");
static_assert(FINISH_LIMIT <= FewMemory::LABELS_AT, "least orders of pairs end below the labels");

// In `parent`: the component has no edge. In `number`: it is no root.
constexpr u16 NOWHERE = 0xffff;
// On a number or a label: the component has no edge; the other bits are its final number, counted
// from `few.finals`.
constexpr u16 LONE = 0x8000;
static_assert(FEW_LIMIT <= LONE, "numbers leave the mark free");

// Where the least orders of the next level start in `least` if contract_few makes that level: in
// the half that is not in use.
template <class K>
__device__ __forceinline__ u32 Solver<K>::other_least() {
    return few.least_at ? 0 : max(graph.vertices, FEW_LIMIT);
}

// Clears the minima of the next level for contract_few, which has no barrier after which it could.
template <class K>
__device__ __forceinline__ void Solver<K>::clear_other_least() {
    for (u32 i = warp * 32 + lane; i < level.count; i += warps * 32)
        scratch.least[other_least() + i] = MAX_ORDER;
    for (u32 i = warp * 32 + lane; i < FINISH_LIMIT; i += warps * 32) scratch.pairs[i] = MAX_ORDER;
}

// Loads the links of this level.
template <class K>
__device__ __forceinline__ void Solver<K>::load_parents(u16* parent) {
    for (u32 c0 = threadIdx.x; c0 < level.count; c0 += PER_LANE * BLOCK_THREADS) {
        u32 p[PER_LANE];
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            u32 c = c0 + BLOCK_THREADS * i;
            p[i] = c < level.count ? scratch.link[level.base + c0 + BLOCK_THREADS * i] : UNSET;
        }
#pragma unroll
        for (u32 i = 0; i < PER_LANE; i++) {
            u32 c = c0 + BLOCK_THREADS * i;
            if (c < level.count) parent[c] = p[i] == UNSET ? NOWHERE : p[i] - level.base;
        }
    }
    __syncthreads();
}

// Makes the roots the components of the next level.
template <class K>
__device__ __forceinline__ void Solver<K>::enter_few_level(u32 roots, u32 done, u32 lone) {
    u32 above = level.end();
    phase.finals = new_counter();
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) scratch.counters[phase.finals] = done + lone;
        for (u32 i = threadIdx.x; i < roots; i += BLOCK_THREADS) scratch.link[above + i] = UNSET;
    }
    __syncthreads();
    few.base = level.base;
    few.count = level.count;
    few.finals = done;
    few.least_at = other_least();
    level.base = above;
    level.count = roots;
}

// As contract, for few components. The labels stay in shared memory for relabel. The links are not
// overwritten before a barrier, because other blocks may still read them. Returns false and changes
// no state if there are more than MAX_ROOTS roots.
template <class K>
__device__ bool Solver<K>::contract_few() {
    constexpr u32 each = FEW_LIMIT / BLOCK_THREADS;
    FewMemory memory(shared);
    u16 *parent = memory.parent, *number = memory.number, *label = memory.label;
    __shared__ u32 part[2][BLOCK_WARPS];
    u32 w = threadIdx.x >> 5, done = read(phase.finals);
    load_parents(parent);
    u32 roots = 0, lone = 0, is_root[each], is_lone[each];
#pragma unroll
    for (u32 i = 0; i < each; i++) {
        u32 c = (w * each + i) * 32 + lane, p = c < level.count ? parent[c] : c;
        is_root[i] = __ballot_sync(
            ALL_LANES, c < level.count && (p == c || (p != NOWHERE && parent[p] == c && c < p)));
        is_lone[i] = __ballot_sync(ALL_LANES, c < level.count && p == NOWHERE);
        roots += __popc(is_root[i]);
        lone += __popc(is_lone[i]);
    }
    if (lane == 0) {
        part[0][w] = roots;
        part[1][w] = lone;
    }
    __syncthreads();
    u32 root_at = 0, lone_at = 0, all_lone = 0;
    roots = 0;
    for (u32 i = 0; i < BLOCK_WARPS; i++) {
        if (i == w) {
            root_at = roots;
            lone_at = all_lone;
        }
        roots += part[0][i];
        all_lone += part[1][i];
    }
    if (roots > FewMemory::MAX_ROOTS) return false;
    u32 before = (1u << lane) - 1;
#pragma unroll
    for (u32 i = 0; i < each; i++) {
        u32 c = (w * each + i) * 32 + lane;
        bool root = is_root[i] >> lane & 1, alone = is_lone[i] >> lane & 1;
        if (c < level.count)
            number[c] = root    ? root_at + __popc(is_root[i] & before)
                        : alone ? LONE | (lone_at + __popc(is_lone[i] & before))
                                : NOWHERE;
        root_at += __popc(is_root[i]);
        lone_at += __popc(is_lone[i]);
    }
    __syncthreads();
    for (u32 c = threadIdx.x; c < level.count; c += BLOCK_THREADS) {
        u32 x = c;
        while (number[x] == NOWHERE) x = parent[x];
        label[c] = number[x];
    }
    enter_few_level(roots, done, all_lone);
    return true;
}

// Block 0 writes the labels of contract_few to `link`, after a barrier.
template <class K>
__device__ void Solver<K>::publish_labels() {
    if (blockIdx.x) return;
    const u16* label = FewMemory(shared).label;
    for (u32 c = threadIdx.x; c < few.count; c += BLOCK_THREADS)
        scratch.link[few.base + c] =
            label[c] & LONE ? FINAL | (few.finals + (label[c] & ~LONE)) : level.base + label[c];
}
