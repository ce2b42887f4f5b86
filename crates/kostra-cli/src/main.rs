//! The `kostra` command.

#[cfg(target_os = "linux")]
mod streams;

use std::process::ExitCode;

/// Large allocations ask the system for large pages; an allocation that fails ends the command with
/// one line.
#[cfg(not(feature = "mpi"))]
#[global_allocator]
static MEMORY: kostra_cli::Memory = kostra_cli::Memory;
/// The same; a rank whose allocation fails reports it before it aborts.
#[cfg(feature = "mpi")]
#[global_allocator]
static MEMORY: kostra_mpi::Memory = kostra_mpi::Memory;

fn main() -> ExitCode {
    kostra_cli::run(std::env::args_os()).into()
}
