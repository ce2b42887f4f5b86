//! What ranks on one machine can do for each other without a message: read each other's memory, and
//! lend processors.

use std::num::NonZero;
use std::thread;

use mpi::traits::{Communicator as _, CommunicatorCollectives};

pub(crate) use system::{Borrowed, Permission, Reach, processors};

use crate::Communicator;

/// Processors, one bit each; more than so many are rare.
pub(crate) type Processors = [u64; 16];

/// The processors that any of these is.
pub(crate) fn all(of: impl Iterator<Item = Processors>) -> Processors {
    of.fold(Processors::default(), |all, more| std::array::from_fn(|word| all[word] | more[word]))
}

/// How many processors these are.
pub(crate) fn count(processors: &Processors) -> usize {
    processors.iter().map(|word| word.count_ones() as usize).sum()
}

impl Communicator {
    /// How many threads this rank may have, if all ranks of its machine deal out evenly the
    /// processors that they may use together; at least one, and no more than this rank may use by
    /// itself, as where `mpirun` has bound it to some. Collective.
    pub fn share_of_processors(&self) -> usize {
        let own = thread::available_parallelism().map_or(1, NonZero::get);
        let (set, ranks) = (processors(), self.machine.size() as usize);
        let mut sets = vec![0; set.len() * ranks];
        let (others, bytes) = (ranks - 1, (ranks - 1) * size_of_val(&set));
        self.counted(others, bytes, || self.machine.all_gather_into(&set[..], &mut sets[..]));
        let together = count(&all(sets.as_chunks().0.iter().copied()));
        // A rank that may use all there are may yet be granted less of their time, which `own`
        // knows.
        let cores = if together == count(&set) { own } else { together };
        own.min(cores / ranks).max(1)
    }
}

#[cfg(target_os = "linux")]
mod system {
    #![expect(
        unsafe_code,
        reason = "the system's interface to processes and processors is one of C"
    )]

    use std::process;

    use bytemuck::{Pod, Zeroable};

    use super::Processors;

    /// Where an array of a process lies.
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    #[repr(C)]
    pub(crate) struct Reach {
        process: u64,
        address: u64,
    }

    impl Reach {
        /// Where these items lie. They must stay there, unchanged, for as long as others are to
        /// read them.
        pub(crate) fn of<T: Pod>(items: &[T]) -> Self {
            Self { process: process::id().into(), address: items.as_ptr() as u64 }
        }

        /// Whose memory it is.
        pub(crate) fn process(self) -> u64 {
            self.process
        }

        /// Fetches bytes of the array, from so many on. Returns whether all were there, and could
        /// be read: the system decides who may read whose memory.
        pub(crate) fn fetch(self, start: usize, into: &mut [u8]) -> bool {
            let mut done = 0;
            while done < into.len() {
                let rest = &mut into[done..];
                let here = libc::iovec { iov_base: rest.as_mut_ptr().cast(), iov_len: rest.len() };
                let address = self.address as usize + start + done;
                let there =
                    libc::iovec { iov_base: address as *mut libc::c_void, iov_len: rest.len() };
                // SAFETY: what is written to is exclusively ours, and as long as stated; what is
                // read need not exist, which the system finds out.
                match unsafe {
                    libc::process_vm_readv(self.process as libc::pid_t, &here, 1, &there, 1, 0)
                } {
                    ..=0 => return false,
                    bytes => done += bytes as usize,
                }
            }
            true
        }
    }

    /// Another process may read this one's memory, until this is dropped, also where the system
    /// lets only parents do so (Linux's Yama). Nothing comes of it where the system lets nobody.
    pub(crate) struct Permission(());

    impl Permission {
        /// Permits a process to read.
        pub(crate) fn of(process: u64) -> Self {
            permit(process);
            Self(())
        }
    }

    impl Drop for Permission {
        fn drop(&mut self) {
            permit(0);
        }
    }

    fn permit(process: u64) {
        // SAFETY: the call takes a number, and answers that it is unknown where it is.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, process as libc::c_ulong, 0, 0, 0) };
    }

    /// The processors that this thread may use.
    pub(crate) fn processors() -> Processors {
        let mut set = Processors::default();
        // SAFETY: the set is as large as stated, and any bits are a set.
        unsafe { libc::sched_getaffinity(0, size_of_val(&set), (&raw mut set).cast()) };
        set
    }

    /// This thread, and those that it starts, may use more processors, until this is dropped.
    pub(crate) struct Borrowed {
        before: Processors,
    }

    impl Borrowed {
        /// Takes the processors, as far as the system allows.
        pub(crate) fn these(wanted: &Processors) -> Self {
            let before = processors();
            use_only(wanted);
            Self { before }
        }
    }

    impl Drop for Borrowed {
        fn drop(&mut self) {
            use_only(&self.before);
        }
    }

    fn use_only(set: &Processors) {
        // SAFETY: the set is as large as stated.
        unsafe { libc::sched_setaffinity(0, size_of_val(set), (&raw const *set).cast()) };
    }
}

/// Elsewhere nobody reads anybody's memory.
#[cfg(not(target_os = "linux"))]
mod system {
    use bytemuck::{Pod, Zeroable};

    use super::Processors;

    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    #[repr(C)]
    pub(crate) struct Reach(u64);

    impl Reach {
        pub(crate) fn of<T: Pod>(_items: &[T]) -> Self {
            Self(0)
        }
        pub(crate) fn process(self) -> u64 {
            self.0
        }
        pub(crate) fn fetch(self, _start: usize, into: &mut [u8]) -> bool {
            into.is_empty()
        }
    }

    pub(crate) struct Permission;

    impl Permission {
        pub(crate) fn of(_process: u64) -> Self {
            Self
        }
    }

    pub(crate) fn processors() -> Processors {
        Processors::default()
    }

    pub(crate) struct Borrowed;

    impl Borrowed {
        pub(crate) fn these(_wanted: &Processors) -> Self {
            Self
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_fetched_or_said_not_to_be_there() {
        let items: Vec<u32> = (0..100_000).collect();
        let reach = Reach::of(&items);
        let mut bytes = [0; 8];
        assert!(reach.fetch(4 * 99_998, &mut bytes));
        assert_eq!(bytemuck::cast::<_, [u32; 2]>(bytes), [99_998, 99_999]);
        assert!(reach.fetch(0, &mut []));
        let nowhere: &[u32] = &[];
        assert!(!Reach::of(nowhere).fetch(0, &mut bytes));
    }

    #[test]
    fn processors_are_given_back() {
        let before = processors();
        let first = before.iter().position(|word| *word != 0).expect("this thread runs somewhere");
        let mut one = Processors::default();
        one[first] = before[first] & before[first].wrapping_neg();
        {
            let _borrowed = Borrowed::these(&one);
            assert_eq!(processors(), one);
        }
        assert_eq!(processors(), before);
    }
}
