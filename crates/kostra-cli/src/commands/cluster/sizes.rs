//! The clusters for each least size, from one tree.

use std::cmp::Ordering;
use std::sync::Arc;

use kostra::Run;
use kostra_core::memory;
use kostra_points::cluster::{Clustering, CondensedTree, Copies, Hierarchy, Selection, Ties};
use kostra_points::{Distance, Points, core_distances};

use crate::measure::Measure;
use crate::points::{PointRequest, SolvedPoints};

/// How a hierarchy is condensed, and what is selected.
pub(super) struct Cuts {
    /// The least sizes of a cluster.
    pub(super) sizes: Vec<u32>,
    pub(super) ties: Ties,
    pub(super) selection: Selection,
}

/// The clusters of at least a size.
pub(super) struct Sized {
    pub(super) size: u32,
    pub(super) tree: Arc<CondensedTree>,
    pub(super) clusters: Clustering,
}

impl Cuts {
    /// The clusters for each size. `cores` are the core distances of rows with weights.
    ///
    /// # Errors
    /// When the system refuses memory.
    pub(super) fn of(
        &self,
        hierarchy: &Hierarchy,
        solved: &SolvedPoints,
        cores: &[f64],
    ) -> anyhow::Result<Vec<Sized>> {
        let found = self.sizes.iter().map(|&size| {
            let tree = match &*solved.weights {
                [] => hierarchy.condensed(size, self.ties)?,
                weights => hierarchy.condensed_with_copies(size, Copies { weights, cores })?,
            };
            let tree = numbered(tree, solved)?;
            let clusters = tree.select(self.selection)?;
            Ok(Sized { size, tree: Arc::new(tree), clusters })
        });
        found.collect()
    }
}

/// What ends the names of the columns of each size, and its labels and probabilities.
pub(super) fn labels(found: &[Sized]) -> Vec<(String, &[i32], &[f64])> {
    let labels = found.iter().map(|of| {
        let end = if found.len() == 1 { String::new() } else { format!("_{}", of.size) };
        (end, &*of.clusters.labels, &*of.clusters.probabilities)
    });
    labels.collect()
}

/// Numbers clusters by the coordinates of their points, if only these tell clusters apart.
fn numbered(condensed: CondensedTree, solved: &SolvedPoints) -> anyhow::Result<CondensedTree> {
    if !condensed.is_ambiguous() {
        return Ok(condensed);
    }
    let row = |point: u32| solved.coordinates.chunks_exact(solved.dimensions).nth(point as usize);
    let compare = |a: &u32, b: &u32| row(*a).partial_cmp(&row(*b)).unwrap_or(Ordering::Equal);
    Ok(condensed.numbered_by(&compare)?)
}

/// The core distance of each row with weights, at which its points meet; empty without weights.
///
/// # Errors
/// When the system refuses memory.
pub(super) fn cores(
    request: &PointRequest,
    solved: &SolvedPoints,
    min_samples: usize,
) -> anyhow::Result<Vec<f64>> {
    let Measure::By(metric) = request.metric else { return Ok(Vec::new()) };
    // The points of a row meet at its core distance, which is 0 if there are `min_samples` of them.
    if !solved.weights.iter().any(|&weight| weight > 1 && (weight as usize) < min_samples) {
        return Ok(memory::filled(solved.weights.len(), 0.0)?);
    }
    let points = Points::new(&solved.coordinates, solved.dimensions)?.weighted(&solved.weights)?;
    let distance = Distance::mutual_reachability(metric, min_samples);
    Ok(core_distances(&points, distance, &mut Run::new().on_threads(request.threads))?)
}
