//! A team of threads that runs the steps of one solve together.
#![allow(
    unsafe_code,
    reason = "a step borrows from the leader; the threads outlive the step, so scoped threads cannot express it"
)]

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use crate::machine::address_space_left;
use crate::placement::Placement;
use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, fence, spin_loop};

/// The calling thread and a number of helper threads, which live as long as one solve.
///
/// The calling thread is the leader. [`on_all`](Self::on_all) runs a step on every thread and
/// returns when all threads have finished it. So the leader's code reads like sequential code, and
/// a step may borrow from it. [`on_available`](Self::on_available) and
/// [`distribute`](Self::distribute) wait only for the threads that have joined the step. A thread
/// that the system has not scheduled yet delays nobody. Between steps the helpers spin for a short
/// time and then sleep. There is no thread pool: the threads end with the team.
///
/// Progress: blocking. A step ends when the slowest thread that joined it has finished. Taking a
/// range is wait-free with [`Schedule::Dynamic`] (one atomic addition) and lock-free with
/// [`Schedule::Guided`].
///
/// Memory order: opening a step releases the leader's earlier writes, and joining acquires them.
/// Finishing a step releases the thread's writes, and the leader acquires them. So steps are
/// ordered, and data that threads share inside a step needs relaxed order only. Sleeping and waking
/// are ordered by sequentially consistent fences.
pub struct Team<'a> {
    shared: &'a Shared,
    threads: usize,
}

/// How the items of a loop are distributed to threads.
#[derive(Clone, Copy, Debug)]
pub enum Schedule {
    /// Blocks of the given number of items, each to the next free thread.
    Dynamic(usize),
    /// Blocks of shrinking size: the number of remaining items divided by the number of threads,
    /// rounded down, but at least the given number of items.
    Guided(usize),
}

/// Calls `work` with a team of up to `threads` threads, the calling thread included.
///
/// The team is smaller if the system refuses to start a thread, or if the threads would take more
/// than half of an address space that the system limits (`ulimit -v`).
///
/// # Panics
/// When a step panics on any thread.
pub fn with_team<R>(threads: usize, work: impl FnOnce(&Team<'_>) -> R) -> R {
    if threads < 2 {
        return work(&Team { shared: &Shared::default(), threads: 1 });
    }
    let (shared, placement) = (Shared::default(), Placement::of_leader());
    let mut helpers = Helpers { shared: &shared, threads: Vec::new() };
    let threads = affordable_threads(threads);
    while helpers.threads.len() + 1 < threads {
        let (shared, placement, index) = (&shared, &placement, helpers.threads.len() + 1);
        let worker = move || {
            placement.claim_processor();
            shared.serve(index);
        };
        // SAFETY: dropping `helpers` waits for all threads, and it is dropped before `shared` and
        // `placement`, from which the threads borrow.
        let Ok(thread) = (unsafe {
            thread::Builder::new().name(format!("kostra {index}")).spawn_unchecked(worker)
        }) else {
            break;
        };
        // Nothing between the start of the thread and the push may fail: the drop of `helpers` must
        // wait for the thread.
        placement.send_away(&thread);
        helpers.threads.push(thread);
    }
    work(&Team { shared: &shared, threads: helpers.threads.len() + 1 })
}

/// The number of threads that a team of up to `threads` threads has, unless the system refuses to
/// start one.
pub fn affordable_threads(threads: usize) -> usize {
    // One thread needs no look at the limits.
    if threads < 2 { threads } else { threads.min(MAX_THREADS).min(threads_within_limit()) }
}

/// The number of threads that take at most half of the address space that is left, if the system
/// limits it.
///
/// The other half is for the work, and for the small allocations of starting threads. Those cannot
/// fail with an error: if threads took all address space, the process would abort.
fn threads_within_limit() -> usize {
    /// The standard library's stack of 2 MiB, and the 128 MiB from which the allocator of glibc
    /// cuts an aligned region of 64 MiB for a new thread.
    const BYTES_PER_THREAD: u64 = (2 << 20) + (128 << 20);
    address_space_left().map_or(MAX_THREADS, |bytes| 1 + (bytes / 2 / BYTES_PER_THREAD) as usize)
}

impl Team<'_> {
    /// The number of threads, the leader included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `step` once on every thread, with the thread's number. The leader is thread 0.
    ///
    /// Every thread sees the writes of earlier steps. Steps must not be nested.
    pub fn on_all(&self, step: impl Fn(usize) + Sync) {
        self.run(&step, WaitFor::All);
    }

    /// Runs `step` on the leader, thread 0, and on each helper that joins before the leader has
    /// finished. If no helper joins, the leader's call must do all the work.
    pub fn on_available(&self, step: impl Fn(usize) + Sync) {
        self.run(&step, WaitFor::Joined);
    }

    fn run(&self, step: &Step<'_>, wait_for: WaitFor) {
        if self.threads == 1 {
            return step(0);
        }
        let required = match wait_for {
            WaitFor::All => self.threads - 1,
            WaitFor::Joined => 0,
        };
        self.shared.run(step, required);
    }

    /// Distributes `0..len` to the threads in ranges, in ascending order. Calls `step` with the
    /// thread's number and the range.
    #[inline]
    pub fn distribute(
        &self,
        len: usize,
        schedule: Schedule,
        step: impl Fn(usize, Range<usize>) + Sync,
    ) {
        self.distribute_to(len, schedule, &step);
    }

    /// Not generic, so that each step is compiled once and not again for a single block.
    fn distribute_to(
        &self,
        len: usize,
        schedule: Schedule,
        step: &(dyn Fn(usize, Range<usize>) + Sync),
    ) {
        if len == 0 {
            return;
        }
        // Waking a helper costs more than a single block.
        let is_one_block = matches!(schedule, Schedule::Dynamic(block) if len <= block);
        if self.threads == 1 || is_one_block {
            return step(0, 0..len);
        }
        let next = AtomicUsize::new(0);
        self.on_available(|thread| {
            while let Some(range) = self.take(&next, len, schedule) {
                step(thread, range);
            }
        });
    }

    /// Calls `step` for every index in `0..len`, with the ranges of
    /// [`distribute`](Self::distribute).
    #[inline]
    pub fn for_each(&self, len: usize, schedule: Schedule, step: impl Fn(usize) + Sync) {
        self.distribute(len, schedule, |_, range| range.for_each(&step));
    }

    /// Divides `0..len` into one part per thread and calls `step` with each part's number and
    /// range. The parts are the same in every call; which thread runs a part is not.
    #[inline]
    pub fn in_parts(&self, len: usize, step: impl Fn(usize, Range<usize>) + Sync) {
        let parts = self.threads;
        self.for_each(parts, Schedule::Dynamic(1), |part| {
            step(part, len * part / parts..len * (part + 1) / parts);
        });
    }

    fn take(&self, next: &AtomicUsize, len: usize, schedule: Schedule) -> Option<Range<usize>> {
        match schedule {
            Schedule::Dynamic(block) => {
                let start = next.fetch_add(block, Ordering::Relaxed);
                (start < len).then(|| start..len.min(start + block))
            }
            Schedule::Guided(least) => {
                let taken = |start| {
                    (start < len).then(|| least.max((len - start) / self.threads).min(len - start))
                };
                let start = next
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |start| {
                        Some(start + taken(start)?)
                    })
                    .ok()?;
                Some(start..start + taken(start)?)
            }
        }
    }
}

/// How often a waiting thread checks its condition before it sleeps: long enough for consecutive
/// steps of a round to find the threads awake.
const SPINS: u32 = if cfg!(loom) { 1 } else { 1 << 9 };

/// The lowest bit of [`Shared::gate`]: threads may still join the step.
const OPEN: usize = 1;
/// One thread that has joined the step, counted in the bits above [`OPEN`].
const JOINED: usize = 2;
/// One step, counted in the bits above the joined threads.
const STEP: usize = 1 << 16;
/// The most threads of a team: as many as the gate can count, and the leader.
pub(crate) const MAX_THREADS: usize = STEP / JOINED;

/// The number of threads that have joined a step.
fn joined(gate: usize) -> usize {
    gate % STEP / JOINED
}

/// Which helpers the leader waits for.
#[derive(Clone, Copy)]
enum WaitFor {
    /// All of them.
    All,
    /// Those that have joined by the time the leader has finished.
    Joined,
}

type Step<'a> = dyn Fn(usize) + Sync + 'a;

/// The state that the threads of a team share.
#[derive(Default)]
struct Shared {
    /// The number of the step, the number of threads that have joined it, and whether it is open.
    gate: AtomicUsize,
    /// The number of threads that have finished the step.
    finished: AtomicUsize,
    /// Whether the team ends: no further step follows.
    ended: AtomicBool,
    /// The current step and its panic. A thread holds this lock when it checks its condition for
    /// the last time before it sleeps.
    slot: Mutex<Slot>,
    /// The helpers that wait for a step.
    helpers: WaitQueue,
    /// The leader that waits for the helpers.
    leader: WaitQueue,
}

/// Threads that wait for a condition.
#[derive(Default)]
struct WaitQueue {
    /// The number of threads that sleep or are about to.
    sleepers: AtomicUsize,
    changed: Condvar,
}

#[derive(Default)]
struct Slot {
    step: Option<StepPointer>,
    panic: Option<Box<dyn Any + Send>>,
}

#[derive(Clone, Copy)]
struct StepPointer(*const Step<'static>);
// SAFETY: the pointer refers to a step that is `Sync`, and it is dereferenced only while the leader
// waits for that step.
unsafe impl Send for StepPointer {}

impl Shared {
    /// Runs a step on the leader and on helpers. Waits for `required` helpers, and for all that
    /// have joined.
    fn run(&self, step: &Step<'_>, required: usize) {
        // SAFETY: only the lifetime changes. Only `serve` dereferences the pointer, on threads that
        // have joined the step. This function returns, or unwinds, when no thread can join any more
        // and all threads that joined have finished.
        let pointer = StepPointer(unsafe {
            std::mem::transmute::<*const Step<'_>, *const Step<'static>>(std::ptr::from_ref(step))
        });
        self.lock().step = Some(pointer);
        self.finished.store(0, Ordering::Relaxed);
        // The gate is closed, so no other thread changes it. The number may wrap around: a thread
        // that slept through all numbers misses a step. A step that waits for all threads cannot
        // end before such a thread has joined, so it is never the one that is missed.
        let number = self.gate.load(Ordering::Relaxed) / STEP;
        // Release: publishes the step, the count, and the leader's earlier writes.
        self.gate.store(number.wrapping_add(1).wrapping_mul(STEP) | OPEN, Ordering::Release);
        self.wake(&self.helpers);
        let own = catch_unwind(AssertUnwindSafe(|| step(0)));
        // Acquire: the helpers' writes in the step happen before the leader's next reads.
        let finished = || self.finished.load(Ordering::Acquire);
        self.wait_until(&self.leader, || finished() >= required);
        let joined = joined(self.gate.fetch_and(!OPEN, Ordering::Relaxed));
        self.wait_until(&self.leader, || finished() == joined);
        if let Err(panic) = own {
            resume_unwind(panic);
        }
        if let Some(panic) = self.lock().panic.take() {
            resume_unwind(panic);
        }
    }

    /// The work of a helper: joins each step at most once, until the team ends.
    fn serve(&self, thread: usize) {
        let mut last = 0;
        let is_new = |gate: usize, last: usize| gate & OPEN != 0 && gate / STEP != last;
        loop {
            self.wait_until(&self.helpers, || {
                is_new(self.gate.load(Ordering::Relaxed), last)
                    || self.ended.load(Ordering::Acquire)
            });
            if self.ended.load(Ordering::Acquire) {
                return;
            }
            let join = |gate: usize| is_new(gate, last).then_some(gate + JOINED);
            // Acquire: the leader's writes before the step.
            let Ok(gate) = self.gate.fetch_update(Ordering::Acquire, Ordering::Relaxed, join)
            else {
                continue;
            };
            last = gate / STEP;
            let Some(step) = self.lock().step else { return };
            // SAFETY: the leader waits in `run` until all threads that joined have finished.
            let step = unsafe { &*step.0 };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| step(thread))) {
                self.lock().panic = Some(panic);
            }
            let finished = self.finished.fetch_add(1, Ordering::AcqRel) + 1;
            // `AcqRel` makes the joins of the threads that finished earlier visible here, so the
            // last thread to finish sees the full count.
            if finished == joined(self.gate.load(Ordering::Relaxed)) {
                self.wake(&self.leader);
            }
        }
    }

    /// Lets the helpers return from [`serve`](Self::serve).
    fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.wake(&self.helpers);
    }

    fn wait_until(&self, queue: &WaitQueue, condition: impl Fn() -> bool) {
        for _ in 0..SPINS {
            if condition() {
                return;
            }
            spin_loop();
        }
        // The waking thread changes the state and then reads the number of sleepers. The waiting
        // thread adds itself to the sleepers and then checks the condition. Each has a sequentially
        // consistent fence between its two accesses, so at least one of them sees the other.
        queue.sleepers.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let mut slot = self.lock();
        while !condition() {
            slot = queue.changed.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
        drop(slot);
        queue.sleepers.fetch_sub(1, Ordering::Relaxed);
    }

    fn wake(&self, queue: &WaitQueue) {
        fence(Ordering::SeqCst);
        if queue.sleepers.load(Ordering::Relaxed) > 0 {
            // With the lock held, no thread is between its last check and its sleep.
            let _slot = self.lock();
            queue.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The helper threads of a team. Dropping them ends them and waits for them, even when the leader
/// panics.
struct Helpers<'a> {
    shared: &'a Shared,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Helpers<'_> {
    fn drop(&mut self) {
        self.shared.end();
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // `Shared::run` has passed on the panic of a step
        }
    }
}

#[cfg(all(test, loom))]
mod under_loom {
    use std::sync::Arc;

    use super::*;

    /// Checks all interleavings of a leader and `helpers` helpers.
    fn model(helpers: usize, preemptions: usize, lead: impl Fn(&Shared) + Send + Sync + 'static) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(move || {
            let shared = Arc::new(Shared::default());
            let handles: Vec<_> = (1..=helpers)
                .map(|thread| {
                    let shared = Arc::clone(&shared);
                    loom::thread::spawn(move || shared.serve(thread))
                })
                .collect();
            lead(&shared);
            shared.end();
            handles.into_iter().for_each(|handle| handle.join().unwrap());
        });
    }

    /// All threads write in one step and read in the next; without steps, the team ends at once.
    fn check(helpers: usize, steps: usize, preemptions: usize) {
        model(helpers, preemptions, move |shared| {
            let threads = helpers + 1;
            let written: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
            for step in 0..steps {
                shared.run(
                    &|thread| {
                        let own = &written[(thread + step) % threads];
                        assert_eq!(
                            own.load(Ordering::Relaxed),
                            step,
                            "the writes of the step before"
                        );
                        own.store(step + 1, Ordering::Relaxed);
                    },
                    helpers,
                );
                assert!(
                    written.iter().all(|w| w.load(Ordering::Relaxed) == step + 1),
                    "the writes of the helpers"
                );
            }
        });
    }

    /// The leader distributes items to the helpers that join.
    fn check_available(helpers: usize, steps: usize, preemptions: usize) {
        model(helpers, preemptions, move |shared| {
            let items: Vec<_> = (0..2).map(|_| AtomicUsize::new(0)).collect();
            for step in 0..steps {
                let next = AtomicUsize::new(0);
                shared.run(
                    &|_| {
                        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                            assert_eq!(
                                item.load(Ordering::Relaxed),
                                step,
                                "the writes of the step before"
                            );
                            item.store(step + 1, Ordering::Relaxed);
                        }
                    },
                    0,
                );
                assert!(
                    items.iter().all(|item| item.load(Ordering::Relaxed) == step + 1),
                    "the writes of the helpers"
                );
            }
        });
    }

    #[test]
    fn the_leader_waits_for_every_thread_that_joined() {
        check_available(1, 1, 4);
        check_available(1, 2, 2);
        check_available(2, 1, 2);
    }

    #[test]
    fn no_helper_misses_a_step_or_the_end() {
        check(1, 0, 4);
        check(1, 1, 3);
        check(2, 1, 2);
    }

    #[test]
    fn a_step_sees_the_writes_of_the_step_before() {
        check(1, 2, 2);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn every_thread_does_every_step_once_and_sees_the_last_one() {
        for threads in [1, 2, 3, 8] {
            let sums: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
            with_team(threads, |team| {
                assert_eq!(team.threads(), threads);
                for step in 1..if cfg!(miri) { 5 } else { 300 } {
                    team.on_all(|thread| {
                        // The neighbor's sum is as the step before has left it.
                        sums[thread].fetch_add(step, Ordering::Relaxed);
                    });
                    let expected = step * (step + 1) / 2;
                    assert!(sums.iter().all(|sum| sum.load(Ordering::Relaxed) == expected));
                    if step % 100 == 0 {
                        // Until the others are asleep.
                        thread::sleep(std::time::Duration::from_millis(1));
                    }
                }
            });
        }
    }

    #[test]
    fn the_leader_does_not_wait_for_helpers_that_have_not_joined() {
        let (shared, done) = (Shared::default(), AtomicU32::new(0));
        for step in 1..=3 {
            shared.run(&|_| done.store(step, Ordering::Relaxed), 0);
            assert_eq!(done.load(Ordering::Relaxed), step);
        }
    }

    #[test]
    fn every_item_is_distributed_once() {
        for threads in [1, 2, 5] {
            for schedule in [Schedule::Dynamic(7), Schedule::Guided(3), Schedule::Guided(1000)] {
                for len in [0, 1, 100, 1001] {
                    let calls: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
                    with_team(threads, |team| {
                        team.distribute(len, schedule, |_, range| {
                            for item in range {
                                calls[item].fetch_add(1, Ordering::Relaxed);
                            }
                        });
                    });
                    assert!(
                        calls.iter().all(|times| times.load(Ordering::Relaxed) == 1),
                        "{schedule:?} {len}"
                    );
                }
            }
        }
    }

    /// The blocks of a loop, in the order in which they were distributed.
    fn blocks(threads: usize, len: usize, schedule: Schedule) -> Vec<Range<usize>> {
        let blocks = Mutex::new(Vec::new());
        with_team(threads, |team| {
            assert_eq!(team.threads(), threads);
            team.distribute(len, schedule, |_, range| blocks.lock().unwrap().push(range));
        });
        let mut blocks = blocks.into_inner().unwrap();
        blocks.sort_unstable_by_key(|block| block.start);
        blocks
    }

    #[test]
    fn a_guided_block_is_the_share_of_a_thread_in_what_is_left() {
        let sizes = |threads, len, least| {
            let blocks = blocks(threads, len, Schedule::Guided(least));
            blocks.iter().map(ExactSizeIterator::len).collect::<Vec<_>>()
        };
        assert_eq!(sizes(2, 100, 1), [50, 25, 12, 6, 3, 2, 1, 1]);
        assert_eq!(sizes(2, 100, 20), [50, 25, 20, 5]);
        assert_eq!(sizes(3, 100, 200), [100]);
        for (threads, len, least) in [(2, 1 << 12, 1), (3, 1001, 64), (5, 1001, 7), (8, 5, 1)] {
            let mut left = len;
            for block in blocks(threads, len, Schedule::Guided(least)) {
                assert_eq!(block.start, len - left, "{threads} threads, at least {least}");
                let share = left / threads;
                assert_eq!(
                    block.len(),
                    share.max(least).min(left),
                    "{threads} threads, at least {least}"
                );
                left -= block.len();
            }
            assert_eq!(left, 0, "{threads} threads, at least {least}");
        }
    }

    #[test]
    fn dynamic_blocks_have_one_size_but_for_the_last() {
        assert_eq!(blocks(2, 20, Schedule::Dynamic(7)), [0..7, 7..14, 14..20]);
    }

    #[test]
    fn a_panic_on_any_thread_reaches_the_caller_after_the_others_are_done() {
        for culprit in 0..3 {
            let done = AtomicU32::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                with_team(3, |team| {
                    team.on_all(|thread| {
                        assert!(thread != culprit, "thread {thread}");
                        done.fetch_add(1, Ordering::Relaxed);
                    });
                    unreachable!("the step has panicked");
                });
            }));
            let message = *result.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(message, format!("thread {culprit}"));
            assert_eq!(done.load(Ordering::Relaxed), 2);
        }
    }
}
