//! Matching: rounds of candidates and pairs, then pairs of vertices with a common neighbor.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::{Run, Vertex};

use super::counters::{Counters, SOURCE};
use super::{Aim, BLOCKS};
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride, kernels};
use crate::partition::{DeviceGraph, Matching};
use crate::scan::Scan;
use crate::shared::{arguments, constant, fill, ptr};
use crate::step_clock::StepClock;

const _: () = assert!(constant(SOURCE.text(), "THREADS") as u32 == BLOCKS.threads);

/// The bit of matched vertices in [`Matching::HeavyEdge`]; all vertices are below it.
pub(in crate::partition) const MATCHED: u32 = constant(SOURCE.text(), "MATCHED") as u32;

/// The most rounds. Each round matches a constant share of the edges' ends in expectation.
const ROUNDS: u32 = 8;
/// A round that matches less than this share of the vertices, in percent, is the last.
const LAST_PERCENT: u64 = 2;
/// Matching by common neighbors follows if more than this share of the vertices, in percent, is
/// unmatched.
const STALLED_PERCENT: u64 = 25;

arguments! {
    pub(super) struct Arguments in SOURCE.text();
    ptr: offsets neighbors edge_weights vertex_weights parts matches chosen;
    ptr: starts numbers followers counters;
    u32: vertices most seed;
}

kernels! {
    pub(super) struct Kernels(device) of Arguments in SOURCE;
    unmatch_all find_candidates match_in_transactions match_by_handshake
    find_heaviest store_candidates match_heavy_edges fetch_matches
    find_favorites count_followers list_followers match_followers;
}

pub(super) struct Matcher<'a> {
    pub(super) device: &'a Device,
    pub(super) kernels: &'a Kernels,
    pub(super) graph: &'a DeviceGraph,
    pub(super) aim: &'a Aim,
    /// The part of each vertex. Only vertices of one part are matched.
    pub(super) parts: &'a CudaSlice<u32>,
    /// The tracking entry and the mate of each vertex.
    pub(super) matches: CudaSlice<u64>,
    /// The neighbor that each unmatched vertex has chosen.
    pub(super) chosen: CudaSlice<Vertex>,
    pub(super) counters: CudaSlice<u64>,
}

impl<'a> Matcher<'a> {
    /// Makes each vertex of a graph unmatched.
    pub(super) fn new(
        device: &'a Device,
        kernels: &'a Kernels,
        (graph, parts): (&'a DeviceGraph, &'a CudaSlice<u32>),
        aim: &'a Aim,
    ) -> Result<Self, DeviceError> {
        let n = graph.vertices as usize;
        let (matches, chosen) = (device.uninit(n)?, device.uninit(n)?);
        let counters = device.uninit(Counters::COUNT)?;
        let matcher = Self { device, kernels, graph, aim, parts, matches, chosen, counters };
        matcher.launch(&kernels.unmatch_all, &matcher.arguments(), "matching vertices")?;
        Ok(matcher)
    }

    /// Matches vertices, and returns the tracking entry and the mate of each. `seed` decides
    /// between edges of equal ratings.
    pub(super) fn run(
        mut self,
        seed: u32,
        scan: &mut Scan,
        clock: &mut StepClock<'_>,
        run: &mut Run<'_>,
    ) -> Result<CudaSlice<u64>, DeviceError> {
        if self.aim.matching == Matching::HeavyEdge {
            self.match_heavy_edges(seed, clock, run)?;
            return Ok(self.matches);
        }
        let n = u64::from(self.graph.vertices);
        let mut unmatched = n;
        for _ in 0..ROUNDS {
            self.device.fill(&mut self.counters, 0)?;
            clock.start()?;
            // Step 1 of the source: each unmatched vertex finds its best unmatched neighbor.
            let arguments = &Arguments { seed, ..self.arguments() };
            self.launch(&self.kernels.find_candidates, arguments, "finding candidates")?;
            clock.lap("find candidates")?;
            self.match_candidates(arguments)?;
            clock.lap("match")?;
            clock.report(run)?;
            let counters = self.count()?;
            counters.report(self.aim.matching, run);
            unmatched = unmatched.saturating_sub(2 * counters.committed);
            if 2 * counters.committed * 100 < n * LAST_PERCENT {
                break;
            }
        }
        if unmatched * 100 > n * STALLED_PERCENT {
            self.device.fill(&mut self.counters, 0)?;
            clock.start()?;
            self.match_followers(scan)?;
            clock.lap("match by common neighbors")?;
            clock.report(run)?;
            run.report.counter("pairs with a common neighbor", self.count()?.committed as f64);
        }
        Ok(self.matches)
    }

    /// Steps 1 to 3 of the source, once.
    fn match_heavy_edges(
        &mut self,
        seed: u32,
        clock: &mut StepClock<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DeviceError> {
        self.device.fill(&mut self.counters, 0)?;
        let arguments = &Arguments { seed, ..self.arguments() };
        clock.start()?;
        self.launch(&self.kernels.find_heaviest, arguments, "finding candidates")?;
        self.launch(&self.kernels.store_candidates, arguments, "finding candidates")?;
        clock.lap("find candidates")?;
        self.match_candidates(arguments)?;
        self.launch(&self.kernels.fetch_matches, arguments, "matching vertices")?;
        clock.lap("match")?;
        clock.report(run)?;
        self.count()?.report(self.aim.matching, run);
        Ok(())
    }

    fn count(&self) -> Result<Counters, DeviceError> {
        Ok(Counters::new(&download(self.device, &self.counters)?))
    }

    /// Step 2 of the source: matches vertices with their candidates.
    fn match_candidates(&self, arguments: &Arguments) -> Result<(), DeviceError> {
        let kernel = match self.aim.matching {
            Matching::Transactions => &self.kernels.match_in_transactions,
            Matching::Handshake => &self.kernels.match_by_handshake,
            Matching::HeavyEdge => &self.kernels.match_heavy_edges,
        };
        // The number of a thread is its priority, which has 31 bits, so a thread may have several
        // vertices.
        let grid = grid_stride(self.graph.vertices.into());
        // SAFETY: as in `launch`.
        unsafe { kernel.launch(self.device, grid, arguments, "matching vertices") }
    }

    /// The argument of the kernels that do not match followers.
    pub(super) fn arguments(&self) -> Arguments {
        fill!(Arguments {
            vertices: self.graph.vertices,
            most: self.aim.greatest_weight,
            parts: address(self.parts),
        }, ..Arguments::default(); self.graph => offsets neighbors edge_weights vertex_weights;
        self => matches chosen counters)
    }

    /// Launches a kernel with one thread for each vertex.
    pub(super) fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        arguments: &Arguments,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        let grid = BLOCKS.for_items(self.graph.vertices);
        // SAFETY: the rows are valid, and the other arrays have an element for each vertex. Chosen
        // vertices are vertices or `NONE`. The lists of followers are disjoint and have one place
        // for each unmatched vertex; there is a list for each vertex and each part.
        unsafe { kernel.launch(self.device, grid, arguments, doing) }
    }
}
