//! The report of `kostra arborescence`, for people and as JSON.

use kostra_core::Order;
use serde::Serialize;

use super::{MOST_NAMED, Outcome, name};
use crate::forest_file::Destination;
use crate::input::{self, InputGraph, InputRequest};
use crate::report::{self, JsonNumber, Sheet, count};

/// The report as JSON.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    input: String,
    format: &'static str,
    weight_type: &'static str,
    vertices: u32,
    edges: usize,
    forest_edges: usize,
    total_weight: JsonNumber,
    maximum: bool,
    /// The roots of the trees, by name or number.
    roots: Vec<String>,
    /// Null if nobody asked for the proof.
    verified: Option<bool>,
    output: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    solve: f64,
    verify: Option<f64>,
    write: Option<f64>,
}

impl<'a> Record<'a> {
    pub(super) fn new(
        (request, to): (&InputRequest, Option<&Destination>),
        input: &'a InputGraph,
        outcome: &Outcome,
    ) -> Self {
        let Outcome { found, order, solve, verify, write } = outcome;
        let graph = &input.parsed.graph;
        Self {
            input: request.source.to_string(),
            format: input::format_id(input.format),
            weight_type: graph.weight_type().name(),
            vertices: graph.vertices(),
            edges: graph.edges(),
            forest_edges: found.ids().len(),
            total_weight: JsonNumber(found.total()),
            maximum: *order == Order::Maximum,
            roots: found.roots().iter().map(|&root| name(input, root)).collect(),
            verified: verify.map(|_| true),
            output: to.map(|to| to.output.to_string()),
            seconds: Seconds {
                load: input.load.as_secs_f64(),
                solve: solve.as_secs_f64(),
                verify: verify.map(|time| time.as_secs_f64()),
                write: write.map(|time| time.as_secs_f64()),
            },
            notes: &input.notes,
        }
    }
}

pub(super) fn sheet(record: &Record<'_>, outcome: &Outcome, input: &InputGraph) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(record.vertices.into(), "vertex", "vertices");
    sheet.line("graph", format!("{vertices}, {}", count(record.edges as u64, "edge", "edges")));
    let storage = input::storage(input.format, input.compression);
    sheet.line("read as", format!("{storage}, {} weights", record.weight_type));
    let edges = count(record.forest_edges as u64, "edge", "edges");
    let trees = count(record.roots.len() as u64, "tree", "trees");
    sheet.line("forest", format!("{edges}, {trees}"));
    sheet.line("total weight", report::weight(outcome.found.total()));
    let roots = &record.roots;
    let mut listed = roots.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if roots.len() > MOST_NAMED {
        listed += &format!(" and {} more", roots.len() - MOST_NAMED);
    }
    if !roots.is_empty() {
        sheet.line(if roots.len() == 1 { "root" } else { "roots" }, listed);
    }
    if record.verified.is_some() {
        sheet.line("verified", "yes, by the duals of Edmonds' algorithm");
    }
    if let Some(to) = &record.output {
        sheet.line("written", to);
    }
    sheet.notes(record.notes);
    sheet.gap();
    let mut times = vec![("load", input.load), ("solve", outcome.solve)];
    times.extend(outcome.verify.map(|verify| ("verify", verify)));
    times.extend(outcome.write.map(|write| ("write", write)));
    sheet.times(&times);
    let kind = if record.maximum { "Maximum" } else { "Minimum" };
    let what = if roots.len() == 1 { "arborescence" } else { "forest of arborescences" };
    format!("{kind} spanning {what} of {}\n{sheet}", record.input)
}
