//! Plots of partitions: cut and time of each contestant, per number of parts.

use super::cells::distinct;
use super::plot::{Axis, Plot, Series};
use super::typed::bars;
use crate::partition::PartitionResult;

/// Two plots for each number of parts.
pub(super) fn plots(title: &str, results: &[PartitionResult]) -> Vec<Plot> {
    let parts = distinct(results.iter().map(|result| result.parts));
    parts
        .into_iter()
        .flat_map(|parts| {
            let results: Vec<_> = results.iter().filter(|one| one.parts == parts).collect();
            [cut(title, parts, &results), time(title, parts, &results)]
        })
        .collect()
}

fn cut(title: &str, parts: u32, results: &[&PartitionResult]) -> Plot {
    let least = |graph: &str| {
        let of_graph = results.iter().filter(|one| one.graph == graph);
        of_graph.filter_map(|one| one.median_cut()).min_by(f64::total_cmp)
    };
    let plot = bars(
        format!("{title}-cut-{parts}"),
        &format!("Edge cut of {parts} parts"),
        "cut divided by the least cut",
        distinct(results.iter().map(|one| one.shown_graph())),
        series(results, |one| Some(one.median_cut()? / least(&one.graph)?.max(1.0))),
    );
    Plot { note: "Partitions that exceed the balance do not count.".to_owned(), ..plot }
}

fn time(title: &str, parts: u32, results: &[&PartitionResult]) -> Plot {
    let plot = bars(
        format!("{title}-time-{parts}"),
        &format!("CPU time of {parts} parts"),
        "CPU seconds",
        distinct(results.iter().map(|one| one.shown_graph())),
        series(results, PartitionResult::median_cpu_seconds),
    );
    Plot { values: Axis::log("CPU seconds").from(1e-3), ..plot }
}

/// A series for each contestant, with a position for each graph.
fn series(
    results: &[&PartitionResult],
    figure: impl Fn(&PartitionResult) -> Option<f64>,
) -> Vec<Series> {
    let graphs = distinct(results.iter().map(|one| one.graph.as_str()));
    let line = |contestant: &str| {
        let points = results.iter().filter(|one| one.contestant == contestant).filter_map(|one| {
            let at = graphs.iter().position(|graph| *graph == one.graph)?;
            Some((at as f64, figure(one)?))
        });
        Series::measured(contestant, points.collect())
    };
    distinct(results.iter().map(|one| one.contestant.as_str())).into_iter().map(line).collect()
}
