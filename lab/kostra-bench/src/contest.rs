//! The contest: in each round, all contestants solve the same graph in turn. A referee compares
//! their answers.
//!
//! Turns make ratios reliable on a shared machine: if the machine slows down for a minute, all
//! contestants slow down.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use kostra_core::{AnyGraph, Representation, Run, Solver, SolverInfo, with_graph};

use crate::awake::Awake;
use crate::contestant::{
    AnswerProperties, Contestant, KostraSolver, RESIDENT_ROWS, ResidentRows, Timed, TimedAnswer,
};
use crate::graphs::GraphOrigin;
use crate::observed::Observed;
use crate::peers::{Handout, Peer};
use crate::rank_job::RankJob;
use crate::record::{self, ContestantResult, GraphResult, Skipped};
use crate::referee::Referee;
use crate::statistics::Timing;
use crate::sweep::Entrant;

/// The pause before each turn of several contestants, in which the previous contestant's threads
/// stop.
const REST: Duration = Duration::from_millis(20);

/// How many times longer patience lasts for the first [`Rules::least_turns`] turns.
const LONGER: f64 = 15.0;

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
    /// The number of turns, with the warm-up, for which patience lasts [`LONGER`] times as long:
    /// the lowest of three times needs three.
    pub(crate) least_turns: usize,
    /// Whether a contestant that ran out of patience is observed.
    pub(crate) observe_slow: bool,
}

/// The finished contests on a graph.
pub(crate) fn finished_on(results: &[GraphResult], graph: &str) -> Vec<GraphResult> {
    results.iter().filter(|result| result.name == graph).cloned().collect()
}

/// Runs the contests on one graph, one per number of threads. `finished` has the results of the
/// first ones, which an interrupted suite has kept. Calls `keep` with all results so far after each
/// contest. Returns all results, and the reason if the graph cannot be generated or read.
///
/// # Errors
/// Those of `keep`. The result contains contestants' failures; they are not errors.
pub(crate) fn hold(
    source: &GraphOrigin,
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
    source: &GraphOrigin,
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
    let (mut contestants, mut wrong) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry.finish() {
            Ok(result) => contestants.push(result),
            Err(Failure::Wrong(reason)) => wrong.push(reason),
            Err(Failure::Refused(reason)) => skipped.push(reason),
        }
    }
    let reference = referee.reference().cloned();
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
        forest_edges: reference.as_ref().map_or(0, |answer| answer.edges),
        total_weight: reference.map_or_else(String::new, |answer| answer.total),
        verified,
        contestants,
        wrong,
        skipped,
        disagreements: referee.take_disagreements(),
    }
}

/// The contestants that can run, each with the graph in its own format.
fn enter<'a>(
    (source, graph): (&GraphOrigin, &'a AnyGraph),
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

/// A contestant with its times so far.
struct Entry<'a> {
    contestant: Box<dyn Contestant + 'a>,
    seconds: Vec<f64>,
    observed: Option<Observed>,
    failure: Option<Failure>,
}

/// Why a contestant has no result. None of its times counts.
enum Failure {
    /// A solver of Kostra refused the graph.
    Refused(Skipped),
    /// It gave a wrong answer, or it is a peer that stopped answering.
    Wrong(Skipped),
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
        let factor = if self.seconds.len() < rules.least_turns { LONGER } else { 1.0 };
        self.failure.is_none() && rules.patience.is_none_or(|patience| used < factor * patience)
    }

    /// Whether it is observed, which takes another turn.
    fn is_observable(&self, rules: &Rules) -> bool {
        self.failure.is_none() && (self.has_turn(rules) || rules.observe_slow)
    }

    /// The description of the solver; none for a peer and a solver for clusters.
    fn info(&self) -> Option<&'static SolverInfo> {
        kostra::solver(&self.contestant.identity().name).ok().map(Solver::info)
    }

    /// Judges an answer. A solver that is not exact must find as many edges as the others. A
    /// contestant with a wrong answer is out.
    fn judge(&mut self, when: &str, answer: AnswerProperties, referee: &mut Referee) {
        let label = self.label();
        let difference = if self.info().is_some_and(|info| !info.exact) {
            referee.judge_approximate(&label, &answer)
        } else {
            referee.judge(&label, answer)
        };
        if let Some(difference) = difference {
            eprintln!("  {when}: {label} is wrong: {difference}");
            let reason = format!("{when}: {difference}");
            self.failure = Some(Failure::Wrong(Skipped { name: label, reason }));
        }
    }

    /// Notes an error. A peer that has been ready and fails then is wrong; Kostra's solvers refuse
    /// some graphs.
    fn fail(&mut self, when: &str, error: &anyhow::Error) {
        let name = self.label();
        eprintln!("  {when}: {name} is out: {error:#}");
        let reason = Skipped { name, reason: format!("{when}: {error:#}") };
        let is_peer = self.contestant.identity().peer;
        self.failure =
            Some(if is_peer { Failure::Wrong(reason) } else { Failure::Refused(reason) });
    }

    fn take_turn(&mut self, round: usize, referee: &mut Referee) {
        let when = format!("in round {round}");
        match self.contestant.solve() {
            Ok(TimedAnswer { seconds, answer }) => {
                eprintln!("  round {round}: {} {:.3} ms", self.label(), seconds * 1e3);
                self.seconds.push(seconds);
                self.judge(&when, answer, referee);
            }
            Err(error) => self.fail(&when, &error),
        }
    }

    fn observe(&mut self, referee: &mut Referee) {
        const WHEN: &str = "when observed";
        match self.contestant.observe() {
            Ok(Some((observed, answer))) => {
                eprintln!("  observed: {} {:.3} ms", self.label(), observed.seconds * 1e3);
                self.observed = Some(observed);
                self.judge(WHEN, answer, referee);
            }
            Ok(None) => {}
            Err(error) => self.fail(WHEN, &error),
        }
    }

    fn finish(self) -> Result<ContestantResult, Failure> {
        let (label, identity) = (self.label(), self.contestant.identity().clone());
        let (warm_up, seconds) = match self.seconds.split_first() {
            // The contestant ran out of patience in its warm-up.
            Some((&only, [])) => (only, vec![only]),
            Some((&warm_up, seconds)) => (warm_up, seconds.to_vec()),
            None => (0.0, Vec::new()),
        };
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let Some(timing) = Timing::new(warm_up, seconds) else {
            let reason = "no round was run".to_owned();
            return Err(Failure::Refused(Skipped { name: label, reason }));
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
