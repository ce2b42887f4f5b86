//! Why there are no clusters.

use kostra_core::OutOfMemory;
use kostra_core::tree::NotAForest;
use thiserror::Error;

/// The reason why a tree has no clusters, or why an option has no meaning.
#[derive(Debug, Error, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ClusterError {
    /// The edges are not a forest.
    #[error(transparent)]
    NotAForest(#[from] NotAForest),
    /// There are more or fewer distances than edges.
    #[error("there are {edges} edges but {distances} distances; pass one distance per edge")]
    Lengths {
        /// The number of edges.
        edges: usize,
        /// The number of distances.
        distances: usize,
    },
    /// A distance is not a number.
    #[error("edge {edge} has distance NaN (not a number); fix it")]
    Nan {
        /// The position of the edge.
        edge: usize,
    },
    /// A distance is lower than the one before it.
    #[error("edge {edge} is shorter than the edge before it; sort the edges by distance")]
    Unsorted {
        /// The position of the edge.
        edge: usize,
    },
    /// A distance is negative, so it has no density.
    #[error("edge {edge} has the negative distance {distance}; pass distances of at least 0")]
    Negative {
        /// The position of the edge.
        edge: usize,
        /// Its distance.
        distance: f64,
    },
    /// An array of distances is not the matrix of all pairs of points.
    #[error(
        "{values} distances are not the distances of all pairs of points; pass n * n or n * (n - 1) / 2"
    )]
    Layout {
        /// The number of distances.
        values: usize,
    },
    /// The distance of two points is not a number.
    #[error("the distance in row {row}, column {column} is NaN (not a number); fix it")]
    NanDistance {
        /// The lower point.
        row: u32,
        /// The higher point.
        column: u32,
    },
    /// The distance of two points is negative.
    #[error(
        "the distance in row {row}, column {column} is {distance}; pass distances of at least 0"
    )]
    NegativeDistance {
        /// The lower point.
        row: u32,
        /// The higher point.
        column: u32,
        /// The distance.
        distance: f64,
    },
    /// The arrays of the entries of a sparse matrix differ in length.
    #[error(
        "there are {rows} rows, {columns} columns and {distances} distances; pass one of each per entry"
    )]
    Entries {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
        /// The number of distances.
        distances: usize,
    },
    /// An entry of a sparse matrix has a row or a column that does not exist.
    #[error("there is no point {point}; the {points} points are numbered from 0")]
    Point {
        /// The row or the column.
        point: u32,
        /// The number of points.
        points: u32,
    },
    /// No row of a sparse matrix has as many entries as a core distance needs.
    #[error(
        "min_samples is {min_samples}, but no row has more than {entries} entries; pass a number \
         from 1 to {entries}"
    )]
    FewEntries {
        /// The largest number of entries of a row.
        entries: usize,
        /// The number of samples that was asked for.
        min_samples: usize,
    },
    /// Words are not rows of bits.
    #[error("{words} words are not rows of {bits} bits; pass as many words for each row")]
    Words {
        /// The number of words.
        words: usize,
        /// The number of bits of a row.
        bits: u32,
    },
    /// There are more or fewer core distances than points.
    #[error("there are {points} points but {cores} core distances; pass one per point")]
    Cores {
        /// The number of points.
        points: u32,
        /// The number of core distances.
        cores: usize,
    },
    /// There are more or fewer labels than points.
    #[error("there are {points} points but {labels} labels; pass one per point")]
    Labels {
        /// The number of points.
        points: u32,
        /// The number of labels.
        labels: usize,
    },
    /// The least size of a cluster is below 2.
    #[error("min_cluster_size must be at least 2, but is {0}")]
    MinClusterSize(u32),
    /// The distance below which clusters are not divided is negative or not a number.
    #[error("cluster_selection_epsilon must be a number of at least 0, but is {0}")]
    Epsilon(f64),
    /// The least persistence of a cluster is negative or not a number.
    #[error("cluster_selection_persistence must be a number of at least 0, but is {0}")]
    Persistence(f64),
    /// The largest size of a cluster is zero.
    #[error("max_cluster_size must be at least 1, but is {0}")]
    MaxClusterSize(u32),
    /// The largest distance at which a chosen cluster begins is below epsilon or not a number.
    #[error(
        "cluster_selection_epsilon_max must be a number of at least cluster_selection_epsilon, \
         {epsilon}, but is {most}"
    )]
    MaxDistance {
        /// The largest distance.
        most: f64,
        /// Epsilon.
        epsilon: f64,
    },
    /// Constraints do not go with this selection.
    #[error(
        "constraints choose clusters by the excess of mass; pass cluster_selection_method='eom' \
         and cluster_selection_epsilon=0, or leave the constraints out"
    )]
    ConstrainedSelection,
    /// A constraint has one point twice.
    #[error("a constraint is about point {point} and itself; leave it out")]
    ConstraintOfOne {
        /// The point.
        point: u32,
    },
    /// A pair of points must be and cannot be in one cluster.
    #[error("points {low} and {high} must be and cannot be in one cluster; leave one of both out")]
    Contradiction {
        /// The lower point.
        low: u32,
        /// The higher point.
        high: u32,
    },
    /// The scale of segments is negative or not a number.
    #[error("scale must be a number of at least 0, but is {0}")]
    Scale(f64),
    /// The observer of the run cancelled it.
    #[error("cancelled")]
    Cancelled,
    /// The weights of points have no meaning.
    #[error(transparent)]
    Weights(#[from] crate::WeightsError),
    /// The system refuses memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}
