//! Points as the input of a command: their file, and how distances are measured.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kostra::Run;
use kostra::io::{Input, PointColumn, PointFile, read_points};
use kostra_points::{Distance, Metric, PointTree, Points, PointsError, spanning_tree};

use crate::input;
use crate::progress::Stage;

/// The points, and how distances are measured, as the user typed them.
#[derive(Args)]
pub(crate) struct PointArguments {
    /// A file of points: a table as text (CSV, TSV, blanks), or an array of NumPy (.npy); `-` for
    /// standard input
    #[arg(value_hint = ValueHint::FilePath)]
    points: OsString,

    /// The columns of the coordinates, by name or by position counted from 1 [default: all columns]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    columns: Vec<PointColumn>,

    /// How distances are measured; for haversine the columns are latitude and longitude in degrees,
    /// and distances are in meters
    #[arg(long, value_name = "METRIC", default_value = "euclidean", value_parser = metrics())]
    metric: Metric,

    /// The number of threads; 0 uses all threads of the machine
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(..=4096),
    )]
    threads: u16,
}

fn metrics() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(Metric::ALL.map(Metric::name))
        .try_map(|name| Metric::from_name(&name).ok_or("no such metric"))
}

/// What the arguments mean.
pub(crate) struct PointRequest {
    pub(crate) source: Input,
    columns: Vec<PointColumn>,
    pub(crate) metric: Metric,
    pub(crate) threads: usize,
}

/// The points of a file and their tree.
pub(crate) struct Solved {
    pub(crate) tree: PointTree,
    pub(crate) dimensions: usize,
    pub(crate) load: Duration,
    pub(crate) solve: Duration,
}

impl PointRequest {
    pub(crate) fn resolve(arguments: PointArguments) -> Self {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            source: input::file(&arguments.points),
            columns: arguments.columns,
            metric: arguments.metric,
            threads: if arguments.threads == 0 { all() } else { arguments.threads.into() },
        }
    }

    /// Reads the points and finds their tree of mutual reachability distances; with `min_samples`
    /// 1, the distances themselves.
    ///
    /// # Errors
    /// When the file or the points are at fault.
    pub(crate) fn solve(&self, min_samples: usize) -> anyhow::Result<Solved> {
        let start = Instant::now();
        let file = self.load()?;
        let load = start.elapsed();
        let start = Instant::now();
        let _stage = Stage::start("finding the spanning tree");
        let tree = Points::new(&file.coordinates, file.dimensions).and_then(|points| {
            let distance = Distance::mutual_reachability(self.metric, min_samples);
            spanning_tree(&points, distance, &mut Run::new().on_threads(self.threads))
        });
        let tree = tree.map_err(with_option).with_context(|| self.source.to_string())?;
        Ok(Solved { tree, dimensions: file.dimensions, load, solve: start.elapsed() })
    }

    fn load(&self) -> anyhow::Result<PointFile> {
        let stage = Stage::start(&format!("reading {}", self.source));
        let progress = |done: kostra::io::Progress| stage.bytes(done.bytes, done.of);
        let file = read_points(&self.source, &self.columns, &progress)?;
        let begins = |name: &str, words: &[&str]| {
            let name = name.to_ascii_lowercase();
            words.iter().any(|word| name.starts_with(word))
        };
        if self.metric == Metric::Haversine
            && let [first, second] = &*file.names
            && (begins(first, &["lon", "lng"])
                || begins(second, &["lat"]) && !begins(first, &["lat"]))
        {
            anyhow::bail!(
                "{}: the haversine metric needs the latitude before the longitude, but the columns \
                 are {first} and {second}; pass `--columns {second},{first}`",
                self.source
            );
        }
        Ok(file)
    }
}

/// An error in the words of the command line.
fn with_option(error: PointsError) -> anyhow::Error {
    match error {
        PointsError::MinSamples { min_samples, points } => anyhow::anyhow!(
            "`--min-samples` is {min_samples}, but it must be from 1 to the number of points, \
             {points}"
        ),
        error => error.into(),
    }
}
