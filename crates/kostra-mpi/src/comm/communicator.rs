//! The ranks of the job.
//!
//! Only the thread that started MPI may call it (thread level *funneled*). A [`Communicator`]
//! therefore stays on its thread by its type. Solvers start threads of their own inside a rank.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::marker::PhantomData;

use mpi::environment::Universe;
use mpi::topology::{Communicator as _, Process, SimpleCommunicator};

use super::ending::{EXIT_FAILED, end_job};
use super::traffic::{PhaseOnRank, Traffic};

/// All ranks of the job. A process has at most one communicator.
pub struct Communicator {
    pub(super) world: SimpleCommunicator,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// The ranks that share the memory and the processors of this rank's machine.
    pub(super) machine: SimpleCommunicator,
    /// The lowest rank of `machine`.
    pub(super) first_on_machine: usize,
    /// The maximum number of bytes in one message of MPI.
    pub(super) longest_message: usize,
    pub(super) traffic: Cell<Traffic>,
    /// Whether waiting in collective operations is counted.
    pub(super) counts_waiting: Cell<bool>,
    pub(super) phases: RefCell<Vec<PhaseOnRank>>,
    /// Finalizes MPI when it is dropped.
    pub(super) _universe: Universe,
    pub(super) _stays_on_its_thread: PhantomData<*const ()>,
}

/// MPI counts with C's `int`, so a longer message is sent in pieces of this many bytes.
pub(super) const LONGEST_MESSAGE: usize = 1 << 30;

impl Communicator {
    /// Sets the maximum number of bytes in one message of MPI; the default is 2^30. A longer
    /// message is sent in pieces. All ranks must pass the same number; 0 is taken for 1.
    pub fn with_longest_message(mut self, bytes: usize) -> Self {
        self.longest_message = bytes.clamp(1, LONGEST_MESSAGE);
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

    /// The lowest rank on this rank's machine. Ranks on one machine return the same number.
    pub fn first_on_machine(&self) -> usize {
        self.first_on_machine
    }

    /// Whether all ranks share the memory of one machine.
    pub(crate) fn is_on_one_machine(&self) -> bool {
        self.machine.size() as usize == self.size
    }

    /// Ends the whole job with exit code 2 and one line on stderr that names this rank and
    /// `reason`. Not collective: for failures that only this rank meets.
    pub fn fail(&self, reason: impl Display) -> ! {
        end_job(&reason.to_string(), EXIT_FAILED)
    }

    pub(super) fn process(&self, rank: usize) -> Process<'_> {
        self.world.process_at_rank(rank as i32)
    }
}
