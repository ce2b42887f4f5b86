//! Suites: contests on several graphs. The record is written after each contest, so that an
//! interrupted suite keeps its samples and can be continued.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};
use clap::Args;

use crate::cache_counters::CacheCounters;
use crate::circumstances::{Circumstances, begin, conclude};
use crate::contest::{self, Rules};
use crate::contestant::Timed;
use crate::evaluation::{self, PaperArguments};
use crate::machine::Machine;
use crate::memory_speed::{self, MemorySpeed};
use crate::record::{ExperimentResult, GraphResult, Measured, Record, Skipped};
use crate::{graphs, peers, sweep};

/// The arguments of `run`.
#[derive(Args)]
pub(crate) struct RunArguments {
    /// The suite: foundation, threads, sixteen, gpu or smoke
    #[arg(long, default_value = "foundation")]
    suite: String,
    /// Graphs of the suite to run, separated by commas, instead of all; repeat the option for each
    /// file or gen:SPEC; gen:gnm:n=1M,m=2M/8M are two graphs
    #[arg(long = "graphs", value_name = "NAMES")]
    graphs: Vec<String>,
    /// Solver ids; the answers of Kostra's solvers are compared edge by edge; an id can have
    /// options, such as boruvka-edge:chunk=64/256, and each combination of values is a contestant
    #[arg(long, value_delimiter = ',', default_value = "kruskal,filter-kruskal")]
    solvers: Vec<String>,
    /// Peer names; peers that are not installed are skipped and recorded as skipped
    #[arg(long, value_delimiter = ',', default_value = "scipy")]
    peers: Vec<String>,
    /// The folder of the peer programs; each program has its peer's name
    #[arg(long, value_name = "FOLDER")]
    peer_programs: Option<PathBuf>,
    /// Number of counted rounds, after one warm-up round
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Threads per contestant; each of several numbers gives a separate contest
    #[arg(long, value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Vec<u16>,
    /// The largest table for measuring memory, in MiB; below 1024 the result can be the speed of a
    /// cache
    #[arg(long, value_name = "MIB", default_value_t = memory_speed::LARGEST_TABLE_MIB)]
    largest_table: usize,
    /// Continue the record of -o, which this command wrote on this machine until it was interrupted
    #[arg(long, requires = "output")]
    resume: bool,
    #[command(flatten)]
    circumstances: Circumstances,
}

/// The arguments of the evaluation of a paper.
#[derive(Args)]
pub(crate) struct PaperRun {
    #[command(flatten)]
    arguments: PaperArguments,
    /// Continue the record of -o, which this command wrote on this machine until it was interrupted
    #[arg(long, requires = "output")]
    resume: bool,
    #[command(flatten)]
    circumstances: Circumstances,
}

/// Runs the suite that the arguments name. Returns whether all answers agree.
///
/// # Errors
/// If the arguments are wrong, no graph can be measured, or the record cannot be written.
pub(crate) fn run(arguments: &RunArguments) -> Result<bool> {
    let graphs = graphs::choose(&arguments.suite, &graph_names(&arguments.graphs))?;
    let rules = rules(arguments)?;
    let circumstances = &arguments.circumstances;
    let machine = Machine::this();
    let most_threads = rules.threads.iter().copied().max().unwrap_or(1);
    // Measure with all processors before pinning, which would restrict the threads to fewer. A
    // record that is continued has the speed already.
    let continued =
        arguments.resume && circumstances.output.as_ref().is_some_and(|path| path.exists());
    let cores = machine.cores;
    let measure = |threads| memory_speed::measure(threads, arguments.largest_table);
    let all = (cores > 1 && !continued).then(|| measure(cores));
    let (record, earlier) = continue_or_begin(
        begin(machine, most_threads, circumstances)?,
        arguments.resume,
        circumstances,
    )?;
    let (memory_speed, finished) = match earlier {
        Some(Measured::Solve { memory_speed, graphs, .. }) => (memory_speed, graphs),
        Some(_) => (Vec::new(), Vec::new()),
        None => (speeds(&rules.threads, cores, all, measure), Vec::new()),
    };

    let mut results: Vec<GraphResult> = Vec::new();
    let mut skipped: Vec<Skipped> = Vec::new();
    let measured = |results: &[GraphResult], skipped: &[Skipped]| Measured::Solve {
        memory_speed: memory_speed.clone(),
        graphs: results.to_vec(),
        skipped: skipped.to_vec(),
    };
    for graph in &graphs {
        let before = contest::finished_on(&finished, &graph.name);
        let held = match graph.missing_file() {
            Some(path) => (before, Some(anyhow!("{} does not exist", path.display()))),
            None => contest::hold(graph, &rules, before, |held| {
                keep(&record, circumstances, measured(&[&results, held].concat(), &skipped))
            })?,
        };
        results.extend(held.0);
        // A failed graph must not discard the results of the others.
        if let Some(error) = held.1 {
            eprintln!("{} skipped: {error:#}", graph.name);
            skipped.push(Skipped { name: graph.name.clone(), reason: format!("{error:#}") });
        }
    }
    ensure!(!results.is_empty(), "no graph was measured");
    let measured = measured(&results, &skipped);
    conclude(record, measured, circumstances)
}

fn rules(arguments: &RunArguments) -> Result<Rules> {
    let names =
        |list: &[String]| list.iter().filter(|name| !name.is_empty()).cloned().collect::<Vec<_>>();
    let entrants = names(&arguments.solvers)
        .iter()
        .map(|text| sweep::entrants(text))
        .collect::<Result<Vec<_>>>()?;
    let peers =
        names(&arguments.peers).iter().map(|name| peers::peer(name)).collect::<Result<_>>()?;
    let rules = Rules {
        entrants: entrants.concat(),
        peers,
        rank_jobs: Vec::new(),
        peer_programs: arguments.peer_programs.clone(),
        runs: arguments.runs.into(),
        threads: arguments.threads.iter().map(|&threads| threads.into()).collect(),
        no_rest: false,
        timed: Timed::FromHost,
        patience: None,
        least_turns: 0,
        observe_slow: true,
    };
    ensure!(!rules.entrants.is_empty(), "name at least one solver; its forest is verified");
    Ok(rules)
}

/// The speed of memory on one thread, on the numbers of threads of the contests, and on all
/// processors, which was measured before.
fn speeds(
    threads: &[usize],
    cores: usize,
    all: Option<MemorySpeed>,
    measure: impl Fn(usize) -> MemorySpeed,
) -> Vec<MemorySpeed> {
    eprintln!("measuring memory");
    let mut speeds = vec![measure(1)];
    for &threads in threads {
        if threads != cores && speeds.iter().all(|speed| speed.threads != threads) {
            speeds.push(measure(threads));
        }
    }
    speeds.extend(all);
    speeds
}

/// Repeats the evaluation of a paper. Returns whether all answers agree.
///
/// # Errors
/// If the arguments are wrong, no graph can be measured, or the record cannot be written.
pub(crate) fn evaluate(id: &str, run: &PaperRun) -> Result<bool> {
    let PaperRun { arguments, resume, circumstances } = run;
    let paper = evaluation::paper(id)?;
    arguments.check(&paper)?;
    let mut record = begin(Machine::this(), arguments.threads(), circumstances)?;
    let caches = CacheCounters::open();
    let caches =
        caches.map_or_else(|error| format!("not available ({error})"), |_| "counted".to_owned());
    record.versions.insert("cache misses".to_owned(), caches);
    // By default one thread for each processor, and pinning leaves fewer of them.
    record.threads = arguments.threads();
    let (record, earlier) = continue_or_begin(record, *resume, circumstances)?;
    let finished = match earlier {
        Some(Measured::Paper { experiments, .. }) => experiments,
        _ => Vec::new(),
    };
    let measured = |experiments: &[ExperimentResult]| Measured::Paper {
        paper: id.to_owned(),
        scale: arguments.scale(),
        experiments: experiments.to_vec(),
    };
    let keep =
        |experiments: &[ExperimentResult]| keep(&record, circumstances, measured(experiments));
    let experiments = evaluation::measure(&paper, arguments, &finished, keep)?;
    let any = experiments
        .iter()
        .any(|experiment| !experiment.graphs.is_empty() || !experiment.partitions.is_empty());
    ensure!(any, "no graph was measured");
    conclude(record.clone(), measured(&experiments), circumstances)
}

/// Writes the results so far, if there is a file for them.
fn keep(record: &Record, circumstances: &Circumstances, measured: Measured) -> Result<()> {
    match &circumstances.output {
        Some(output) => record.clone().finish(measured).write(output),
        None => Ok(()),
    }
}

/// The record to continue with its results, or the new record if there is none to continue.
///
/// # Errors
/// If the earlier record has other conditions.
fn continue_or_begin(
    record: Record,
    resume: bool,
    circumstances: &Circumstances,
) -> Result<(Record, Option<Measured>)> {
    let Some(path) = circumstances.output.as_ref().filter(|path| resume && path.exists()) else {
        return Ok((record, None));
    };
    let mut earlier = Record::read(path)?;
    if let Some((what, was, is)) = earlier.difference(&record) {
        return Err(anyhow!(
            "cannot continue {}: its {what} is {was}, and now it is {is}; omit --resume to start anew",
            path.display()
        ));
    }
    earlier.resumed.push(record.date);
    let measured = earlier.measured.clone();
    Ok((earlier, Some(measured)))
}

/// Splits names at commas. A spec is not split, because its parameters contain commas.
fn graph_names(arguments: &[String]) -> Vec<String> {
    let split = |argument: &String| -> Vec<String> {
        if argument.starts_with("gen:") || Path::new(argument).exists() {
            vec![argument.clone()]
        } else {
            argument.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
        }
    };
    arguments.iter().flat_map(split).collect()
}
