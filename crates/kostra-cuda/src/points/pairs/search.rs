//! The launches that compare all pairs.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig};
use kostra_core::Run;

use super::RoundedPoints;
use super::shape::{MOST_QUERIES, PANEL, block};
use super::tiles::Tiles;
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::points::input::{DevicePointsError, MAX_POINTS};
use crate::points::kernels::{PAIRS, PairKernels, ROUNDED, counter};
use crate::points::rounds::{LIST, Rounds, Search};

/// The threads of a warp, which are its queries, too.
const WARP: u32 = 32;
/// Blocks for each multiprocessor, so that those that end early leave little idle.
const BLOCKS: u32 = 16;
/// The products of coordinates in one launch: less than a second, so that a run can be cancelled.
const PRODUCTS: u64 = 1 << 46;

/// Compares all pairs.
pub(in super::super) struct PairSearch<'a> {
    device: &'a Device,
    kernels: &'a PairKernels,
    points: &'a RoundedPoints,
    /// The bytes of shared memory that a block may use.
    available: u32,
    leaf_labels: CudaSlice<u32>,
}

/// Where the nearest points of each point are written: null addresses for what is not wanted.
#[derive(Default)]
struct Nearest {
    wanted: u32,
    lists: CUdeviceptr,
    keys: CUdeviceptr,
    least_keys: CUdeviceptr,
    core_distances: CUdeviceptr,
}

impl Search for PairSearch<'_> {
    fn neighbors(
        &mut self,
        rounds: &mut Rounds<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        let stream = self.device.stream();
        let nearest = Nearest {
            wanted: LIST as u32,
            lists: rounds.lists.device_ptr(stream).0,
            keys: rounds.keys.device_ptr(stream).0,
            least_keys: rounds.least_keys.device_ptr(stream).0,
            core_distances: 0,
        };
        self.nearest(&nearest, run)
    }

    fn take(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError> {
        rounds.label_leaves(&mut self.leaf_labels)?;
        let exact = &self.points.exact;
        // SAFETY: lists and labels are points, and all arrays have a value for each point.
        unsafe {
            launch!(
                self.device,
                &self.kernels.advance,
                grid_stride(exact.len.into()),
                (ROUNDED, "advance"),
                [
                    ptr points = &exact.address,
                    u64 stride = &(exact.stride as u64),
                    u32 dimensions = &(exact.dimensions as u32),
                    u32 count = &exact.len,
                    ptr cores = &rounds.cores_address(),
                    ptr labels = &rounds.labels,
                    ptr lists = &mut rounds.lists,
                    ptr keys = &mut rounds.keys,
                    ptr bounds = &mut rounds.bounds,
                ],
                "comparing neighbors"
            )
        }
    }

    fn search(
        &mut self,
        rounds: &mut Rounds<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        let queries = download(self.device, &rounds.counters)?[counter::QUERIES];
        if queries > 0
            && let Some(tiles) = &self.points.tiles
        {
            tiles.lower_bounds((self.device, self.kernels), self.points, rounds, queries)?;
        }
        let batch = self.batch();
        let mut first = 0;
        while first < queries {
            let count = batch.min(queries - first);
            self.search_for(rounds, first, count)?;
            first += count;
            if first < queries {
                self.device.finish()?;
                run.progress(first as usize, queries as usize)?;
            }
        }
        Ok(())
    }
}

impl<'a> PairSearch<'a> {
    /// The number of bytes for `points` points.
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
        let core_distances = cores.device_ptr(self.device.stream()).0;
        self.nearest(&Nearest { wanted: neighbors, core_distances, ..Nearest::default() }, run)?;
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

    fn nearest(&self, nearest: &Nearest, run: &mut Run<'_>) -> Result<(), DevicePointsError> {
        let (points, count) = (self.points, self.points.slots());
        let batch = self.batch();
        let useful = count.div_ceil(2 * self.device.multiprocessors() * WARP);
        let (warps, shared) = block(points.depth(), nearest.wanted, useful, self.available);
        let mut first = 0;
        while first < count {
            let queries = batch.min(count - first);
            // SAFETY: the rounded rows and what is known of them are up to a whole panel. Arrays
            // for answers have a place for each point.
            unsafe {
                launch!(
                    self.device,
                    &self.kernels.nearest,
                    LaunchConfig {
                        grid_dim: (queries.div_ceil(warps * WARP), 1, 1),
                        block_dim: (warps * WARP, 1, 1),
                        shared_mem_bytes: shared,
                    },
                    (PAIRS, "nearest"),
                    [
                        ptr points = &points.exact.address,
                        u64 stride = &(points.exact.stride as u64),
                        u32 dimensions = &(points.exact.dimensions as u32),
                        u32 count = &points.exact.len,
                        ptr rounded = &points.rows.numbers,
                        ptr halves = &points.rows.halves,
                        ptr norms = &points.rows.norms,
                        ptr errors = &points.rows.errors,
                        ptr panels = &points.rows.panels,
                        u64 scale = &points.scale.to_bits(),
                        u32 depth = &points.depth(),
                        ptr points_of = points.points_of(),
                        ptr centers = &points.tiles.as_ref().map_or(0, Tiles::centers),
                        ptr tiles = &points.tiles.as_ref().map_or(0, Tiles::tiles),
                        u32 slots = &count,
                        u32 first = &first,
                        u32 queries = &queries,
                        u32 wanted = &nearest.wanted,
                        ptr lists = &nearest.lists,
                        ptr keys = &nearest.keys,
                        ptr least_keys = &nearest.least_keys,
                        ptr core_distances = &nearest.core_distances,
                    ],
                    "comparing all pairs"
                )
            }?;
            first += queries;
            if first < count {
                self.device.finish()?;
                run.progress(0, count as usize)?;
            }
        }
        Ok(())
    }

    /// Searches for `count` queries from `first` on. A block compares its queries with a part of
    /// the columns, so that few queries use the whole device.
    fn search_for(
        &self,
        rounds: &mut Rounds<'_>,
        first: u32,
        count: u32,
    ) -> Result<(), DeviceError> {
        let points = self.points;
        let queries = rounds.queries.slice(first as usize..(first + count) as usize);
        let (warps, shared) = block(points.depth(), 1, count.div_ceil(WARP), self.available);
        let panels = points.slots().div_ceil(PANEL);
        let slot_labels =
            points.tiles.as_ref().map_or_else(|| address(&rounds.labels), Tiles::slot_labels);
        let blocks = count.div_ceil(warps * WARP);
        let parts = (BLOCKS * self.device.multiprocessors()).div_ceil(blocks).min(panels);
        let columns = panels.div_ceil(parts);
        let parts = panels.div_ceil(columns);
        let part_answers = parts as usize * count as usize;
        let mut part_keys: CudaSlice<u64> = self.device.uninit(part_answers)?;
        let mut part_found: CudaSlice<u32> = self.device.uninit(part_answers)?;
        // SAFETY: the queries are points. There is a place for the answer of each query in each
        // part of the columns.
        unsafe {
            launch!(
                self.device,
                &self.kernels.pairs,
                LaunchConfig {
                    grid_dim: (blocks, parts, 1),
                    block_dim: (warps * WARP, 1, 1),
                    shared_mem_bytes: shared,
                },
                (PAIRS, "pairs"),
                [
                    ptr points = &points.exact.address,
                    u64 stride = &(points.exact.stride as u64),
                    u32 dimensions = &(points.exact.dimensions as u32),
                    ptr rounded = &points.rows.numbers,
                    ptr halves = &points.rows.halves,
                    ptr norms = &points.rows.norms,
                    ptr errors = &points.rows.errors,
                    ptr panels = &points.rows.panels,
                    u64 scale = &points.scale.to_bits(),
                    u32 depth = &points.depth(),
                    ptr points_of = points.points_of(),
                    ptr centers = &points.tiles.as_ref().map_or(0, Tiles::centers),
                    ptr tiles = &points.tiles.as_ref().map_or(0, Tiles::tiles),
                    ptr tile_labels = &points.tiles.as_ref().map_or(0, Tiles::labels),
                    ptr slots_of = &points.tiles.as_ref().map_or(0, Tiles::slots_of),
                    u32 slots = &points.slots(),
                    ptr queries = &queries,
                    u32 query_count = &count,
                    u32 columns = &columns,
                    ptr labels = &rounds.labels,
                    ptr slot_labels = &slot_labels,
                    ptr cores = &rounds.cores_address(),
                    ptr bounds = &mut rounds.bounds,
                    ptr part_keys = &mut part_keys,
                    ptr part_found = &mut part_found,
                ],
                "comparing all pairs"
            )
        }?;
        // SAFETY: as above.
        unsafe {
            launch!(
                self.device,
                &self.kernels.finish,
                grid_stride(count.into()),
                (ROUNDED, "finish"),
                [
                    ptr queries = &queries,
                    u32 count = &count,
                    u32 parts = &parts,
                    ptr part_keys = &part_keys,
                    ptr part_found = &part_found,
                    ptr labels = &rounds.labels,
                    ptr bounds = &rounds.bounds,
                    ptr lists = &mut rounds.lists,
                    ptr keys = &mut rounds.keys,
                    ptr least_keys = &mut rounds.least_keys,
                ],
                "comparing all pairs"
            )
        }
    }
}
