//! Shared memory and processors of one machine.
//!
//! Ranks on one machine can read each other's memory and use each other's processors without a
//! message.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "unsupported.rs"]
mod system;

use std::num::NonZero;
use std::thread;

pub(crate) use system::{AffinityGuard, ReadPermission, RemoteSlice, processors};

use super::communicator::Communicator;
use super::communicator::Levels;

/// A set of processors, one bit each. Machines with more than 1024 processors are rare; the others
/// are left out.
pub(crate) type Processors = [u64; 16];

/// The union of several sets of processors.
pub(crate) fn union(sets: impl Iterator<Item = Processors>) -> Processors {
    sets.fold(Processors::default(), |all, set| std::array::from_fn(|word| all[word] | set[word]))
}

/// The number of processors in a set.
pub(crate) fn count(processors: &Processors) -> usize {
    processors.iter().map(|word| word.count_ones() as usize).sum()
}

impl Communicator {
    /// The number of threads for this rank if all ranks of its machine share their processors
    /// evenly. At least one, and at most the number of processors that this rank may use by itself,
    /// for example because `mpirun` has bound it to some. Collective.
    pub fn share_of_processors(&self) -> usize {
        let own = thread::available_parallelism().map_or(1, NonZero::get);
        let Some(Levels { machine, .. }) = self.levels() else { return own };
        let (set, ranks) = (processors(), machine.size());
        let of_all = count(&union(machine.all_gather(&[set]).into_items().into_iter()));
        // A rank that may use all processors may still be granted only part of their time. `own`
        // accounts for that.
        let cores = if of_all == count(&set) { own } else { of_all };
        own.min(cores / ranks).max(1)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_fetched_or_reported_missing() {
        let items: Vec<u32> = (0..100_000).collect();
        let remote = RemoteSlice::new(&items);
        let mut bytes = [0; 8];
        assert!(remote.fetch(4 * 99_998, &mut bytes));
        assert_eq!(bytemuck::cast::<_, [u32; 2]>(bytes), [99_998, 99_999]);
        assert!(remote.fetch(0, &mut []));
        let nowhere: &[u32] = &[];
        assert!(!RemoteSlice::new(nowhere).fetch(0, &mut bytes));
    }

    #[test]
    fn the_affinity_is_restored() {
        let before = processors();
        let first = before
            .iter()
            .position(|word| *word != 0)
            .expect("this thread may run on some processor");
        let mut one = Processors::default();
        one[first] = before[first] & before[first].wrapping_neg();
        {
            let _guard = AffinityGuard::set(&one);
            assert_eq!(processors(), one);
        }
        assert_eq!(processors(), before);
    }
}
