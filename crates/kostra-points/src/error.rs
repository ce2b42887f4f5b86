//! The errors of this crate's functions for points.

use kostra_core::OutOfMemory;
use thiserror::Error;

/// A set of points that has no answer, or a function that did not finish.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PointsError {
    /// Points of no dimension.
    #[error("the points have 0 coordinates each; give each point at least 1 coordinate")]
    NoDimensions,
    /// The array of coordinates is not a whole number of rows.
    #[error(
        "{values} coordinates are not rows of {dimensions} coordinates; give all points the same number of coordinates"
    )]
    Ragged {
        /// The number of coordinates.
        values: usize,
        /// The number of coordinates of a point.
        dimensions: usize,
    },
    /// More points than an index can count.
    #[error("{points} points are more than the limit of {}; use a sample", crate::MAX_POINTS)]
    TooManyPoints {
        /// The number of points.
        points: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error(
        "row {row}, column {column} (counted from 0) is {value}; remove the point or replace the coordinate"
    )]
    NotFinite {
        /// The point.
        row: usize,
        /// The coordinate of the point.
        column: usize,
        /// The value.
        value: f64,
    },
    /// The haversine metric needs points of two coordinates.
    #[error(
        "the haversine metric needs 2 coordinates per point (latitude, longitude), not {dimensions}; \
         pass these two columns"
    )]
    NotGeographic {
        /// The number of coordinates of a point.
        dimensions: usize,
    },
    /// A latitude is out of range.
    #[error(
        "row {row} has latitude {value}, which is not in -90..=90 degrees; give the latitude first, then the longitude"
    )]
    Latitude {
        /// The point.
        row: usize,
        /// The latitude.
        value: f64,
    },
    /// A longitude is out of range.
    #[error(
        "row {row} has longitude {value}, which is not in -180..=360; give degrees in the order latitude, longitude"
    )]
    Longitude {
        /// The point.
        row: usize,
        /// The longitude.
        value: f64,
    },
    /// A vector of zeros has no direction.
    #[error(
        "row {row} has only zeros, which have no angle to other points; remove the point or choose another metric"
    )]
    ZeroVector {
        /// The point.
        row: usize,
    },
    /// The distance between two points may overflow.
    #[error(
        "distances between the points overflow 64-bit floating-point numbers; divide all coordinates by {divisor:e}"
    )]
    TooWide {
        /// A power of two that makes the coordinates small enough.
        divisor: f64,
    },
    /// The squares of all distances vanish.
    #[error(
        "squared distances between the points underflow 64-bit floating-point numbers; multiply all coordinates by {factor:e}"
    )]
    TooNarrow {
        /// A power of two that makes the coordinates large enough.
        factor: f64,
    },
    /// The k-d tree does not serve this number of dimensions.
    #[error(
        "a k-d tree serves points of up to {} dimensions, not {dimensions}; use brute force",
        crate::MAX_TREE_DIMENSIONS
    )]
    TooManyDimensions {
        /// The number of dimensions, after haversine coordinates became three.
        dimensions: usize,
    },
    /// The number of samples that define a core distance is not possible.
    #[error("min_samples is {min_samples}; give a number from 1 to the number of points, {points}")]
    MinSamples {
        /// The requested number.
        min_samples: usize,
        /// The number of points.
        points: usize,
    },
    /// A pair has a point that does not exist.
    #[error("there is no point {point}; the {points} points are numbered from 0")]
    NoPoint {
        /// The point.
        point: u32,
        /// The number of points.
        points: u32,
    },
    /// Distances cannot be divided by this number.
    #[error(
        "distances by {} cannot be divided by {alpha} here; pass 1 for angles and devices, and a \
         number from 2^-30 to 2^30 for others",
        metric.name()
    )]
    Alpha {
        /// The number.
        alpha: f64,
        /// The metric.
        metric: crate::Metric,
    },
    /// The weights of points have no meaning.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// Devices find no trees of points with weights.
    #[error("points with weights need the processor; leave out the device, or the weights")]
    WeightsOnDevice,
    /// A point has fewer neighbors than requested.
    #[error(
        "{neighbors} nearest neighbors are requested, and a point has {} others; request fewer",
        points.saturating_sub(1)
    )]
    TooFewNeighbors {
        /// The requested number.
        neighbors: usize,
        /// The number of points.
        points: usize,
    },
    /// New points have other dimensions than the fitted points.
    #[error(
        "the new points have {new} coordinates each, the fitted points {fitted}; pass the same columns"
    )]
    OtherDimensions {
        /// The number of coordinates of a new point.
        new: usize,
        /// The number of coordinates of a fitted point.
        fitted: usize,
    },
    /// The clusters are those of other points.
    #[error(
        "there are {points} points, and clusters of {clustered}; pass the points of the clusters"
    )]
    OtherPoints {
        /// The number of points.
        points: u32,
        /// The number of points in the condensed tree.
        clustered: u32,
    },
    /// There are more or fewer labels than points.
    #[error("there are {points} points but {labels} labels; pass one per point")]
    Labels {
        /// The number of points.
        points: u32,
        /// The number of labels.
        labels: usize,
    },
    /// The arrays of a sparse matrix are no rows.
    #[error(
        "row {row} of the sparse matrix does not have ascending columns and one value for each; sort \
         its entries, and add those of one column"
    )]
    SparseRow {
        /// The row.
        row: usize,
    },
    /// Sparse rows are not compared by this metric.
    #[error("sparse rows are compared by euclidean or cosine, not by {}; pass dense rows", .metric.name())]
    SparseMetric {
        /// The metric.
        metric: crate::Metric,
    },
    /// Windows that the table does not have.
    #[error(
        "windows of {length} times at intervals of {step} do not fit: a window has from 2 to all {times} times, and the interval is at least 1"
    )]
    Windows {
        /// The requested number of times in a window.
        length: usize,
        /// The requested number of times between the starts of two windows.
        step: usize,
        /// The number of times of the table.
        times: usize,
    },
    /// A series has no correlation, because it does not change.
    #[error(
        "column {series} is constant in rows {start} to {} (counted from 0), so it has no correlation; remove the column, or choose longer windows",
        end - 1
    )]
    ConstantSeries {
        /// The series.
        series: usize,
        /// The first time of the window.
        start: usize,
        /// The end of the window.
        end: usize,
    },
    /// Points with weights do not come and go.
    #[error("points that come and go have no weights; add a point as often as it counts")]
    DynamicWeights,
    /// A point that was never added, or was removed.
    #[error("point {id} is not present; it was removed or never added")]
    NotPresent {
        /// The id of the point.
        id: u32,
    },
    /// A batch names a point twice.
    #[error("the batch names point {id} twice")]
    RepeatedId {
        /// The id of the point.
        id: u32,
    },
    /// The observer of the run cancelled it.
    #[error("cancelled")]
    Cancelled,
    /// The system refuses memory.
    #[error("the system does not grant {} bytes of memory; use fewer points", .0.bytes)]
    OutOfMemory(#[from] OutOfMemory),
}

/// Why weights of points have no meaning.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightsError {
    /// There are more or fewer weights than points.
    #[error("there are {points} points but {weights} weights; pass one per point")]
    Lengths {
        /// The number of points.
        points: usize,
        /// The number of weights.
        weights: usize,
    },
    /// A point counts as no points.
    #[error("row {row} has weight 0; leave the point out")]
    Zero {
        /// The point.
        row: usize,
    },
    /// The points count as more points than an index can count.
    #[error(
        "the sum of the weights is {sum}, above the limit of {}; divide all weights, min_samples \
         and min_cluster_size by one number",
        crate::MAX_POINTS
    )]
    Sum {
        /// The sum.
        sum: u64,
    },
}
