//! A thread that runs transactions: attempts until the commit, and the counts.

use std::ops::AddAssign;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use super::attempt::{Abort, Logged, Reason, Transaction};
use super::{PATIENCE, RIGHT_OF_WAY, RightOfWay, TransactionalMemory};
use kostra_parallel::sync::{MutexGuard, spin_loop};

/// A thread's share of a transactional memory: its priority and its log.
pub struct Participant<'m> {
    memory: &'m TransactionalMemory<'m>,
    mark: u32,
    log: Vec<Logged>,
    /// The attempts of the transaction that runs.
    attempts: u64,
    tally: Tally,
}

/// Why a transaction ended without a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It would have more cells than the limit L. Another transaction, or the caller, must shorten
    /// it first.
    TooLong,
    /// The body has withdrawn it.
    Withdrawn,
}

/// The counts of a participant's transactions. An attempt commits, is withdrawn, has a conflict, or
/// is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Attempts.
    pub started: u64,
    /// Attempts that committed.
    pub committed: u64,
    /// Attempts that the body has withdrawn.
    pub withdrawn: u64,
    /// Attempts that aborted because of another transaction.
    pub conflicts: u64,
    /// Attempts that aborted because of the limit L.
    pub too_long: u64,
    /// Transactions that took the right of way.
    pub right_of_way: u64,
    /// The most attempts of one transaction, at most [`PATIENCE`] + 1.
    pub most_attempts: u64,
}

impl Tally {
    /// The attempts that aborted.
    pub fn aborted(&self) -> u64 {
        self.conflicts + self.too_long
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.started += other.started;
        self.committed += other.committed;
        self.withdrawn += other.withdrawn;
        self.conflicts += other.conflicts;
        self.too_long += other.too_long;
        self.right_of_way += other.right_of_way;
        self.most_attempts = self.most_attempts.max(other.most_attempts);
    }
}

impl<'m> Participant<'m> {
    pub(super) fn new(memory: &'m TransactionalMemory<'m>, mark: u32) -> Self {
        Self { memory, mark, log: Vec::new(), attempts: 0, tally: Tally::default() }
    }

    /// Runs a transaction until it commits, and returns what the body returned. The body is called
    /// for each attempt, so it must not have effects besides reads and writes of the transaction.
    /// It must not start another transaction.
    ///
    /// # Errors
    /// When the transaction is longer than the limit L, or the body withdraws it.
    pub fn run<T>(
        &mut self,
        mut body: impl FnMut(&mut Transaction<'_>) -> Result<T, Abort>,
    ) -> Result<T, Unfinished> {
        self.attempts = 0;
        for _ in 0..PATIENCE {
            self.memory.right_of_way.give();
            if let Some(result) = self.attempt(self.mark, &mut body) {
                return result;
            }
            spin_loop();
        }
        let memory = self.memory;
        let _turn = memory.right_of_way.take();
        self.tally.right_of_way += 1;
        loop {
            if let Some(result) = self.attempt(RIGHT_OF_WAY, &mut body) {
                return result;
            }
        }
    }

    /// Runs one attempt. `None` after a conflict.
    fn attempt<T>(
        &mut self,
        mark: u32,
        body: &mut impl FnMut(&mut Transaction<'_>) -> Result<T, Abort>,
    ) -> Option<Result<T, Unfinished>> {
        let mut transaction = Transaction::new(self.memory, mark, &mut self.log);
        let result = body(&mut transaction);
        let result = transaction.end(result);
        self.attempts += 1;
        self.tally.started += 1;
        self.tally.most_attempts = self.tally.most_attempts.max(self.attempts);
        let (count, result) = match result {
            Ok(value) => (&mut self.tally.committed, Some(Ok(value))),
            Err(Reason::Conflict) => (&mut self.tally.conflicts, None),
            Err(Reason::TooLong) => (&mut self.tally.too_long, Some(Err(Unfinished::TooLong))),
            Err(Reason::Withdrawn) => (&mut self.tally.withdrawn, Some(Err(Unfinished::Withdrawn))),
        };
        *count += 1;
        result
    }

    /// A transaction that the caller ends step by step.
    #[cfg(test)]
    pub(super) fn start(&mut self, mark: u32) -> Transaction<'_> {
        Transaction::new(self.memory, mark, &mut self.log)
    }

    /// The participant's own mark.
    #[cfg(test)]
    pub(super) fn own_mark(&self) -> u32 {
        self.mark
    }

    /// The counts since the last call.
    pub fn take_tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }
}

/// The right of way while a transaction has it.
struct Turn<'m> {
    right: &'m RightOfWay,
    _guard: MutexGuard<'m, ()>,
}

impl Drop for Turn<'_> {
    /// Also runs if the body panics, so that no thread waits for it.
    fn drop(&mut self) {
        self.right.taken.store(false, Relaxed);
    }
}

impl RightOfWay {
    /// Takes the right of way as soon as no other thread has it.
    fn take(&self) -> Turn<'_> {
        let guard = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // Relaxed: marks and locks alone keep transactions apart. A thread that sees this later
        // starts an attempt that will abort.
        self.taken.store(true, Relaxed);
        Turn { right: self, _guard: guard }
    }

    /// Waits if another thread has the right of way.
    fn give(&self) {
        if self.taken.load(Relaxed) {
            drop(self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}
