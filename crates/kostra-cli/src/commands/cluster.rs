//! `kostra cluster`: clusters of points by HDBSCAN.

use std::cmp::Ordering;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Parser, ValueEnum, ValueHint};
use kostra::table::{Table, TableColumn, TableFormat, TableValues};
use kostra_io::{KeptColumns, Output, PointColumn};
use kostra_points::cluster::{Clustering, Hierarchy, Method, Selection, Ties};
use serde::Serialize;

use crate::command::{Answer, Command};
use crate::points::{PointArguments, PointRequest, SolvedPoints, Times, Wanted};
use crate::progress::Stage;
use crate::report::{self, Sheet, count, count_of_sizes};
use crate::{file_roles, output};

/// Find clusters of points, and noise.
#[derive(Parser)]
#[command(
    name = "cluster",
    after_help = "\
Examples:
  kostra cluster points.npy --min-cluster-size 50
  kostra cluster shops.csv --columns lat,lon --metric haversine --min-cluster-size 50 -o labels.csv
  kostra cluster shops.csv --columns x,y --keep id,name -o labels.csv
  kostra cluster points.csv --min-samples 5 --selection leaf --json
  kostra cluster points.npy --device cuda -o labels.csv

Clusters are those of HDBSCAN, whatever the order of the points. The output
is the label and the probability of each point, in the order of the input: CSV
(.csv, .txt), .tsv, a structured array (.npy), or .parquet. The label -1 is
noise. The result is the same for any number of threads, and on a CUDA device,
which finds the spanning tree."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    points: PointArguments,

    /// The least number of points of a cluster
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(2..),
    )]
    min_cluster_size: u32,

    /// The number of nearest points, itself included, within the core distance of a point
    /// [default: the least size of a cluster]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    min_samples: Option<u32>,

    /// Which clusters are selected: those with the most excess of mass, or those that are not
    /// divided further
    #[arg(long, value_enum, default_value = "eom")]
    selection: SelectionMethod,

    /// Do not divide clusters below this distance
    #[arg(
        long,
        value_name = "DISTANCE",
        default_value_t = 0.0,
        value_parser = distance,
    )]
    epsilon: f64,

    /// The largest cluster that the excess of mass selects
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_cluster_size: Option<u32>,

    /// Allow that all points are one cluster
    #[arg(long)]
    allow_single_cluster: bool,

    /// Whether merges at one distance are undone together, or one by one as scikit-learn does, so
    /// that labels depend on the order of the points
    #[arg(long, value_enum, default_value = "together")]
    ties: TiesMethod,

    /// The file for the labels; `-` for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Columns of a table, by name or position, to carry along into the output, such as the id of
    /// each point
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', requires = "output")]
    keep: Vec<PointColumn>,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print no report
    #[arg(long, short, requires = "output", conflicts_with = "json")]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum TiesMethod {
    Together,
    ScikitLearn,
}

impl From<TiesMethod> for Ties {
    fn from(ties: TiesMethod) -> Self {
        match ties {
            TiesMethod::Together => Self::Together,
            TiesMethod::ScikitLearn => Self::OneByOne,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum SelectionMethod {
    Eom,
    Leaf,
}

fn distance(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    number.ok_or_else(|| "it must be a number from 0".to_owned())
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let output = self.output.as_deref().map(output::parse_path);
        output.as_ref().map_or(Ok(()), Output::check)?;
        let is_keeping = !self.keep.is_empty();
        let format = output.as_ref().map(|to| TableFormat::of(to, is_keeping)).transpose()?;
        self.check_sizes()?;
        let selection = Selection {
            method: match self.selection {
                SelectionMethod::Eom => Method::ExcessOfMass,
                SelectionMethod::Leaf => Method::Leaf,
            },
            epsilon: self.epsilon,
            allow_single_cluster: self.allow_single_cluster,
            max_cluster_size: self.max_cluster_size,
            ..Selection::default()
        };
        let min_samples = self.min_samples.unwrap_or(self.min_cluster_size);
        let request = PointRequest::resolve(self.points, self.keep)?;
        file_roles::check(&[("points", Some(&request.source))], &[("labels", output.as_ref())])?;
        let mut solved = request.solve(match self.min_samples {
            Some(samples) => Wanted::MutualReachability(samples as usize),
            None => Wanted::MutualReachabilityOfSize(min_samples as usize),
        })?;
        let start = Instant::now();
        let hierarchy = Hierarchy::on_threads(std::mem::take(&mut solved.tree), request.threads)?;
        let mut condensed = hierarchy.condensed(self.min_cluster_size, self.ties.into())?;
        if condensed.is_ambiguous() {
            let row =
                |point: u32| solved.coordinates.chunks_exact(solved.dimensions).nth(point as usize);
            let compare =
                |a: &u32, b: &u32| row(*a).partial_cmp(&row(*b)).unwrap_or(Ordering::Equal);
            condensed = condensed.numbered_by(&compare)?;
        }
        let clusters = condensed.select(selection)?;
        let cluster = start.elapsed();
        let to = output.as_ref().zip(format);
        let write =
            to.map(|(to, format)| write(to, format, &clusters, &solved.kept)).transpose()?;
        let record = Record {
            min_cluster_size: self.min_cluster_size,
            min_samples,
            output: output.as_ref().map(ToString::to_string),
            seconds: Seconds {
                solved: solved.times,
                cluster: cluster.as_secs_f64(),
                write: write.map(|write| write.as_secs_f64()),
            },
            ..Record::new(&request, &solved, &clusters)
        };
        if record.clusters == 0 {
            output::warn(&[format!(
                "{}: no cluster, all points are noise; pass a smaller `--min-cluster-size` or \
                 `--min-samples`, or `--allow-single-cluster` if all points may be one cluster",
                request.source
            )]);
        }
        let text = if self.json { report::json(&record)? } else { sheet(&record) };
        if !self.quiet {
            output::report(&text, output.as_ref())?;
        }
        Ok(Answer::Yes)
    }
}

impl Arguments {
    /// Refuses sizes of clusters that have no effect, or that no cluster has.
    fn check_sizes(&self) -> anyhow::Result<()> {
        let (Some(most), least) = (self.max_cluster_size, self.min_cluster_size) else {
            return Ok(());
        };
        if matches!(self.selection, SelectionMethod::Leaf) {
            anyhow::bail!(
                "`--max-cluster-size` has no effect with `--selection leaf`; leave it out"
            );
        }
        if most < least {
            anyhow::bail!(
                "`--max-cluster-size` is {most}, below the least size of a cluster, {least}; pass \
                 {least} or more, or a lower `--min-cluster-size`"
            );
        }
        Ok(())
    }
}

/// Writes the labels and returns the time.
fn write(
    to: &Output,
    format: TableFormat,
    clusters: &Clustering,
    kept: &KeptColumns,
) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let _stage = Stage::start(&format!("writing {to}"));
    let columns = [
        TableColumn { name: "label", values: TableValues::Labels(&clusters.labels) },
        TableColumn { name: "probability", values: TableValues::Floats(&clusters.probabilities) },
    ];
    let table = Table::new(&columns, kept).with_context(|| to.to_string())?;
    output::write_lines(to, |lines| table.write(format, lines))?;
    Ok(start.elapsed())
}

/// The report as JSON.
#[derive(Default, Serialize)]
struct Record {
    input: String,
    points: usize,
    dimensions: usize,
    metric: &'static str,
    min_cluster_size: u32,
    min_samples: u32,
    clusters: usize,
    noise: u64,
    /// The number of points of each cluster.
    cluster_sizes: Vec<u64>,
    /// Null on the processor.
    device: Option<String>,
    output: Option<String>,
    seconds: Seconds,
}

#[derive(Default, Serialize)]
struct Seconds {
    #[serde(flatten)]
    solved: Times,
    cluster: f64,
    /// Null if nothing is written.
    write: Option<f64>,
}

impl Record {
    fn new(request: &PointRequest, solved: &SolvedPoints, clusters: &Clustering) -> Self {
        let mut cluster_sizes = vec![0; clusters.clusters.len()];
        let mut noise = 0;
        for &label in &clusters.labels {
            // Noise has the label -1.
            *cluster_sizes.get_mut(label as usize).unwrap_or(&mut noise) += 1;
        }
        Self {
            input: request.source.to_string(),
            points: clusters.labels.len(),
            dimensions: solved.dimensions,
            metric: request.metric.name(),
            clusters: cluster_sizes.len(),
            noise,
            cluster_sizes,
            device: solved.device.clone(),
            ..Self::default()
        }
    }
}

fn sheet(record: &Record) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let points = count(record.points as u64, "point", "points");
    let dimensions = count(record.dimensions as u64, "dimension", "dimensions");
    sheet.line("points", format!("{points} of {dimensions}"));
    sheet.line("metric", record.metric);
    let sizes = || record.cluster_sizes.iter().copied();
    let range = [sizes().min(), sizes().max()].map(Option::unwrap_or_default);
    let clusters =
        count_of_sizes(record.clusters as u64, ["cluster", "clusters"], range, ["point", "points"]);
    sheet.line("clusters", clusters);
    sheet.line("noise", count(record.noise, "point", "points"));
    if let Some(device) = &record.device {
        sheet.line("on", device);
    }
    if let Some(to) = &record.output {
        sheet.line("written", to);
    }
    sheet.gap();
    let Seconds { solved, cluster, write } = &record.seconds;
    let mut times = solved.steps();
    times.push(("cluster", Duration::from_secs_f64(*cluster)));
    times.extend(write.map(|write| ("write", Duration::from_secs_f64(write))));
    sheet.times(&times);
    format!("Clusters of {}\n{sheet}", record.input)
}
