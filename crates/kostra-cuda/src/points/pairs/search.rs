//! Searches by comparing all pairs, on one device or several.

use std::iter::once;
use std::ops::Range;

use cudarc::driver::CudaSlice;
use kostra_core::Run;

use super::comparer::{BLOCKS, Comparer, WARP};
use super::launch_pairs;
use super::partner::{Helper, Partner};
use super::shape::{MOST_QUERIES, depth, is_long};
use super::tiles::Tiles;
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::grid_stride;
use crate::points::input::{DevicePointsError, MAX_POINTS, PointAddresses};
use crate::points::kernels::{PairArguments, counter};
use crate::points::rounds::{LIST, Rounds, Search};
use crate::shared::fill;

/// The products of coordinates in one launch: less than a second, so that a run can be cancelled.
const PRODUCTS: u64 = 1 << 46;

pub(in super::super) struct PairSearch<'a> {
    own: Comparer<'a>,
    /// Other devices, which compare a part of the queries.
    partners: Vec<Partner<'a>>,
    leaf_labels: CudaSlice<u32>,
}

impl Search for PairSearch<'_> {
    fn neighbors(
        &mut self,
        rounds: &mut Rounds<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        let wanted = fill!(PairArguments { wanted: LIST as u32 }, ..PairArguments::default();
            rounds => lists keys least_keys);
        self.nearest(&wanted, run)
    }

    fn take(&mut self, rounds: &mut Rounds<'_>) -> Result<(), DeviceError> {
        rounds.label_leaves(&self.leaf_labels)?;
        let Comparer { device, kernels, points, .. } = self.own;
        let arguments = fill!(PairArguments {}, ..points.arguments();
            rounds => cores labels lists keys bounds);
        let grid = grid_stride(arguments.count.into());
        let kernel = &kernels.rounding.advance;
        launch_pairs(device, kernel, grid, &arguments, "comparing neighbors")
    }

    fn search(
        &mut self,
        rounds: &mut Rounds<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), DevicePointsError> {
        let Comparer { device, kernels, points, .. } = self.own;
        let queries = download(device, &rounds.counters)?[counter::QUERIES];
        if queries == 0 {
            return Ok(());
        }
        if points.tiles.is_some() {
            Tiles::lower_bounds((device, kernels), points, rounds, queries)?;
        }
        self.wait()?;
        for partner in &self.partners {
            partner.begin(rounds, points)?;
        }
        let batch = self.batch(queries);
        let mut first = 0;
        while first < queries {
            first = self.search_for(rounds, first..queries, batch)?;
            if first < queries {
                device.finish()?;
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

    /// Helpers get copies of the points. `has_cores` says whether the rounds have core distances.
    pub(in super::super) fn new(
        own: Comparer<'a>,
        helpers: &'a [Helper],
        has_cores: bool,
    ) -> Result<Self, DeviceError> {
        let Comparer { device, points, .. } = own;
        let leaf_labels = device.uninit(points.exact.len.div_ceil(WARP) as usize)?;
        let mut partners = Vec::new();
        for helper in helpers {
            device.finish()?;
            partners.push(Partner::new(helper, device, points, has_cores)?);
        }
        Ok(Self { own, partners, leaf_labels })
    }

    /// The squared distance from each point to its `neighbors`-th nearest other point. There are
    /// more points than `neighbors`.
    pub(in super::super) fn core_distances(
        &self,
        neighbors: u32,
        run: &mut Run<'_>,
    ) -> Result<CudaSlice<f64>, DevicePointsError> {
        let cores: CudaSlice<f64> = self.own.device.uninit(self.own.points.exact.len as usize)?;
        let core_distances = address(&cores);
        let wanted =
            PairArguments { wanted: neighbors, core_distances, ..PairArguments::default() };
        self.nearest(&wanted, run)?;
        Ok(cores)
    }

    /// Finds the nearest points of each point. `wanted` has their number and the addresses for
    /// them, on the first device.
    fn nearest(&self, wanted: &PairArguments, run: &mut Run<'_>) -> Result<(), DevicePointsError> {
        let PairArguments { wanted, core_distances, lists, keys, least_keys, .. } = *wanted;
        let slots = self.own.points.slots();
        let batch = self.batch(slots);
        self.wait()?;
        let mut first = 0;
        while first < slots {
            for comparer in self.comparers() {
                let query_count = batch.min(slots - first);
                if query_count == 0 {
                    break;
                }
                let of_points = comparer.points.arguments();
                comparer.nearest(fill!(
                    PairArguments {
                        wanted,
                        core_distances,
                        lists,
                        keys,
                        least_keys,
                        first,
                        query_count
                    },
                    ..of_points
                ))?;
                first += query_count;
            }
            self.wait()?;
            if first < slots {
                self.own.device.finish()?;
                run.report.progress(0, slots as usize)?;
            }
        }
        Ok(())
    }

    /// Searches for at most `batch` queries of a range on each device. Returns where the others
    /// begin.
    fn search_for(
        &self,
        rounds: &Rounds<'_>,
        queries: Range<u32>,
        batch: u32,
    ) -> Result<u32, DeviceError> {
        let own_count = batch.min(queries.len() as u32);
        let mut first = queries.start + own_count;
        let mut found = Vec::new();
        for partner in &self.partners {
            let count = batch.min(queries.end - first);
            if count > 0 {
                found.push((partner.search(rounds, first, count)?, first, count));
                first += count;
            }
        }
        let points = self.own.points;
        let slot_labels = points.slot_labels(&rounds.labels);
        let of_queries = |first: u32, count: u32| {
            let queries = rounds.queries.slice(first as usize..(first + count) as usize);
            fill!(PairArguments {
                slot_labels,
                queries: address(&queries),
                query_count: count,
                wanted: 1,
            }, ..points.arguments(); rounds => labels cores bounds lists keys least_keys)
        };
        let own = self.own.search(of_queries(queries.start, own_count))?;
        for (partner, _) in self.partners.iter().zip(&found) {
            partner.finish()?;
            partner.lower_bounds(self.own, rounds)?;
        }
        // Answers are taken with the bounds of all devices.
        self.own.take(&own, of_queries(queries.start, own_count))?;
        for (answers, first, count) in &found {
            self.own.take(answers, of_queries(*first, *count))?;
        }
        if !found.is_empty() {
            // The answers are freed on devices that do not wait for this one.
            self.own.device.finish()?;
        }
        Ok(first)
    }

    fn comparers(&self) -> impl Iterator<Item = Comparer<'_>> {
        // Partners are first to get work. What is left over is little.
        self.partners.iter().map(Partner::comparer).chain(once(self.own))
    }

    /// Waits for all devices if there are several.
    fn wait(&self) -> Result<(), DeviceError> {
        if !self.partners.is_empty() {
            self.own.device.finish()?;
        }
        self.partners.iter().try_for_each(Partner::finish)
    }

    /// The number of queries for which all points are compared in one launch, if each device
    /// compares a part of `queries` queries.
    fn batch(&self, queries: u32) -> u32 {
        let most = batch(self.own.points.exact.len, self.own.points.depth());
        let devices = self.partners.len() as u32 + 1;
        most.min(queries.div_ceil(devices).next_multiple_of(MOST_QUERIES))
    }
}

/// The number of queries for which all of `points` points are compared in one launch.
fn batch(points: u32, depth: u32) -> u32 {
    let queries = PRODUCTS / (u64::from(points) * u64::from(depth)).max(1);
    let queries = queries.clamp(MOST_QUERIES.into(), MAX_POINTS.into()) as u32;
    // Blocks begin at a tile.
    queries / MOST_QUERIES * MOST_QUERIES
}
