//! The solvers that run on the processor.

mod heap;
mod heap_binary;
mod heap_pairing;
mod sequential;
mod threads;

use kostra_core::Solver;

/// Every solver of this crate, in the order in which tables show them.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    sequential::SOLVERS.iter().chain(threads::SOLVERS).copied()
}

/// The solver that is fastest on one thread for most graphs.
pub const FASTEST_SEQUENTIAL: &dyn Solver = &sequential::FilterKruskal;
