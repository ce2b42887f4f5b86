//! The clusters of new points.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use kostra::Run;
use kostra_cuda::points::DevicePointsError;
use kostra_io::{KeptColumns, PointFile};
use kostra_points::cluster::{Fitted, Predictions};
use kostra_points::{Distance, Metric, Points};

use super::record::NewPointsRecord;
use super::sizes::Sized;
use crate::measure::Measure;
use crate::point_faults::with_line;
use crate::points::{PointRequest, SolvedPoints};
use crate::progress::Stage;

/// New points and what is predicted for them.
pub(super) struct NewPoints {
    source: String,
    clusters: usize,
    pub(super) labels: Vec<i32>,
    pub(super) probabilities: Vec<f64>,
    pub(super) kept: KeptColumns,
    pub(super) time: Duration,
}

/// The metric by which new points are compared.
///
/// # Errors
/// When there are no coordinates to compare.
pub(super) fn metric(request: &PointRequest) -> anyhow::Result<Metric> {
    match request.metric {
        Measure::By(metric) => Ok(metric),
        Measure::Precomputed => anyhow::bail!(
            "`--predict` needs the coordinates of points, and `--metric precomputed` has none; \
             leave out one of them"
        ),
    }
}

impl NewPoints {
    /// Reads new points and finds their clusters. `fitted` are the clusters of the points in
    /// `solved`, and their number of samples.
    pub(super) fn predict(
        request: &PointRequest,
        solved: &SolvedPoints,
        (found, min_samples): (&Sized, usize),
    ) -> anyhow::Result<Self> {
        let start = Instant::now();
        let source = request.source.to_string();
        let file = request.load()?;
        check_names(&file, &solved.names, request.has_columns()).with_context(|| source.clone())?;
        let _stage = Stage::start("predicting the clusters of new points");
        let mut run = Run::new().on_threads(request.threads);
        let distance = Distance::mutual_reachability(metric(request)?, min_samples);
        let points = Points::new(&solved.coordinates, solved.dimensions)?;
        let (points, tree) = (points.weighted(&solved.weights)?, Arc::clone(&found.tree));
        let fitted = Fitted::new(&points, distance, tree, &found.clusters, &mut run)?;
        let predictions = Points::new(&file.coordinates, file.dimensions)
            .and_then(|new| fitted.predict(&new, &mut run))
            .map_err(|error| with_line(DevicePointsError::from(error), &file, ""))
            .with_context(|| source.clone())?;
        let clusters = found.clusters.clusters.len();
        let Predictions { labels, probabilities } = predictions;
        let (kept, time) = (file.kept, start.elapsed());
        Ok(Self { source, clusters, labels, probabilities, kept, time })
    }

    pub(super) fn record(&self) -> NewPointsRecord {
        NewPointsRecord::new(self.source.clone(), &self.labels, self.clusters)
    }
}

/// Refuses columns that may be others than those of the fitted points.
fn check_names(file: &PointFile, names: &[String], has_columns: bool) -> anyhow::Result<()> {
    if names.is_empty() && !file.names.is_empty() && !has_columns {
        anyhow::bail!(
            "are {} the columns of the fitted points, whose columns have no names? pass the \
             positions of the columns with `--columns`",
            file.names.join(", ")
        );
    }
    let differ = |(new, fitted): (&String, &String)| new != fitted;
    if let Some(place) = file.names.iter().zip(names).position(differ) {
        anyhow::bail!(
            "is column {} the column {} of the fitted points? pass names of columns with \
             `--columns`, or rename the column",
            file.names[place],
            names[place]
        );
    }
    Ok(())
}
