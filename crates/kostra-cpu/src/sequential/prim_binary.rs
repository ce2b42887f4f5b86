//! Prim's algorithm with a binary heap: simple, and the usual choice for sparse graphs.
//!
//! The growing loop is in `prim.rs`, the heap in `heap_binary.rs` of the crate.
//!
//! * Source: Sousa 2014, section 3.1.3, Algorithm 4; Biagiotti, CPU implementation (the version with a heap).
//! * Time O((n + m) log n); scratch 12 bytes a vertex, and 16 for each vertex beside the tree (20 and 32 with 64-bit
//!   weights).
//! * Wants CSR. Exact. One thread.

use kostra_core::{
    Algorithm, EdgeSet, Platform, Problem, Representation, Run, SolveError, SolverInfo, Weight,
};

use super::prim::grow;
use crate::heap_binary::BinaryHeap;

/// Prim's algorithm with a binary heap.
pub(crate) struct PrimBinary;

impl Algorithm for PrimBinary {
    const INFO: SolverInfo = SolverInfo {
        id: "prim-binary",
        title: "Prim with a binary heap",
        source: "Sousa 2014, 3.1.3, Algorithm 4; Biagiotti, CPU implementation",
        platform: Platform::Sequential,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n)",
        scratch: "12 bytes a vertex and 16 a vertex beside the tree (20 and 32 with 64-bit weights)",
        options: &[],
    };

    fn solve<W: Weight>(&self, problem: Problem<'_, W>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        run.phase("grow", |run| grow::<W, BinaryHeap<W::Key>>(problem, run))
    }
}
