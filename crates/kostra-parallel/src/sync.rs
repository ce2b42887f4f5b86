//! The atomic types and locks of this crate: the standard library's, or those of the model checker
//! loom in builds with `--cfg loom`, which `scripts/loom` runs.

#[cfg(loom)]
pub(crate) use checked::*;
#[cfg(not(loom))]
pub(crate) use standard::*;

#[cfg(not(loom))]
mod standard {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence};
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
    pub(crate) use std::thread::yield_now;

    pub(crate) use crate::atomic::{atomic_u32 as as_atomic_u32, atomic_u64 as as_atomic_u64};
}

#[cfg(loom)]
mod checked {
    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
    pub(crate) use loom::thread::yield_now;

    /// loom cannot observe plain memory, so this copies the items and leaks the copy.
    pub(crate) fn as_atomic_u32(items: &mut [u32]) -> &'static [AtomicU32] {
        Vec::leak(items.iter().map(|item| AtomicU32::new(*item)).collect())
    }

    /// [`as_atomic_u32`] for 64-bit integers.
    pub(crate) fn as_atomic_u64(items: &mut [u64]) -> &'static [AtomicU64] {
        Vec::leak(items.iter().map(|item| AtomicU64::new(*item)).collect())
    }
}
