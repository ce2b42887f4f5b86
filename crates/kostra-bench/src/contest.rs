//! The contest: in each round, all contestants solve the same graph in turn. A referee compares
//! their answers.
//!
//! Turns make ratios reliable on a shared machine: if the machine slows down for a minute, all
//! contestants slow down.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use kostra::{
    AnyGraph, EdgeId, Order, Representation, Run, Solver, SolverInfo, verify, with_graph,
};

use crate::awake::Awake;
use crate::contestant::{
    Answer, Contestant, KostraSolver, RESIDENT_ROWS, ResidentRows, Solved, Timed,
};
use crate::graphs::GraphSource;
use crate::observed::Observed;
use crate::papers::RankJob;
use crate::peers::{Handout, Peer};
use crate::record::{self, ContestantResult, GraphResult, Skipped};
use crate::statistics::Timing;
use crate::sweep::Entrant;

/// The pause before each turn of several contestants, in which the previous contestant's threads
/// stop.
const REST: Duration = Duration::from_millis(20);

/// The settings of a contest.
pub(crate) struct Rules {
    /// The solvers with their options, in the order of their turns.
    pub(crate) entrants: Vec<Entrant>,
    /// The peers. Their turns follow those of the solvers.
    pub(crate) peers: Vec<Peer>,
    /// The solvers for clusters, after the peers.
    pub(crate) rank_jobs: Vec<RankJob>,
    /// The folder of the peers that are programs.
    pub(crate) peer_programs: Option<PathBuf>,
    /// The number of counted rounds, after one warm-up round.
    pub(crate) runs: usize,
    /// The numbers of threads per contestant, with one contest each.
    pub(crate) threads: Vec<usize>,
    /// Whether turns follow each other at once, because the times do not matter.
    pub(crate) no_rest: bool,
    /// What the time of a solver on a device includes.
    pub(crate) timed: Timed,
    /// The seconds after which a contestant takes no further turn; none if all take all turns. If
    /// its warm-up takes longer, the warm-up is its only sample.
    pub(crate) patience: Option<f64>,
    /// Whether a contestant that ran out of patience is observed.
    pub(crate) observe_slow: bool,
}

/// Runs the contests on one graph, one per number of threads. `finished` has the results of the
/// first ones, which an interrupted suite has kept. Calls `keep` with all results so far after each
/// contest. Returns all results, and the reason if the graph cannot be generated or read.
///
/// # Errors
/// Those of `keep`. The result contains contestants' failures; they are not errors.
pub(crate) fn hold(
    source: &GraphSource,
    rules: &Rules,
    finished: Vec<GraphResult>,
    mut keep: impl FnMut(&[GraphResult]) -> Result<()>,
) -> Result<(Vec<GraphResult>, Option<anyhow::Error>)> {
    let mut results = finished;
    let rest = rules.threads.get(results.len()..).unwrap_or_default();
    if rest.is_empty() {
        return Ok((results, None));
    }
    let graph = match source.load() {
        Ok(graph) => graph,
        Err(error) => return Ok((results, Some(error))),
    };
    // Answers must agree across numbers of threads, so all contests share the referee.
    let mut referee = Referee::default();
    for &threads in rest {
        let mut result = hold_on(threads, source, &graph, rules, &mut referee);
        result.disagreements.extend(results.first().and_then(|first| differs(first, &result)));
        results.push(result);
        keep(&results)?;
    }
    Ok((results, None))
}

/// How the answer of a contest differs from that of an earlier one, which may be of a run that was
/// interrupted.
fn differs(first: &GraphResult, other: &GraphResult) -> Option<String> {
    let answer = |result: &GraphResult| (result.forest_edges, result.total_weight.clone());
    (answer(first) != answer(other)).then(|| {
        let ((edges, total), (first_edges, first_total)) = (answer(other), answer(first));
        format!("{edges} edges of total weight {total}, and before {first_edges} of {first_total}")
    })
}

fn hold_on(
    threads: usize,
    source: &GraphSource,
    graph: &AnyGraph,
    rules: &Rules,
    referee: &mut Referee,
) -> GraphResult {
    eprintln!(
        "{} on {threads}: {} vertices, {} edges",
        source.name,
        graph.vertices(),
        graph.edges()
    );
    let mut skipped = Vec::new();
    let mut entries: Vec<Entry<'_>> =
        enter((source, graph), rules, threads, &mut skipped).into_iter().map(Entry::new).collect();
    let (awake, alone) = (Awake::keep(), entries.len() == 1);
    for round in 0..=rules.runs {
        for entry in entries.iter_mut().filter(|entry| entry.has_turn(rules)) {
            if !alone && !rules.no_rest {
                thread::sleep(REST);
            }
            entry.take_turn(round, referee);
        }
    }
    for entry in entries.iter_mut().filter(|entry| entry.is_observable(rules)) {
        entry.observe(referee);
    }

    let verified = referee.verified(graph);
    let mut contestants = Vec::new();
    for entry in entries {
        match entry.finish() {
            Ok(result) => contestants.push(result),
            Err(reason) => skipped.push(reason),
        }
    }
    let reference = referee.reference.as_ref().map(|(_, answer)| answer);
    GraphResult {
        name: source.name.clone(),
        source: source.source.clone(),
        stand_in_for: source.stand_in_for.clone(),
        threads: Some(threads),
        awake: awake.is_granted(),
        vertices: graph.vertices(),
        edges: graph.edges(),
        weight_type: graph.weight_type().to_string(),
        weight_bytes: with_graph!(graph, graph => {
            graph.edge_list().weights().first().map_or(0, size_of_val)
        }),
        forest_edges: reference.map_or(0, |answer| answer.edges),
        total_weight: reference.map_or_else(String::new, |answer| answer.total.clone()),
        verified,
        contestants,
        skipped,
        disagreements: std::mem::take(&mut referee.disagreements),
    }
}

/// The contestants that can run, each with the graph in its own format.
fn enter<'a>(
    (source, graph): (&GraphSource, &'a AnyGraph),
    rules: &Rules,
    threads: usize,
    skipped: &mut Vec<Skipped>,
) -> Vec<Box<dyn Contestant + 'a>> {
    let start = Instant::now();
    let mut infos = rules.entrants.iter().map(|entrant| entrant.solver.info());
    if let Some(info) = infos.find(|info| info.representation == Representation::Csr) {
        // A failure occurs again in that solver's turn, which reports it.
        let _ = with_graph!(graph, graph => graph.csr(info.id, &mut Run::new()).map(drop));
    }
    let csr_seconds = start.elapsed().as_secs_f64();
    let mut contestants: Vec<Box<dyn Contestant>> = Vec::new();
    for entrant in &rules.entrants {
        let info = entrant.solver.info();
        if info.id != RESIDENT_ROWS {
            let entrant = entrant.clone();
            contestants.push(Box::new(KostraSolver::new(
                entrant,
                graph,
                threads,
                rules.timed,
                csr_seconds,
            )));
            continue;
        }
        let on_device = with_graph!(graph, graph => {
            ResidentRows::new(graph, info, threads)
                .map(|rows| Box::new(rows) as Box<dyn Contestant>)
        });
        match on_device {
            Ok(contestant) => contestants.push(contestant),
            Err(error) => skipped.push(skip(info.id, &error)),
        }
    }
    let mut handout = Handout::new(graph);
    for peer in &rules.peers {
        match peer.enter(&mut handout, rules.peer_programs.as_deref(), threads) {
            Ok(contestant) => contestants.push(contestant),
            Err(error) => skipped.push(skip(peer.name, &error)),
        }
    }
    for job in &rules.rank_jobs {
        match job.enter(source, rules.runs) {
            Ok(contestant) => contestants.push(contestant),
            Err(error) => skipped.push(skip(&job.label(), &error)),
        }
    }
    contestants
}

/// Reports that a contestant is skipped, with the reason.
fn skip(name: &str, error: &anyhow::Error) -> Skipped {
    eprintln!("  {name} skipped: {error:#}");
    Skipped { name: name.to_owned(), reason: format!("{error:#}") }
}

fn verified(graph: &AnyGraph, ids: &[EdgeId]) -> Result<(), String> {
    with_graph!(graph, graph => {
        let certificate = verify(graph.edge_list().edges(Order::Minimum), ids);
        certificate.map(|_| ()).map_err(|violation| violation.to_string())
    })
}

/// A contestant with its times so far.
struct Entry<'a> {
    contestant: Box<dyn Contestant + 'a>,
    seconds: Vec<f64>,
    observed: Option<Observed>,
    failure: Option<String>,
}

impl<'a> Entry<'a> {
    fn new(contestant: Box<dyn Contestant + 'a>) -> Self {
        Self { contestant, seconds: Vec::new(), observed: None, failure: None }
    }

    fn label(&self) -> String {
        let identity = self.contestant.identity();
        record::label(&identity.name, &identity.settings)
    }

    /// Whether it takes another turn.
    fn has_turn(&self, rules: &Rules) -> bool {
        let used = self.seconds.iter().sum::<f64>();
        self.failure.is_none() && rules.patience.is_none_or(|patience| used < patience)
    }

    /// Whether it is observed, which takes another turn.
    fn is_observable(&self, rules: &Rules) -> bool {
        self.failure.is_none() && (self.has_turn(rules) || rules.observe_slow)
    }

    /// The description of the solver; none for a peer and a solver for clusters.
    fn info(&self) -> Option<&'static SolverInfo> {
        kostra::solver(&self.contestant.identity().name).ok().map(Solver::info)
    }

    /// Judges an answer. A solver that is not exact must find as many edges as the others.
    fn judge(&self, answer: Answer, referee: &mut Referee) {
        if self.info().is_some_and(|info| !info.exact) {
            referee.judge_approximate(&self.label(), &answer);
        } else {
            referee.judge(&self.label(), answer);
        }
    }

    fn take_turn(&mut self, round: usize, referee: &mut Referee) {
        let label = self.label();
        match self.contestant.solve() {
            Ok(Solved { seconds, answer }) => {
                eprintln!("  round {round}: {label} {:.3} ms", seconds * 1e3);
                self.seconds.push(seconds);
                self.judge(answer, referee);
            }
            Err(error) => {
                eprintln!("  round {round}: {label} is out: {error:#}");
                self.failure = Some(format!("in round {round}: {error:#}"));
            }
        }
    }

    fn observe(&mut self, referee: &mut Referee) {
        let label = self.label();
        match self.contestant.observe() {
            Ok(Some((observed, answer))) => {
                eprintln!("  observed: {label} {:.3} ms", observed.seconds * 1e3);
                self.observed = Some(observed);
                self.judge(answer, referee);
            }
            Ok(None) => {}
            Err(error) => {
                eprintln!("  observed: {label} is out: {error:#}");
                self.failure = Some(format!("when observed: {error:#}"));
            }
        }
    }

    fn finish(self) -> Result<ContestantResult, Skipped> {
        let (label, identity) = (self.label(), self.contestant.identity().clone());
        let (warm_up, seconds) = match self.seconds.split_first() {
            // The contestant ran out of patience in its warm-up.
            Some((&only, [])) => (only, vec![only]),
            Some((&warm_up, seconds)) => (warm_up, seconds.to_vec()),
            None => (0.0, Vec::new()),
        };
        let timing = Timing::new(warm_up, seconds).filter(|_| self.failure.is_none());
        let Some(timing) = timing else {
            let reason = self.failure.unwrap_or_else(|| "no round was run".to_owned());
            return Err(Skipped { name: label, reason });
        };
        Ok(ContestantResult {
            name: identity.name,
            settings: identity.settings,
            peer: identity.peer,
            version: identity.version,
            build_seconds: identity.build_seconds,
            timing,
            observed: self.observed,
        })
    }
}

/// Compares every answer with the first answer.
#[derive(Default)]
struct Referee {
    reference: Option<(String, Answer)>,
    /// The verifier's verdict on the reference answer; none before the verifier has run.
    verified: Option<bool>,
    disagreements: Vec<String>,
}

impl Referee {
    /// Whether the verifier accepts the first answer. The verifier runs once, because it takes as
    /// long as a solver.
    fn verified(&mut self, graph: &AnyGraph) -> bool {
        *self.verified.get_or_insert_with(|| {
            let ids = self.reference.as_ref().and_then(|(_, answer)| answer.ids.as_ref());
            ids.is_some_and(|ids| {
                verified(graph, ids)
                    .inspect_err(|violation| {
                        self.disagreements.push(format!("the verifier: {violation}"));
                    })
                    .is_ok()
            })
        })
    }

    fn judge_approximate(&mut self, name: &str, answer: &Answer) {
        if let Some((first, reference)) = &self.reference
            && answer.edges != reference.edges
        {
            self.disagreements
                .push(format!("{name} found {} edges, {first} {}", answer.edges, reference.edges));
        }
    }

    fn judge(&mut self, name: &str, answer: Answer) {
        let Some((first, reference)) = &self.reference else {
            self.reference = Some((name.to_owned(), answer));
            return;
        };
        if (answer.edges, &answer.total) != (reference.edges, &reference.total) {
            self.disagreements.push(format!(
                "{name} found {} edges of total weight {}, {first} {} of {}",
                answer.edges, answer.total, reference.edges, reference.total
            ));
        } else if let (Some(ids), Some(expected)) = (&answer.ids, &reference.ids)
            && let Some(at) = (0..ids.len()).find(|&at| ids[at] != expected[at])
        {
            self.disagreements.push(format!(
                "{name} and {first} found different forests of equal weight: entry {at} is edge {} and edge {}",
                ids[at], expected[at]
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(total: &str, ids: Option<&[EdgeId]>) -> Answer {
        Answer { edges: 2, total: total.to_owned(), ids: ids.map(<[EdgeId]>::to_vec) }
    }

    #[test]
    fn the_referee_compares_totals_of_peers_and_edges_of_solvers() {
        let mut referee = Referee::default();
        referee.judge("kruskal", answer("7", Some(&[0, 2])));
        referee.judge("peer", answer("7", None));
        referee.judge("boruvka", answer("7", Some(&[0, 2])));
        assert_eq!(referee.disagreements, [""; 0]);
        referee.judge("boruvka", answer("7", Some(&[0, 1])));
        referee.judge("peer", answer("8", None));
        assert_eq!(
            referee.disagreements,
            [
                "boruvka and kruskal found different forests of equal weight: entry 1 is edge 1 and edge 2",
                "peer found 2 edges of total weight 8, kruskal 2 of 7",
            ]
        );
    }
}
