//! The report of `kostra cluster`.

use std::time::Duration;

use kostra_points::cluster::Clustering;
use serde::Serialize;

use crate::output;
use crate::point_search::ErrorRecord;
use crate::points::{PointRequest, SolvedPoints, Times};
use crate::report::{Sheet, count, count_of_sizes};

/// The report as JSON.
#[derive(Default, Serialize)]
pub(super) struct Record {
    pub(super) input: String,
    pub(super) points: usize,
    pub(super) dimensions: usize,
    pub(super) metric: &'static str,
    pub(super) min_cluster_size: u32,
    pub(super) min_samples: u32,
    pub(super) clusters: usize,
    pub(super) noise: u64,
    /// The number of points of each cluster.
    pub(super) cluster_sizes: Vec<u64>,
    /// Null if there are none.
    pub(super) new_points: Option<NewPointsRecord>,
    /// Null for an exact tree.
    pub(super) error: Option<ErrorRecord>,
    /// Null on the processor.
    pub(super) device: Option<String>,
    pub(super) output: Option<String>,
    pub(super) seconds: Seconds,
}

/// The labels of new points.
#[derive(Serialize)]
pub(super) struct NewPointsRecord {
    input: String,
    points: usize,
    noise: u64,
    /// The number of new points of each cluster.
    cluster_sizes: Vec<u64>,
}

#[derive(Default, Serialize)]
pub(super) struct Seconds {
    #[serde(flatten)]
    pub(super) solved: Times,
    pub(super) cluster: f64,
    /// Null without new points.
    pub(super) predict: Option<f64>,
    /// Null if nothing is written.
    pub(super) write: Option<f64>,
}

impl Record {
    pub(super) fn new(
        request: &PointRequest,
        solved: &SolvedPoints,
        clusters: &Clustering,
    ) -> Self {
        let (cluster_sizes, noise) = sizes(&clusters.labels, clusters.clusters.len());
        Self {
            input: request.source.to_string(),
            points: clusters.labels.len(),
            dimensions: solved.dimensions,
            metric: request.metric.name(),
            clusters: cluster_sizes.len(),
            noise,
            cluster_sizes,
            error: ErrorRecord::of(solved.error),
            device: solved.device.clone(),
            ..Self::default()
        }
    }

    /// Says what to try if all points are noise.
    pub(super) fn warn_of_noise(&self) {
        if self.clusters == 0 {
            output::warn(&[format!(
                "{}: no cluster, all points are noise; pass a smaller `--min-cluster-size` or \
                 `--min-samples`, or `--allow-single-cluster` if all points may be one cluster",
                self.input
            )]);
        }
    }

    /// The report as text.
    pub(super) fn sheet(&self) -> String {
        let mut sheet = Sheet::default();
        sheet.gap();
        let points = |number| count(number, "point", "points");
        let dimensions = count(self.dimensions as u64, "dimension", "dimensions");
        sheet.line("points", format!("{} of {dimensions}", points(self.points as u64)));
        sheet.line("metric", self.metric);
        let sizes = || self.cluster_sizes.iter().copied();
        let range = [sizes().min(), sizes().max()].map(Option::unwrap_or_default);
        let names = [["cluster", "clusters"], ["point", "points"]];
        sheet.line("clusters", count_of_sizes(self.clusters as u64, names[0], range, names[1]));
        sheet.line("noise", points(self.noise));
        if let Some(new) = &self.new_points {
            sheet.line("new points", format!("{} of {}", points(new.points as u64), new.input));
            sheet.line("new noise", points(new.noise));
        }
        if let Some(error) = &self.error {
            sheet.line("error", error.line());
        }
        if let Some(device) = &self.device {
            sheet.line("on", device);
        }
        if let Some(to) = &self.output {
            sheet.line("written", to);
        }
        sheet.gap();
        let Seconds { solved, cluster, predict, write } = &self.seconds;
        let mut times = solved.steps();
        let rest = [("cluster", Some(*cluster)), ("predict", *predict), ("write", *write)];
        times.extend(
            rest.into_iter()
                .filter_map(|(step, time)| Some((step, Duration::from_secs_f64(time?)))),
        );
        sheet.times(&times);
        format!("Clusters of {}\n{sheet}", self.input)
    }
}

impl NewPointsRecord {
    pub(super) fn new(input: String, labels: &[i32], clusters: usize) -> Self {
        let (cluster_sizes, noise) = sizes(labels, clusters);
        Self { input, points: labels.len(), noise, cluster_sizes }
    }
}

/// The number of points of each cluster, and the number of points that are noise.
fn sizes(labels: &[i32], clusters: usize) -> (Vec<u64>, u64) {
    let (mut sizes, mut noise) = (vec![0; clusters], 0);
    for &label in labels {
        // Noise has the label -1.
        *sizes.get_mut(label as usize).unwrap_or(&mut noise) += 1;
    }
    (sizes, noise)
}
