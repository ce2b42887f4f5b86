// Lists of the members of a set.

#include "members.cuh"

// Counts the members in each line of a set.
KERNEL count_members(const u32* words, u64 count, u32* members) {
    u32 lane = threadIdx.x % 32;
    for (u64 line = first_index() / 32; 32 * line < count; line += index_stride() / 32) {
        u64 at = 32 * line + lane;
        u32 sum = __reduce_add_sync(NONE, at < count ? __popc(words[at]) : 0);
        if (lane == 0) members[line] = sum;
    }
}

// Lists the members of a set in ascending order. `before` has, for each line, the number of members
// in the lines before it.
KERNEL list_members(const u32* words, u64 count, const u32* before, u64* ids) {
    for_each_member(words, count, before, [&](u32 place, u64 edge) { ids[place] = edge; });
}
