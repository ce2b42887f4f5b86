//! The generic contracting Borůvka algorithm on devices and threads together.
//!
//! The vertices are divided over *members*: each device is one, and the threads are one. A member
//! has the rows of a block of the vertices, and applies the kernels of the algorithm to them. After
//! each kernel, members exchange what they have found, through the memory of the host.
//!
//! Every vertex chooses its minimum edge (cut property). Ranks are a strict total order, so the
//! chosen edges close no cycle, except for pairs of vertices that choose the same edge; the lower
//! one removes its own. The vertices that chosen edges connect get one color, and become one vertex
//! of a smaller graph. The rounds end when no edge is left. The forest does not depend on the
//! division.
//!
//! * Source: Sousa 2014, section 4.4.2 with Algorithm 6, which proposes this, and the outlook in
//!   6.2. The source has the steps for ranks, and no implementation for devices.
//! * The division follows the speed of the members. Before the first round, each member times the
//!   search for minimum edges in the same sample of the rows. After each round, its speed is the
//!   number of its entries by the time of its kernels, with the copies that they need. With few
//!   entries, the fastest member gets all vertices. The option `threads-percent` fixes the share of
//!   the threads instead.
//! * Time O((n + m) log n) work. In a round, each device copies the minimum edge, the color and the
//!   new number of each vertex, and the new degrees of all vertices; colors once for each sweep, in
//!   at most log2 n + 2 sweeps. Edges are copied between members once, if their new row is another
//!   member's.
//! * Memory: a member has the rows of its own vertices only, and, on a device, 12 bytes for each
//!   vertex of the graph.
//! * Wants rows. Exact.
//! * Reports the time of each step with its exchange, and the share of the threads in each round.
//!
//! Deviations from the source, with the reasons:
//!
//! * Ties go to the lower edge id, and graphs may be disconnected, as in `cuda-boruvka-contract`.
//! * Line 5 of Algorithm 6, which gathers the edges that others have removed, has nothing to send:
//!   a vertex removes only its own edge.
//! * Lines 18 and 19 give every process the whole contracted graph. Here each edge goes to the
//!   member that has its row, so that a graph may be larger than one device's memory. For this,
//!   Algorithm 13 has two halves: a member lists the edges of its old vertices, and inserts those
//!   of its new ones.
//! * Prefix sums of members are added up by the host, not in a pipeline from process to process.

mod device;
mod division;
mod kernels;
mod member;
mod rounds;
#[cfg(test)]
mod tests;
mod threads;

use kostra_core::{
    Algorithm, EdgeSet, Key, OptionValues, Platform, Problem, Representation, Run, SolveError,
    SolverInfo, SolverOption,
};

use crate::contraction;

const THREADS_PERCENT: SolverOption = SolverOption {
    name: "threads-percent",
    about: "share of the entries that the threads get; if it is not set, speeds are measured",
    default: 0,
    values: OptionValues::Number { lowest: 0, highest: 100 },
};

const DEVICE_SHARES: SolverOption = SolverOption {
    name: "device-shares",
    about: "the number of members that share each device, as if each had one of its own",
    default: 1,
    values: OptionValues::Number { lowest: 1, highest: 8 },
};

/// The generic contracting Borůvka algorithm, on devices and threads.
pub(crate) struct HeteroContract;

impl Algorithm for HeteroContract {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-hetero-contract",
        title: "Borůvka with contraction, on GPUs and threads",
        source: "Sousa 2014, 4.4.2, Algorithm 6, and 6.2",
        platform: Platform::Cuda,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: "56 bytes per edge (72 with 64-bit weights) in all members, 12 per vertex in each",
        options: &[THREADS_PERCENT, DEVICE_SHARES],
    };

    const USES_DEVICES: bool = true;

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        contraction::admit(Self::INFO.id, edges)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        rounds::solve(problem, run)
    }
}
