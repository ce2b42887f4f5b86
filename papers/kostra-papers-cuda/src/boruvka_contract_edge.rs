//! The contracting Borůvka algorithm on a device, with one thread per entry of the rows for
//! building the contracted rows.
//!
//! * Source: Biagiotti, GPU-e. It differs from GPU-u, the solver `cuda-boruvka-contract`, in three
//!   ways. The host does a part of the prefix sums. One thread per entry counts the new edges, and
//!   one thread per entry inserts them. Each of these threads finds the entry's vertex by a binary
//!   search in the offsets. All other steps are the same: the minimum edges are still found by one
//!   thread per vertex.
//! * Biagiotti does not say which part of the prefix sums the host does. Here it is the sums of
//!   tiles of 2048 numbers.
//! * The other deviations are those of `cuda-boruvka-contract`.
//! * The length of a row does not determine how long a thread works. The cost is a search of log2 n
//!   steps for each entry, twice per round, and one atomic addition for each new edge;
//!   `cuda-boruvka-contract` needs one for each vertex.
//! * Time O((n + m) log² n) work. Memory and reports are those of `cuda-boruvka-contract`.
//! * Wants rows. Exact.

use kostra_cuda::scan::TileSums;

use crate::boruvka_contract::{BLOCK_SIZE, ContractionKernels, SCRATCH, ThreadPer, contract};
use crate::source::Source;

/// The contracting Borůvka algorithm by entries, on a device.
pub(crate) struct BoruvkaContractEdge;

const SOURCE: Source = Source::file("boruvka_contract_edge.cu");

solver_on_rows! {
    BoruvkaContractEdge, contract::<ByEntry>,
    id: "cuda-boruvka-contract-edge",
    title: "Borůvka with contraction by entries, on a GPU",
    source: "Biagiotti, GPU-e",
    time: "O((n + m) log² n) work",
    scratch: SCRATCH,
    options: &[BLOCK_SIZE],
}

/// One thread per entry builds the rows of the contracted graph.
struct ByEntry;

impl ContractionKernels for ByEntry {
    const SOURCE: Source = SOURCE;
    const COUNT_NEW_EDGES: &str = "count_new_edges_by_entry";
    const INSERT_NEW_EDGES: &str = "insert_new_edges_by_entry";
    const THREAD_PER: ThreadPer = ThreadPer::Entry;
    const TILE_SUMS: TileSums = TileSums::ByHost;
}
