//! The `kostra` command: minimum spanning forests of graphs from files, standard input or
//! generators. It is a library, so that the Python package contains the same command.
//!
//! The module `commands` holds one file or folder per command and the table of all commands. Each
//! command keeps two types apart: its `Arguments` are what the user typed, and its plan is what
//! they mean.
//!
//! Results go to standard output, everything else to standard error. If a forest goes to standard
//! output, the report goes to standard error.

mod algorithm;
mod arguments;
mod bytes;
mod command;
mod commands;
mod device;
mod distance_file;
mod failure;
mod file_roles;
mod forest_file;
mod graph_file;
mod input;
mod interrupt;
mod last_words;
#[cfg(not(feature = "mpi"))]
mod launcher;
mod measure;
mod memory_limit;
mod output;
mod pixels;
mod point_arguments;
mod point_faults;
mod point_output;
mod point_search;
mod point_weights;
mod points;
mod progress;
mod remedy;
mod report;
mod trace;
mod usage;
mod verdict;
mod vertex_names;

use std::ffi::OsString;

use command::Answer;
pub use last_words::ALLOCATOR;

/// Runs the command line and returns its exit code. The first argument is the name of the program.
///
/// The function treats the process as its own: it installs a panic hook and signal handlers that
/// end the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    last_words::watch();
    let arguments: Vec<_> = arguments.into_iter().collect();
    let definition = commands::definition();
    let matches = match definition.clone().try_get_matches_from(&arguments) {
        Ok(matches) => matches,
        Err(usage) => {
            #[cfg(feature = "mpi")]
            if usage.use_stderr() {
                commands::let_rank_0_report();
            }
            return usage::show(usage, &arguments);
        }
    };
    interrupt::install();
    let work = || {
        kostra_core::check_threads()?;
        commands::run(&matches, definition)
    };
    match failure::guard(work) {
        Ok(Answer::Yes) => 0,
        Ok(Answer::No) => 1,
        Err(error) => {
            failure::explain(&error);
            failure::EXIT_CODE
        }
    }
}
