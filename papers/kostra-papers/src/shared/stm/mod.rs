//! Priority-based software transactional memory: several threads change several cells each, and
//! every change of a thread is atomic.
//!
//! A *cell* is a 32-bit value and a *tracking entry*. The highest bit of the entry is the lock, the
//! other bits are the priority of the transaction that has marked the cell. A lower number is a
//! higher priority, and the highest number stands for an unmarked cell. The priority of a
//! transaction is the number of its thread: thread 0 has the highest.
//!
//! A transaction *marks* each cell before it reads or writes it, and collects its changes in a log.
//! A mark replaces a mark of lower priority, so that transaction will abort. At the end the
//! transaction *locks* its cells, each only if the entry still holds its mark. Then it *commits*:
//! it writes the changed values and frees the entries. A transaction *aborts* if a cell is locked
//! or has a mark of higher priority, if another thread was first to change an entry, or if it would
//! have more cells than the limit L. An abort *rolls back*: it frees the entries, and no value has
//! changed.
//!
//! ```
//! use kostra_papers::shared::TransactionalMemory;
//!
//! let mut words = vec![0; TransactionalMemory::words(2)];
//! let mut memory = TransactionalMemory::in_words(&mut words, 2).unwrap();
//! let (cells, mut participants) = memory.participants(1);
//! cells.set(0, 70);
//! cells.set(1, 30);
//! let moved = participants[0].run(|transaction| {
//!     let (from, to) = (transaction.read(0)?, transaction.read(1)?);
//!     transaction.write(0, from - 5)?;
//!     transaction.write(1, to + 5)?;
//!     Ok(5)
//! });
//! assert_eq!((moved, cells.get(0), cells.get(1)), (Ok(5), 65, 35));
//! ```
//!
//! * Source: Manoochehri 2017, section 3.1.2, Algorithms 3.3 and 3.4, which builds on the PR-STM of
//!   Shen et al. 2015.
//! * Committed transactions are serializable. A lock replaces the transaction's own mark, and a
//!   transaction marks a cell once. So no other thread has changed the entry since the mark, and
//!   the value that was read is still current. From its last lock to its first free entry, a
//!   transaction holds all its cells.
//! * A transaction never sees a mixture of states, not even if it aborts later: after each cell it
//!   checks that all entries still hold its mark. So a body may follow pointers through cells.
//! * Progress: each transaction starts at most [`PATIENCE`] + 1 attempts. After [`PATIENCE`]
//!   conflicts it takes the *right of way*: threads start no attempts until it has ended, and it
//!   marks with a priority above all others. In that attempt it waits for a lock instead of
//!   aborting. The lock's owner waits for nothing, so it frees the cell after at most L steps. The
//!   marks of this attempt cannot be replaced, so it ends without a conflict. Threads wait for the
//!   right of way only between attempts, when they hold no marks, so there is no deadlock. That
//!   wait is as fair as the system's mutex.
//! * Memory order: a mark acquires the entry, and freeing a locked cell releases it. Every other
//!   change of an entry is a read-modify-write, so it continues the release sequence. Hence a mark
//!   sees all values that earlier commits to the cell wrote, and all that those threads did before.
//!   The values are stored with release and loaded with acquire order for transactions that have
//!   lost a mark: one that reads a new value also sees the lock, which was set before the value was
//!   written, so its check fails. All other operations are relaxed.
//! * Cost: a compare-exchange to mark and another to lock each cell, and O(L^2) checks of entries.
//!   8 bytes per cell, and 12 L per thread.
//!
//! Deviations from the source:
//!
//! * The right of way. With the priority rule alone, three transactions can abort each other
//!   forever: one locks a cell before the highest marks it, and then fails at another cell, which
//!   the second has marked. `the_priority_rule_alone_can_abort_everyone_forever` is such a
//!   schedule.
//! * The check after each cell. The source checks marks at the end only. There a transaction can
//!   follow pointers of two states in a circle.
//! * A transaction above L returns [`Unfinished::TooLong`]. The source restarts it at once, which
//!   does not end if no other transaction shortens it.

mod attempt;
mod participant;

use std::fmt;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use kostra_core::Vertex;

pub use attempt::{Abort, Transaction};
use kostra_parallel::sync::{AtomicBool, AtomicU32, Mutex, as_atomic_u32};
pub use participant::{Participant, Tally, Unfinished};

/// The number of conflicts after which a transaction takes the right of way: enough for a
/// transaction that meets a few others, and few enough to waste little time if the other thread is
/// not running. The model checker tries all interleavings of few attempts.
pub const PATIENCE: u32 = if cfg!(loom) { 1 } else { 64 };

/// The bit of a tracking entry that says that the cell is locked.
const LOCK: u32 = 1 << 31;
/// The entry of an unmarked cell: the lowest priority.
const UNMARKED: u32 = LOCK - 1;
/// The mark of a transaction that has the right of way: the highest priority.
const RIGHT_OF_WAY: u32 = 0;
/// The mark of thread 0. Later threads have the next numbers.
const FIRST_MARK: u32 = 1;

/// Cells that threads change in transactions.
pub struct TransactionalMemory<'a> {
    /// Of each cell, the tracking entry and the value.
    cells: &'a [AtomicU32],
    longest: usize,
    right_of_way: RightOfWay,
}

/// The right to run without conflicts, which one transaction at a time has.
#[derive(Default)]
struct RightOfWay {
    taken: AtomicBool,
    turn: Mutex<()>,
}

/// The limit L on the cells of a transaction is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitOutOfRange(usize);

impl fmt::Display for LimitOutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lowest, highest) = (TransactionalMemory::LOWEST_LIMIT, TransactionalMemory::MAX_LIMIT);
        write!(f, "a transaction's limit must be from {lowest} to {highest} cells, not {}", self.0)
    }
}

impl std::error::Error for LimitOutOfRange {}

impl<'a> TransactionalMemory<'a> {
    /// The lowest limit L: a transaction with one cell is a compare-exchange.
    pub const LOWEST_LIMIT: usize = 2;
    /// The highest limit L. The checks take L^2 / 2 steps.
    pub const MAX_LIMIT: usize = 1 << 16;

    /// The number of words that `cells` cells take.
    pub const fn words(cells: usize) -> usize {
        cells
    }

    /// Cells in [`words(cells)`](Self::words) words of any content. The caller must
    /// [set](Cells::set) each cell before a transaction uses it. A transaction has at most
    /// `longest` cells, the limit L.
    ///
    /// # Errors
    /// When `longest` is not from [`LOWEST_LIMIT`](Self::LOWEST_LIMIT) to
    /// [`MAX_LIMIT`](Self::MAX_LIMIT).
    pub fn in_words(words: &'a mut [u64], longest: usize) -> Result<Self, LimitOutOfRange> {
        if !(Self::LOWEST_LIMIT..=Self::MAX_LIMIT).contains(&longest) {
            return Err(LimitOutOfRange(longest));
        }
        let cells = as_atomic_u32(bytemuck::cast_slice_mut(words));
        Ok(Self { cells, longest, right_of_way: RightOfWay::default() })
    }

    /// The cells, and a participant for each of `threads` threads. No other participants exist at
    /// the same time, because two transactions with the same mark would not see their conflicts.
    pub fn participants(&mut self, threads: usize) -> (Cells<'_>, Vec<Participant<'_>>) {
        let memory = &*self;
        let marks = (FIRST_MARK..UNMARKED).take(threads);
        let participants = marks.map(|mark| Participant::new(memory, mark)).collect();
        (Cells { cells: memory.cells }, participants)
    }

    fn entry(&self, cell: Vertex) -> &AtomicU32 {
        &self.cells[2 * cell as usize]
    }

    fn value(&self, cell: Vertex) -> &AtomicU32 {
        &self.cells[2 * cell as usize + 1]
    }
}

/// The cells outside of transactions.
#[derive(Clone, Copy)]
pub struct Cells<'m> {
    cells: &'m [AtomicU32],
}

impl Cells<'_> {
    /// Sets a cell's value. No transaction may use the cell in the same step of the team.
    #[inline]
    pub fn set(self, cell: Vertex, value: u32) {
        self.cells[2 * cell as usize].store(UNMARKED, Relaxed);
        self.cells[2 * cell as usize + 1].store(value, Release);
    }

    /// A cell's value. While transactions run, it may be the value that a transaction writes just
    /// now. What the writer did before its commit happens before the caller's next reads.
    #[inline]
    pub fn get(self, cell: Vertex) -> u32 {
        self.cells[2 * cell as usize + 1].load(Acquire)
    }
}

#[cfg(test)]
mod tests;
#[cfg(all(test, loom))]
mod under_loom;
