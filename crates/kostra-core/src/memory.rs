//! Fallible allocation of arrays whose size depends on the input: refused memory is an error.
//!
//! Other allocations abort the process when memory is refused. A program may install an allocator
//! that ends the process with a message. Such an allocator calls [`is_asking`] to recognize the
//! requests of this module, and returns null for them.

use std::cell::Cell;
use std::collections::TryReserveError;

use bytemuck::Zeroable;
use thiserror::Error;

/// The system refuses memory.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
#[error(
    "the system does not grant {bytes} bytes of memory; use a smaller graph, a machine with more \
     memory, or a higher limit if `--memory` or `ulimit -v` sets one"
)]
pub struct OutOfMemory {
    /// The size of the request in bytes.
    pub bytes: usize,
}

thread_local! {
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in one of the functions below, which can handle a null pointer from the
/// allocator.
pub fn is_asking() -> bool {
    // The cell of an ending thread is gone, and an ending thread is in none of these functions.
    ASKING.try_with(Cell::get).unwrap_or_default()
}

/// Runs an allocation that may fail.
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

/// An empty array with capacity for exactly `values` values.
///
/// # Errors
/// When the system refuses the memory, as for all functions of this module.
pub fn with_capacity<T>(values: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut array = Vec::new();
    reserve_exact(&mut array, values)?;
    Ok(array)
}

/// Reserves capacity for at least `more` further values, so that repeated calls take linear time.
pub fn reserve<T>(array: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    reserve_by(array, more, Vec::try_reserve)
}

/// Reserves capacity for exactly `more` further values.
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

/// Asks for `bytes` bytes and gives them back at once. Structures of many small parts, such as
/// trees and hash tables, cannot report each refusal: they ask for all of their memory first, so
/// that a refusal shows here. What other threads take in between is not known.
pub fn ask_first(bytes: usize) -> Result<(), OutOfMemory> {
    std::hint::black_box(with_capacity::<u8>(bytes)?);
    Ok(())
}

/// `values` zeros in zeroed memory of the system, without touching its pages.
pub fn zeros<T: Zeroable>(values: usize) -> Result<Vec<T>, OutOfMemory> {
    ask(values, size_of::<T>(), || bytemuck::try_zeroed_vec(values))
}

/// `values` copies of a value.
pub fn filled<T: Clone>(values: usize, value: T) -> Result<Vec<T>, OutOfMemory> {
    let mut array = with_capacity(values)?;
    array.resize(values, value);
    Ok(array)
}

/// A copy of an array.
pub fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>, OutOfMemory> {
    let mut array = with_capacity(values.len())?;
    array.extend_from_slice(values);
    Ok(array)
}

/// The values of an iterator of known length.
pub fn collected<I: ExactSizeIterator>(values: I) -> Result<Vec<I::Item>, OutOfMemory> {
    let mut array = with_capacity(values.len())?;
    array.extend(values);
    Ok(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than 64-bit processors can address, and more than an array can have.
    const HUGE: [usize; 2] = [1 << 50, 1 << 60];

    #[test]
    #[cfg_attr(miri, ignore = "Miri stops when memory is refused")]
    fn more_than_there_is_is_an_error_that_says_how_much() {
        for values in HUGE {
            let refused = OutOfMemory { bytes: 8 * values };
            assert_eq!(with_capacity::<u64>(values), Err(refused));
            assert_eq!(zeros::<u64>(values), Err(refused));
            assert_eq!(ask_first(8 * values), Err(refused));
            assert_eq!(filled(values, 7_u64), Err(refused));
            let mut array = vec![7_u64];
            let refused = Err(OutOfMemory { bytes: 8 * (values + 1) });
            assert_eq!(
                (reserve(&mut array, values), reserve_exact(&mut array, values)),
                (refused, refused)
            );
            assert_eq!(array, [7]);
        }
        assert_eq!(with_capacity::<u64>(usize::MAX), Err(OutOfMemory { bytes: usize::MAX }));
        assert!(!is_asking(), "a refusal is over when it is returned");
    }

    #[test]
    fn what_is_granted_holds_what_was_asked_for() {
        assert!(with_capacity::<u16>(5).unwrap().capacity() >= 5);
        assert_eq!((zeros::<u32>(3), filled(2, 'x')), (Ok(vec![0; 3]), Ok(vec!['x'; 2])));
        assert_eq!(ask_first(1 << 20), Ok(()));
        assert_eq!((zeros::<u32>(0), copied(&[1, 2])), (Ok(Vec::new()), Ok(vec![1, 2])));
        assert_eq!(collected((1..4).map(|value| value * 2)), Ok(vec![2, 4, 6]));
        let mut array = Vec::new();
        (0..100).for_each(|value| push(&mut array, value).unwrap());
        assert!(array.into_iter().eq(0..100));
    }
}
