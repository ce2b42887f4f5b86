//! Solvers on one thread, one file each.

mod kruskal;

use kostra_core::Solver;

pub(crate) use kruskal::Kruskal;

pub(crate) const SOLVERS: &[&dyn Solver] = &[&Kruskal];
