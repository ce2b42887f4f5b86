//! Prim's algorithm with a binary heap.
//!
//! The growing loop and its deviations are in `prim.rs`, and the heap is `heap/binary.rs`.
//!
//! * Source: Sousa 2014, section 3.1.3, Algorithm 4; Biagiotti, CPU implementation (the version
//!   with a heap).
//! * Deviations: Biagiotti says only that a simple heap sorts the edges. This heap holds vertices,
//!   so it has at most n entries, and lowers a rank in place.
//! * Time O((n + m) log n); scratch 12 bytes per vertex, and 16 per vertex in the heap (20 and 32
//!   with 64-bit weights).
//! * Input: CSR. Exact. One thread.

use kostra_core::{
    Algorithm, EdgeSet, Key, Platform, Problem, Representation, Run, SolveError, SolverInfo,
};

use super::prim::grow;
use crate::heap::BinaryHeap;

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
        scratch: "12 bytes per vertex, 16 per vertex in the heap (20 and 32 with 64-bit weights)",
        options: &[],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        run.phase("grow", |run| grow::<K, BinaryHeap<K>>(problem, run))
    }
}
