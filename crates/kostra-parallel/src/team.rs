//! Threads that work on one solve together, step by step.
#![allow(
    unsafe_code,
    reason = "a step borrows from the solver that waits for it, which scoped threads that outlive the step cannot see"
)]

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use crate::placement::Placement;
use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, fence, spin_loop};

/// A number of threads, the caller's among them, that live as long as one solve.
///
/// The caller leads: [`on_all`](Self::on_all) runs a step on every thread and returns when all have
/// done it, so that the leader's code reads as if it were alone, and steps may borrow from it.
/// [`on_available`](Self::on_available) and [`distribute`](Self::distribute) wait only for those who have come to help: a
/// thread that is still waking up, or was put aside for something else, holds nobody up. Between
/// steps the others wait, first awake, then asleep. Nothing outlives the call: no pool is kept, and
/// none of the caller's is used.
///
/// Progress: blocking. A step ends when the slowest thread that takes part has done it. Dealing out
/// is wait-free with [`Schedule::Dynamic`], one addition a block, and lock-free with
/// [`Schedule::Guided`].
///
/// Memory order: opening a step releases what the leader has written before it, and who joins
/// acquires that; finishing releases what a thread has written in it, and the leader acquires that.
/// So steps, and what lies between them, happen one after another, and what is shared inside of a
/// step can do with relaxed order. Sleeping and waking meet in sequentially consistent fences.
pub struct Team<'a> {
    shared: &'a Shared,
    threads: usize,
}

/// How the items of a loop are dealt out to threads.
#[derive(Clone, Copy, Debug)]
pub enum Schedule {
    /// Blocks of this many items, to whoever is free.
    Dynamic(usize),
    /// The items that are left, divided by the number of threads and rounded down, but at least
    /// this many items.
    Guided(usize),
}

/// Leads a team of up to this many threads through some work.
///
/// Where the system grants fewer threads, the team is smaller.
///
/// # Panics
/// When a step panics, on any thread.
pub fn with_team<R>(threads: usize, work: impl FnOnce(&Team<'_>) -> R) -> R {
    if threads < 2 {
        return work(&Team { shared: &Shared::default(), threads: 1 });
    }
    let (shared, places) = (Shared::default(), Placement::of_leader());
    let mut others = Others { shared: &shared, threads: Vec::new() };
    while others.threads.len() + 1 < threads.min(MOST) {
        let (shared, places, index) = (&shared, &places, others.threads.len() + 1);
        let life = move || {
            places.settle();
            shared.serve(index);
        };
        // SAFETY: what the thread borrows lives until the others are dismissed, which waits for all
        // of them.
        let Ok(thread) = (unsafe {
            thread::Builder::new().name(format!("kostra {index}")).spawn_unchecked(life)
        }) else {
            break;
        };
        places.send_away(&thread);
        others.threads.push(thread); // nothing can go wrong before: the thread must be waited for
    }
    work(&Team { shared: &shared, threads: others.threads.len() + 1 })
}

impl Team<'_> {
    /// How many threads there are, the leader's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs a step on every thread at once; the step gets the thread's number, and the leader is 0.
    ///
    /// What one step has written, every thread sees in the next. Steps do not nest.
    pub fn on_all(&self, step: impl Fn(usize) + Sync) {
        self.run(&step, true);
    }

    /// Runs a step on the leader, who is 0, and on those of the others who come before the leader
    /// has done it. So the leader must do alone what nobody else does.
    pub fn on_available(&self, step: impl Fn(usize) + Sync) {
        self.run(&step, false);
    }

    fn run(&self, step: &Step<'_>, by_all: bool) {
        if self.threads == 1 {
            return step(0);
        }
        self.shared.run(step, by_all.then_some(self.threads - 1));
    }

    /// Deals out `0..len` in ranges, each to one thread, which gets its own number too. Ranges are
    /// dealt in ascending order.
    pub fn distribute(
        &self,
        len: usize,
        schedule: Schedule,
        step: impl Fn(usize, Range<usize>) + Sync,
    ) {
        if len == 0 {
            return;
        }
        // A single block is not worth waking anybody for.
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

    /// Deals out `0..len` one by one, as [`distribute`](Self::distribute) does in ranges.
    #[inline]
    pub fn for_each(&self, len: usize, schedule: Schedule, step: impl Fn(usize) + Sync) {
        self.distribute(len, schedule, |_, range| range.for_each(&step));
    }

    /// Deals out `0..len` in one part for each thread, with the part's number: the same parts in
    /// every call, to whoever comes.
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

/// How often a waiting thread looks before it goes to sleep: long enough for the steps of a round
/// that follow each other.
const LOOKS: u32 = if cfg!(loom) { 1 } else { 1 << 9 };

/// A step that may still be joined, in the lowest bit of [`Shared::gate`].
const OPEN: usize = 1;
/// One who has joined it, in the bits above.
const JOINED: usize = 2;
/// One step, in the bits above those.
const STEP: usize = 1 << 16;
/// As many as can join a step, and the leader.
pub(crate) const MOST: usize = STEP / JOINED;

/// How many have joined a step.
fn joined(gate: usize) -> usize {
    gate % STEP / JOINED
}

type Step<'a> = dyn Fn(usize) + Sync + 'a;

/// What the threads of a team meet at.
#[derive(Default)]
struct Shared {
    /// The number of the step, how many have joined it, and whether it is open.
    gate: AtomicUsize,
    /// How many of those who have joined the step have finished it.
    finished: AtomicUsize,
    /// Whether there will be no further step.
    over: AtomicBool,
    /// The step at hand, and what was thrown in it. Its lock is what sleepers hold when they look a
    /// last time.
    slot: Mutex<Slot>,
    /// Where the others wait for a step.
    others: Bed,
    /// Where the leader waits for the others.
    leader: Bed,
}

/// Where threads sleep.
#[derive(Default)]
struct Bed {
    /// How many are asleep, or about to be.
    asleep: AtomicUsize,
    change: Condvar,
}

#[derive(Default)]
struct Slot {
    step: Option<StepPointer>,
    panic: Option<Box<dyn Any + Send>>,
}

#[derive(Clone, Copy)]
struct StepPointer(*const Step<'static>);
// SAFETY: it points to a step that is `Sync`, and is followed only while the leader waits for that
// step.
unsafe impl Send for StepPointer {}

impl Shared {
    /// Has a step run by the leader and by others, and waits for those: for this many, or for those
    /// who come in time.
    fn run(&self, step: &Step<'_>, others: Option<usize>) {
        // SAFETY: only the lifetime changes. The pointer is followed by `serve` alone, by those who
        // have joined, and this function returns, or unwinds, only when nobody can join any more
        // and all who have joined have finished.
        let pointer = StepPointer(unsafe {
            std::mem::transmute::<*const Step<'_>, *const Step<'static>>(std::ptr::from_ref(step))
        });
        self.lock().step = Some(pointer);
        self.finished.store(0, Ordering::Relaxed);
        // The gate is shut, so that nobody else changes it. Its number may come round again: who
        // has slept that long misses a step, but one that all must do cannot come to its end
        // before.
        let number = self.gate.load(Ordering::Relaxed) / STEP;
        // Release: publishes the step and the count, and all that the leader has written before.
        self.gate.store(number.wrapping_add(1).wrapping_mul(STEP) | OPEN, Ordering::Release);
        self.wake(&self.others);
        let own = catch_unwind(AssertUnwindSafe(|| step(0)));
        // Acquire: what the others have written in the step happens before what the leader does
        // next.
        let come = |joined: usize| self.finished.load(Ordering::Acquire) == joined;
        if let Some(others) = others {
            self.wait_until(&self.leader, || come(others));
        }
        let joined = joined(self.gate.fetch_and(!OPEN, Ordering::Relaxed));
        self.wait_until(&self.leader, || come(joined));
        if let Err(panic) = own {
            resume_unwind(panic);
        }
        if let Some(panic) = self.lock().panic.take() {
            resume_unwind(panic);
        }
    }

    /// A thread's life: to join each step once, if it comes in time, until there are no more.
    fn serve(&self, thread: usize) {
        let mut last = 0;
        let is_new = |gate: usize, last: usize| gate & OPEN != 0 && gate / STEP != last;
        loop {
            self.wait_until(&self.others, || {
                is_new(self.gate.load(Ordering::Relaxed), last) || self.over.load(Ordering::Acquire)
            });
            if self.over.load(Ordering::Acquire) {
                return;
            }
            let join = |gate: usize| is_new(gate, last).then_some(gate + JOINED);
            // Acquire: what the leader has written before the step.
            let Ok(gate) = self.gate.fetch_update(Ordering::Acquire, Ordering::Relaxed, join)
            else {
                continue;
            };
            last = gate / STEP;
            let Some(step) = self.lock().step else { return };
            // SAFETY: the leader waits in `run` until all who have joined have finished.
            let step = unsafe { &*step.0 };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| step(thread))) {
                self.lock().panic = Some(panic);
            }
            let finished = self.finished.fetch_add(1, Ordering::AcqRel) + 1;
            // Whoever joined and finished before has written both where this one, the last, sees
            // it.
            if finished == joined(self.gate.load(Ordering::Relaxed)) {
                self.wake(&self.leader);
            }
        }
    }

    /// Ends the lives of the others.
    fn dismiss(&self) {
        self.over.store(true, Ordering::Release);
        self.wake(&self.others);
    }

    fn wait_until(&self, bed: &Bed, come: impl Fn() -> bool) {
        for _ in 0..LOOKS {
            if come() {
                return;
            }
            spin_loop();
        }
        // Who changes something looks for sleepers after that; who goes to sleep is counted before
        // it looks a last time. Each has a sequentially consistent fence between the two, so one of
        // them sees the other.
        bed.asleep.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let mut slot = self.lock();
        while !come() {
            slot = bed.change.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
        drop(slot);
        bed.asleep.fetch_sub(1, Ordering::Relaxed);
    }

    fn wake(&self, bed: &Bed) {
        fence(Ordering::SeqCst);
        if bed.asleep.load(Ordering::Relaxed) > 0 {
            // With the lock, so that no sleeper is between its last look and its sleep.
            let _slot = self.lock();
            bed.change.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads of a team but for the leader, who dismisses them and waits for them however the work
/// ends.
struct Others<'a> {
    shared: &'a Shared,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Others<'_> {
    fn drop(&mut self) {
        self.shared.dismiss();
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // what a step has thrown, the leader has thrown on
        }
    }
}

#[cfg(all(test, loom))]
mod under_loom {
    use std::sync::Arc;

    use super::*;

    /// Tries all ways in which some others can serve a leader.
    fn model(others: usize, preemptions: usize, lead: impl Fn(&Shared) + Send + Sync + 'static) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(move || {
            let shared = Arc::new(Shared::default());
            let handles: Vec<_> = (1..=others)
                .map(|thread| {
                    let shared = Arc::clone(&shared);
                    loom::thread::spawn(move || shared.serve(thread))
                })
                .collect();
            lead(&shared);
            shared.dismiss();
            handles.into_iter().for_each(|handle| handle.join().unwrap());
        });
    }

    /// Has a leader and some others write in one step and read in the next, or go straight to the
    /// end.
    fn check(others: usize, steps: usize, preemptions: usize) {
        model(others, preemptions, move |shared| {
            let neighbours = others + 1;
            let written: Vec<_> = (0..neighbours).map(|_| AtomicUsize::new(0)).collect();
            for step in 0..steps {
                shared.run(
                    &|thread| {
                        let own = &written[(thread + step) % neighbours];
                        assert_eq!(
                            own.load(Ordering::Relaxed),
                            step,
                            "what the step before has written"
                        );
                        own.store(step + 1, Ordering::Relaxed);
                    },
                    Some(others),
                );
                assert!(
                    written.iter().all(|w| w.load(Ordering::Relaxed) == step + 1),
                    "what others have written"
                );
            }
        });
    }

    /// Has a leader deal out items to whoever comes.
    fn check_helped(others: usize, steps: usize, preemptions: usize) {
        model(others, preemptions, move |shared| {
            let items: Vec<_> = (0..2).map(|_| AtomicUsize::new(0)).collect();
            for step in 0..steps {
                let next = AtomicUsize::new(0);
                shared.run(
                    &|_| {
                        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                            assert_eq!(
                                item.load(Ordering::Relaxed),
                                step,
                                "what the step before has written"
                            );
                            item.store(step + 1, Ordering::Relaxed);
                        }
                    },
                    None,
                );
                assert!(
                    items.iter().all(|item| item.load(Ordering::Relaxed) == step + 1),
                    "what others have written"
                );
            }
        });
    }

    #[test]
    fn who_joins_a_step_is_waited_for() {
        check_helped(1, 1, 4);
        check_helped(1, 2, 2);
        check_helped(2, 1, 2);
    }

    #[test]
    fn nobody_sleeps_through_a_step_or_the_end() {
        check(1, 0, 4);
        check(1, 1, 3);
        check(2, 1, 2);
    }

    #[test]
    fn a_step_sees_what_the_one_before_has_written() {
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
                        // The neighbour's sum is as the step before has left it.
                        sums[thread].fetch_add(step, Ordering::Relaxed);
                    });
                    let expected = step * (step + 1) / 2;
                    assert!(sums.iter().all(|sum| sum.load(Ordering::Relaxed) == expected));
                    if step % 100 == 0 {
                        thread::sleep(std::time::Duration::from_millis(1)); // until the others are asleep
                    }
                }
            });
        }
    }

    #[test]
    fn nobody_is_waited_for_who_has_not_come() {
        let (shared, done) = (Shared::default(), AtomicU32::new(0));
        for step in 1..=3 {
            shared.run(&|_| done.store(step, Ordering::Relaxed), None);
            assert_eq!(done.load(Ordering::Relaxed), step);
        }
    }

    #[test]
    fn every_item_is_dealt_once() {
        for threads in [1, 2, 5] {
            for schedule in [Schedule::Dynamic(7), Schedule::Guided(3), Schedule::Guided(1000)] {
                for len in [0, 1, 100, 1001] {
                    let dealt: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
                    with_team(threads, |team| {
                        team.distribute(len, schedule, |_, range| {
                            for item in range {
                                dealt[item].fetch_add(1, Ordering::Relaxed);
                            }
                        });
                    });
                    assert!(
                        dealt.iter().all(|times| times.load(Ordering::Relaxed) == 1),
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
