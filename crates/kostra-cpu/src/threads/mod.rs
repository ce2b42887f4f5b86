//! The solvers that run on the threads of one machine, one file or folder each.

mod boruvka_contract;
mod boruvka_edge;
mod fast;
mod prim_collide;
mod prim_parts;

use kostra_core::Solver;

pub(crate) use fast::Fast;
pub use fast::{InteriorContraction, UndecidedEdges, contract_interior};

pub(crate) const SOLVERS: &[&dyn Solver] = &[
    &Fast,
    &boruvka_contract::BoruvkaContract,
    &boruvka_edge::BoruvkaEdge,
    &prim_collide::PrimCollide,
    &prim_parts::PrimUnion,
    &prim_parts::PrimBoundary,
];
