//! The sort of the entries of rows, by either way.

use cudarc::driver::CudaSlice;
use kostra_core::{Encoding, Order, Vertex};

use super::RowSort;
use crate::buffers::Keys;
use crate::device::Device;
use crate::error::DeviceError;
use crate::rows::RoundGraph;
use crate::segmented::sort::{EntriesOfRows, SegmentedSort, SegmentedSortKernels};
use crate::sort_rows::{RowOrder, SortRowsKernels};

/// The kernels of one way.
pub(super) enum RowSortKernels {
    Merge(SortRowsKernels),
    Quick(SegmentedSortKernels),
}

impl RowSortKernels {
    pub(super) fn load(device: &Device, row_sort: RowSort) -> Result<Self, DeviceError> {
        Ok(match row_sort {
            RowSort::Merge => {
                let keys = Keys::of(Encoding::new::<u32>(Order::Minimum));
                Self::Merge(SortRowsKernels::load(device, keys)?)
            }
            RowSort::Quick => Self::Quick(SegmentedSortKernels::load(device)?),
        })
    }
}

/// Memory to sort rows.
pub(super) enum RowSorter<'a> {
    Merge(&'a SortRowsKernels, Box<RoundGraph<u32>>),
    Quick(Box<SegmentedSort>),
}

impl<'a> RowSorter<'a> {
    /// Allocates memory to sort `entries` entries.
    pub(super) fn new(
        device: &Device,
        kernels: &'a RowSortKernels,
        entries: u32,
    ) -> Result<Self, DeviceError> {
        Ok(match kernels {
            RowSortKernels::Merge(kernels) => {
                Self::Merge(kernels, Box::new(RoundGraph::with_rows(device, 0, entries)?))
            }
            RowSortKernels::Quick(kernels) => {
                let sort = SegmentedSort::new(device, kernels.clone(), entries as usize)?;
                Self::Quick(Box::new(sort))
            }
        })
    }

    /// The bytes per entry that the quicksort needs in addition to the merge sort.
    pub(super) const MORE_FOR_QUICK: usize = 28;

    /// Sorts each row by neighbor. Weights are the keys of the graph. `from` has the vertex of each
    /// entry. The arrays of neighbors and keys may be others afterwards.
    pub(super) fn sort(
        &mut self,
        device: &Device,
        rows: &mut RoundGraph<u32>,
        from: &CudaSlice<Vertex>,
    ) -> Result<(), DeviceError> {
        match self {
            Self::Merge(kernels, spare) => {
                kernels.sort(device, RowOrder::Neighbor, (rows, from), spare)
            }
            Self::Quick(sort) => sort.sort(device, entries_of(rows, from)).map(drop),
        }
    }
}

/// The entries of rows, for the quicksort.
pub(super) fn entries_of<'a>(
    rows: &'a mut RoundGraph<u32>,
    from: &'a CudaSlice<Vertex>,
) -> EntriesOfRows<'a> {
    let RoundGraph { first_edge, neighbors, keys, .. } = rows;
    EntriesOfRows { first_edge, from, keys: neighbors, values: keys }
}
