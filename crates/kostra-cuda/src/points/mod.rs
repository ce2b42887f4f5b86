//! The exact minimum spanning tree of points on a device, by Borůvka's algorithm.
//!
//! First, each point's nearest points are found. In each round, every component takes its nearest
//! outgoing pair: from these lists where they suffice, and by searches elsewhere. There are two
//! ways to search:
//!
//! * in few dimensions in a tree of boxes. Points are sorted along a Hilbert curve. The tree over
//!   consecutive points has no pointers. O(n log n) work for points that a curve sorts well, O(n^2)
//!   at worst. Device memory: for three dimensions of 32 bits, about 150 bytes for each point;
//! * in many dimensions by comparing all pairs. Tensor cores multiply rounded coordinates, which
//!   rules out nearly all pairs. O(n^2 d) work. Device memory: for 32 dimensions of 32 bits, about
//!   250 bytes for each point.
//!
//! * Sources: Prokopenko, Sao & Lebrun-Grandié 2022 (one tree for all rounds, nodes labeled by
//!   their component, a bound of each component that all its points share); Karras 2012 (the idea
//!   to sort points along a curve). `docs/algorithms/cuda-points.md` lists what differs.
//! * Exact and canonical: the result is that of [`kostra_points`], edge by edge. Approximate
//!   distances decide only what is looked at.
//! * Several devices share the searches of points of more than 64 dimensions.
//! * O(log n) rounds with a few round trips to the host each.
//! * Reports the time of each step by the device's clock, and the rounds with the numbers of
//!   components and of points that search.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

mod extent;
mod input;
mod join;
mod kernels;
mod merges;
mod order;
mod pairs;
mod rounds;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use cudarc::driver::CudaSlice;
use kostra_core::{ElementType, OutOfMemory, Run, memory};
use kostra_points::{Distance, Metric, PointTree, Points, PointsError, Values};

pub use self::input::{DevicePointsError, MAX_POINTS, MAX_SAMPLES, PointAddresses};
use self::kernels::{ForestKernels, MOST_TREE_DIMENSIONS, PairKernels, TreeKernels};
pub use self::merges::DeviceMerges;
use self::order::Order;
use self::pairs::{Comparer, Helper, MOST_DIMENSIONS, PairSearch, RoundedPoints, most_dimensions};
use self::rounds::{FoundEdges, LIST, PointOrder, Rounds};
use self::tree::{Tree, TreeSearch, levels, nodes};
use crate::buffers::DeviceArray;
use crate::device::Device;
use crate::error::DeviceError;
use crate::memory::DeviceMemory;
use crate::radix_sort::RadixSort;
use crate::staging::{self, Transfer};
use crate::step_clock::StepClock;

/// The distances whose tree is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointDistance {
    /// The distance by a metric, or the mutual reachability distance over it.
    Metric(Distance),
    /// The mutual reachability distance with given core distances, over the Euclidean metric.
    Cores {
        /// The address of the square of each point's core distance: 64-bit floating-point numbers
        /// that are neither negative nor NaN.
        squares: u64,
    },
}

impl PointDistance {
    fn metric(self) -> Metric {
        match self {
            Self::Metric(distance) => distance.metric,
            Self::Cores { .. } => Metric::Euclidean,
        }
    }

    /// The number of other points whose distance is a point's core distance, if that is not given.
    fn neighbors(self) -> u32 {
        match self {
            Self::Metric(distance) => distance.min_samples.saturating_sub(1) as u32,
            Self::Cores { .. } => 0,
        }
    }

    fn has_cores(self) -> bool {
        self.neighbors() > 0 || matches!(self, Self::Cores { .. })
    }
}

/// How points and components find their nearest points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchMethod {
    Tree,
    AllPairs,
}

impl SearchMethod {
    /// From this number of dimensions on, boxes rule out few pairs, and comparing all pairs of up
    /// to [`FEW_POINTS`](Self::FEW_POINTS) points is faster. `docs/performance/log.md` has
    /// the measurements.
    const MANY_DIMENSIONS: usize = 9;
    const FEW_POINTS: u32 = 1 << 17;

    fn of(points: &PointAddresses, metric: Metric) -> Self {
        let (len, dimensions) = (points.len, points.dimensions);
        let pairs_are_faster = dimensions >= Self::MANY_DIMENSIONS && len <= Self::FEW_POINTS;
        let has_tree = metric == Metric::Euclidean && dimensions <= MOST_TREE_DIMENSIONS;
        if has_tree && !pairs_are_faster { Self::Tree } else { Self::AllPairs }
    }
}

/// A minimum spanning tree in device memory, in the order of [`PointTree`]. Other libraries may use
/// its arrays for longer than the tree.
#[derive(Debug)]
pub struct DevicePointTree {
    /// The number of points.
    pub len: u32,
    /// The lower end of each edge: 32-bit indices.
    pub lower_ends: Arc<DeviceMemory>,
    /// The higher end of each edge.
    pub higher_ends: Arc<DeviceMemory>,
    /// The distance between the ends of each edge, 64 bits.
    pub distances: Arc<DeviceMemory>,
}

/// Whether a run's other devices help the first one with points of `dimensions` dimensions.
pub fn uses_devices(dimensions: usize) -> bool {
    pairs::is_long(dimensions)
}

/// The canonical minimum spanning tree of points, built on the device `run.request.device()`. The
/// run's other devices compare a part of the pairs, if [`uses_devices`] and they can use the memory
/// of the first one.
///
/// # Errors
/// When there are more than [`MAX_POINTS`] points, more than 2048 dimensions, or more than
/// [`MAX_SAMPLES`] samples; when the metric is neither Euclidean nor cosine, or does not accept the
/// points; when squared distances overflow or vanish; when points have weights; when there is no
/// device, the device fails or has too little memory; or when the observer cancels the run.
pub fn spanning_tree(
    points: &Points<'_>,
    distance: impl Into<Distance>,
    run: &mut Run<'_>,
) -> Result<PointTree, DevicePointsError> {
    tree_of(points, distance.into(), None, run)
}

/// The same tree, by comparing all pairs in any case.
///
/// # Errors
/// As [`spanning_tree`].
pub fn brute_force(
    points: &Points<'_>,
    distance: impl Into<Distance>,
    run: &mut Run<'_>,
) -> Result<PointTree, DevicePointsError> {
    tree_of(points, distance.into(), Some(SearchMethod::AllPairs), run)
}

fn tree_of(
    points: &Points<'_>,
    distance: Distance,
    plan: Option<SearchMethod>,
    run: &mut Run<'_>,
) -> Result<PointTree, DevicePointsError> {
    if !points.weights().is_empty() {
        return Err(PointsError::WeightsOnDevice.into());
    }
    let device = &Device::open(run.request.device())?;
    let (len, dimensions) = (points.len(), points.dimensions());
    let coordinates = match points.values() {
        Values::F32(_) => ElementType::F32,
        Values::F64(_) => ElementType::F64,
    };
    let mut addresses =
        PointAddresses { address: 0, len, dimensions, stride: dimensions, coordinates };
    let distance = PointDistance::Metric(distance);
    check(&addresses, distance)?;
    if len < 2 {
        return Ok(PointTree { len, ends: Vec::new(), distances: Vec::new() });
    }
    let bytes = len as usize * dimensions * coordinates.size();
    let plan = plan.unwrap_or_else(|| SearchMethod::of(&addresses, distance.metric()));
    device.admit(0, bytes + bytes_needed(device, &addresses, distance, plan))?;
    let threads = run.request.threads();
    let copy = run.upload(|_| {
        let copy = DeviceMemory::uninit(device, bytes)?;
        let transfer = match points.values() {
            Values::F32(values) => Transfer::new(values, copy.address()),
            Values::F64(values) => Transfer::new(values, copy.address()),
        };
        // SAFETY: the copy was allocated above with the same number of bytes.
        unsafe { staging::send(device, &[transfer], threads) }?;
        Ok::<_, DeviceError>(copy)
    })?;
    addresses.address = copy.address();
    // The copy has all points, and lives until the tree is complete.
    let tree = Request { device, points: &addresses, distance, plan }.solve(run)?;
    run.download(|_| tree.download(threads))
}

/// The canonical minimum spanning tree of points in device memory. Other devices of the run help as
/// with [`spanning_tree`].
///
/// # Errors
/// As [`spanning_tree`]; also when a coordinate is not finite, or when points overlap.
///
/// # Safety
/// The addresses are of arrays of the stated size in the memory of this device, aligned for their
/// values. All writes to them are complete, and nothing changes them before this returns.
pub unsafe fn spanning_tree_at(
    device: &Arc<Device>,
    points: &PointAddresses,
    distance: PointDistance,
    run: &mut Run<'_>,
) -> Result<DevicePointTree, DevicePointsError> {
    let plan = SearchMethod::of(points, distance.metric());
    Request { device, points, distance, plan }.solve(run)
}

/// The same tree, by comparing all pairs in any case.
///
/// # Errors
/// As [`spanning_tree_at`].
///
/// # Safety
/// As [`spanning_tree_at`].
pub unsafe fn brute_force_at(
    device: &Arc<Device>,
    points: &PointAddresses,
    distance: PointDistance,
    run: &mut Run<'_>,
) -> Result<DevicePointTree, DevicePointsError> {
    Request { device, points, distance, plan: SearchMethod::AllPairs }.solve(run)
}

/// A tree to build. Whoever makes a request guarantees its addresses.
struct Request<'a> {
    device: &'a Arc<Device>,
    points: &'a PointAddresses,
    distance: PointDistance,
    plan: SearchMethod,
}

impl Request<'_> {
    fn solve(&self, run: &mut Run<'_>) -> Result<DevicePointTree, DevicePointsError> {
        let Self { device, points, distance, plan } = *self;
        check(points, distance)?;
        let len = points.len;
        if len < 2 {
            let empty = || DeviceMemory::uninit(device, 0).map(Arc::new);
            let (lower_ends, higher_ends, distances) = (empty()?, empty()?, empty()?);
            return Ok(DevicePointTree { len, lower_ends, higher_ends, distances });
        }
        device.admit(0, bytes_needed(device, points, distance, plan))?;
        let forest = &run.compile(|_| ForestKernels::load(device))?;
        let (edges, sort) = match plan {
            SearchMethod::Tree => self.in_tree(forest, run)?,
            SearchMethod::AllPairs => self.by_all_pairs(forest, run)?,
        };
        let mut clock = StepClock::new(device, run)?;
        clock.start()?;
        let order = Order { device, kernels: forest, edges: &edges, count: len - 1 };
        let tree = order.tree(distance.metric(), sort)?;
        clock.lap("order")?;
        device.finish()?;
        clock.report(run)?;
        Ok(tree)
    }

    fn in_tree(
        &self,
        forest: &ForestKernels,
        run: &mut Run<'_>,
    ) -> Result<(FoundEdges, RadixSort), DevicePointsError> {
        let (device, points) = (self.device, self.points);
        let (dimensions, coordinates) = (points.dimensions, points.coordinates);
        let kernels = &run.compile(|_| TreeKernels::load(device, dimensions, coordinates))?;
        let mut clock = StepClock::new(device, run)?;
        clock.start()?;
        let (tree, sort) = Tree::build((device, forest), kernels, points)?;
        clock.lap("build")?;
        let cores = self
            .cores(&mut clock, |neighbors| Ok(tree.core_distances(device, kernels, neighbors)?))?;
        let order = PointOrder {
            count: tree.count,
            order: &tree.order,
            inverse: &tree.inverse,
            near: None,
        };
        let mut search = TreeSearch::new(device, kernels, &tree)?;
        let rounds = Rounds::allocate((device, forest), order, cores.is_some())?;
        let edges = rounds.run(&mut search, cores.as_ref(), &mut clock, run)?;
        Ok((edges, sort))
    }

    fn by_all_pairs(
        &self,
        forest: &ForestKernels,
        run: &mut Run<'_>,
    ) -> Result<(FoundEdges, RadixSort), DevicePointsError> {
        let (device, points, metric) = (self.device, self.points, self.distance.metric());
        let shared = device.shared_memory()?;
        let most = most_dimensions(self.distance.neighbors().max(LIST as u32), shared);
        if points.dimensions > most {
            let dimensions = points.dimensions;
            return Err(DevicePointsError::TooManyDimensions { dimensions, most });
        }
        let coordinates = RoundedPoints::coordinates(points, metric);
        let kinds = (points.dimensions, coordinates);
        let kernels = &run.compile(|_| PairKernels::load(device, kinds, shared))?;
        let mut clock = StepClock::new(device, run)?;
        clock.start()?;
        let rounded = RoundedPoints::new((device, forest), kernels, points, metric)?;
        clock.lap("build")?;
        let helpers = Helper::all(device, points, kinds, run)?;
        let has_cores = self.distance.has_cores();
        let own = Comparer { device, kernels, points: &rounded, available: shared };
        let mut search = PairSearch::new(own, &helpers, has_cores)?;
        let cores = self.cores(&mut clock, |neighbors| search.core_distances(neighbors, run))?;
        let order = PointOrder {
            count: points.len,
            order: &rounded.order,
            inverse: &rounded.order,
            near: rounded.near(),
        };
        let rounds = Rounds::allocate((device, forest), order, cores.is_some())?;
        let edges = rounds.run(&mut search, cores.as_ref(), &mut clock, run)?;
        Ok((edges, RadixSort::new(device, points.len as usize)?))
    }

    /// The squared core distances, if the distance has any. `find` finds those for a number of
    /// neighbors.
    fn cores(
        &self,
        clock: &mut StepClock<'_>,
        find: impl FnOnce(u32) -> Result<CudaSlice<f64>, DevicePointsError>,
    ) -> Result<Option<DeviceArray<f64>>, DevicePointsError> {
        if let PointDistance::Cores { squares } = self.distance {
            // SAFETY: whoever made the request guarantees the address.
            return Ok(Some(unsafe { DeviceArray::foreign(squares, self.points.len as usize) }));
        }
        if self.distance.neighbors() == 0 {
            return Ok(None);
        }
        let cores = find(self.distance.neighbors())?;
        clock.lap("core distances")?;
        Ok(Some(cores.into()))
    }
}

impl DevicePointTree {
    /// Copies the tree to host memory, on up to `threads` threads.
    ///
    /// # Errors
    /// When the device fails, or the system refuses the memory.
    pub fn download(&self, threads: usize) -> Result<PointTree, DevicePointsError> {
        let (lower, higher) = (self.lower_ends.values(threads)?, self.higher_ends.values(threads)?);
        let pairs = lower.into_iter().zip(higher).map(|(lower, higher)| [lower, higher]);
        let ends = memory::collected(pairs).map_err(refused)?;
        let distances = self.distances.values(threads)?;
        Ok(PointTree { len: self.len, ends, distances })
    }
}

fn refused(refusal: OutOfMemory) -> DevicePointsError {
    DeviceError::Host(refusal).into()
}

/// Refuses sets of points and distances that the kernels do not take.
fn check(points: &PointAddresses, distance: PointDistance) -> Result<(), DevicePointsError> {
    let PointAddresses { len, dimensions, stride, coordinates, .. } = *points;
    if dimensions == 0 {
        return Err(PointsError::NoDimensions.into());
    }
    if dimensions > MOST_DIMENSIONS {
        return Err(DevicePointsError::TooManyDimensions { dimensions, most: MOST_DIMENSIONS });
    }
    if len > MAX_POINTS {
        return Err(DevicePointsError::TooManyPoints { points: len });
    }
    if !matches!(coordinates, ElementType::F32 | ElementType::F64) {
        return Err(DevicePointsError::Coordinates { coordinates });
    }
    if stride < dimensions {
        return Err(DevicePointsError::Overlap { dimensions, stride });
    }
    if let PointDistance::Metric(Distance { metric, min_samples, alpha }) = distance {
        if alpha != 1.0 {
            return Err(PointsError::Alpha { alpha, metric }.into());
        }
        if !matches!(metric, Metric::Euclidean | Metric::Cosine) {
            return Err(DevicePointsError::Metric { metric });
        }
        let points = len as usize;
        if min_samples == 0 || (points > 0 && min_samples > points) {
            return Err(PointsError::MinSamples { min_samples, points }.into());
        }
        if min_samples > MAX_SAMPLES {
            return Err(DevicePointsError::TooManySamples { min_samples });
        }
    }
    Ok(())
}

/// The bytes of device memory that a tree needs, in addition to the points.
fn bytes_needed(
    device: &Device,
    points: &PointAddresses,
    distance: PointDistance,
    plan: SearchMethod,
) -> usize {
    let len = points.len as usize;
    let has_cores = distance.has_cores();
    let (kept, sort, search) = match plan {
        SearchMethod::Tree => {
            let (kept, sort) = Tree::bytes(points);
            (kept, sort, TreeSearch::bytes(nodes(&levels(points.len))))
        }
        SearchMethod::AllPairs => {
            let kept = RoundedPoints::bytes(points, distance.metric());
            let wanted = distance.neighbors().max(LIST as u32);
            let search = PairSearch::bytes(device, points, wanted);
            (kept, 24 * len + RadixSort::bytes(len), search)
        }
    };
    let rounds = Rounds::bytes(len, has_cores) + search;
    // The tree's own sort comes before the rounds. That of the edges comes after the tree.
    let order = 16 * len + sort;
    kept + (rounds + if has_cores { 8 * len } else { 0 }).max(sort).max(order)
}
