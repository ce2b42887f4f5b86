//! Slots in which near points follow each other, and tiles of slots with a common center.
//!
//! Pivots are chosen among the points, and each point belongs to the cell of its nearest pivot. If
//! most pivots are not far from most points, cells would not rule out each other. Then the points
//! stay in the given order, and there are no tiles.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, LaunchConfig};

use super::shape::{PANEL, TILE, depth, padded};
use super::{RoundedPoints, Rows};
use crate::buffers::{address, download, upload};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Blocks, STRIDE_BLOCK, grid_stride, launch};
use crate::points::input::PointAddresses;
use crate::points::kernels::{PairKernels, TILES};
use crate::points::rounds::Rounds;
use crate::radix_sort::{Pairs, RadixSort};

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
    slots: CudaSlice<u32>,
    /// Rows of [`depth`] 16-bit numbers.
    centers: CudaSlice<u16>,
    /// Four numbers for each tile, as in `kernels/points/panels.cuh`.
    tiles: CudaSlice<f32>,
    /// The components of the points of slots and tiles.
    slot_labels: CudaSlice<u32>,
    labels: CudaSlice<u32>,
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
        pivots.assign((device, kernels), exact, rows, &mut pairs)?;
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
        let mut begins: CudaSlice<u32> = device.uninit(pivots as usize + 1)?;
        // SAFETY: keys have pivots below `pivots`, in ascending order.
        unsafe {
            launch!(
                device,
                &kernels.begin_cells,
                grid_stride(u64::from(count) + 1),
                (TILES, "begin_cells"),
                [
                    ptr keys = &pairs.keys,
                    u32 count = &count,
                    u32 pivots = &pivots,
                    ptr begins = &mut begins,
                ],
                "sorting points"
            )
        }?;
        let mut first_slots = Vec::with_capacity(pivots as usize);
        let mut next = 0;
        for cell in download(device, &begins)?.windows(2) {
            first_slots.push(next);
            next += (cell[1] - cell[0]).next_multiple_of(TILE);
        }
        let mut points = device.uninit(next as usize)?;
        device.fill(&mut points, 0xff)?;
        let mut slots = device.uninit(count as usize)?;
        // SAFETY: a cell's slots are as many as its points at least. The arrays have a value for
        // each slot and for each point.
        unsafe {
            launch!(
                device,
                &kernels.fill_slots,
                grid_stride(count.into()),
                (TILES, "fill_slots"),
                [
                    ptr keys = &pairs.keys,
                    ptr points = &pairs.values,
                    u32 count = &count,
                    ptr begins = &begins,
                    ptr first_slots = &upload(device, &first_slots)?,
                    ptr points_of = &mut points,
                    ptr slots_of = &mut slots,
                ],
                "sorting points"
            )
        }?;
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
        let mut made = Tiles {
            points: self.points,
            slots: self.slots,
            centers: device.uninit(tiles * depth)?,
            tiles: device.uninit(4 * tiles)?,
            slot_labels: device.uninit(slots)?,
            labels: device.filled(tiles, 0xff)?,
        };
        // SAFETY: there are rows up to a whole panel, and a tile for each 32 of them.
        unsafe {
            launch!(
                device,
                &kernels.make_tiles,
                every_warp(tiles),
                (TILES, "make_tiles"),
                [
                    ptr rounded = &rows.numbers,
                    ptr errors = &rows.errors,
                    ptr points_of = &made.points,
                    u32 slots = &(slots as u32),
                    u32 padded = &(rows_len as u32),
                    u32 depth = &(depth as u32),
                    ptr centers = &mut made.centers,
                    ptr tiles = &mut made.tiles,
                ],
                "making tiles"
            )
        }?;
        Ok(made)
    }
}

/// The grid of a kernel with a warp for each item, and no loop.
fn every_warp(items: usize) -> LaunchConfig {
    Blocks { threads: STRIDE_BLOCK }.for_items((items as u64 * WARP) as u32)
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
        let mut taken = Self {
            count: count as u32,
            padded: padded as u32,
            numbers: device.uninit(padded * depth)?,
            halves: device.uninit(padded)?,
        };
        // SAFETY: there are at least as many points as pivots, and a row for each.
        unsafe {
            launch!(
                device,
                &kernels.take_pivots,
                grid_stride(WARP * padded as u64),
                (TILES, "take_pivots"),
                [
                    ptr rounded = &rows.numbers,
                    ptr halves = &rows.halves,
                    u32 count = &exact.len,
                    u32 depth = &(depth as u32),
                    u32 pivots = &taken.count,
                    u32 padded = &taken.padded,
                    ptr pivot_rows = &mut taken.numbers,
                    ptr pivot_halves = &mut taken.halves,
                ],
                "choosing pivots"
            )
        }?;
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
        let mut far: CudaSlice<u32> = device.filled(1, 0)?;
        // SAFETY: there is a row for each point and for each pivot.
        unsafe {
            launch!(
                device,
                &kernels.count_far,
                grid_stride(WARP * u64::from(SAMPLES)),
                (TILES, "count_far"),
                [
                    ptr rounded = &rows.numbers,
                    u32 count = &exact.len,
                    u32 depth = &(depth(exact.dimensions) as u32),
                    ptr pivot_rows = &self.numbers,
                    u32 pivots = &self.count,
                    u32 samples = &SAMPLES,
                    ptr far = &mut far,
                ],
                "choosing pivots"
            )
        }?;
        let far = u64::from(download(device, &far)?.first().copied().unwrap_or(0));
        Ok(far * FAR >= u64::from(SAMPLES) * u64::from(self.count))
    }

    /// Finds the cell of each point, and the distance from its pivot.
    fn assign(
        &self,
        (device, kernels): (&Device, &PairKernels),
        exact: &PointAddresses,
        rows: &Rows,
        pairs: &mut Pairs,
    ) -> Result<(), DeviceError> {
        // SAFETY: there is a row and a pair for each point, and a row for each pivot up to a tile.
        unsafe {
            launch!(
                device,
                &kernels.assign,
                every_warp((exact.len as usize).div_ceil(WARP as usize)),
                (TILES, "assign"),
                [
                    ptr rounded = &rows.numbers,
                    ptr norms = &rows.norms,
                    u32 count = &exact.len,
                    u32 depth = &(depth(exact.dimensions) as u32),
                    ptr pivot_rows = &self.numbers,
                    ptr pivot_halves = &self.halves,
                    u32 padded = &self.padded,
                    ptr keys = &mut pairs.keys,
                    ptr points = &mut pairs.values,
                ],
                "sorting points"
            )
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

    pub(super) fn centers(&self) -> CUdeviceptr {
        address(&self.centers)
    }

    pub(super) fn tiles(&self) -> CUdeviceptr {
        address(&self.tiles)
    }

    pub(super) fn labels(&self) -> CUdeviceptr {
        address(&self.labels)
    }

    pub(super) fn slot_labels(&self) -> CUdeviceptr {
        address(&self.slot_labels)
    }

    pub(super) fn slots_of(&self) -> CUdeviceptr {
        address(&self.slots)
    }

    /// Labels slots and tiles by their components. Lowers the bounds of components that have none,
    /// so that searches skip tiles.
    pub(super) fn lower_bounds(
        &self,
        (device, kernels): (&Device, &PairKernels),
        points: &RoundedPoints,
        rounds: &mut Rounds<'_>,
        queries: u32,
    ) -> Result<(), DeviceError> {
        let (exact, slots) = (&points.exact, points.slots());
        // SAFETY: there is a label for each point, each slot and each tile.
        unsafe {
            launch!(
                device,
                &kernels.label_tiles,
                grid_stride(slots.into()),
                (TILES, "label_tiles"),
                [
                    ptr points_of = &self.points,
                    u32 slots = &slots,
                    ptr labels = &rounds.labels,
                    ptr slot_labels = &self.slot_labels(),
                    ptr tile_labels = &self.labels(),
                ],
                "labeling tiles"
            )
        }?;
        // SAFETY: queries are points, and a tile with a label has a point in its first slot.
        unsafe {
            launch!(
                device,
                &kernels.first_bounds,
                every_warp(queries.div_ceil(WARP as u32) as usize),
                (TILES, "first_bounds"),
                [
                    ptr points = &exact.address,
                    u64 stride = &(exact.stride as u64),
                    u32 dimensions = &(exact.dimensions as u32),
                    ptr rounded = &points.rows.numbers,
                    u32 depth = &points.depth(),
                    ptr points_of = &self.points,
                    ptr slots_of = &self.slots,
                    ptr centers = &self.centers,
                    ptr tiles = &self.tiles,
                    ptr tile_labels = &self.labels,
                    u32 tile_count = &slots.div_ceil(TILE),
                    ptr queries = &rounds.queries,
                    u32 count = &queries,
                    ptr labels = &rounds.labels,
                    ptr cores = &rounds.cores_address(),
                    ptr bounds = &mut rounds.bounds,
                ],
                "lowering bounds"
            )
        }
    }
}
