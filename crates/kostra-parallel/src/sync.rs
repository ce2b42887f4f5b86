//! The atomic types and locks of shared data structures: the standard library's, or those of the
//! model checker //! loom in builds with `--cfg loom`, which `scripts/loom` runs.

#[cfg(loom)]
pub use checked::*;
#[cfg(not(loom))]
pub use standard::*;

#[cfg(not(loom))]
mod standard {
    pub use std::hint::spin_loop;
    pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence};
    pub use std::sync::{Condvar, Mutex, MutexGuard};
    pub use std::thread::yield_now;

    pub use crate::atomic::{atomic_u32 as as_atomic_u32, atomic_u64 as as_atomic_u64};
}

#[cfg(loom)]
mod checked {
    pub use loom::hint::spin_loop;
    pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence};
    pub use loom::sync::{Condvar, Mutex, MutexGuard};
    pub use loom::thread::yield_now;

    /// loom cannot observe plain memory, so this copies the items and leaks the copy.
    pub fn as_atomic_u32(items: &mut [u32]) -> &'static [AtomicU32] {
        Vec::leak(items.iter().map(|item| AtomicU32::new(*item)).collect())
    }

    /// [`as_atomic_u32`] for 64-bit integers.
    pub fn as_atomic_u64(items: &mut [u64]) -> &'static [AtomicU64] {
        Vec::leak(items.iter().map(|item| AtomicU64::new(*item)).collect())
    }
}
