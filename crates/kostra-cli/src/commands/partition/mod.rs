//! `kostra partition`: divides the vertices of a graph into parts.

mod divide;
mod table;
mod ways;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Parser, ValueHint};
use kostra::DeviceChoice;
use kostra_core::DeviceTimes;
use kostra_io::{FORMATS, Output};
use kostra_partition::{Options, Partition, Preset, part_file};
use serde::Serialize;

use self::divide::{Outcome, PartitionedOn, Times, divide};
use self::ways::{Ways, one_of};
use crate::arguments::{LimitedInput, NanChoice};
use crate::command::{Answer, Command};
use crate::device;
use crate::input::{InputGraph, InputRequest};
use crate::progress::Stage;
use crate::report::{self, Sheet, count, thousands};
use crate::trace::Trace;
use crate::{file_roles, output};

/// Divide the vertices of a graph into parts of equal size with few edges between them.
#[derive(Parser)]
#[command(
    name = "partition",
    after_help = "\
Examples:
  kostra partition mesh.graph -k 8
  kostra partition roads.gr.gz -k 64 --preset eco -o parts.txt
  kostra partition network.csv -k 8 -o parts.csv
  kostra partition roads.gr.gz -k 4 --imbalance 0.1 --json
  kostra partition traffic.csv -k 4 --edge-weights
  kostra partition loads.graph -k 4 --vertex-weights
  kostra partition roads.gr.gz -k 8 --device cuda --trace

The output has one part number per line, in the order of the vertices, as METIS
writes it. A .csv file has the name or the number of each vertex, too. Every
edge counts as 1, unless `--edge-weights` is given, and parallel edges add up.
The partition is the same for any number of threads. On a CUDA device, it may
differ from run to run."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: LimitedInput,

    /// The number of parts, at most the number of vertices
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    parts: u32,

    /// The tolerated imbalance: with 0.03, a part has at most 1.03 times the mean size, which is
    /// rounded up first
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.03,
        value_parser = imbalance,
    )]
    imbalance: f64,

    /// `fast`, or `eco` for fewer edges between parts in more time
    #[arg(long, default_value = "fast", value_parser = one_of(Preset::ALL, Preset::name))]
    preset: Preset,

    /// Count each edge as much as its weight, which must be a whole number from 0; a heavy edge is
    /// less likely to be cut
    #[arg(long)]
    edge_weights: bool,

    /// Count each vertex as much as its weight in a METIS file, so that the parts have nearly equal
    /// weight
    #[arg(long)]
    vertex_weights: bool,

    /// The seed of random decisions
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Where to partition: cpu, cuda, or cuda:1 for the second CUDA device
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceChoice,

    #[command(flatten)]
    ways: Ways,

    /// The file for the part numbers, .csv for a table; `-` for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print the times of the steps and the counters
    #[arg(long)]
    trace: bool,

    /// Print no report
    #[arg(long, short, requires = "output", conflicts_with_all = ["json", "trace"])]
    quiet: bool,
}

fn imbalance(text: &str) -> Result<f64, String> {
    if let Some(percent) = text.parse::<u32>().ok().filter(|&percent| percent > 0) {
        let share = f64::from(percent) / 100.0;
        return Err(format!("is this {percent} % or {percent}00 %? write {share} or {percent}.0"));
    }
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0 && number.is_finite());
    number.ok_or_else(|| "it must be a number from 0, such as 0.03 for 3 %".to_owned())
}

/// What the arguments mean.
struct Plan {
    input: InputRequest,
    options: Options,
    edge_weights: bool,
    vertex_weights: bool,
    place: PartitionedOn,
    output: Option<Output>,
    /// Whether the output is a table of vertices and parts.
    is_table: bool,
    json: bool,
    trace: bool,
    quiet: bool,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let ways = &arguments.ways;
        let place = match (&arguments.device, device::single(&arguments.device)) {
            (_, Some(ordinal)) => PartitionedOn::Device { ordinal, options: ways.options() },
            (DeviceChoice::Cuda(_), None) => {
                anyhow::bail!("a graph is partitioned on one device; name one in `--device`")
            }
            (_, None) => match ways.first_of_device() {
                None if ways.manoochehri && arguments.preset != Preset::default() => {
                    anyhow::bail!("`--preset` has no effect with `--manoochehri` on the processor")
                }
                None if ways.manoochehri => PartitionedOn::Multicore,
                None => PartitionedOn::Processor,
                Some(option) => {
                    anyhow::bail!("`{option}` has no effect on the processor; pass `--device cuda`")
                }
            },
        };
        let output = arguments.output.as_deref().map(output::parse_path);
        output.as_ref().map_or(Ok(()), Output::check)?;
        let extension = arguments.output.as_deref().and_then(kostra_io::extension);
        let is_table = extension.as_deref() == Some("csv");
        let edge_weights = arguments.edge_weights;
        let nan = if edge_weights { NanChoice::Error } else { NanChoice::Skip };
        let vertex_weights = arguments.vertex_weights;
        let mut input = InputRequest::resolve(arguments.input.apply()?, nan);
        input.options.vertex_weights = vertex_weights;
        file_roles::check(&[("graph", input.source.file())], &[("partition", output.as_ref())])?;
        let is_other = |extension: &&str| {
            let of_graphs = FORMATS.iter().flat_map(|format| format.info().extensions);
            *extension == "tsv" || of_graphs.into_iter().any(|known| known == extension)
        };
        if let Some(extension) = extension.as_deref().filter(is_other) {
            anyhow::bail!("a partition is not written as .{extension}; use .txt or .csv");
        }
        let options = Options {
            parts: arguments.parts,
            imbalance: arguments.imbalance,
            preset: arguments.preset,
            seed: arguments.seed,
            threads: input.threads.wanted(),
        };
        let Arguments { json, trace, quiet, .. } = arguments;
        Ok(Self {
            input,
            options,
            edge_weights,
            vertex_weights,
            place,
            output,
            is_table,
            json,
            trace,
            quiet,
        })
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        // Before the graph is read, because that can take minutes.
        let device = plan.place.open()?;
        let device = device.as_deref();
        let mut input = plan.input.load()?;
        if plan.vertex_weights && input.parsed.vertex_weights.is_none() {
            let source = &plan.input.source;
            anyhow::bail!(
                "{source}: the graph has no weights of vertices; omit `--vertex-weights`"
            );
        }
        if let Some(to) =
            plan.output.as_ref().filter(|_| input.parsed.names.is_some() && !plan.is_table)
        {
            let warning = format!("{to} has no names of vertices; a .csv file has them");
            input.notes.push(output::warned(warning));
        }
        let outcome = divide(&plan, &mut input)?;
        plan.input.refuse_changes(&input)?;
        let write = write(&plan, &input, &outcome.partition)?;
        let mut text = if plan.json {
            report::json(&record((&plan, device), &input, &outcome, write))?
        } else {
            sheet((&plan, device), &input, &outcome, write)
        };
        if let Some(trace) = outcome.trace.as_ref().filter(|_| !plan.json) {
            text += &trace.tables();
        }
        if !plan.quiet {
            output::report(&text, plan.output.as_ref())?;
        }
        Ok(Answer::Yes)
    }
}

/// Writes the part numbers, if planned, and returns the time.
fn write(plan: &Plan, input: &InputGraph, parts: &Partition) -> anyhow::Result<Option<Duration>> {
    let Some(to) = &plan.output else { return Ok(None) };
    let start = Instant::now();
    let _stage = Stage::start(&format!("writing {to}"));
    if plan.is_table {
        table::write(to, input.parsed.names.as_deref(), parts)?;
    } else {
        output::write_lines(to, |lines| part_file::write(lines, parts))?;
    }
    Ok(Some(start.elapsed()))
}

fn sheet(
    (plan, device): (&Plan, Option<&str>),
    input: &InputGraph,
    outcome: &Outcome,
    write: Option<Duration>,
) -> String {
    let Outcome { statistics, limit, .. } = outcome;
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(input.parsed.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.parsed.graph.edges() as u64, "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let cut = statistics.edge_cut.unsigned_abs();
    let cut = if plan.edge_weights {
        format!("weight {}", thousands(cut))
    } else {
        count(cut, "edge", "edges")
    };
    sheet.line("edge cut", format!("{cut} between different parts"));
    let heaviest = statistics.part_weights.iter().copied().max().unwrap_or_default();
    let heaviest = thousands(heaviest.unsigned_abs());
    let (balance, most) = (statistics.balance, thousands(limit.unsigned_abs()));
    let largest = if plan.vertex_weights {
        format!("the heaviest part has weight {heaviest} of {most}")
    } else {
        format!("the largest part has {heaviest} of {most} vertices")
    };
    sheet.line("balance", format!("{balance:.4}, {largest}"));
    let boundary = count(statistics.boundary_vertices.into(), "vertex", "vertices");
    sheet.line("boundary", format!("{boundary} with a neighbor in another part"));
    sheet.line("volume", format!("{} values to send", thousands(statistics.communication_volume)));
    let seed = plan.options.seed;
    match plan.place {
        PartitionedOn::Multicore => sheet.line("steps", format!("Manoochehri's (seed {seed})")),
        _ => sheet.line("preset", format!("{} (seed {seed})", plan.options.preset.name())),
    }
    if let Some(device) = device {
        sheet.line("on", device);
    }
    if let Some(to) = &plan.output {
        sheet.line("written", to);
    }
    sheet.notes(&input.notes);
    sheet.gap();
    let Times { build, partition, on_device } = outcome.times;
    let mut times = vec![("load", input.load), ("build", build)];
    times.extend(on_device.iter().flat_map(|t| [("compile", t.compile), ("upload", t.upload)]));
    times.push(("partition", partition));
    times.extend(on_device.iter().map(|t| ("download", t.download)));
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
    /// Null with `--manoochehri` on the processor.
    preset: Option<&'static str>,
    seed: u64,
    /// Whether each edge counts as much as its weight.
    edge_weights: bool,
    /// Whether each vertex counts as much as its weight.
    vertex_weights: bool,
    /// Null on the processor.
    device: Option<&'a str>,
    /// How vertices were matched; null for Kostra's own steps on the processor.
    matching: Option<&'static str>,
    /// How vertices were moved; null for Kostra's own steps on the processor.
    refinement: Option<&'static str>,
    /// How the device sorted rows; null on the processor.
    row_sort: Option<&'static str>,
    edge_cut: i64,
    balance: f64,
    /// The most weight, or the most vertices, that a part may have.
    limit: i64,
    boundary_vertices: u32,
    communication_volume: u64,
    part_sizes: &'a [u32],
    part_weights: &'a [i64],
    output: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Trace>,
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    build: f64,
    /// Null on the processor, as are the other two times of a device.
    compile: Option<f64>,
    upload: Option<f64>,
    partition: f64,
    download: Option<f64>,
    /// Null if nothing is written.
    write: Option<f64>,
}

fn record<'a>(
    (plan, device): (&Plan, Option<&'a str>),
    input: &'a InputGraph,
    outcome: &'a Outcome,
    write: Option<Duration>,
) -> Record<'a> {
    let Outcome { statistics, limit, times, .. } = outcome;
    let of_device =
        |time: fn(DeviceTimes) -> Duration| times.on_device.map(|times| time(times).as_secs_f64());
    let [matching, refinement, row_sort] = plan.place.steps();
    let has_preset = !matches!(plan.place, PartitionedOn::Multicore);
    Record {
        input: plan.input.source.to_string(),
        vertices: input.parsed.graph.vertices(),
        edges: input.parsed.graph.edges(),
        parts: plan.options.parts,
        imbalance: plan.options.imbalance,
        preset: has_preset.then(|| plan.options.preset.name()),
        seed: plan.options.seed,
        edge_weights: plan.edge_weights,
        vertex_weights: plan.vertex_weights,
        device,
        matching,
        refinement,
        row_sort,
        edge_cut: statistics.edge_cut,
        balance: statistics.balance,
        limit: *limit,
        boundary_vertices: statistics.boundary_vertices,
        communication_volume: statistics.communication_volume,
        part_sizes: &statistics.part_sizes,
        part_weights: &statistics.part_weights,
        output: plan.output.as_ref().map(ToString::to_string),
        seconds: Seconds {
            load: input.load.as_secs_f64(),
            build: times.build.as_secs_f64(),
            compile: of_device(|times| times.compile),
            upload: of_device(|times| times.upload),
            partition: times.partition.as_secs_f64(),
            download: of_device(|times| times.download),
            write: write.map(|write| write.as_secs_f64()),
        },
        notes: &input.notes,
        trace: outcome.trace.as_ref(),
    }
}
