//! `kostra draw`: draws a graph with its forest.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Parser, ValueHint};
use kostra::picture::{BOTTLENECKS, Picture, PictureFormat, Shown};
use kostra::{DeviceChoice, Solve};
use kostra_core::{AnyGraph, EdgeId, Order, UnionFind};
use kostra_io::{Input, Output};

use crate::arguments::{LimitedInput, NanChoice};
use crate::command::{Answer, Command};
use crate::input::{InputGraph, InputRequest};
use crate::progress::Stage;
use crate::report::{Sheet, count};
use crate::{file_roles, forest_file, input, output};

/// Draw a graph with its forest.
#[derive(Parser)]
#[command(
    name = "draw",
    after_help = "\
Examples:
  kostra draw gen:road:n=5000 -o city.svg
  kostra draw city.osm.pbf -o city.html          a page that pans and zooms
  kostra draw roads.gr.gz forest.txt -o roads.png --size 3000

The forest has one color per component; five colors repeat. Its heaviest edges,
the bottlenecks, are wide and vermilion, and the other edges of the graph gray. A
graph without coordinates gets a layout: each tree around its center. An .svg shows the names
of vertices where there is room."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: LimitedInput,

    /// The forest, in a format that `kostra solve -o` writes; `-` for standard input [default: the
    /// command finds it]
    #[arg(value_hint = ValueHint::FilePath)]
    forest: Option<OsString>,

    /// The picture: a file with the extension .svg, .png or .html
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,

    /// The number of bottlenecks: the heaviest edges of the forest
    #[arg(long, value_name = "N", default_value_t = BOTTLENECKS)]
    bottlenecks: usize,

    /// Leave out the edges outside the forest
    #[arg(long)]
    forest_only: bool,

    /// The pixels on the longer side of a PNG [default: 1600]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=20_000))]
    size: Option<u32>,

    /// Draw the maximum spanning forest; its bottlenecks are its lightest edges
    #[arg(long)]
    maximum: bool,

    /// Print no report
    #[arg(long, short)]
    quiet: bool,
}

/// What the arguments mean.
struct Plan {
    input: InputRequest,
    forest: Option<Input>,
    output: Output,
    format: PictureFormat,
    order: Order,
    bottlenecks: usize,
    forest_only: bool,
    size: Option<u32>,
    quiet: bool,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let format = PictureFormat::by_path(&arguments.output)?;
        if arguments.size.is_some() && format != PictureFormat::Png {
            anyhow::bail!("`--size` has no effect on this format; omit it, or write a .png file");
        }
        let plan = Self {
            input: InputRequest::resolve(arguments.input.apply()?, NanChoice::Error),
            forest: arguments.forest.as_deref().map(input::file),
            output: output::parse_path(&arguments.output),
            format,
            order: if arguments.maximum { Order::Maximum } else { Order::Minimum },
            bottlenecks: arguments.bottlenecks,
            forest_only: arguments.forest_only,
            size: arguments.size,
            quiet: arguments.quiet,
        };
        plan.output.check()?;
        file_roles::check(
            &[("graph", plan.input.source.file()), ("forest", plan.forest.as_ref())],
            &[("picture", Some(&plan.output))],
        )?;
        Ok(plan)
    }

    /// Reads the forest, or finds it.
    fn forest(&self, graph: &InputGraph) -> anyhow::Result<Vec<EdgeId>> {
        let Some(file) = &self.forest else {
            let _stage = Stage::start("solving");
            let threads = self.input.threads.wanted();
            let solve = Solve::new().device(DeviceChoice::Processor).threads(threads);
            let solved = solve.order(self.order).run_any(&graph.parsed.graph)?;
            return Ok(solved.forest.into_ids());
        };
        let ids = forest_file::read(file, graph)?;
        let edges = graph.parsed.graph.edges();
        if let Some(edge) = ids.iter().find(|&&edge| edge as usize >= edges) {
            let has = count(edges as u64, "edge", "edges");
            anyhow::bail!(
                "{file}: the forest has edge {edge}, and the graph has {has}; this is a forest of \
                 another graph"
            );
        }
        match first_cycle(&graph.parsed.graph, &ids) {
            None => Ok(ids),
            Some(edge) => {
                Err(anyhow::anyhow!("edge {edge} closes a cycle; name a forest of the graph"))
                    .with_context(|| file.to_string())
            }
        }
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        let input = plan.input.load()?;
        if plan.forest.is_none() {
            input.warn_of_order(plan.order);
        }
        let start = Instant::now();
        let forest = plan.forest(&input)?;
        let solve = start.elapsed();
        let start = Instant::now();
        let stage = Stage::start("drawing");
        let shown = Shown {
            graph: &input.parsed.graph,
            forest: &forest,
            order: plan.order,
            bottlenecks: plan.bottlenecks,
            coordinates: input.parsed.coordinates.as_ref(),
            names: input.parsed.names.as_deref(),
        };
        let mut picture = Picture::new(&shown)
            .title(plan.input.source.to_string())
            .threads(plan.input.threads.wanted());
        if let Some(pixels) = plan.size {
            picture = picture.side(pixels);
        }
        if plan.forest_only {
            picture = picture.forest_only();
        }
        plan.input.refuse_changes(&input)?;
        output::write_lines(&plan.output, |to| picture.write(plan.format, to))?;
        drop(stage);
        if !plan.quiet {
            output::print(&sheet(&plan, &input, &picture, [solve, start.elapsed()]))?;
        }
        Ok(Answer::Yes)
    }
}

/// Whether these edges have no cycle; the first edge that closes one, if not.
fn first_cycle(graph: &AnyGraph, ids: &[EdgeId]) -> Option<EdgeId> {
    let mut sets = UnionFind::new(graph.vertices());
    let closes = |&edge: &EdgeId| !sets.union(graph.u()[edge as usize], graph.v()[edge as usize]);
    ids.iter().copied().find(closes)
}

/// The report. `solve` is the time to read or to find the forest.
fn sheet(
    plan: &Plan,
    input: &InputGraph,
    picture: &Picture,
    [solve, draw]: [Duration; 2],
) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(input.parsed.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.parsed.graph.edges() as u64, "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let places =
        if input.parsed.coordinates.is_some() { "coordinates of the input" } else { "a layout" };
    sheet.line("places", places);
    for (color, name) in picture.legend() {
        sheet.line(color, name);
    }
    sheet.line("written", &plan.output);
    if picture.left_out() > 0 {
        let missing = count(picture.left_out() as u64, "vertex", "vertices");
        sheet.line("left out", format!("{missing} without coordinates, and their edges"));
    }
    sheet.notes(&input.notes);
    sheet.gap();
    if plan.forest.is_some() {
        sheet.times(&[("load", input.load + solve), ("write", draw)]);
    } else {
        sheet.times(&[("load", input.load), ("solve", solve), ("write", draw)]);
    }
    format!("Drawing of {}\n{sheet}", plan.input.source)
}
