//! The launches that compare all pairs.

use cudarc::driver::{CudaSlice, LaunchConfig};
use kostra_core::Run;

use super::shape::{BlockShape, MOST_QUERIES, PANEL, depth, is_long};
use super::tiles::Tiles;
use super::{RoundedPoints, launch_pairs};
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride};
use crate::points::input::{DevicePointsError, MAX_POINTS, PointAddresses};
use crate::points::kernels::{PairArguments, PairKernels, counter};
use crate::points::rounds::{LIST, Rounds, Search};
use crate::shared::fill;

/// The threads of a warp, which are its queries, too.
const WARP: u32 = 32;
/// Blocks for each multiprocessor, so that those that end early leave little idle.
const BLOCKS: u32 = 16;
const COMPARING: &str = "comparing all pairs";
/// The products of coordinates in one launch: less than a second, so that a run can be cancelled.
const PRODUCTS: u64 = 1 << 46;

/// The least number of parts into which the columns for long rows are divided: few queries are
/// compared at a time then, and they stay in the cache.
const PARTS: u32 = 12;

/// The columns with which blocks compare queries of long rows.
#[derive(Clone, Copy)]
enum Columns {
    /// Those of the panel of the queries: a first limit for all others.
    OwnPanel,
    All,
}

/// What several blocks find for the queries of a launch: `wanted` points each.
struct Answers {
    keys: CudaSlice<u64>,
    found: CudaSlice<u32>,
    locks: CudaSlice<u32>,
}

impl Answers {
    fn none(device: &Device, queries: u32, wanted: u32) -> Result<Self, DeviceError> {
        // Blocks have the same number of queries.
        let queries = queries.next_multiple_of(MOST_QUERIES) as usize;
        let points = queries * wanted as usize;
        Ok(Self {
            keys: device.filled(points, 0xff)?,
            found: device.filled(points, 0xff)?,
            locks: device.filled(queries, 0)?,
        })
    }
}

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
        let batch = batch(self.points.exact.len, self.points.depth());
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
    /// The bytes of device memory for at most `wanted` nearest points of each point.
    pub(in super::super) fn bytes(device: &Device, points: &PointAddresses, wanted: u32) -> usize {
        let len = points.len as usize;
        let slots = len + Tiles::unused(len);
        let answers = if is_long(points.dimensions) {
            let queries = slots.min(batch(points.len, depth(points.dimensions) as u32) as usize);
            (12 * wanted as usize + 4) * (queries + MOST_QUERIES as usize)
        } else {
            12 * (slots + (BLOCKS * device.multiprocessors() * MOST_QUERIES) as usize)
        };
        4 * len.div_ceil(32) + 4 * slots + answers
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

    /// Finds the nearest points of each point. `arguments` has the addresses of what is wanted.
    fn nearest(
        &self,
        mut arguments: PairArguments,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        let count = arguments.slots;
        let batch = batch(self.points.exact.len, self.points.depth());
        let mut first = 0;
        while first < count {
            let queries = batch.min(count - first);
            (arguments.first, arguments.query_count) = (first, queries);
            match is_long(self.points.exact.dimensions) {
                true => self.nearest_of_long(arguments)?,
                false => self.nearest_of_short(&arguments)?,
            }
            first += queries;
            if first < count {
                self.device.finish()?;
                run.report.progress(0, count as usize)?;
            }
        }
        Ok(())
    }

    fn nearest_of_short(&self, arguments: &PairArguments) -> Result<(), DeviceError> {
        let useful = arguments.slots.div_ceil(2 * self.device.multiprocessors() * WARP);
        let shape = self.shape(arguments.wanted, useful);
        let grid = grid(shape, (arguments.query_count.div_ceil(shape.warps * WARP), 1));
        launch_pairs(self.device, &self.kernels.nearest, grid, arguments, COMPARING)
    }

    fn nearest_of_long(&self, mut arguments: PairArguments) -> Result<(), DeviceError> {
        let queries = arguments.query_count;
        let answers = Answers::none(self.device, queries, arguments.wanted)?;
        let kernel = &self.kernels.nearest;
        // Each part of the columns would begin without a limit, and compare many pairs canonically.
        self.launch_long(kernel, Columns::OwnPanel, &mut arguments, &answers)?;
        self.launch_long(kernel, Columns::All, &mut arguments, &answers)?;
        let (grid, kernel) = (grid_stride(queries.into()), &self.kernels.store_nearest);
        launch_pairs(self.device, kernel, grid, &arguments, COMPARING)
    }

    /// Compares the queries of `arguments` with columns. The addresses of the answers become
    /// arguments.
    fn launch_long(
        &self,
        kernel: &Kernel<PairArguments>,
        compared: Columns,
        arguments: &mut PairArguments,
        answers: &Answers,
    ) -> Result<(), DeviceError> {
        let shape = self.shape(arguments.wanted, MOST_QUERIES / WARP);
        let panels = arguments.slots.div_ceil(PANEL);
        let blocks = arguments.query_count.div_ceil(MOST_QUERIES);
        let (columns, parts) = match compared {
            Columns::OwnPanel => (0, 1),
            Columns::All => {
                let busy = (4 * self.device.multiprocessors()).div_ceil(blocks);
                let columns = panels.div_ceil(busy.max(PARTS).min(panels));
                (columns, panels.div_ceil(columns))
            }
        };
        *arguments = PairArguments {
            part_keys: address(&answers.keys),
            part_found: address(&answers.found),
            locks: address(&answers.locks),
            columns,
            parts,
            slabs: shape.slabs,
            ..*arguments
        };
        let grid = grid(shape, (blocks * parts, 1));
        launch_pairs(self.device, kernel, grid, arguments, COMPARING)
    }

    /// The shape of a block. A tree is not begun in more dimensions than the shared memory has room
    /// for.
    fn shape(&self, wanted: u32, useful: u32) -> BlockShape {
        BlockShape::fitting(self.points.depth(), wanted, useful, self.available)
            .expect("dimensions were checked")
    }

    /// Searches for `count` queries from `first` on.
    fn search_for(&self, rounds: &Rounds<'_>, first: u32, count: u32) -> Result<(), DeviceError> {
        let points = self.points;
        let queries = rounds.queries.slice(first as usize..(first + count) as usize);
        let of_points = points.arguments();
        let slot_labels = match points.tiles {
            Some(_) => of_points.slot_labels,
            None => address(&rounds.labels),
        };
        let arguments = fill!(PairArguments {
            slot_labels,
            queries: address(&queries),
            query_count: count,
            wanted: 1,
        }, ..of_points; rounds => labels cores bounds lists keys least_keys);
        match is_long(points.exact.dimensions) {
            true => self.search_for_long(arguments),
            false => self.search_for_short(arguments),
        }
    }

    fn search_for_long(&self, mut arguments: PairArguments) -> Result<(), DeviceError> {
        let answers = Answers::none(self.device, arguments.query_count, 1)?;
        self.launch_long(&self.kernels.pairs, Columns::All, &mut arguments, &answers)?;
        // All parts have one answer.
        self.finish(&PairArguments { parts: 1, ..arguments })
    }

    /// A block compares its queries with a part of the columns, so that few queries use the whole
    /// device.
    fn search_for_short(&self, arguments: PairArguments) -> Result<(), DeviceError> {
        let count = arguments.query_count;
        let shape = self.shape(1, count.div_ceil(WARP));
        let panels = arguments.slots.div_ceil(PANEL);
        let blocks = count.div_ceil(shape.warps * WARP);
        let parts = (BLOCKS * self.device.multiprocessors()).div_ceil(blocks).min(panels);
        let columns = panels.div_ceil(parts);
        let parts = panels.div_ceil(columns);
        let part_answers = parts as usize * count as usize;
        let part_keys: CudaSlice<u64> = self.device.uninit(part_answers)?;
        let part_found: CudaSlice<u32> = self.device.uninit(part_answers)?;
        let arguments = PairArguments {
            columns,
            parts,
            part_keys: address(&part_keys),
            part_found: address(&part_found),
            ..arguments
        };
        let grid = grid(shape, (blocks, parts));
        launch_pairs(self.device, &self.kernels.pairs, grid, &arguments, COMPARING)?;
        self.finish(&arguments)
    }

    /// Takes the answers of all parts.
    fn finish(&self, arguments: &PairArguments) -> Result<(), DeviceError> {
        let grid = grid_stride(arguments.query_count.into());
        launch_pairs(self.device, &self.kernels.rounding.finish, grid, arguments, COMPARING)
    }
}

/// The number of queries for which all of `points` points are compared in one launch.
fn batch(points: u32, depth: u32) -> u32 {
    let queries = PRODUCTS / (u64::from(points) * u64::from(depth)).max(1);
    let queries = queries.clamp(MOST_QUERIES.into(), MAX_POINTS.into()) as u32;
    // Blocks begin at a tile.
    queries / MOST_QUERIES * MOST_QUERIES
}

fn grid(shape: BlockShape, (x, y): (u32, u32)) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (x, y, 1),
        block_dim: (shape.warps * WARP, 1, 1),
        shared_mem_bytes: shape.bytes,
    }
}
