//! Exclusively borrowed integers as atomic integers, for several threads.
#![allow(unsafe_code, reason = "the standard library's conversion of slices is not stable yet")]

use std::sync::atomic::{AtomicU32, AtomicU64};

/// The same integers as atomic integers, for as long as they are borrowed. O(1).
pub fn atomic_u32(items: &mut [u32]) -> &[AtomicU32] {
    const { assert!(align_of::<AtomicU32>() == align_of::<u32>()) }
    // SAFETY: the documentation of the atomic type guarantees the size and bit validity of the
    // plain type, and the assertion checks the alignment. The exclusive borrow prevents any other
    // access while the result exists.
    unsafe { &*(std::ptr::from_mut(items) as *const [AtomicU32]) }
}

/// [`atomic_u32`] for 64-bit integers.
pub fn atomic_u64(items: &mut [u64]) -> &[AtomicU64] {
    const { assert!(align_of::<AtomicU64>() == align_of::<u64>()) }
    // SAFETY: as above.
    unsafe { &*(std::ptr::from_mut(items) as *const [AtomicU64]) }
}
