//! The graph of a round, as rows on the device.

use cudarc::driver::CudaSlice;
use kostra_core::{EdgeId, Key, SolveError, Vertex};

use crate::buffers::DeviceCsr;
use crate::device::Device;
use crate::error::DeviceError;

/// The graph of a round. Its arrays may be longer than the graph needs.
pub(crate) struct Rows<K: Key> {
    pub(crate) vertices: u32,
    /// Twice the number of edges.
    pub(crate) entries: u32,
    pub(crate) first_edge: CudaSlice<u32>,
    pub(crate) neighbors: CudaSlice<Vertex>,
    /// Keys, which have the size of weights.
    pub(crate) keys: CudaSlice<K>,
    pub(crate) ids: CudaSlice<EdgeId>,
}

impl<K: Key> Rows<K> {
    /// The given graph. `keys` still contains its weights.
    pub(crate) fn given(device: &Device, graph: DeviceCsr<K>) -> Result<Self, DeviceError> {
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
    pub(crate) fn contracted(
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
    pub(crate) fn contracted_bytes(vertices: usize, entries: usize) -> usize {
        4 * (vertices / 2 + 1) + entries * (8 + size_of::<K>())
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
