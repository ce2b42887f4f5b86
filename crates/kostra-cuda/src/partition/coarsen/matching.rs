//! Matching: rounds of candidates and pairs, then pairs of vertices with a common neighbor.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice};
use kostra_core::{Run, Vertex};

use super::counters::Counters;
use super::{Aim, BLOCKS};
use crate::buffers::download;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::partition::{DeviceGraph, Matching};
use crate::scan::Scan;
use crate::shared::constant;
use crate::source::Source;
use crate::step_clock::StepClock;

/// The file of the kernels.
pub(super) const SOURCE: Source = Source::file("partition_match.cu");

const _: () = assert!(constant(SOURCE.text(), "THREADS") as u32 == BLOCKS.threads);

/// The most rounds. Each round matches a constant share of the edges' ends in expectation.
const ROUNDS: u32 = 8;
/// A round that matches less than this share of the vertices, in percent, is the last.
const LAST_PERCENT: u64 = 2;
/// Matching by common neighbors follows if more than this share of the vertices, in percent, is
/// unmatched.
const STALLED_PERCENT: u64 = 25;

/// The kernels.
pub(super) struct Kernels {
    unmatch_all: CudaFunction,
    find_candidates: CudaFunction,
    match_in_transactions: CudaFunction,
    match_by_handshake: CudaFunction,
    pub(super) find_favorites: CudaFunction,
    pub(super) count_followers: CudaFunction,
    pub(super) list_followers: CudaFunction,
    pub(super) match_followers: CudaFunction,
}

impl Kernels {
    pub(super) fn load(device: &Device) -> Result<Self, DeviceError> {
        let kernel = |name: &str| device.function(SOURCE, name);
        Ok(Self {
            unmatch_all: kernel("unmatch_all")?,
            find_candidates: kernel("find_candidates")?,
            match_in_transactions: kernel("match_in_transactions")?,
            match_by_handshake: kernel("match_by_handshake")?,
            find_favorites: kernel("find_favorites")?,
            count_followers: kernel("count_followers")?,
            list_followers: kernel("list_followers")?,
            match_followers: kernel("match_followers")?,
        })
    }
}

/// The matching of a level.
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
        let mut matches = device.uninit(n)?;
        // SAFETY: there is an element for each vertex.
        unsafe {
            launch!(
                device,
                &kernels.unmatch_all,
                BLOCKS.for_items(graph.vertices),
                (SOURCE, "unmatch_all"),
                [ptr matches = &mut matches, u32 vertices = &graph.vertices],
                "matching vertices"
            )
        }?;
        let (chosen, counters) = (device.uninit(n)?, device.uninit(Counters::COUNT)?);
        Ok(Self { device, kernels, graph, aim, parts, matches, chosen, counters })
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
        let n = u64::from(self.graph.vertices);
        let mut unmatched = n;
        for _ in 0..ROUNDS {
            self.device.fill(&mut self.counters, 0)?;
            clock.start()?;
            self.find_candidates(seed)?;
            clock.lap("find candidates")?;
            self.match_candidates()?;
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
            run.counter("pairs with a common neighbor", self.count()?.committed as f64);
        }
        Ok(self.matches)
    }

    fn count(&self) -> Result<Counters, DeviceError> {
        Ok(Counters::new(&download(self.device, &self.counters)?))
    }

    /// Step 1 of the source: each unmatched vertex finds its best unmatched neighbor.
    fn find_candidates(&mut self, seed: u32) -> Result<(), DeviceError> {
        // SAFETY: the rows are valid, and the other arrays have an element for each vertex.
        unsafe {
            launch!(
                self.device,
                &self.kernels.find_candidates,
                BLOCKS.for_items(self.graph.vertices),
                (SOURCE, "find_candidates"),
                [
                    ptr offsets = &self.graph.offsets,
                    ptr neighbors = &self.graph.neighbors,
                    ptr edge_weights = &self.graph.edge_weights,
                    ptr vertex_weights = &self.graph.vertex_weights,
                    ptr parts = self.parts,
                    u32 vertices = &self.graph.vertices,
                    ptr matches = &self.matches,
                    u32 most = &self.aim.greatest_weight,
                    u32 seed = &seed,
                    ptr candidates = &mut self.chosen,
                ],
                "finding candidates"
            )
        }
    }

    /// Step 2 of the source: matches vertices with their candidates.
    fn match_candidates(&mut self) -> Result<(), DeviceError> {
        const {
            // Both kernels have these parameters.
            crate::shared::assert_parameters(
                SOURCE.text(),
                "match_by_handshake",
                &[
                    ("ptr", "candidates"),
                    ("u32", "vertices"),
                    ("ptr", "matches"),
                    ("ptr", "counters"),
                ],
            );
        }
        let kernel = match self.aim.matching {
            Matching::Transactions => &self.kernels.match_in_transactions,
            Matching::Handshake => &self.kernels.match_by_handshake,
        };
        // The number of a thread is its priority, which has 31 bits, so a thread may have several
        // vertices.
        let grid = grid_stride(self.graph.vertices.into());
        // SAFETY: candidates are vertices or `NONE`, and the arrays have an element for each
        // vertex.
        unsafe {
            launch!(
                self.device,
                kernel,
                grid,
                (SOURCE, "match_in_transactions"),
                [
                    ptr candidates = &self.chosen,
                    u32 vertices = &self.graph.vertices,
                    ptr matches = &mut self.matches,
                    ptr counters = &mut self.counters,
                ],
                "matching vertices"
            )
        }
    }
}
