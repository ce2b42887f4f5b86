//! Plots and tables of the parts of a paper's experiment: phases and sweeps beside the published
//! ones, phases and kernels by round, and phases over ranks.

use super::cells::distinct;
use super::plot::{Axis, Kind, Origin, Panel, Plot, Series};
use super::table::{Entry, Table};
use crate::papers::{
    Line, PhaseColumn, ShownMeasure, ShownPhases, ShownRankPhase, ShownRounds, ShownSweep,
};
use crate::statistics::milliseconds;

/// The phases beside the published ones as stacks: a panel for each graph, a row for each solve.
pub(super) fn phases(all: &[ShownPhases], name: &impl Fn(usize) -> String) -> Option<Plot> {
    let panel = |shown: &ShownPhases| {
        let phases = shown.columns.iter().flat_map(|column| &column.phases);
        let phases = distinct(phases.map(|(phase, _)| phase.clone()));
        let share = |phase: &str, column: &PhaseColumn| {
            let found = column.phases.iter().find(|(known, _)| known == phase);
            found.map(|(_, figure)| 100.0 * figure / column.total.max(f64::MIN_POSITIVE))
        };
        let series = |origin: Origin, phase: &String| {
            let columns = shown.columns.iter().enumerate();
            let columns =
                columns.filter(|(_, column)| column.published == (origin == Origin::Published));
            let points =
                columns.filter_map(|(at, column)| Some((at as f64, share(phase, column)?)));
            Series { name: phase.clone(), origin, points: points.collect() }
        };
        let origins = [Origin::Measured, Origin::Published];
        let pairs = phases.iter().flat_map(|phase| origins.map(|origin| series(origin, phase)));
        let category = |column: &PhaseColumn| {
            let paper = if column.published { "paper: " } else { "" };
            format!("{paper}{}: {} ms", column.label, milliseconds(column.total / 1e3))
        };
        Panel {
            title: name(shown.position),
            categories: shown.columns.iter().map(category).collect(),
            series: pairs.collect(),
        }
    };
    let plot = Plot {
        id: String::new(),
        title: "Phases beside the paper's".to_owned(),
        note: "The share of each phase in the time of the solve, which is beside the name. Where \
               the paper prints no total, its time is the sum of its phases. Ours are of one more \
               solve, which was observed and not timed. What is missing to 100 % is outside of \
               phases. "
            .to_owned(),
        kind: Kind::Stacks,
        positions: Axis::linear(""),
        values: Axis::linear("share of the solve, %"),
        panels: all.iter().map(panel).collect(),
    };
    plot.cleaned()
}

/// The phases beside the published ones in milliseconds: a table for each graph.
pub(super) fn phase_tables(all: &[ShownPhases], name: &impl Fn(usize) -> String) -> Vec<Table> {
    let table = |shown: &ShownPhases| {
        let phases = shown.columns.iter().flat_map(|column| &column.phases);
        let phases = distinct(phases.map(|(phase, _)| phase.as_str()));
        let row = |phase: &&str| {
            let figure = |column: &PhaseColumn| {
                let found = column.phases.iter().find(|(known, _)| known == phase);
                Entry::number(found.map(|(_, figure)| *figure))
            };
            let figures = shown.columns.iter().map(figure);
            [Entry::Text((*phase).to_owned())].into_iter().chain(figures).collect()
        };
        let totals = shown.columns.iter().map(|column| Entry::number(Some(column.total)));
        let total = [Entry::Text("total".to_owned())].into_iter().chain(totals).collect();
        let rows = phases.iter().map(row).chain([total]).collect();
        let head = |column: &PhaseColumn| {
            let paper = if column.published { "paper: " } else { "" };
            format!("{paper}{}", column.label)
        };
        let heads: Vec<_> =
            ["phase".to_owned()].into_iter().chain(shown.columns.iter().map(head)).collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let caption = format!(
            "Phases on {} in ms. Columns `paper:` are published figures.",
            name(shown.position)
        );
        Table::new(caption, &heads, rows)
    };
    all.iter().map(table).collect()
}

fn line((name, points): &Line) -> Series {
    Series::measured(name, points.clone())
}

/// The published sweeps of a measure beside ours: a panel for each graph. `name` is the graph's.
pub(super) fn sweeps(measure: &ShownMeasure, name: &impl Fn(usize) -> String) -> Plot {
    let panel = |sweep: &ShownSweep| {
        let theirs = sweep.published.iter().map(|(heading, points)| Series {
            name: format!("paper: {heading}"),
            origin: Origin::Published,
            points: points.clone(),
        });
        Panel {
            title: name(sweep.position),
            categories: Vec::new(),
            series: sweep.measured.iter().map(line).chain(theirs).collect(),
        }
    };
    let option = measure.sweeps.first().map_or("", |sweep| sweep.option);
    Plot {
        id: String::new(),
        title: measure.title.clone(),
        note: String::new(),
        kind: Kind::Lines,
        positions: Axis::log(option),
        values: Axis::log(&measure.title),
        panels: measure.sweeps.iter().map(panel).collect(),
    }
}

/// Phases or kernels by round: a panel for each contestant on each graph.
pub(super) fn rounds(measure: &ShownMeasure, name: &impl Fn(usize) -> String) -> Plot {
    let panel = |shown: &ShownRounds| Panel {
        title: format!("{}, {}", name(shown.position), shown.contestant),
        categories: Vec::new(),
        series: shown.lines.iter().map(line).collect(),
    };
    Plot {
        id: String::new(),
        title: measure.title.clone(),
        note: "Of several settings, the fastest is shown. ".to_owned(),
        kind: Kind::Lines,
        positions: Axis { base: None, ..Axis::linear("round") },
        values: Axis::linear(&measure.title),
        panels: measure.rounds.iter().map(panel).collect(),
    }
}

/// The phases of jobs on ranks: least, median and most.
pub(super) fn rank_table(all: &[ShownRankPhase], name: &impl Fn(usize) -> String) -> Option<Table> {
    const HEADS: [&str; 12] = [
        "graph",
        "job",
        "phase",
        "least ms",
        "median ms of ranks",
        "most ms",
        "communication, median ms",
        "communication, most ms",
        "waiting, median ms",
        "waiting, most ms",
        "bytes sent, median",
        "most bytes sent",
    ];
    let row = |one: &ShownRankPhase| {
        let communication = one.communication.as_ref();
        let waiting = one.waiting.as_ref();
        let bytes = one.bytes.as_ref();
        vec![
            Entry::Text(name(one.position)),
            Entry::Text(one.job.clone()),
            Entry::Text(one.phase.clone()),
            Entry::milliseconds(one.seconds.least),
            Entry::milliseconds(one.seconds.median),
            Entry::milliseconds(one.seconds.most),
            Entry::number(communication.map(|spread| 1e3 * spread.median)),
            Entry::number(communication.map(|spread| 1e3 * spread.most)),
            Entry::number(waiting.map(|spread| 1e3 * spread.median)),
            Entry::number(waiting.map(|spread| 1e3 * spread.most)),
            Entry::number(bytes.map(|spread| spread.median)),
            Entry::number(bytes.map(|spread| spread.most)),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    let caption = "Phases over ranks: the times of the fastest, the median and the slowest rank.";
    (!rows.is_empty()).then(|| Table::new(caption.to_owned(), &HEADS, rows))
}
