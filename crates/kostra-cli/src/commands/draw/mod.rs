//! `kostra draw`: draws a graph with its forest.

mod html;
mod layout;
mod picture;
mod png;
mod style;
mod svg;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Parser, ValueHint};
use kostra::io::{Input, Output};
use kostra_core::{AnyGraph, Coordinates, EdgeId, Order};

use self::picture::{Picture, Shown};
use crate::arguments::{InputArguments, Nan};
use crate::command::{Answer, Command};
use crate::input::{Graph, Request};
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
graph without coordinates gets a layout: each tree around its center."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

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

/// The side of a PNG without `--size`.
const SIZE: u32 = 1600;
/// The number of marked edges without `--bottlenecks`.
const BOTTLENECKS: usize = 10;

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Lines, with a legend.
    Svg,
    /// Pixels.
    Png,
    /// A page that pans and zooms.
    Html,
}

impl PictureFormat {
    /// The format with this name, which is its extension.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            "html" => Some(Self::Html),
            _ => None,
        }
    }

    fn by_extension(path: &Path) -> anyhow::Result<Self> {
        output::extension(path).as_deref().and_then(Self::named).with_context(|| {
            let path = path.display();
            format!("{path}: no picture format has this extension; use .svg, .png or .html")
        })
    }

    /// Writes a picture. `size` and `threads` apply to PNG.
    fn write(
        self,
        picture: &Picture,
        size: u32,
        threads: usize,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Self::Svg => svg::write(picture, to),
            Self::Png => png::write(picture, size, threads, to),
            Self::Html => html::write(picture, to),
        }
    }
}

/// The places of the vertices: their coordinates, or a layout of the forest.
fn places(graph: &AnyGraph, forest: &[EdgeId], coordinates: Option<&Coordinates>) -> Vec<[f64; 2]> {
    coordinates.map_or_else(
        || {
            let ends = |&edge: &EdgeId| (graph.u()[edge as usize], graph.v()[edge as usize]);
            let ends: Vec<_> = forest.iter().map(ends).collect();
            layout::layout(graph.vertices() as usize, &ends)
        },
        picture::plane,
    )
}

/// A picture of a forest, as `kostra draw` writes it. `edges` has all vertices, and the edges of
/// the forest. Without coordinates, the vertices have a layout.
///
/// # Errors
/// When the picture cannot be held.
pub fn draw_forest(
    edges: &AnyGraph,
    order: Order,
    coordinates: Option<&Coordinates>,
    format: PictureFormat,
) -> io::Result<Vec<u8>> {
    let forest: Vec<_> = (0..edges.edges() as EdgeId).collect();
    let shown = Shown { graph: edges, forest: &forest, order, bottlenecks: BOTTLENECKS };
    let title = match order {
        Order::Minimum => "Minimum spanning forest",
        Order::Maximum => "Maximum spanning forest",
    };
    let picture = Picture::new(title.to_owned(), &shown, &places(edges, &forest, coordinates));
    let mut bytes = Vec::new();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    format.write(&picture, SIZE, threads, &mut bytes)?;
    Ok(bytes)
}

/// What the arguments mean.
struct Plan {
    input: Request,
    forest: Option<Input>,
    output: Output,
    format: PictureFormat,
    order: Order,
    bottlenecks: usize,
    size: u32,
    quiet: bool,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let format = PictureFormat::by_extension(&arguments.output)?;
        if arguments.size.is_some() && format != PictureFormat::Png {
            anyhow::bail!("`--size` has no effect on this format; omit it, or write a .png file");
        }
        let plan = Self {
            input: Request::resolve(arguments.input, Nan::Error),
            forest: arguments.forest.as_deref().map(input::file),
            output: output::parse_path(&arguments.output),
            format,
            order: if arguments.maximum { Order::Maximum } else { Order::Minimum },
            bottlenecks: arguments.bottlenecks,
            size: arguments.size.unwrap_or(SIZE),
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
    fn forest(&self, graph: &Graph) -> anyhow::Result<Vec<EdgeId>> {
        let Some(file) = &self.forest else {
            let _stage = Stage::start("solving");
            let threads = self.input.threads.wanted();
            return Ok(picture::solve(&graph.parsed.graph, self.order, threads)?.into_ids());
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
        match picture::first_cycle(&graph.parsed.graph, &ids) {
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
        let places = places(&input.parsed.graph, &forest, input.parsed.coordinates.as_ref());
        let shown = Shown {
            graph: &input.parsed.graph,
            forest: &forest,
            order: plan.order,
            bottlenecks: plan.bottlenecks,
        };
        let picture = Picture::new(plan.input.source.to_string(), &shown, &places);
        plan.input.refuse_changes(&input)?;
        let threads = plan.input.threads.wanted();
        output::write_lines(&plan.output, |to| {
            plan.format.write(&picture, plan.size, threads, to)
        })?;
        drop(stage);
        let missing = places.iter().filter(|place| !place.iter().all(|x| x.is_finite())).count();
        if !plan.quiet {
            output::print(&sheet(&plan, &input, &picture, (missing, [solve, start.elapsed()])))?;
        }
        Ok(Answer::Yes)
    }
}

/// The report. `missing` is the number of vertices without coordinates. `solve` is the time to read
/// or to find the forest.
fn sheet(
    plan: &Plan,
    input: &Graph,
    picture: &Picture,
    (missing, [solve, draw]): (usize, [Duration; 2]),
) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(input.parsed.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.parsed.graph.edges() as u64, "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let places =
        if input.parsed.coordinates.is_some() { "coordinates of the input" } else { "a layout" };
    sheet.line("places", places);
    for layer in picture.layers.iter().filter(|layer| !layer.name.is_empty()) {
        sheet.line(layer.color, &layer.name);
    }
    sheet.line("written", &plan.output);
    if missing > 0 {
        let missing = count(missing as u64, "vertex", "vertices");
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
