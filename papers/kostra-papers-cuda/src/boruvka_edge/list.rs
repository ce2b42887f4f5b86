//! A list of edges on the device.

use cudarc::driver::CudaSlice;
use kostra_core::{EdgeId, Key, Vertex};
use kostra_cuda::{Device, DeviceEdges, DeviceError};

pub(super) struct List<K: Key> {
    pub(super) from: CudaSlice<Vertex>,
    pub(super) to: CudaSlice<Vertex>,
    /// Keys, which have the size of weights.
    pub(super) keys: CudaSlice<K>,
    pub(super) ids: CudaSlice<EdgeId>,
    pub(super) length: u32,
}

impl<K: Key> List<K> {
    /// All edges of a graph. `keys` still contains its weights, and `ids` is not set.
    pub(super) fn given(device: &Device, graph: DeviceEdges<K>) -> Result<Self, DeviceError> {
        let ([from, to], keys) = graph.into_arrays(device)?;
        let (ids, length) = (device.uninit(from.len())?, from.len() as u32);
        Ok(Self { from, to, keys, ids, length })
    }

    /// An empty list with memory for `edges` edges.
    pub(super) fn uninit(device: &Device, edges: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            from: device.uninit(edges)?,
            to: device.uninit(edges)?,
            keys: device.uninit(edges)?,
            ids: device.uninit(edges)?,
            length: 0,
        })
    }
}
