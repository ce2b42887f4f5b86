//! `kostra tree`: the minimum spanning tree of points.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Parser, ValueHint};
use kostra::forest_file::ForestFormat;
use kostra::table::{Table, TableColumn, TableValues};
use kostra_core::{AnyGraph, CompensatedSum};
use kostra_io::{KeptColumns, Outgoing, Output};
use serde::Serialize;

use crate::command::{Answer, Command};
use crate::forest_file::{self, Destination};
use crate::point_arguments::PointArguments;
use crate::point_output::PointOutput;
use crate::point_search::{ErrorRecord, Wanted};
use crate::points::{PointRequest, SolvedPoints, Times};
use crate::progress::Stage;
use crate::report::{self, Sheet, count};
use crate::{file_roles, output};

/// Find the minimum spanning tree of points.
#[derive(Parser)]
#[command(
    name = "tree",
    after_help = "\
Examples:
  kostra tree points.npy
  kostra tree cities.csv --columns lat,lon --metric haversine -o tree.csv
  kostra tree points.csv --min-samples 10 --json
  kostra tree points.npy --neighbors 10 -o tree.csv
  kostra tree points.npy --device cuda -o tree.csv
  kostra tree embeddings.npy --approximate -o tree.csv

The output is the two points of each edge, counted from 0, and their distance,
in ascending order: CSV (.csv, .txt), .tsv, a structured array (.npy), or
.parquet; or the tree from point 0 in Newick (.nwk). Without --approximate, the
tree is exact. It is the same for any number of threads: pairs of points are
ordered by distance, then by their numbers."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    points: PointArguments,

    /// Use mutual reachability distances: the largest of the distance of two points and their
    /// distances to their N-th nearest point, themselves included
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_samples: u32,

    /// Join each point with its N nearest points first, and then the components of this graph by
    /// their shortest links
    #[arg(
        long, value_name = "N", conflicts_with = "min_samples",
        value_parser = clap::value_parser!(u32).range(1..),
    )]
    neighbors: Option<u32>,

    /// The file for the edges; `-` for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print no report
    #[arg(long, short, requires = "output", conflicts_with = "json")]
    quiet: bool,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let output = self.output.as_deref().map(output::parse_path);
        output.as_ref().map_or(Ok(()), Output::check)?;
        let format = output.as_ref().map(|to| PointOutput::of(to, false)).transpose()?;
        let request = PointRequest::resolve(self.points, Vec::new())?;
        file_roles::check(&[("points", Some(&request.source))], &[("edges", output.as_ref())])?;
        let wanted = match self.neighbors {
            Some(neighbors) => Wanted::OfNeighbors(neighbors as usize),
            None => Wanted::MutualReachability(self.min_samples as usize),
        };
        let solved = request.solve(wanted)?;
        let to = output.as_ref().zip(format);
        let write = to.map(|(to, format)| write(to, format, &solved)).transpose()?;
        let record = record(&request, &solved, output.as_ref(), write);
        let text = if self.json { report::json(&record)? } else { sheet(&request, &record) };
        if !self.quiet {
            output::report(&text, output.as_ref())?;
        }
        Ok(Answer::Yes)
    }
}

/// Writes the edges and returns the time.
fn write(to: &Output, format: PointOutput, solved: &SolvedPoints) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let _stage = Stage::start(&format!("writing {to}"));
    let tree = &solved.tree;
    let PointOutput::Table(format) = format else {
        let [u, v] = [0, 1].map(|end| tree.ends.iter().map(|ends| ends[end]).collect());
        let graph = AnyGraph::from_edges(tree.len as usize, u, v, tree.distances.clone())?;
        let ids: Vec<_> = (0..tree.ends.len() as u64).collect();
        let to = Destination { output: to.clone(), format: ForestFormat::Newick };
        let names = solved.point_names.as_deref();
        forest_file::write_all(&to, Outgoing { names, ..(&graph).into() }, &ids)?;
        return Ok(start.elapsed());
    };
    let columns = [
        TableColumn { name: "source", values: TableValues::Ends(&tree.ends, 0) },
        TableColumn { name: "target", values: TableValues::Ends(&tree.ends, 1) },
        TableColumn { name: "distance", values: TableValues::Floats(&tree.distances) },
    ];
    let kept = KeptColumns::default();
    let table = Table::new(&columns, &kept)?;
    output::write_lines(to, |lines| table.write(format, lines))?;
    Ok(start.elapsed())
}

/// The report as JSON.
#[derive(Serialize)]
struct Record {
    input: String,
    points: u32,
    dimensions: usize,
    metric: &'static str,
    edges: usize,
    total_length: f64,
    /// Null if there is no edge.
    shortest: Option<f64>,
    longest: Option<f64>,
    /// Null for an exact tree.
    error: Option<ErrorRecord>,
    /// Null on the processor.
    device: Option<String>,
    output: Option<String>,
    seconds: Seconds,
}

#[derive(Serialize)]
struct Seconds {
    #[serde(flatten)]
    solved: Times,
    /// Null if nothing is written.
    write: Option<f64>,
}

fn record(
    request: &PointRequest,
    solved: &SolvedPoints,
    output: Option<&Output>,
    write: Option<Duration>,
) -> Record {
    let distances = &solved.tree.distances;
    let mut total = CompensatedSum::default();
    distances.iter().for_each(|&distance| total.add(distance));
    Record {
        input: request.source.to_string(),
        points: solved.tree.len,
        dimensions: solved.dimensions,
        metric: request.metric.name(),
        edges: distances.len(),
        total_length: total.value(),
        shortest: distances.first().copied(),
        longest: distances.last().copied(),
        error: ErrorRecord::of(solved.error),
        device: solved.device.clone(),
        output: output.map(ToString::to_string),
        seconds: Seconds { solved: solved.times, write: write.map(|write| write.as_secs_f64()) },
    }
}

fn sheet(request: &PointRequest, record: &Record) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let points = count(record.points.into(), "point", "points");
    let dimensions = count(record.dimensions as u64, "dimension", "dimensions");
    sheet.line("points", format!("{points} of {dimensions}"));
    sheet.line("metric", record.metric);
    sheet.line("edges", count(record.edges as u64, "edge", "edges"));
    sheet.line("total length", record.total_length);
    if let (Some(shortest), Some(longest)) = (record.shortest, record.longest) {
        sheet.line("lengths", format!("from {shortest} to {longest}"));
    }
    if let Some(error) = &record.error {
        sheet.line("error", error.line());
    }
    if let Some(device) = &record.device {
        sheet.line("on", device);
    }
    if let Some(to) = &record.output {
        sheet.line("written", to);
    }
    sheet.gap();
    let mut times = record.seconds.solved.steps();
    times.extend(record.seconds.write.map(|write| ("write", Duration::from_secs_f64(write))));
    sheet.times(&times);
    let kind = if record.error.is_some() { "Spanning tree" } else { "Minimum spanning tree" };
    format!("{kind} of {}\n{sheet}", request.source)
}
