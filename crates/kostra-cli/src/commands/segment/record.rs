//! The report of `kostra segment`.

use std::time::Duration;

use kostra_io::ImageFile;
use kostra_points::cluster::Segments;
use serde::Serialize;

use super::values::unknown;
use super::{Cells, Plan};
use crate::report::{Sheet, count, count_of_sizes, thousands};

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
    pub(super) scale: f64,
    min_size: u32,
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
    pub(super) fn new(plan: &Plan, image: &ImageFile, cells: &Cells, segments: &Segments) -> Self {
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
            min_size: plan.min_size,
            segments: segments.segments,
            smallest: sizes.iter().copied().min().unwrap_or_default(),
            largest: sizes.iter().copied().max().unwrap_or_default(),
            output: plan.output.as_ref().map(|(to, _)| to.to_string()),
            ..Self::default()
        }
    }
}

pub(super) fn sheet(record: &Record, cells: &Cells) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let mut lengths: Vec<_> = record.shape.iter().map(|&length| thousands(length as u64)).collect();
    lengths.reverse(); // width x height, as people say
    let [pixel, pixels] = match cells.is_volume {
        true => ["cell", "cells"],
        false => ["pixel", "pixels"],
    };
    let values = match record.channels {
        1 => String::new(),
        channels => format!(" of {channels} values"),
    };
    sheet.line("image", format!("{} {pixels}{values} ({})", lengths.join(" x "), record.format));
    if record.unknown > 0 {
        let unknown = count(record.unknown, "value", "values");
        sheet.line("unknown", format!("{unknown}, treated as one number"));
    }
    let edges = count(record.edges as u64, "edge", "edges");
    sheet.line("graph", format!("{edges}, connectivity {}", record.connectivity));
    sheet.line("scale", record.scale);
    sheet.line("least size", count(record.min_size.into(), pixel, pixels));
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
    let mut times = vec![("load", load), ("build", build), ("segment", segment)];
    times.extend(write.map(|write| ("write", write)));
    let times: Vec<_> =
        times.into_iter().map(|(step, time)| (step, Duration::from_secs_f64(time))).collect();
    sheet.times(&times);
    format!("Segments of {}\n{sheet}", record.input)
}
