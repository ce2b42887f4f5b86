//! The solvers that run on the processor.

mod granted;
mod heap;
mod heap_binary;
mod heap_pairing;
mod light;
mod radix_sort;
mod sequential;
mod threads;
mod unite;

use kostra_core::Solver;

/// Every solver of this crate, in the order in which tables show them.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    sequential::SOLVERS.iter().chain(threads::SOLVERS).copied()
}

/// The solver that is fastest on most graphs.
pub const FASTEST: &dyn Solver = &threads::Fast;

/// The solver that is fastest on graphs of a few thousand edges, for which nothing pays that must be set up.
pub const FASTEST_ON_SMALL: &dyn Solver = &sequential::Kruskal;
