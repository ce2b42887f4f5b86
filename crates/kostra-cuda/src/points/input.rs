//! Points in device memory, and the errors of functions for points.

use kostra_core::{ElementType, SolveError};
use kostra_points::{Metric, PointsError};
use thiserror::Error;

use crate::error::{DeviceError, NoDevice};

/// The address and the shape of points in a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointAddresses {
    /// The address of the first coordinate of the first point.
    pub address: u64,
    /// The number of points.
    pub len: u32,
    /// The number of coordinates of a point, at least 1. They are next to each other.
    pub dimensions: usize,
    /// The number of coordinates from a point to the next one, at least `dimensions`.
    pub stride: usize,
    /// The type of a coordinate: `F32` or `F64`.
    pub coordinates: ElementType,
}

/// The most points, so that two nodes or points fit in 32 bits, and one index is free.
pub const MAX_POINTS: u32 = i32::MAX as u32;
/// The most samples of a core distance that a device finds: the point itself and 128 others.
pub const MAX_SAMPLES: usize = 129;

/// The reason why a device has no answer for a set of points.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DevicePointsError {
    /// The set of points has no answer on any platform.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// There is no usable device.
    #[error(transparent)]
    NoDevice(#[from] NoDevice),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The points do not fit in the device's memory, or the observer cancelled the run.
    #[error(transparent)]
    Run(#[from] SolveError),
    /// More dimensions than the kernels, or the device's shared memory, have room for.
    #[error(
        "this CUDA device takes points of up to {most} dimensions, not {dimensions}; use the processor"
    )]
    TooManyDimensions {
        /// The number of dimensions.
        dimensions: usize,
        /// The most dimensions.
        most: usize,
    },
    /// A metric for which there are no kernels.
    #[error(
        "a CUDA device takes the metrics euclidean and cosine, not {}; use the processor",
        .metric.name()
    )]
    Metric {
        /// The metric.
        metric: Metric,
    },
    /// Coordinates for which there are no kernels.
    #[error(
        "a CUDA device takes coordinates of the types f32 and f64, not {coordinates}; convert them"
    )]
    Coordinates {
        /// The type of the coordinates.
        coordinates: ElementType,
    },
    /// More points than the kernels can number.
    #[error(
        "{points} points are more than the {MAX_POINTS} that a CUDA device takes; use the processor"
    )]
    TooManyPoints {
        /// The number of points.
        points: u32,
    },
    /// More samples than the kernels keep.
    #[error(
        "min_samples is {min_samples}, and a CUDA device takes at most {MAX_SAMPLES}; use the processor"
    )]
    TooManySamples {
        /// The requested number.
        min_samples: usize,
    },
    /// The points overlap in memory.
    #[error(
        "points of {dimensions} dimensions are {stride} coordinates apart; give rows that do not overlap"
    )]
    Overlap {
        /// The number of dimensions.
        dimensions: usize,
        /// The number of coordinates from a point to the next one.
        stride: usize,
    },
    /// The edges have a cycle or end outside the points, or their number is wrong.
    #[error("the edges are not a spanning tree of {points} points")]
    NotATree {
        /// The number of points.
        points: u32,
    },
}
