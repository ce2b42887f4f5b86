//! Prim's algorithm with a pairing heap: lowering a rank takes O(1), and the removal of the root
//! does the work.
//!
//! The growing loop and its deviations are in `prim.rs`, and the heap is `heap/pairing.rs`.
//!
//! * Source: Sousa 2014, section 3.1.3, Algorithm 4, with the heap that Moret and Shapiro 1994
//!   found best.
//! * Deviations: Sousa's `prim_seq` uses the pairing heap of the Boost library; this one has its
//!   nodes in one array.
//! * Time O((n + m) log n); scratch 32 bytes per vertex (48 with 64-bit weights).
//! * Input: CSR. Exact. One thread.

use kostra_core::{
    Algorithm, EdgeSet, Key, Platform, Problem, Representation, Run, SolveError, SolverInfo,
};

use super::prim::grow;
use crate::heap::PairingHeap;

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
        scratch: "32 bytes per vertex (48 with 64-bit weights)",
        options: &[],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        run.phase("grow", |run| grow::<K, PairingHeap<K>>(problem, run))
    }
}
