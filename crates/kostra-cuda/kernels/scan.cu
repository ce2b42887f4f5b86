// The exclusive prefix sum: tiles are scanned by a block each, and then raised by what comes before
// them.

// How many threads a block has, and how many neighbouring numbers each of them adds up.
constexpr u32 THREADS = 256, NUMBERS = 8;

// Replaces every number of a tile by the sum of those before it in the tile, and writes down the
// sum of the tile.
KERNEL __launch_bounds__(THREADS) scan_tiles(u32* numbers, u64 length, u32* tile_sums) {
    __shared__ u32 sums[2][THREADS];
    u64 start = ((u64)blockIdx.x * THREADS + threadIdx.x) * NUMBERS;
    u32 own[NUMBERS], sum = 0;
    for (u32 i = 0; i < NUMBERS; i++) {
        own[i] = start + i < length ? numbers[start + i] : 0;
        sum += own[i];
    }
    // After every step a thread has the sum of twice as many threads, itself the last.
    u32 now = 0, inclusive = sum;
    sums[now][threadIdx.x] = sum;
    __syncthreads();
    for (u32 distance = 1; distance < THREADS; distance *= 2) {
        if (threadIdx.x >= distance) inclusive += sums[now][threadIdx.x - distance];
        now = 1 - now;
        sums[now][threadIdx.x] = inclusive;
        __syncthreads();
    }
    u32 before = inclusive - sum;
    for (u32 i = 0; i < NUMBERS; i++) {
        if (start + i < length) numbers[start + i] = before;
        before += own[i];
    }
    if (threadIdx.x == THREADS - 1) tile_sums[blockIdx.x] = inclusive;
}

// Adds to every number of a tile what comes before the tile.
KERNEL __launch_bounds__(THREADS) raise_tiles(u32* numbers, u64 length, const u32* before_tiles) {
    u64 start = (u64)blockIdx.x * THREADS * NUMBERS;
    u32 before = before_tiles[blockIdx.x];
    for (u32 i = 0; i < NUMBERS; i++) {
        u64 place = start + (u64)i * THREADS + threadIdx.x;
        if (place < length) numbers[place] += before;
    }
}
