//! The interface of solvers for clusters.
//!
//! The author of a solver implements [`DistributedAlgorithm`] for all weight types. Users call
//! [`DistributedSolver`], which hides the weight type.

use std::time::{Duration, Instant};

use kostra_core::{EdgeSet, Order, Platform, Run, SolveError, SolverInfo, Weight};

use crate::comm::{Communicator, OUT_OF_MEMORY_ADVICE, PhaseTraffic, Reduction, Refusal};
use crate::graph::{AnySlice, DistributedForest, EdgeDistribution, Slice, VertexPlacement};
use crate::with_slice;

/// The size of a distributed graph. Every rank knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSize {
    /// The number of vertices.
    pub vertices: u64,
    /// The number of edges.
    pub edges: u64,
    /// The number of edges of the largest slice.
    pub largest_slice: u64,
    /// The number of ranks.
    pub ranks: usize,
}

/// The maximum number of edges, and of vertices, of a graph that every rank holds.
const MAX_PER_RANK: u64 = 1 << 30;

impl GraphSize {
    /// Refuses a graph that is too large for a solver that holds the whole graph on every rank.
    ///
    /// # Errors
    /// For more than 2^30 edges or vertices.
    pub fn admit_on_every_rank(self, solver: &'static str) -> Result<(), SolveError> {
        let Self { vertices, edges, .. } = self;
        if edges <= MAX_PER_RANK && vertices <= MAX_PER_RANK {
            return Ok(());
        }
        Err(SolveError::Unsuitable {
            solver,
            cost: format!("{vertices} vertices and {edges} edges on every rank, more than 2^30,"),
            advice: "choose a solver that keeps the graph distributed",
        })
    }
}

/// A solver for all weight types: what the author of a solver implements.
pub trait DistributedAlgorithm: Send + Sync + 'static {
    /// The description of the solver. Its platform is [`Platform::Mpi`].
    const INFO: SolverInfo;

    /// Whether the solver uses the device of each rank's run, if it has one.
    const USES_DEVICE: bool = false;

    /// Decides from the size of a graph whether the solver is suitable. Every rank calls it, and
    /// must get the same result. By default a solver accepts every graph.
    ///
    /// # Errors
    /// [`SolveError::Unsuitable`] when the cost would be out of proportion.
    fn admit(&self, _size: GraphSize) -> Result<(), SolveError> {
        Ok(())
    }

    /// Returns the edges of this rank's slice, by local position, that are in the canonical forest
    /// of the whole graph. Collective. The slices have been checked to form one graph. The threads
    /// of `run` are for use inside this rank.
    ///
    /// # Errors
    /// When the run is cancelled, or memory is not granted. The caller then ends the whole job, so
    /// the solver does not notify the other ranks.
    fn solve<W: Weight>(
        &self,
        slice: &Slice<W>,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError>;
}

/// A forest, with the time and the traffic of its solver.
#[derive(Clone, Debug)]
pub struct DistributedSolution {
    /// The forest.
    pub forest: DistributedForest,
    /// The time from when all ranks were ready until the last one had finished.
    pub solve: Duration,
    /// The phases of the solver, over all ranks.
    pub phases: Vec<PhaseTraffic>,
}

/// A solver for slices of any weight type: what users call. Every [`DistributedAlgorithm`] is one.
pub trait DistributedSolver: Send + Sync {
    /// The description of the solver.
    fn info(&self) -> &'static SolverInfo;

    /// Whether the solver uses the device of each rank's run, if it has one.
    fn uses_device(&self) -> bool;

    /// Checks that the slices form one graph, and computes its forest. Collective. An error that
    /// one rank meets inside the solver ends the job.
    ///
    /// # Errors
    /// When the slices do not form one graph, or the solver is not suitable for it. Every rank gets
    /// the same error.
    fn solve(
        &self,
        slice: &AnySlice,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<DistributedSolution, Refusal>;

    /// As [`solve`](Self::solve), with the vertices on the ranks that `placement` gives them. The
    /// forest is the same. Collective; needs memory for a second copy of the slice.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    fn solve_placed(
        &self,
        slice: &AnySlice,
        placement: &VertexPlacement,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<DistributedSolution, Refusal> {
        let placed = world.agree(slice.placed(placement))?;
        let solution = self.solve(&placed, order, world, run)?;
        let forest = solution.forest.with_vertices(slice.vertices());
        Ok(DistributedSolution { forest, ..solution })
    }
}

impl<A: DistributedAlgorithm> DistributedSolver for A {
    fn info(&self) -> &'static SolverInfo {
        const {
            assert!(
                matches!(A::INFO.platform, Platform::Mpi),
                "the platform of a distributed solver is MPI"
            );
        };
        &A::INFO
    }

    fn uses_device(&self) -> bool {
        A::USES_DEVICE
    }

    fn solve(
        &self,
        slice: &AnySlice,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<DistributedSolution, Refusal> {
        // This comes first: ranks with different weight types would wait for each other in
        // different messages.
        let graph =
            format!("{} vertices and {} weights, {order:?}", slice.vertices(), slice.weight_type());
        world.agree_on("the graph", &graph)?;
        with_slice!(slice, slice => solve_typed(self, slice, order, world, run))
    }
}

fn solve_typed<A: DistributedAlgorithm, W: Weight>(
    algorithm: &A,
    slice: &Slice<W>,
    order: Order,
    world: &Communicator,
    run: &mut Run<'_>,
) -> Result<DistributedSolution, Refusal> {
    let distribution = EdgeDistribution::of_slices(slice, world)?;
    let size = GraphSize {
        vertices: slice.vertices(),
        edges: distribution.edges(),
        largest_slice: world.reduce_one(Reduction::Max, slice.len() as u64),
        ranks: world.size(),
    };
    if let Err(error) = algorithm.admit(size) {
        return Err(Refusal::everywhere(error.to_string(), world.rank() == 0));
    }
    world.take_phases(); // drops phases before the solver
    world.barrier();
    let start = Instant::now();
    let set = match algorithm.solve(slice, order, world, run) {
        Ok(set) => set,
        Err(error @ SolveError::OutOfMemory { .. }) => {
            world.fail(format!("{error}; {OUT_OF_MEMORY_ADVICE}"))
        }
        Err(error) => world.fail(error),
    };
    let elapsed = world.reduce_one(Reduction::Max, start.elapsed().as_nanos() as u64);
    let phases = world.take_phases();
    let forest = DistributedForest::new(slice, set, world);
    Ok(DistributedSolution { forest, solve: Duration::from_nanos(elapsed), phases })
}
