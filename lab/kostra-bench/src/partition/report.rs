//! The tables of partitions: geometric means per class, and each graph.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::programs::METIS;
use super::{PartitionResult, PartitionRun, cost};

/// Times below one millisecond count as one: clocks tick too slowly for them.
const LEAST_SECONDS: f64 = 0.001;

/// Adds the tables of the results.
pub(crate) fn table(text: &mut String, results: &[PartitionResult]) -> std::fmt::Result {
    means(text, results)?;
    writeln!(text)?;
    writeln!(
        text,
        "| graph | k | contestant | cut | balance | CPU s | wall s | partitions | unbalanced | \
         failed |"
    )?;
    writeln!(text, "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|")?;
    for result in results {
        let unbalanced = result.runs.iter().filter(|run| !run.balanced).count();
        let figure = |of: fn(&PartitionRun) -> f64, digits: usize| {
            median(result, of).map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {unbalanced} | {} |",
            result.shown_graph(),
            result.parts,
            result.contestant,
            figure(|run| run.cut as f64, 0),
            figure(|run| run.balance, 4),
            figure(|run| run.cpu_seconds, 3),
            figure(|run| run.wall_seconds, 3),
            result.runs.len(),
            result.failures.len(),
        )?;
    }
    costs(text, results)
}

/// Adds the cost analysis of the steps on a device, if steps were observed.
fn costs(text: &mut String, results: &[PartitionResult]) -> std::fmt::Result {
    let steps: Vec<_> = results.iter().flat_map(cost::steps).collect();
    let Some(fit) = cost::Fit::to(&steps) else { return Ok(()) };
    writeln!(
        text,
        "\nT_p of the steps on the device, with three fitted constants: {:.1} us per launch, {:.1} \
         ps per memory transfer and {:.3} ps per operation.\n",
        fit.launch * 1e6,
        fit.transfer * 1e12,
        fit.operation * 1e12,
    )?;
    let [launches, transfers, operations] = fit.deciding_terms(&steps);
    writeln!(
        text,
        "The launches are the greatest term {launches} times, the transfers {transfers} times and \
         the operations {operations} times.\n"
    )?;
    writeln!(text, "| step | levels | measured s | measured / T_p | spread |")?;
    writeln!(text, "|---|--:|--:|--:|--:|")?;
    for one in fit.residuals(&steps) {
        writeln!(
            text,
            "| {} | {} | {:.4} | {:.2} | {:.2} |",
            one.name, one.levels, one.seconds, one.ratio, one.spread
        )?;
    }
    Ok(())
}

/// Adds the geometric means relative to METIS, if it took part.
fn means(text: &mut String, results: &[PartitionResult]) -> std::fmt::Result {
    if results.iter().all(|result| result.contestant != METIS) {
        return Ok(());
    }
    writeln!(
        text,
        "Geometric means of the median over METIS's median. A partition that exceeds the balance \
         does not count, and neither does a graph where METIS or the contestant has no other. \
         METIS has one thread, so its CPU time is also its wall time.\n"
    )?;
    writeln!(text, "| class | contestant | cut | CPU time | wall time | graphs x k | left out |")?;
    writeln!(text, "|---|---|--:|--:|--:|--:|--:|")?;
    let of_class = |result: &PartitionResult| (result.class.clone(), result.contestant.clone());
    let mut seen = BTreeSet::new();
    for (class, contestant) in results.iter().map(of_class).filter(|key| seen.insert(key.clone())) {
        let own = results.iter().filter(|one| one.class == class && one.contestant == contestant);
        let ratios: Vec<_> = own.map(|one| ratio(one, results)).collect();
        let counted: Vec<Ratio> = ratios.iter().copied().flatten().collect();
        let mean = |figure: fn(&Ratio) -> f64| {
            let logarithms: f64 = counted.iter().map(|ratio| figure(ratio).ln()).sum();
            (logarithms / counted.len() as f64).exp()
        };
        if counted.is_empty() {
            writeln!(text, "| {class} | {contestant} | - | - | - | 0 | {} |", ratios.len())?;
            continue;
        }
        writeln!(
            text,
            "| {class} | {contestant} | {:.3} | {:.2} | {:.3} | {} | {} |",
            mean(|ratio| ratio.cut),
            mean(|ratio| ratio.cpu),
            mean(|ratio| ratio.wall),
            counted.len(),
            ratios.len() - counted.len(),
        )?;
    }
    Ok(())
}

/// A contestant's figures divided by those of METIS on the same graph and number of parts.
#[derive(Clone, Copy)]
struct Ratio {
    cut: f64,
    cpu: f64,
    /// The wall time divided by METIS's CPU time: the wall time of METIS's process includes
    /// reading.
    wall: f64,
}

fn ratio(result: &PartitionResult, results: &[PartitionResult]) -> Option<Ratio> {
    let metis = results.iter().find(|other| {
        other.contestant == METIS && other.graph == result.graph && other.parts == result.parts
    })?;
    // A cut of 0 counts as 1, so that a ratio exists.
    let cut = |one: &PartitionResult| one.median_cut().map(|cut| cut.max(1.0));
    let cpu = |one: &PartitionResult| Some(one.median_cpu_seconds()?.max(LEAST_SECONDS));
    let wall = if result.contestant == METIS {
        cpu(result)?
    } else {
        result.median_wall_seconds()?.max(LEAST_SECONDS)
    };
    Some(Ratio {
        cut: cut(result)? / cut(metis)?,
        cpu: cpu(result)? / cpu(metis)?,
        wall: wall / cpu(metis)?,
    })
}

/// The median of a figure of the balanced runs: the upper one of an even number.
pub(super) fn median(result: &PartitionResult, of: impl Fn(&PartitionRun) -> f64) -> Option<f64> {
    let mut figures: Vec<f64> = result.runs.iter().filter(|run| run.balanced).map(of).collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::super::Failure;
    use super::*;

    fn result(contestant: &str, cuts: &[(u64, bool)]) -> PartitionResult {
        let run = |&(cut, balanced): &(u64, bool)| PartitionRun {
            seed: 1,
            cut,
            balance: 1.0,
            balanced,
            empty_parts: 0,
            cpu_seconds: cut as f64,
            wall_seconds: 1.0,
            process_cpu_seconds: None,
            device: None,
        };
        PartitionResult {
            graph: "grid".to_owned(),
            stand_in_for: None,
            class: "mesh".to_owned(),
            vertices: 4,
            edges: 4,
            parts: 2,
            imbalance: 0.03,
            threads: 1,
            contestant: contestant.to_owned(),
            version: String::new(),
            runs: cuts.iter().map(run).collect(),
            failures: Vec::new(),
            observed: None,
        }
    }

    #[test]
    fn an_unbalanced_partition_counts_in_no_mean() {
        let metis = result(METIS, &[(10, true), (20, true), (30, true)]);
        let good = result("kostra-fast", &[(1, false), (40, true)]);
        let bad = result("other", &[(1, false)]);
        let mut text = String::new();
        table(&mut text, &[metis, good, bad]).unwrap();
        assert!(text.contains("| mesh | kostra-fast | 2.000 | 2.00 | 0.050 | 1 | 0 |"), "{text}");
        assert!(text.contains("| mesh | other | - | - | - | 0 | 1 |"), "{text}");
        assert!(text.contains("| grid | 2 | other | - | - | - | - | 1 | 1 | 0 |"), "{text}");
    }

    #[test]
    fn kostra_must_be_balanced_and_peers_need_not_be() {
        assert!(result("kostra-fast", &[(1, true)]).is_right());
        assert!(!result("kostra-fast", &[(1, false)]).is_right());
        assert!(result(METIS, &[(1, false)]).is_right());
        let failures = vec![Failure { seed: 1, reason: "crash".to_owned() }];
        assert!(!PartitionResult { failures, ..result("kostra-eco", &[]) }.is_right());
    }
}
