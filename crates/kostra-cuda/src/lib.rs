//! The solvers that run on CUDA devices.
//!
//! The crate builds on any machine: the driver is looked for when a solver runs, and where there is
//! none the answer is an error that says why. Kernels are plain CUDA C++ in `kernels/`; `module.rs`
//! says how they reach the device.
//!
//! To add a solver, write its kernels and its file, and add the struct to `SOLVERS`. A solver's
//! body has three parts: `run.upload(..)`, the rounds, `run.download(..)`, and opens its device by
//! [`Device::open`] with `run.device()`.

mod boruvka_contract;
mod boruvka_contract_edge;
mod boruvka_edge;
mod buffers;
mod columns;
mod device;
mod error;
pub mod fast;
mod foreign;
mod launch;
mod memory;
mod module;
mod nvrtc;
mod scan;
mod shared;
mod source;
mod staging;
mod step_clock;
#[cfg(test)]
mod testing;

use kostra_core::Solver;

pub use buffers::{DeviceCsr, DeviceEdges};
pub use columns::{DeviceEnds, DeviceWeights, IntegerType, NarrowType, pick, value_at};
pub use device::Device;
pub use error::{DeviceError, NoDevice};
pub use foreign::{CsrAddresses, DeviceGraphError, EdgeAddresses};
pub use memory::DeviceMemory;
pub use module::{are_compiled as kernels_are_compiled, origin as kernels};

/// Every solver of this crate, in the order in which tables show them.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    SOLVERS.iter().copied()
}

/// The solver that is fastest on large graphs.
pub const FASTEST: Option<&dyn Solver> = SOLVERS.first().copied();

/// The fastest first.
const SOLVERS: &[&dyn Solver] = &[
    &fast::Fast,
    &fast::FastRows,
    &boruvka_edge::BoruvkaEdge,
    &boruvka_contract::BoruvkaContract,
    &boruvka_contract_edge::BoruvkaContractEdge,
];
