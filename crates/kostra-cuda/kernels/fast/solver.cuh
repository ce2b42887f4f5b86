// The state of a solve, and its steps in the order of the files that define them.

#pragma once

// A warp's list of edges: tiles linked by `next`. Every tile but the last is full.
struct Chain {
    u32 head;
    u32 tail;
    u32 count; // records
};
constexpr Chain EMPTY = {UNSET, UNSET, 0};

// A warp's tiles. `in_play` is equal in all threads of the grid.
struct Lists {
    u32 free;    // the first of the warp's unused tiles
    Chain light; // the edges in play
    Chain heavy; // the edges that a split set aside
    u32 in_play; // edges in the `light` lists of all warps; solve_rows once sets another value
};

// The components of a level have the labels from `base` to `base + count - 1`.
struct Level {
    u32 base;
    u32 count;
    __device__ __forceinline__ u32 end() const { return base + count; }
};

// A phase ends when no edge is left in play. Each component that is done has a final number.
struct Phase {
    u32 base;       // the `base` of its first level
    u32 finals;     // the index of the counter of final numbers
    u32 heavy_base; // the `base` of the level whose labels the heavy edges have; 0: of vertices
};

// The level that contract_few contracted last, and its minima.
struct FewLevel {
    u32 base;
    u32 count;
    u32 finals;   // final numbers given before it
    u32 least_at; // where the least orders of the level after it start in `least`; else 0
};

// Four edges of each lane.
template <class K>
struct Quad {
    u32 a[PER_LANE]; // ends
    u32 b[PER_LANE];
    u32 id[PER_LANE];
    typename K::Key key[PER_LANE];
    bool keep[PER_LANE];
};

// Where relabel finds the labels of this level.
enum class Labels {
    LINKED, // in `link`, at the end of a path
    FEW,    // in shared memory, from contract_few
    FINAL   // in `link`: the final numbers of the phase before
};

// Which edges between different components relabel lists.
enum class Keep {
    ALL,
    LIGHT,         // those up to the pivot; the others become the heavy list
    LEAST_OF_PAIRS // none: the least edge of each pair of components goes to `pairs`
};

// Where the edges of the last rounds are, if these rounds are next.
enum class FinishInput {
    NOTHING, // other rounds are next
    LISTS,   // in `tail`, collected from all lists
    PAIRS    // in `pairs`
};

// A row, or an item of a long row, with the label of its vertex.
struct RowPart {
    u32 v;
    u32 start;
    u32 end;
    u32 label;
};

// What a lane found in the row of its group.
struct GroupRow {
    u32 least; // the row's least entry; UNSET if the row is empty
    u32 light; // the lane's light entries, as bits
};

// The turn of a lane's group to take one of the warp's rows.
struct RowTurn {
    u32 lane; // the lane that has the row
    u32 rows; // the rows that are left, from this one on, as bits; 0 if the group has none
};

// Types of later parts.
template <class Key>
struct StagedRows;
struct FewMemory;
struct FinishMemory;
template <class K>
struct FinishEdges;

// Which entries or edges go on the list.
struct Light {
    static constexpr bool between = false;
    u64 pivot; // of an edge list: edges above it go on the heavy list
};
struct BetweenComponents {
    static constexpr bool between = true;
    u32 giant; // of an edge list: the giant component
};

// The state of one thread. All members but `lane` are equal in all threads of a warp. All members
// but `shared`, `lane`, `warp` and the lists of the warp in `lists` are equal in all threads of the
// grid, so that all threads take the same branches.
template <class K>
struct Solver {
    typedef typename K::Key Key;
    const Graph& graph;
    const Scratch& scratch;
    u64* shared; // SHARED_WORDS
    u32 lane;    // in the warp
    u32 warp;    // in the grid
    u32 warps;   // of the grid
    Lists lists;
    Level level;
    Phase phase;
    FewLevel few;
    u32 next_counter; // the next unused counter
    u32 barriers;     // the barriers that this thread has passed

    __device__ Solver(const Args& args, u64* memory)
        : graph(args.graph),
          scratch(args.scratch),
          shared(memory),
          lane(threadIdx.x % 32),
          warp(blockIdx.x * BLOCK_WARPS + threadIdx.x / 32),
          warps(gridDim.x * BLOCK_WARPS),
          lists{UNSET, EMPTY, EMPTY, 0},
          level{0, args.graph.vertices},
          phase{0, 0, 0},
          next_counter(FIRST_FREE_COUNTER),
          barriers(0) {
        few.least_at = 0;
    }

    // The component of a final number, or of a label that is one.
    __device__ __forceinline__ u32 component_of(u32 label) const {
        return level.base + (label & ~FINAL);
    }

    // The id of the first edge of the edge list.
    __device__ __forceinline__ u32 first_id() const { return (u32)graph.first_id; }

    // ---- grid.cuh
    __device__ void sync(Step step);
    __device__ u32 sum(Step step, u32 amount);
    __device__ u32 wait(Step step, u32 amount);
    __device__ void trace(Step step);
    __device__ void begin();
    __device__ u32 new_counter();
    __device__ u32 read(u32 counter);
    __device__ bool overflowed();
    __device__ void report();

    // ---- tile_lists.cuh
    __device__ u32 take_tile();
    __device__ void free_tile(u32 tile);
    __device__ void append(Chain& chain, bool keep, uint2 ends, Key key, u32 id);
    __device__ void append(Chain& chain, const Quad<K>& edges);
    __device__ void extend(Chain& chain, bool needs_one);
    __device__ void count_edges(Step step);

    // ---- candidates.cuh
    __device__ Key key_at(u32 at);
    __device__ u32 write_min(u32 c, Key key, u32 id);
    __device__ u32 write_min_after(u64 seen, u32 c, u64 order);
    __device__ u32 write_min_in_block(u32 c, Key key, u32 id);
    __device__ void write_min_four(Quad<K>& edges);
    __device__ void write_min_except(u32 giant, Quad<K>& edges, u32 i);
    __device__ void merge_block_minima(u64* least, u32 values);
    __device__ void clear_component(u32 i);
    __device__ void insert_edge(u32 id);
    __device__ void insert_edges(bool there, u32 id);

    // ---- samples.cuh
    __device__ static u32 hash(u32 x);
    __device__ static u32 draws_for(float share, u32 most);
    __device__ u64 least_of_warps(u32 count);
    __device__ u64 quantile(u64 mine, float share, u32 draws);
    __device__ void sample_input(const void* weights, u32 total, float share, const u32* ids);
    __device__ u64 input_pivot(float share, float sampled_share);
    __device__ void sample_list();
    __device__ u64 list_pivot();
    __device__ u32 find_giant(u32 above);
    __device__ u32 passive_giant();

    // ---- rows.cuh
    __device__ void queue_items(u32 v, u32 start, u32 end, u32 queue_counter);
    __device__ u32 row_start(u32 v);
    __device__ void stage_rows(StagedRows<Key> rows, u32 first, u32 span);
    __device__ void scan_by_lane(u32 queue_counter);
    __device__ u32 least_of_group(Key best, u32 at, u32 width);
    __device__ u32 group_mask(u32 width);
    __device__ RowTurn take_row(u32& todo);
    __device__ GroupRow scan_row(u32 start, u32 end, u64 pivot);
    __device__ void scan_by_group(u64 pivot, u32 queue_counter);
    __device__ void list_light_of_long_rows(u64 pivot, u32 items);

    // ---- row_lists.cuh
    template <class Wanted>
    __device__ void push_wanted(WantedQueue<u64>& queue, u32 v, u32 first, u32 step, u32 wanted);
    template <class Wanted>
    __device__ void flush_wanted(WantedQueue<u64>& queue);
    __device__ void gather_short_rows();
    __device__ void gather_long_rows(u32 items);
    __device__ void gather_outside(u32 giant, u32 queue_counter);
    __device__ void gather_long_outside(u32 giant, u32 items);
    __device__ void gather_row_outside(RowPart row, u32 sub, u32 width, u32 giant);

    // ---- edge_lists.cuh
    __device__ void gather_edges();
    __device__ void append_light(Quad<K>& edges, u64 pivot);
    __device__ void gather_edges_up_to(u64 pivot, u64 light_pivot);
    __device__ void gather_light_edges(u64 pivot);
    __device__ void note_giant(u32 giant);
    __device__ bool is_noted(u32 v);
    __device__ bool fold_giant();
    __device__ bool is_folded(u32 v);
    template <class Wanted>
    __device__ void push_wanted(WantedQueue<u32>& queue, u32 first, u32 bits, Wanted wanted);
    template <class Wanted>
    __device__ void flush_wanted(WantedQueue<u32>& queue, Wanted wanted);
    __device__ void gather_edges_outside(u32 giant);

    // ---- round.cuh
    __device__ void hook();
    __device__ u64 least_of(u32 end);
    __device__ void find_least_ids();
    __device__ uint2 find_roots(u32 first, u32 last);
    __device__ uint2 first_numbers(uint2 counts, u32 roots_counter);
    __device__ u32 number(u32 roots_counter);
    __device__ bool shortcut();
    __device__ void contract();

    // ---- few.cuh
    __device__ u32 other_least();
    __device__ void clear_other_least();
    __device__ void load_parents(u16* parent);
    __device__ void enter_few_level(u32 roots, u32 done, u32 lone);
    __device__ bool contract_few();
    __device__ void publish_labels();

    // ---- relabel.cuh
    __device__ u32 prepare_minima(Labels labels, Keep keep);
    __device__ void load_relabeled(Quad<K>& edges, uint4* records, u32 tile, u32 left,
                                   Labels labels);
    __device__ void write_min_of_pairs(const Quad<K>& edges, const uint4* records);
    __device__ void relabel(Chain in, Labels labels, Keep keep, u64 pivot);

    // ---- finish.cuh
    __device__ void collect();
    __device__ void finish(FinishInput input, bool goes_on);
    __device__ void load_finish_edges(FinishEdges<K>& edges, FinishInput input, u32 count);
    __device__ void find_finish_minima(FinishMemory memory, const FinishEdges<K>& edges);
    __device__ void finish_hook(FinishMemory memory, const FinishEdges<K>& edges);
    __device__ void finish_shortcut(FinishMemory memory);
    __device__ void finish_alone(FinishInput input, u32 count);

    // ---- phases.cuh
    __device__ void label_components(u32 from, u32 to);
    __device__ void start_phase();
    __device__ void next_phase();
    __device__ void rounds(bool labels_wanted, bool pending);
    __device__ float light_share_of_rows();
    __device__ void solve_rows();
    __device__ void solve_edges();
};
