//! The solvers that run on the processor.

mod sequential;

use kostra_core::Solver;

/// Every solver of this crate, in the order in which tables show them.
pub const SOLVERS: &[&dyn Solver] = sequential::SOLVERS;

/// The solver that is fastest on one thread for most graphs.
pub const FASTEST_SEQUENTIAL: &dyn Solver = &sequential::FilterKruskal;
