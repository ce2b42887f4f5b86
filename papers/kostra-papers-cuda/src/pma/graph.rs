//! The arrays of a solve on the device.

use cudarc::driver::CudaSlice;
use kostra_core::{Key, Vertex};
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::{Device, DeviceError};

/// The graph of an iteration. Its arrays may be longer than the graph needs.
pub(super) struct IterationGraph<K: Key> {
    pub(super) rows: RoundGraph<K>,
    /// The vertex of each entry.
    pub(super) from: CudaSlice<Vertex>,
}

impl<K: Key> IterationGraph<K> {
    /// Adds memory for the vertices of `entries` entries to rows.
    pub(super) fn new(
        device: &Device,
        rows: RoundGraph<K>,
        entries: usize,
    ) -> Result<Self, DeviceError> {
        Ok(Self { rows, from: device.uninit(entries)? })
    }

    /// The bytes that `new` allocates.
    pub(super) fn bytes(entries: usize) -> usize {
        4 * entries
    }
}

/// The arrays with a word for each vertex of an iteration, and one with a word for each entry.
pub(super) struct Words {
    /// The root of the vertex's tree, later of its component.
    pub(super) successor: CudaSlice<Vertex>,
    /// For each root of a tree, the root of the tree that it touched, or `NONE`.
    pub(super) touched: CudaSlice<Vertex>,
    /// The lists of all processors: for each vertex of a tree, an entry of its row.
    pub(super) lists: CudaSlice<u32>,
    /// For each root of a component, the number of its entries.
    pub(super) degree: CudaSlice<u32>,
    /// For each root of a component that has entries, its index in the new graph.
    pub(super) new_vertex: CudaSlice<u32>,
    /// For each vertex that has entries in the new graph, its index there.
    pub(super) number: CudaSlice<Vertex>,
    /// For each such vertex, the distance of its entries to their new places.
    pub(super) shift: CudaSlice<u32>,
    /// The place of the next entry of each new vertex.
    pub(super) next_edge: CudaSlice<u32>,
    /// For each entry, and the end of the last one, the number of entries before it that are kept.
    pub(super) before: CudaSlice<u32>,
}

impl Words {
    pub(super) fn uninit(
        device: &Device,
        vertices: usize,
        entries: usize,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            successor: device.uninit(vertices)?,
            touched: device.uninit(vertices)?,
            lists: device.uninit(vertices)?,
            degree: device.uninit(vertices)?,
            new_vertex: device.uninit(vertices)?,
            number: device.uninit(vertices)?,
            shift: device.uninit(vertices)?,
            // A new vertex is made of two or more.
            next_edge: device.uninit(vertices / 2)?,
            before: device.uninit(entries + 1)?,
        })
    }

    /// The bytes that `uninit` allocates.
    pub(super) fn bytes(vertices: usize, entries: usize) -> usize {
        7 * 4 * vertices + 4 * (vertices / 2) + 4 * (entries + 1)
    }
}
