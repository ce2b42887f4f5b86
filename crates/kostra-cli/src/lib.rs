//! The `kostra` command: minimum spanning forests of graphs in files, from standard input, or made to order. A library,
//! so that the Python package brings the same command along.
//!
//! `args` holds what the user typed; each command, one file each, turns it into what is meant once, at its start,
//! and sees only that afterwards. Results go to standard output, everything else to standard error.

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

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Done, or yes.
    Yes,
    /// The question was answered, and the answer is no.
    No,
}

/// Does what the arguments say, the first of which is the name of the program, and returns the exit code.
///
/// It takes the process for its own: it handles Ctrl-C, and ends the process there, and says what panics.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
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
