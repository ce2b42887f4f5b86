//! The solvers that run on CUDA devices, a graph partitioner ([`partition`]), and spanning trees of
//! points ([`points`]).
//!
//! The crate builds on any machine. It looks for the driver when a solver runs, and if there is
//! none, it returns an error with the reason. Kernels are plain CUDA C++ in `kernels/`; `module.rs`
//! loads them. What kernels and Rust share is read from the kernel files by [`shared`].
//!
//! To add a solver, write its kernel file and its Rust file, and add its module and its struct to
//! this file. A solver opens its device by [`Device::open`] with `run.request.device()`, loads its
//! kernels in `run.compile(..)`, copies the graph in `run.upload(..)`, launches them with the
//! struct that [`arguments!`] declares, and copies the result in `run.download(..)`. A solver with
//! `USES_DEVICES` takes `run.request.devices()`.
//!
//! Solvers of other crates are made of the same parts. Their kernels may include the headers of
//! this crate; [`source`] says how.
//!
//! | module | for |
//! |---|---|
//! | [`source`] | files of kernels |
//! | [`shared`] | constants and structs that Rust and kernels share |
//! | [`mod@launch`] | loading and launching kernels |
//! | [`buffers`], [`rows`] | graphs and results in device memory |
//! | [`scan`], [`sort_rows`] | prefix sums, and the sort of the entries of each row |
//! | [`radix_sort`] | the sort of an array |
//! | [`segmented`] | scans of segments, and the quicksort that is made of them |
//! | [`step_clock`] | the time of a solver's steps |

pub mod buffers;
mod columns;
mod device;
mod error;
pub mod external;
pub mod fast;
mod foreign;
pub mod launch;
mod light;
mod light_edges;
mod members;
mod memory;
mod module;
pub mod multi;
mod nvrtc;
pub mod partition;
#[cfg(test)]
mod planted;
pub mod points;
pub mod radix_sort;
pub mod rows;
pub mod scan;
pub mod segmented;
pub mod shared;
pub mod sort_rows;
pub mod source;
mod staging;
pub mod step_clock;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod transfer;
mod wire;

use kostra_core::Solver;

pub use buffers::{DeviceCsr, DeviceEdges};
pub use columns::{DeviceColumns, DeviceEnds, DeviceWeights, pick, value_at};
pub use device::Device;
pub use error::{DeviceError, NoDevice};
pub use foreign::{CsrAddresses, DeviceGraphError, EdgeAddresses};
pub use memory::DeviceMemory;
pub use module::{are_compiled as kernels_are_compiled, origin as kernels};
pub use wire::{WireMemory, WirePiece};

/// All solvers of this crate, in the order of tables.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    SOLVERS.iter().copied()
}

/// The fastest solver on large graphs.
pub static FASTEST: Option<&dyn Solver> = SOLVERS.first().copied();

/// The solver for several devices.
pub static FOR_SEVERAL: &dyn Solver = &multi::Multi;

/// All solvers of this crate. The fastest one is the first.
static SOLVERS: &[&dyn Solver] = &[&fast::Fast, &fast::FastRows, &multi::Multi];
