//! The arrays with a word for each vertex.

use cudarc::driver::CudaSlice;
use kostra_core::Vertex;
use kostra_cuda::{Device, DeviceError};

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
