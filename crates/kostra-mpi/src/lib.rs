//! Minimum spanning forest solvers that run on the ranks of an MPI job.
//!
//! A graph is distributed in slices: each rank holds a contiguous range of the edges ([`Slice`],
//! [`EdgeDistribution`]), and no rank needs to hold all edges. A solver ([`DistributedAlgorithm`])
//! marks the edges of its own slice that are in the canonical forest. Edge ids are positions in the
//! whole input, so the result does not depend on the number of ranks.
//!
//! Ranks communicate through one [`Communicator`]. Its counts are 64-bit, and it counts what is
//! sent. When a rank fails, the communicator ends the whole job with one line that names the rank
//! and the reason.
//!
//! * `comm`: communication between ranks, and the start and the end of a job.
//! * `graph`: the distributed graph and forest.
//! * `solver`: the solver interface.
//! * `fast`: the solver. `kostra-papers-mpi` has more.

mod comm;
mod fast;
mod graph;
mod solver;

pub use comm::{
    ALLOCATOR, Communicator, Mailbox, Parts, PhaseTraffic, Reducible, Reduction, Refusal, Route,
    Traffic, before_ending, library,
};
pub use graph::{
    AnySlice, DistributedForest, EdgeDistribution, Slice, SliceError, VertexDistribution,
    VertexMap, VertexPlacement,
};
pub use solver::{DistributedAlgorithm, DistributedSolution, DistributedSolver, GraphSize};

/// Every solver of this crate, in the order of tables.
pub fn solvers() -> impl Iterator<Item = &'static dyn DistributedSolver> {
    std::iter::once::<&dyn DistributedSolver>(&fast::Fast)
}
