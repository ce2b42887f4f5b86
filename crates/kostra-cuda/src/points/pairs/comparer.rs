//! The launches that compare all pairs, on one device.

use cudarc::driver::{CudaSlice, LaunchConfig};

use super::shape::{BlockShape, MOST_QUERIES, PANEL, is_long};
use super::{RoundedPoints, launch_pairs};
use crate::buffers::address;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride};
use crate::points::kernels::{PairArguments, PairKernels};

/// The threads of a warp, which are its queries, too.
pub(super) const WARP: u32 = 32;
/// Blocks for each multiprocessor, so that those that end early leave little idle.
pub(super) const BLOCKS: u32 = 16;
const COMPARING: &str = "comparing all pairs";

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

/// What blocks find for the queries of a launch.
pub(super) struct Answers {
    /// `wanted` points of each query, in each of `parts` parts of the columns.
    pub(super) parts: u32,
    pub(super) keys: CudaSlice<u64>,
    pub(super) found: CudaSlice<u32>,
    /// Of each query, where all parts of the columns have one answer.
    locks: CudaSlice<u32>,
}

impl Answers {
    /// One answer for all parts.
    fn shared(device: &Device, queries: u32, wanted: u32) -> Result<Self, DeviceError> {
        // Blocks have the same number of queries.
        let queries = queries.next_multiple_of(MOST_QUERIES) as usize;
        let points = queries * wanted as usize;
        Ok(Self {
            parts: 1,
            keys: device.filled(points, 0xff)?,
            found: device.filled(points, 0xff)?,
            locks: device.filled(queries, 0)?,
        })
    }
}

/// A device, and the points on it.
#[derive(Clone, Copy)]
pub(in super::super) struct Comparer<'a> {
    pub(in super::super) device: &'a Device,
    pub(in super::super) kernels: &'a PairKernels,
    pub(in super::super) points: &'a RoundedPoints,
    /// The bytes of shared memory that a block may use.
    pub(in super::super) available: u32,
}

impl Comparer<'_> {
    /// Finds the nearest points of the points of `query_count` slots from `first` on. `arguments`
    /// has the addresses of what is wanted.
    pub(super) fn nearest(&self, arguments: PairArguments) -> Result<(), DeviceError> {
        match is_long(self.points.exact.dimensions) {
            true => self.nearest_of_long(arguments),
            false => self.nearest_of_short(&arguments),
        }
    }

    fn nearest_of_short(&self, arguments: &PairArguments) -> Result<(), DeviceError> {
        let useful = arguments.slots.div_ceil(2 * self.device.multiprocessors() * WARP);
        let shape = self.shape(arguments.wanted, useful);
        let grid = grid(shape, (arguments.query_count.div_ceil(shape.warps * WARP), 1));
        launch_pairs(self.device, &self.kernels.nearest, grid, arguments, COMPARING)
    }

    fn nearest_of_long(&self, mut arguments: PairArguments) -> Result<(), DeviceError> {
        let queries = arguments.query_count;
        let answers = Answers::shared(self.device, queries, arguments.wanted)?;
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

    /// Finds the nearest points of other components for the queries of `arguments`.
    pub(super) fn search(&self, arguments: PairArguments) -> Result<Answers, DeviceError> {
        match is_long(self.points.exact.dimensions) {
            true => self.search_for_long(arguments),
            false => self.search_for_short(arguments),
        }
    }

    fn search_for_long(&self, mut arguments: PairArguments) -> Result<Answers, DeviceError> {
        let answers = Answers::shared(self.device, arguments.query_count, 1)?;
        self.launch_long(&self.kernels.pairs, Columns::All, &mut arguments, &answers)?;
        Ok(answers)
    }

    /// A block compares its queries with a part of the columns, so that few queries use the whole
    /// device.
    fn search_for_short(&self, arguments: PairArguments) -> Result<Answers, DeviceError> {
        let count = arguments.query_count;
        let shape = self.shape(1, count.div_ceil(WARP));
        let panels = arguments.slots.div_ceil(PANEL);
        let blocks = count.div_ceil(shape.warps * WARP);
        let parts = (BLOCKS * self.device.multiprocessors()).div_ceil(blocks).min(panels);
        let columns = panels.div_ceil(parts);
        let parts = panels.div_ceil(columns);
        let len = parts as usize * count as usize;
        let answers = Answers {
            parts,
            keys: self.device.uninit(len)?,
            found: self.device.uninit(len)?,
            locks: self.device.uninit(0)?,
        };
        let arguments = PairArguments {
            columns,
            parts,
            part_keys: address(&answers.keys),
            part_found: address(&answers.found),
            ..arguments
        };
        let grid = grid(shape, (blocks, parts));
        launch_pairs(self.device, &self.kernels.pairs, grid, &arguments, COMPARING)?;
        Ok(answers)
    }

    /// Takes the answers of all parts, perhaps from another device, for the queries of `arguments`.
    pub(super) fn take(
        &self,
        answers: &Answers,
        arguments: PairArguments,
    ) -> Result<(), DeviceError> {
        let arguments = PairArguments {
            parts: answers.parts,
            part_keys: address(&answers.keys),
            part_found: address(&answers.found),
            ..arguments
        };
        let grid = grid_stride(arguments.query_count.into());
        launch_pairs(self.device, &self.kernels.rounding.finish, grid, &arguments, COMPARING)
    }
}

fn grid(shape: BlockShape, (x, y): (u32, u32)) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (x, y, 1),
        block_dim: (shape.warps * WARP, 1, 1),
        shared_mem_bytes: shape.bytes,
    }
}
