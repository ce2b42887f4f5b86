//! Plots of what changes along a sweep: threads, ranks, sizes, and options of a solver.

use super::cells::{Cell, Group, distinct};
use super::plot::{Axis, Kind, Origin, Panel, Plot, Series};

/// Fewer sizes than these show no course.
const FEWEST_SIZES: usize = 3;

/// More lines than these are reduced to one for each contestant.
const MOST_LINES: usize = 10;

/// All plots of this kind that the cells of a group give.
pub(super) fn plots(group: &Group) -> Vec<Plot> {
    let mut plots = vec![
        scaling(group, "threads", |cell| cell.threads, |cell| cell.ranks),
        scaling(group, "ranks", |cell| cell.ranks, |cell| cell.threads),
        sizes(group),
    ];
    let options = distinct(group.cells.iter().flat_map(|cell| cell.settings.keys()));
    plots.extend(options.into_iter().map(|option| swept(group, option)));
    plots.into_iter().filter_map(Plot::cleaned).collect()
}

/// Lines by a key, for the cells that have a position. Lines with fewer than `fewest` distinct
/// positions are left out.
fn lines<'a>(
    cells: impl Iterator<Item = &'a Cell>,
    key: impl Fn(&Cell) -> String,
    position: impl Fn(&Cell) -> Option<f64>,
    fewest: usize,
) -> Vec<(String, Vec<(f64, &'a Cell)>)> {
    let mut lines: Vec<(String, Vec<(f64, &Cell)>)> = Vec::new();
    for cell in cells {
        let (key, Some(at)) = (key(cell), position(cell)) else { continue };
        match lines.iter_mut().find(|(known, _)| *known == key) {
            Some((_, points)) => points.push((at, cell)),
            None => lines.push((key, vec![(at, cell)])),
        }
    }
    for (_, points) in &mut lines {
        points.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    }
    lines.retain(|(_, points)| distinct(points.iter().map(|(at, _)| *at)).len() >= fewest);
    lines
}

fn scaling(
    group: &Group,
    what: &str,
    count: fn(&Cell) -> Option<u64>,
    other: fn(&Cell) -> Option<u64>,
) -> Plot {
    let several = distinct(group.cells.iter().map(other)).len() > 1;
    let other_name = if what == "threads" { "ranks" } else { "threads per rank" };
    let key = |cell: &Cell| match other(cell).filter(|_| several) {
        Some(other) => format!("{}, {other} {other_name}", cell.label()),
        None => cell.label(),
    };
    let panel = |graph: &str| {
        let here = group.cells.iter().filter(|cell| cell.graph == graph);
        let lines = lines(here, key, |cell| count(cell).map(|count| count as f64), 2);
        let speed_up = |(label, points): &(String, Vec<(f64, &Cell)>)| {
            let first = points.first().map_or(0.0, |(_, cell)| cell.median);
            let points = points.iter().map(|&(at, cell)| (at, first / cell.median));
            Series::measured(label, points.collect())
        };
        let mut series: Vec<_> = lines.iter().map(speed_up).collect();
        let ends: Vec<f64> =
            lines.iter().flat_map(|(_, points)| points.iter().map(|(at, _)| *at)).collect();
        series.extend(bounds(group, what, &ends));
        Panel { title: graph.to_owned(), categories: Vec::new(), series }
    };
    Plot {
        id: format!("{}-scaling-{what}", group.id),
        title: format!("Speed-up by the number of {what}"),
        note: format!(
            "The median time on the least number of {what}, divided by the median time. Long dashes: \
             a speed-up in proportion to the number of {what}. Short dashes: the multiplications \
             that the processors do together, where processors share cores."
        ),
        kind: Kind::Lines,
        positions: Axis::log(what),
        values: Axis::log("speed-up").from(1.0),
        panels: group.graphs().into_iter().map(panel).collect(),
    }
}

/// The ideal line, and what the processors do together if the record has it.
fn bounds(group: &Group, what: &str, positions: &[f64]) -> Vec<Series> {
    let bound =
        |name: &str, points| Series { name: name.to_owned(), origin: Origin::Bound, points };
    let (Some(first), Some(last)) =
        (positions.iter().copied().reduce(f64::min), positions.iter().copied().reduce(f64::max))
    else {
        return Vec::new();
    };
    let mut all = vec![bound("in proportion", vec![(first, 1.0), (last, last / first)])];
    if what == "threads" {
        let mut points: Vec<_> = group
            .memory
            .iter()
            .filter_map(|speed| Some((speed.threads as f64, speed.multiplications_per_nanosecond?)))
            .filter(|(threads, _)| (first..=last).contains(threads))
            .collect();
        points.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        if let [(at, one), .., _] = points[..]
            && at == first
        {
            let points = points.iter().map(|&(at, speed)| (at, speed / one));
            all.push(bound("these processors, by multiplications", points.collect()));
        }
    }
    all
}

/// The time by the number of edges, on graphs of one generator.
fn sizes(group: &Group) -> Plot {
    let place = |cell: &Cell| (cell.family.clone(), cell.ranks, cell.threads);
    let panel = |here| {
        let here = group.cells.iter().filter(|cell| place(cell) == here);
        let here: Vec<&Cell> = here.collect();
        let lines = lines(
            here.iter().copied(),
            Cell::label,
            |cell| cell.edges.map(|edges| edges as f64),
            FEWEST_SIZES,
        );
        let times = |(label, points): &(String, Vec<(f64, &Cell)>)| {
            let points = points.iter().map(|&(at, cell)| (at, 1e3 * cell.median));
            Series::measured(label, points.collect())
        };
        let cell = here.first()?;
        Some(Panel {
            title: format!("{}, {}", cell.family.as_ref()?, cell.place()),
            categories: Vec::new(),
            series: lines.iter().map(times).collect(),
        })
    };
    Plot {
        id: format!("{}-sizes", group.id),
        title: "Time by the number of edges".to_owned(),
        note: "A panel has the graphs of one generator. Their numbers of vertices can differ; the \
               table has them."
            .to_owned(),
        kind: Kind::Lines,
        positions: Axis::log("edges"),
        values: Axis::log("median time, ms"),
        panels: distinct(group.cells.iter().map(place)).into_iter().filter_map(panel).collect(),
    }
}

/// The time by the value of an option. The other contestants are no part of the plot.
fn swept(group: &Group, option: &String) -> Plot {
    let several = distinct(group.cells.iter().map(|cell| (cell.ranks, cell.threads))).len() > 1;
    let key = |cell: &Cell| {
        let mut settings = cell.settings.clone();
        settings.remove(option);
        let label = crate::record::label(&cell.name, &settings);
        if several { format!("{label}, {}", cell.place()) } else { label }
    };
    let value = |cell: &Cell| cell.settings.get(option).map(|&value| value as f64);
    let swept = group.cells.iter().filter(|cell| value(cell).is_some());
    let many = distinct(swept.map(key)).len() > MOST_LINES;
    let key = |cell: &Cell| if many { cell.name.clone() } else { key(cell) };
    let panel = |graph: &str| {
        let here = group.cells.iter().filter(|cell| cell.graph == graph);
        let times = |(label, points): &(String, Vec<(f64, &Cell)>)| {
            let mut best: Vec<(f64, f64)> = Vec::new();
            for &(at, cell) in points {
                let time = 1e3 * cell.median;
                match best.last_mut().filter(|(last, _)| *last == at) {
                    Some((_, least)) => *least = least.min(time),
                    None => best.push((at, time)),
                }
            }
            Series::measured(label, best)
        };
        let series = lines(here, key, value, 2).iter().map(times).collect();
        Panel { title: graph.to_owned(), categories: Vec::new(), series }
    };
    let values: Vec<f64> = group.cells.iter().filter_map(value).collect();
    let spread = values.iter().all(|&value| value > 0.0)
        && distinct(values.iter().copied().map(f64::to_bits)).len() > 2;
    let positions = Axis { label: option.clone(), log: spread, base: None };
    Plot {
        id: format!("{}-option-{option}", group.id),
        title: format!("Time by the option {option}"),
        note: format!(
            "Medians. Solvers without the option are in the table.{}",
            if many { " Of several values of other options, the fastest is shown." } else { "" }
        ),
        kind: Kind::Lines,
        positions,
        values: Axis::log("median time, ms"),
        panels: group.graphs().into_iter().map(panel).collect(),
    }
}
