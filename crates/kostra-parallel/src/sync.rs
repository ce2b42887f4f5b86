//! What the shared parts are made of: the standard library's atomics and locks, or, when they are
//! checked by the model checker loom, its own. `scripts/loom` runs those checks.

#[cfg(loom)]
pub(crate) use checked::*;
#[cfg(not(loom))]
pub(crate) use standard::*;

#[cfg(not(loom))]
mod standard {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence};
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

    pub(crate) use crate::atomic::{atomic_u32 as lend_u32, atomic_u64 as lend_u64};
}

#[cfg(loom)]
mod checked {
    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

    /// Plain memory cannot be watched: the items are copied, and the copy lives until the process
    /// ends.
    pub(crate) fn lend_u32(items: &mut [u32]) -> &'static [AtomicU32] {
        Vec::leak(items.iter().map(|item| AtomicU32::new(*item)).collect())
    }

    /// The same for 64-bit integers.
    pub(crate) fn lend_u64(items: &mut [u64]) -> &'static [AtomicU64] {
        Vec::leak(items.iter().map(|item| AtomicU64::new(*item)).collect())
    }
}
