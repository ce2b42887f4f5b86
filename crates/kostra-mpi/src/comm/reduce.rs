//! Reductions: one number, or an array of numbers element by element, from the numbers of all
//! ranks.

use mpi::collective::SystemOperation;
use mpi::traits::{CommunicatorCollectives, Equivalence};

use super::communicator::Communicator;

/// How the numbers of all ranks are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum; it wraps on overflow.
    Sum,
    /// The minimum.
    Min,
    /// The maximum.
    Max,
}

/// A number that MPI can reduce: `u32` or `u64`.
pub trait Reducible: bytemuck::Pod + Ord + Equivalence + sealed::Reducible {}
impl Reducible for u32 {}
impl Reducible for u64 {}

mod sealed {
    use mpi::traits::Equivalence;

    /// Unsigned numbers are mapped to signed numbers in the same order, because MPICH 4.0.2
    /// compares unsigned numbers as signed ones.
    pub trait Reducible: Copy {
        type Signed: bytemuck::Pod + Equivalence;
        fn signed(self) -> Self::Signed;
        fn from_signed(signed: Self::Signed) -> Self;
    }
    macro_rules! numbers {
        ($($unsigned:ty => $signed:ty),*) => {
            $(impl Reducible for $unsigned {
                type Signed = $signed;
                fn signed(self) -> $signed {
                    self.wrapping_sub(1 << (Self::BITS - 1)) as $signed
                }
                fn from_signed(signed: $signed) -> Self {
                    (signed as Self).wrapping_sub(1 << (Self::BITS - 1))
                }
            })*
        };
    }
    numbers!(u32 => i32, u64 => i64);
}

/// The number of elements in one reduction of MPI: the copy that MPI needs then fits the cache.
const CHUNK: usize = 1 << 17;

impl Communicator {
    /// Reduces `numbers` element by element over all ranks, in place. Collective. The array must
    /// have the same length on every rank.
    pub fn reduce<T: Reducible>(&self, by: Reduction, numbers: &mut [T]) {
        self.counted(self.sent_along_tree(size_of_val(numbers)), || {
            self.meet();
            match by {
                Reduction::Sum => self.add_up(numbers),
                Reduction::Min => self.reduce_signed(SystemOperation::min, numbers),
                Reduction::Max => self.reduce_signed(SystemOperation::max, numbers),
            }
        });
    }

    fn add_up<T: Reducible>(&self, numbers: &mut [T]) {
        let mut own = Vec::new();
        for numbers in numbers.chunks_mut(CHUNK) {
            own.clear();
            own.extend_from_slice(numbers);
            self.ranks.all_reduce_into(&own[..], numbers, SystemOperation::sum());
        }
    }

    fn reduce_signed<T: Reducible>(&self, operation: fn() -> SystemOperation, numbers: &mut [T]) {
        let (mut own, mut reduced) = (Vec::new(), Vec::new());
        for numbers in numbers.chunks_mut(CHUNK) {
            own.clear();
            own.extend(numbers.iter().map(|number| number.signed()));
            reduced.clone_from(&own);
            self.ranks.all_reduce_into(&own[..], &mut reduced[..], operation());
            for (number, reduced) in numbers.iter_mut().zip(&reduced) {
                *number = T::from_signed(*reduced);
            }
        }
    }

    /// Reduces one number of each rank. Collective.
    pub fn reduce_one(&self, by: Reduction, number: u64) -> u64 {
        let mut numbers = [number];
        self.reduce(by, &mut numbers);
        numbers[0]
    }

    /// Replaces each pair `(keys[i], ids[i])` by the minimum of the pairs at `i` on all ranks: the
    /// lowest key, and among equal keys the lowest id. Collective. The arrays must have the same
    /// length on every rank. Takes two reductions, because MPI has no 128-bit integer.
    ///
    /// # Panics
    /// When `keys` and `ids` differ in length.
    pub fn reduce_min_pairs(&self, keys: &mut [u64], ids: &mut [u64]) {
        assert_eq!(keys.len(), ids.len(), "there is an id for each key");
        let own = keys.to_vec();
        self.reduce(Reduction::Min, keys);
        for ((id, own), key) in ids.iter_mut().zip(own).zip(&*keys) {
            if own != *key {
                *id = u64::MAX;
            }
        }
        self.reduce(Reduction::Min, ids);
    }
}
