//! The time of `kostra solve` as a whole process, from `exec` to exit, beside its floors: one plain
//! read of the input file, and one solve in a program that has solved before.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::contestant::{Contestant, KostraSolver, Timed};
use crate::graphs;
use crate::machine::quoted;
use crate::process::{Usage, drop_from_cache, wait_for_usage};
use crate::read::read_plainly;
use crate::statistics::{Timing, milliseconds};
use crate::sweep::entrants;

/// One command, measured several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProcessResult {
    /// The input of `kostra solve` as given on the command line.
    pub(crate) source: String,
    /// The measured command.
    pub(crate) command: String,
    /// The number of vertices of the graph.
    pub(crate) vertices: u64,
    /// The number of edges of the graph.
    pub(crate) edges: u64,
    /// The solver that was used.
    pub(crate) algorithm: String,
    /// The processes by state of the page cache. Generated graphs have only `warm`.
    pub(crate) states: Vec<StateResult>,
    /// The seconds of a solve in a program that keeps its memory between solves.
    pub(crate) solve: Timing,
}

/// The processes that found the input in one state of the page cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StateResult {
    /// `warm`, or `cold` if the pages of the file were dropped from the page cache before each
    /// process. The pages of the program stay.
    pub(crate) cache: String,
    /// The seconds from `exec` to exit.
    pub(crate) whole: Timing,
    /// The median seconds of each phase that the command reports.
    pub(crate) phases: BTreeMap<String, f64>,
    /// The median seconds of user and of system time.
    pub(crate) user: f64,
    pub(crate) system: f64,
    /// The median number of page faults that read no file.
    pub(crate) page_faults: u64,
    /// The seconds of a plain read of the file in the same state, if the input is a file.
    pub(crate) plain_read: Option<Timing>,
}

/// What to run.
pub(crate) struct Repetitions<'a> {
    /// The program.
    pub(crate) kostra: &'a Path,
    pub(crate) algorithm: Option<&'a str>,
    pub(crate) threads: usize,
    /// The number of counted processes per state, after one warm-up.
    pub(crate) runs: usize,
}

/// The fields of `kostra solve --json` that the result has.
#[derive(Deserialize)]
struct Report {
    vertices: u64,
    edges: u64,
    algorithm: String,
    threads: usize,
    seconds: BTreeMap<String, f64>,
}

/// One process.
struct Sample {
    seconds: f64,
    usage: Usage,
    report: Report,
}

/// The samples of one state of the page cache.
#[derive(Default)]
struct State {
    samples: Vec<Sample>,
    plain_reads: Vec<f64>,
}

impl Repetitions<'_> {
    /// Measures one input. The states of the page cache take turns.
    ///
    /// # Errors
    /// If a process fails, or the input is no graph for this program.
    pub(crate) fn measure(&self, source: &str) -> Result<ProcessResult> {
        let arguments = self.arguments(source);
        let file = (!source.starts_with("gen:")).then(|| PathBuf::from(source));
        let (mut cold, mut warm) = (State::default(), State::default());
        for _ in 0..=self.runs {
            if let Some(file) = &file {
                drop_from_cache(file)?;
                cold.plain_reads.push(plain_read(file)?);
                drop_from_cache(file)?;
                cold.samples.push(self.run(&arguments)?);
                warm.plain_reads.push(plain_read(file)?);
            }
            warm.samples.push(self.run(&arguments)?);
        }
        let last = &warm.samples.last().context("no process was run")?.report;
        let solve = self.solve_in_this_process(source, &last.algorithm, last.threads)?;
        let words: Vec<_> = arguments.iter().map(|argument| quoted(argument)).collect();
        let states = [("cold", &cold), ("warm", &warm)];
        let states = states.into_iter().filter_map(|(cache, state)| state.result(cache));
        Ok(ProcessResult {
            source: source.to_owned(),
            command: format!("kostra {}", words.join(" ")),
            vertices: last.vertices,
            edges: last.edges,
            algorithm: last.algorithm.clone(),
            states: states.collect(),
            solve,
        })
    }

    fn arguments(&self, source: &str) -> Vec<String> {
        let mut arguments = vec!["solve".to_owned(), source.to_owned(), "--json".to_owned()];
        arguments.extend(["--threads".to_owned(), self.threads.to_string()]);
        let algorithm = self.algorithm.map(|id| ["--algorithm".to_owned(), id.to_owned()]);
        arguments.extend(algorithm.into_iter().flatten());
        arguments
    }

    fn run(&self, arguments: &[String]) -> Result<Sample> {
        let start = Instant::now();
        let mut child = Command::new(self.kostra)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| {
                let program = self.kostra.display();
                format!("cannot start {program}; build it, or name it with --kostra")
            })?;
        let mut output = String::new();
        let pipe = child.stdout.take().context("the child has no standard output")?;
        // Until the child closes its end: it has exited or is about to.
        { pipe }.read_to_string(&mut output)?;
        let usage = wait_for_usage(&child)?;
        let seconds = start.elapsed().as_secs_f64();
        let report = serde_json::from_str(&output)
            .with_context(|| format!("kostra printed no report, but: {}", output.trim()))?;
        Ok(Sample { seconds, usage, report })
    }

    /// Times the solver in this process, in memory that it keeps.
    fn solve_in_this_process(&self, source: &str, id: &str, threads: usize) -> Result<Timing> {
        let [graph] = &graphs::choose("smoke", &[source.to_owned()])?[..] else {
            bail!("{source} is more than one graph");
        };
        let graph = graph.load()?;
        let entrant = entrants(id)?.into_iter().next().context("the solver has no entrant")?;
        let mut solver = KostraSolver::new(entrant, &graph, threads, Timed::FromHost, 0.0);
        let mut seconds = Vec::new();
        for _ in 0..=self.runs {
            seconds.push(solver.solve()?.seconds);
        }
        timing(&seconds).context("no solve was run")
    }
}

impl State {
    /// `None` without samples.
    fn result(&self, cache: &str) -> Option<StateResult> {
        let counted = self.samples.get(1..)?;
        let whole: Vec<_> = self.samples.iter().map(|sample| sample.seconds).collect();
        let of_all = |figure: &dyn Fn(&Sample) -> f64| {
            let figures: Vec<_> = counted.iter().map(figure).collect();
            Some(Timing::new(0.0, figures)?.median)
        };
        let names = counted.first()?.report.seconds.keys();
        let phase = |sample: &Sample, name: &str| {
            sample.report.seconds.get(name).copied().unwrap_or_default()
        };
        let phases = names.map(|name| Some((name.clone(), of_all(&|sample| phase(sample, name))?)));
        Some(StateResult {
            cache: cache.to_owned(),
            whole: timing(&whole)?,
            phases: phases.collect::<Option<_>>()?,
            user: of_all(&|sample| sample.usage.user)?,
            system: of_all(&|sample| sample.usage.system)?,
            page_faults: of_all(&|sample| sample.usage.page_faults as f64)? as u64,
            plain_read: timing(&self.plain_reads),
        })
    }
}

/// A warm-up and the runs after it.
fn timing(seconds: &[f64]) -> Option<Timing> {
    let (&warm_up, seconds) = seconds.split_first()?;
    Timing::new(warm_up, seconds.to_vec())
}

fn plain_read(file: &Path) -> Result<f64> {
    let start = Instant::now();
    read_plainly(file)?;
    Ok(start.elapsed().as_secs_f64())
}

/// The results as a table.
pub(crate) fn table(text: &mut String, results: &[ProcessResult]) -> std::fmt::Result {
    writeln!(
        text,
        "| command | solver | page cache | ms from exec to exit (spread) | phases, ms | other ms | user ms | \
         system ms | page faults | plain read ms | solve in a running program ms |"
    )?;
    writeln!(text, "|---|---|---|--:|---|--:|--:|--:|--:|--:|--:|")?;
    for result in results {
        for state in &result.states {
            let phases = state.phases.iter().filter(|(_, seconds)| **seconds >= 1e-6);
            let phases: Vec<_> = phases
                .map(|(name, seconds)| format!("{name} {}", milliseconds(*seconds)))
                .collect();
            let other = state.whole.median - state.phases.values().sum::<f64>();
            let plain = state.plain_read.as_ref().map(|timing| milliseconds(timing.median));
            writeln!(
                text,
                "| `{}` | {} | {} | **{}** ({:.0}%) | {} | {} | {} | {} | {} | {} | {} |",
                result.command,
                result.algorithm,
                state.cache,
                milliseconds(state.whole.median),
                state.whole.spread * 100.0,
                phases.join(", "),
                milliseconds(other.max(0.0)),
                milliseconds(state.user),
                milliseconds(state.system),
                state.page_faults,
                plain.unwrap_or_else(|| "-".to_owned()),
                milliseconds(result.solve.median),
            )?;
        }
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_process_is_measured_in_both_states_beside_its_floors() {
        let folder = tempfile::tempdir().unwrap();
        let (script, graph) = (folder.path().join("kostra"), folder.path().join("graph.edges"));
        std::fs::write(&graph, "0 1 5\n1 2 6\n").unwrap();
        // A fake `kostra` that takes at least 20 ms, and says that it solves for 5 ms.
        let text = "#!/bin/sh\nsleep 0.02\necho '{\"vertices\": 3, \"edges\": 2, \"threads\": 1, \
                    \"algorithm\": \"kruskal\", \"seconds\": {\"solve\": 0.005}}'\n";
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let plan = Repetitions { kostra: &script, algorithm: None, threads: 1, runs: 2 };
        let result = plan.measure(graph.to_str().unwrap()).unwrap();
        let caches: Vec<_> = result.states.iter().map(|state| &*state.cache).collect();
        assert_eq!((result.edges, caches), (2, vec!["cold", "warm"]));
        for state in &result.states {
            assert!(state.whole.minimum >= 0.02 && state.page_faults > 0);
            assert_eq!((state.phases["solve"], state.whole.seconds.len()), (0.005, 2));
            assert!(state.plain_read.is_some());
        }
        assert!(result.solve.median > 0.0);
        let generated = plan.measure("gen:path:n=10").unwrap();
        assert_eq!(generated.states.len(), 1, "a generated graph is in no cache");
        assert_eq!(generated.states[0].plain_read, None);
        let mut text = String::new();
        table(&mut text, &[result, generated]).unwrap();
        assert_eq!(text.lines().count(), 5);
        assert!(text.contains("solve 5.00"), "{text}");
    }
}
