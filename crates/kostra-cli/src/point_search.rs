//! Which tree of points is wanted, and by which search.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use kostra::Run;
use kostra_cuda::points::DevicePointsError;
use kostra_points::{
    Distance, ErrorBound, MAX_TREE_DIMENSIONS, Metric, PointTree, Points, approximate_tree,
    neighbors_tree, spanning_tree,
};
use serde::Serialize;

/// Which tree is wanted.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    /// That of mutual reachability distances for this number of samples; with one, of the distances
    /// themselves.
    MutualReachability(usize),
    /// The same for the default number of samples, the least size of a cluster.
    MutualReachabilityOfSize(usize),
    /// That of the graph that joins each point with this number of nearest points, whose components
    /// are joined by the shortest links.
    OfNeighbors(usize),
}

impl Wanted {
    /// Why the number of samples is what it is, if the user did not type it.
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::MutualReachabilityOfSize(_) => " by default, the least size of a cluster",
            Self::MutualReachability(_) | Self::OfNeighbors(_) => "",
        }
    }
}

/// A search for a tree of points.
#[derive(Clone, Copy)]
pub(crate) struct PointSearch {
    pub(crate) metric: Metric,
    pub(crate) wanted: Wanted,
    /// The seed, if the tree may be approximate.
    pub(crate) approximate: Option<u64>,
    pub(crate) on_device: bool,
    pub(crate) threads: usize,
}

impl PointSearch {
    /// Refuses combinations that have no search.
    pub(crate) fn check(self) -> anyhow::Result<()> {
        let by_neighbors = matches!(self.wanted, Wanted::OfNeighbors(_));
        if by_neighbors && self.approximate.is_some() {
            anyhow::bail!("nearest neighbors are found exactly; leave out `--approximate`");
        }
        if self.on_device && by_neighbors {
            anyhow::bail!("nearest neighbors are found on the processor; leave out `--device`");
        }
        if self.on_device && self.approximate.is_some() {
            anyhow::bail!("an approximate tree is found on the processor; leave out `--device`");
        }
        Ok(())
    }

    /// The name of the search for a progress bar, with a prediction of a long time if there is a
    /// terminal to show it. `coordinates` are those of all points.
    pub(crate) fn stage(self, coordinates: &[f64], dimensions: usize) -> String {
        /// Shorter times need no prediction.
        const LONG: Duration = Duration::from_secs(10);
        let name = "finding the spanning tree";
        let is_shown = std::io::stderr().is_terminal();
        let time = if is_shown { self.predicted(coordinates, dimensions) } else { None };
        match time {
            Some(time) if time >= LONG => {
                format!("{name}, about {}; --approximate is faster", rounded(time))
            }
            _ => name.to_owned(),
        }
    }

    /// The time of an exact tree of many dimensions on the processor, from that of a sample: it
    /// grows with the square of the number of points. None for other trees, and for few points.
    fn predicted(self, coordinates: &[f64], dimensions: usize) -> Option<Duration> {
        /// The points of the sample.
        const SAMPLE: usize = 1 << 11;
        /// With fewer points for each point of the sample, the sample would take long itself.
        const TIMES: usize = 8;
        let n = coordinates.len() / dimensions.max(1);
        let is_other = self.on_device || self.approximate.is_some();
        let by_neighbors = matches!(self.wanted, Wanted::OfNeighbors(_));
        if is_other || by_neighbors || dimensions <= MAX_TREE_DIMENSIONS || n < TIMES * SAMPLE {
            return None;
        }
        let rows = coordinates.chunks_exact(dimensions).step_by(n / SAMPLE);
        let sample: Vec<f64> = rows.flatten().copied().collect();
        let times = n as f64 / (sample.len() / dimensions) as f64;
        let start = Instant::now();
        let points = Points::new(&sample, dimensions).ok()?;
        self.tree(&points, &mut Run::new().on_threads(self.threads)).ok()?;
        Some(start.elapsed().mul_f64(times * times))
    }

    /// The tree, and the bound of its error if it may be approximate.
    pub(crate) fn tree(
        self,
        points: &Points<'_>,
        run: &mut Run<'_>,
    ) -> Result<(PointTree, Option<ErrorBound>), DevicePointsError> {
        let min_samples = match self.wanted {
            Wanted::OfNeighbors(neighbors) => {
                return Ok((neighbors_tree(points, self.metric, neighbors, run)?, None));
            }
            Wanted::MutualReachability(samples) | Wanted::MutualReachabilityOfSize(samples) => {
                samples
            }
        };
        let distance = Distance::mutual_reachability(self.metric, min_samples);
        if self.on_device {
            return Ok((kostra_cuda::points::spanning_tree(points, distance, run)?, None));
        }
        if let Some(seed) = self.approximate {
            let found = approximate_tree(points, distance, seed, run)?;
            return Ok((found.tree, Some(found.error)));
        }
        Ok((spanning_tree(points, distance, run)?, None))
    }
}

/// A time in one unit.
fn rounded(time: Duration) -> String {
    let units = [(3600.0, "hours"), (60.0, "minutes"), (1.0, "seconds")];
    let seconds = time.as_secs_f64();
    let (unit, name) =
        units.into_iter().find(|(unit, _)| seconds >= 1.5 * unit).unwrap_or((1.0, "seconds"));
    format!("{:.0} {name}", seconds / unit)
}

/// How much longer an approximate tree may be, for reports.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct ErrorRecord {
    /// The most, relative to the minimum; null if only 0 is known to be below the minimum.
    relative: Option<f64>,
    /// The probability that the minimum is not shorter than `least_length`.
    confidence: f64,
    least_length: f64,
    recall: f64,
}

impl ErrorRecord {
    pub(crate) fn of(error: Option<ErrorBound>) -> Option<Self> {
        error.map(|error| Self {
            relative: Some(error.relative()).filter(|relative| relative.is_finite()),
            confidence: error.confidence,
            least_length: error.least,
            recall: error.recall,
        })
    }

    /// The line of a report as text.
    pub(crate) fn line(&self) -> String {
        let Self { relative, confidence, recall, .. } = *self;
        let percent = |part: f64| 100.0 * part;
        let relative = relative.map_or_else(
            || "not known".to_owned(),
            |relative| format!("at most {:.2} %", percent(relative)),
        );
        let (confidence, recall) = (percent(confidence), percent(recall));
        format!("{relative} ({confidence:.0} %); {recall:.1} % of the nearest neighbors found")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_searches_have_a_prediction() {
        let metric = Metric::Euclidean;
        let wanted = Wanted::MutualReachability(2);
        let search =
            PointSearch { metric, wanted, approximate: None, on_device: false, threads: 1 };
        let coordinates: Vec<f64> = (0..400_000).map(|i| f64::from(i * 37 % 1009)).collect();
        let time = search.predicted(&coordinates, 20).unwrap();
        // A sample takes at least a millisecond, and 20,000 points 80 times as long or more.
        assert!(time > Duration::from_millis(60), "{time:?}");
        assert!(search.predicted(&coordinates[..100_000], 20).is_none(), "few points");
        assert!(search.predicted(&coordinates, 16).is_none(), "a k-d tree");
        for other in [
            PointSearch { approximate: Some(1), ..search },
            PointSearch { on_device: true, ..search },
            PointSearch { wanted: Wanted::OfNeighbors(3), ..search },
        ] {
            assert!(other.predicted(&coordinates, 20).is_none());
        }
    }

    #[test]
    fn times_have_one_unit() {
        let text = |seconds| rounded(Duration::from_secs(seconds));
        assert_eq!(text(12), "12 seconds");
        assert_eq!(text(540), "9 minutes");
        assert_eq!(text(89), "89 seconds");
        assert_eq!(text(9000), "2 hours");
    }
}
