//! Parts of a paper's experiments as data for plots: phases beside published tables of phases,
//! sweeps beside published sweeps, kernels by round, and phases over ranks.

use super::phases::{observed, rows_by_round, traffic};
use super::values::Place;
use super::{Measure, Published, PublishedPhases};
use crate::observed::{Observed, Spread};
use crate::record::{ContestantResult, ExperimentResult, GraphResult, label};

/// The row of a published table that holds the sum.
const TOTAL: &str = "total";

/// The phases of several solves of one graph.
pub(crate) struct ShownPhases {
    /// The position of the graph in the experiment.
    pub(crate) position: usize,
    /// The published columns, then the measured ones.
    pub(crate) columns: Vec<PhaseColumn>,
}

/// The phases of one solve, in milliseconds.
pub(crate) struct PhaseColumn {
    /// The paper's heading, or the contestant.
    pub(crate) label: String,
    /// Whether the figures are the paper's.
    pub(crate) published: bool,
    /// The phases in order.
    pub(crate) phases: Vec<(String, f64)>,
    /// The time of the solve. If the paper prints no total, the sum of the phases.
    pub(crate) total: f64,
}

/// A published sweep of a graph beside the measured one. A line is a name with positions and
/// values.
pub(crate) struct ShownSweep {
    /// The position in the experiment of the first result on the graph.
    pub(crate) position: usize,
    /// What is swept, such as `threads`.
    pub(crate) option: &'static str,
    /// The paper's lines.
    pub(crate) published: Vec<Line>,
    /// The contestants' lines.
    pub(crate) measured: Vec<Line>,
}

/// A name, and positions with values.
pub(crate) type Line = (String, Vec<(f64, f64)>);

/// The phases or kernels of one contestant by round.
pub(crate) struct ShownRounds {
    /// The position of the graph in the experiment.
    pub(crate) position: usize,
    /// The contestant.
    pub(crate) contestant: String,
    /// A line for each phase or kernel, over rounds.
    pub(crate) lines: Vec<Line>,
}

/// One phase of a job on ranks.
pub(crate) struct ShownRankPhase {
    /// The position of the graph in the experiment.
    pub(crate) position: usize,
    /// The solver with the numbers of ranks and threads.
    pub(crate) job: String,
    pub(crate) phase: String,
    /// The seconds of each rank.
    pub(crate) seconds: Spread,
    /// The seconds in which each rank communicates.
    pub(crate) communication: Option<Spread>,
    /// The seconds of them in which each rank waits.
    pub(crate) waiting: Option<Spread>,
    /// The bytes that each rank sends.
    pub(crate) bytes: Option<Spread>,
}

/// The graphs that have published phases, beside the observed solves.
pub(super) fn phases(published: &[PublishedPhases], result: &ExperimentResult) -> Vec<ShownPhases> {
    let theirs = |figures: &PublishedPhases| {
        let rows = figures.rows.iter().filter(|(phase, _)| *phase != TOTAL);
        let phases: Vec<_> = rows.map(|(phase, figure)| ((*phase).to_owned(), *figure)).collect();
        let sum = phases.iter().map(|(_, figure)| figure).sum();
        let total = figures.rows.iter().find(|(phase, _)| *phase == TOTAL);
        let total = total.map_or(sum, |(_, figure)| *figure);
        PhaseColumn { label: figures.heading.to_owned(), published: true, phases, total }
    };
    let ours = |(contestant, observed): (&ContestantResult, &Observed)| {
        let totals = observed.totals().into_iter();
        PhaseColumn {
            label: contestant.label(),
            published: false,
            phases: totals.map(|(phase, seconds)| (phase.to_owned(), 1e3 * seconds)).collect(),
            total: 1e3 * observed.seconds,
        }
    };
    let on = |(position, graph): (usize, &GraphResult)| {
        let figures = published.iter().filter(|figures| figures.graph == graph.name);
        let mut columns: Vec<_> = figures.map(theirs).collect();
        let measured = observed(graph).filter(|(_, observed)| !observed.phases.is_empty());
        let measured: Vec<_> = measured.map(ours).collect();
        let both = !columns.is_empty() && !measured.is_empty();
        columns.extend(measured);
        both.then_some(ShownPhases { position, columns })
    };
    result.graphs.iter().enumerate().filter_map(on).collect()
}

/// The sweeps that the paper prints of a measure, beside the measured ones.
pub(super) fn sweeps(
    published: &Published,
    measure: Measure,
    result: &ExperimentResult,
) -> Vec<ShownSweep> {
    let Some(option) = published.sweep.first().and_then(|(_, key, _)| key.split('=').next()) else {
        return Vec::new();
    };
    let value = |key: &str| key.split_once('=').and_then(|(_, value)| value.parse::<f64>().ok());
    let columns = published.columns.iter().enumerate().filter(|(_, (of, _))| *of == measure);
    let columns: Vec<_> = columns.map(|(at, (_, heading))| (at, *heading)).collect();
    let theirs = |graph: &str| -> Vec<Line> {
        let line = |&(column, heading): &(usize, &str)| {
            let rows = published.sweep.iter().filter(|(name, ..)| *name == graph);
            let points = rows.filter_map(|(_, key, row)| Some((value(key)?, row[column]?)));
            (heading.to_owned(), points.collect())
        };
        columns.iter().map(line).collect()
    };
    let mut all: Vec<ShownSweep> = Vec::new();
    for (position, graph) in result.graphs.iter().enumerate() {
        let known = |sweep: &ShownSweep| result.graphs[sweep.position].name == graph.name;
        let published = theirs(&graph.name);
        if all.iter().any(known) || published.iter().all(|(_, points)| points.is_empty()) {
            continue;
        }
        let measured = swept(measure, option, &graph.name, result);
        all.push(ShownSweep { position, option, published, measured });
    }
    all
}

/// The lines of the contestants on a graph, by the value of an option.
fn swept(measure: Measure, option: &str, name: &str, result: &ExperimentResult) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for graph in result.graphs.iter().filter(|graph| graph.name == name) {
        for contestant in &graph.contestants {
            let mut settings = contestant.settings.clone();
            let own = settings.remove(option);
            let threads = graph.threads.filter(|_| option == "threads").map(|count| count as u64);
            let Some(at) = own.or(threads) else { continue };
            let values = measure.values(Place { result, graph, contestant });
            let Some(&value) = values.first().and_then(|group| group.first()) else { continue };
            let (point, key) =
                ((at as f64, measure.in_unit(value)), label(&contestant.name, &settings));
            match lines.iter_mut().find(|(known, _)| *known == key) {
                Some((_, points)) => points.push(point),
                None => lines.push((key, vec![point])),
            }
        }
    }
    for (_, points) in &mut lines {
        points.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    }
    lines
}

/// The phases or kernels of each contestant by round. Of several settings, the fastest is shown.
pub(super) fn by_round(measure: Measure, result: &ExperimentResult) -> Vec<ShownRounds> {
    let mut all = Vec::new();
    for (position, graph) in result.graphs.iter().enumerate() {
        for (contestant, observed) in observed(graph) {
            let same = graph.contestants.iter().filter(|other| other.name == contestant.name);
            if same.into_iter().any(|other| other.timing.median < contestant.timing.median) {
                continue;
            }
            let line = |(name, values): (&str, Vec<(u32, f64)>)| {
                let points = values.into_iter().map(|(round, value)| (f64::from(round), value));
                (name.to_owned(), points.collect())
            };
            let lines: Vec<Line> = rows_by_round(measure, observed).into_iter().map(line).collect();
            if !lines.is_empty() {
                all.push(ShownRounds { position, contestant: contestant.label(), lines });
            }
        }
    }
    all
}

/// The phases of all jobs on ranks.
pub(super) fn over_ranks(result: &ExperimentResult) -> Vec<ShownRankPhase> {
    let mut all = Vec::new();
    for (position, graph) in result.graphs.iter().enumerate() {
        for (contestant, observed) in observed(graph) {
            for (phase, _) in observed.totals() {
                let Some(seconds) = observed.phase_on_ranks(phase) else { continue };
                let [communication, waiting, bytes] = traffic(observed, phase);
                all.push(ShownRankPhase {
                    position,
                    job: contestant.label(),
                    phase: phase.to_owned(),
                    seconds,
                    communication,
                    waiting,
                    bytes,
                });
            }
        }
    }
    all
}
