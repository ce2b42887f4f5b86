//! Plots of partitions: cut and time of each contestant, per number of parts, and the steps on a
//! device beside their cost analysis.

use super::cells::distinct;
use super::plot::{Axis, Kind, Origin, Panel, Plot, Series};
use super::typed::bars;
use crate::partition::PartitionResult;
use crate::partition::cost::{self, Fit, Step};

/// Two plots for each number of parts, and one for each observed partition.
pub(super) fn plots(title: &str, results: &[PartitionResult]) -> Vec<Plot> {
    let parts = distinct(results.iter().map(|result| result.parts));
    let of_parts = parts.into_iter().flat_map(|parts| {
        let results: Vec<_> = results.iter().filter(|one| one.parts == parts).collect();
        [cut(title, parts, &results), time(title, parts, &results)]
    });
    of_parts.chain(costs(title, results)).collect()
}

/// The steps of each observed partition beside the cost analysis, which is fitted to all of them.
fn costs(title: &str, results: &[PartitionResult]) -> Vec<Plot> {
    let all: Vec<Step> = results.iter().flat_map(cost::steps).collect();
    let Some(fit) = Fit::to(&all) else { return Vec::new() };
    let note = format!(
        "One point for each level. T_p = max({:.1} us x launches, {:.1} ps x memory transfers). ",
        fit.launch * 1e6,
        fit.transfer * 1e12
    );
    let plot = |result: &PartitionResult| {
        let steps = cost::steps(result);
        let names = distinct(steps.iter().map(|step| step.name.as_str()));
        let (graph, contestant, parts) = (&result.graph, &result.contestant, result.parts);
        let panels = names.into_iter().map(|name| panel(name, &steps, fit)).collect();
        Plot {
            id: format!(
                "{title}-cost-{}-{contestant}-{parts}",
                graph.replace([':', '=', ','], "-")
            ),
            title: format!("Steps of {contestant}, {graph}, {parts} parts"),
            note: note.clone(),
            kind: Kind::Lines,
            positions: Axis::log("edges of the level"),
            values: Axis::log("seconds"),
            panels,
        }
    };
    results.iter().filter(|result| result.observed.is_some()).map(plot).collect()
}

fn panel(name: &str, steps: &[Step], fit: Fit) -> Panel {
    let line = |figure: &dyn Fn(&Step) -> f64| {
        let own = steps.iter().filter(|step| step.name == name);
        let mut points: Vec<_> = own.map(|step| (step.edges, figure(step))).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        points
    };
    let model = Series {
        name: "T_p".to_owned(),
        origin: Origin::Bound,
        points: line(&|step| fit.seconds(step)),
    };
    Panel {
        title: name.to_owned(),
        categories: Vec::new(),
        series: vec![Series::measured("measured", line(&|step| step.seconds)), model],
    }
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
