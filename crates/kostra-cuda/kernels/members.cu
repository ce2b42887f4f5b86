// Lists of the members of a set.

#include "members.cuh"

// Counts the members in each line of a set.
KERNEL count_members(const u32* words, u64 count, u32* members) {
    for_each_line(words, count, [&](u64 line, u32 word) {
        u32 sum = __reduce_add_sync(NONE, __popc(word));
        if (threadIdx.x % 32 == 0) members[line] = sum;
    });
}

// Lists the members of a set in ascending order. `before` has, for each line, the number of members
// in the lines before it.
KERNEL list_members(const u32* words, u64 count, const u32* before, u64* ids) {
    for_each_member(words, count, before, [&](u32 place, u64 edge) { ids[place] = edge; });
}
