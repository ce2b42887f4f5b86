// What the kernels take, and the words that they share with the host. src/fast/arguments.rs has the
// same structs; the members are compared when the crate is compiled.

#pragma once

// A step of the trace: when it ended, which step it was, and what was left.
struct TraceStep {
    u64 time; // nanoseconds
    u32 code;
    u32 components;
    u32 edges;
    u32 unused;
};

struct Graph {
    u32 vertices;
    u32 edges;
    u32 entries;        // entries of the rows; 0 for an edge list
    u32 kind;           // as key_of takes it
    u32 flip;           // as key_of takes it
    u32 wide;           // 1 if keys have 64 bits
    u32 lights;         // edges of the list of light edges; 0 if there is no such list
    u32 wanted;         // without such a list: about how many edges of an edge list are light
    u64 first_id;       // the id of the first edge of the edge list; lower ones are of light edges
    const u32* offsets; // rows: where each begins, and the end of the last
    const u32* neighbors;
    const u32* ids;
    const u32* u; // edge list
    const u32* v;
    const void* weights; // one for each entry of the rows, or for each edge of the list
    const u32* light_u; // the list of light edges, which several devices have in common
    const u32* light_v;
    const void* light_weights;
    const u32* light_ids; // null if the id of a light edge is its place
};

struct Scratch {
    u32 tiles;        // tiles in `records`
    u32 steps;        // steps in `trace`
    u32* link;        // 5 n: labels of vertices, then of each level's components, in turn in two
                      // regions of 2 n
    u64* least;       // max(n, FEW_LIMIT) + FEW_LIMIT: each component's least order
    u32* least_id;    // n, for wide keys: the least id among the edges of the least order
    uint4* records;   // TILE_RECORDS for each tile; one more tile is written if none is left
    u32* record_ids;  // for wide keys: the edge id of each record
    u32* next;        // for each tile, the next of its chain
    uint2* queue;     // long rows: vertex and first entry of each item
    u32* bits;        // two words for 32 components: the roots, and those without edges
    u64* samples;     // MAX_SAMPLES
    u64* pairs;       // FINISH_LIMIT: for each pair of components, its least order
    uint4* tail;      // FINISH_LIMIT: the records of the last rounds
    u32* tail_ids;    // FINISH_LIMIT, for wide keys
    u32* counters;    // COUNTERS, zero at the start
    u64* barriers;    // COUNTERS, zero at the start: one word for each barrier
    u32* next_set;    // counters and barriers of the next solve, which this one clears
    u32* forest;      // one bit for each edge
    TraceStep* trace; // null if nothing is traced
    u32* report;      // in host memory: the words of the report
};

struct Args {
    Graph graph;
    Scratch scratch;
};

static_assert(sizeof(TraceStep) == 24, "6 words");
static_assert(sizeof(Graph) == 8 * 4 + 11 * 8, "no padding");
static_assert(sizeof(Scratch) == 2 * 4 + 18 * 8, "no padding");

// Counters of one solve, and its barriers. A phase has at most as many rounds as a vertex number
// has bits. A round has four steps, and a shortcut pass for each factor of 64 in its longest path.
constexpr u32 COUNTERS = 4096;
// 32-bit words of the counters and the barriers of one solve.
constexpr u32 COUNTER_SET_WORDS = 3 * COUNTERS;

// Counters with fixed places. `new_counter` returns those from FIRST_FREE_COUNTER on.
constexpr u32 TILES_COUNTER = 0;    // tiles taken
constexpr u32 OVERFLOW_COUNTER = 1; // 1 if the tiles did not suffice
constexpr u32 STEPS_COUNTER = 2;    // steps traced
constexpr u32 FIRST_FREE_COUNTER = 3;

// Words of the report.
constexpr u32 REPORT_OVERFLOW = 0; // 1 if the tiles did not suffice
constexpr u32 REPORT_STEPS = 1;    // steps traced
constexpr u32 REPORT_LABELS = 2;   // edge lists: the components of the light edges

// The steps of the trace, in the order of STEP_NAMES in src/fast/arguments.rs. A barrier
// ends each.
enum Step : u32 {
    BEGIN,
    CLEAR,
    SCAN,
    LIGHT,
    GATHER,
    LEAST_IDS,
    HOOK,
    NUMBER,
    SHORTCUT,
    RELABEL,
    LABEL,
    RESTART,
    RETURN,
    COLLECT,
    FINISH
};
