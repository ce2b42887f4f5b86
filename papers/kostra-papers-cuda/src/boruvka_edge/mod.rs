//! Borůvka's algorithm on a device, with one thread per edge. In each round, every edge is a
//! candidate at the components of its two ends. Each component keeps its lightest candidate, and
//! the components are joined along these edges. Then the edges are mapped to components and
//! filtered.
//!
//! A component's lightest outgoing edge is in the forest (cut property). Because ranks are a strict
//! total order, joining all components along these edges closes no cycle. So each join succeeds,
//! and the forest does not depend on the order of the threads. In each round, the number of
//! components with outgoing edges is at least halved.
//!
//! * Source: Shou & He 2024, section 3.2, with the union-find of Listing 4, in their final
//!   approach. This is Listing 6, which lists the remaining edges while it maps them (optimization
//!   2), with blocks of 512 threads (optimization 1) and searches without path compression
//!   (optimization 3). Listing 5, which filters in a step of its own, is optional.
//! * Time O((n + m) log n) work, and in each round a round trip to the host, which needs the number
//!   of remaining edges.
//! * Device memory: with 32-bit weights 32 bytes per edge and 16 per vertex, with 64-bit weights 40
//!   and 20. Of an edge's bytes, 12 and 16 are the graph's own. The result takes one more bit per
//!   edge.
//! * Input: edge list. Exact.
//! * Reports the time of each step in each round, by the device's clock. The source's tables have
//!   the sums over all rounds. Of Listing 5: computing vertex bridges is "lightest", joining
//!   together disjoint sets is "join", re-mapping edges is "map", filtering edges is "filter". Of
//!   Listing 6: computing vertex bridges & filtering edges is "map, filter, lightest", joining is
//!   "join". The table's third row is still called re-mapping, but the listing's third loop only
//!   resets the minima. So that row is compared with "reset".
//!
//! Deviations from the source, with the reasons:
//!
//! * Listing 4, line 37: `join` gives the linked root the rank of its new parent. Another thread
//!   may then take the linked element for a root of that rank, which can close a cycle. Here a
//!   linked root keeps its own rank.
//! * Listing 4, line 35: `swap(ur, vr)` swaps the ranks, but not the roots that they belong to.
//!   Here both are swapped.
//! * Listing 6 puts every edge on the new list, so its loop would never end. Here, as the text of
//!   section 3.2 says, edges within a component are left out.
//! * In Listing 6 an edge is a candidate at the ends that it had before the search, but the
//!   minimum is read at its new ends. Here it is a candidate at its new ends.
//! * Weights may be equal, so minima are of ranks. No atomic minimum takes the rank of a 64-bit
//!   weight, so the step "lightest ids" finds the lowest id among the edges with the least key.
//! * Listing 5 does not say how it filters. Here each block counts the edges that it keeps, and
//!   reserves places for all of them by one atomic addition.
//! * The edges of the forest are bits of a set, not an array of booleans, because the result is
//!   such a set. The join also counts the edges that it adds, for the progress report.

mod kernels;
mod list;
mod rounds;

use kostra_core::{
    Algorithm, EdgeSet, Key, Platform, Problem, Representation, Run, SolveError, SolverInfo,
};
use kostra_cuda::buffers::Keys;
use kostra_cuda::{Device, DeviceEdges, DeviceError};

use self::kernels::Kernels;
use self::list::List;
use self::rounds::{BLOCK_SIZE, PATH_COMPRESSION, Rounds, WORKLIST, scratch_bytes};

/// Borůvka's algorithm by edges, on a device.
pub(crate) struct BoruvkaEdge;

impl Algorithm for BoruvkaEdge {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-boruvka-edge",
        title: "Borůvka by edges, on a GPU",
        source: "Shou & He 2024, 3.2, Listings 4 to 6",
        platform: Platform::Cuda,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: "20 bytes per edge (24 with 64-bit weights), 16 per vertex (20)",
        options: &[WORKLIST, PATH_COMPRESSION, BLOCK_SIZE],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let device = &*Device::open(run.request.device())?;
        let edges = problem.edges();
        let (n, m) = (edges.vertices(), edges.len());
        if m == 0 {
            return Ok(EdgeSet::new(0));
        }
        device.admit(0, DeviceEdges::<K>::bytes(m) + scratch_bytes::<K>(n as usize, m))?;
        let keys = Keys::of(edges.encoding());
        let kernels = run.compile(|_| Kernels::load(device, keys))?;
        let (mut rounds, alive, spare) = run.upload(|run| {
            let rounds = Rounds::allocate(device, kernels, (n, m), run)?;
            let spare = List::uninit(device, m)?;
            let graph = DeviceEdges::upload(device, edges, run.request.threads())?;
            Ok::<_, DeviceError>((rounds, List::given(device, graph)?, spare))
        })?;
        rounds.initialize(&alive, keys)?;
        rounds.clock.report(run)?;
        if run.request.option(&WORKLIST) == 1 {
            rounds.run_listing_6(alive, spare, run)?;
        } else {
            rounds.run_listing_5(alive, spare, run)?;
        }
        device.finish()?;
        Ok(run.download(|run| rounds.forest.download(device, run.request.threads()))?)
    }
}
