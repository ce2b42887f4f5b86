//! `kostra-bench`: compares Kostra with its peers, and writes a record of all conditions of the
//! measurement.
//!
//! `bench/README.md` describes the method and the records.

mod awake;
mod bank;
mod contest;
mod contestant;
mod date;
mod graphs;
mod machine;
mod memory_speed;
mod observed;
mod output;
mod page;
mod papers;
mod peak;
mod peers;
mod process;
mod read;
mod record;
mod report;
mod statistics;
mod sweep;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, ensure};
use clap::{Args, Parser, Subcommand};

use crate::bank::BankArguments;
use crate::contest::Rules;
use crate::contestant::Timed;
use crate::machine::Machine;
use crate::papers::PaperArguments;
use crate::record::{ExperimentResult, GraphResult, Measured, Record, Skipped};

/// The same allocator as in the `kostra` command. Peers that are programs get the equivalent
/// setting.
#[global_allocator]
static MEMORY: kostra::LargePages = kostra::LargePages;

/// Compares Kostra with its peers.
///
/// Exit codes: 0 success, 1 answers differ or a forest is not verified, 2 wrong usage or input.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs solvers and peers in turn on the graphs of a suite and compares their answers
    Run(RunArguments),
    /// Times graph readers, and a plain read and a decompression of the same file
    Read(ReadArguments),
    /// Measures the peak memory of `kostra solve` as a child process
    Memory(MemoryArguments),
    /// Measures the tables and figures of Nobari 2012, and prints them beside the paper's
    Nobari(PaperRun),
    /// Measures the tables and figures of Manoochehri 2017, chapter 3, and prints them beside the
    /// paper's
    Manoochehri(PaperRun),
    /// Measures the transactional memory for devices with a bank, beside plain atomics
    Bank {
        #[command(flatten)]
        workload: BankArguments,
        #[command(flatten)]
        circumstances: Circumstances,
    },
    /// Prints records as Markdown, or writes them as a page with plots
    Report(ReportArguments),
}

#[derive(Args)]
struct Circumstances {
    /// Pin all threads, including those of peers, to these processors, for example 0 or 0,2-3
    #[arg(long, value_name = "LIST")]
    pin: Option<String>,
    /// Write the record to FILE
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Args)]
struct RunArguments {
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
    #[command(flatten)]
    circumstances: Circumstances,
}

#[derive(Args)]
struct ReadArguments {
    /// Graph files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Number of counted rounds, after one warm-up round
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Threads per reader
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    #[command(flatten)]
    circumstances: Circumstances,
}

#[derive(Args)]
struct MemoryArguments {
    /// Inputs of `kostra solve`: files or gen:SPEC
    #[arg(required = true)]
    inputs: Vec<String>,
    /// The solver id; by default Kostra chooses the solver
    #[arg(long)]
    algorithm: Option<String>,
    /// The program to measure; by default the `kostra` in this program's folder
    #[arg(long, value_name = "FILE")]
    kostra: Option<PathBuf>,
    /// Threads of the solver
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    #[command(flatten)]
    circumstances: Circumstances,
}

#[derive(Args)]
struct ReportArguments {
    /// Records written with -o; for a page also those of the other programs in bench/record
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// Write a page with plots to FILE: one HTML file that needs no network
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the plots of the page as SVG and CSV files to FOLDER
    #[arg(long, value_name = "FOLDER", requires = "output")]
    assets: Option<PathBuf>,
    /// Show the records as one, such as the records of several graphs of one machine
    #[arg(long, requires = "output")]
    together: bool,
}

#[derive(Args)]
struct PaperRun {
    #[command(flatten)]
    arguments: PaperArguments,
    #[command(flatten)]
    circumstances: Circumstances,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Task::Run(arguments) => run(&arguments),
        Task::Read(arguments) => read(&arguments),
        Task::Memory(arguments) => memory(&arguments),
        Task::Nobari(arguments) => evaluate("nobari", &arguments),
        Task::Manoochehri(arguments) => evaluate("manoochehri", &arguments),
        Task::Bank { workload, circumstances } => bank(&workload, &circumstances),
        Task::Report(arguments) => report(&arguments),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("kostra-bench: answers differ, or a forest is not verified; see the record");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("kostra-bench: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &RunArguments) -> Result<bool> {
    let graphs = graphs::choose(&arguments.suite, &graph_names(&arguments.graphs))?;
    let names =
        |list: &[String]| list.iter().filter(|name| !name.is_empty()).cloned().collect::<Vec<_>>();
    let entrants = names(&arguments.solvers)
        .iter()
        .map(|text| sweep::entrants(text))
        .collect::<Result<Vec<_>>>()?;
    let peers =
        names(&arguments.peers).iter().map(|name| peers::peer(name)).collect::<Result<_>>()?;
    let threads: Vec<usize> = arguments.threads.iter().map(|&threads| threads.into()).collect();
    let most_threads = threads.iter().copied().max().unwrap_or(1);
    let rules = Rules {
        entrants: entrants.concat(),
        peers,
        peer_programs: arguments.peer_programs.clone(),
        runs: arguments.runs.into(),
        threads,
        timed: Timed::FromHost,
        patience: None,
    };
    ensure!(!rules.entrants.is_empty(), "name at least one solver; its forest is verified");

    let machine = Machine::this();
    let cores = machine.cores;
    let measure = |threads| memory_speed::measure(threads, arguments.largest_table);
    // Measure with all processors before pinning, which would restrict the threads to fewer.
    eprintln!("measuring memory");
    let all = (cores > 1).then(|| measure(cores));
    let record = begin(machine, most_threads, &arguments.circumstances)?;
    let mut memory_speed = vec![measure(1)];
    for &threads in &rules.threads {
        if threads != cores && memory_speed.iter().all(|speed| speed.threads != threads) {
            memory_speed.push(measure(threads));
        }
    }
    memory_speed.extend(all);

    let mut results: Vec<GraphResult> = Vec::new();
    let mut skipped: Vec<Skipped> = Vec::new();
    for graph in &graphs {
        let result = match graph.missing_file() {
            Some(path) => Err(anyhow!("{} does not exist", path.display())),
            None => contest::hold(graph, &rules),
        };
        // A failed graph must not discard the results of the others.
        match result {
            Ok(result) => results.extend(result),
            Err(error) => {
                eprintln!("{} skipped: {error:#}", graph.name);
                skipped.push(Skipped { name: graph.name.clone(), reason: format!("{error:#}") });
            }
        }
    }
    ensure!(!results.is_empty(), "no graph was measured");
    conclude(
        record,
        Measured::Solve { memory_speed, graphs: results, skipped },
        &arguments.circumstances,
    )
}

fn evaluate(id: &str, PaperRun { arguments, circumstances }: &PaperRun) -> Result<bool> {
    let paper = papers::paper(id).with_context(|| format!("there is no paper '{id}'"))?;
    arguments.check(paper)?;
    let mut record = begin(Machine::this(), arguments.threads(), circumstances)?;
    // By default one thread for each processor, and pinning leaves fewer of them.
    record.threads = arguments.threads();
    let measured = |experiments: &[ExperimentResult]| Measured::Paper {
        paper: id.to_owned(),
        scale: arguments.scale(),
        experiments: experiments.to_vec(),
    };
    // An evaluation takes long, and what interrupts it must not discard the results so far.
    let keep = |experiments: &[ExperimentResult]| match &circumstances.output {
        Some(output) => record.clone().finish(measured(experiments)).write(output),
        None => Ok(()),
    };
    let experiments = papers::measure(paper, arguments, keep)?;
    let any = experiments.iter().any(|experiment| !experiment.graphs.is_empty());
    ensure!(any, "no graph was measured");
    conclude(record.clone(), measured(&experiments), circumstances)
}

fn read(arguments: &ReadArguments) -> Result<bool> {
    let circumstances = &arguments.circumstances;
    let record = begin(Machine::this(), arguments.threads.into(), circumstances)?;
    let measure = |file: &PathBuf| {
        eprintln!("{}", file.display());
        read::measure(file, arguments.runs.into(), arguments.threads.into())
    };
    let files = arguments.files.iter().map(measure).collect::<Result<_>>()?;
    conclude(record, Measured::Read(files), circumstances)
}

fn memory(arguments: &MemoryArguments) -> Result<bool> {
    let circumstances = &arguments.circumstances;
    let record = begin(Machine::this(), arguments.threads.into(), circumstances)?;
    let kostra = arguments.kostra.clone().unwrap_or_else(peak::kostra_beside_this);
    let algorithm = arguments.algorithm.as_deref();
    let measure = |input: &String| {
        eprintln!("{input}");
        peak::measure(&kostra, input, algorithm, arguments.threads.into())
    };
    let peaks = arguments.inputs.iter().map(measure).collect::<Result<_>>()?;
    conclude(record, Measured::Memory(peaks), circumstances)
}

fn bank(workload: &BankArguments, circumstances: &Circumstances) -> Result<bool> {
    let record = begin(Machine::this(), 1, circumstances)?;
    let results = bank::measure(workload)?;
    conclude(record, Measured::Bank(results), circumstances)
}

fn report(arguments: &ReportArguments) -> Result<bool> {
    if let Some(page) = &arguments.output {
        let destination = page::Destination { page, assets: arguments.assets.as_deref() };
        return page::write(&arguments.records, arguments.together, &destination);
    }
    let mut agree = true;
    for path in &arguments.records {
        let record = Record::read(path)?;
        agree &= record.agrees();
        println!("{}", report::markdown(&record));
    }
    Ok(agree)
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

/// Pins the process and begins the record.
fn begin(machine: Machine, threads: usize, circumstances: &Circumstances) -> Result<Record> {
    let processors = circumstances
        .pin
        .as_deref()
        .map(process::parse_processors)
        .transpose()?
        .unwrap_or_default();
    if !processors.is_empty() {
        process::pin(&processors)?;
    }
    if let Some(output) = &circumstances.output {
        // Report the error now, not after an hour of measuring.
        ensure!(!output.is_dir(), "{} is a folder; name a file in it", output.display());
    }
    Ok(Record::begin(machine, threads, processors))
}

/// Completes the record, writes it if `-o` is given, and prints it.
fn conclude(record: Record, measured: Measured, circumstances: &Circumstances) -> Result<bool> {
    let record = record.finish(measured);
    println!("{}", report::markdown(&record));
    if let Some(output) = &circumstances.output {
        record.write(output).context("the results above are not saved")?;
        eprintln!("record written to {}", output.display());
    }
    Ok(record.agrees())
}
