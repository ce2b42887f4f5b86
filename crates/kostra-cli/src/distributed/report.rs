//! What rank 0 says of a job: the sheet and the JSON of `kostra solve`, with what ranks add to
//! them.

use std::time::Duration;

use kostra::Order;
use kostra_mpi::{DistributedSolution, PhaseTraffic};
use serde::Serialize;

use super::Plan;
use super::collect::Verdict;
use super::load::Input;
use crate::report::{self, JsonNumber, Sheet, bytes, count, duration, thousands};
use crate::trace::Trace;
use crate::{input, output, solve};

/// What came of it.
pub(super) struct Outcome {
    pub(super) edges: u64,
    pub(super) input: Input,
    /// Of each rank.
    pub(super) threads: usize,
    pub(super) solution: DistributedSolution,
    pub(super) trace: Option<Trace>,
    pub(super) verdict: Verdict,
    pub(super) verify: Duration,
    pub(super) written: bool,
    pub(super) write: Duration,
}

/// Reports as asked.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn report(plan: &Plan, outcome: &Outcome, ranks: usize) -> anyhow::Result<()> {
    let text = if plan.json {
        report::json(&record(plan, outcome, ranks))?
    } else {
        sheet(plan, outcome, ranks)
    };
    output::report(&text, plan.output.as_ref().map(|(output, _)| output))?;
    if let Some(trace) = outcome.trace.as_ref().filter(|_| !plan.json) {
        output::tell(&traffic(&outcome.solution.phases));
        output::tell(&format!("\n  on rank 0\n{}", trace.tables()));
    }
    Ok(())
}

fn sheet(plan: &Plan, outcome: &Outcome, ranks: usize) -> String {
    let Outcome { input, solution, .. } = outcome;
    let forest = &solution.forest;
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(input.slice.vertices() as usize, "vertex", "vertices");
    let edges = count(outcome.edges as usize, "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let storage = input::storage(input.format, input.compression);
    sheet.line("read as", format!("{storage}, {} weights", input.slice.weight_type()));
    let edges = count(forest.edges() as usize, "edge", "edges");
    let components = count(forest.components() as usize, "component", "components");
    sheet.line(
        "forest",
        format!("{edges}, total weight {}, {components}", report::plain(forest.total())),
    );
    let (ranks, threads) =
        (count(ranks, "rank", "ranks"), count(outcome.threads, "thread", "threads"));
    sheet.line("algorithm", format!("{} on {ranks}, {threads} each", plan.solver.info().id));
    match &outcome.verdict.verified {
        None => {}
        Some(Ok(certificate)) => {
            let compared = count(certificate.compared, "edge", "edges");
            let optimal = solve::optimal(plan.order);
            let text = format!("spanning, acyclic and {optimal} ({compared} compared, by rank 0)");
            sheet.line("verified", text);
        }
        Some(Err(violation)) => sheet.line("WRONG", violation),
    }
    if let Some((output, format)) = &plan.output {
        let state = if outcome.written { "written" } else { "not written" };
        sheet.line(state, format!("{output} ({})", format.title()));
    }
    sheet.notes(&input.notes);
    sheet.gap();
    let mut steps = vec![("load", input.load), ("solve", solution.solve)];
    steps.extend(plan.verify.then_some(("verify", outcome.verify)));
    steps.extend(outcome.written.then_some(("write", outcome.write)));
    sheet.times(&steps);
    format!("{} spanning forest of {}\n{sheet}", solve::capital(plan.order), plan.input.source)
}

/// The phases over all ranks, for people.
fn traffic(phases: &[PhaseTraffic]) -> String {
    let mut text = format!(
        "\n  {:<30}{:>12}{:>14}{:>12}{:>15}\n",
        "phase, all ranks", "time", "messages", "sent", "communication"
    );
    for PhaseTraffic { name, elapsed, traffic } in phases {
        let (elapsed, communication) = (duration(*elapsed), duration(traffic.time));
        let (messages, sent) = (thousands(traffic.messages), bytes(traffic.bytes));
        text += &format!("  {name:<30}{elapsed:>12}{messages:>14}{sent:>12}{communication:>15}\n");
    }
    text
}

/// The report as JSON: that of `kostra solve`, as far as it has the same, and the ranks.
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
    algorithm: &'static str,
    ranks: usize,
    /// Of each rank.
    threads: usize,
    /// Whether the forest was found right; null when nobody asked.
    verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
    /// The phases over all ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    phases: Option<Vec<Phase>>,
    /// What the algorithm told on rank 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Trace>,
}

/// How long each step took: loading and solving until the last rank was done, the others as rank 0
/// measured them; zero for a step that was not taken.
#[derive(Serialize)]
struct Seconds {
    load: f64,
    solve: f64,
    verify: f64,
    write: f64,
}

/// A phase: its longest times, and what all ranks sent together.
#[derive(Serialize)]
struct Phase {
    name: &'static str,
    seconds: f64,
    messages: u64,
    bytes: u64,
    seconds_of_communication: f64,
}

fn record<'a>(plan: &Plan, outcome: &'a Outcome, ranks: usize) -> Record<'a> {
    let Outcome { input, solution, verdict, .. } = outcome;
    let phase = |phase: &PhaseTraffic| Phase {
        name: phase.name,
        seconds: phase.elapsed.as_secs_f64(),
        messages: phase.traffic.messages,
        bytes: phase.traffic.bytes,
        seconds_of_communication: phase.traffic.time.as_secs_f64(),
    };
    Record {
        input: plan.input.source.to_string(),
        format: input.format.map_or("gen", kostra::io::Format::id),
        weight_type: input.slice.weight_type().name(),
        vertices: input.slice.vertices(),
        edges: outcome.edges,
        components: solution.forest.components(),
        forest_edges: solution.forest.edges(),
        total_weight: JsonNumber(solution.forest.total()),
        maximum: plan.order == Order::Maximum,
        algorithm: plan.solver.info().id,
        ranks,
        threads: outcome.threads,
        verified: verdict.verified.as_ref().map(Result::is_ok),
        violation: verdict
            .verified
            .as_ref()
            .and_then(|verified| Some(verified.as_ref().err()?.to_string())),
        seconds: Seconds {
            load: input.load.as_secs_f64(),
            solve: solution.solve.as_secs_f64(),
            verify: outcome.verify.as_secs_f64(),
            write: outcome.write.as_secs_f64(),
        },
        notes: &input.notes,
        phases: plan.trace.then(|| solution.phases.iter().map(phase).collect()),
        trace: outcome.trace.as_ref(),
    }
}
