//! The report of `kostra cluster`.

use std::time::Duration;

use serde::{Serialize, Serializer};

use super::sizes::Sized;
use crate::output;
use crate::point_search::ErrorRecord;
use crate::points::{PointRequest, SolvedPoints, Times};
use crate::report::{Sheet, count, count_of_sizes};

/// The report as JSON.
#[derive(Default, Serialize)]
pub(super) struct Record {
    pub(super) input: String,
    pub(super) points: usize,
    /// As many points the rows count as; null without weights.
    pub(super) weight: Option<u64>,
    pub(super) dimensions: usize,
    pub(super) metric: &'static str,
    pub(super) min_samples: u32,
    /// For each least size of a cluster.
    #[serde(flatten, serialize_with = "one_or_several")]
    pub(super) by_size: Vec<SizeRecord>,
    /// Null if there are none.
    pub(super) new_points: Option<NewPointsRecord>,
    /// Null for an exact tree.
    pub(super) error: Option<ErrorRecord>,
    /// Null on the processor.
    pub(super) device: Option<String>,
    pub(super) output: Option<String>,
    pub(super) seconds: Seconds,
}

/// The clusters for a least size.
#[derive(Serialize)]
pub(super) struct SizeRecord {
    min_cluster_size: u32,
    clusters: usize,
    noise: u64,
    /// The number of points of each cluster.
    cluster_sizes: Vec<u64>,
}

/// The fields of the only least size, or an array for several.
fn one_or_several<S: Serializer>(by_size: &[SizeRecord], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Several<'a> {
        by_min_cluster_size: &'a [SizeRecord],
    }
    match by_size {
        [one] => one.serialize(to),
        _ => Several { by_min_cluster_size: by_size }.serialize(to),
    }
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
    pub(super) fn new(request: &PointRequest, solved: &SolvedPoints, found: &[Sized]) -> Self {
        let weights = &solved.weights;
        let by_size = found.iter().map(|found| {
            let clusters = found.clusters.clusters.len();
            let (cluster_sizes, noise) = sizes(&found.clusters.labels, clusters, weights);
            SizeRecord { min_cluster_size: found.size, clusters, noise, cluster_sizes }
        });
        let total = || weights.iter().map(|&weight| u64::from(weight)).sum();
        Self {
            input: request.source.to_string(),
            points: solved.coordinates.len().checked_div(solved.dimensions).unwrap_or_default(),
            weight: (!weights.is_empty()).then(total),
            dimensions: solved.dimensions,
            metric: request.metric.name(),
            by_size: by_size.collect(),
            error: ErrorRecord::of(solved.error),
            device: solved.device.clone(),
            ..Self::default()
        }
    }

    /// Says what to try if all points are noise.
    pub(super) fn warn_of_noise(&self) {
        for SizeRecord { min_cluster_size, .. } in self.by_size.iter().filter(|by| by.clusters == 0)
        {
            let which = match self.by_size.len() {
                1 => String::new(),
                _ => format!(" of {min_cluster_size} points or more"),
            };
            output::warn(&[format!(
                "{}: no cluster{which}, all points are noise; pass a smaller `--min-cluster-size` \
                 or `--min-samples`, or `--allow-single-cluster` if all points may be one cluster",
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
        sheet.line(
            "points",
            match self.weight {
                None => format!("{} of {dimensions}", points(self.points as u64)),
                Some(weight) => {
                    let rows = count(self.points as u64, "row", "rows");
                    format!("{} in {rows} of {dimensions}", points(weight))
                }
            },
        );
        sheet.line("metric", self.metric);
        for by_size in &self.by_size {
            let clusters = by_size.clusters();
            match self.by_size.len() {
                1 => {
                    sheet.line("clusters", clusters);
                    sheet.line("noise", points(by_size.noise));
                }
                _ => sheet.line(
                    format!("size {}", by_size.min_cluster_size),
                    format!("{clusters}, {} of noise", points(by_size.noise)),
                ),
            }
        }
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

impl SizeRecord {
    /// The number of clusters and their sizes, as text.
    fn clusters(&self) -> String {
        let sizes = || self.cluster_sizes.iter().copied();
        let range = [sizes().min(), sizes().max()].map(Option::unwrap_or_default);
        count_of_sizes(self.clusters as u64, ["cluster", "clusters"], range, ["point", "points"])
    }
}

impl NewPointsRecord {
    pub(super) fn new(input: String, labels: &[i32], clusters: usize) -> Self {
        let (cluster_sizes, noise) = sizes(labels, clusters, &[]);
        Self { input, points: labels.len(), noise, cluster_sizes }
    }
}

/// The number of points of each cluster, and the number of points that are noise. Each label counts
/// as often as its weight says; once without weights.
fn sizes(labels: &[i32], clusters: usize, weights: &[u32]) -> (Vec<u64>, u64) {
    let (mut sizes, mut noise) = (vec![0; clusters], 0);
    for (row, &label) in labels.iter().enumerate() {
        // Noise has the label -1.
        let size = sizes.get_mut(label as usize).unwrap_or(&mut noise);
        *size += weights.get(row).map_or(1, |&weight| u64::from(weight));
    }
    (sizes, noise)
}
