//! The solvers that run on the ranks of an MPI job.
//!
//! A graph is cut into slices: each rank holds a contiguous range of the edges ([`Slice`],
//! [`Cut`]), and no rank needs to hold all of them. A solver ([`DistributedAlgorithm`]) marks those
//! edges of its own slice that are in the canonical forest; ids are positions in the whole input,
//! so the answer does not depend on the number of ranks.
//!
//! Ranks speak through one [`Communicator`], whose counts are 64-bit, which counts what is sent,
//! and which ends the whole job, with one line that names rank and reason, when a rank fails.

mod boruvka_allreduce;
mod boruvka_contract;
mod communicator;
mod cut;
mod exchange;
mod fast;
mod forest;
mod ghs;
mod mailbox;
mod memory;
mod merge;
mod messages;
mod names;
mod neighbours;
mod parts;
mod ranked;
mod reduce;
mod refusal;
mod rows;
mod slice;
mod solver;
mod termination;
mod traffic;

pub use communicator::{Communicator, before_ending, library};
pub use cut::Cut;
pub use exchange::Route;
pub use forest::DistributedForest;
pub use mailbox::Mailbox;
pub use memory::Memory;
pub use names::Names;
pub use parts::Parts;
pub use reduce::{Number, Reduction};
pub use refusal::Refusal;
pub use slice::{AnySlice, Slice, SliceError};
pub use solver::{DistributedAlgorithm, DistributedSolution, DistributedSolver, Shape, solvers};
pub use traffic::{PhaseTraffic, Traffic};
