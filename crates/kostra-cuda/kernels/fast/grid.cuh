// Barriers of the grid, counters, and the trace.

#pragma once

__device__ __forceinline__ u32 load_acquire(const u32* p) {
    u32 value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ __forceinline__ u64 load_acquire(const u64* p) {
    u64 value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}

// Adds with acquire and release semantics: earlier writes of the block come before it, later reads
// after it. Returns the sum.
__device__ __forceinline__ u64 add_acq_rel(u64* p, u64 amount) {
    u64 before;
    asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(p), "l"(amount)
                 : "memory");
    return before + amount;
}

__device__ __forceinline__ u64 nanoseconds() {
    u64 time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

// A barrier of the grid: no thread continues before all have arrived, and each sees what the others
// wrote before.
template <class K>
__device__ void Solver<K>::sync(Step step) {
    __syncthreads();
    if (threadIdx.x == 0) wait(step, 0);
    __syncthreads();
    barriers++;
}

// The same barrier; returns the sum of the warps' amounts.
template <class K>
__device__ u32 Solver<K>::sum(Step step, u32 amount) {
    __shared__ u32 part[BLOCK_WARPS], total;
    if (lane == 0) part[threadIdx.x >> 5] = amount;
    __syncthreads();
    if (threadIdx.x < 32) {
        amount = __reduce_add_sync(ALL_LANES, threadIdx.x < BLOCK_WARPS ? part[threadIdx.x] : 0);
        if (threadIdx.x == 0) total = wait(step, amount);
    }
    __syncthreads();
    barriers++;
    return total;
}

// Waits for one thread of each block. The lower half of the barrier's word counts the blocks that
// have arrived; the upper half adds up their amounts. Returns the sum of the amounts.
template <class K>
__device__ u32 Solver<K>::wait(Step step, u32 amount) {
    u64 *word = scratch.barriers + barriers, now = add_acq_rel(word, (u64)amount << 32 | 1);
    while ((u32)now != gridDim.x) now = load_acquire(word);
    if (blockIdx.x == 0) trace(step);
    return (u32)(now >> 32);
}

template <class K>
__device__ void Solver<K>::trace(Step step) {
    if (scratch.counters[STEPS_COUNTER] < scratch.steps)
        scratch.trace[scratch.counters[STEPS_COUNTER]++] = {nanoseconds(), step, level.count,
                                                            lists.in_play, 0};
}

// Starts the trace, and clears the forest and the next solve's counters and barriers. This solve's
// own were cleared by the solve before it, or by the host.
template <class K>
__device__ void Solver<K>::begin() {
    if (blockIdx.x == 0 && threadIdx.x == 0) trace(BEGIN);
    u32 first = warp * 32 + lane, step = warps * 32;
    u32 words = (first_id() + graph.edges + 63) / 64 * 2;
    for (u32 i = first; i < words; i += step) scratch.forest[i] = 0;
    for (u32 i = first; i < COUNTER_SET_WORDS; i += step) scratch.next_set[i] = 0;
}

// The index of an unused counter, whose value is 0.
template <class K>
__device__ u32 Solver<K>::new_counter() {
    return next_counter++;
}

// A counter's value. One thread of a block loads it, because loads of one word by all threads are
// slow. All threads call this.
template <class K>
__device__ u32 Solver<K>::read(u32 counter) {
    __shared__ u32 value;
    __syncthreads();
    if (threadIdx.x == 0) value = load_acquire(scratch.counters + counter);
    __syncthreads();
    return value;
}

// Whether the tiles did not suffice.
template <class K>
__device__ bool Solver<K>::overflowed() {
    return read(OVERFLOW_COUNTER) != 0;
}

// Writes to host memory what the host needs.
template <class K>
__device__ void Solver<K>::report() {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        scratch.report[REPORT_OVERFLOW] = load_acquire(scratch.counters + OVERFLOW_COUNTER);
        scratch.report[REPORT_STEPS] = scratch.counters[STEPS_COUNTER];
    }
}
