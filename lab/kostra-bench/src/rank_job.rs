//! Solvers for clusters in an evaluation: jobs of the example `bench` of `kostra-mpi`.
//!
//! One job takes all samples of a contestant. So these samples are not in turn with the others.

use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::contestant::{AnswerProperties, Contestant, Identity, TimedAnswer};
use crate::graphs::GraphOrigin;
use crate::observed::{Observed, ObservedRound, PhaseTotal, SolverFigure, Spread};
use crate::record;
use crate::sweep::{Settings, combinations};

/// The time after which a job is stopped. Some solvers take hours on few ranks.
const LIMIT: Duration = Duration::from_secs(60);

/// A solver for clusters with numbers of ranks and threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RankJob {
    solver: String,
    pub(crate) ranks: usize,
    /// Threads per rank.
    pub(crate) threads: usize,
    settings: Settings,
    program: PathBuf,
}

impl RankJob {
    /// The jobs of a text such as `mpi-ghs:ranks=1/2/4:threads=1`. Both numbers are 1 if they are
    /// not given; all other options are the solver's. The value `all` is the number of processors
    /// in use.
    ///
    /// # Errors
    /// If an option has no numbers, or the program or `mpirun` does not exist.
    pub(crate) fn jobs(text: &str, program: Option<&Path>, all: usize) -> Result<Vec<Self>> {
        let program = program.map_or_else(program_beside_this, Path::to_owned);
        ensure!(
            program.is_file(),
            "{} does not exist; build it with `cargo build --release --package kostra-mpi \
             --example bench`, or pass --rank-program",
            program.display()
        );
        ensure!(mpirun_version().is_some(), "no mpirun is on the path");
        Self::parse(&text.replace("=all", &format!("={all}")), &program)
    }

    fn parse(text: &str, program: &Path) -> Result<Vec<Self>> {
        let (solver, all) = combinations(text)?;
        let job = |mut settings: Settings| {
            let mut take = |name: &str| {
                let at = settings.iter().position(|(other, _)| other == name);
                at.map_or(1, |at| settings.remove(at).1 as usize)
            };
            let (ranks, threads) = (take("ranks"), take("threads"));
            let (solver, program) = (solver.to_owned(), program.to_owned());
            Self { solver, ranks, threads, settings, program }
        };
        Ok(all.into_iter().map(job).collect())
    }

    /// The name with its settings.
    pub(crate) fn label(&self) -> String {
        record::label(&self.solver, &self.all_settings())
    }

    fn all_settings(&self) -> BTreeMap<String, u64> {
        let numbers = [("ranks", self.ranks), ("threads", self.threads)];
        let numbers = numbers.map(|(name, value)| (name.to_owned(), value as u64));
        numbers.into_iter().chain(self.settings.iter().cloned()).collect()
    }

    /// Runs the job on a graph, with `runs` runs after the warm-up.
    ///
    /// # Errors
    /// If the job fails.
    pub(crate) fn enter(&self, graph: &GraphOrigin, runs: usize) -> Result<Box<dyn Contestant>> {
        let mut command = Command::new("mpirun");
        command
            .args(["-n", &self.ranks.to_string()])
            // Open MPI counts cores and refuses root in containers.
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
            .env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
            .env("OMPI_MCA_hwloc_base_binding_policy", "none")
            .env("PRTE_MCA_hwloc_default_binding_policy", "none")
            .arg(&self.program)
            .args([&graph.source, "--algorithm", &self.solver, "--observe", "1"])
            .args(["--runs", &runs.to_string(), "--threads", &self.threads.to_string()]);
        for (name, value) in &self.settings {
            command.args(["--set", &format!("{name}={value}")]);
        }
        let reply: Reply = serde_json::from_str(&output(&mut command)?)
            .context("the rank program wrote something else than its result")?;
        Ok(Box::new(OnRanks::new(self, reply)))
    }
}

/// The program in the folder where cargo builds examples.
fn program_beside_this() -> PathBuf {
    let this = env::current_exe().unwrap_or_default();
    this.with_file_name("examples").join("bench")
}

fn mpirun_version() -> Option<String> {
    let output = Command::new("mpirun").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned())
}

/// The standard output of a job.
fn output(command: &mut Command) -> Result<String> {
    let errors = tempfile::NamedTempFile::new()?;
    let answers = tempfile::NamedTempFile::new()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(answers.reopen()?)
        .stderr(errors.reopen()?)
        .spawn()
        .context("cannot start mpirun")?;
    let text = |mut file: File| -> Result<String> {
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(text)
    };
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            end(&mut child);
            bail!("it took longer than {} s", LIMIT.as_secs());
        }
        thread::sleep(Duration::from_millis(5));
    };
    if !status.success() {
        let errors = text(errors.reopen()?)?;
        // Open MPI adds a notice of its own, between lines of dashes.
        let reason = errors.lines().find(|line| !line.is_empty() && !line.starts_with('-'));
        bail!("the job failed: {}", reason.unwrap_or("without a message"));
    }
    text(answers.reopen()?)
}

/// Stops a job. `mpirun` stops its ranks when it is asked to end, but not when it is killed.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};
        let _ = kill_process(Pid::from_child(child), Signal::TERM);
    }
    #[cfg(not(unix))]
    let _ = child.kill();
    let _ = child.wait();
}

/// The result that the rank program prints. Times are in seconds.
#[derive(Deserialize)]
struct Reply {
    made_seconds: f64,
    samples: Vec<f64>,
    edges: usize,
    total: String,
    observed_seconds: f64,
    phases_on_ranks: Vec<OnRank>,
    counters_on_ranks: Vec<OnRank>,
    rounds_on_ranks: Vec<OnRank>,
}

/// A figure on every rank.
#[derive(Deserialize)]
struct OnRank {
    name: String,
    /// The phase around a counter; empty outside of phases.
    phase: String,
    /// The round around it.
    round: Option<u32>,
    values: Vec<f64>,
}

impl Reply {
    /// The reports of the observed solve on all ranks.
    fn observed(self) -> Observed {
        let round = |round: u32| {
            let most = |name: &str| {
                let mut figures = self.rounds_on_ranks.iter();
                let found = figures.find(|one| one.round == Some(round) && one.name == name);
                found.map_or(0.0, |one| one.values.iter().copied().fold(0.0, f64::max))
            };
            let (components, edges) = (most("components") as u64, most("edges") as u64);
            ObservedRound { round, components, edges, seconds: most("seconds") }
        };
        let last = self.rounds_on_ranks.iter().filter_map(|one| one.round).max();
        let rounds = (0..last.map_or(0, |last| last + 1)).map(round).collect();
        let phases = self.phases_on_ranks.into_iter().map(|phase| {
            let OnRank { name, round, values, .. } = phase;
            let ranks = Spread::over(&values);
            let seconds = ranks.as_ref().map_or(0.0, |ranks| ranks.most);
            PhaseTotal { name, depth: 0, round, runs: 1, seconds, ranks }
        });
        let counters = self.counters_on_ranks.into_iter().map(|counter| {
            let ranks = Spread::over(&counter.values);
            let value = ranks.as_ref().map_or(0.0, |ranks| ranks.most);
            let phase = Some(counter.phase).filter(|phase| !phase.is_empty());
            SolverFigure { name: counter.name, round: counter.round, phase, value, ranks }
        });
        Observed {
            seconds: self.observed_seconds,
            phases: phases.collect(),
            counters: counters.collect(),
            rounds,
        }
    }
}

/// A job that has ended, with its samples.
struct OnRanks {
    identity: Identity,
    answer: AnswerProperties,
    /// The samples that have not been taken, the next one at the end.
    samples: Vec<f64>,
    observed: Observed,
}

impl OnRanks {
    fn new(job: &RankJob, mut reply: Reply) -> Self {
        reply.samples.reverse();
        Self {
            identity: Identity {
                name: job.solver.clone(),
                settings: job.all_settings(),
                peer: false,
                version: mpirun_version().unwrap_or_default(),
                build_seconds: reply.made_seconds,
            },
            answer: AnswerProperties {
                edges: reply.edges,
                total: std::mem::take(&mut reply.total),
                ids: None,
            },
            samples: std::mem::take(&mut reply.samples),
            observed: reply.observed(),
        }
    }
}

impl Contestant for OnRanks {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn solve(&mut self) -> Result<TimedAnswer> {
        let seconds = self.samples.pop().context("the job has no more samples")?;
        Ok(TimedAnswer { seconds, answer: self.answer.clone() })
    }

    fn observe(&mut self) -> Result<Option<(Observed, AnswerProperties)>> {
        Ok(Some((self.observed.clone(), self.answer.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_ranks_is_a_job() {
        let labels = |text| {
            let jobs = RankJob::parse(text, Path::new("bench")).unwrap();
            jobs.iter().map(RankJob::label).collect::<Vec<_>>()
        };
        assert_eq!(
            labels("mpi-ghs:ranks=1/2"),
            ["mpi-ghs ranks=1 threads=1", "mpi-ghs ranks=2 threads=1"]
        );
        assert_eq!(
            labels("mpi-merge:ranks=4:threads=2:arity=3"),
            ["mpi-merge arity=3 ranks=4 threads=2"]
        );
        for wrong in ["mpi-ghs:ranks", "mpi-ghs:ranks=many"] {
            assert!(RankJob::parse(wrong, Path::new("bench")).is_err(), "{wrong}");
        }
        let missing = RankJob::jobs("mpi-ghs", Some(Path::new("missing/bench")), 2).unwrap_err();
        assert!(missing.to_string().starts_with("missing/bench does not exist; build it with"));
    }

    #[test]
    fn a_reply_keeps_least_median_and_most_over_ranks() {
        let reply = r#"{"algorithm":"mpi-ghs","made_seconds":0.5,"samples":[3.0,1.0,2.0],
            "edges":4,"total":"9","observed_seconds":1.5,
            "phases_on_ranks":[{"name":"messages","phase":"","round":0,"values":[3.0,1.0,2.0]},
                {"name":"messages","phase":"","round":1,"values":[0.0,5.0,1.0]}],
            "counters_on_ranks":[{"name":"bytes sent","phase":"messages","round":1,
                "values":[4.0,2.0,0.0]}],
            "rounds_on_ranks":[{"name":"components","phase":"","round":0,"values":[9,9,9]},
                {"name":"components","phase":"","round":1,"values":[0,4,4]},
                {"name":"seconds","phase":"","round":1,"values":[0,5.5,1.5]}]}"#;
        let job = RankJob::parse("mpi-ghs:ranks=3", Path::new("bench")).unwrap().remove(0);
        let mut contestant = OnRanks::new(&job, serde_json::from_str(reply).unwrap());
        let samples = [0; 3].map(|_| contestant.solve().unwrap().seconds);
        assert_eq!(samples, [3.0, 1.0, 2.0]);
        assert!(contestant.solve().is_err());
        let (observed, answer) = contestant.observe().unwrap().unwrap();
        assert_eq!((answer.edges, answer.total.as_str()), (4, "9"));
        let spread = |least, median, most, by_rank| Spread {
            least,
            median,
            most,
            by_rank: Vec::from(by_rank),
        };
        assert_eq!(observed.phases[0].ranks, Some(spread(1.0, 2.0, 3.0, [3.0, 1.0, 2.0])));
        // The sums of the ranks are 3, 6 and 3, so rank 1 took longest.
        let whole = observed.phase_on_ranks("messages");
        assert_eq!(whole, Some(spread(3.0, 3.0, 6.0, [3.0, 6.0, 3.0])));
        assert_eq!(observed.totals(), [("messages", 6.0)]);
        let counter = &observed.counters[0];
        assert_eq!((counter.phase.as_deref(), counter.round), (Some("messages"), Some(1)));
        assert_eq!(counter.value, 4.0);
        let rounds: Vec<_> =
            observed.rounds.iter().map(|one| (one.components, one.seconds)).collect();
        assert_eq!(rounds, [(9, 0.0), (4, 5.5)]);
    }
}
