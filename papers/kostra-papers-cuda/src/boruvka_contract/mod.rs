//! The generic contracting Borůvka algorithm on a device, with one thread per vertex.
//!
//! In each round, every vertex chooses its minimum edge. The vertices that these edges connect are
//! contracted, and the rows of the smaller graph are built. The algorithm ends when no edge is
//! left.
//!
//! A vertex's minimum edge is in the forest (cut property). Because ranks are a strict total order,
//! the only cycles that the chosen edges close are mirrored edges: pairs of vertices that chose the
//! same edge. The lower vertex of such a pair removes its copy, and becomes the root of its
//! component. All other vertices of the component lead to the root and take its color. The
//! contracted vertices are numbered in the order of their roots.
//!
//! * Source: Sousa 2014, section 4.4, Algorithms 5 and 7 to 13, and Biagiotti, GPU-u. Reported
//!   phases have the names of Sousa's steps, and most arrays have the names of Sousa's arrays.
//! * One thread handles all edges of a vertex, whatever its degree. The only interaction between
//!   threads is atomic addition. The host waits for the device after each sweep of the colors, and
//!   twice more in a round.
//! * Time O((n + m) log n) work: in each round, the number of vertices with edges is at least
//!   halved. The colors converge in at most log2 n + 2 sweeps, because each sweep at least doubles
//!   the distance that every vertex has looked ahead.
//! * Device memory: the given graph and its first contraction. The rounds use the two in turn. With
//!   `memory=unified` both may exceed the device's memory.
//! * Wants rows. Exact. Parallel edges stay in the rows, as in the sources.
//! * Reports the time of each step in each round, by the device's clock. "propagate colors" covers
//!   all sweeps of a round, including the waits of the host between them. Reports the theoretical
//!   occupancy of the step's kernel, or the part of it that the round's threads can fill: later
//!   rounds have too few vertices. Biagiotti measured the occupancy with a profiler and found the
//!   same decline.
//!
//! Deviations from the sources, with the reasons:
//!
//! * Ties are broken by the lower edge id, not by the lower neighbor. So the forest is the
//!   canonical one, and each of several parallel edges has its own mirrored edge. For this, the
//!   entries of the rows have ids. There is no array of degrees, because the offsets contain them.
//! * A vertex without edges gets no new id, and the loop ends when no edges are left, not when one
//!   vertex is left. So graphs may be disconnected.
//! * In Algorithm 8 either thread of a pair may remove the mirrored edge. Here the lower vertex
//!   removes its own, and no thread writes to another vertex's word. The edge that remains is the
//!   same.
//! * Prefix sums are kernels of this crate; Sousa uses ModernGPU. The graph is in ordinary device
//!   memory; Sousa uses texture memory.
//! * Sousa does not say how the device detects that the colors have converged. GPU-u propagates
//!   them by recursive calls in one kernel. Here each sweep is a launch, and the host reads whether
//!   it changed a color.
//! * The graph is copied to the device's own memory, so that the copy is timed separately. With
//!   `memory=unified` it is kept in unified memory, as in GPU-u.
//!
//! Blocks have 1024 threads, as in Sousa's appendix B. Biagiotti finds that larger blocks are
//! faster than small ones.

mod kernels;
mod placed;
mod rounds;
mod vertices;

use kostra_cuda::scan::TileSums;

use crate::source::Source;

pub(crate) use self::kernels::{ContractionKernels, ThreadPer};
pub(crate) use self::rounds::{BLOCK_SIZE, contract};

/// The generic contracting Borůvka algorithm, on a device.
pub(crate) struct BoruvkaContract;

/// The device memory that both contracting solvers use in addition to the graph.
pub(crate) const SCRATCH: &str = "24 bytes per edge (32 with 64-bit weights), 16 per vertex";

solver_on_rows! {
    BoruvkaContract, contract::<ByVertex>,
    id: "cuda-boruvka-contract",
    title: "Borůvka with contraction, on a GPU",
    source: "Sousa 2014, 4.4, Algorithms 5 and 7 to 13; Biagiotti, GPU-u",
    time: "O((n + m) log n) work",
    scratch: SCRATCH,
    options: &[BLOCK_SIZE, placed::MEMORY],
}

/// One thread per vertex builds the rows of the contracted graph.
struct ByVertex;

impl ContractionKernels for ByVertex {
    const SOURCE: Source = kernels::SOURCE;
    const COUNT_NEW_EDGES: &str = "count_new_edges";
    const INSERT_NEW_EDGES: &str = "insert_new_edges";
    const THREAD_PER: ThreadPer = ThreadPer::Vertex;
    const TILE_SUMS: TileSums = TileSums::OnDevice;
}
