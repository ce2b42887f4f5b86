//! `kostra-bench`: compares Kostra with its peers, and writes a record of all conditions of the
//! measurement.
//!
//! `lab/README.md` describes the method and the records.

mod awake;
mod bank;
mod cache_counters;
mod circumstances;
mod command_time;
mod compare;
mod contest;
mod contestant;
mod date;
mod evaluation;
mod graphs;
mod machine;
mod memory_speed;
mod observed;
mod output;
mod paired;
mod partition;
mod peers;
mod process;
mod rank_job;
mod read;
mod record;
mod referee;
mod report;
mod samples;
mod statistics;
mod suite;
mod sweep;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::bank::BankArguments;
use crate::circumstances::{Circumstances, begin, conclude};
use crate::compare::CompareArguments;
use crate::machine::Machine;
use crate::partition::PartitionArguments;
use crate::record::{Measured, Record};
use crate::suite::{PaperRun, RunArguments};

/// The same allocator as in the `kostra` command. Peers that are programs get the equivalent
/// setting.
#[global_allocator]
static MEMORY: kostra_core::LargePages = kostra_core::LargePages;

/// Compares Kostra with its peers.
///
/// Exit codes: 0 success, 1 answers differ, one is wrong, or `compare --fail` found a slower cell,
/// 2 wrong usage or input.
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
    /// Times `kostra solve` from exec to exit with a warm and a cold page cache, beside its floors
    Process(ProcessArguments),
    /// Measures the tables and figures of Sousa 2014, chapter 5, and prints them beside the paper's
    Sousa(PaperRun),
    /// Measures the tables and figures of Shou & He 2024, and prints them beside the paper's
    ShouHe(PaperRun),
    /// Measures the figures of Biagiotti, and prints them beside the paper's
    Biagiotti(PaperRun),
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
    /// Partitions graphs by Kostra and by other partitioners in turn, and counts each cut again
    Partition {
        #[command(flatten)]
        contest: PartitionArguments,
        #[command(flatten)]
        circumstances: Circumstances,
    },
    /// Says which cells changed beyond noise between two records, or between the two builds of one
    Compare(CompareArguments),
    /// Prints records as Markdown
    Report {
        /// Records written with -o
        #[arg(required = true)]
        records: Vec<PathBuf>,
    },
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
struct ProcessArguments {
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
    /// Number of counted processes per state of the page cache, after one warm-up
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    #[command(flatten)]
    circumstances: Circumstances,
}

fn main() -> ExitCode {
    let task = Arguments::try_parse().unwrap_or_else(|error| refuse(&error)).command;
    let fault = match task {
        Task::Compare(_) => "a cell is slower",
        _ => "answers differ, or one is wrong; see the record",
    };
    let result = match task {
        Task::Run(arguments) => suite::run(&arguments),
        Task::Read(arguments) => read(&arguments),
        Task::Process(arguments) => process(&arguments),
        Task::Sousa(arguments) => suite::evaluate("sousa", &arguments),
        Task::ShouHe(arguments) => suite::evaluate("shou-he", &arguments),
        Task::Biagiotti(arguments) => suite::evaluate("biagiotti", &arguments),
        Task::Nobari(arguments) => suite::evaluate("nobari", &arguments),
        Task::Manoochehri(arguments) => suite::evaluate("manoochehri", &arguments),
        Task::Bank { workload, circumstances } => bank(&workload, &circumstances),
        Task::Partition { contest, circumstances } => divide(&contest, &circumstances),
        Task::Compare(arguments) => compare::compare(&arguments),
        Task::Report { records } => report(&records),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("kostra-bench: {fault}");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("kostra-bench: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Ends the program because of wrong arguments, or after the help. An unknown command or suite gets
/// one sentence with the list.
fn refuse(error: &clap::Error) -> ! {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidSubcommand)
    {
        let command = Arguments::command();
        let names: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
        eprintln!(
            "kostra-bench: there is no command or suite '{wrong}'; there are: {}",
            names.join(", ")
        );
        std::process::exit(2);
    }
    error.exit()
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

fn process(arguments: &ProcessArguments) -> Result<bool> {
    let circumstances = &arguments.circumstances;
    let record = begin(Machine::this(), arguments.threads.into(), circumstances)?;
    let kostra = arguments.kostra.clone().unwrap_or_else(process::kostra_beside_this);
    let plan = command_time::Repetitions {
        kostra: &kostra,
        algorithm: arguments.algorithm.as_deref(),
        threads: arguments.threads.into(),
        runs: arguments.runs.into(),
    };
    let measure = |input: &String| {
        eprintln!("{input}");
        plan.measure(input)
    };
    let results = arguments.inputs.iter().map(measure).collect::<Result<_>>()?;
    conclude(record, Measured::Process(results), circumstances)
}

fn bank(workload: &BankArguments, circumstances: &Circumstances) -> Result<bool> {
    let record = begin(Machine::this(), 1, circumstances)?;
    let results = bank::measure(workload)?;
    conclude(record, Measured::Bank(results), circumstances)
}

fn divide(contest: &PartitionArguments, circumstances: &Circumstances) -> Result<bool> {
    let record = begin(Machine::this(), contest.threads(), circumstances)?;
    let results = partition::measure(contest)?;
    conclude(record, Measured::Partition(results), circumstances)
}

fn report(records: &[PathBuf]) -> Result<bool> {
    let mut agree = true;
    for path in records {
        let record = Record::read(path)?;
        agree &= record.agrees();
        println!("{}", report::markdown(&record));
    }
    Ok(agree)
}
