//! Solvers on the threads of one machine, one file each, and the parts that they share: [`team`] (threads that work
//! step by step), [`atomic`] (memory lent to them), [`scan`] (prefix sums), [`adjacency_list`] (one that they build at
//! once).

mod adjacency_list;
mod atomic;
mod prim_collide;
mod scan;
mod team;

use kostra_core::Solver;

pub(crate) const SOLVERS: &[&dyn Solver] = &[&prim_collide::PrimCollide];
