// Sizes, thresholds and marks. src/fast/arguments.rs reads the sizes that the host needs from this
// file, so those are decimal numbers. "Measured" means: the fastest of the values that were tried.

#pragma once

typedef unsigned short u16;

// ---- Sizes of blocks and lists

// Threads of a block. Two blocks share a multiprocessor, which leaves 64 registers to a thread.
constexpr u32 BLOCK_THREADS = 512;
constexpr u32 BLOCK_WARPS = BLOCK_THREADS / 32;
constexpr u32 BLOCKS_PER_MULTIPROCESSOR = 2;
// Edge lists with fewer edges get one block per multiprocessor: barriers cost more than the second
// block saves (measured).
constexpr u32 SECOND_BLOCK_EDGES = 524288;
// Records of a tile. A warp handles a tile at once, PER_LANE records in each lane, so that four
// loads overlap.
constexpr u32 TILE_RECORDS = 128;
constexpr u32 PER_LANE = 4;
static_assert(TILE_RECORDS == 32 * PER_LANE, "a warp holds a tile in registers");
// Bytes of keys that a lane loads at once in the first pass over an edge list. With fewer bytes in
// flight, the pass does not use the whole bandwidth of the memory (measured).
constexpr u32 LANE_BYTES = 64;

// ---- Sizes of shared memory

// 64-bit words of shared memory that the steps of a solve use in turn. The last rounds, in
// FinishMemory, need all of them.
constexpr u32 SHARED_WORDS = 4608;
// Each warp's words for the rows that it stages.
constexpr u32 STAGE_WORDS = SHARED_WORDS / BLOCK_WARPS;
// A warp's wanted edges or entries that are handled together, and the words in which they wait: one
// more from each lane.
constexpr u32 WANTED_BATCH = 32 * PER_LANE;
constexpr u32 WANTED_WORDS = WANTED_BATCH + 32;
static_assert(BLOCK_WARPS * WANTED_WORDS <= SHARED_WORDS, "all warps' wanted entries fit");
// Bits of the giant component in shared memory.
constexpr u32 FOLDED_BITS = 262144;
static_assert(FOLDED_BITS / 64 <= SHARED_WORDS, "the folded bits fit");

// ---- Limits below which a cheaper step is used

// Edges and components of the last rounds, which one block runs: as many as fit in FinishMemory.
constexpr u32 FINISH_LIMIT = 2048;
// Components that every block contracts for itself: as many as fit in FewMemory.
constexpr u32 FEW_LIMIT = 4096;
// Up to this number of components, only the least edge of each pair is kept. 64 have 2016 pairs.
constexpr u32 PAIR_LIMIT = 64;
static_assert(PAIR_LIMIT / 2 * PAIR_LIMIT <= FINISH_LIMIT, "one block finishes all pairs");
// Up to this many components, relabel follows the paths and the shortcut step is left out.
constexpr u32 FOLLOW_LIMIT = 8192;
// Longest path that one pass of shortcut follows. All components then continue from where they are,
// so that each pass multiplies the distance covered by 64.
constexpr u32 SHORTCUT_LINKS = 64;

// ---- Rows

// The longest row that one lane scans. The queue has room for an item per LANE_ROW_LIMIT entries.
constexpr u32 LANE_ROW_LIMIT = 32;
// The longest row that a group of eight lanes scans.
constexpr u32 GROUP_ROW_LIMIT = 256;
constexpr u32 GROUP_LANES = 8;
constexpr u32 GROUPS = 32 / GROUP_LANES;
// Loads of keys that a lane has in flight.
constexpr u32 KEYS_IN_FLIGHT = 8;
// Entries of an item of a longer row. A warp scans an item, 32 entries in each lane, because a lane
// notes its light entries as bits of one word.
constexpr u32 ITEM_ENTRIES = 1024;
static_assert(ITEM_ENTRIES == 32 * 32, "a lane's entries of an item fit in the bits of a word");
static_assert(GROUP_ROW_LIMIT <= 32 * GROUP_LANES, "a lane's entries of a row fit in a word");
static_assert(ITEM_ENTRIES >= LANE_ROW_LIMIT && GROUP_ROW_LIMIT >= LANE_ROW_LIMIT, "queue size");
// If at least half of the lanes have an edge id near that of lane 0, one lane inserts the edges of
// all lanes with the same word. Otherwise, each lane inserts its own.
constexpr u32 INSERT_TOGETHER_LANES = 16;
// An id is near if its word is at most 4 before, or 3 after, that of lane 0.
constexpr u32 NEAR_WORDS = 8;

// ---- Samples

// Samples for a pivot, one of each warp: eight for each thread of a block.
constexpr u32 MAX_SAMPLES = 4096;
// What a warp draws from the input for its sample, at most.
constexpr u32 WARP_DRAWS = 128;
// The draws of a thread that has the samples of eight warps. In a dense graph of 500 million edges,
// the light edges are a 6000th of all: 1024 draws have one with a probability of 0.16.
constexpr u32 MAX_DRAWS = 1024;
static_assert(MAX_DRAWS / WARP_DRAWS * BLOCK_THREADS <= MAX_SAMPLES, "warps suffice");
// With this number divided by the share of draws, about half of the threads draw a value below the
// pivot: 1 - exp(-0.7) = 0.5. The middle quantiles are the most exact.
constexpr float DRAWS_PER_SHARE = 0.7f;
// Keeps the division finite; MAX_DRAWS applies long before.
constexpr float MIN_SHARE = 1e-6f;
// Vertices that vote for a giant component: one for each thread of half a block.
constexpr u32 GIANT_SAMPLES = 256;
// A component with at most this number of votes, 3 % of the samples, is not giant. A wrong guess
// costs only time.
constexpr u32 GIANT_VOTES = 8;
// With more listed edges, relabel looks for a giant component. A search takes as long for few edges
// as for many, and saves only atomics.
constexpr u32 GIANT_EDGES = 1 << 18;

// ---- Light edges first

// From this many edges per vertex on, light edges are contracted first.
constexpr u32 FILTER_DEGREE = 4;
// Light edges per vertex: usually one; more on dense graphs, so that fewer edges are left for the
// second pass over the input.
constexpr float LIGHT_DEGREE = 1.0f;
constexpr float LIGHT_DEGREE_DENSE = 2.5f;
constexpr u32 DENSE_DEGREE = 32; // edges per vertex of a dense graph
// Light edges per vertex on skewed graphs, where the long rows connect the graph with fewer.
constexpr float LIGHT_DEGREE_SKEWED = 0.5f;
// A row is short if it has less than a third of the mean entries. A graph is skewed if more than
// half of the sampled rows are short.
constexpr u32 SHORT_ROW_DIVISOR = 3;

// ---- Splits of lists

// A list with more edges per component may be split (measured).
constexpr float SPLIT_DEGREE = 3;
// Edges per component in the lighter part (measured), and its largest share of the list.
constexpr float SPLIT_LIGHT_DEGREE = 4;
constexpr float SPLIT_LIGHT_SHARE = 0.5f;
// With fewer edges, a split does not pay for its rounds (measured).
constexpr u32 SPLIT_EDGES = 1 << 21;

// ---- Marks

constexpr u32 ALL_LANES = 0xffffffff;
constexpr u32 UNSET = 0x7fffffff;     // no edge chosen, no tile, no entry, no component
constexpr u32 FINAL = 0x80000000;     // on a label: the other bits are the phase's final number
constexpr u32 ISOLATED = 0xffffffff;  // the label of a vertex whose row is empty
constexpr u32 CANDIDATE = 0x80000000; // on an end in a record: may be that component's least edge
constexpr u32 MAX_ID = 0xffffffff;    // above every edge id
constexpr u32 NO_VERTEX = 0xffffffff; // in a wanted entry: none
constexpr u64 MAX_ORDER = ~0ull;      // no edge: above the order of every edge
