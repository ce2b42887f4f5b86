//! Points as the input of a command: their file, and how distances are measured.

use std::time::{Duration, Instant};

use anyhow::Context;
use kostra::{DeviceChoice, Run};
use kostra_core::DeviceTimes;
use kostra_cuda::points::{DevicePointsError, uses_devices};
use kostra_io::{Header, Input, KeptColumns, PointColumn, PointFile, PointOptions, read_points};
use kostra_points::cluster::{Distances, pairwise_tree};
use kostra_points::{AxisOrder, ErrorBound, Metric, PointTree, Points, PointsError, degrees_among};
use serde::Serialize;

use crate::device;
use crate::measure::Measure;
use crate::point_arguments::PointArguments;
use crate::point_faults::{with_line, with_option};
use crate::point_search::{PointSearch, Wanted};
use crate::progress::Stage;
use crate::{distance_file, input, output, point_weights};

/// What the arguments mean.
pub(crate) struct PointRequest {
    pub(crate) source: Input,
    options: PointOptions,
    pub(crate) metric: Measure,
    /// Whether the user typed the metric.
    has_metric: bool,
    pub(crate) threads: usize,
    device: DeviceChoice,
    /// The seed, if the tree may be approximate.
    approximate: Option<u64>,
}

/// The points of a file and their tree.
#[derive(Default)]
pub(crate) struct SolvedPoints {
    pub(crate) tree: PointTree,
    /// The bound of the error, if the tree may be approximate.
    pub(crate) error: Option<ErrorBound>,
    /// The coordinates, row by row.
    pub(crate) coordinates: Vec<f64>,
    pub(crate) dimensions: usize,
    /// How many points each point counts as; empty for one each.
    pub(crate) weights: Vec<u32>,
    /// The names of the columns of coordinates; empty if they have none.
    pub(crate) names: Vec<String>,
    /// The columns of the input that are carried along.
    pub(crate) kept: KeptColumns,
    /// The names of the points in a matrix of distances.
    pub(crate) point_names: Option<Vec<String>>,
    /// The names and the numbers of the devices, if there are any.
    pub(crate) device: Option<String>,
    pub(crate) times: Times,
}

impl SolvedPoints {
    /// An exact tree of points without names, found on the processor.
    fn new(tree: PointTree, file: PointFile, times: Times) -> Self {
        let PointFile { coordinates, dimensions, names, kept, .. } = file;
        Self { tree, coordinates, dimensions, names, kept, times, ..Self::default() }
    }
}

/// The times of the steps in seconds. Those of a device are null on the processor.
#[derive(Clone, Copy, Default, Serialize)]
pub(crate) struct Times {
    load: f64,
    compile: Option<f64>,
    upload: Option<f64>,
    solve: f64,
    download: Option<f64>,
}

impl Times {
    /// The steps that took place, in order.
    pub(crate) fn steps(&self) -> Vec<(&'static str, Duration)> {
        let Self { load, compile, upload, solve, download } = *self;
        [
            ("load", Some(load)),
            ("compile", compile),
            ("upload", upload),
            ("solve", Some(solve)),
            ("download", download),
        ]
        .into_iter()
        .filter_map(|(step, time)| Some((step, Duration::from_secs_f64(time?))))
        .collect()
    }
}

impl PointRequest {
    /// `keep` are the columns to carry along.
    ///
    /// # Errors
    /// When the memory cannot be limited.
    pub(crate) fn resolve(
        arguments: PointArguments,
        keep: Vec<PointColumn>,
    ) -> anyhow::Result<Self> {
        arguments.memory.apply()?;
        Ok(Self {
            source: input::file(&arguments.points),
            options: PointOptions {
                columns: arguments.columns,
                keep,
                header: match (arguments.header, arguments.no_header) {
                    (true, _) => Header::Present,
                    (false, true) => Header::Absent,
                    (false, false) => Header::Recognize,
                },
                sheet: arguments.sheet,
                weights: None,
            },
            metric: arguments.metric.unwrap_or(Measure::By(Metric::default())),
            has_metric: arguments.metric.is_some(),
            threads: input::Threads::resolve(arguments.threads).wanted(),
            device: arguments.device,
            approximate: arguments.approximate.then_some(arguments.seed),
        })
    }

    /// The same request, where a column has the weights of the points.
    ///
    /// # Errors
    /// When another option has no weights.
    pub(crate) fn weighted_by(mut self, weights: Option<PointColumn>) -> anyhow::Result<Self> {
        if weights.is_some() {
            point_weights::check(self.metric, self.on_device(), self.approximate.is_some())?;
        }
        self.options.weights = weights;
        Ok(self)
    }

    /// The request for new points in another file, whose columns have these names.
    pub(crate) fn of_new_points(
        &self,
        source: Input,
        names: &[String],
        keep: Vec<PointColumn>,
    ) -> Self {
        let mut columns = self.options.columns.clone();
        if columns.is_empty() {
            columns.extend(names.iter().map(|name| PointColumn::named(name)));
        }
        let options = PointOptions { columns, keep, weights: None, ..self.options.clone() };
        Self { source, options, has_metric: true, device: self.device.clone(), ..*self }
    }

    fn on_device(&self) -> bool {
        matches!(self.device, DeviceChoice::Cuda(_))
    }

    /// Whether the user chose columns, by name or by position.
    pub(crate) fn has_columns(&self) -> bool {
        !self.options.columns.is_empty()
    }

    /// Reads the points and finds a tree.
    ///
    /// # Errors
    /// When the file or the points are at fault, or the device fails.
    pub(crate) fn solve(&self, wanted: Wanted) -> anyhow::Result<SolvedPoints> {
        let Measure::By(metric) = self.metric else { return self.solve_distances(wanted) };
        let (approximate, on_device) = (self.approximate, self.on_device());
        let search = PointSearch { metric, wanted, approximate, on_device, threads: self.threads };
        search.check()?;
        // Before the points are read, because that can take long.
        let ordinals = self.device.ordinals();
        let device = device::open_all(ordinals)?;
        let start = Instant::now();
        let file = self.load()?;
        if ordinals.len() > 1 && !uses_devices(file.dimensions) {
            anyhow::bail!(device::few_dimensions(file.dimensions));
        }
        let load = start.elapsed();
        let _stage = Stage::start(&search.stage(&file.coordinates, file.dimensions));
        let start = Instant::now();
        let mut run = Run::new().on_threads(self.threads).on_devices(ordinals);
        let in_source = || self.source.to_string();
        let weights = point_weights::of(&file).with_context(in_source)?;
        let (tree, error) = Points::new(&file.coordinates, file.dimensions)
            .and_then(|points| points.weighted(&weights))
            .map_err(DevicePointsError::from)
            .and_then(|points| search.tree(&points, &mut run))
            .map_err(|error| with_line(error, &file, wanted.why()))
            .with_context(in_source)?;
        let DeviceTimes { compile, upload, download } = run.take_device_times();
        let solve = start.elapsed().saturating_sub(compile + upload + download);
        let of_device = |time: Duration| on_device.then_some(time.as_secs_f64());
        let times = Times {
            load: load.as_secs_f64(),
            compile: of_device(compile),
            upload: of_device(upload),
            solve: solve.as_secs_f64(),
            download: of_device(download),
        };
        Ok(SolvedPoints { error, weights, device, ..SolvedPoints::new(tree, file, times) })
    }

    /// Finds the tree of distances, which the file contains.
    fn solve_distances(&self, wanted: Wanted) -> anyhow::Result<SolvedPoints> {
        let (Wanted::MutualReachability(min_samples)
        | Wanted::MutualReachabilityOfSize(min_samples)) = wanted
        else {
            anyhow::bail!(
                "nearest neighbors are those of points, not of distances; leave out `--neighbors`"
            );
        };
        if self.approximate.is_some() {
            anyhow::bail!("the tree of distances is exact; leave out `--approximate`");
        }
        if self.on_device() {
            anyhow::bail!("the tree of distances is found on the processor; leave out `--device`");
        }
        let start = Instant::now();
        let (file, point_names) = match self.read() {
            Ok(file) => (file, None),
            Err(error) => distance_file::read(&self.source, &self.options).ok_or(error)?,
        };
        let load = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let _stage = Stage::start("finding the spanning tree");
        let in_source = || self.source.to_string();
        let values = kostra_io::condensed_distances(&file.coordinates, file.len());
        let values = values.map_err(anyhow::Error::msg).with_context(in_source)?;
        let distances = Distances::Condensed(&values);
        if !(1..=file.len()).contains(&min_samples) {
            let error = PointsError::MinSamples { min_samples, points: file.len() };
            return Err(with_option(error.into(), wanted.why())).with_context(in_source);
        }
        let cores = (min_samples > 1).then(|| distances.cores(min_samples, &[])).transpose()?;
        let tree = pairwise_tree(distances, cores.as_deref())?;
        let times = Times { load, solve: start.elapsed().as_secs_f64(), ..Times::default() };
        Ok(SolvedPoints { point_names, ..SolvedPoints::new(tree, file, times) })
    }

    fn read(&self) -> anyhow::Result<PointFile> {
        let stage = Stage::start(&format!("reading {}", self.source));
        let progress = |done: kostra_io::Progress| stage.bytes(done.bytes, done.of);
        Ok(read_points(&self.source, &self.options, &progress)?)
    }

    /// Reads the points.
    ///
    /// # Errors
    /// When the file is at fault, or does not suit the metric.
    pub(crate) fn load(&self) -> anyhow::Result<PointFile> {
        let file = self.read()?;
        if self.is_haversine()
            && let [first, second] = &*file.names
        {
            self.check_order(first, second)?;
        }
        self.check_degrees(&file)?;
        let is_small = |degrees: &f64| degrees.abs() <= std::f64::consts::PI;
        if self.is_haversine() && file.len() > 1 && file.coordinates.iter().all(is_small) {
            output::warn(&[format!(
                "{}: all latitudes and longitudes are at most pi; the haversine metric needs \
                 degrees, so convert radians",
                self.source
            )]);
        }
        let counts = |first: f64| {
            let rows = file.coordinates.chunks_exact(file.dimensions);
            (0_u32..).zip(rows).all(|(row, point)| point[0] == first + f64::from(row))
        };
        let is_square = file.dimensions == file.len() && self.options.columns.is_empty();
        if is_square
            && !self.has_metric
            && kostra_io::may_be_distances(&file.coordinates, file.len())
        {
            anyhow::bail!(
                "{}: the table is symmetric with zeros on the diagonal: are these distances, or \
                 the coordinates of points? pass `--metric precomputed` or `--metric euclidean`",
                self.source
            );
        }
        let is_guess = file.names.is_empty() && self.options.columns.is_empty();
        if is_guess && file.dimensions > 1 && file.len() > 2 && (counts(0.0) || counts(1.0)) {
            output::warn(&[format!(
                "{}: column 1 counts the points; if it is no coordinate, pass the others with \
                 `--columns`",
                self.source
            )]);
        }
        Ok(file)
    }

    fn is_haversine(&self) -> bool {
        self.metric == Measure::By(Metric::Haversine)
    }

    /// Refuses or warns of distances in degrees.
    fn check_degrees(&self, file: &PointFile) -> anyhow::Result<()> {
        if self.is_haversine() {
            return Ok(());
        }
        if file.is_in_degrees {
            anyhow::bail!(
                "{}: the points are latitudes and longitudes; pass `--metric haversine` for \
                 distances in meters, or `--columns longitude,latitude` for distances in degrees",
                self.source
            );
        }
        let names: Vec<_> = file.names.iter().map(String::as_str).collect();
        if let (true, Some([latitude, longitude])) =
            (self.options.columns.is_empty(), degrees_among(&names))
        {
            let columns = match names.len() {
                2 => String::new(),
                _ => format!("--columns {latitude},{longitude} "),
            };
            output::warn(&[format!(
                "{}: the distances are in the unit of {latitude} and {longitude}; if these are \
                 degrees, pass `{columns}--metric haversine` for distances in meters",
                self.source
            )]);
        }
        Ok(())
    }

    /// Refuses columns that are called longitude and latitude, in this order.
    fn check_order(&self, first: &str, second: &str) -> anyhow::Result<()> {
        match AxisOrder::of_names(first, second) {
            AxisOrder::LongitudeFirst => anyhow::bail!(
                "{}: the haversine metric needs the latitude before the longitude, but the columns \
                 are {first} and {second}; pass `--columns {second},{first}`",
                self.source
            ),
            AxisOrder::SameAxis => anyhow::bail!(
                "{}: the haversine metric needs the latitude and the longitude, but the columns \
                 are {first} and {second}; choose two others with `--columns`, or rename them",
                self.source
            ),
            AxisOrder::LatitudeFirst | AxisOrder::Unknown => Ok(()),
        }
    }
}
