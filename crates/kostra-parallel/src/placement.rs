//! Where the threads of a team begin.

#[cfg(all(target_os = "linux", target_env = "gnu", not(any(miri, loom))))]
pub(crate) use linux::Placement;
#[cfg(any(not(all(target_os = "linux", target_env = "gnu")), miri, loom))]
pub(crate) use nowhere::Placement;

#[cfg(all(target_os = "linux", target_env = "gnu", not(any(miri, loom))))]
mod linux {
    #![allow(unsafe_code, reason = "the system's interface to processors is one of C")]

    use std::mem;
    use std::os::unix::thread::JoinHandleExt;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::thread::JoinHandle;

    /// How many processors a set has room for.
    const ROOM: usize = libc::CPU_SETSIZE as usize;

    /// The processors that threads of one team have begun on.
    ///
    /// Left alone, a new thread was seen to wait for its parent's processor for three milliseconds
    /// while another was idle (Linux 6.18 as a guest of KVM): longer than many a solve. So the
    /// leader sends new threads away from its own, and a thread that finds another of its team
    /// where it is moves to the next that it may use. It is bound to none: after that the system
    /// moves it as it likes.
    pub(crate) struct Placement {
        /// Where the leader was when it began.
        leader: usize,
        /// Where the team may be.
        allowed: libc::cpu_set_t,
        taken: [AtomicU64; ROOM.div_ceil(64)],
    }

    impl Placement {
        /// The places of a team that the calling thread leads.
        pub(crate) fn of_leader() -> Self {
            let (leader, allowed) = (here(), allowed().unwrap_or_else(nowhere));
            let places =
                Self { leader, allowed, taken: [const { AtomicU64::new(0) }; ROOM.div_ceil(64)] };
            places.take(leader);
            places
        }

        /// Sends a thread that may not have begun yet away from the leader's processor. One that is
        /// elsewhere stays there.
        pub(crate) fn send_away<T>(&self, thread: &JoinHandle<T>) {
            let mut others = self.allowed;
            // SAFETY: the leader's place is below the room of a set, as all that the system tells.
            unsafe { libc::CPU_CLR(self.leader, &mut others) };
            self.move_to(thread.as_pthread_t(), &others);
        }

        /// Gives the calling thread a processor of its own, where there is one left.
        pub(crate) fn settle(&self) {
            let here = here();
            if self.take(here) {
                return;
            }
            // SAFETY: all that is asked for is below the room of a set.
            let is_allowed =
                |processor: usize| unsafe { libc::CPU_ISSET(processor, &self.allowed) };
            let mut others = (here + 1..ROOM).chain(0..here);
            if let Some(free) = others.find(|&other| is_allowed(other) && self.take(other)) {
                let mut there = nowhere();
                // SAFETY: `free` is below the room of a set, and a thread may always ask who it is.
                let this = unsafe {
                    libc::CPU_SET(free, &mut there);
                    libc::pthread_self()
                };
                self.move_to(this, &there);
            }
        }

        /// Moves a thread of the team, and lets it go where it likes from there.
        fn move_to(&self, thread: libc::pthread_t, there: &libc::cpu_set_t) {
            // SAFETY: whoever has the thread's handle has not joined it, so that it is known; the
            // sets are valid for reads.
            unsafe {
                let set = |set| libc::pthread_setaffinity_np(thread, size_of_val(set), set);
                if set(there) == 0 {
                    // What was granted before is granted again.
                    set(&self.allowed);
                }
            }
        }

        /// Whether the calling thread is the first of its team on a processor.
        fn take(&self, processor: usize) -> bool {
            let bit = 1 << (processor % 64);
            self.taken
                .get(processor / 64)
                .is_some_and(|word| word.fetch_or(bit, Relaxed) & bit == 0)
        }

        #[cfg(test)]
        fn count(&self) -> usize {
            self.taken.iter().map(|word| word.load(Relaxed).count_ones() as usize).sum()
        }
    }

    /// The processor that the calling thread is on.
    fn here() -> usize {
        // SAFETY: it may always be asked. Where the system does not tell, it is called 0: a guess
        // does no harm.
        let processor = unsafe { libc::sched_getcpu() };
        usize::try_from(processor).map_or(0, |processor| processor.min(ROOM - 1))
    }

    /// The processors that the calling thread may use.
    fn allowed() -> Option<libc::cpu_set_t> {
        let mut allowed = nowhere();
        // SAFETY: the set is valid for writes of its size.
        let answer = unsafe { libc::sched_getaffinity(0, size_of_val(&allowed), &mut allowed) };
        (answer == 0).then_some(allowed)
    }

    /// No processor.
    fn nowhere() -> libc::cpu_set_t {
        // SAFETY: a set consists of integers, and is empty where they are zero.
        unsafe { mem::zeroed() }
    }

    #[cfg(test)]
    mod tests {
        use std::sync::Arc;
        use std::thread;

        use super::*;

        fn processors() -> Vec<usize> {
            let allowed = allowed().unwrap();
            // SAFETY: all that is asked for is below the room of a set.
            (0..ROOM).filter(|&processor| unsafe { libc::CPU_ISSET(processor, &allowed) }).collect()
        }

        #[test]
        fn threads_of_a_team_begin_apart_and_are_bound_to_nothing() {
            let (before, others) = (processors(), 3);
            let places = Arc::new(Placement::of_leader());
            let threads = (0..others).map(|_| {
                let own = Arc::clone(&places);
                let thread = thread::spawn(move || {
                    own.settle();
                    thread::park(); // until it was sent away
                    processors()
                });
                places.send_away(&thread);
                thread.thread().unpark();
                thread
            });
            let threads: Vec<_> = threads.collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == before));
            assert_eq!(places.count(), (1 + others).min(before.len()));
            assert_eq!(processors(), before);
        }
    }
}

/// Other systems are left to themselves.
#[cfg(any(not(all(target_os = "linux", target_env = "gnu")), miri, loom))]
mod nowhere {
    use std::thread::JoinHandle;

    pub(crate) struct Placement;

    impl Placement {
        pub(crate) fn of_leader() -> Self {
            Self
        }
        pub(crate) fn send_away<T>(&self, _thread: &JoinHandle<T>) {}
        pub(crate) fn settle(&self) {}
    }
}
