//! The `kostra` command.

#[cfg(target_os = "linux")]
mod streams;

use std::process::ExitCode;

/// Requests large pages for large allocations. A failed allocation ends the command with one line.
#[cfg(not(feature = "mpi"))]
#[global_allocator]
static MEMORY: kostra_core::ReportingAllocator = kostra_cli::ALLOCATOR;
/// Requests large pages for large allocations. A rank whose allocation fails reports that before it
/// aborts.
#[cfg(feature = "mpi")]
#[global_allocator]
static MEMORY: kostra_core::ReportingAllocator = kostra_mpi::ALLOCATOR;

fn main() -> ExitCode {
    kostra_cli::run(std::env::args_os()).into()
}
