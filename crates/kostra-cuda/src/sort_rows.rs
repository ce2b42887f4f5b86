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

use cudarc::driver::CudaSlice;
use kostra_core::{Key, Vertex};

use crate::buffers::{Keys, address};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{BlockSize, kernels};
use crate::rows::RoundGraph;
use crate::shared::{arguments, constant, fill, ptr};
use crate::source::Source;

const SOURCE: Source = Source::file("sort_rows.cu");

/// The number of threads of a block.
const BLOCKS: BlockSize = BlockSize { threads: constant(SOURCE.text(), "THREADS") as u32 };
/// The number of entries that a block sorts in shared memory.
const TILE: u32 = BLOCKS.threads * constant(SOURCE.text(), "ITEMS") as u32;

/// The order of the entries of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// By key and id.
    Weight,
    /// By neighbor, key and id.
    Neighbor,
}

arguments! {
    struct Arguments in SOURCE.text();
    ptr: first_edge from neighbors keys ids merged_neighbors merged_keys merged_ids;
    u64: width;
    u32: length;
}

kernels! {
    struct Loaded(device, keys: Keys) of Arguments in SOURCE;
    [keys.bits()] sort_tiles_weight merge_runs_weight sort_tiles_neighbor merge_runs_neighbor
        take_merged;
}

/// The kernels, for keys of one width.
pub struct SortRowsKernels(Loaded);

impl SortRowsKernels {
    /// Loads the kernels.
    ///
    /// # Errors
    /// When they do not compile, or the device fails.
    pub fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        Loaded::load(device, keys).map(Self)
    }

    /// Sorts the entries of each row. `from` has the vertex of each entry. `spare` has memory for
    /// as many entries as `graph`, and its entries are overwritten.
    pub fn sort<K: Key>(
        &self,
        device: &Device,
        order: RowOrder,
        (graph, from): (&mut RoundGraph<K>, &CudaSlice<Vertex>),
        spare: &mut RoundGraph<K>,
    ) -> Result<(), DeviceError> {
        let (sort_tiles, merge_runs) = match order {
            RowOrder::Weight => (&self.0.sort_tiles_weight, &self.0.merge_runs_weight),
            RowOrder::Neighbor => (&self.0.sort_tiles_neighbor, &self.0.merge_runs_neighbor),
        };
        let length = graph.entries;
        let mut arguments = fill!(Arguments {
            from: address(from),
            length,
            width: TILE.into(),
            merged_neighbors: address(&spare.neighbors),
            merged_keys: address(&spare.keys),
            merged_ids: address(&spare.ids),
        }; graph => first_edge neighbors keys ids);
        // A block has one thread for each of its places in a tile of `ITEMS` times as many entries.
        let mut tiles = BLOCKS.for_items(length);
        tiles.grid_dim.0 = length.div_ceil(TILE).max(1);
        let grid = BLOCKS.for_items(length);
        // SAFETY: the rows are valid, and all arrays have a value for each entry.
        unsafe {
            sort_tiles.launch(device, tiles, &arguments, "sorting rows")?;
            while arguments.width < u64::from(length) {
                merge_runs.launch(device, grid, &arguments, "sorting rows")?;
                self.0.take_merged.launch(device, grid, &arguments, "sorting rows")?;
                arguments.width *= 2;
            }
        }
        Ok(())
    }
}
