//! The report of `kostra alternatives`, for people and as JSON.

use kostra::variants::BigUint;
use kostra_core::{EdgeId, Order, Total, on_one_line};
use serde::Serialize;

use super::{Outcome, Plan};
use crate::input::{self, InputGraph};
use crate::report::{self, Heading, JsonNumber, Sheet, count, thousands};
use crate::verdict::excess;

/// The most digits of a number of forests that is shown in full.
const DIGITS: usize = 30;
/// The most edges of a forest in a row of the table.
const SHOWN: usize = 4;

fn kind(order: Order) -> &'static str {
    match order {
        Order::Minimum => "minimum",
        Order::Maximum => "maximum",
    }
}

pub(super) fn sheet(plan: &Plan, input: &InputGraph, outcome: &Outcome) -> String {
    let (graph, forest) = (&input.parsed.graph, &outcome.forest);
    let edges = |number: usize| count(number as u64, "edge", "edges");
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(graph.vertices().into(), "vertex", "vertices");
    sheet.line("graph", format!("{vertices}, {}", edges(graph.edges())));
    let storage = input::storage(input.format, input.compression);
    sheet.line("read as", format!("{storage}, {} weights", graph.weight_type()));
    let total = report::weight(forest.total());
    let components = count(forest.components().into(), "component", "components");
    let size = edges(forest.ids().len());
    sheet.line("forest", format!("{size}, total weight {total}, {components}"));
    let kind = kind(plan.order);
    let unique = if outcome.alternatives.is_unique() { "yes" } else { "no" };
    sheet.line("unique", unique);
    match &outcome.number {
        Ok(number) => {
            let noun = if *number == 1_u32.into() { "forest" } else { "forests" };
            sheet.line("number", format!("{} {kind} spanning {noun}", shown(number)));
        }
        Err(error) => sheet.line("number", format!("unknown: {error}; pass `--count`")),
    }
    let in_every = in_every(outcome);
    let (tied, network) = (outcome.network.len() - in_every, outcome.network.len());
    sheet.line("in every one", edges(in_every));
    sheet.line("in some", edges(tied));
    sheet.line("in none", edges(graph.edges() - network));
    if let Some(to) = &plan.output {
        let written = if plan.all { "all edges" } else { "the edges in some forest" };
        sheet.line("written", format!("{} ({written}, {})", to.output, to.format.title()));
    }
    sheet.notes(&input.notes);
    sheet.gap();
    let mut times =
        vec![("load", input.load), ("solve", outcome.solve), ("compare", outcome.compare)];
    times.push(("count", outcome.count));
    times.extend(outcome.list.map(|time| ("list", time)));
    times.extend(outcome.write.map(|time| ("write", time)));
    sheet.times(&times);
    let table = if outcome.best.is_empty() { String::new() } else { table(plan, input, outcome) };
    format!("Alternatives to the {kind} spanning forest of {}\n{sheet}{table}", plan.input.source)
}

fn in_every(outcome: &Outcome) -> usize {
    let ids = outcome.forest.ids().iter();
    ids.filter(|&&edge| outcome.alternatives.in_every(edge)).count()
}

/// A number of forests; a large one as a power of ten.
fn shown(number: &BigUint) -> String {
    let digits = number.to_string();
    if digits.len() > DIGITS {
        format!("about {}.{}e{}", &digits[..1], &digits[1..4], digits.len() - 1)
    } else {
        digits.parse::<u128>().map_or(digits, thousands)
    }
}

/// The best forests.
fn table(plan: &Plan, input: &InputGraph, outcome: &Outcome) -> String {
    let heads = ["forest", "total weight", "worse by"].map(Heading::Right);
    let [forest, total, worse] = heads;
    let heads = [forest, total, worse, Heading::Left("without"), Heading::Left("with")];
    let rows = outcome.best.iter().enumerate().map(|(place, best)| {
        let worse = excess(best.total, outcome.forest.total(), plan.order);
        [
            (place + 1).to_string(),
            report::weight(best.total),
            report::weight(worse),
            listed(input, &best.left),
            listed(input, &best.entered),
        ]
    });
    format!("\n{}", report::table(heads, rows))
}

/// Edges by their ids and, if vertices have names, by the names of their ends.
fn listed(input: &InputGraph, edges: &[EdgeId]) -> String {
    let graph = &input.parsed.graph;
    let text = |&edge: &EdgeId| match &input.parsed.names {
        None => edge.to_string(),
        Some(names) => {
            let [u, v] = [graph.u(), graph.v()].map(|ends| &names[ends[edge as usize] as usize]);
            format!("{edge} ({} to {})", on_one_line(u), on_one_line(v))
        }
    };
    let texts: Vec<_> = edges.iter().take(SHOWN).map(text).collect();
    let more = if edges.len() > SHOWN { ", ..." } else { "" };
    texts.join(", ") + more
}

/// The report as JSON.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    input: String,
    format: &'static str,
    weight_type: &'static str,
    vertices: u32,
    edges: usize,
    components: u32,
    forest_edges: usize,
    total_weight: JsonNumber,
    maximum: bool,
    unique: bool,
    /// The digits of the number of best forests; null if it is not known.
    number_of_forests: Option<String>,
    edges_in_every: usize,
    edges_in_some: usize,
    /// The first forests with `--best`, from the forest itself.
    best: Vec<BestRecord<'a>>,
    output: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
}

#[derive(Serialize)]
struct BestRecord<'a> {
    total_weight: JsonNumber,
    excess_weight: JsonNumber,
    /// The edges of the first forest that are not in this one.
    without: &'a [EdgeId],
    /// The other edges of this forest.
    with: &'a [EdgeId],
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    solve: f64,
    compare: f64,
    count: f64,
    list: Option<f64>,
    write: Option<f64>,
}

impl<'a> Record<'a> {
    pub(super) fn new(plan: &Plan, input: &'a InputGraph, outcome: &'a Outcome) -> Self {
        let (graph, first): (_, Total) = (&input.parsed.graph, outcome.forest.total());
        let best = outcome.best.iter().map(|best| BestRecord {
            total_weight: JsonNumber(best.total),
            excess_weight: JsonNumber(excess(best.total, first, plan.order)),
            without: &best.left,
            with: &best.entered,
        });
        Self {
            input: plan.input.source.to_string(),
            format: input::format_id(input.format),
            weight_type: graph.weight_type().name(),
            vertices: graph.vertices(),
            edges: graph.edges(),
            components: outcome.forest.components(),
            forest_edges: outcome.forest.ids().len(),
            total_weight: JsonNumber(first),
            maximum: plan.order == Order::Maximum,
            unique: outcome.alternatives.is_unique(),
            number_of_forests: outcome.number.as_ref().ok().map(ToString::to_string),
            edges_in_every: in_every(outcome),
            edges_in_some: outcome.network.len() - in_every(outcome),
            best: best.collect(),
            output: plan.output.as_ref().map(|to| to.output.to_string()),
            seconds: Seconds {
                load: input.load.as_secs_f64(),
                solve: outcome.solve.as_secs_f64(),
                compare: outcome.compare.as_secs_f64(),
                count: outcome.count.as_secs_f64(),
                list: outcome.list.map(|time| time.as_secs_f64()),
                write: outcome.write.map(|time| time.as_secs_f64()),
            },
            notes: &input.notes,
        }
    }
}
