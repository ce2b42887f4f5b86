//! Where the threads of a team begin.

#[cfg(all(target_os = "linux", not(any(miri, loom))))]
pub(super) use linux::Places;
#[cfg(any(not(target_os = "linux"), miri, loom))]
pub(super) use nowhere::Places;

#[cfg(all(target_os = "linux", not(any(miri, loom))))]
mod linux {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// The processors that threads of one team have begun on.
    ///
    /// Left alone, a new thread was seen to share its parent's processor for three milliseconds while another was idle
    /// (Linux 6.18 as a guest of KVM): longer than many a solve. So a thread that finds another of its team where it is
    /// moves once to the next processor that it may use. It is bound to none: after that the system moves it as it likes.
    #[derive(Default)]
    pub(in crate::threads) struct Places {
        taken: [AtomicU64; CpuSet::MAX_CPU.div_ceil(64)],
    }

    impl Places {
        /// Gives the calling thread a processor of its own, where there is one left.
        pub(in crate::threads) fn settle(&self) {
            let here = sched_getcpu();
            if self.take(here) {
                return;
            }
            let Ok(allowed) = sched_getaffinity(None) else { return };
            let mut others = (here + 1..CpuSet::MAX_CPU).chain(0..here);
            if let Some(free) = others.find(|&other| allowed.is_set(other) && self.take(other)) {
                let mut there = CpuSet::new();
                there.set(free);
                if sched_setaffinity(None, &there).is_ok() {
                    // What was granted before is granted again.
                    let _ = sched_setaffinity(None, &allowed);
                }
            }
        }

        /// Whether the calling thread is the first of its team on a processor.
        fn take(&self, processor: usize) -> bool {
            let bit = 1 << (processor % 64);
            self.taken.get(processor / 64).is_some_and(|word| word.fetch_or(bit, Relaxed) & bit == 0)
        }

        #[cfg(test)]
        fn count(&self) -> usize {
            self.taken.iter().map(|word| word.load(Relaxed).count_ones() as usize).sum()
        }
    }

    #[cfg(test)]
    mod tests {
        use std::thread;

        use rustix::thread::{CpuSet, sched_getaffinity};

        use super::Places;

        /// The processors that the calling thread may use.
        fn allowed() -> Vec<usize> {
            let allowed = sched_getaffinity(None).unwrap();
            (0..CpuSet::MAX_CPU).filter(|&processor| allowed.is_set(processor)).collect()
        }

        #[test]
        fn threads_of_a_team_begin_apart_and_are_bound_to_nothing() {
            let (before, threads) = (allowed(), 4);
            let places = Places::default();
            thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        places.settle();
                        assert_eq!(allowed(), before);
                    });
                }
            });
            assert_eq!(places.count(), threads.min(before.len()));
        }
    }
}

/// Other systems are left to themselves.
#[cfg(any(not(target_os = "linux"), miri, loom))]
mod nowhere {
    #[derive(Default)]
    pub(in crate::threads) struct Places;

    impl Places {
        pub(in crate::threads) fn settle(&self) {}
    }
}
