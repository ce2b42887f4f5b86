//! `kostra partition`: divides the vertices of a graph into parts.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueHint};
use kostra::Run;
use kostra::io::Output;
use kostra::partition::{
    Options, Partition, Preset, Statistics, WeightedGraph, limit, part_file, partition,
};
use serde::Serialize;

use crate::arguments::{InputArguments, Nan};
use crate::command::{Answer, Command};
use crate::input::{Graph, Request};
use crate::output;
use crate::progress::Stage;
use crate::report::{self, Sheet, count, thousands};
use crate::trace::Watcher;

/// Divide the vertices of a graph into parts of equal size with few edges between them.
#[derive(Parser)]
#[command(
    name = "partition",
    after_help = "\
Examples:
  kostra partition mesh.graph -k 8
  kostra partition roads.gr.gz -k 64 --preset eco -o parts.txt
  kostra partition roads.gr.gz -k 4 --imbalance 0.1 --json
  kostra partition traffic.csv -k 4 --edge-weights

The output has one part number per line, in the order of the vertices, as METIS
writes it. Every edge counts as 1, unless `--edge-weights` is given, and
parallel edges add up. The partition is the same for any number of threads."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// The number of parts, at most the number of vertices
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    parts: u32,

    /// The tolerated imbalance: with 0.03, a part may exceed the mean size by 3 %
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.03,
        value_parser = imbalance,
        allow_negative_numbers = true, // so that the message names the fault
    )]
    imbalance: f64,

    /// `fast`, or `eco` for fewer edges between parts in more time
    #[arg(long, default_value = "fast", value_parser = presets())]
    preset: Preset,

    /// Count each edge as much as its weight, which must be a whole number from 0; a heavy edge is
    /// less likely to be cut
    #[arg(long)]
    edge_weights: bool,

    /// The seed of random decisions
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The file for the part numbers; `-` for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

fn imbalance(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0 && number.is_finite());
    number.ok_or_else(|| "it must be a number from 0, such as 0.03 for 3 %".to_owned())
}

/// Parses the name of a preset.
fn presets() -> impl TypedValueParser<Value = Preset> {
    PossibleValuesParser::new(Preset::ALL.map(Preset::name)).try_map(|name| {
        Preset::ALL.into_iter().find(|preset| preset.name() == name).ok_or("no such preset")
    })
}

/// What the arguments mean.
struct Plan {
    input: Request,
    options: Options,
    edge_weights: bool,
    output: Option<Output>,
    json: bool,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let output = arguments.output.as_deref().map(output::parse_path);
        output.as_ref().map_or(Ok(()), Output::check)?;
        let edge_weights = arguments.edge_weights;
        let nan = if edge_weights { Nan::Error } else { Nan::Skip };
        let input = Request::resolve(arguments.input, nan);
        let options = Options {
            parts: arguments.parts,
            imbalance: arguments.imbalance,
            preset: arguments.preset,
            seed: arguments.seed,
            threads: input.threads.wanted(),
        };
        Ok(Self { input, options, edge_weights, output, json: arguments.json })
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        let input = plan.input.load()?;
        let outcome = divide(&plan, &input)?;
        plan.input.refuse_changes(&input)?;
        let write = write(&plan, &outcome.partition)?;
        let text = if plan.json {
            report::json(&record(&plan, &input, &outcome, write))?
        } else {
            sheet(&plan, &input, &outcome, write)
        };
        output::report(&text, plan.output.as_ref())?;
        Ok(Answer::Yes)
    }
}

/// A partition, and the times to find it.
struct Outcome {
    partition: Partition,
    statistics: Statistics,
    /// The most vertices of a part.
    limit: i64,
    build: Duration,
    time: Duration,
}

fn divide(plan: &Plan, input: &Graph) -> anyhow::Result<Outcome> {
    let stage = Stage::start("partitioning");
    let start = Instant::now();
    let graph = if plan.edge_weights {
        let graph = WeightedGraph::of_edge_weights(&input.graph);
        graph.with_context(|| plan.input.source.to_string())?
    } else {
        WeightedGraph::of_unit_weights(&input.graph)?
    };
    let build = start.elapsed();
    let mut watcher = Watcher::new(&stage, false);
    let partition = partition(&graph, &plan.options, &mut Run::new().observed_by(&mut watcher))?;
    let time = start.elapsed() - build;
    let statistics = Statistics::of(&graph, &partition)?;
    let limit = limit(&graph, plan.options.parts, plan.options.imbalance);
    Ok(Outcome { partition, statistics, limit, build, time })
}

/// Writes the part numbers, if planned, and returns the time.
fn write(plan: &Plan, partition: &Partition) -> anyhow::Result<Option<Duration>> {
    let Some(to) = &plan.output else { return Ok(None) };
    let start = Instant::now();
    let _stage = Stage::start(&format!("writing {to}"));
    output::write_lines(to, |lines| part_file::write(lines, partition))?;
    Ok(Some(start.elapsed()))
}

fn sheet(plan: &Plan, input: &Graph, outcome: &Outcome, write: Option<Duration>) -> String {
    let Outcome { statistics, limit, build, time, .. } = outcome;
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(input.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.graph.edges() as u64, "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let cut = statistics.edge_cut.unsigned_abs();
    let cut = if plan.edge_weights {
        format!("weight {}", thousands(cut))
    } else {
        count(cut, "edge", "edges")
    };
    sheet.line("edge cut", format!("{cut} between different parts"));
    let largest = statistics.part_sizes.iter().copied().max().unwrap_or_default();
    let (largest, most) = (thousands(largest), thousands(limit.unsigned_abs()));
    let balance = statistics.balance;
    sheet.line(
        "balance",
        format!("{balance:.4}, the largest part has {largest} of {most} vertices"),
    );
    let boundary = count(statistics.boundary_vertices.into(), "vertex", "vertices");
    sheet.line("boundary", format!("{boundary} with a neighbor in another part"));
    sheet.line("volume", format!("{} values to send", thousands(statistics.communication_volume)));
    let (preset, seed) = (plan.options.preset.name(), plan.options.seed);
    sheet.line("preset", format!("{preset} (seed {seed})"));
    if let Some(to) = &plan.output {
        sheet.line("written", to);
    }
    sheet.notes(&input.notes);
    sheet.gap();
    let mut times = vec![("load", input.load), ("build", *build), ("partition", *time)];
    times.extend(write.map(|write| ("write", write)));
    sheet.times(&times);
    let parts = count(plan.options.parts.into(), "part", "parts");
    format!("Partition of {} into {parts}\n{sheet}", plan.input.source)
}

/// The report as JSON.
#[derive(Serialize)]
struct Record<'a> {
    input: String,
    vertices: u32,
    edges: usize,
    parts: u32,
    imbalance: f64,
    preset: &'static str,
    seed: u64,
    /// Whether each edge counts as much as its weight.
    edge_weights: bool,
    edge_cut: i64,
    balance: f64,
    /// The most vertices that a part may have.
    limit: i64,
    boundary_vertices: u32,
    communication_volume: u64,
    part_sizes: &'a [u32],
    output: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    build: f64,
    partition: f64,
    /// Null if nothing is written.
    write: Option<f64>,
}

fn record<'a>(
    plan: &Plan,
    input: &'a Graph,
    outcome: &'a Outcome,
    write: Option<Duration>,
) -> Record<'a> {
    let Outcome { statistics, limit, build, time, .. } = outcome;
    Record {
        input: plan.input.source.to_string(),
        vertices: input.graph.vertices(),
        edges: input.graph.edges(),
        parts: plan.options.parts,
        imbalance: plan.options.imbalance,
        preset: plan.options.preset.name(),
        seed: plan.options.seed,
        edge_weights: plan.edge_weights,
        edge_cut: statistics.edge_cut,
        balance: statistics.balance,
        limit: *limit,
        boundary_vertices: statistics.boundary_vertices,
        communication_volume: statistics.communication_volume,
        part_sizes: &statistics.part_sizes,
        output: plan.output.as_ref().map(ToString::to_string),
        seconds: Seconds {
            load: input.load.as_secs_f64(),
            build: build.as_secs_f64(),
            partition: time.as_secs_f64(),
            write: write.map(|write| write.as_secs_f64()),
        },
        notes: &input.notes,
    }
}
