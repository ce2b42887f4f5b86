//! Solvers for threads that reproduce papers. They are kept for comparison: the solvers that users
//! need are in `kostra-cpu`, which does not depend on this crate.
//!
//! * `solvers`: one file or folder per solver.
//! * [`shared`]: the data structures that the threads of these solvers share. `scripts/loom` checks
//!   them with a model checker, without the solvers.
//! * `cuda`, with the feature of this name: the solvers for CUDA devices.

pub mod shared;
#[cfg(not(loom))]
mod solvers;

#[cfg(all(feature = "cuda", not(loom)))]
pub use kostra_papers_cuda as cuda;
#[cfg(not(loom))]
pub use solvers::solvers;
