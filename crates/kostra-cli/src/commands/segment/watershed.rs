//! Segments along watersheds.

use std::time::Instant;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use kostra::variants::{
    GridRelief, Regional, Relief, important_regions, watershed_hierarchy, watershed_of_grid,
};
use kostra::{DeviceChoice, Solve};
use kostra_core::{AnyGraph, EdgeList, Run, default_threads};
use kostra_io::{Input, PixelValues, read_image};
use kostra_points::cluster::Segments;
use kostra_points::grid::Value;

use super::Divided;
use crate::pixels::PixelCells;
use crate::progress::Stage;

/// What is flooded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReliefChoice {
    /// The differences of neighbors
    Differences,
    /// The values, such as heights or a map of boundaries
    Heights,
}

impl ReliefChoice {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Differences => "differences",
            Self::Heights => "heights",
        }
    }

    fn relief(self) -> Relief {
        match self {
            Self::Differences => Relief::Differences,
            Self::Heights => Relief::Heights,
        }
    }
}

/// What makes a minimum important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AttributeChoice {
    /// The height at which it meets another one
    Altitude,
    /// Its depth below the meeting
    Dynamics,
    /// The number of its pixels
    Area,
    /// The water that it holds
    Volume,
}

impl AttributeChoice {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Altitude => "altitude",
            Self::Dynamics => "dynamics",
            Self::Area => "area",
            Self::Volume => "volume",
        }
    }

    fn attribute(self) -> Regional {
        match self {
            Self::Altitude => Regional::Altitude,
            Self::Dynamics => Regional::Dynamics,
            Self::Area => Regional::Area,
            Self::Volume => Regional::Volume,
        }
    }
}

/// Reads the label of each cell.
pub(super) fn read_markers(file: &Input, cells: &PixelCells) -> anyhow::Result<Vec<u32>> {
    let stage = Stage::start(&format!("reading {file}"));
    let progress = |done: kostra_io::Progress| stage.bytes(done.bytes, done.of);
    let image = read_image(file, &|_| Ok(()), &progress)?;
    let wanted = &cells.shape[usize::from(!cells.is_volume)..];
    ensure!(
        image.shape == wanted,
        "{file}: the markers have the shape {:?}, and the image has {wanted:?}; one label for each \
         pixel is needed, in gray",
        image.shape
    );
    let label = |(cell, value): (usize, f64)| {
        let is_label = value >= 0.0 && value <= f64::from(i32::MAX) && value.fract() == 0.0;
        ensure!(
            is_label,
            "{file}: the marker of pixel {cell} is {value}; labels are integers from 0 (no marker) \
             to {}",
            i32::MAX
        );
        Ok(value as u32)
    };
    match &image.values {
        PixelValues::Single(values) => {
            values.iter().map(|&v| v.into()).enumerate().map(label).collect()
        }
        PixelValues::Double(values) => values.iter().copied().enumerate().map(label).collect(),
    }
}

fn check_channels(relief: ReliefChoice, cells: &PixelCells) -> anyhow::Result<()> {
    ensure!(
        relief == ReliefChoice::Differences || cells.channels == 1,
        "a pixel has {} values, which are no height; save the image in gray, or pass `--watershed` \
         for the differences",
        cells.channels
    );
    Ok(())
}

/// The segments that grow from markers.
pub(super) fn from_markers<T: Value>(
    relief: ReliefChoice,
    values: &[T],
    cells: &PixelCells,
    markers: &[u32],
) -> anyhow::Result<Divided> {
    check_channels(relief, cells)?;
    let start = Instant::now();
    let _stage = Stage::start("finding the watershed");
    let mut run = Run::new().on_threads(default_threads());
    let field =
        GridRelief { grid: &cells.grid, values, channels: cells.channels, relief: relief.relief() };
    let mut labels = watershed_of_grid(&field, markers, &mut run)?;
    // A grid is connected, so every pixel has a label, and every label has a pixel.
    let mut names: Vec<_> = markers.iter().copied().filter(|&label| label != 0).collect();
    names.sort_unstable();
    names.dedup();
    let number = |label: u32| names.partition_point(|&name| name < label) as u32;
    for run in labels.chunk_by_mut(|one, next| one == next) {
        let number = number(run[0]);
        run.fill(number);
    }
    let segments = Segments { labels, segments: names.len() as u32 };
    let times = [std::time::Duration::ZERO, start.elapsed()];
    Ok(Divided { segments, names: Some(names), scale: None, times })
}

/// The segments of the most important minima.
pub(super) fn from_minima<T: Value>(
    relief: ReliefChoice,
    values: &[T],
    cells: &PixelCells,
    (segments, attribute): (u32, AttributeChoice),
) -> anyhow::Result<Divided>
where
    AnyGraph: From<EdgeList<T>>,
{
    check_channels(relief, cells)?;
    let start = Instant::now();
    let _stage = Stage::start("finding the watershed");
    let graph = match relief {
        ReliefChoice::Differences => cells.grid.differences(values, cells.channels)?,
        ReliefChoice::Heights => cells.grid.higher_values(values)?,
    };
    let build = start.elapsed();
    let graph = AnyGraph::from(graph);
    let solve = Solve::new().device(DeviceChoice::Processor).threads(default_threads());
    let forest = solve.run_any(&graph)?.forest.into_ids();
    let labels = kostra_core::with_graph!(&graph, graph => {
        let graph = graph.edge_list();
        let weights = watershed_hierarchy(graph, &forest, attribute.attribute(), &[])?;
        important_regions(graph, &forest, &weights, segments).context("`--segments`")?
    });
    let segments = Segments { labels, segments };
    let times = [build, start.elapsed() - build];
    Ok(Divided { segments, names: None, scale: None, times })
}
