//! Arrays whose size comes from the input: memory that the system refuses is an error, not the end
//! of the process.
//!
//! Everywhere else Rust ends the process when memory is refused. A program may have an allocator
//! that ends it in a better way; [`is_asking`] tells the allocator apart from the functions here,
//! which pass the refusal on.

use std::cell::Cell;
use std::collections::TryReserveError;

use bytemuck::Zeroable;
use thiserror::Error;

/// The system does not grant memory.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
#[error(
    "the system does not grant {bytes} bytes of memory; use a smaller graph or a machine with more memory"
)]
pub struct OutOfMemory {
    /// How many bytes were asked for at once.
    pub bytes: usize,
}

thread_local! {
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in one of the functions below, so that it can go on when its allocator
/// returns null.
pub fn is_asking() -> bool {
    // A thread that is ending, whose cell is gone, asks for nothing here.
    ASKING.try_with(Cell::get).unwrap_or_default()
}

/// Asks for memory in a way that can be refused.
fn ask<T, E>(
    values: usize,
    size: usize,
    step: impl FnOnce() -> Result<T, E>,
) -> Result<T, OutOfMemory> {
    ASKING.set(true);
    let result = step();
    ASKING.set(false);
    result.map_err(|_| OutOfMemory { bytes: values.saturating_mul(size) })
}

/// An empty array with room for exactly `values` values.
///
/// # Errors
/// When the system does not grant the memory; the same holds for all functions of this module.
pub fn room<T>(values: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut array = Vec::new();
    reserve_exact(&mut array, values)?;
    Ok(array)
}

/// Makes room for `more` further values, and for some beyond them, so that an array can grow in
/// steps.
pub fn reserve<T>(array: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    reserve_by(array, more, Vec::try_reserve)
}

/// Makes room for exactly `more` further values.
pub fn reserve_exact<T>(array: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    reserve_by(array, more, Vec::try_reserve_exact)
}

fn reserve_by<T>(
    array: &mut Vec<T>,
    more: usize,
    reserve: fn(&mut Vec<T>, usize) -> Result<(), TryReserveError>,
) -> Result<(), OutOfMemory> {
    if more <= array.capacity() - array.len() {
        return Ok(());
    }
    ask(array.len().saturating_add(more), size_of::<T>(), || reserve(array, more))
}

/// Appends a value.
#[inline]
pub fn push<T>(array: &mut Vec<T>, value: T) -> Result<(), OutOfMemory> {
    if array.len() == array.capacity() {
        reserve(array, 1)?;
    }
    array.push(value);
    Ok(())
}

/// `values` zeros, in memory that the system has cleared and that nobody has touched.
pub fn zeros<T: Zeroable>(values: usize) -> Result<Vec<T>, OutOfMemory> {
    ask(values, size_of::<T>(), || bytemuck::try_zeroed_vec(values))
}

/// `values` copies of a value.
pub fn filled<T: Clone>(values: usize, value: T) -> Result<Vec<T>, OutOfMemory> {
    let mut array = room(values)?;
    array.resize(values, value);
    Ok(array)
}

/// A copy of an array.
pub fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>, OutOfMemory> {
    let mut array = room(values.len())?;
    array.extend_from_slice(values);
    Ok(array)
}

/// The values of an iterator that says how many they are.
pub fn collected<I: ExactSizeIterator>(values: I) -> Result<Vec<I::Item>, OutOfMemory> {
    let mut array = room(values.len())?;
    array.extend(values);
    Ok(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than a 64-bit processor of today can address, and more than an array may have.
    const HUGE: [usize; 2] = [1 << 50, 1 << 60];

    #[test]
    #[cfg_attr(miri, ignore = "Miri stops when memory is refused")]
    fn more_than_there_is_is_an_error_that_says_how_much() {
        for values in HUGE {
            let refused = OutOfMemory { bytes: 8 * values };
            assert_eq!(room::<u64>(values), Err(refused));
            assert_eq!(zeros::<u64>(values), Err(refused));
            assert_eq!(filled(values, 7_u64), Err(refused));
            let mut array = vec![7_u64];
            let refused = Err(OutOfMemory { bytes: 8 * (values + 1) });
            assert_eq!(
                (reserve(&mut array, values), reserve_exact(&mut array, values)),
                (refused, refused)
            );
            assert_eq!(array, [7]);
        }
        assert_eq!(room::<u64>(usize::MAX), Err(OutOfMemory { bytes: usize::MAX }));
        assert!(!is_asking(), "a refusal is over when it is returned");
    }

    #[test]
    fn what_is_granted_holds_what_was_asked_for() {
        assert!(room::<u16>(5).unwrap().capacity() >= 5);
        assert_eq!((zeros::<u32>(3), filled(2, 'x')), (Ok(vec![0; 3]), Ok(vec!['x'; 2])));
        assert_eq!((zeros::<u32>(0), copied(&[1, 2])), (Ok(Vec::new()), Ok(vec![1, 2])));
        assert_eq!(collected((1..4).map(|value| value * 2)), Ok(vec![2, 4, 6]));
        let mut array = Vec::new();
        (0..100).for_each(|value| push(&mut array, value).unwrap());
        assert!(array.into_iter().eq(0..100));
    }
}
