//! Solvers for clusters that reproduce papers, one file or folder each. They are kept for
//! comparison: `kostra-mpi` has the solver that users need, communication and distributed graphs,
//! and does not depend on this crate.
//!
//! * `rows`: a graph distributed by vertices, and the return of chosen edges.
//! * `termination`: whether all ranks are idle and no message is in flight.

mod boruvka_allreduce;
mod boruvka_contract;
mod ghs;
mod merge;
mod rows;
mod termination;

use kostra_mpi::DistributedSolver;

static SOLVERS: &[&dyn DistributedSolver] = &[
    &boruvka_allreduce::BoruvkaAllreduce,
    &boruvka_contract::BoruvkaContract,
    &ghs::Ghs,
    &merge::LocalForestMerge,
];

/// All solvers of this crate, in the order of tables.
pub fn solvers() -> impl Iterator<Item = &'static dyn DistributedSolver> {
    SOLVERS.iter().copied()
}
