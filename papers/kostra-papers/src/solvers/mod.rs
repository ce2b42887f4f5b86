//! The solvers, one file or folder each.

mod boruvka_contract;
mod boruvka_edge;
mod boruvka_stm;
mod mst_bc;
mod pma;
mod prim_collide;
mod prim_parts;
mod stage_graph;

use kostra_core::Solver;

static SOLVERS: &[&dyn Solver] = &[
    &boruvka_contract::BoruvkaContract,
    &boruvka_edge::BoruvkaEdge,
    &boruvka_stm::BoruvkaStm,
    &mst_bc::MstBc,
    &prim_collide::PrimCollide,
    &pma::Pma,
    &prim_parts::PrimUnion,
    &prim_parts::PrimBoundary,
];

/// All solvers of this crate, in the order of tables.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    SOLVERS.iter().copied()
}
