//! The table of `kostra compare`, for people and as JSON.

use kostra_core::Order;
use serde::Serialize;

use super::Plan;
use super::measure::Contestant;
use super::standing::Standing;
use crate::input::{self, InputGraph};
use crate::report::{self, Heading, JsonNumber, Sheet, count, duration, share, thousands};

type Row<'a> = (&'a Contestant, &'a Standing);

/// The report in the form that the user asked for.
///
/// # Errors
/// As [`report::json`].
pub(super) fn text(plan: &Plan, input: &InputGraph, rows: &[Row<'_>]) -> anyhow::Result<String> {
    if plan.json { report::json(&record(plan, input, rows)) } else { Ok(sheet(plan, input, rows)) }
}

fn sheet(plan: &Plan, input: &InputGraph, rows: &[Row<'_>]) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(input.parsed.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.parsed.graph.edges() as u64, "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let storage = input::storage(input.format, input.compression);
    sheet.line("read as", format!("{storage}, {} weights", input.parsed.graph.weight_type()));
    sheet.line("runs", format!("{} of each algorithm", thousands(plan.runs)));
    sheet.notes(&input.notes);
    let kind = match plan.order {
        Order::Minimum => "Minimum",
        Order::Maximum => "Maximum",
    };
    let head = [
        Heading::Left("algorithm"),
        Heading::Right("threads"),
        Heading::Right("time"),
        Heading::Right("rounds"),
        Heading::Right("total weight"),
        Heading::Left("forest"),
    ];
    let table = report::table(head, rows.iter().map(cells));
    let table: String = table.lines().map(|line| format!("  {line}\n")).collect();
    let source = &plan.input.source;
    let mut text = format!("{kind} spanning forests of {source}\n{sheet}\n{table}");
    for (contestant, standing) in rows {
        if let Standing::Failed(reason) | Standing::Wrong(reason) = standing {
            text += &format!("\n  {}: {reason}\n", contestant.name());
        }
    }
    text
}

fn cells((contestant, standing): &Row<'_>) -> [String; 6] {
    let none = || "-".to_owned();
    let forest = match standing {
        Standing::Equal => "equal".to_owned(),
        Standing::Wrong(_) => "WRONG".to_owned(),
        Standing::Approximate { excess, optimum } => {
            let share = share(*excess, *optimum);
            format!("approximate, off by {}{share}", report::weight(*excess))
        }
        Standing::Failed(_) => "not solved".to_owned(),
    };
    [
        contestant.name(),
        thousands(contestant.threads as u128),
        contestant.median().map_or_else(none, duration),
        contestant.rounds.map_or_else(none, |rounds| thousands(rounds as u128)),
        contestant.result.as_ref().map_or_else(|_| none(), |forest| report::weight(forest.total())),
        forest,
    ]
}

/// The report as JSON.
#[derive(Serialize)]
struct Record<'a> {
    input: String,
    format: &'static str,
    weight_type: &'static str,
    vertices: u32,
    edges: usize,
    maximum: bool,
    runs: u16,
    /// Whether each algorithm found the forest that it promises.
    agree: bool,
    notes: &'a [String],
    algorithms: Vec<AlgorithmRecord>,
}

/// The results of one algorithm as JSON.
#[derive(Serialize)]
struct AlgorithmRecord {
    algorithm: &'static str,
    /// Whether the command chose the algorithm, because `auto` was asked for.
    auto: bool,
    exact: bool,
    threads: usize,
    /// The median of the times; null if the algorithm did not solve the graph.
    seconds: Option<f64>,
    /// The time of each run.
    seconds_of_runs: Vec<f64>,
    /// Null if the algorithm reports no rounds.
    rounds: Option<usize>,
    total_weight: Option<JsonNumber>,
    /// Whether the forest is proved to be the canonical one; null without a forest, and for
    /// approximate algorithms.
    equal: Option<bool>,
    /// By how much an approximate forest misses the optimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    excess_weight: Option<JsonNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn record<'a>(plan: &Plan, input: &'a InputGraph, rows: &[Row<'_>]) -> Record<'a> {
    Record {
        input: plan.input.source.to_string(),
        format: input::format_id(input.format),
        weight_type: input.parsed.graph.weight_type().name(),
        vertices: input.parsed.graph.vertices(),
        edges: input.parsed.graph.edges(),
        maximum: plan.order == Order::Maximum,
        runs: plan.runs,
        agree: rows.iter().all(|(_, standing)| standing.is_as_promised()),
        notes: &input.notes,
        algorithms: rows.iter().map(algorithm_record).collect(),
    }
}

fn algorithm_record((contestant, standing): &Row<'_>) -> AlgorithmRecord {
    let (equal, excess, error) = match standing {
        Standing::Equal => (Some(true), None, None),
        Standing::Wrong(reason) => (Some(false), None, Some(reason.clone())),
        Standing::Approximate { excess, .. } => (None, Some(JsonNumber(*excess)), None),
        Standing::Failed(reason) => (None, None, Some(reason.clone())),
    };
    AlgorithmRecord {
        algorithm: contestant.info.id,
        auto: contestant.is_auto,
        exact: contestant.info.exact,
        threads: contestant.threads,
        seconds: contestant.median().map(|time| time.as_secs_f64()),
        seconds_of_runs: contestant.times.iter().map(std::time::Duration::as_secs_f64).collect(),
        rounds: contestant.rounds,
        total_weight: contestant.result.as_ref().ok().map(|forest| JsonNumber(forest.total())),
        equal,
        excess_weight: excess,
        error,
    }
}
