//! Borůvka's algorithm by data-parallel primitives on a device: scans, segmented scans, and sorts.
//!
//! In each round, a segmented scan finds the minimum edge of each vertex. The vertices that these
//! edges connect are sorted by their representative, and a scan numbers them. The edges between
//! different components are sorted by both ends, another segmented scan finds the lightest of
//! parallel edges, and a scan packs them. The algorithm ends when no edge is left.
//!
//! A vertex's minimum edge is in the forest (cut property). Ranks are a strict total order, so two
//! vertices that are each other's successor have the same minimum edge, and there are no other
//! cycles.
//!
//! * Source: Vineet, Harish, Patidar & Narayanan 2009, "Fast minimum spanning tree for large graphs
//!   on the GPU". Nobari 2012 compares PMA with it (section 6.4), and Sousa 2014 describes it (4.3.1
//!   and chapter 2).
//! * No thread's work depends on the degree of a vertex, and the only atomic operation is the
//!   insertion of an edge into the set that is the answer.
//! * Time O((n + m) log n) work, in at most log2 n rounds. A round sorts its entries by up to eight
//!   digits of eight bits, and waits for the host six times and after each sweep of the
//!   representatives.
//! * Device memory: the rows of the graph twice, 52 bytes per entry, and 12 per vertex.
//! * Wants rows. Exact.
//! * Reports the time of each step in each round, by the device's clock.
//!
//! Deviations from the source, with the reasons:
//!
//! * The source packs a weight of 8 to 10 bits and a vertex of 22 to 24 into a word, and scans
//!   these words. Here the scan compares entries by key and id, so weights and vertices have no
//!   such limit, and equal weights close no cycle.
//! * Vertices and edges are sorted by a radix sort of eight bits at a time, not by CUDPP's sort or
//!   by splits. Of parallel edges, a segmented scan finds the lightest; the source sorts by the
//!   weight, too.
//! * The start of a row is found by a binary search. The source marks the first edge of each vertex
//!   and packs, which assumes that each vertex has an edge. So graphs may be disconnected; a
//!   component without edges stays a vertex.
//! * The removal of parallel edges is an option in each round. The source removes them in the first
//!   rounds, in which it pays off, and does not say in how many.

mod kernels;
mod rounds;

use kostra_core::{
    Algorithm, EdgeSet, Key, Platform, Problem, Representation, Run, SolveError, SolverInfo,
};

use self::rounds::{KEEP_PARALLEL_EDGES, solve};
use crate::contraction;

/// Borůvka's algorithm by data-parallel primitives, on a device.
pub(crate) struct BoruvkaPrimitives;

impl Algorithm for BoruvkaPrimitives {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-boruvka-primitives",
        title: "Borůvka by scans and sorts, on a GPU",
        source: "Vineet et al. 2009; Nobari 2012, 6.4",
        platform: Platform::Cuda,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: "112 bytes per edge (120 with 64-bit weights), 16 per vertex",
        options: &[KEEP_PARALLEL_EDGES],
    };

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        contraction::admit(Self::INFO.id, edges)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        solve(problem, run)
    }
}
