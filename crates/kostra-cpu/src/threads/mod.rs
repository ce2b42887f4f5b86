//! The solvers that run on the threads of one machine, one file or folder each.

mod boruvka_contract;
mod boruvka_edge;
mod boruvka_stm;
mod fast;
mod pma;
mod prim_collide;
mod prim_parts;
mod stage_graph;

use kostra_core::Solver;

pub(crate) use fast::Fast;
pub(crate) use fast::fast_of_edges;
pub use fast::{InteriorContraction, UndecidedEdges, contract_interior};

pub(crate) const SOLVERS: &[&dyn Solver] = &[
    &Fast,
    &boruvka_contract::BoruvkaContract,
    &boruvka_edge::BoruvkaEdge,
    &boruvka_stm::BoruvkaStm,
    &prim_collide::PrimCollide,
    &pma::Pma,
    &prim_parts::PrimUnion,
    &prim_parts::PrimBoundary,
];
