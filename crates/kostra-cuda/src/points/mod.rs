//! The exact minimum spanning tree of points on a device, by Borůvka's algorithm over a tree of
//! boxes.
//!
//! Points are sorted along a Hilbert curve. The tree of boxes over consecutive points has no
//! pointers. First, each point's nearest points are found. In each round, every component takes its
//! nearest outgoing pair: from these lists where they suffice, and by a search in the tree
//! elsewhere.
//!
//! * Sources: Prokopenko, Sao & Lebrun-Grandié 2022 (one tree for all rounds, nodes labeled by
//!   their component, a bound of each component that all its points share); Karras 2012 (the idea
//!   to sort points along a curve). `docs/algorithms/cuda-points.md` lists what differs.
//! * Exact and canonical: the result is that of [`kostra_points`], edge by edge. Approximate
//!   distances in 32 bits decide only what is looked at.
//! * Time O(n log n) work for points that a curve sorts well, O(n^2) at worst, in O(log n) rounds
//!   with a round trip to the host each.
//! * Device memory: for three dimensions of 32 bits, about 150 bytes for each point.
//! * Reports the time of each step by the device's clock, and the rounds with the numbers of
//!   components and of points that search.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

mod cores;
mod input;
mod join;
mod kernels;
mod levels;
mod order;
mod rounds;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use kostra_core::Run;
use kostra_core::{OutOfMemory, memory};
use kostra_points::{PointTree, Points, PointsError, Values};

pub use self::input::{CoordinateType, DevicePointsError, MAX_POINTS, MAX_SAMPLES, PointAddresses};
use self::kernels::{Kernels, MOST_DIMENSIONS};
use self::levels::{levels, nodes};
use self::order::order;
use self::rounds::Rounds;
use self::tree::Tree;
use crate::buffers::DeviceArray;
use crate::device::Device;
use crate::error::DeviceError;
use crate::memory::DeviceMemory;
use crate::staging::{self, Transfer};
use crate::step_clock::StepClock;

/// The distances whose tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointDistance {
    /// The Euclidean distance.
    Euclidean,
    /// The mutual reachability distance over the Euclidean one. The core distance of a point is
    /// its distance to the `min_samples`-th nearest point, where the point itself is the first.
    MutualReachability {
        /// From 1 to the number of points, and at most [`MAX_SAMPLES`].
        min_samples: usize,
    },
    /// The mutual reachability distance with given core distances.
    Cores {
        /// The address of the square of each point's core distance: 64-bit floating-point numbers
        /// that are neither negative nor NaN.
        squares: u64,
    },
}

/// A minimum spanning tree in device memory, in the order of [`PointTree`].
#[derive(Debug)]
pub struct DevicePointTree {
    /// The number of points.
    pub len: u32,
    /// The ends of each edge: two 32-bit indices, the lower one first.
    pub ends: DeviceMemory,
    /// The distance between the ends of each edge, 64 bits.
    pub distances: DeviceMemory,
}

/// The canonical minimum spanning tree of points, built on the device `run.device()`.
///
/// # Errors
/// When there are more than [`MAX_POINTS`] points, more than 16 dimensions, or more than
/// [`MAX_SAMPLES`] samples; when squared distances overflow or vanish; when there is no device, the
/// device fails or has too little memory; or when the observer cancels the run.
pub fn spanning_tree(
    points: &Points<'_>,
    min_samples: usize,
    run: &mut Run<'_>,
) -> Result<PointTree, DevicePointsError> {
    let device = &Device::open(run.device())?;
    let (len, dimensions) = (points.len(), points.dimensions());
    let coordinates = match points.values() {
        Values::F32(_) => CoordinateType::F32,
        Values::F64(_) => CoordinateType::F64,
    };
    let distance = match min_samples {
        1 => PointDistance::Euclidean,
        _ => PointDistance::MutualReachability { min_samples },
    };
    let mut addresses =
        PointAddresses { address: 0, len, dimensions, stride: dimensions, coordinates };
    check(&addresses, distance)?;
    if len < 2 {
        return Ok(PointTree { len, ends: Vec::new(), distances: Vec::new() });
    }
    let bytes = len as usize * dimensions * coordinates.size();
    device.admit(0, bytes + bytes_needed(&addresses, distance))?;
    let threads = run.threads();
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
    // SAFETY: the copy has all points, and lives until the tree is complete.
    let tree = unsafe { spanning_tree_at(device, &addresses, distance, run) }?;
    run.download(|_| tree.download())
}

/// The canonical minimum spanning tree of points in device memory.
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
    check(points, distance)?;
    let len = points.len;
    if len < 2 {
        let empty = || DeviceMemory::uninit(device, 0);
        return Ok(DevicePointTree { len, ends: empty()?, distances: empty()? });
    }
    device.admit(0, bytes_needed(points, distance))?;
    let kernels = &run.compile(|_| Kernels::load(device, points.dimensions, points.coordinates))?;
    let mut clock = StepClock::new(device, run)?;
    clock.start()?;
    let (tree, sort) = Tree::build(device, kernels, points)?;
    clock.lap("build")?;
    let cores: Option<DeviceArray<f64>> = match distance {
        PointDistance::Euclidean | PointDistance::MutualReachability { min_samples: 1 } => None,
        PointDistance::MutualReachability { min_samples } => {
            let cores = tree.core_distances(device, kernels, min_samples as u32 - 1)?;
            clock.lap("core distances")?;
            Some(cores.into())
        }
        PointDistance::Cores { squares } => {
            // SAFETY: the caller guarantees the address.
            Some(unsafe { DeviceArray::foreign(squares, len as usize) })
        }
    };
    let rounds = Rounds::allocate((device, kernels), &tree, cores.is_some())?;
    let edges = rounds.run(cores.as_ref(), &mut clock, run)?;
    run.finish_rounds();
    drop(tree);
    clock.start()?;
    let ordered = order((device, kernels), &edges, len - 1, sort)?;
    clock.lap("order")?;
    device.finish()?;
    clock.report(run)?;
    Ok(DevicePointTree { len, ends: ordered.ends, distances: ordered.distances })
}

impl DevicePointTree {
    /// Copies the tree to host memory.
    ///
    /// # Errors
    /// When the device fails, or the system refuses the memory.
    pub fn download(&self) -> Result<PointTree, DevicePointsError> {
        let (ends, distances) = (self.ends.to_vec()?, self.distances.to_vec()?);
        let word = |bytes: &[u8; 4]| u32::from_ne_bytes(*bytes);
        let pairs = ends.as_chunks::<4>().0.as_chunks::<2>().0;
        let numbers = distances.as_chunks::<8>().0;
        Ok(PointTree {
            len: self.len,
            ends: memory::collected(pairs.iter().map(|[a, b]| [word(a), word(b)]))
                .map_err(refused)?,
            distances: memory::collected(numbers.iter().map(|bytes| f64::from_ne_bytes(*bytes)))
                .map_err(refused)?,
        })
    }
}

fn refused(refusal: OutOfMemory) -> DevicePointsError {
    DeviceError::Host(refusal).into()
}

/// Refuses sets of points and distances that the kernels do not take.
fn check(points: &PointAddresses, distance: PointDistance) -> Result<(), DevicePointsError> {
    let PointAddresses { len, dimensions, stride, .. } = *points;
    if dimensions == 0 {
        return Err(PointsError::NoDimensions.into());
    }
    if dimensions > MOST_DIMENSIONS {
        return Err(DevicePointsError::TooManyDimensions { dimensions });
    }
    if len > MAX_POINTS {
        return Err(DevicePointsError::TooManyPoints { points: len });
    }
    if stride < dimensions {
        return Err(DevicePointsError::Overlap { dimensions, stride });
    }
    if let PointDistance::MutualReachability { min_samples } = distance {
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
fn bytes_needed(points: &PointAddresses, distance: PointDistance) -> usize {
    let (tree, sort) = Tree::bytes(points);
    let (len, has_cores) = (points.len as usize, distance != PointDistance::Euclidean);
    let rounds = Rounds::bytes(len, nodes(&levels(points.len)), has_cores);
    // The tree's own sort comes before the rounds. That of the edges comes after the tree.
    let order = 16 * len + sort;
    tree + (rounds + if has_cores { 8 * len } else { 0 }).max(sort).max(order)
}
