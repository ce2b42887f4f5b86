//! One number, or an array of numbers element by element, from those of all ranks.

use mpi::collective::SystemOperation;
use mpi::traits::{CommunicatorCollectives, Equivalence};

use crate::Communicator;

/// What becomes of the numbers of all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum; past the highest number it wraps.
    Sum,
    /// The lowest.
    Min,
    /// The highest.
    Max,
}

/// A number that MPI can compute with: `u32`, `u64`.
pub trait Number: bytemuck::Pod + Ord + Equivalence + sealed::Number {}
impl Number for u32 {}
impl Number for u64 {}

mod sealed {
    use mpi::traits::Equivalence;

    /// Unsigned numbers are compared as signed ones in the same order: MPICH 4.0.2 takes them for
    /// signed.
    pub trait Number: Copy {
        type Signed: bytemuck::Pod + Equivalence;
        fn signed(self) -> Self::Signed;
        fn of_signed(signed: Self::Signed) -> Self;
    }
    macro_rules! numbers {
        ($($unsigned:ty => $signed:ty),*) => {
            $(impl Number for $unsigned {
                type Signed = $signed;
                fn signed(self) -> $signed {
                    self.wrapping_sub(1 << (Self::BITS - 1)) as $signed
                }
                fn of_signed(signed: $signed) -> Self {
                    (signed as Self).wrapping_sub(1 << (Self::BITS - 1))
                }
            })*
        };
    }
    numbers!(u32 => i32, u64 => i64);
}

/// How many numbers go at a time, so that the copy that MPI wants stays in the cache.
const NUMBERS: usize = 1 << 17;

impl Communicator {
    /// Replaces each number by what it and those at its place on all other ranks reduce to.
    /// Collective; the array has the same length everywhere.
    pub fn reduce<T: Number>(&self, by: Reduction, numbers: &mut [T]) {
        self.counted(self.steps(), self.steps() * size_of_val(numbers), || match by {
            Reduction::Sum => {
                let mut own = Vec::new();
                for numbers in numbers.chunks_mut(NUMBERS) {
                    own.clear();
                    own.extend_from_slice(numbers);
                    self.world.all_reduce_into(&own[..], numbers, SystemOperation::sum());
                }
            }
            Reduction::Min => self.reduce_signed(SystemOperation::min, numbers),
            Reduction::Max => self.reduce_signed(SystemOperation::max, numbers),
        });
    }

    fn reduce_signed<T: Number>(&self, operation: fn() -> SystemOperation, numbers: &mut [T]) {
        let (mut own, mut reduced) = (Vec::new(), Vec::new());
        for numbers in numbers.chunks_mut(NUMBERS) {
            own.clear();
            own.extend(numbers.iter().map(|number| number.signed()));
            reduced.clone_from(&own);
            self.world.all_reduce_into(&own[..], &mut reduced[..], operation());
            for (number, reduced) in numbers.iter_mut().zip(&reduced) {
                *number = T::of_signed(*reduced);
            }
        }
    }

    /// What the numbers of all ranks reduce to. Collective.
    pub fn reduce_one(&self, by: Reduction, number: u64) -> u64 {
        let mut numbers = [number];
        self.reduce(by, &mut numbers);
        numbers[0]
    }

    /// Replaces each pair of a key and an id by the lowest of those at its place on all ranks: the
    /// lowest key, and among equal keys the lowest id. Collective; the arrays have the same length
    /// everywhere. Takes two reductions, for MPI has no integer of 128 bits.
    ///
    /// # Panics
    /// When the two arrays differ in length.
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
