//! The `kostra` command.

#[cfg(target_os = "linux")]
mod streams;

use std::process::ExitCode;

/// Graphs are read and solved in large pages.
#[cfg(not(feature = "mpi"))]
#[global_allocator]
static MEMORY: kostra::LargePages = kostra::LargePages;
/// The same, and a rank that is refused memory says so.
#[cfg(feature = "mpi")]
#[global_allocator]
static MEMORY: kostra_mpi::Memory = kostra_mpi::Memory;

fn main() -> ExitCode {
    kostra_cli::run(std::env::args_os()).into()
}
