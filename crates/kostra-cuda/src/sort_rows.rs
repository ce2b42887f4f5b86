//! The sort of the entries within each row, on a device: a merge sort in which only the entries of
//! rows that span two runs move.
//!
//! One block sorts each tile of 1024 entries in shared memory. Then runs are merged pairwise, until
//! one run holds all entries. Entries stay in their rows, so only the row that spans the end of the
//! left run can be out of order. An entry finds its place by a binary search in the other run.
//!
//! * Time O(E log L) comparisons and O(E) memory accesses for the tiles, for E entries in rows of
//!   up to L. Rows of 1024 entries or more take up to log2 (L / 1024) + 1 passes, with a binary
//!   search for each entry. Each of the log2 (E / 1024) passes also looks up the row of each entry.
//! * Memory: a second graph of the same size, for merged entries.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice};
use kostra_core::{Key, Vertex};

use crate::buffers::Keys;
use crate::contraction::Rows;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Blocks, launch};
use crate::shared::constant;
use crate::source::Source;

const SOURCE: Source = Source::file("sort_rows.cu");

/// The number of threads of a block.
const BLOCKS: Blocks = Blocks { threads: constant(SOURCE.text(), "THREADS") as u32 };
/// The number of entries that a block sorts in shared memory.
const TILE: u32 = BLOCKS.threads * constant(SOURCE.text(), "ITEMS") as u32;

/// The order of the entries of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowOrder {
    /// By key and id.
    Weight,
    /// By neighbor, key and id.
    Neighbor,
}

/// The kernels, for keys of one width.
pub(crate) struct Kernels {
    by_weight: OfOrder,
    by_neighbor: OfOrder,
    take_merged: CudaFunction,
}

/// The kernels that compare entries.
struct OfOrder {
    sort_tiles: CudaFunction,
    merge_runs: CudaFunction,
}

impl Kernels {
    pub(crate) fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        let bits = keys.bits();
        let kernel = |name: &str| device.function(SOURCE, &format!("{name}_{bits}"));
        Ok(Self {
            by_weight: OfOrder {
                sort_tiles: kernel("sort_tiles_weight")?,
                merge_runs: kernel("merge_runs_weight")?,
            },
            by_neighbor: OfOrder {
                sort_tiles: kernel("sort_tiles_neighbor")?,
                merge_runs: kernel("merge_runs_neighbor")?,
            },
            take_merged: kernel("take_merged")?,
        })
    }

    /// Sorts the entries of each row. `from` has the vertex of each entry. `spare` has memory for
    /// as many entries as `graph`, and its entries are overwritten.
    pub(crate) fn sort<K: Key>(
        &self,
        device: &Device,
        order: RowOrder,
        (graph, from): (&mut Rows<K>, &CudaSlice<Vertex>),
        spare: &mut Rows<K>,
    ) -> Result<(), DeviceError> {
        let kernels = match order {
            RowOrder::Weight => &self.by_weight,
            RowOrder::Neighbor => &self.by_neighbor,
        };
        kernels.sort_tiles(device, graph, from)?;
        let mut width = u64::from(TILE);
        while width < graph.entries.into() {
            kernels.merge_runs(device, width, (graph, from), spare)?;
            self.take_merged(device, width, (graph, from), spare)?;
            width *= 2;
        }
        Ok(())
    }

    fn take_merged<K: Key>(
        &self,
        device: &Device,
        width: u64,
        (graph, from): (&mut Rows<K>, &CudaSlice<Vertex>),
        merged: &Rows<K>,
    ) -> Result<(), DeviceError> {
        // SAFETY: the rows are valid, and all arrays have a value for each entry.
        unsafe {
            launch!(
                device,
                &self.take_merged,
                BLOCKS.for_items(graph.entries),
                (SOURCE, "take_merged"),
                [
                    ptr first_edge = &graph.first_edge,
                    ptr from = from,
                    ptr neighbors = &mut graph.neighbors,
                    ptr keys = &mut graph.keys,
                    ptr ids = &mut graph.ids,
                    u32 length = &graph.entries,
                    u64 width = &width,
                    ptr merged_neighbors = &merged.neighbors,
                    ptr merged_keys = &merged.keys,
                    ptr merged_ids = &merged.ids,
                ],
                "sorting rows"
            )
        }
    }
}

impl OfOrder {
    fn sort_tiles<K: Key>(
        &self,
        device: &Device,
        graph: &mut Rows<K>,
        from: &CudaSlice<Vertex>,
    ) -> Result<(), DeviceError> {
        // A block has one thread for each of its places in a tile of `ITEMS` times as many entries.
        let mut grid = BLOCKS.for_items(graph.entries);
        grid.grid_dim.0 = graph.entries.div_ceil(TILE).max(1);
        // SAFETY: the rows are valid, and all arrays have a value for each entry.
        unsafe {
            launch!(
                device,
                &self.sort_tiles,
                grid,
                (SOURCE, "sort_tiles"),
                [
                    ptr first_edge = &graph.first_edge,
                    ptr from = from,
                    ptr neighbors = &mut graph.neighbors,
                    ptr keys = &mut graph.keys,
                    ptr ids = &mut graph.ids,
                    u32 length = &graph.entries,
                ],
                "sorting rows"
            )
        }
    }

    fn merge_runs<K: Key>(
        &self,
        device: &Device,
        width: u64,
        (graph, from): (&Rows<K>, &CudaSlice<Vertex>),
        merged: &mut Rows<K>,
    ) -> Result<(), DeviceError> {
        // SAFETY: the rows are valid, and all arrays have a value for each entry.
        unsafe {
            launch!(
                device,
                &self.merge_runs,
                BLOCKS.for_items(graph.entries),
                (SOURCE, "merge_runs"),
                [
                    ptr first_edge = &graph.first_edge,
                    ptr from = from,
                    ptr neighbors = &graph.neighbors,
                    ptr keys = &graph.keys,
                    ptr ids = &graph.ids,
                    u32 length = &graph.entries,
                    u64 width = &width,
                    ptr merged_neighbors = &mut merged.neighbors,
                    ptr merged_keys = &mut merged.keys,
                    ptr merged_ids = &mut merged.ids,
                ],
                "sorting rows"
            )
        }
    }
}
