//! Slots in which near points follow each other, and tiles of slots with a common center.
//!
//! Pivots are chosen among the points, and each point belongs to the cell of its nearest pivot. If
//! most pivots are not far from most points, cells would not rule out each other. Then the points
//! stay in the given order, and there are no tiles.

use cudarc::driver::{CudaSlice, LaunchConfig};

use super::shape::{PANEL, TILE, depth, padded};
use super::{RoundedPoints, Rows, launch_pairs};
use crate::buffers::{address, download, upload};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{BlockSize, STRIDE_BLOCK, grid_stride};
use crate::points::input::PointAddresses;
use crate::points::kernels::{PairArguments, PairKernels};
use crate::points::rounds::Rounds;
use crate::radix_sort::{Pairs, RadixSort};
use crate::shared::fill;

/// The fewest points for which tiles are made. Fewer take less time than making tiles.
const FEWEST_POINTS: usize = 2 * PANEL as usize;
/// The mean number of points of a cell, up to [`MOST_PIVOTS`] cells.
const CELL: usize = 256;
const MOST_PIVOTS: usize = 4096;
/// The number of points whose distances from all pivots show whether tiles are useful.
const SAMPLES: u32 = 256;
/// The part of these pairs that have to be far.
const FAR: u64 = 4;
/// The number of threads of a warp.
const WARP: u64 = 32;

/// The points of slots.
pub(super) struct Slots {
    /// The point of each slot, or `u32::MAX`.
    pub(super) points: CudaSlice<u32>,
    /// The slot of each point.
    slots: CudaSlice<u32>,
}

/// Slots, and their tiles.
pub(super) struct Tiles {
    /// The point of each slot, or `u32::MAX`.
    pub(super) points: CudaSlice<u32>,
    /// The slot of each point.
    pub(super) slots: CudaSlice<u32>,
    /// Rows of [`depth`] 16-bit numbers.
    pub(super) centers: CudaSlice<u16>,
    /// Four numbers for each tile, as in `kernels/points/panels.cuh`.
    pub(super) tiles: CudaSlice<f32>,
    /// The components of the points of slots and tiles.
    pub(super) slot_labels: CudaSlice<u32>,
    pub(super) labels: CudaSlice<u32>,
}

/// The rows of the pivots, up to a whole tile.
struct Pivots {
    count: u32,
    padded: u32,
    numbers: CudaSlice<u16>,
    halves: CudaSlice<f32>,
}

/// The number of pivots for `points` points.
fn pivots(points: usize) -> usize {
    if points < FEWEST_POINTS { 0 } else { (points / CELL).min(MOST_PIVOTS) }
}

impl Slots {
    /// Puts points into an order in which near points follow each other, if that is useful. `rows`
    /// are in the given order.
    pub(super) fn find(
        device: &Device,
        kernels: &PairKernels,
        exact: &PointAddresses,
        rows: &Rows,
    ) -> Result<Option<Self>, DeviceError> {
        let len = exact.len as usize;
        if pivots(len) == 0 {
            return Ok(None);
        }
        let pivots = Pivots::take(device, kernels, exact, rows)?;
        if !pivots.are_far(device, kernels, exact, rows)? {
            return Ok(None);
        }
        let mut pairs = Pairs::uninit(device, len)?;
        pivots.assign((device, kernels), exact, rows, &pairs)?;
        let mut spare = Pairs::uninit(device, len)?;
        RadixSort::new(device, len)?.sort(device, exact.len, &mut pairs, &mut spare)?;
        drop(spare);
        Self::fill((device, kernels), &pairs, exact.len, pivots.count).map(Some)
    }

    /// Puts the points of each cell into slots that begin at a whole tile.
    fn fill(
        (device, kernels): (&Device, &PairKernels),
        pairs: &Pairs,
        count: u32,
        pivots: u32,
    ) -> Result<Self, DeviceError> {
        let begins: CudaSlice<u32> = device.uninit(pivots as usize + 1)?;
        let mut arguments = PairArguments {
            cell_keys: address(&pairs.keys),
            cell_points: address(&pairs.values),
            count,
            pivots,
            begins: address(&begins),
            ..PairArguments::default()
        };
        let grid = grid_stride(u64::from(count) + 1);
        let kernels = &kernels.tiles;
        launch_pairs(device, &kernels.begin_cells, grid, &arguments, "sorting points")?;
        let mut first_slots = Vec::with_capacity(pivots as usize);
        let mut next = 0;
        for cell in download(device, &begins)?.windows(2) {
            first_slots.push(next);
            next += (cell[1] - cell[0]).next_multiple_of(TILE);
        }
        let mut points = device.uninit(next as usize)?;
        device.fill(&mut points, 0xff)?;
        let slots = device.uninit(count as usize)?;
        let first_slots = upload(device, &first_slots)?;
        arguments.first_slots = address(&first_slots);
        (arguments.points_of, arguments.slots_of) = (address(&points), address(&slots));
        let grid = grid_stride(count.into());
        launch_pairs(device, &kernels.fill_slots, grid, &arguments, "sorting points")?;
        Ok(Self { points, slots })
    }

    /// Makes the tiles of rows that are in the order of the slots.
    pub(super) fn into_tiles(
        self,
        device: &Device,
        kernels: &PairKernels,
        exact: &PointAddresses,
        rows: &Rows,
    ) -> Result<Tiles, DeviceError> {
        let (slots, depth) = (self.points.len(), depth(exact.dimensions));
        let rows_len = padded(slots);
        let tiles = rows_len / TILE as usize;
        let made = Tiles {
            points: self.points,
            slots: self.slots,
            centers: device.uninit(tiles * depth)?,
            tiles: device.uninit(4 * tiles)?,
            slot_labels: device.uninit(slots)?,
            labels: device.filled(tiles, 0xff)?,
        };
        let arguments = fill!(PairArguments {
            points_of: address(&made.points),
            slots: slots as u32,
            padded: rows_len as u32,
        }, ..rows.arguments(exact); made => centers tiles);
        let (kernel, grid) = (&kernels.tiles.make_tiles, every_warp(tiles));
        launch_pairs(device, kernel, grid, &arguments, "making tiles")?;
        Ok(made)
    }
}

/// The grid of a kernel with a warp for each item, and no loop.
fn every_warp(items: usize) -> LaunchConfig {
    BlockSize { threads: STRIDE_BLOCK }.for_items((items as u64 * WARP) as u32)
}

impl Pivots {
    fn take(
        device: &Device,
        kernels: &PairKernels,
        exact: &PointAddresses,
        rows: &Rows,
    ) -> Result<Self, DeviceError> {
        let (count, depth) = (pivots(exact.len as usize), depth(exact.dimensions));
        let padded = count.next_multiple_of(TILE as usize);
        let taken = Self {
            count: count as u32,
            padded: padded as u32,
            numbers: device.uninit(padded * depth)?,
            halves: device.uninit(padded)?,
        };
        let (kernel, arguments) = (&kernels.tiles.take_pivots, taken.arguments(exact, rows));
        let grid = grid_stride(WARP * padded as u64);
        launch_pairs(device, kernel, grid, &arguments, "choosing pivots")?;
        Ok(taken)
    }

    /// Whether enough pivots are far from sampled points.
    fn are_far(
        &self,
        device: &Device,
        kernels: &PairKernels,
        exact: &PointAddresses,
        rows: &Rows,
    ) -> Result<bool, DeviceError> {
        let far: CudaSlice<u32> = device.filled(1, 0)?;
        let arguments =
            PairArguments { samples: SAMPLES, far: address(&far), ..self.arguments(exact, rows) };
        let grid = grid_stride(WARP * u64::from(SAMPLES));
        let kernel = &kernels.tiles.count_far;
        launch_pairs(device, kernel, grid, &arguments, "choosing pivots")?;
        let far = u64::from(download(device, &far)?.first().copied().unwrap_or(0));
        Ok(far * FAR >= u64::from(SAMPLES) * u64::from(self.count))
    }

    /// Finds the cell of each point, and the distance from its pivot.
    fn assign(
        &self,
        (device, kernels): (&Device, &PairKernels),
        exact: &PointAddresses,
        rows: &Rows,
        pairs: &Pairs,
    ) -> Result<(), DeviceError> {
        let arguments = PairArguments {
            cell_keys: address(&pairs.keys),
            cell_points: address(&pairs.values),
            ..self.arguments(exact, rows)
        };
        let grid = every_warp((exact.len as usize).div_ceil(WARP as usize));
        launch_pairs(device, &kernels.tiles.assign, grid, &arguments, "sorting points")
    }

    /// The argument of kernels: the points, their rows, and these pivots.
    fn arguments(&self, exact: &PointAddresses, rows: &Rows) -> PairArguments {
        PairArguments {
            pivots: self.count,
            padded: self.padded,
            pivot_rows: address(&self.numbers),
            pivot_halves: address(&self.halves),
            ..rows.arguments(exact)
        }
    }
}

impl Tiles {
    /// The most slots without a point, for `points` points.
    pub(super) fn unused(points: usize) -> usize {
        pivots(points) * (TILE as usize - 1)
    }

    /// The number of bytes for `slots` slots.
    pub(super) fn bytes(slots: usize, points: &PointAddresses) -> usize {
        let len = points.len as usize;
        if pivots(len) == 0 {
            return 0;
        }
        let of_tile = 2 * depth(points.dimensions) + 4 * 4 + 4;
        8 * slots + 4 * len + slots / TILE as usize * of_tile
    }

    /// Labels slots and tiles by their components. Lowers the bounds of components that have none,
    /// so that searches skip tiles.
    pub(super) fn lower_bounds(
        (device, kernels): (&Device, &PairKernels),
        points: &RoundedPoints,
        rounds: &Rounds<'_>,
        queries: u32,
    ) -> Result<(), DeviceError> {
        let (slots, kernels) = (points.slots(), &kernels.tiles);
        let arguments = fill!(PairArguments {
            query_count: queries,
            tile_count: slots.div_ceil(TILE),
        }, ..points.arguments(); rounds => labels queries cores bounds);
        let grid = grid_stride(slots.into());
        launch_pairs(device, &kernels.label_tiles, grid, &arguments, "labeling tiles")?;
        let grid = every_warp(queries.div_ceil(WARP as u32) as usize);
        launch_pairs(device, &kernels.first_bounds, grid, &arguments, "lowering bounds")
    }
}
