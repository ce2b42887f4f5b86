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
    limit_connections();
    kostra_cli::run(std::env::args_os()).into()
}

/// Asks the CUDA driver for two queues to a device instead of eight, one for kernels and one for
/// copies. So it opens a device in two thirds of the time. A number that the user has set stays.
#[expect(unsafe_code, reason = "the environment may change only while there is one thread")]
fn limit_connections() {
    const CONNECTIONS: &str = "CUDA_DEVICE_MAX_CONNECTIONS";
    if std::env::var_os(CONNECTIONS).is_none() {
        // SAFETY: `main` calls this first, when there are no other threads.
        unsafe { std::env::set_var(CONNECTIONS, "2") };
    }
}
