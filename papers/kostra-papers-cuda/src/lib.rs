//! Solvers for CUDA devices that reproduce papers. They are kept for comparison: the solvers that
//! users need are in `kostra-cuda`, which does not depend on this crate.
//!
//! A solver is a Rust file and a kernel file, as in `kostra-cuda`, whose modules and headers it
//! uses. [`bank`] tests and measures the transactional memory for devices.

/// The names under which the step `$name` is reported.
macro_rules! step {
    ($name:literal) => {
        kostra_cuda::step_clock::Step { phase: $name, occupancy: concat!("occupancy % of ", $name) }
    };
}

pub mod bank;
mod boruvka_contract;
mod boruvka_contract_edge;
mod boruvka_edge;
mod boruvka_stm;
mod contraction;
mod pma;
mod source;

use kostra_core::Solver;

/// All solvers of this crate, in the order of tables.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    SOLVERS.iter().copied()
}

const SOLVERS: &[&dyn Solver] = &[
    &boruvka_edge::BoruvkaEdge,
    &boruvka_contract::BoruvkaContract,
    &boruvka_contract_edge::BoruvkaContractEdge,
    &boruvka_stm::BoruvkaStm,
    &pma::PmaMin,
    &pma::PmaSort,
    &pma::PmaHybrid,
];
