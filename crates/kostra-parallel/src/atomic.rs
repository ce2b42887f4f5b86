//! Exclusively borrowed integers as atomic ones, for many threads.
#![allow(unsafe_code, reason = "the standard library's own conversion of slices is not stable yet")]

use std::sync::atomic::{AtomicU32, AtomicU64};

/// The same integers as atomic ones, for as long as they are borrowed. O(1).
pub fn atomic_u32(items: &mut [u32]) -> &[AtomicU32] {
    const { assert!(align_of::<AtomicU32>() == align_of::<u32>()) }
    // SAFETY: the atomic type has the same size and bit validity as the plain one by its
    // documentation, and the same alignment by the assertion; the exclusive loan keeps everyone
    // else from the items while this one lasts.
    unsafe { &*(std::ptr::from_mut(items) as *const [AtomicU32]) }
}

/// The same for 64-bit integers.
pub fn atomic_u64(items: &mut [u64]) -> &[AtomicU64] {
    const { assert!(align_of::<AtomicU64>() == align_of::<u64>()) }
    // SAFETY: as above.
    unsafe { &*(std::ptr::from_mut(items) as *const [AtomicU64]) }
}
