//! Solvers on the threads of one machine, one file each, and the parts that they share: [`team`] (threads that work
//! step by step), [`atomic`] (memory lent to them), [`scan`] (prefix sums).

mod atomic;
mod boruvka_contract;
mod scan;
mod team;

use kostra_core::Solver;

pub(crate) const SOLVERS: &[&dyn Solver] = &[&boruvka_contract::BoruvkaContract];
