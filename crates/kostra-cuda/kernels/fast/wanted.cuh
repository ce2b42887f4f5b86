// What a warp wants to put on the lists, edges or entries of rows, waits in shared memory until
// there are WANTED_BATCH of them. They are then handled together, PER_LANE in each lane, so that
// their loads overlap.

#pragma once

// `Word` is u32 or u64.
template <class Word>
struct WantedQueue {
    static constexpr Word NOTHING = ~(Word)0;
    Word* words; // the warp's own
    u32 count;

    // `memory` has WANTED_WORDS words for each warp of the block.
    __device__ __forceinline__ WantedQueue(Word* memory)
        : words(memory + (threadIdx.x >> 5) * WANTED_WORDS), count(0) {}

    // Adds the words of the lanes with `wanted`. Returns whether there are enough to take. All
    // lanes call this.
    __device__ __forceinline__ bool push(bool wanted, Word word) {
        u32 votes = __ballot_sync(ALL_LANES, wanted);
        if (wanted) words[count + __popc(votes & ((1u << threadIdx.x % 32) - 1))] = word;
        count += __popc(votes);
        return count >= WANTED_BATCH;
    }

    // Takes up to WANTED_BATCH words, and NOTHING after the last. The others become the first.
    __device__ __forceinline__ void take(Word* taken) {
        u32 lane = threadIdx.x % 32;
        __syncwarp();
#pragma unroll
        for (u32 j = 0; j < PER_LANE; j++)
            taken[j] = 32 * j + lane < count ? words[32 * j + lane] : NOTHING;
        u32 over = count > WANTED_BATCH ? count - WANTED_BATCH : 0;
        Word last = lane < over ? words[WANTED_BATCH + lane] : 0;
        __syncwarp();
        if (lane < over) words[lane] = last;
        __syncwarp();
        count = over;
    }
};
