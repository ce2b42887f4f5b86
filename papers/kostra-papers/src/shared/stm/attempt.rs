//! One attempt of a transaction: mark, validate, lock, commit, roll back.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use kostra_core::Vertex;

use super::{LOCK, RIGHT_OF_WAY, TransactionalMemory, UNMARKED};
use kostra_parallel::sync::yield_now;

/// The end of an attempt without a commit. A body returns it as soon as it gets it.
#[derive(Debug)]
#[must_use]
pub struct Abort(pub(super) Reason);

impl Abort {
    /// Ends the transaction without a commit, and without another attempt: there is nothing to
    /// change.
    pub fn withdraw() -> Self {
        Self(Reason::Withdrawn)
    }
}

/// Why an attempt ends without a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Conflict,
    TooLong,
    Withdrawn,
}

/// A cell of a transaction, and the value that the transaction sees there.
pub(super) struct Logged {
    cell: Vertex,
    value: u32,
    is_changed: bool,
}

/// A transaction that runs. Dropping it rolls it back, unless it has committed.
pub struct Transaction<'p> {
    memory: &'p TransactionalMemory<'p>,
    mark: u32,
    /// The cells, in the order of their marks.
    log: &'p mut Vec<Logged>,
    /// The number of cells, from the first, that are locked.
    locked: usize,
    /// Why this attempt cannot commit any more.
    failure: Option<Reason>,
}

impl<'p> Transaction<'p> {
    pub(super) fn new(
        memory: &'p TransactionalMemory<'p>,
        mark: u32,
        log: &'p mut Vec<Logged>,
    ) -> Self {
        Self { memory, mark, log, locked: 0, failure: None }
    }

    /// The value of a cell: the one that this transaction has written, if it has. The first access
    /// to a cell marks it. O(cells of the transaction).
    ///
    /// # Errors
    /// When the attempt cannot commit. The body must return the error.
    pub fn read(&mut self, cell: Vertex) -> Result<u32, Abort> {
        self.access(cell).map(|logged| logged.value)
    }

    /// Writes a cell, which other threads see after the commit.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn write(&mut self, cell: Vertex, value: u32) -> Result<(), Abort> {
        let logged = self.access(cell)?;
        (logged.value, logged.is_changed) = (value, true);
        Ok(())
    }

    /// The entry of the log for a cell.
    fn access(&mut self, cell: Vertex) -> Result<&mut Logged, Abort> {
        if let Some(reason) = self.failure {
            return Err(Abort(reason));
        }
        // From the end, because bodies often write the cell that they have just read.
        if let Some(place) = self.log.iter().rposition(|logged| logged.cell == cell) {
            return Ok(&mut self.log[place]);
        }
        if self.log.len() == self.memory.longest {
            return Err(self.fail(Reason::TooLong));
        }
        if !self.mark(cell) {
            return Err(self.fail(Reason::Conflict));
        }
        // Acquire: pairs with the release of a value by a transaction that has replaced the mark.
        let value = self.memory.value(cell).load(Acquire);
        self.log.push(Logged { cell, value, is_changed: false });
        if !self.is_valid() {
            return Err(self.fail(Reason::Conflict));
        }
        let last = self.log.len() - 1;
        Ok(&mut self.log[last])
    }

    fn fail(&mut self, reason: Reason) -> Abort {
        self.failure = Some(reason);
        Abort(reason)
    }

    /// Algorithm 3.3: marks a cell, unless it is locked or has a mark of higher priority.
    fn mark(&self, cell: Vertex) -> bool {
        if self.mark == RIGHT_OF_WAY {
            self.mark_without_fail(cell);
            return true;
        }
        let entry = self.memory.entry(cell);
        // Relaxed: the compare-exchange checks the value again.
        let seen = entry.load(Relaxed);
        let is_free = seen & LOCK == 0 && self.mark < seen;
        // Acquire: the values that the last commit to the cell wrote.
        is_free && entry.compare_exchange(seen, self.mark, Acquire, Relaxed).is_ok()
    }

    /// Marks a cell with the highest priority, after its lock.
    fn mark_without_fail(&self, cell: Vertex) {
        let entry = self.memory.entry(cell);
        loop {
            let seen = entry.load(Relaxed);
            // Acquire as in `mark`. It fails only if a thread changes the entry in an attempt that
            // it had started before.
            if seen & LOCK == 0 && entry.compare_exchange(seen, self.mark, Acquire, Relaxed).is_ok()
            {
                return;
            }
            // The thread that holds the lock may not be running.
            yield_now();
        }
    }

    /// Whether all cells still have this transaction's mark. Then no other transaction has
    /// committed to them since they were marked.
    fn is_valid(&self) -> bool {
        // Relaxed: the values come from marks and loads with acquire order. So an entry that was
        // changed before a value was written is seen as changed here.
        self.log.iter().all(|logged| self.memory.entry(logged.cell).load(Relaxed) == self.mark)
    }

    /// Ends the attempt with what the body returned: locks all cells and commits, or rolls back.
    pub(super) fn end<T>(mut self, result: Result<T, Abort>) -> Result<T, Reason> {
        if let Some(reason) = self.failure {
            return Err(reason);
        }
        let result = result.map_err(|abort| abort.0)?;
        while self.locked < self.log.len() {
            if !self.lock_next() {
                return Err(Reason::Conflict);
            }
        }
        self.commit();
        Ok(result)
    }

    /// Locks the next cell, if it still has this transaction's mark.
    pub(super) fn lock_next(&mut self) -> bool {
        let entry = self.memory.entry(self.log[self.locked].cell);
        // Relaxed: the mark has acquired the cell, and a value that is written under the lock is
        // released after it.
        let is_locked =
            entry.compare_exchange(self.mark, self.mark | LOCK, Relaxed, Relaxed).is_ok();
        self.locked += usize::from(is_locked);
        is_locked
    }

    /// Writes the changed values and frees the cells, which are all locked.
    fn commit(&mut self) {
        for logged in self.log.iter().filter(|logged| logged.is_changed) {
            // Release: a transaction that reads the value without a valid mark sees the lock.
            self.memory.value(logged.cell).store(logged.value, Release);
        }
        for logged in self.log.drain(..) {
            // Release: the next mark of the cell acquires the values.
            self.memory.entry(logged.cell).store(UNMARKED, Release);
        }
    }

    /// Frees the cells that are locked, and those that still have this transaction's mark.
    fn roll_back(&mut self) {
        for (place, logged) in self.log.drain(..).enumerate() {
            let entry = self.memory.entry(logged.cell);
            if place < self.locked {
                // Release: passes on what the mark has acquired, because a store ends the release
                // sequence.
                entry.store(UNMARKED, Release);
            } else {
                // Relaxed: a read-modify-write continues the release sequence. If it fails, a
                // transaction of higher priority has marked the cell.
                let _ = entry.compare_exchange(self.mark, UNMARKED, Relaxed, Relaxed);
            }
        }
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        self.roll_back();
    }
}
