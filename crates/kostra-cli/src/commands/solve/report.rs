//! The report of `kostra solve`, for people and as JSON.

use kostra::variants::{ForestConstraints, TreeCount};
use kostra_core::{EdgeId, Order, Total, Vertex};
use kostra_io::Format;
use serde::Serialize;

use super::outcome::{Constrained, Outcome, RanOn, RankPhase, Times};
use super::plan::Plan;
use crate::report::{
    self, JsonNumber, Sheet, bytes, count, duration_of_seconds, float, share, thousands,
};
use crate::trace::Trace;
use crate::verdict::{Proof, excess};
use crate::{input, output};

/// Prints the report, with the trace at its end. A quiet solve reports only a forest that is
/// refuted.
///
/// # Errors
/// When an output stream cannot be written.
pub(super) fn print(plan: &Plan, outcome: &Outcome) -> anyhow::Result<()> {
    if plan.quiet && !matches!(outcome.verified, Some(Err(_))) {
        return Ok(());
    }
    let text = text(plan, outcome)?;
    output::report(&text, plan.output.as_ref().map(|destination| &destination.output))
}

/// # Errors
/// When a number cannot be written as JSON.
pub(super) fn text(plan: &Plan, outcome: &Outcome) -> anyhow::Result<String> {
    if plan.json {
        return report::json(&record(plan, outcome));
    }
    let trace = outcome.trace.as_ref().map(|trace| tables(trace, &outcome.place));
    Ok(sheet(plan, outcome) + &trace.unwrap_or_default())
}

fn sheet(plan: &Plan, outcome: &Outcome) -> String {
    let Outcome { graph, forest, .. } = outcome;
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(graph.vertices, "vertex", "vertices");
    let edges = count(graph.edges, "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let storage = input::storage(graph.format, graph.compression);
    sheet.line("read as", format!("{storage}, {} weights", graph.weight_type));
    let edges = count(forest.edges, "edge", "edges");
    let components = count(forest.components, "component", "components");
    let unit = graph.format.map_or("", unit);
    let total = report::weight(forest.total);
    sheet.line("forest", format!("{edges}, total weight {total}{unit}, {components}"));
    if let Some(constrained) = &outcome.constrained {
        sheet.line("constraints", constraints(constrained));
        sheet.line("cost", cost(constrained, plan.order));
    }
    let approximate = if outcome.algorithm.exact { "" } else { ", approximate" };
    let algorithm = outcome.algorithm.id;
    sheet.line("algorithm", format!("{algorithm} on {}{approximate}", place(outcome)));
    match &outcome.verified {
        None => {}
        Some(Ok(proof)) => sheet.line("verified", verified(plan, outcome, proof)),
        Some(Err(violation)) => sheet.line("WRONG", violation),
    }
    if let Some(destination) = &plan.output {
        let state = if outcome.times.write.is_some() { "written" } else { "not written" };
        let format = destination.format.title();
        sheet.line(state, format!("{} ({format})", destination.output));
    }
    sheet.notes(&outcome.notes);
    sheet.gap();
    sheet.times(&outcome.times.taken());
    let kind = match (outcome.algorithm.exact, plan.order) {
        (true, Order::Minimum) => "Minimum",
        (true, Order::Maximum) => "Maximum",
        (false, Order::Minimum) => "Approximate minimum",
        (false, Order::Maximum) => "Approximate maximum",
    };
    format!("{kind} spanning forest of {}\n{sheet}", plan.input.source)
}

/// The constraints, for people.
fn constraints(constrained: &Constrained) -> String {
    let ForestConstraints { include, exclude, links, trees } = &constrained.constraints;
    let mut parts = Vec::new();
    for (edges, what) in [(include, "included"), (exclude, "excluded")] {
        if !edges.is_empty() {
            parts.push(format!("{} {what}", count(edges.len() as u64, "edge", "edges")));
        }
    }
    if !links.is_empty() {
        let linked = links.iter().map(|group| group.len() as u64).sum();
        let groups = count(links.len() as u64, "group", "groups");
        parts.push(format!("{} linked in {groups}", count(linked, "vertex", "vertices")));
    }
    match trees {
        TreeCount::Fewest => {}
        TreeCount::Exactly(trees) => parts.push(count((*trees).into(), "tree", "trees")),
        TreeCount::AtMost(trees) => {
            parts.push(format!("at most {}", count((*trees).into(), "tree", "trees")));
        }
    }
    parts.join(", ")
}

/// What the constraints cost, for people.
fn cost(constrained: &Constrained, order: Order) -> String {
    let Constrained { unconstrained, extra, .. } = constrained;
    let kind = match order {
        Order::Minimum => "minimum",
        Order::Maximum => "maximum",
    };
    let best = format!("the {kind} of {}", report::weight(*unconstrained));
    let size = |total| match total {
        Total::Integer(total) => Total::Integer(total.saturating_abs()),
        Total::Float(total) => Total::Float(total.abs()),
    };
    match float(*extra) {
        0.0 => format!("nothing: the total is {best}"),
        less if less < 0.0 => format!("{} less than {best}", report::weight(size(*extra))),
        _ => format!("{} more than {best}", report::weight(*extra)),
    }
}

/// The unit of the weights in this format, if the format defines it.
fn unit(format: Format) -> &'static str {
    if format == Format::OSM_PBF { " m" } else { "" }
}

/// What `--verify` proved, for people.
fn verified(plan: &Plan, outcome: &Outcome, proof: &Proof) -> String {
    match proof {
        Proof::Canonical(certificate) => {
            let compared = count(certificate.compared as u64, "edge", "edges");
            let by = match outcome.place {
                RanOn::Ranks { .. } => ", by rank 0",
                _ => "",
            };
            format!("spanning, acyclic and {} ({compared} compared{by})", optimal(plan.order))
        }
        Proof::Spanning { optimum } => {
            let excess = excess(outcome.forest.total, *optimum, plan.order);
            let (side, best) = match plan.order {
                Order::Minimum => ("above", "minimum"),
                Order::Maximum => ("below", "maximum"),
            };
            let share = share(excess, *optimum);
            let (excess, optimum) = (report::weight(excess), report::weight(*optimum));
            format!("spanning and acyclic, {excess} {side} the {best} of {optimum}{share}")
        }
    }
}

/// Where the algorithm ran, for people.
fn place(outcome: &Outcome) -> String {
    let threads = count(outcome.threads as u64, "thread", "threads");
    match &outcome.place {
        RanOn::Processor => threads,
        RanOn::Device { name, ordinals } => {
            let numbers: Vec<_> =
                ordinals.iter().map(|ordinal| format!("cuda:{ordinal}")).collect();
            format!("{name} ({})", numbers.join(", "))
        }
        RanOn::Ranks { count: ranks, has_devices, .. } => {
            let device = if *has_devices { " and a CUDA device" } else { "" };
            format!("{}, {threads}{device} each", count(*ranks as u64, "rank", "ranks"))
        }
    }
}

fn optimal(order: Order) -> &'static str {
    match order {
        Order::Minimum => "minimal",
        Order::Maximum => "maximal",
    }
}

/// The tables of `--trace`.
fn tables(trace: &Trace, place: &RanOn) -> String {
    match place {
        RanOn::Ranks { phases, .. } => {
            format!("{}\n  on rank 0\n{}", traffic(phases), trace.tables())
        }
        _ => trace.tables(),
    }
}

/// A table of the phases over all ranks.
fn traffic(phases: &[RankPhase]) -> String {
    let mut text = format!(
        "\n  {:<30}{:>12}{:>14}{:>12}{:>15}\n",
        "phase, all ranks", "time", "messages", "sent", "communication"
    );
    for phase in phases {
        let time = duration_of_seconds(phase.seconds);
        let communication = duration_of_seconds(phase.seconds_of_communication);
        let (messages, sent) = (thousands(phase.messages), bytes(phase.bytes));
        text +=
            &format!("  {:<30}{time:>12}{messages:>14}{sent:>12}{communication:>15}\n", phase.name);
    }
    text
}

/// The report as JSON. Other programs rely on its fields.
#[derive(Serialize)]
struct Record<'a> {
    input: String,
    format: &'static str,
    weight_type: &'static str,
    vertices: u64,
    edges: u64,
    components: u64,
    forest_edges: u64,
    total_weight: JsonNumber,
    maximum: bool,
    /// Present with constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<ConstraintRecord<'a>>,
    algorithm: &'static str,
    /// Whether the algorithm always returns the canonical forest.
    exact: bool,
    /// Present if the algorithm ran on the ranks of an MPI job.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<usize>,
    threads: usize,
    /// Present if the algorithm ran on a device.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'a str>,
    /// Whether the forest is what the algorithm promises; null unless verified.
    verified: Option<bool>,
    /// The total of the canonical forest. Present if an approximate forest was verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    optimal_weight: Option<JsonNumber>,
    /// By how much the total misses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    excess_weight: Option<JsonNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    seconds: &'a Times,
    notes: &'a [String],
    /// The phases over all ranks, with `--trace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    phases: Option<&'a [RankPhase]>,
    /// The trace; in an MPI job, of rank 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Trace>,
}

/// The constraints, and what they cost.
#[derive(Serialize)]
struct ConstraintRecord<'a> {
    include: &'a [EdgeId],
    exclude: &'a [EdgeId],
    links: &'a [Vec<Vertex>],
    /// The number of trees, if it is fixed.
    trees: Option<u32>,
    most_trees: Option<u32>,
    unconstrained_weight: JsonNumber,
    /// How much more the total is; negative if it is less.
    extra_weight: JsonNumber,
}

impl<'a> ConstraintRecord<'a> {
    fn new(constrained: &'a Constrained) -> Self {
        let ForestConstraints { include, exclude, links, trees } = &constrained.constraints;
        let (trees, most_trees) = match *trees {
            TreeCount::Fewest => (None, None),
            TreeCount::Exactly(trees) => (Some(trees), None),
            TreeCount::AtMost(trees) => (None, Some(trees)),
        };
        let unconstrained_weight = JsonNumber(constrained.unconstrained);
        let extra_weight = JsonNumber(constrained.extra);
        Self { include, exclude, links, trees, most_trees, unconstrained_weight, extra_weight }
    }
}

fn record<'a>(plan: &Plan, outcome: &'a Outcome) -> Record<'a> {
    let Outcome { graph, forest, verified, .. } = outcome;
    let total: Total = forest.total;
    let optimum = match verified {
        Some(Ok(Proof::Spanning { optimum })) => Some(*optimum),
        _ => None,
    };
    let (ranks, device, phases) = match &outcome.place {
        RanOn::Processor => (None, None, None),
        RanOn::Device { name, .. } => (None, Some(name.as_str()), None),
        RanOn::Ranks { count, phases, .. } => {
            (Some(*count), None, plan.trace.then_some(phases.as_slice()))
        }
    };
    Record {
        input: plan.input.source.to_string(),
        format: input::format_id(graph.format),
        weight_type: graph.weight_type.name(),
        vertices: graph.vertices,
        edges: graph.edges,
        components: forest.components,
        forest_edges: forest.edges,
        total_weight: JsonNumber(total),
        maximum: plan.order == Order::Maximum,
        constraints: outcome.constrained.as_ref().map(ConstraintRecord::new),
        algorithm: outcome.algorithm.id,
        exact: outcome.algorithm.exact,
        ranks,
        threads: outcome.threads,
        device,
        verified: verified.as_ref().map(Result::is_ok),
        optimal_weight: optimum.map(JsonNumber),
        excess_weight: optimum.map(|optimum| JsonNumber(excess(total, optimum, plan.order))),
        violation: verified.as_ref().and_then(|verified| Some(verified.as_ref().err()?.clone())),
        seconds: &outcome.times,
        notes: &outcome.notes,
        phases,
        trace: outcome.trace.as_ref(),
    }
}
