//! The contest: in each round, all contestants solve the same graph in turn. A referee compares
//! their answers.
//!
//! Turns make ratios reliable on a shared machine: if the machine slows down for a minute, all
//! contestants slow down.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use kostra::{AnyGraph, EdgeId, Order, Representation, Run, Solver, verify, with_graph};

use crate::awake::Awake;
use crate::contestant::{Answer, Contestant, KostraSolver, RESIDENT_ROWS, ResidentRows, Solved};
use crate::graphs::GraphSource;
use crate::peers::{Handout, Peer};
use crate::record::{ContestantResult, GraphResult, Skipped};
use crate::statistics::Timing;

/// The pause before each turn of several contestants, in which the previous contestant's threads
/// stop.
const REST: Duration = Duration::from_millis(20);

/// The settings of a contest.
pub(crate) struct Rules {
    /// The solvers, in the order of their turns.
    pub(crate) solvers: Vec<&'static dyn Solver>,
    /// The peers. Their turns follow those of the solvers.
    pub(crate) peers: Vec<Peer>,
    /// The folder of the peers that are programs.
    pub(crate) peer_programs: Option<PathBuf>,
    /// The number of counted rounds, after one warm-up round.
    pub(crate) runs: usize,
    /// The numbers of threads per contestant, with one contest each.
    pub(crate) threads: Vec<usize>,
}

/// Runs the contests on one graph, one per number of threads.
///
/// # Errors
/// If the graph cannot be generated or read. The result contains contestants' failures; they are
/// not errors.
pub(crate) fn hold(source: &GraphSource, rules: &Rules) -> Result<Vec<GraphResult>> {
    let graph = source.load()?;
    // Answers must agree across numbers of threads, so all contests share the referee.
    let mut referee = Referee::default();
    Ok(rules
        .threads
        .iter()
        .map(|&threads| hold_on(threads, source, &graph, rules, &mut referee))
        .collect())
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
        enter(graph, rules, threads, &mut skipped).into_iter().map(Entry::new).collect();
    let (awake, alone) = (Awake::keep(), entries.len() == 1);
    for round in 0..=rules.runs {
        for entry in entries.iter_mut().filter(|entry| entry.failure.is_none()) {
            if !alone {
                thread::sleep(REST);
            }
            entry.take_turn(round, referee);
        }
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
    graph: &'a AnyGraph,
    rules: &Rules,
    threads: usize,
    skipped: &mut Vec<Skipped>,
) -> Vec<Box<dyn Contestant + 'a>> {
    let start = Instant::now();
    let mut infos = rules.solvers.iter().map(|solver| solver.info());
    if let Some(info) = infos.find(|info| info.representation == Representation::Csr) {
        // A failure occurs again in that solver's turn, which reports it.
        let _ = with_graph!(graph, graph => graph.csr(info.id, &mut Run::new()).map(drop));
    }
    let csr_seconds = start.elapsed().as_secs_f64();
    let mut contestants: Vec<Box<dyn Contestant>> = Vec::new();
    for &solver in &rules.solvers {
        let info = solver.info();
        if info.id != RESIDENT_ROWS {
            contestants.push(Box::new(KostraSolver::new(solver, graph, threads, csr_seconds)));
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
    failure: Option<String>,
}

impl<'a> Entry<'a> {
    fn new(contestant: Box<dyn Contestant + 'a>) -> Self {
        Self { contestant, seconds: Vec::new(), failure: None }
    }

    fn take_turn(&mut self, round: usize, referee: &mut Referee) {
        let name = self.contestant.identity().name.clone();
        match self.contestant.solve() {
            Ok(Solved { seconds, answer }) => {
                eprintln!("  round {round}: {name} {:.3} ms", seconds * 1e3);
                self.seconds.push(seconds);
                referee.judge(&name, answer);
            }
            Err(error) => {
                eprintln!("  round {round}: {name} is out: {error:#}");
                self.failure = Some(format!("in round {round}: {error:#}"));
            }
        }
    }

    fn finish(self) -> Result<ContestantResult, Skipped> {
        let identity = self.contestant.identity().clone();
        let (warm_up, seconds) = match self.seconds.split_first() {
            Some((&warm_up, seconds)) => (warm_up, seconds.to_vec()),
            None => (0.0, Vec::new()),
        };
        let timing = Timing::new(warm_up, seconds).filter(|_| self.failure.is_none());
        let Some(timing) = timing else {
            let reason = self.failure.unwrap_or_else(|| "no round was run".to_owned());
            return Err(Skipped { name: identity.name, reason });
        };
        Ok(ContestantResult {
            name: identity.name,
            peer: identity.peer,
            version: identity.version,
            build_seconds: identity.build_seconds,
            timing,
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
