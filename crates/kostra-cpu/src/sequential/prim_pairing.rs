//! Prim's algorithm with a pairing heap: lowering a rank is O(1) on the spot, and paid for when the root leaves.
//!
//! The growing loop is in `prim.rs`, the heap in `heap_pairing.rs` of the crate.
//!
//! * Source: Sousa 2014, section 3.1.3, Algorithm 4 (after Moret and Shapiro 1994).
//! * Time O((n + m) log n); scratch 32 bytes a vertex (48 with 64-bit weights).
//! * Wants CSR. Exact. One thread.

use kostra_core::{
    Algorithm, EdgeSet, Platform, Problem, Representation, Run, SolveError, SolverInfo, Weight,
};

use super::prim::grow;
use crate::heap_pairing::PairingHeap;

/// Prim's algorithm with a pairing heap.
pub(crate) struct PrimPairing;

impl Algorithm for PrimPairing {
    const INFO: SolverInfo = SolverInfo {
        id: "prim-pairing",
        title: "Prim with a pairing heap",
        source: "Sousa 2014, 3.1.3, Algorithm 4",
        platform: Platform::Sequential,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n)",
        scratch: "32 bytes a vertex (48 with 64-bit weights)",
        options: &[],
    };

    fn solve<W: Weight>(&self, problem: Problem<'_, W>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        run.phase("grow", |run| grow::<W, PairingHeap<W::Key>>(problem, run))
    }
}
