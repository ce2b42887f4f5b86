//! The table of all solvers for clusters. The command, the suite and the benchmarks use it.
//!
//! To add a solver, write one file with a struct that implements
//! [`DistributedAlgorithm`](crate::DistributedAlgorithm), and add the struct to `SOLVERS`.

use crate::boruvka_allreduce::BoruvkaAllreduce;
use crate::boruvka_contract::BoruvkaContract;
use crate::fast::Fast;
use crate::ghs::Ghs;
use crate::merge::Merge;
use crate::solver::DistributedSolver;

/// In the order in which tables show the solvers.
const SOLVERS: &[&dyn DistributedSolver] =
    &[&Fast, &BoruvkaAllreduce, &BoruvkaContract, &Ghs, &Merge];

/// Every solver of this crate, in the order in which tables show them.
pub fn solvers() -> impl Iterator<Item = &'static dyn DistributedSolver> {
    SOLVERS.iter().copied()
}
