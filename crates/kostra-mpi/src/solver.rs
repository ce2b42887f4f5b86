//! What a solver for a cluster is, and how it is run.
//!
//! To add one, write one file with a struct that implements [`DistributedAlgorithm`], and add the
//! struct to [`solvers`]. The suite finds it there.

use std::time::{Duration, Instant};

use kostra_core::{EdgeSet, Order, Platform, Run, SolveError, SolverInfo, Weight};

use crate::boruvka_allreduce::BoruvkaAllreduce;
use crate::boruvka_contract::BoruvkaContract;
use crate::fast::Fast;
use crate::ghs::Ghs;
use crate::memory::ADVICE;
use crate::merge::Merge;
use crate::{
    AnySlice, Communicator, Cut, DistributedForest, PhaseTraffic, Reduction, Refusal, Slice,
    with_slice,
};

/// Every solver of this crate, in the order in which tables show them.
pub fn solvers() -> impl Iterator<Item = &'static dyn DistributedSolver> {
    const SOLVERS: &[&dyn DistributedSolver] =
        &[&Fast, &BoruvkaAllreduce, &BoruvkaContract, &Ghs, &Merge];
    SOLVERS.iter().copied()
}

/// The size of a distributed graph, which every rank knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many vertices it has.
    pub vertices: u64,
    /// How many edges it has.
    pub edges: u64,
    /// How many edges the largest slice has.
    pub largest_slice: u64,
    /// How many ranks there are.
    pub ranks: usize,
}

/// The most edges and vertices that every rank is asked to hold.
const MOST: u64 = 1 << 30;

impl Shape {
    /// Refuses a graph that is too large for a solver that holds all of it on every rank.
    pub(crate) fn admit_whole(self, solver: &'static str) -> Result<(), SolveError> {
        let Self { vertices, edges, .. } = self;
        if edges <= MOST && vertices <= MOST {
            return Ok(());
        }
        Err(SolveError::Unsuitable {
            solver,
            cost: format!("{vertices} vertices and {edges} edges on every rank, more than 2^30,"),
            advice: "choose a solver that leaves the graph distributed",
        })
    }
}

/// An algorithm for every weight type: what the author of a solver writes.
pub trait DistributedAlgorithm: Send + Sync + 'static {
    /// What the solver says of itself; its platform is [`Platform::Mpi`].
    const INFO: SolverInfo;

    /// Decides from the size of a graph whether the solver is for it. Every rank asks, and must get
    /// the same answer.
    ///
    /// # Errors
    /// [`SolveError::Unsuitable`] when the cost would be out of all proportion. Solvers refuse
    /// nothing by default.
    fn admit(&self, _shape: Shape) -> Result<(), SolveError> {
        Ok(())
    }

    /// Finds those edges of this rank's slice, by local position, that are in the canonical forest
    /// of the whole graph. All ranks call it together; before that, their slices have been checked
    /// to fit. Threads are for use within the rank.
    ///
    /// # Errors
    /// When this rank cannot go on: the run is cancelled, or memory not granted. The caller then
    /// ends the whole job, so nobody needs to be told.
    fn solve<W: Weight>(
        &self,
        slice: &Slice<W>,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError>;
}

/// A forest, and what it took.
#[derive(Clone, Debug)]
pub struct DistributedSolution {
    /// The forest.
    pub forest: DistributedForest,
    /// Time to solve, from when all ranks were ready until the last one was done.
    pub solve: Duration,
    /// The phases of the solver, over all ranks.
    pub phases: Vec<PhaseTraffic>,
}

/// A solver whose type is forgotten: what users choose from.
pub trait DistributedSolver: Send + Sync {
    /// What the solver says of itself.
    fn info(&self) -> &'static SolverInfo;

    /// Checks that the slices fit, solves, and times that. Collective. An error that one rank meets
    /// while it solves ends the job.
    ///
    /// # Errors
    /// When the slices are not of one graph, or the solver is not for it. Every rank has the same.
    fn solve(
        &self,
        slice: &AnySlice,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<DistributedSolution, Refusal>;
}

impl<A: DistributedAlgorithm> DistributedSolver for A {
    fn info(&self) -> &'static SolverInfo {
        const {
            assert!(
                matches!(A::INFO.platform, Platform::Mpi),
                "a distributed solver is one for MPI"
            );
        };
        &A::INFO
    }

    fn solve(
        &self,
        slice: &AnySlice,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<DistributedSolution, Refusal> {
        // First of all, for ranks with different types would wait for each other in different
        // messages.
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
    let cut = Cut::of(slice, world)?;
    let shape = Shape {
        vertices: slice.vertices(),
        edges: cut.edges(),
        largest_slice: world.reduce_one(Reduction::Max, slice.len() as u64),
        ranks: world.size(),
    };
    if let Err(error) = algorithm.admit(shape) {
        return Err(Refusal::everywhere(error.to_string(), world.rank() == 0));
    }
    world.take_phases(); // what went on before
    world.barrier();
    let start = Instant::now();
    let set = match algorithm.solve(slice, order, world, run) {
        Ok(set) => set,
        Err(error @ SolveError::OutOfMemory { .. }) => world.fail(format!("{error}; {ADVICE}")),
        Err(error) => world.fail(error),
    };
    let elapsed = world.reduce_one(Reduction::Max, start.elapsed().as_nanos() as u64);
    let phases = world.take_phases();
    let forest = DistributedForest::new(slice, set, world);
    Ok(DistributedSolution { forest, solve: Duration::from_nanos(elapsed), phases })
}
