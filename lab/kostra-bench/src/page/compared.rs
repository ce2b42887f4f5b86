//! Plots that compare contestants on the same graphs: speed-up bars, phase stacks, rounds, and the
//! distance to the speed of memory.

use std::collections::BTreeMap;

use super::cells::{Cell, Group, distinct};
use super::plot::{Axis, Kind, Origin, Panel, Plot, Series};

/// More bars than these are replaced by their geometric means over the graphs.
const MOST_BARS: usize = 110;

/// All plots of this kind that the cells of a group give.
pub(super) fn plots(group: &Group) -> Vec<Plot> {
    let plots = speed_ups(group).into_iter().chain(
        [phases(group), phase_times(group), rounds(group), bandwidth(group)].into_iter().flatten(),
    );
    plots.filter_map(Plot::cleaned).collect()
}

/// The cells of each number of ranks and threads.
fn places(group: &Group) -> Vec<(String, Vec<&Cell>)> {
    let places = distinct(group.cells.iter().map(|cell| (cell.ranks, cell.threads)));
    let cells = |(ranks, threads)| {
        let here =
            group.cells.iter().filter(move |cell| (cell.ranks, cell.threads) == (ranks, threads));
        let here: Vec<&Cell> = here.collect();
        (here.first().map_or_else(String::new, |cell| cell.place()), here)
    };
    places.into_iter().map(cells).collect()
}

/// The time that a graph's bars are relative to: that of the fastest peer, or of the slowest
/// contestant if no peer took part.
fn reference(cells: &[&Cell], with_peers: bool) -> Option<f64> {
    let times = cells.iter().filter(|cell| !with_peers || cell.peer).map(|cell| cell.median);
    if with_peers { times.reduce(f64::min) } else { times.reduce(f64::max) }
}

/// More contestants than these are shown with their fastest settings only.
pub(super) const MOST_CONTESTANTS: usize = 12;

/// The cells with the fastest settings of each contestant on each graph, without their settings.
fn without_settings(cells: &[&Cell]) -> Vec<Cell> {
    let mut best: Vec<Cell> = Vec::new();
    for cell in cells {
        match best.iter_mut().find(|known| (&known.graph, &known.name) == (&cell.graph, &cell.name))
        {
            Some(known) => known.median = known.median.min(cell.median),
            None => best.push(Cell { settings: BTreeMap::new(), ..(*cell).clone() }),
        }
    }
    best
}

/// The ratios of one number of ranks and threads.
struct Ratios<'a> {
    place: &'a str,
    graphs: Vec<&'a str>,
    /// The contestants, with their ratio on each graph where they have one.
    contestants: Vec<(String, Vec<Option<f64>>)>,
}

impl<'a> Ratios<'a> {
    fn new(place: &'a str, cells: &[&'a Cell], with_peers: bool) -> Self {
        let graphs = distinct(cells.iter().map(|cell| &*cell.graph));
        let labels = distinct(cells.iter().map(|cell| cell.label()));
        let ratio = |label: &str, graph: &str| {
            let here = cells.iter().filter(|cell| cell.graph == graph).copied();
            let here: Vec<&Cell> = here.collect();
            let cell = here.iter().find(|cell| cell.label() == label)?;
            (here.len() > 1).then_some(reference(&here, with_peers)? / cell.median)
        };
        let ratios = |label: String| {
            let ratios = graphs.iter().map(|graph| ratio(&label, graph)).collect();
            (label, ratios)
        };
        Self { place, contestants: labels.into_iter().map(ratios).collect(), graphs }
    }

    /// A group of bars for each graph.
    fn by_graph(&self) -> Panel {
        let series = |(label, ratios): &(String, Vec<Option<f64>>)| {
            let points = ratios.iter().enumerate();
            let points = points.filter_map(|(at, ratio)| Some((at as f64, (*ratio)?)));
            Series::measured(label, points.collect())
        };
        Panel {
            title: String::new(),
            categories: self.graphs.iter().map(|&graph| graph.to_owned()).collect(),
            series: self.contestants.iter().map(series).collect(),
        }
    }

    /// One bar for each contestant.
    fn means(&self) -> Panel {
        let mean = |(label, ratios): &(String, Vec<Option<f64>>)| {
            let logs: Vec<f64> = ratios.iter().flatten().map(|ratio| ratio.ln()).collect();
            let count = logs.len();
            let mean = (logs.iter().sum::<f64>() / count as f64).exp();
            (count > 0).then(|| (format!("{label} ({count} graphs)"), mean))
        };
        let means: Vec<_> = self.contestants.iter().filter_map(mean).collect();
        let points = means.iter().enumerate().map(|(at, (_, mean))| (at as f64, *mean));
        let series = vec![Series::measured("geometric mean", points.collect())];
        let categories = means.iter().map(|(label, _)| label.clone()).collect();
        let title =
            format!("geometric means over the graphs of each contestant, on {}", self.place);
        Panel { title, categories, series }
    }
}

fn speed_ups(group: &Group) -> Vec<Plot> {
    let plot = |(place, cells): (String, Vec<&Cell>)| {
        let with_peers = cells.iter().any(|cell| cell.peer);
        let contestants = distinct(cells.iter().map(|cell| cell.label())).len();
        let (reduced, hint) = if contestants > MOST_CONTESTANTS {
            (without_settings(&cells), " Of several settings, the fastest on the graph is shown.")
        } else {
            (cells.into_iter().cloned().collect(), "")
        };
        let cells: Vec<&Cell> = reduced.iter().collect();
        let ratios = Ratios::new(&place, &cells, with_peers);
        let bars = ratios.contestants.len() * ratios.graphs.len();
        let panel = if bars > MOST_BARS { ratios.means() } else { ratios.by_graph() };
        let whom = if with_peers { "fastest peer" } else { "slowest contestant" };
        let comma = if place.is_empty() { "" } else { ", on " };
        Plot {
            id: format!("{}-speed-up-{}", group.id, place.replace(' ', "-")),
            title: format!("Times as fast as the {whom}{comma}{place}"),
            note: format!(
                "A bar is the median time of the {whom} on the graph, divided by the median of the \
                 contestant. Longer is faster; bars to the left of 1 are slower.{hint}"
            ),
            kind: Kind::Bars,
            positions: Axis::linear(""),
            values: Axis::log(&format!("times as fast as the {whom}")).from(1.0),
            panels: vec![panel],
        }
    };
    let several = |(_, cells): &(String, Vec<&Cell>)| {
        distinct(cells.iter().map(|cell| cell.label())).len() > 1
    };
    places(group).into_iter().filter(several).map(plot).collect()
}

/// The fastest cell with `wanted` data of each graph, contestant and place, in panels by
/// contestant.
fn fastest(group: &Group, wanted: impl Fn(&Cell) -> bool) -> Vec<(&str, Vec<&Cell>)> {
    let names = distinct(group.cells.iter().map(|cell| &*cell.name));
    let panel = |name| {
        let mut best: Vec<&Cell> = Vec::new();
        for cell in group.cells.iter().filter(|cell| cell.name == name && wanted(cell)) {
            let key = |cell: &Cell| (cell.graph.clone(), cell.ranks, cell.threads);
            match best.iter_mut().find(|known| key(known) == key(cell)) {
                Some(known) if known.median <= cell.median => {}
                Some(known) => *known = cell,
                None => best.push(cell),
            }
        }
        (name, best)
    };
    names.into_iter().map(panel).filter(|(_, cells)| !cells.is_empty()).collect()
}

/// The greatest ratio of two times of solves that are shown on one axis.
const MOST_TIMES: f64 = 100.0;

/// The phases that have a color of their own in a panel. The others are added up.
const MOST_PHASES: usize = 9;

/// The name of a cell in a panel of its contestant, without what all cells share.
fn category(cell: &Cell, group: &Group) -> String {
    let varies =
        |count: fn(&Cell) -> Option<u64>| distinct(group.cells.iter().map(count)).len() > 1;
    let of_ranks = cell.ranks.filter(|_| varies(|cell| cell.ranks));
    let of_threads = cell.threads.filter(|_| varies(|cell| cell.threads));
    let place = Cell { ranks: of_ranks, threads: of_threads, ..Cell::default() }.place();
    let settings = cell.settings.iter().map(|(name, value)| format!(" {name}={value}"));
    let comma = if place.is_empty() { "" } else { ", " };
    format!("{}{comma}{place}{}", cell.graph, settings.collect::<String>())
}

/// The time of the solve that the phases are of.
fn whole(cell: &Cell) -> f64 {
    let sum: f64 = cell.phases.iter().map(|(_, seconds)| seconds).sum();
    sum.max(cell.observed.unwrap_or(sum)).max(f64::MIN_POSITIVE)
}

/// The phases of a panel: the longest ones by their shares of all cells, in the order of the solve.
fn long_phases<'a>(cells: &[&'a Cell]) -> Vec<&'a str> {
    let all = cells.iter().flat_map(|cell| cell.phases.iter().map(|(name, _)| &**name));
    let names = distinct(all);
    let share = |name: &str| -> f64 {
        let of = |cell: &&Cell| {
            let found = cell.phases.iter().filter(|(phase, _)| phase == name);
            found.map(|(_, seconds)| seconds).sum::<f64>() / whole(cell)
        };
        cells.iter().map(of).sum()
    };
    let mut longest = names.clone();
    longest.sort_by(|left, right| share(right).total_cmp(&share(left)));
    longest.truncate(MOST_PHASES);
    names.into_iter().filter(|name| longest.contains(name)).collect()
}

/// A row for each cell, with a piece for each long phase, in units of the cell's `unit` seconds.
fn stacks(
    title: &str,
    cells: &[&Cell],
    name: impl Fn(&Cell) -> String,
    unit: impl Fn(&Cell) -> f64,
) -> Panel {
    let long = long_phases(cells);
    let series = |name: &str, is_part: &dyn Fn(&str) -> bool| {
        let part = |(at, cell): (usize, &&Cell)| {
            let parts = cell.phases.iter().filter(|(phase, _)| is_part(phase));
            let seconds: f64 = parts.map(|(_, seconds)| seconds).sum();
            (seconds > 0.0).then_some((at as f64, seconds / unit(cell)))
        };
        Series::measured(name, cells.iter().enumerate().filter_map(part).collect())
    };
    let mut all: Vec<_> =
        long.iter().map(|&name| series(name, &|phase: &str| phase == name)).collect();
    all.push(series("other phases", &|phase: &str| !long.contains(&phase)));
    let milliseconds = |cell: &&Cell| {
        format!("{}: {} ms", name(cell), crate::statistics::milliseconds(whole(cell)))
    };
    let categories = cells.iter().map(milliseconds).collect();
    Panel { title: title.to_owned(), categories, series: all }
}

/// The sentence that names the solve whose phases are stacked.
fn observed_solve(group: &Group) -> &'static str {
    if group.cells.iter().any(|cell| cell.ranks.is_some()) {
        "Medians of the timed solves."
    } else {
        "Of one more solve, which was observed and not timed."
    }
}

fn phases(group: &Group) -> Option<Plot> {
    let order = group.graphs();
    let panel = |(name, mut cells): (&str, Vec<&Cell>)| {
        cells.sort_by_key(|cell| order.iter().position(|graph| *graph == cell.graph));
        stacks(name, &cells, |cell| category(cell, group), |cell| whole(cell) / 100.0)
    };
    let panels: Vec<_> =
        fastest(group, |cell| !cell.phases.is_empty()).into_iter().map(panel).collect();
    Some(Plot {
        id: format!("{}-phases", group.id),
        title: "Phases of the solvers".to_owned(),
        note: format!(
            "{} Its time is beside the name of the graph. What is missing to 100 % is outside of \
             phases. Of several settings, the fastest is shown.",
            observed_solve(group)
        ),
        kind: Kind::Stacks,
        positions: Axis::linear(""),
        values: Axis::linear("share of the solve, %"),
        panels,
    })
}

/// The phases in milliseconds, so that solvers can be compared: a panel for each graph. The bars of
/// a long solve make those of a short one invisible, so a graph of several orders is left out.
fn phase_times(group: &Group) -> Option<Plot> {
    let panel = |graph: &str| {
        let solvers = fastest(group, |cell| cell.graph == graph && !cell.phases.is_empty());
        let several = solvers.len() > 1;
        let cells: Vec<&Cell> = solvers.into_iter().flat_map(|(_, cells)| cells).collect();
        let name = |cell: &Cell| match cell.place() {
            place if place.is_empty() => cell.label(),
            place => format!("{}, {place}", cell.label()),
        };
        let times = cells.iter().map(|cell| whole(cell));
        let most = times.clone().fold(0.0, f64::max);
        let least = times.fold(f64::INFINITY, f64::min);
        let visible = several && most < MOST_TIMES * least;
        visible.then(|| stacks(graph, &cells, name, |_| 1e-3))
    };
    Some(Plot {
        id: format!("{}-phase-times", group.id),
        title: "Time of the phases".to_owned(),
        note: format!("{} Of several settings, the fastest is shown.", observed_solve(group)),
        kind: Kind::Stacks,
        positions: Axis::linear(""),
        values: Axis::linear("ms"),
        panels: group.graphs().into_iter().filter_map(panel).collect(),
    })
}

fn rounds(group: &Group) -> Option<Plot> {
    let contestants = fastest(group, |cell| cell.rounds.len() > 1);
    let most = group.cells.iter().map(|cell| cell.threads).max().flatten();
    let line = |graph: &str, (name, cells): &(&str, Vec<&Cell>)| {
        // Rounds hardly depend on the number of threads, so the greatest number stands for all.
        let cell = cells.iter().find(|cell| cell.graph == graph && cell.threads == most)?;
        let points =
            cell.rounds.iter().map(|&(round, components)| (f64::from(round), components as f64));
        Some(Series::measured(*name, points.collect()))
    };
    let panel = |graph: &str| Panel {
        title: graph.to_owned(),
        categories: Vec::new(),
        series: contestants.iter().filter_map(|contestant| line(graph, contestant)).collect(),
    };
    Some(Plot {
        id: format!("{}-rounds", group.id),
        title: "Components at the start of each round".to_owned(),
        note: "As the solver counts them, in the observed solve.".to_owned(),
        kind: Kind::Lines,
        positions: Axis::linear("round"),
        values: Axis::log("components"),
        panels: group.graphs().into_iter().map(panel).collect(),
    })
}

fn bandwidth(group: &Group) -> Option<Plot> {
    let panel = |(place, cells): (String, Vec<&Cell>)| {
        let threads = cells.first()?.threads?;
        let speed = group.memory.iter().find(|speed| speed.threads as u64 == threads)?;
        let cells: Vec<_> = cells.into_iter().filter(|cell| !cell.device).collect();
        let graphs = distinct(cells.iter().map(|cell| &*cell.graph));
        let value = |label: &str, graph: &str| {
            let cell = cells.iter().find(|cell| cell.graph == graph && cell.label() == label)?;
            Some((cell.edges? * cell.bytes_per_edge?) as f64 / cell.median / 1e9)
        };
        let labels = distinct(cells.iter().map(|cell| cell.label()));
        let mut series: Vec<_> = labels
            .iter()
            .map(|label| {
                let points = graphs.iter().enumerate();
                Series::measured(
                    label,
                    points
                        .filter_map(|(at, graph)| Some((at as f64, value(label, graph)?)))
                        .collect(),
                )
            })
            .collect();
        let bound = (0..graphs.len()).map(|at| (at as f64, speed.read_gb_per_second));
        series.push(Series {
            name: "measured speed of reading memory".to_owned(),
            origin: Origin::Bound,
            points: bound.collect(),
        });
        let categories = graphs.iter().map(|&graph| graph.to_owned()).collect();
        Some(Panel {
            title: format!("on {place}, which read {:.1} GB/s", speed.read_gb_per_second),
            categories,
            series,
        })
    };
    Some(Plot {
        id: format!("{}-bandwidth", group.id),
        title: "Roofline: bytes of both passes per second, beside the measured speed of memory"
            .to_owned(),
        note: "Both passes read each weight, and then each edge with its ends and weight. The \
               value is these bytes divided by the median time. A solver that drops edges by \
               weight alone, or whose graph fits the caches, can exceed the speed of memory."
            .to_owned(),
        kind: Kind::Dots,
        positions: Axis::linear(""),
        values: Axis::log("GB/s"),
        panels: places(group).into_iter().filter_map(panel).collect(),
    })
}
