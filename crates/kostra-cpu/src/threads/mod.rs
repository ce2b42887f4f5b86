//! Solvers on the threads of one machine, one file each, and the parts that they share: [`team`] (threads that work
//! step by step), [`atomic`] (memory lent to them), [`scan`] (prefix sums), [`union_find`], [`lightest`] (a minimum for
//! each component), [`worklist`] (a filter by ticket).

mod atomic;
mod boruvka_contract;
mod boruvka_edge;
mod fast;
mod lightest;
mod scan;
mod sync;
mod team;
mod union_find;
mod worklist;

use kostra_core::Solver;

pub(crate) use fast::Fast;

pub(crate) const SOLVERS: &[&dyn Solver] =
    &[&Fast, &boruvka_contract::BoruvkaContract, &boruvka_edge::BoruvkaEdge];
