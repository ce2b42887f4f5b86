//! The plots of records: speed-up bars, scaling curves, the time of phases, and the distance to the
//! speed of memory. A group has a plot if its cells have what it shows.

use super::plot::{Axis, Kind, Panel, Plot, Series};
use crate::cells::{Cell, Group, distinct};
use crate::statistics::milliseconds;

/// All plots that the cells of a group give.
pub(super) fn plots(group: &Group) -> Vec<Plot> {
    let others = [scaling(group), phase_times(group), bandwidth(group)];
    let plots = speed_ups(group).into_iter().chain(others).filter_map(Plot::cleaned);
    let named = |plot: Plot| match &*group.id {
        "" => plot,
        id => Plot { id: format!("{id}-{}", plot.id), ..plot },
    };
    plots.map(named).collect()
}

/// The cells of each number of ranks and threads.
fn places(group: &Group) -> Vec<(String, Vec<&Cell>)> {
    let places = distinct(group.cells.iter().map(Cell::place));
    let cells = |place: String| {
        let here = group.cells.iter().filter(|cell| cell.place() == place).collect();
        (place, here)
    };
    places.into_iter().map(cells).collect()
}

/// A panel with a category for each graph and a series for each contestant.
fn by_graph(cells: &[&Cell], value: impl Fn(&Cell) -> Option<f64>) -> Panel {
    let graphs = distinct(cells.iter().map(|cell| &cell.graph));
    let series = |label: String| {
        let own = cells.iter().filter(|cell| cell.label() == label);
        let point = |cell: &&Cell| {
            let at = graphs.iter().position(|graph| **graph == cell.graph)?;
            Some((at as f64, value(cell)?))
        };
        Series::measured(&label, own.filter_map(point).collect())
    };
    let labels = distinct(cells.iter().map(|cell| cell.label()));
    Panel {
        title: String::new(),
        categories: graphs.iter().map(|&graph| graph.clone()).collect(),
        series: labels.into_iter().map(series).collect(),
    }
}

/// The median of the fastest peer on the graph, or of the slowest contestant if no peer took part,
/// divided by the median of each contestant.
fn speed_ups(group: &Group) -> Vec<Plot> {
    let plot = |(place, cells): (String, Vec<&Cell>)| {
        let with_peers = cells.iter().any(|cell| cell.peer);
        let reference = |graph: &str| {
            let here = cells.iter().filter(|cell| cell.graph == graph);
            let times = here.filter(|cell| !with_peers || cell.peer).map(|cell| cell.median);
            times.reduce(if with_peers { f64::min } else { f64::max })
        };
        let whom = if with_peers { "fastest peer" } else { "slowest contestant" };
        let comma = if place.is_empty() { "" } else { ", on " };
        Plot {
            id: format!("speed-up-{}", place.replace(' ', "-")),
            title: format!("Times as fast as the {whom}{comma}{place}"),
            kind: Kind::Bars,
            positions: Axis::linear(""),
            values: Axis::log(&format!("times as fast as the {whom}")).from(1.0),
            panels: vec![by_graph(&cells, |cell| Some(reference(&cell.graph)? / cell.median))],
        }
    };
    places(group).into_iter().map(plot).collect()
}

/// The median on the least number of threads, divided by the median. Bounds are the ideal line, and
/// the multiplications that the processors do together, where processors share cores.
fn scaling(group: &Group) -> Plot {
    let panel = |graph: &str| {
        let here = || group.cells.iter().filter(|cell| cell.graph == graph);
        let speed_up = |label: String| {
            let own = here().filter(|cell| cell.label() == label);
            let mut points: Vec<_> =
                own.filter_map(|cell| Some((cell.threads? as f64, cell.median))).collect();
            points.sort_by(|(left, _), (right, _)| left.total_cmp(right));
            let first = points.first().map_or(0.0, |(_, median)| *median);
            points.iter_mut().for_each(|(_, median)| *median = first / *median);
            (points.len() > 1).then(|| Series::measured(&label, points))
        };
        let labels = distinct(here().map(Cell::label));
        let mut series: Vec<_> = labels.into_iter().filter_map(speed_up).collect();
        series.extend(bounds(group, &series));
        Panel { title: graph.to_owned(), categories: Vec::new(), series }
    };
    Plot {
        id: "scaling-threads".to_owned(),
        title: "Speed-up by the number of threads".to_owned(),
        kind: Kind::Lines,
        positions: Axis::log("threads"),
        values: Axis::log("speed-up").from(1.0),
        panels: group.graphs().into_iter().map(panel).collect(),
    }
}

fn bounds(group: &Group, lines: &[Series]) -> Vec<Series> {
    let threads = || lines.iter().flat_map(|line| line.points.iter().map(|(at, _)| *at));
    let (Some(first), Some(last)) = (threads().reduce(f64::min), threads().reduce(f64::max)) else {
        return Vec::new();
    };
    let mut all = vec![Series::bound("in proportion", vec![(first, 1.0), (last, last / first)])];
    let speeds = group
        .memory
        .iter()
        .filter_map(|speed| Some((speed.threads as f64, speed.multiplications_per_nanosecond?)));
    let mut points: Vec<_> = speeds.filter(|(at, _)| (first..=last).contains(at)).collect();
    points.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    if let [(at, one), .., _] = points[..]
        && at == first
    {
        points.iter_mut().for_each(|(_, speed)| *speed /= one);
        all.push(Series::bound("these processors, by multiplications", points));
    }
    all
}

/// The time of the solve that the phases are of.
fn whole(cell: &Cell) -> f64 {
    let sum: f64 = cell.phases.iter().map(|(_, seconds)| seconds).sum();
    sum.max(cell.observed.unwrap_or(sum))
}

/// The phases that have a color of their own in a panel. The others are added up.
const MOST_PHASES: usize = 9;

/// The phases with the greatest shares of the solves, in the order of the solve.
fn long_phases<'a>(cells: &[&'a Cell]) -> Vec<&'a str> {
    let mut shares: Vec<(&str, f64)> = Vec::new();
    for (cell, (phase, seconds)) in
        cells.iter().flat_map(|&cell| cell.phases.iter().map(move |one| (cell, one)))
    {
        let share = seconds / whole(cell);
        match shares.iter_mut().find(|(known, _)| known == phase) {
            Some((_, sum)) => *sum += share,
            None => shares.push((phase, share)),
        }
    }
    let mut sums: Vec<_> = shares.iter().map(|(_, sum)| *sum).collect();
    sums.sort_by(|left, right| right.total_cmp(left));
    let least = sums.get(MOST_PHASES - 1).copied().unwrap_or(0.0);
    shares.into_iter().filter(|(_, sum)| *sum >= least).map(|(phase, _)| phase).collect()
}

/// The phases of the observed solves in milliseconds: a panel for each graph with a row for each
/// cell.
fn phase_times(group: &Group) -> Plot {
    let labels = distinct(group.cells.iter().map(Cell::label));
    let panel = |graph: &str| {
        let here = group.cells.iter().filter(|cell| cell.graph == graph && !cell.phases.is_empty());
        let mut here: Vec<_> = here.collect();
        here.sort_by_key(|cell| labels.iter().position(|label| *label == cell.label()));
        let name = |cell: &&Cell| {
            format!("{}, {}: {} ms", cell.label(), cell.place(), milliseconds(whole(cell)))
        };
        let long = long_phases(&here);
        let series = |name: &str, is_part: &dyn Fn(&str) -> bool| {
            let part = |(at, cell): (usize, &&Cell)| {
                let parts = cell.phases.iter().filter(|(phase, _)| is_part(phase));
                let seconds: f64 = parts.map(|(_, seconds)| seconds).sum();
                (seconds > 0.0).then_some((at as f64, seconds / 1e-3))
            };
            Series::measured(name, here.iter().enumerate().filter_map(part).collect())
        };
        let mut all: Vec<_> = long.iter().map(|one| series(one, &|phase| phase == *one)).collect();
        all.push(series("other phases", &|phase| !long.contains(&phase)));
        Panel { title: graph.to_owned(), categories: here.iter().map(name).collect(), series: all }
    };
    Plot {
        id: "phase-times".to_owned(),
        title: "Time of the phases".to_owned(),
        kind: Kind::Stacks,
        positions: Axis::linear(""),
        values: Axis::linear("ms"),
        panels: group.graphs().into_iter().map(panel).collect(),
    }
}

/// The bytes of both passes divided by the median: both read each weight, and then each edge with
/// its ends and weight. A solver that drops edges by weight alone, or whose graph fits the caches,
/// can exceed the speed of memory.
fn bandwidth(group: &Group) -> Plot {
    let panel = |(place, cells): (String, Vec<&Cell>)| {
        let threads = cells.first()?.threads?;
        let speed = group.memory.iter().find(|speed| speed.threads as u64 == threads)?;
        let cells: Vec<_> = cells.into_iter().filter(|cell| !cell.device).collect();
        let mut panel = by_graph(&cells, |cell| Some(cell.bytes? as f64 / cell.median / 1e9));
        let bound = (0..panel.categories.len()).map(|at| (at as f64, speed.read_gb_per_second));
        panel.series.push(Series::bound("measured speed of reading memory", bound.collect()));
        panel.title = format!("on {place}, which read {:.1} GB/s", speed.read_gb_per_second);
        Some(panel)
    };
    Plot {
        id: "bandwidth".to_owned(),
        title: "Roofline: bytes of both passes per second, beside the measured speed of memory"
            .to_owned(),
        kind: Kind::Dots,
        positions: Axis::linear(""),
        values: Axis::log("GB/s"),
        panels: places(group).into_iter().filter_map(panel).collect(),
    }
}
