// Sets with a bit for each edge, whose members are handled in ascending order. A warp handles a
// line, 32 words, at once.

#pragma once

#include "common.cuh"

// Edges of a line.
constexpr u32 LINE = 1024;
// Warps of a block: the most that a kernel with lines has.
constexpr u32 LINE_WARPS = 8;

// The number of members in the words of the lanes before this one.
__device__ __forceinline__ u32 members_before(u32 word, u32 lane) {
    u32 own = __popc(word), sum = own;
    for (u32 distance = 1; distance < 32; distance *= 2) {
        u32 other = __shfl_up_sync(NONE, sum, distance);
        if (lane >= distance) sum += other;
    }
    return sum - own;
}

// Calls `take` with the place and the number of each member of a line, whose words the lanes have.
// The first member has the place `first`. The numbers are listed first, so that neighboring lanes
// take neighboring members, however they are spread.
template <typename Take>
__device__ __forceinline__ void for_each_of_line(u32 word, u32 first, Take take) {
    __shared__ unsigned short numbers[LINE_WARPS][LINE];
    unsigned short* listed = numbers[threadIdx.x / 32];
    u32 lane = threadIdx.x % 32, at = members_before(word, lane);
    for (; word != 0; word &= word - 1)
        listed[at++] = (unsigned short)(32 * lane + __ffs(word) - 1);
    u32 members = __shfl_sync(NONE, at, 31);
    __syncwarp();
    for (u32 i = lane; i < members; i += 32) take(first + i, (u32)listed[i]);
    __syncwarp(); // before the next line is listed
}

// Calls `take` with the number of each line of a set of `count` words, and the lane's word of it. A
// warp reads four lines at once, so that enough loads are in flight.
template <typename Take>
__device__ __forceinline__ void for_each_line(const u32* words, u64 count, Take take) {
    const u32 AT_ONCE = 4;
    u32 lane = threadIdx.x % 32;
    for (u64 line = first_index() / 32 * AT_ONCE; 32 * line < count;
         line += index_stride() / 32 * AT_ONCE) {
        u32 word[AT_ONCE];
#pragma unroll
        for (u32 j = 0; j < AT_ONCE; j++) {
            u64 at = 32 * (line + j) + lane;
            word[j] = at < count ? words[at] : 0;
        }
#pragma unroll
        for (u32 j = 0; j < AT_ONCE; j++)
            if (32 * (line + j) < count) take(line + j, word[j]);
    }
}

// Calls `take` with the place and the number of each member of a set of `count` words. `before`
// has, for each line, the number of members in the lines before it.
template <typename Take>
__device__ __forceinline__ void for_each_member(const u32* words, u64 count, const u32* before,
                                                Take take) {
    for_each_line(words, count, [&](u64 line, u32 word) {
        if (__any_sync(NONE, word != 0))
            for_each_of_line(word, before[line],
                             [&](u32 place, u32 i) { take(place, line * LINE + i); });
    });
}
