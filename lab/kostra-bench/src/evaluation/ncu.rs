//! The achieved occupancy of kernels, measured by NVIDIA's profiler `ncu` (Nsight Compute).
//!
//! `ncu` runs each kernel several times, and may need permissions. So it observes a process of the
//! command `kostra` after the contest, and no time is taken from it.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use kostra_core::Platform;

use super::phases::{ACHIEVED, MEAN_ACHIEVED};
use crate::observed::{Observed, SolverFigure};
use crate::process::kostra_beside_this;
use crate::record::{ContestantResult, ExperimentResult, GraphResult, Skipped};

/// Active warps per cycle in percent of the greatest number: the achieved occupancy.
const METRIC: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// Adds the achieved occupancies of the observed solvers on a device to the last graph, or the
/// reason why there are none to the skipped contestants.
pub(super) fn add_achieved_occupancy(result: &mut ExperimentResult) {
    let ExperimentResult { graphs, skipped, .. } = result;
    let Some(GraphResult { source, contestants, .. }) = graphs.last_mut() else { return };
    for contestant in contestants {
        let info = kostra::solver(&contestant.name).map(kostra_core::Solver::info);
        if info.is_ok_and(|info| info.platform == Platform::Cuda)
            && let Err(error) = add_to(contestant, source)
        {
            let reason = format!("no achieved occupancy: {error:#}");
            skipped.push(Skipped { name: contestant.label(), reason });
        }
    }
}

fn add_to(contestant: &mut ContestantResult, source: &str) -> Result<()> {
    let log = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("ncu");
    command.args(["--csv", "--metrics", METRIC, "--log-file"]).arg(log.path());
    command.arg(kostra_beside_this()).args(["solve", source, "--algorithm", &contestant.name]);
    for (name, value) in &contestant.settings {
        command.args(["--set", &format!("{name}={value}")]);
    }
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let status = status.context("ncu is not on the path")?;
    let text = read(log.path())?;
    let last = text.lines().rfind(|line| line.starts_with("==ERROR==")).unwrap_or_default();
    ensure!(status.success(), "ncu ended with {status} {last}");
    let launches = launches(&text)?;
    if let Some(observed) = &mut contestant.observed {
        add_launches(observed, &launches);
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).context("ncu wrote no log")
}

/// A launch of a kernel, with its occupancy in percent.
type Launch = (String, f64);

/// The launches in the table that `ncu --csv` prints, in order. The table has one row for each
/// launch and metric, after the profiler's messages.
fn launches(text: &str) -> Result<Vec<Launch>> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("\"ID\""));
    let heading = fields(lines.next().context("ncu printed no table")?);
    let column = |name: &str| {
        let found = heading.iter().position(|field| field == name);
        found.with_context(|| format!("ncu's table has no column '{name}'"))
    };
    let (kernel, metric) = (column("Kernel Name")?, column("Metric Name")?);
    let value = column("Metric Value")?;
    let mut launches = Vec::new();
    for line in lines.filter(|line| line.starts_with('"')) {
        let row = fields(line);
        if row.get(metric).is_none_or(|name| name != METRIC) {
            continue;
        }
        let (kernel, value) = row.get(kernel).zip(row.get(value)).context("a row is too short")?;
        let value = value.replace(',', "");
        let value =
            value.parse().with_context(|| format!("{kernel} has the occupancy '{value}'"))?;
        launches.push((function(kernel).to_owned(), value));
    }
    ensure!(!launches.is_empty(), "ncu's table has no {METRIC}");
    Ok(launches)
}

/// The fields of a line, each in quotes.
fn fields(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('"').trim_end_matches('"');
    line.split("\",\"").map(|field| field.replace("\"\"", "\"")).collect()
}

/// The name of a function without its parameters.
fn function(kernel: &str) -> &str {
    let name = kernel.split(['(', '<']).next().unwrap_or(kernel).trim();
    name.rsplit([' ', ':']).next().unwrap_or(name)
}

/// Adds the launches as counters. A kernel with one launch per round has a counter in each round,
/// and any other kernel has the mean of its launches.
fn add_launches(observed: &mut Observed, launches: &[Launch]) {
    let mut kernels: Vec<&str> = Vec::new();
    for (kernel, _) in launches {
        if !kernels.contains(&kernel.as_str()) {
            kernels.push(kernel);
        }
    }
    for kernel in kernels {
        let own = launches.iter().filter(|(other, _)| other == kernel);
        let values: Vec<f64> = own.map(|(_, value)| *value).collect();
        let counter = |prefix, round, value| SolverFigure {
            name: format!("{prefix}{kernel}"),
            round,
            phase: None,
            value,
            ranks: None,
        };
        if values.len() == observed.rounds.len() {
            let rounds = observed.rounds.iter().zip(&values);
            let rounds = rounds.map(|(round, &value)| counter(ACHIEVED, Some(round.round), value));
            observed.counters.extend(rounds);
        } else {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            observed.counters.push(counter(MEAN_ACHIEVED, None, mean));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::ObservedRound;

    /// A table in the form that the manual of `ncu` describes.
    const TABLE: &str = include_str!("../../tests/data/ncu.csv");

    #[test]
    fn launches_are_read_from_the_table_of_the_profiler() {
        let launches = launches(TABLE).unwrap();
        let kernels: Vec<_> = launches.iter().map(|(kernel, _)| kernel.as_str()).collect();
        assert_eq!(
            kernels,
            ["find_minimum_edges", "propagate_colors", "propagate_colors", "find_minimum_edges"]
        );
        assert_eq!(launches[0].1, 93.25);
        assert_eq!(launches[3].1, 8.5);
    }

    #[test]
    fn a_kernel_with_a_launch_per_round_has_an_occupancy_in_each_round() {
        let round = |round| ObservedRound { round, components: 1, edges: 1, seconds: 0.0 };
        let mut observed = Observed { rounds: vec![round(0), round(1)], ..Observed::default() };
        let mut launches = launches(TABLE).unwrap();
        launches.push(("propagate_colors".to_owned(), 30.0));
        add_launches(&mut observed, &launches);
        let shown: Vec<_> = observed
            .counters
            .iter()
            .map(|counter| (counter.name.as_str(), counter.round, counter.value))
            .collect();
        assert_eq!(
            shown,
            [
                ("achieved occupancy % of find_minimum_edges", Some(0), 93.25),
                ("achieved occupancy % of find_minimum_edges", Some(1), 8.5),
                ("mean achieved occupancy % of propagate_colors", None, 50.0),
            ]
        );
    }

    #[test]
    fn a_log_without_a_table_is_an_error() {
        let error = launches("==ERROR== ERR_NVGPUCTRPERM").unwrap_err().to_string();
        assert_eq!(error, "ncu printed no table");
        let heading = TABLE.lines().find(|line| line.starts_with("\"ID\"")).unwrap();
        assert!(launches(heading).unwrap_err().to_string().starts_with("ncu's table has no sm__"));
    }
}
