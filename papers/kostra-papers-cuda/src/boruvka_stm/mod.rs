//! Borůvka's algorithm on a device, whose components merge in transactions of a software
//! transactional memory.
//!
//! In each round, every vertex suggests its lightest outgoing edge to the root of its component.
//! The root keeps the lightest suggestion. Then each root merges its component with the one at the
//! other end of its edge: a transaction finds the other root, and lets the own root point to it.
//! Last, the trees are flattened, and the entries inside of components are pruned.
//!
//! The lightest outgoing edge of a component is in the forest (cut property). Because ranks are a
//! strict total order, chosen edges close no cycle, except that two components may choose the same
//! edge. Then the transaction of the second one finds its own root at the end of the path, and adds
//! no edge. All others merge, so in each round the number of components with outgoing edges is at
//! least halved.
//!
//! * Source: Manoochehri 2017, chapter 3, Algorithms 3.1 to 3.4.
//! * Time O((n + m) log n) work in edge discovery and pruning, because pruned entries keep their
//!   places, and at most log2 n + 1 sweeps of flattening in a round. A transaction has at most L
//!   vertices, the option `longest-transaction`. Transactions at the same root follow one another,
//!   so a star of n leaves takes the time of n transactions.
//! * Device memory: the graph's rows, and 24 bytes per vertex, with 64-bit weights 28. The result
//!   takes one more bit per edge.
//! * Wants rows. Exact.
//! * Reports the time of each phase in each round, by the device's clock, with the occupancy of its
//!   kernel, and the number of attempts of transactions, of commits, of aborts by conflicts, and of
//!   attempts that met more than L vertices.
//!
//! Deviations from the source, with the reasons:
//!
//! * The transactional memory waits where the source's can livelock, and has the fences that
//!   today's memory model needs; see `kernels/stm.cuh`.
//! * The own root is linked under the other root. In Figure 3.3 it is the other way, and a
//!   component that has been taken in does not merge along its own edge. Section 3.1.2 allows both.
//!   With the direction of the figure, each leaf of a star makes the path from the center longer,
//!   so a star of n leaves takes n^2 steps. It also needs more rounds.
//! * A transaction that meets more than L vertices rolls back and starts again, as in the source.
//!   There it waits until merges of others have shortened its path. When all others have merged,
//!   nobody shortens it. Here its search goes on from the vertex that it has reached, which stays
//!   in the same component for ever.
//! * Suggestions are compared by weight and edge id, so that the forest is the canonical one. No
//!   atomic minimum takes the rank of a 64-bit weight, so the step "suggest ids" finds the lowest
//!   id among the suggested edges with the least key. The step "choose edges" stores the entry of
//!   the edge at the root, where the source's root has the edge itself.
//! * A vertex suggests once, after all chunks of its row, and is deactivated if no chunk has an
//!   outgoing edge. Algorithm 3.2 decides in each chunk, which would deactivate a vertex whose
//!   outgoing edge is in a later chunk.
//! * Pruned entries have no neighbor, instead of the highest weight, which an edge may have.
//! * Pruning follows flattening, instead of running beside it, so that the root of either end takes
//!   one load. The next edge discovery needs no search then.
//! * The loop ends when all entries are pruned, so graphs may be disconnected.
//!
//! The option `transactions=0` replaces the merge phase by a lock-free hook with path halving,
//! which shows the price of the transactions.

mod counters;
mod kernels;
mod rounds;
#[cfg(test)]
mod tests;

use kostra_core::{
    Algorithm, EdgeSet, Key, Platform, Problem, Representation, Run, SolveError, SolverInfo,
};
use kostra_cuda::buffers::Keys;
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::{Device, DeviceCsr, DeviceError};

use self::kernels::Kernels;
use self::rounds::{LONGEST_TRANSACTION, Rounds, TRANSACTIONS, scratch_bytes};
use crate::contraction::admit;

/// Borůvka's algorithm with transactions, on a device.
pub(crate) struct BoruvkaStm;

impl Algorithm for BoruvkaStm {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-boruvka-stm",
        title: "Borůvka with transactional memory, on a GPU",
        source: "Manoochehri 2017, chapter 3, Algorithms 3.1 to 3.4",
        platform: Platform::Cuda,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: "24 bytes per vertex (28 with 64-bit weights)",
        options: &[TRANSACTIONS, LONGEST_TRANSACTION],
    };

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        admit(Self::INFO.id, edges)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let device = &*Device::open(run.request.device())?;
        let rows = problem.csr(run)?;
        let (n, m, entries) = (rows.vertices(), rows.edges(), rows.rows().neighbors().len());
        if entries == 0 {
            return Ok(EdgeSet::new(m));
        }
        device.admit(0, DeviceCsr::<K>::bytes(n, entries) + scratch_bytes::<K>(n as usize, m))?;
        let keys = Keys::of(rows.encoding());
        let kernels = run.compile(|_| Kernels::load(device, keys))?;
        let (mut rounds, mut graph) = run.upload(|run| {
            let rounds = Rounds::allocate(device, kernels, (n, m), run)?;
            let given = DeviceCsr::upload(device, rows, run.request.threads())?;
            Ok::<_, DeviceError>((rounds, RoundGraph::given(device, given)?))
        })?;
        rounds.initialize(&mut graph, keys)?;
        rounds.clock.report(run)?;
        rounds.run(&mut graph, run)?;
        device.finish()?;
        Ok(run.download(|run| rounds.forest.download(device, run.request.threads()))?)
    }
}
