//! The merges of all points as a dendrogram in Newick.

use std::time::{Duration, Instant};

use kostra_io::Output;
use kostra_points::cluster::Hierarchy;

use crate::points::SolvedPoints;
use crate::progress::Stage;
use crate::{output, point_output};

/// Writes the merges and returns the time.
///
/// # Errors
/// When several columns are kept, a distance is infinite, or the output fails.
pub(super) fn write(
    to: &Output,
    hierarchy: &Hierarchy,
    solved: &SolvedPoints,
) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let _stage = Stage::start(&format!("writing {to}"));
    let names = point_output::names(solved)?;
    let merges = hierarchy.merges().merges()?;
    let merges: Vec<_> =
        merges.map(|merge| merge.clusters.map(|cluster| cluster as usize)).collect();
    let distances = &hierarchy.tree().distances;
    output::write_lines(to, |lines| {
        kostra::newick::write_dendrogram(lines, &merges, distances, names.as_deref())
    })?;
    Ok(start.elapsed())
}
