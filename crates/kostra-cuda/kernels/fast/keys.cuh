// Keys of two widths. Minima are taken of an edge's order. With 32-bit keys the order is the rank:
// the key and, below it, the id. With 64-bit keys the order is the key, and the id breaks ties in a
// step of its own.

#pragma once

struct Narrow {
    typedef u32 Key;
    static constexpr bool wide = false;
    static __device__ __forceinline__ u64 order(u32 key, u32 id) { return rank_of(key, id); }
    // The key and the edge id in a record. `at` is the record's index.
    static __device__ __forceinline__ u32 key_in(uint4 record) { return record.w; }
    static __device__ __forceinline__ u32 id_in(uint4 record, const u32*, u32) { return record.z; }
    static __device__ __forceinline__ void store(const Scratch& scratch, u32 at, uint2 ends,
                                                 u32 key, u32 id) {
        scratch.records[at] = make_uint4(ends.x, ends.y, id, key);
    }
    // Whether the order of entry e is at most the pivot.
    static __device__ __forceinline__ bool is_light(u32 key, u32 e, const u32* ids, u64 pivot) {
        u32 limit = (u32)(pivot >> 32);
        return key < limit || (key == limit && ids[e] <= (u32)pivot);
    }
};

struct Wide {
    typedef u64 Key;
    static constexpr bool wide = true;
    static __device__ __forceinline__ u64 order(u64 key, u32) { return key; }
    static __device__ __forceinline__ u64 key_in(uint4 record) {
        return (u64)record.w << 32 | record.z;
    }
    static __device__ __forceinline__ u32 id_in(uint4, const u32* record_ids, u32 at) {
        return record_ids[at];
    }
    static __device__ __forceinline__ void store(const Scratch& scratch, u32 at, uint2 ends,
                                                 u64 key, u32 id) {
        scratch.records[at] = make_uint4(ends.x, ends.y, (u32)key, (u32)(key >> 32));
        scratch.record_ids[at] = id;
    }
    static __device__ __forceinline__ bool is_light(u64 key, u32, const u32*, u64 pivot) {
        return key <= pivot;
    }
};
