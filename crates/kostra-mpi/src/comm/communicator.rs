//! Groups of ranks that communicate.
//!
//! Only the thread that started MPI may call it (thread level *funneled*). A [`Communicator`]
//! therefore stays on its thread by its type. Solvers start threads of their own inside a rank.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::rc::Rc;

use mpi::environment::Universe;
use mpi::topology::{Communicator as _, Process, SimpleCommunicator};

use super::ending::{EXIT_FAILED, end_job};
use super::traffic::{PhaseOnRank, Traffic};

/// All ranks of the job, in the order of their machines. A process has at most one such
/// communicator. Its levels are communicators of some of the ranks.
pub struct Communicator {
    pub(super) ranks: SimpleCommunicator,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// The machine of each rank. Machines are numbered in the order of their ranks.
    pub(super) machine_of: Vec<u32>,
    /// The levels of the job; `None` in a communicator that is a part of one.
    pub(super) levels: Option<Box<Levels>>,
    /// Dropped last, because it finalizes MPI.
    pub(super) job: Rc<Job>,
}

/// The communicators of the two levels.
pub(crate) struct Levels {
    /// The ranks of this rank's machine.
    pub(crate) machine: Communicator,
    /// The first ranks of all machines; `None` on the other ranks.
    pub(crate) leaders: Option<Communicator>,
}

/// What all communicators of this process share. It is not `Send`, so no communicator is.
pub(super) struct Job {
    /// The maximum number of bytes in one message of MPI.
    pub(super) longest_message: Cell<usize>,
    pub(super) traffic: Cell<Traffic>,
    /// Whether waiting in collective operations is counted.
    pub(super) counts_waiting: Cell<bool>,
    pub(super) phases: RefCell<Vec<PhaseOnRank>>,
    /// Finalizes MPI when it is dropped.
    pub(super) _universe: Universe,
}

/// MPI counts with C's `int`, so a longer message is sent in pieces of this many bytes.
pub(super) const LONGEST_MESSAGE: usize = 1 << 30;

impl Communicator {
    /// Sets the maximum number of bytes in one message of MPI; the default is 2^30. A longer
    /// message is sent in pieces. All ranks must pass the same number; 0 is taken for 1.
    pub fn with_longest_message(self, bytes: usize) -> Self {
        self.job.longest_message.set(bytes.clamp(1, LONGEST_MESSAGE));
        self
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Ends the whole job with exit code 2 and one line on stderr that names this rank and
    /// `reason`. Not collective: for failures that only this rank meets.
    pub fn fail(&self, reason: impl Display) -> ! {
        end_job(&reason.to_string(), EXIT_FAILED)
    }

    pub(super) fn process(&self, rank: usize) -> Process<'_> {
        self.ranks.process_at_rank(rank as i32)
    }

    pub(super) fn longest_message(&self) -> usize {
        self.job.longest_message.get()
    }
}
