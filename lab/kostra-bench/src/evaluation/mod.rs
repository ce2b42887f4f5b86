//! The evaluations of papers: their tables and figures, measured again and printed beside the
//! published figures.
//!
//! An experiment is one table or figure: graphs, contestants, and what is read off them. To add a
//! paper, write its description in `papers/evaluations/` and add it to the list in
//! `description.rs`.

mod arguments;
mod description;
mod family;
mod ncu;
mod partitioned;
mod phases;
mod real;
mod rules;
mod tables;
mod values;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::contest::{self, Rules};
use crate::record::{ExperimentResult, Skipped};
pub(crate) use arguments::PaperArguments;
use description::Measure;
pub(crate) use description::{Paper, paper};
pub(crate) use tables::report;

/// Measures the experiments of a paper, except for the contests that are `finished`. Calls `keep`
/// with all results so far after each contest, so that an interrupted suite keeps them.
///
/// # Errors
/// Those of `keep`. What cannot be measured is skipped, with its reason in the result.
pub(crate) fn measure(
    paper: &Paper,
    arguments: &PaperArguments,
    finished: &[ExperimentResult],
    keep: impl Fn(&[ExperimentResult]) -> Result<()>,
) -> Result<Vec<ExperimentResult>> {
    let budget = arguments.budget.map(Duration::from_secs);
    // A budget beyond the range of the clock is no limit.
    let deadline = budget.and_then(|budget| Instant::now().checked_add(budget));
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let mut results: Vec<ExperimentResult> = Vec::new();
    for experiment in &paper.experiments {
        if !arguments.wants(&experiment.id) {
            continue;
        }
        eprintln!("{} {}", paper.id, experiment.id);
        let mut result = ExperimentResult {
            id: experiment.id.clone(),
            graphs: Vec::new(),
            partitions: Vec::new(),
            skipped: Vec::new(),
        };
        let rules = rules::rules(paper, experiment, arguments, &mut result.skipped);
        let known = finished.iter().find(|known| known.id == experiment.id);
        if experiment.is_of_partitions() {
            let known = known.map_or(&[][..], |known| &known.partitions);
            let graphs = paper.graphs(experiment);
            partitioned::measure(graphs, arguments, known, is_late, &mut result);
            results.push(result);
            keep(&results)?;
            continue;
        }
        let known = known.map_or(&[][..], |known| &known.graphs);
        for graph in paper.graphs(experiment) {
            let before = contest::finished_on(known, &graph.name);
            let (held, failure) = if let Err(reason) = can_measure(&rules, is_late()) {
                (before, Some(reason))
            } else {
                let source = graph.source(arguments.scale(), arguments.data.as_deref());
                contest::hold(&source, &rules, before, |held| {
                    let mut now = result.clone();
                    now.graphs.extend_from_slice(held);
                    keep(&[&results[..], &[now]].concat())
                })?
            };
            result.graphs.extend(held);
            if experiment.measures.contains(&Measure::AchievedOccupancy) {
                ncu::add_achieved_occupancy(&mut result);
            }
            if let Some(error) = failure {
                eprintln!("{} skipped: {error:#}", graph.name);
                let reason = format!("{error:#}");
                result.skipped.push(Skipped { name: graph.name, reason });
            }
            keep(&[&results[..], &[result.clone()]].concat())?;
        }
        results.push(result);
    }
    Ok(results)
}

/// Refuses contests that cannot be held.
fn can_measure(rules: &Rules, late: bool) -> Result<()> {
    ensure!(!late, "the budget of time is spent");
    ensure!(!rules.entrants.is_empty(), "no solver of this experiment is available");
    Ok(())
}
