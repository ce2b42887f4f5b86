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
    pub trait Number {}
    impl Number for u32 {}
    impl Number for u64 {}
}

/// How many numbers go at a time, so that the copy that MPI wants stays in the cache.
const NUMBERS: usize = 1 << 17;

impl Communicator {
    /// Replaces each number by what it and those at its place on all other ranks reduce to. Collective; the array has
    /// the same length everywhere.
    pub fn reduce<T: Number>(&self, by: Reduction, numbers: &mut [T]) {
        let operation = || match by {
            Reduction::Sum => SystemOperation::sum(),
            Reduction::Min => SystemOperation::min(),
            Reduction::Max => SystemOperation::max(),
        };
        let mut own = Vec::new();
        self.counted(self.steps(), self.steps() * size_of_val(numbers), || {
            for numbers in numbers.chunks_mut(NUMBERS) {
                own.clear();
                own.extend_from_slice(numbers);
                self.world.all_reduce_into(&own[..], numbers, operation());
            }
        });
    }

    /// What the numbers of all ranks reduce to. Collective.
    pub fn reduce_one(&self, by: Reduction, number: u64) -> u64 {
        let mut numbers = [number];
        self.reduce(by, &mut numbers);
        numbers[0]
    }

    /// Replaces each pair of a key and an id by the lowest of those at its place on all ranks: the lowest key, and among
    /// equal keys the lowest id. Collective; the arrays have the same length everywhere. Takes two reductions, for MPI
    /// has no integer of 128 bits.
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
