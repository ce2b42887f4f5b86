//! The processors on which the threads of a team start.

#[cfg(all(target_os = "linux", target_env = "gnu", not(any(miri, loom))))]
pub(crate) use linux::Placement;
#[cfg(any(not(all(target_os = "linux", target_env = "gnu")), miri, loom))]
pub(crate) use unsupported::Placement;

#[cfg(all(target_os = "linux", target_env = "gnu", not(any(miri, loom))))]
mod linux {
    #![allow(unsafe_code, reason = "the system's interface to processor sets is in C")]

    use std::mem;
    use std::os::unix::thread::JoinHandleExt;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::thread::JoinHandle;

    /// The number of processors that a `cpu_set_t` can hold.
    const CAPACITY: usize = libc::CPU_SETSIZE as usize;

    /// The processors on which the threads of one team have started.
    ///
    /// Without help, a new thread can wait three milliseconds for its parent's processor while
    /// another processor is idle (measured with Linux 6.18 as a KVM guest). Many solves are
    /// shorter. So the leader moves each new thread away from its own processor. A thread that
    /// starts on a processor of another thread of the team moves to the next free one. Afterwards
    /// the system may move the threads again: none stays pinned.
    pub(crate) struct Placement {
        /// The leader's processor when the team was created.
        leader: usize,
        /// The processors that the team may use.
        allowed: libc::cpu_set_t,
        /// The processors that threads of the team have claimed, one bit each.
        claimed: [AtomicU64; CAPACITY.div_ceil(64)],
    }

    impl Placement {
        /// The placement of a team whose leader is the calling thread.
        pub(crate) fn of_leader() -> Self {
            let (leader, allowed) = (current_processor(), allowed().unwrap_or_else(empty_set));
            let claimed = [const { AtomicU64::new(0) }; CAPACITY.div_ceil(64)];
            let placement = Self { leader, allowed, claimed };
            placement.claim(leader);
            placement
        }

        /// Moves a thread away from the leader's processor, even if it has not started yet. A
        /// thread on another processor stays there.
        pub(crate) fn send_away<T>(&self, thread: &JoinHandle<T>) {
            let mut others = self.allowed;
            // SAFETY: `current_processor` returns a number below `CAPACITY`.
            unsafe { libc::CPU_CLR(self.leader, &mut others) };
            self.move_to(thread.as_pthread_t(), &others);
        }

        /// Moves the calling thread to a processor that no thread of the team has claimed, if any.
        pub(crate) fn claim_processor(&self) {
            let here = current_processor();
            if self.claim(here) {
                return;
            }
            // SAFETY: every argument is below `CAPACITY`.
            let is_allowed =
                |processor: usize| unsafe { libc::CPU_ISSET(processor, &self.allowed) };
            let mut others = (here + 1..CAPACITY).chain(0..here);
            if let Some(free) = others.find(|&other| is_allowed(other) && self.claim(other)) {
                let mut target = empty_set();
                // SAFETY: `free` is below `CAPACITY`; `pthread_self` has no preconditions.
                let this = unsafe {
                    libc::CPU_SET(free, &mut target);
                    libc::pthread_self()
                };
                self.move_to(this, &target);
            }
        }

        /// Moves a thread to one of the processors of `target`, and then allows all processors of
        /// the team again.
        fn move_to(&self, thread: libc::pthread_t, target: &libc::cpu_set_t) {
            // SAFETY: the thread has not been joined, because the caller holds its handle or is the
            // thread; both sets are valid for reads.
            unsafe {
                let set = |set| libc::pthread_setaffinity_np(thread, size_of_val(set), set);
                if set(target) == 0 {
                    // The system accepted this set before, so the result needs no check.
                    set(&self.allowed);
                }
            }
        }

        /// Claims a processor; whether no thread of the team had claimed it.
        fn claim(&self, processor: usize) -> bool {
            let bit = 1 << (processor % 64);
            self.claimed
                .get(processor / 64)
                .is_some_and(|word| word.fetch_or(bit, Relaxed) & bit == 0)
        }

        #[cfg(test)]
        fn count(&self) -> usize {
            self.claimed.iter().map(|word| word.load(Relaxed).count_ones() as usize).sum()
        }
    }

    /// The processor on which the calling thread runs; 0 if the system does not tell, which can
    /// only place threads less well.
    fn current_processor() -> usize {
        // SAFETY: the function has no preconditions.
        let processor = unsafe { libc::sched_getcpu() };
        usize::try_from(processor).map_or(0, |processor| processor.min(CAPACITY - 1))
    }

    /// The processors that the calling thread may use.
    fn allowed() -> Option<libc::cpu_set_t> {
        let mut allowed = empty_set();
        // SAFETY: the set is valid for writes of its size.
        let answer = unsafe { libc::sched_getaffinity(0, size_of_val(&allowed), &mut allowed) };
        (answer == 0).then_some(allowed)
    }

    /// The empty set of processors.
    fn empty_set() -> libc::cpu_set_t {
        // SAFETY: a set consists of integers; all zeros is the empty set.
        unsafe { mem::zeroed() }
    }

    #[cfg(test)]
    mod tests {
        use std::sync::Arc;
        use std::thread;

        use super::*;

        fn processors() -> Vec<usize> {
            let allowed = allowed().unwrap();
            // SAFETY: every argument is below `CAPACITY`.
            (0..CAPACITY)
                .filter(|&processor| unsafe { libc::CPU_ISSET(processor, &allowed) })
                .collect()
        }

        #[test]
        fn threads_of_a_team_start_apart_and_are_not_pinned() {
            let (before, others) = (processors(), 3);
            let placement = Arc::new(Placement::of_leader());
            let threads = (0..others).map(|_| {
                let own = Arc::clone(&placement);
                let thread = thread::spawn(move || {
                    own.claim_processor();
                    thread::park(); // until `send_away` has returned
                    processors()
                });
                placement.send_away(&thread);
                thread.thread().unpark();
                thread
            });
            let threads: Vec<_> = threads.collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == before));
            assert_eq!(placement.count(), (1 + others).min(before.len()));
            assert_eq!(processors(), before);
        }
    }
}

/// On other systems the system alone places the threads.
#[cfg(any(not(all(target_os = "linux", target_env = "gnu")), miri, loom))]
mod unsupported {
    use std::thread::JoinHandle;

    pub(crate) struct Placement;

    impl Placement {
        pub(crate) fn of_leader() -> Self {
            Self
        }
        pub(crate) fn send_away<T>(&self, _thread: &JoinHandle<T>) {}
        pub(crate) fn claim_processor(&self) {}
    }
}
