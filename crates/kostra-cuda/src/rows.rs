//! The graph of a round, as rows on the device.

use cudarc::driver::CudaSlice;
use kostra_core::{EdgeId, Key, Vertex};

use crate::buffers::DeviceCsr;
use crate::device::Device;
use crate::error::DeviceError;

/// The graph of a round. Its arrays may be longer than the graph needs.
pub struct RoundGraph<K: Key> {
    /// The number of vertices.
    pub vertices: u32,
    /// Twice the number of edges.
    pub entries: u32,
    /// The first entry of each row, and the number of entries.
    pub first_edge: CudaSlice<u32>,
    /// The vertex at the other end of each entry.
    pub neighbors: CudaSlice<Vertex>,
    /// Keys, which have the size of weights.
    pub keys: CudaSlice<K>,
    /// The edge of each entry.
    pub ids: CudaSlice<EdgeId>,
}

impl<K: Key> RoundGraph<K> {
    /// The given graph. `keys` still contains its weights.
    pub fn given(device: &Device, graph: DeviceCsr<K>) -> Result<Self, DeviceError> {
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
    pub fn contracted(device: &Device, vertices: u32, entries: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            vertices: 0,
            entries: 0,
            first_edge: device.uninit(vertices as usize / 2 + 1)?,
            neighbors: device.uninit(entries)?,
            keys: device.uninit(entries)?,
            ids: device.uninit(entries)?,
        })
    }

    /// Memory for `vertices` rows of `entries` entries in all.
    pub(crate) fn with_rows(
        device: &Device,
        vertices: u32,
        entries: u32,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            vertices,
            entries,
            first_edge: device.uninit(vertices as usize + 1)?,
            neighbors: device.uninit(entries as usize)?,
            keys: device.uninit(entries as usize)?,
            ids: device.uninit(entries as usize)?,
        })
    }

    /// The bytes that `contracted` allocates.
    pub fn contracted_bytes(vertices: usize, entries: usize) -> usize {
        4 * (vertices / 2 + 1) + entries * (8 + size_of::<K>())
    }
}
