//! Plots that compare contestants on the same graphs: speed-up bars, phase stacks, rounds, and the
//! distance to the speed of memory.

use super::cells::{Cell, Group, distinct};
use super::plot::{Axis, Kind, Origin, Panel, Plot, Series};

/// More bars than these are replaced by their geometric means over the graphs.
const MOST_BARS: usize = 110;

/// All plots of this kind that the cells of a group give.
pub(super) fn plots(group: &Group) -> Vec<Plot> {
    let plots = speed_ups(group)
        .into_iter()
        .chain([phases(group), rounds(group), bandwidth(group)].into_iter().flatten());
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

fn speed_ups(group: &Group) -> Vec<Plot> {
    let mut plots = Vec::new();
    for (place, cells) in places(group) {
        let labels = distinct(cells.iter().map(|cell| cell.label()));
        let with_peers = cells.iter().any(|cell| cell.peer);
        if labels.len() < 2 {
            continue;
        }
        let graphs = distinct(cells.iter().map(|cell| &*cell.graph));
        let on = |graph: &str| {
            cells.iter().filter(|cell| cell.graph == graph).copied().collect::<Vec<_>>()
        };
        // The ratio of each contestant on each graph that has a reference.
        let ratio = |label: &str, graph: &str| {
            let here = on(graph);
            let cell = here.iter().find(|cell| cell.label() == label)?;
            (here.len() > 1).then_some(reference(&here, with_peers)? / cell.median)
        };
        let mean = |label: &String| {
            let logs: Vec<f64> =
                graphs.iter().filter_map(|graph| ratio(label, graph)).map(f64::ln).collect();
            (!logs.is_empty())
                .then(|| ((logs.iter().sum::<f64>() / logs.len() as f64).exp(), logs.len()))
        };
        let many = labels.len() * graphs.len() > MOST_BARS;
        let panel = if many {
            let means: Vec<_> =
                labels.iter().filter_map(|label| Some((label, mean(label)?))).collect();
            let points = means.iter().enumerate().map(|(at, (_, (mean, _)))| (at as f64, *mean));
            Panel {
                title: format!("geometric means over the graphs of each contestant, on {place}"),
                categories: means
                    .iter()
                    .map(|(label, (_, count))| format!("{label} ({count} graphs)"))
                    .collect(),
                series: vec![Series::measured("geometric mean", points.collect())],
            }
        } else {
            let series = |label: &String| {
                let points = graphs.iter().enumerate();
                let points =
                    points.filter_map(|(at, graph)| Some((at as f64, ratio(label, graph)?)));
                Series::measured(label, points.collect())
            };
            Panel {
                title: format!("on {place}"),
                categories: graphs.iter().map(|&graph| graph.to_owned()).collect(),
                series: labels.iter().map(series).collect(),
            }
        };
        let whom = if with_peers { "fastest peer" } else { "slowest contestant" };
        plots.push(Plot {
            id: format!("{}-speed-up-{}", group.id, place.replace(' ', "-")),
            title: format!("Times as fast as the {whom}, on {place}"),
            note: format!(
                "A bar is the median time of the {whom} on the graph, divided by the median of the \
                 contestant. Longer is faster; bars to the left of 1 are slower."
            ),
            kind: Kind::Bars,
            positions: Axis::linear(""),
            values: Axis::log(&format!("times as fast as the {whom}")).from(1.0),
            panels: vec![panel],
        });
    }
    plots
}

/// The fastest cell with `wanted` data of each graph, contestant and place, in panels by
/// contestant.
fn fastest<'a>(group: &'a Group, wanted: impl Fn(&Cell) -> bool) -> Vec<(&'a str, Vec<&'a Cell>)> {
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

/// The name of a cell in a panel of its contestant.
fn category(cell: &Cell, places: usize) -> String {
    let settings = cell.settings.iter().map(|(name, value)| format!(" {name}={value}"));
    let place = if places > 1 { format!(", {}", cell.place()) } else { String::new() };
    format!("{}{place}{}", cell.graph, settings.collect::<String>())
}

fn phases(group: &Group) -> Option<Plot> {
    let places = places(group).len();
    let panel = |(name, cells): (&str, Vec<&Cell>)| {
        let whole = |cell: &Cell| {
            let sum: f64 = cell.phases.iter().map(|(_, seconds)| seconds).sum();
            sum.max(cell.observed.unwrap_or(sum)).max(f64::MIN_POSITIVE)
        };
        let names =
            distinct(cells.iter().flat_map(|cell| cell.phases.iter().map(|(name, _)| &**name)));
        let series = names.iter().map(|&name| {
            let share = |(at, cell): (usize, &&Cell)| {
                let (_, seconds) = cell.phases.iter().find(|(phase, _)| phase == name)?;
                Some((at as f64, 100.0 * seconds / whole(cell)))
            };
            Series::measured(name, cells.iter().enumerate().filter_map(share).collect())
        });
        let milliseconds = |cell: &&Cell| {
            format!("{}: {} ms", category(cell, places), crate::report::milliseconds(whole(cell)))
        };
        Panel {
            title: name.to_owned(),
            categories: cells.iter().map(milliseconds).collect(),
            series: series.collect(),
        }
    };
    let panels: Vec<_> =
        fastest(group, |cell| !cell.phases.is_empty()).into_iter().map(panel).collect();
    Some(Plot {
        id: format!("{}-phases", group.id),
        title: "Phases of the solvers".to_owned(),
        note: "Shares of one more solve, which was observed and takes the time beside its name. \
               What is missing to 100 % is outside of phases. Of several settings, the fastest is \
               shown."
            .to_owned(),
        kind: Kind::Stacks,
        positions: Axis::linear(""),
        values: Axis::linear("share of the observed solve, %"),
        panels,
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
