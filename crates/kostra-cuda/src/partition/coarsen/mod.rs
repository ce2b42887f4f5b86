//! Coarsening on a device: a sequence of smaller graphs, each the contraction of the one before it.
//!
//! Source: Manoochehri 2017, section 4.4.2. `matching` has steps 1 and 2 of its summary, and
//! `contraction` steps 3 to 14. `followers` matches vertices with a common neighbor; the source has
//! no such step, and stalls on stars.

mod contraction;
mod counters;
mod followers;
mod matching;
#[cfg(test)]
mod tests;

use cudarc::driver::CudaSlice;
use kostra_core::{Run, SolveError, Vertex};

use self::contraction::{Contracted, Contractor};
pub(super) use self::matching::MATCHED;
use self::matching::Matcher;
use super::row_sort::RowSortKernels;
use super::{DeviceGraph, Matching, RowSort};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::BlockSize;
use crate::scan::{self, Scan, TileSums};
use crate::step_clock::StepClock;

/// The size of the blocks: warps share memory, so the kernels fix it.
const BLOCKS: BlockSize = BlockSize { threads: 256 };

/// Coarsening ends when a level keeps more than this share of the vertices, in percent.
const STALLED_PERCENT: u64 = 95;

pub(super) struct Kernels {
    matching: matching::Kernels,
    contraction: contraction::Kernels,
    sort: RowSortKernels,
    scan: scan::ScanKernels,
}

impl Kernels {
    pub(super) fn load(device: &Device, row_sort: RowSort) -> Result<Self, DeviceError> {
        Ok(Self {
            matching: matching::Kernels::load(device)?,
            contraction: contraction::Kernels::load(device)?,
            sort: RowSortKernels::load(device, row_sort)?,
            scan: scan::ScanKernels::load(device)?,
        })
    }

    /// Coarsens until the aim is reached, or a level hardly shrinks the graph. The finest level is
    /// the first. Vertices of different parts are kept apart. Also returns the part of each vertex
    /// of the coarsest graph.
    pub(super) fn coarsen(
        &self,
        device: &Device,
        graph: &DeviceGraph,
        mut parts: CudaSlice<u32>,
        aim: Aim,
        run: &mut Run<'_>,
    ) -> Result<(Vec<Level>, CudaSlice<u32>), SolveError> {
        let lists = graph.vertices as usize + aim.parts as usize;
        let longest = lists.max(graph.entries as usize + 1);
        let mut scan = Scan::new(device, self.scan.clone(), longest, TileSums::OnDevice)?;
        let mut clock = StepClock::new(device, run)?;
        let mut levels: Vec<Level> = Vec::new();
        loop {
            let finer = levels.last().map_or(graph, |level| &level.graph);
            if finer.vertices <= aim.vertices {
                return Ok((levels, parts));
            }
            run.report.round(finer.vertices as usize, finer.entries as usize / 2)?;
            let matcher = Matcher::new(device, &self.matching, (finer, &parts), &aim)?;
            let matches = matcher.run(aim.seed_of(levels.len()), &mut scan, &mut clock, run)?;
            let (kernels, sort) = (&self.contraction, &self.sort);
            let parts_of = &parts;
            let contractor =
                Contractor { device, kernels, sort, graph: finer, parts: parts_of, matches };
            let Contracted { graph, map, parts: coarse_parts } =
                contractor.run(&mut scan, &mut clock)?;
            clock.report(run)?;
            if u64::from(graph.vertices) * 100 > u64::from(finer.vertices) * STALLED_PERCENT {
                return Ok((levels, parts));
            }
            parts = coarse_parts;
            levels.push(Level { graph, map });
        }
    }

    /// Gives each vertex of the graph above a level the part of its coarse vertex.
    pub(super) fn project(
        &self,
        device: &Device,
        level: &Level,
        coarse_parts: &CudaSlice<u32>,
    ) -> Result<CudaSlice<u32>, DeviceError> {
        self.contraction.project(device, &level.map, coarse_parts)
    }
}

/// What coarsening aims at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// The number of parts, whose vertices are kept apart.
    pub(super) parts: u32,
    /// Coarsening ends at a graph of at most this number of vertices.
    pub(super) vertices: u32,
    /// The greatest weight of a pair of vertices.
    pub(super) greatest_weight: u32,
    /// How pairs are made.
    pub(super) matching: Matching,
    /// The seed of the choice between edges of equal ratings.
    pub(super) seed: u64,
}

impl Aim {
    /// The aim of a cycle. Different cycles have different seeds.
    pub(super) fn in_cycle(self, cycle: u32) -> Self {
        Self { seed: self.seed.wrapping_add(u64::from(cycle) << 32), ..self }
    }

    /// The seed of a level. Different levels have different seeds.
    pub(super) fn seed_of(&self, level: usize) -> u32 {
        /// The golden ratio in 32 bits, odd.
        const STEP: u32 = 0x9E37_79B9;
        (self.seed ^ self.seed >> 32) as u32 ^ STEP.wrapping_mul(level as u32)
    }
}

/// One step of coarsening.
pub(super) struct Level {
    pub(super) graph: DeviceGraph,
    /// The vertex of `graph` that contains each vertex of the finer graph.
    map: CudaSlice<Vertex>,
}
