//! The contracting Borůvka algorithm on a device, with a thread an entry of the rows where the rows
//! are built anew.
//!
//! * Source: Biagiotti, GPU-e, which differs from GPU-u, the solver by vertices, in three ways: the
//!   host does a part of the prefix sums; new edges are counted, and inserted, by a thread an
//!   entry, which finds the vertex that the entry belongs to by a binary search in the offsets. All
//!   else is the same, the search for minimum edges by a thread a vertex included.
//! * Biagiotti does not say which part of the prefix sums the host does. Here it is the sums of
//!   tiles of 2048 numbers.
//! * The other deviations are those of the solver by vertices.
//! * A row's length no longer decides how long a thread works. The price is log2 n steps of search
//!   for every entry, twice a round, and an atomic addition for every new edge where the solver by
//!   vertices needs one a vertex.
//! * Time O((n + m) log² n) work; memory, and what is reported, as of the solver by vertices.
//! * Wants rows. Exact.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice, PushKernelArg};
use kostra_core::{
    Algorithm, EdgeSet, Platform, Problem, Representation, Run, SolveError, SolverInfo, Weight,
};

use crate::boruvka_contract::{
    BLOCK_SIZE, Contraction, Launched, Rows, SCRATCH, Vertices, admit, contract,
};
use crate::launch::Blocks;
use crate::scan::TileSums;
use crate::source::Source;
use crate::{Device, DeviceError};

/// The contracting Borůvka algorithm by entries, on a device.
pub(crate) struct BoruvkaContractEdge;

const SOURCE: Source = Source {
    name: "boruvka_contract_edge",
    text: include_str!("../kernels/boruvka_contract_edge.cu"),
};

impl Algorithm for BoruvkaContractEdge {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-boruvka-contract-edge",
        title: "Borůvka with contraction by entries, on a GPU",
        source: "Biagiotti, GPU-e",
        platform: Platform::Cuda,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log² n) work",
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
        contract::<ByEntry, W>(problem, run)
    }
}

/// Rows are built by a thread an entry.
struct ByEntry {
    count_new_edges: CudaFunction,
    insert_new_edges: CudaFunction,
}

impl Contraction for ByEntry {
    const TILE_SUMS: TileSums = TileSums::ByHost;

    fn load(device: &Device, bits: u32) -> Result<Self, DeviceError> {
        Ok(Self {
            count_new_edges: device.function(SOURCE, "count_new_edges_by_entry")?,
            insert_new_edges: device
                .function(SOURCE, &format!("insert_new_edges_by_entry_{bits}"))?,
        })
    }

    fn count_new_edges<W: Weight>(
        &self,
        (device, blocks): (&Device, Blocks),
        graph: &Rows<W>,
        vertices: &Vertices,
        outdegree: &mut CudaSlice<u32>,
    ) -> Result<Launched<'_>, DeviceError> {
        let grid = blocks.for_items(graph.entries);
        let mut launch = device.stream().launch_builder(&self.count_new_edges);
        launch
            .arg(&graph.first_edge)
            .arg(&graph.neighbours)
            .arg(&graph.vertices)
            .arg(&graph.entries);
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
        let grid = blocks.for_items(graph.entries);
        let mut launch = device.stream().launch_builder(&self.insert_new_edges);
        launch.arg(&graph.first_edge).arg(&graph.neighbours).arg(&graph.keys).arg(&graph.ids);
        launch.arg(&graph.vertices).arg(&graph.entries);
        launch.arg(&vertices.color).arg(&vertices.new_vertex).arg(&mut vertices.next_edge);
        launch.arg(&mut next.neighbours).arg(&mut next.keys).arg(&mut next.ids);
        // SAFETY: these are the kernel's parameters; rows and colours are sound, and what goes into
        // a new row has been counted.
        device.check(unsafe { launch.launch(grid) }, "inserting new edges")?;
        Ok((&self.insert_new_edges, grid))
    }
}
