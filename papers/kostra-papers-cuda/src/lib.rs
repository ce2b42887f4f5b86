//! Solvers for CUDA devices that reproduce papers. They are kept for comparison: the solvers that
//! users need are in `kostra-cuda`, which does not depend on this crate.
//!
//! A solver is a Rust file and a kernel file, as in `kostra-cuda`, whose modules and headers it
//! uses. [`bank`] tests and measures the transactional memory for devices.

/// The names under which the step `$name` is reported.
macro_rules! step {
    ($name:literal) => {
        kostra_cuda::step_clock::StepName {
            phase: $name,
            occupancy: concat!("occupancy % of ", $name),
        }
    };
}

/// Implements the trait of solvers for one that takes rows: `$solve::<$kind, K>` solves.
macro_rules! solver_on_rows {
    ($solver:ty, $solve:ident::<$kind:ty>, $($field:ident: $value:expr),+ $(,)?) => {
        impl kostra_core::Algorithm for $solver {
            const INFO: kostra_core::SolverInfo = kostra_core::SolverInfo {
                $($field: $value,)+
                platform: kostra_core::Platform::Cuda,
                representation: kostra_core::Representation::Csr,
                exact: true,
            };

            fn admit(&self, _vertices: u32, edges: usize) -> Result<(), kostra_core::SolveError> {
                crate::contraction::admit(Self::INFO.id, edges)
            }

            fn solve<K: kostra_core::Key>(
                &self,
                problem: kostra_core::Problem<'_, K>,
                run: &mut kostra_core::Run<'_>,
            ) -> Result<kostra_core::EdgeSet, kostra_core::SolveError> {
                $solve::<$kind, K>(problem, run)
            }
        }
    };
}

pub mod bank;
mod boruvka_contract;
mod boruvka_contract_edge;
mod boruvka_edge;
mod boruvka_primitives;
mod boruvka_stm;
mod contraction;
mod hetero;
mod pma;
mod source;

use kostra_core::Solver;

/// All solvers of this crate, in the order of tables.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    SOLVERS.iter().copied()
}

static SOLVERS: &[&dyn Solver] = &[
    &boruvka_edge::BoruvkaEdge,
    &boruvka_contract::BoruvkaContract,
    &boruvka_contract_edge::BoruvkaContractEdge,
    &boruvka_stm::BoruvkaStm,
    &boruvka_primitives::BoruvkaPrimitives,
    &hetero::HeteroContract,
    &pma::PmaMin,
    &pma::PmaSort,
    &pma::PmaHybrid,
];
