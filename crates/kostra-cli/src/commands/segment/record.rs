//! The report of `kostra segment`.

use std::time::Duration;

use kostra_io::ImageFile;
use serde::Serialize;

use super::values::unknown;
use super::{Criterion, Divided, Plan};
use crate::pixels::PixelCells;
use crate::report::{Sheet, count, count_of_sizes};

/// The report as JSON.
#[derive(Default, Serialize)]
pub(super) struct Record {
    input: String,
    format: &'static str,
    /// The height and the width; for a volume, the depth before them.
    shape: Vec<usize>,
    channels: usize,
    /// The number of values that the file says are unknown.
    unknown: u64,
    connectivity: u32,
    edges: usize,
    /// Null for a watershed.
    scale: Option<f64>,
    min_size: Option<u32>,
    /// What is flooded: null, if this is no watershed.
    watershed: Option<&'static str>,
    /// The file of the markers, or what makes a minimum important.
    markers: Option<String>,
    by: Option<&'static str>,
    segments: u32,
    smallest: u64,
    largest: u64,
    output: Option<String>,
    pub(super) seconds: Seconds,
}

#[derive(Default, Serialize)]
pub(super) struct Seconds {
    pub(super) load: f64,
    pub(super) build: f64,
    pub(super) segment: f64,
    /// Null if nothing is written.
    pub(super) write: Option<f64>,
}

impl Record {
    pub(super) fn new(
        plan: &Plan,
        image: &ImageFile,
        cells: &PixelCells,
        divided: &Divided,
    ) -> Self {
        let segments = &divided.segments;
        let mut sizes = vec![0; segments.segments as usize];
        segments.labels.iter().for_each(|&label| sizes[label as usize] += 1);
        Self {
            input: plan.source.to_string(),
            format: image.format,
            shape: cells.shape[usize::from(!cells.is_volume)..].to_vec(),
            channels: cells.channels,
            unknown: unknown(image),
            connectivity: cells.neighbors.number(),
            edges: cells.grid.edges(),
            scale: divided.scale,
            segments: segments.segments,
            smallest: sizes.iter().copied().min().unwrap_or_default(),
            largest: sizes.iter().copied().max().unwrap_or_default(),
            output: plan.output.as_ref().map(|(to, _)| to.to_string()),
            ..Self::of_criterion(&plan.criterion)
        }
    }

    fn of_criterion(criterion: &Criterion) -> Self {
        match criterion {
            &Criterion::Contrast { min_size, .. } => {
                Self { min_size: Some(min_size), ..Self::default() }
            }
            Criterion::Markers(relief, markers) => Self {
                watershed: Some(relief.name()),
                markers: Some(markers.to_string()),
                ..Self::default()
            },
            Criterion::Minima { relief, attribute, .. } => Self {
                watershed: Some(relief.name()),
                by: Some(attribute.name()),
                ..Self::default()
            },
        }
    }
}

pub(super) fn sheet(record: &Record, cells: &PixelCells) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let [pixel, pixels] = match cells.is_volume {
        true => ["cell", "cells"],
        false => ["pixel", "pixels"],
    };
    sheet.line("image", cells.described(record.format));
    if record.unknown > 0 {
        let unknown = count(record.unknown, "value", "values");
        sheet.line("unknown", format!("{unknown}, treated as one number"));
    }
    let edges = count(record.edges as u64, "edge", "edges");
    sheet.line("graph", format!("{edges}, connectivity {}", record.connectivity));
    if let Some(scale) = record.scale {
        sheet.line("scale", scale);
    }
    if let Some(size) = record.min_size {
        sheet.line("least size", count(size.into(), pixel, pixels));
    }
    if let Some(relief) = record.watershed {
        let of = match (&record.markers, record.by) {
            (Some(markers), _) => format!("from the markers of {markers}"),
            (None, by) => format!("from minima, the most important by {}", by.unwrap_or_default()),
        };
        sheet.line("watershed", format!("of {relief}, {of}"));
    }
    let segments = count_of_sizes(
        record.segments.into(),
        ["segment", "segments"],
        [record.smallest, record.largest],
        [pixel, pixels],
    );
    sheet.line("segments", segments);
    if let Some(to) = &record.output {
        sheet.line("written", to);
    }
    sheet.gap();
    let Seconds { load, build, segment, write } = record.seconds;
    let mut times = vec![("load", load)];
    times.extend((build > 0.0).then_some(("build", build)));
    times.push(("segment", segment));
    times.extend(write.map(|write| ("write", write)));
    let times: Vec<_> =
        times.into_iter().map(|(step, time)| (step, Duration::from_secs_f64(time))).collect();
    sheet.times(&times);
    format!("Segments of {}\n{sheet}", record.input)
}
