//! The filtration of an image, a graph or points, and its components.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use kostra::variants::{
    Births, PersistencePair, lower_star, persistence_of_graph, persistence_of_grid,
    persistence_of_points, with_float_weights,
};
use kostra_core::{EdgeList, Order, Run};
use kostra_io::{ImageFile, ImageSize, Input, PixelValues, PointOptions, read_image, read_points};

use super::EdgeEntry;
use crate::arguments::{InputArguments, NanChoice};
use crate::input::{self, InputRequest};
use crate::measure::Measure;
use crate::memory_limit::MemoryArguments;
use crate::pixels::{NeighborCount, PixelCells};
use crate::point_arguments::PointArguments;
use crate::point_search::Wanted;
use crate::points::PointRequest;
use crate::progress::Stage;
use crate::report::count;

/// What the input is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    Image,
    Graph,
    Points,
}

impl Kind {
    /// What an input of this name is.
    pub(super) fn by_name(name: &OsStr) -> anyhow::Result<Self> {
        if name.to_str().is_some_and(|name| name.starts_with(input::GENERATED)) {
            return Ok(Self::Graph);
        }
        let lower = name.to_string_lossy().to_lowercase();
        let inside = lower.trim_end_matches(".zip").trim_end_matches(".gz");
        match kostra_io::extension(Path::new(inside)).as_deref() {
            Some("png" | "tif" | "tiff" | "hgt") => Ok(Self::Image),
            _ => bail!(
                "{}: is this a graph, a file of points, or an image? pass `--of graph`, \
                 `--of points` or `--of image`",
                name.display()
            ),
        }
    }
}

/// When things enter, as the user typed it.
pub(super) struct Filtration {
    pub(super) order: Order,
    pub(super) neighbors: Option<NeighborCount>,
    pub(super) metric: Option<Measure>,
    pub(super) edges: Option<EdgeEntry>,
    pub(super) heights: Option<Input>,
}

/// The components of an input.
pub(super) struct Found {
    pub(super) pairs: Vec<PersistencePair>,
    /// What the input is, in words.
    pub(super) what: (&'static str, String),
    /// The cells of an image.
    pub(super) cells: Option<PixelCells>,
    pub(super) names: Option<Vec<String>>,
    pub(super) load: Duration,
    pub(super) solve: Duration,
}

impl Filtration {
    /// Reads the input, and finds the components.
    pub(super) fn find(&self, kind: Kind, input: InputArguments) -> anyhow::Result<Found> {
        if kind != Kind::Image && self.neighbors.is_some() {
            bail!("`--connectivity` applies to images; omit it");
        }
        if kind != Kind::Points && self.metric.is_some() {
            bail!("`--metric` applies to points; omit it");
        }
        if kind != Kind::Graph && (self.heights.is_some() || self.edges.is_some()) {
            bail!("`--heights` and `--edges` apply to graphs; omit them");
        }
        match kind {
            Kind::Image => self.of_image(input),
            Kind::Graph => self.of_graph(input),
            Kind::Points => self.of_points(input),
        }
    }

    fn of_image(&self, arguments: InputArguments) -> anyhow::Result<Found> {
        let source = input::file(&arguments.input);
        let threads = InputRequest::resolve(arguments, NanChoice::Error).threads.wanted();
        let start = Instant::now();
        let stage = Stage::start(&format!("reading {source}"));
        let progress = |done: kostra_io::Progress| stage.bytes(done.bytes, done.of);
        let image = read_image(&source, &admit, &progress)?;
        drop(stage);
        let load = start.elapsed();
        let _stage = Stage::start("finding the components");
        let named = || source.to_string();
        let cells = PixelCells::of(&image, self.neighbors, None).with_context(named)?;
        let start = Instant::now();
        let mut run = Run::new().on_threads(threads);
        let grid = &cells.grid;
        let pairs = match &image.values {
            PixelValues::Single(values) => {
                let values = gray(values, &image, &cells).with_context(named)?;
                persistence_of_grid(grid, &values, self.order, &mut run)
            }
            PixelValues::Double(values) => {
                let values = gray(values, &image, &cells).with_context(named)?;
                persistence_of_grid(grid, &values, self.order, &mut run)
            }
        }
        .with_context(named)?;
        let solve = start.elapsed();
        let what = ("image", cells.described(image.format));
        Ok(Found { pairs, what, cells: Some(cells), names: None, load, solve })
    }

    fn of_graph(&self, arguments: InputArguments) -> anyhow::Result<Found> {
        let request = InputRequest::resolve(arguments, NanChoice::Error);
        let mut input = request.load()?;
        let named = || request.source.to_string();
        let heights = self.heights.as_ref().map(read_heights).transpose()?;
        if heights.is_some() && input.parsed.names.is_some() {
            bail!(
                "{}: the vertices have names, and `--heights` is in the order of numbers; number \
                 the vertices from 0",
                request.source
            );
        }
        let start = Instant::now();
        let _stage = Stage::start("finding the components");
        let (graph, threads) = (&input.parsed.graph, request.threads.wanted());
        let enters_with_ends = self.edges == Some(EdgeEntry::Ends);
        let pairs = match &heights {
            Some(heights) if enters_with_ends => {
                ensure!(
                    heights.len() == graph.vertices() as usize,
                    "{} values of `--heights` are not one for each of {}",
                    heights.len(),
                    count(graph.vertices().into(), "vertex", "vertices")
                );
                let star = lower_star(graph.u(), graph.v(), heights, self.order)?;
                self.solve(&star, Some(heights), threads)
            }
            None if enters_with_ends => {
                bail!("with `--edges ends`, pass the values of the vertices with `--heights`")
            }
            _ => self.solve(&with_float_weights(graph)?, heights.as_deref(), threads),
        };
        request.refuse_changes(&input)?;
        let vertices = count(graph.vertices().into(), "vertex", "vertices");
        let edges = count(graph.edges() as u64, "edge", "edges");
        Ok(Found {
            pairs: pairs.with_context(named)?,
            what: ("graph", format!("{vertices}, {edges}")),
            cells: None,
            names: input.parsed.names.take(),
            load: input.load,
            solve: start.elapsed(),
        })
    }

    /// The components of a graph whose edges enter at their weights.
    fn solve(
        &self,
        graph: &EdgeList<f64>,
        heights: Option<&[f64]>,
        threads: usize,
    ) -> anyhow::Result<Vec<PersistencePair>> {
        let births = heights.map_or(Births::At(0.0), Births::Values);
        let mut run = Run::new().on_threads(threads);
        let pairs = persistence_of_graph(graph, births, self.order, &mut run);
        match heights {
            Some(_) => Ok(pairs?),
            None => pairs.context("vertices enter at 0 unless `--heights` says otherwise"),
        }
    }

    fn of_points(&self, arguments: InputArguments) -> anyhow::Result<Found> {
        ensure!(
            self.order == Order::Minimum,
            "points are joined from the shortest distance on; omit `--superlevel`"
        );
        let arguments = PointArguments::of_table(arguments, self.metric)?;
        let request = PointRequest::resolve(arguments, Vec::new())?;
        let solved = request.solve(Wanted::MutualReachability(1))?;
        let start = Instant::now();
        let pairs = persistence_of_points(&solved.tree)?;
        let steps = solved.times.steps();
        let took = |name: &str| {
            steps.iter().filter(|step| step.0 == name).map(|step| step.1).sum::<Duration>()
        };
        let points = count(solved.tree.len.into(), "point", "points");
        Ok(Found {
            pairs,
            what: ("points", format!("{points}, {} metric", request.metric.name())),
            cells: None,
            names: solved.point_names.clone(),
            load: took("load"),
            solve: took("solve") + start.elapsed(),
        })
    }
}

/// Refuses an image whose components take too much memory.
fn admit(size: ImageSize) -> Result<(), String> {
    // The values, the first neighbors, the numbers of basins, and pairs in different basins.
    let bytes = size.values.saturating_mul(size.value_bytes * 3 + 4 * 4);
    let work = format!("finding the components of {}", count(size.values, "value", "values"));
    MemoryArguments::default().admit(&work, bytes, "divide the image into tiles")
}

/// The one value of each cell. An image in colors is gray if the colors of each pixel are equal and
/// all pixels are opaque.
fn gray<'a, T: Copy + PartialEq + Into<f64>>(
    values: &'a [T],
    image: &ImageFile,
    cells: &PixelCells,
) -> anyhow::Result<std::borrow::Cow<'a, [T]>> {
    if let Some(unknown) = image.unknown {
        let places = values.iter().filter(|&&value| value.into() == unknown).count();
        ensure!(
            places == 0,
            "{} unknown; fill them in, because they would count as the lowest values",
            if places == 1 { "a value is".to_owned() } else { format!("{places} values are") }
        );
    }
    if cells.channels == 1 {
        return Ok(values.into());
    }
    let has_opacity = matches!(cells.channels, 2 | 4);
    let is_gray = |pixel: &[T]| {
        let (colors, opacity) = pixel.split_at(pixel.len() - usize::from(has_opacity));
        colors.iter().all(|color| *color == colors[0])
            && opacity.iter().all(|&opacity| !image.is_bytes || opacity.into() == 255.0)
    };
    ensure!(
        image.axes == kostra_io::ImageAxes::Image && values.chunks(cells.channels).all(is_gray),
        "a pixel has {} values; save the image in gray, or one of its channels",
        cells.channels
    );
    Ok(values.iter().step_by(cells.channels).copied().collect::<Vec<_>>().into())
}

fn read_heights(file: &Input) -> anyhow::Result<Vec<f64>> {
    let stage = Stage::start(&format!("reading {file}"));
    let progress = |done: kostra_io::Progress| stage.bytes(done.bytes, done.of);
    let table = read_points(file, &PointOptions::default(), &progress)?;
    ensure!(
        table.dimensions == 1,
        "{file}: a row has {} values; keep one column",
        table.dimensions
    );
    Ok(table.coordinates)
}
