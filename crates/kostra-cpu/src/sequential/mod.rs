//! Solvers on one thread, one file each.

mod filter_kruskal;
mod kruskal;
mod radix_sort;
mod unite;

use kostra_core::Solver;

pub(crate) use filter_kruskal::FilterKruskal;
pub(crate) use kruskal::Kruskal;

pub(crate) const SOLVERS: &[&dyn Solver] = &[&Kruskal, &FilterKruskal];
