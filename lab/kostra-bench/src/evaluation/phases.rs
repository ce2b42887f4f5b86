//! Tables of phases: totals over a solve, by round, and over ranks.

use std::fmt::{Result, Write};

use super::description::{Measure, PublishedPhases};
use crate::observed::{Observed, Spread};
use crate::record::{ContestantResult, ExperimentResult, GraphResult};
use crate::statistics::milliseconds;

/// The row of the sum of all phases in the papers, and of the observed solve here.
const TOTAL: &str = "total";

/// The counters of each phase of a solver for clusters.
const COMMUNICATION: &str = "seconds of communication";
const WAITING: &str = "seconds of waiting";
const BYTES: &str = "bytes sent";
const MESSAGES: &str = "messages";

/// What the names of counters of occupancies begin with.
const OCCUPANCY: &str = "occupancy % of ";
/// The same for occupancies that `ncu` has measured.
pub(super) const ACHIEVED: &str = "achieved occupancy % of ";
/// The same for the means of kernels that are not launched once per round.
pub(super) const MEAN_ACHIEVED: &str = "mean achieved occupancy % of ";

/// The contestants of a graph that were observed.
pub(super) fn observed(
    graph: &GraphResult,
) -> impl Iterator<Item = (&ContestantResult, &Observed)> {
    let all = graph.contestants.iter();
    all.filter_map(|contestant| contestant.observed.as_ref().map(|found| (contestant, found)))
}

fn graph_heading(text: &mut String, graph: &GraphResult) -> Result {
    let mark = if graph.stand_in_for.is_some() { "*" } else { "" };
    let threads = graph.threads.map_or_else(String::new, |threads| {
        format!(", {threads} {}", if threads == 1 { "thread" } else { "threads" })
    });
    let (n, m) = (graph.vertices, graph.edges);
    writeln!(text, "\n{}{mark}, {n} vertices, {m} edges{threads}:\n", graph.name)
}

/// Writes a table for each graph: a row for each phase, a column for each published table and each
/// contestant.
pub(super) fn totals(
    text: &mut String,
    published: &[PublishedPhases],
    result: &ExperimentResult,
) -> Result {
    writeln!(text, "\n{}:", Measure::Phases.title())?;
    for graph in &result.graphs {
        let figures: Vec<_> =
            published.iter().filter(|phases| phases.graph == graph.name).collect();
        let mut names: Vec<&str> = Vec::new();
        let ours = observed(graph).flat_map(|(_, observed)| observed.totals());
        let theirs = figures.iter().flat_map(|phases| phases.rows.iter());
        for name in ours.map(|(name, _)| name).chain(theirs.map(|(name, _)| &**name)) {
            if name != TOTAL && !names.contains(&name) {
                names.push(name);
            }
        }
        names.push(TOTAL);
        graph_heading(text, graph)?;
        let mut heading = "| phase |".to_owned();
        for phases in &figures {
            write!(heading, " paper: {} |", phases.heading)?;
        }
        for (contestant, _) in observed(graph) {
            write!(heading, " {} |", contestant.label())?;
        }
        let columns = figures.len() + observed(graph).count();
        writeln!(text, "{heading}\n|---|{}", "--:|".repeat(columns))?;
        for name in names {
            write!(text, "| {name} |")?;
            for phases in &figures {
                let figure = phases.rows.iter().find(|(phase, _)| phase == name);
                let shown = figure.map_or_else(String::new, |(_, figure)| figure.to_string());
                write!(text, " {shown} |")?;
            }
            for (_, observed) in observed(graph) {
                write!(text, " {} |", total_of(name, observed))?;
            }
            writeln!(text)?;
        }
    }
    Ok(())
}

fn total_of(name: &str, observed: &Observed) -> String {
    if name == TOTAL {
        return milliseconds(observed.seconds);
    }
    let totals = observed.totals();
    let found = totals.iter().find(|(phase, _)| *phase == name);
    found.map_or_else(String::new, |(_, seconds)| milliseconds(*seconds))
}

/// Writes a table for each contestant on each graph: a row for each phase or kernel, a column for
/// each round.
pub(super) fn by_round(text: &mut String, measure: &Measure, result: &ExperimentResult) -> Result {
    let mut tables = String::new();
    for graph in &result.graphs {
        for (contestant, observed) in observed(graph) {
            let rows = rows_by_round(measure, observed);
            if rows.is_empty() {
                continue;
            }
            writeln!(tables, "\n`{}`:", contestant.label())?;
            graph_heading(&mut tables, graph)?;
            round_table(&mut tables, measure, observed, &rows)?;
            if *measure == Measure::AchievedOccupancy {
                means(&mut tables, observed)?;
            }
        }
    }
    if tables.is_empty() {
        return Ok(());
    }
    write!(text, "\n{}:\n{tables}", measure.title())
}

/// Writes the mean occupancies of kernels that are not launched once per round.
fn means(text: &mut String, observed: &Observed) -> Result {
    let means = observed.counters.iter().filter_map(|counter| {
        let kernel = counter.name.strip_prefix(MEAN_ACHIEVED)?;
        Some(format!("{kernel} {:.1}", counter.value))
    });
    let means: Vec<_> = means.collect();
    if means.is_empty() {
        return Ok(());
    }
    writeln!(text, "\nMeans of kernels with another number of launches: {}.", means.join(", "))
}

fn round_table(
    text: &mut String,
    measure: &Measure,
    observed: &Observed,
    rows: &Rows<'_>,
) -> Result {
    let rounds: Vec<_> = observed.rounds.iter().map(|round| round.round).collect();
    let heading: String = rounds.iter().map(|round| format!(" {round} |")).collect();
    writeln!(text, "| round |{heading}\n|---|{}", "--:|".repeat(rounds.len()))?;
    for (name, values) in rows {
        write!(text, "| {name} |")?;
        for round in &rounds {
            let found = values.iter().find(|(other, _)| other == round);
            let shown = |&(_, value): &(u32, f64)| match measure {
                Measure::Occupancy | Measure::AchievedOccupancy => format!("{value:.1}"),
                _ => milliseconds(value / 1e3),
            };
            write!(text, " {} |", found.map_or_else(String::new, shown))?;
        }
        writeln!(text)?;
    }
    Ok(())
}

/// The named values of rounds: milliseconds, or percent.
type Rows<'a> = Vec<(&'a str, Vec<(u32, f64)>)>;

/// The values of each phase, or of each kernel, in each round.
fn rows_by_round<'a>(measure: &Measure, observed: &'a Observed) -> Rows<'a> {
    match measure {
        Measure::Occupancy => occupancies(observed, OCCUPANCY),
        Measure::AchievedOccupancy => occupancies(observed, ACHIEVED),
        _ => phases_in_rounds(observed),
    }
}

fn add<'a>(rows: &mut Rows<'a>, name: &'a str, value: (u32, f64)) {
    match rows.iter_mut().find(|(other, _)| *other == name) {
        Some((_, values)) => values.push(value),
        None => rows.push((name, vec![value])),
    }
}

fn phases_in_rounds(observed: &Observed) -> Rows<'_> {
    let mut rows = Vec::new();
    for phase in observed.phases.iter().filter(|phase| phase.depth == 0) {
        if let Some(round) = phase.round {
            add(&mut rows, &phase.name, (round, 1e3 * phase.seconds));
        }
    }
    rows
}

fn occupancies<'a>(observed: &'a Observed, prefix: &str) -> Rows<'a> {
    let mut rows = Vec::new();
    for counter in &observed.counters {
        let kernel = counter.name.strip_prefix(prefix);
        if let Some((kernel, round)) = kernel.zip(counter.round) {
            add(&mut rows, kernel, (round, counter.value));
        }
    }
    rows
}

/// Writes a table for each graph: a row for each phase of each job, and a list of other counters.
pub(super) fn over_ranks(text: &mut String, result: &ExperimentResult) -> Result {
    let mut tables = String::new();
    for graph in &result.graphs {
        let on_ranks = |observed: &Observed| observed.phases.iter().any(|one| one.ranks.is_some());
        let jobs: Vec<_> = observed(graph).filter(|(_, observed)| on_ranks(observed)).collect();
        if jobs.is_empty() {
            continue;
        }
        graph_heading(&mut tables, graph)?;
        writeln!(
            tables,
            "| job | phase | time in ms | communication in ms | of it waiting in ms | messages | \
             bytes |\n|---|---|--:|--:|--:|--:|--:|"
        )?;
        for (contestant, observed) in jobs {
            job(&mut tables, &contestant.label(), observed)?;
        }
    }
    if tables.is_empty() {
        return Ok(());
    }
    write!(text, "\n{}:\n{tables}", Measure::OverRanks.title())
}

/// The rows of a job.
fn job(text: &mut String, label: &str, observed: &Observed) -> Result {
    for (name, _) in observed.totals() {
        let seconds = observed.phase_on_ranks(name);
        let counters = [COMMUNICATION, WAITING, MESSAGES, BYTES]
            .map(|counter| observed.counter_on_ranks(counter, Some(name)));
        let [communication, waiting, messages, bytes] = counters;
        let times = [seconds, communication, waiting].map(|time| spread(time.as_ref(), 1e3));
        let counts = [messages, bytes].map(|count| spread(count.as_ref(), 1.0));
        let cells = times.into_iter().chain(counts).collect::<Vec<_>>().join(" | ");
        writeln!(text, "| {label} | {name} | {cells} |")?;
    }
    let is_own = |name: &str| ![COMMUNICATION, WAITING, BYTES, MESSAGES].contains(&name);
    let mut own: Vec<(&str, Option<&str>)> = Vec::new();
    for counter in observed.counters.iter().filter(|counter| is_own(&counter.name)) {
        let key = (counter.name.as_str(), counter.phase.as_deref());
        if !own.contains(&key) {
            own.push(key);
        }
    }
    let own = own.iter().map(|&(name, phase)| {
        format!("{name}: {}", spread(observed.counter_on_ranks(name, phase).as_ref(), 1.0))
    });
    let own: Vec<_> = own.collect();
    if own.is_empty() {
        return Ok(());
    }
    writeln!(text, "| {label} | {} | | | | | |", own.join("; "))
}

/// Least, median and most, in units of `1 / factor`; one number if they are equal.
fn spread(spread: Option<&Spread>, factor: f64) -> String {
    let shown = |value: f64| {
        let value = value * factor;
        if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") }
    };
    match spread {
        None => String::new(),
        Some(Spread { least, most, .. }) if least == most => shown(*most),
        Some(Spread { least, median, most, .. }) => {
            [least, median, most].map(|&value| shown(value)).join("/")
        }
    }
}
