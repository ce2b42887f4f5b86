//! The graph of a round, as rows on the device.

use cudarc::driver::CudaSlice;
use kostra_core::{EdgeId, SolveError, Vertex, Weight};

use crate::buffers::DeviceCsr;
use crate::device::Device;
use crate::error::DeviceError;

/// The graph of a round. Its arrays may be longer than the graph needs.
pub(super) struct Rows<W: Weight> {
    pub(super) vertices: u32,
    /// Twice the number of edges.
    pub(super) entries: u32,
    pub(super) first_edge: CudaSlice<u32>,
    pub(super) neighbors: CudaSlice<Vertex>,
    /// Keys, which have the size of weights.
    pub(super) keys: CudaSlice<W>,
    pub(super) ids: CudaSlice<EdgeId>,
}

impl<W: Weight> Rows<W> {
    /// The given graph. `keys` still contains its weights.
    pub(super) fn given(device: &Device, graph: DeviceCsr<W>) -> Result<Self, DeviceError> {
        Ok(Self {
            vertices: graph.vertices,
            entries: graph.entries,
            first_edge: graph.offsets.into_own(device)?,
            neighbors: graph.neighbors.into_own(device)?,
            keys: graph.weights.into_own(device)?,
            ids: graph.ids.into_own(device)?,
        })
    }

    /// Memory for the contraction of a graph with `vertices` vertices and `entries` entries. The
    /// contraction has at most half of the vertices, because each component has two or more.
    pub(super) fn contracted(
        device: &Device,
        vertices: u32,
        entries: usize,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            vertices: 0,
            entries: 0,
            first_edge: device.uninit(vertices as usize / 2 + 1)?,
            neighbors: device.uninit(entries)?,
            keys: device.uninit(entries)?,
            ids: device.uninit(entries)?,
        })
    }

    /// The bytes that `contracted` allocates.
    pub(super) fn contracted_bytes(vertices: usize, entries: usize) -> usize {
        4 * (vertices / 2 + 1) + entries * (8 + size_of::<W>())
    }
}

/// The arrays with a word for each vertex of a round.
pub(super) struct Vertices {
    /// The entry of the vertex's minimum edge, or `NONE`.
    pub(super) vertex_minedge: CudaSlice<u32>,
    pub(super) color: CudaSlice<Vertex>,
    /// 1 for a root and 0 for another vertex; later a root's number in the contracted graph.
    pub(super) new_vertex: CudaSlice<u32>,
    /// The place of the next edge of each contracted vertex.
    pub(super) next_edge: CudaSlice<u32>,
}

impl Vertices {
    pub(super) fn uninit(device: &Device, vertices: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            vertex_minedge: device.uninit(vertices)?,
            color: device.uninit(vertices)?,
            new_vertex: device.uninit(vertices)?,
            next_edge: device.uninit(vertices / 2)?,
        })
    }

    /// The bytes that `uninit` allocates.
    pub(super) fn bytes(vertices: usize) -> usize {
        3 * 4 * vertices + 4 * (vertices / 2)
    }
}

/// Refuses a graph whose rows have more entries than 32 bits can index.
pub(crate) fn admit(solver: &'static str, edges: usize) -> Result<(), SolveError> {
    if edges < u32::MAX as usize / 2 {
        return Ok(());
    }
    Err(SolveError::Unsuitable {
        solver,
        cost: "row indices of more than 32 bits".to_owned(),
        advice: "choose a solver that works on the edge list",
    })
}
