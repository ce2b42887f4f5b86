//! The `kostra` command: minimum spanning forests of graphs from files, standard input or
//! generators. It is a library, so that the Python package contains the same command.
//!
//! `args` holds what the user typed. Each command resolves it once, at its start, to what it means.
//! Results go to standard output, everything else to standard error; where a forest goes to
//! standard output, the report goes to standard error.

mod args;
mod convert;
#[cfg(feature = "mpi")]
mod distributed;
mod doctor;
mod failure;
mod forest_file;
mod generate;
mod info;
mod input;
mod interrupt;
mod last_words;
mod manual;
mod output;
mod progress;
mod report;
mod solve;
mod solvers;
mod trace;
mod verify;

use std::ffi::OsString;

use clap::Parser;

use args::{Arguments, Command};
pub use last_words::Memory;

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Done, or yes.
    Yes,
    /// The question was answered, and the answer is no.
    No,
}

/// Runs the command line, whose first argument is the name of the program, and returns the exit
/// code.
///
/// It assumes that the process is its own: it installs signal handlers, which end the process, and
/// a panic hook.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    last_words::watch();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(usage) => {
            #[cfg(feature = "mpi")]
            if usage.use_stderr() {
                distributed::let_rank_0_speak();
            }
            return failure::show_usage(&usage);
        }
    };
    interrupt::install();
    match failure::guard(|| obey(arguments)) {
        Ok(Answer::Yes) => 0,
        Ok(Answer::No) => 1,
        Err(error) => {
            failure::explain(&error);
            failure::EXIT_CODE
        }
    }
}

fn obey(arguments: Arguments) -> anyhow::Result<Answer> {
    match arguments.command {
        None => manual::help(),
        #[cfg(feature = "mpi")]
        Some(Command::Solve(args)) => distributed::run(args),
        #[cfg(not(feature = "mpi"))]
        Some(Command::Solve(args)) => solve::run(args),
        Some(Command::Verify(args)) => verify::run(args),
        Some(Command::Info(args)) => info::run(args),
        Some(Command::Convert(args)) => convert::run(args),
        Some(Command::Generate(args)) => generate::run(args),
        Some(Command::Solvers(args)) => solvers::run(args),
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Completions(args)) => manual::completions(args),
        Some(Command::Man(args)) => manual::page(args),
    }
}
