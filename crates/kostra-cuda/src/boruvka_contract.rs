//! The generic contracting Borůvka algorithm on a device, with a thread a vertex: every vertex
//! chooses its lightest edge, the vertices that these join become one, and the rows of the smaller
//! graph are built anew, until it has no edges.
//!
//! A vertex's lightest edge is in the forest (cut property), and under the strict order of ranks
//! the chosen edges close no cycle but pairs of vertices that chose the same edge: its mirror
//! images. One image is removed, at the lower vertex, which becomes the root of its component; all
//! others lead there, and take its color. New vertices are numbered in the order of their roots.
//!
//! * Source: Sousa 2014, section 4.4, Algorithms 5 and 7 to 13, and Biagiotti, GPU-u. The phases
//!   that a run reports have the names of Sousa's steps, and most arrays have the names of his
//!   arrays.
//! * A vertex of high degree is a single thread's. No kernel needs more of another thread than an
//!   atomic addition. The host waits for the device once a sweep of the colors, and twice a round.
//! * Time O((n + m) log n) work: vertices with edges at least halve in a round. Colors settle in at
//!   most log2 n + 2 sweeps, since a sweep at least doubles how far every vertex has looked ahead.
//! * Device memory: two graphs, which take turns, the given one and its first contraction.
//! * Wants rows. Exact. Parallel edges stay in the rows, as in the sources.
//! * Reports the time of every step in each round by the device's clock; "propagate colors" is all
//!   sweeps of a round, the host's waits between them included. Reports the theoretical occupancy
//!   of the step's kernel, or the part of it that the round's threads can fill: with a thread a
//!   vertex, later rounds have too few. Biagiotti measured the occupancy instead, with a profiler,
//!   and found the same decline.
//!
//! Deviations from the sources, with the reasons:
//!
//! * Ties go to the lower edge id, not to the lower neighbor. So the forest is the canonical one,
//!   and parallel edges have one mirror image. The entries of the rows therefore have ids; there is
//!   no array of degrees, because the offsets hold them.
//! * A vertex without edges gets no new id, and the loop ends when no edges are left, not when one
//!   vertex is left. So graphs may be disconnected.
//! * Algorithm 8 lets either thread of a pair remove the mirrored edge. Here the lower vertex
//!   removes its own, and nobody writes to another vertex's place. The edge that remains is the
//!   same.
//! * Prefix sums are kernels of this crate, where Sousa uses ModernGPU, and the graph is in
//!   ordinary device memory, where Sousa uses texture memory.
//! * Sousa does not say how a device finds that the colors have converged; GPU-u propagates them by
//!   recursive calls in one kernel. Here each sweep is a launch, and the host reads whether it
//!   changed a color.
//! * The graph is copied to the device's own memory. GPU-u has it in unified memory, which is
//!   copied page by page when it is touched, so that the copy could not be timed apart.
//!
//! Blocks have 1024 threads, as in Sousa's appendix B; Biagiotti finds that larger blocks do better
//! than small ones.

#![allow(unsafe_code, reason = "kernels are launched")]

mod rounds;

use cudarc::driver::{CudaFunction, CudaSlice, PushKernelArg};
use kostra_core::{
    Algorithm, EdgeSet, Platform, Problem, Representation, Run, SolveError, SolverInfo,
    SolverOption, Weight,
};

use crate::launch::{Blocks, block_size};
use crate::scan::TileSums;
use crate::source::Source;
use crate::{Device, DeviceError};

pub(crate) use rounds::{Contraction, Launched, Rows, Vertices, admit, contract};

/// The generic contracting Borůvka algorithm, on a device.
pub(crate) struct BoruvkaContract;

/// For this solver and the one by entries.
pub(crate) const BLOCK_SIZE: SolverOption = block_size(1024);

/// What both take beside the graph.
pub(crate) const SCRATCH: &str = "24 bytes an edge (32 with 64-bit weights), 16 a vertex";

const SOURCE: Source =
    Source { name: "boruvka_contract", text: include_str!("../kernels/boruvka_contract.cu") };

impl Algorithm for BoruvkaContract {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-boruvka-contract",
        title: "Borůvka with contraction, on a GPU",
        source: "Sousa 2014, 4.4, Algorithms 5 and 7 to 13; Biagiotti, GPU-u",
        platform: Platform::Cuda,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: SCRATCH,
        options: &[BLOCK_SIZE],
    };

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        admit(Self::INFO.id, edges)
    }

    fn solve<W: Weight>(
        &self,
        problem: Problem<'_, W>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        contract::<ByVertex, W>(problem, run)
    }
}

/// Rows are built by a thread a vertex.
struct ByVertex {
    count_new_edges: CudaFunction,
    insert_new_edges: CudaFunction,
}

impl Contraction for ByVertex {
    const TILE_SUMS: TileSums = TileSums::OnDevice;

    fn load(device: &Device, bits: u32) -> Result<Self, DeviceError> {
        Ok(Self {
            count_new_edges: device.function(SOURCE, "count_new_edges")?,
            insert_new_edges: device.function(SOURCE, &format!("insert_new_edges_{bits}"))?,
        })
    }

    fn count_new_edges<W: Weight>(
        &self,
        (device, blocks): (&Device, Blocks),
        graph: &Rows<W>,
        vertices: &Vertices,
        outdegree: &mut CudaSlice<u32>,
    ) -> Result<Launched<'_>, DeviceError> {
        let grid = blocks.for_items(graph.vertices);
        let mut launch = device.stream().launch_builder(&self.count_new_edges);
        launch.arg(&graph.first_edge).arg(&graph.neighbours).arg(&graph.vertices);
        launch.arg(&vertices.color).arg(&vertices.new_vertex).arg(outdegree);
        // SAFETY: these are the kernel's parameters; rows and colours are sound, and new vertices
        // have a degree each.
        device.check(unsafe { launch.launch(grid) }, "counting new edges")?;
        Ok((&self.count_new_edges, grid))
    }

    fn insert_new_edges<W: Weight>(
        &self,
        (device, blocks): (&Device, Blocks),
        graph: &Rows<W>,
        vertices: &mut Vertices,
        next: &mut Rows<W>,
    ) -> Result<Launched<'_>, DeviceError> {
        let grid = blocks.for_items(graph.vertices);
        let mut launch = device.stream().launch_builder(&self.insert_new_edges);
        launch
            .arg(&graph.first_edge)
            .arg(&graph.neighbours)
            .arg(&graph.keys)
            .arg(&graph.ids)
            .arg(&graph.vertices);
        launch.arg(&vertices.color).arg(&vertices.new_vertex).arg(&mut vertices.next_edge);
        launch.arg(&mut next.neighbours).arg(&mut next.keys).arg(&mut next.ids);
        // SAFETY: these are the kernel's parameters; rows and colours are sound, and what goes into
        // a new row has been counted.
        device.check(unsafe { launch.launch(grid) }, "inserting new edges")?;
        Ok((&self.insert_new_edges, grid))
    }
}
