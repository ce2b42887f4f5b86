//! The launches that compare all pairs.

use cudarc::driver::{CudaSlice, LaunchConfig};
use kostra_core::Run;

use super::shape::{MOST_QUERIES, PANEL, block};
use super::tiles::Tiles;
use super::{RoundedPoints, launch_pairs};
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::grid_stride;
use crate::points::input::{DevicePointsError, MAX_POINTS};
use crate::points::kernels::{PairArguments, PairKernels, counter};
use crate::points::rounds::{LIST, Rounds, Search};
use crate::shared::fill;

/// The threads of a warp, which are its queries, too.
const WARP: u32 = 32;
/// Blocks for each multiprocessor, so that those that end early leave little idle.
const BLOCKS: u32 = 16;
/// The products of coordinates in one launch: less than a second, so that a run can be cancelled.
const PRODUCTS: u64 = 1 << 46;

pub(in super::super) struct PairSearch<'a> {
    device: &'a Device,
    kernels: &'a PairKernels,
    points: &'a RoundedPoints,
    /// The bytes of shared memory that a block may use.
    available: u32,
    leaf_labels: CudaSlice<u32>,
}

impl Search for PairSearch<'_> {
    fn neighbors(
        &mut self,
        rounds: &mut Rounds<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        let arguments = fill!(PairArguments { wanted: LIST as u32 }, ..self.points.arguments();
            rounds => lists keys least_keys);
        self.nearest(arguments, run)
    }

    fn take(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError> {
        rounds.label_leaves(&self.leaf_labels)?;
        let arguments = fill!(PairArguments {}, ..self.points.arguments();
            rounds => cores labels lists keys bounds);
        let grid = grid_stride(arguments.count.into());
        let kernel = &self.kernels.rounding.advance;
        launch_pairs(self.device, kernel, grid, &arguments, "comparing neighbors")
    }

    fn search(
        &mut self,
        rounds: &mut Rounds<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        let queries = download(self.device, &rounds.counters)?[counter::QUERIES];
        if queries > 0 && self.points.tiles.is_some() {
            Tiles::lower_bounds((self.device, self.kernels), self.points, rounds, queries)?;
        }
        let batch = self.batch();
        let mut first = 0;
        while first < queries {
            let count = batch.min(queries - first);
            self.search_for(rounds, first, count)?;
            first += count;
            if first < queries {
                self.device.finish()?;
                run.report.progress(first as usize, queries as usize)?;
            }
        }
        Ok(())
    }
}

impl<'a> PairSearch<'a> {
    pub(in super::super) fn bytes(device: &Device, points: usize) -> usize {
        let blocks = (BLOCKS * device.multiprocessors()) as usize;
        let slots = points + Tiles::unused(points);
        4 * points.div_ceil(32) + 4 * slots + 12 * (slots + blocks * MOST_QUERIES as usize)
    }

    pub(in super::super) fn new(
        device: &'a Device,
        kernels: &'a PairKernels,
        points: &'a RoundedPoints,
        available: u32,
    ) -> Result<Self, DeviceError> {
        let leaf_labels = device.uninit(points.exact.len.div_ceil(WARP) as usize)?;
        Ok(Self { device, kernels, points, available, leaf_labels })
    }

    /// The squared distance from each point to its `neighbors`-th nearest other point. There are
    /// more points than `neighbors`.
    pub(in super::super) fn core_distances(
        &self,
        neighbors: u32,
        run: &mut Run<'_>,
    ) -> Result<CudaSlice<f64>, DevicePointsError> {
        let cores: CudaSlice<f64> = self.device.uninit(self.points.exact.len as usize)?;
        let core_distances = address(&cores);
        let arguments =
            PairArguments { wanted: neighbors, core_distances, ..self.points.arguments() };
        self.nearest(arguments, run)?;
        Ok(cores)
    }

    /// The number of queries for which all points are compared in one launch.
    fn batch(&self) -> u32 {
        let of_query = u64::from(self.points.exact.len) * u64::from(self.points.depth());
        let queries = PRODUCTS / of_query.max(1);
        let queries = queries.clamp(MOST_QUERIES.into(), MAX_POINTS.into()) as u32;
        // Blocks begin at a tile.
        queries / MOST_QUERIES * MOST_QUERIES
    }

    /// Finds the nearest points of each point. `arguments` has the addresses of what is wanted.
    fn nearest(
        &self,
        mut arguments: PairArguments,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        let count = arguments.slots;
        let batch = self.batch();
        let useful = count.div_ceil(2 * self.device.multiprocessors() * WARP);
        let (warps, shared) = block(arguments.depth, arguments.wanted, useful, self.available);
        let mut first = 0;
        while first < count {
            let queries = batch.min(count - first);
            (arguments.first, arguments.query_count) = (first, queries);
            let grid = LaunchConfig {
                grid_dim: (queries.div_ceil(warps * WARP), 1, 1),
                block_dim: (warps * WARP, 1, 1),
                shared_mem_bytes: shared,
            };
            let kernel = &self.kernels.nearest;
            launch_pairs(self.device, kernel, grid, &arguments, "comparing all pairs")?;
            first += queries;
            if first < count {
                self.device.finish()?;
                run.report.progress(0, count as usize)?;
            }
        }
        Ok(())
    }

    /// Searches for `count` queries from `first` on. A block compares its queries with a part of
    /// the columns, so that few queries use the whole device.
    fn search_for(&self, rounds: &Rounds<'_>, first: u32, count: u32) -> Result<(), DeviceError> {
        let points = self.points;
        let queries = rounds.queries.slice(first as usize..(first + count) as usize);
        let (warps, shared) = block(points.depth(), 1, count.div_ceil(WARP), self.available);
        let panels = points.slots().div_ceil(PANEL);
        let blocks = count.div_ceil(warps * WARP);
        let parts = (BLOCKS * self.device.multiprocessors()).div_ceil(blocks).min(panels);
        let columns = panels.div_ceil(parts);
        let parts = panels.div_ceil(columns);
        let part_answers = parts as usize * count as usize;
        let part_keys: CudaSlice<u64> = self.device.uninit(part_answers)?;
        let part_found: CudaSlice<u32> = self.device.uninit(part_answers)?;
        let of_points = points.arguments();
        let slot_labels = match points.tiles {
            Some(_) => of_points.slot_labels,
            None => address(&rounds.labels),
        };
        let arguments = fill!(PairArguments {
            slot_labels,
            queries: address(&queries),
            query_count: count,
            columns,
            parts,
            part_keys: address(&part_keys),
            part_found: address(&part_found),
        }, ..of_points; rounds => labels cores bounds lists keys least_keys);
        let grid = LaunchConfig {
            grid_dim: (blocks, parts, 1),
            block_dim: (warps * WARP, 1, 1),
            shared_mem_bytes: shared,
        };
        let (device, kernels, doing) = (self.device, self.kernels, "comparing all pairs");
        launch_pairs(device, &kernels.pairs, grid, &arguments, doing)?;
        let grid = grid_stride(count.into());
        launch_pairs(device, &kernels.rounding.finish, grid, &arguments, doing)
    }
}
