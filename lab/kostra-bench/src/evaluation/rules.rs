//! The rules of an experiment's contests: what of the paper's sweeps this machine can run.

use anyhow::{Result, ensure};
use kostra_core::Platform;
use kostra_cuda::Device;

use super::PaperArguments;
use super::description::{Experiment, Measure, Paper};
use crate::contest::Rules;
use crate::peers;
use crate::rank_job::RankJob;
use crate::record::Skipped;
use crate::sweep::{self, Entrant};

/// The seconds after which a contestant takes no further turn on a graph. Sequential solvers need
/// them for one turn on large graphs, and more turns would take most of the time of a suite.
const PATIENCE: f64 = 2.0;

/// The turns of the k-best measurement: a warm-up and three counted runs.
const K_BEST: usize = 4;

/// The rules of an experiment. What does not exist or cannot run here is added to `skipped`.
pub(super) fn rules(
    paper: &Paper,
    experiment: &Experiment,
    arguments: &PaperArguments,
    skipped: &mut Vec<Skipped>,
) -> Rules {
    let mut skip = |name: String, reason: String| {
        eprintln!("  {name} skipped: {reason}");
        skipped.push(Skipped { name, reason });
    };
    let most = arguments.threads();
    let (threads, too_many) = threads(experiment.threads.as_deref(), most);
    if !too_many.is_empty() {
        skip(format!("{} threads", listed(&too_many)), format!("only {most} are used"));
    }
    let mut rules = Rules {
        entrants: Vec::new(),
        peers: Vec::new(),
        rank_jobs: Vec::new(),
        peer_programs: arguments.peer_programs.clone(),
        runs: arguments.runs(paper),
        threads,
        no_rest: arguments.smoke,
        timed: paper.timed,
        patience: Some(PATIENCE),
        least_turns: if experiment.measures.contains(&Measure::KBest) { K_BEST } else { 0 },
        // Phases are not worth a long turn; rates are, if the experiment is about them.
        observe_slow: experiment.measures != [Measure::Time],
    };
    for text in &experiment.contestants {
        if let Ok(peer) = peers::peer(text) {
            rules.peers.push(peer);
            continue;
        }
        let entered = if text.starts_with("mpi-") {
            enter_jobs(text, arguments, &mut skip).map(|jobs| rules.rank_jobs.extend(jobs))
        } else {
            enter(text).map(|entrants| rules.entrants.extend(entrants))
        };
        if let Err(error) = entered {
            skip(text.clone(), format!("{error:#}"));
        }
    }
    rules
}

/// The solvers of a text, unless they need a device and there is none.
fn enter(text: &str) -> Result<Vec<Entrant>> {
    let entrants = sweep::entrants(text)?;
    let on_device = |entrant: &Entrant| entrant.solver.info().platform == Platform::Cuda;
    if entrants.iter().any(on_device) {
        Device::open(0)?;
    }
    Ok(entrants)
}

/// The jobs of a text that have at most one thread for each processor in use.
fn enter_jobs(
    text: &str,
    arguments: &PaperArguments,
    skip: &mut impl FnMut(String, String),
) -> Result<Vec<RankJob>> {
    let most = arguments.threads();
    let jobs = RankJob::jobs(text, arguments.rank_program.as_deref(), most)?;
    let (jobs, too_many): (Vec<_>, Vec<_>) =
        jobs.into_iter().partition(|job| job.ranks * job.threads <= most);
    let names: Vec<_> = too_many.iter().map(RankJob::label).collect();
    if !names.is_empty() {
        skip(names.join(", "), format!("only {most} threads are used"));
    }
    ensure!(!jobs.is_empty(), "no number of ranks fits {most} threads");
    Ok(jobs)
}

/// The numbers of threads of an experiment on a machine, and the numbers that exceed it.
fn threads(sweep: Option<&[usize]>, most: usize) -> (Vec<usize>, Vec<usize>) {
    let Some(all) = sweep else { return (vec![most], Vec::new()) };
    let (mut fit, too_many): (Vec<_>, Vec<_>) = all.iter().partition(|&&count| count <= most);
    if fit.is_empty() {
        fit.push(most);
    }
    (fit, too_many)
}

fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_ends_at_the_number_of_processors() {
        assert_eq!(threads(None, 6), (vec![6], vec![]));
        assert_eq!(threads(Some(&[1, 2, 4, 8]), 6), (vec![1, 2, 4], vec![8]));
        assert_eq!(threads(Some(&[2, 4]), 1), (vec![1], vec![2, 4]));
    }
}
