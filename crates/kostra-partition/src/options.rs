//! What a caller asks for.

use crate::{PartitionError, WeightedGraph};

/// How much time the partitioner spends on a low cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// One pass through the levels.
    #[default]
    Fast,
    /// Longer searches, and further passes that start from the partition of the first pass.
    Eco,
}

impl Preset {
    /// All presets, the fastest first.
    pub const ALL: [Self; 2] = [Self::Fast, Self::Eco];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Eco => "eco",
        }
    }
}

/// The parameters of a partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The number of parts, `k`: at least 1, at most the number of vertices.
    pub parts: u32,
    /// The tolerated imbalance: with 0.03, a part has at most 1.03 times the mean weight, which is
    /// rounded up first. See [`limit`].
    pub imbalance: f64,
    /// How much time to spend.
    pub preset: Preset,
    /// The seed of all random decisions.
    pub seed: u64,
    /// The number of threads, at least 1. It does not change the partition.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { parts: 2, imbalance: 0.03, preset: Preset::Fast, seed: 0, threads: 1 }
    }
}

impl Options {
    /// Checks the options for a graph.
    ///
    /// # Errors
    /// When the number of parts is 0 or greater than the number of vertices, or the imbalance is
    /// negative, infinite or not a number.
    pub fn check(&self, graph: &WeightedGraph) -> Result<(), PartitionError> {
        let (parts, vertices) = (self.parts, graph.vertices());
        if parts == 0 {
            return Err(PartitionError::NoParts);
        }
        if parts > vertices {
            return Err(PartitionError::MorePartsThanVertices { parts, vertices });
        }
        if !(self.imbalance >= 0.0 && self.imbalance.is_finite()) {
            return Err(PartitionError::Imbalance { imbalance: self.imbalance });
        }
        Ok(())
    }
}

/// How a worker chooses the neighbor with which it matches a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchBy {
    /// The unmatched neighbor at the heaviest edge.
    #[default]
    HeavyEdge,
    /// A random unmatched neighbor.
    Random,
}

impl MatchBy {
    /// All ways to choose, the default first.
    pub const ALL: [Self; 2] = [Self::HeavyEdge, Self::Random];
}

/// How workers partition the coarsest graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sectioning {
    /// Each worker finds a whole partition by recursive bisection, and the best one is kept:
    /// parallel k-sectioning.
    #[default]
    Whole,
    /// All workers of a group bisect the same graph, and the best bisection is kept. Then the group
    /// splits, each half with one side: parallel bisecting.
    InGroups,
}

impl Sectioning {
    /// All ways to partition, the default first.
    pub const ALL: [Self; 2] = [Self::Whole, Self::InGroups];
}

/// The parameters of [`partition_multicore`](crate::partition_multicore).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MulticoreOptions {
    /// The parameters of every partition. The preset has no effect.
    pub partition: Options,
    /// The number of workers, the source's threads, at least 1. It changes the partition. Threads
    /// share the work of the workers, so more threads than workers are of little use.
    pub workers: usize,
    /// How vertices are matched.
    pub match_by: MatchBy,
    /// How the coarsest graph is partitioned.
    pub sectioning: Sectioning,
}

impl Default for MulticoreOptions {
    fn default() -> Self {
        Self {
            partition: Options::default(),
            workers: 16,
            match_by: MatchBy::default(),
            sectioning: Sectioning::default(),
        }
    }
}

/// The most weight that a part may have.
///
/// Let `W` be the weight of all vertices, `w` the greatest weight of a vertex, and `k` the number
/// of parts. The limit is the greater of `floor((1 + imbalance) ceil(W / k))` and
/// `floor((W + (k - 1) w) / k)`. The second term matters only if vertices have different weights.
/// It is the bound that greedy packing always keeps (Graham 1969), so every graph has a partition
/// within the limit.
pub fn limit(graph: &WeightedGraph, parts: u32, imbalance: f64) -> i64 {
    let (total, parts) = (i128::from(graph.total_weight()), i128::from(parts.max(1)));
    let mean = (total + parts - 1) / parts;
    let packed = (total + (parts - 1) * i128::from(graph.greatest_weight())) / parts;
    // A small tolerance, so that a product such as 1.1 * 10 is not rounded below 11.
    let tolerated = ((1.0 + imbalance) * mean as f64 * (1.0 + f64::EPSILON)).floor();
    // Casts of floating-point numbers saturate.
    (tolerated as i64).max(i64::try_from(packed).unwrap_or(i64::MAX))
}
