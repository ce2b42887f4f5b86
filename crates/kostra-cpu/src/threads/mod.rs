//! Solvers on the threads of one machine, one file each, and the parts that they share: [`team`]
//! (threads that work step by step), [`place`] (where they begin), [`atomic`] (memory lent to
//! them), [`scan`] (prefix sums), [`union_find`], [`lightest`] (a minimum for each component),
//! [`worklist`] (a filter by ticket), [`adjacency_list`] (one that they build at once),
//! [`edge_set`] (the forest as they find it), [`list`] (its edges in order), [`items`] (work of any
//! kind).

mod adjacency_list;
mod atomic;
mod boruvka_contract;
mod boruvka_edge;
mod edge_set;
mod fast;
mod items;
mod lightest;
mod list;
mod place;
mod prim_collide;
mod scan;
mod sync;
mod team;
mod union_find;
mod watched;
mod worklist;

use kostra_core::Solver;

pub(crate) use fast::Fast;
pub use fast::{Settled, settle};
pub use items::on_threads;
pub use list::list;

pub(crate) const SOLVERS: &[&dyn Solver] = &[
    &Fast,
    &boruvka_contract::BoruvkaContract,
    &boruvka_edge::BoruvkaEdge,
    &prim_collide::PrimCollide,
];
