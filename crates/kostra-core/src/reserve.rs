//! Memory that is kept back, so that a refusal does not end a program that contains Kostra.
#![allow(unsafe_code, reason = "the allocator interface takes addresses")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::{LargePages, memory};

/// [`LargePages`] with a reserve, for libraries in programs of others:
///
/// ```
/// #[global_allocator]
/// static MEMORY: kostra_core::ReservingAllocator = kostra_core::ReservingAllocator::new();
/// # fn main() {}
/// ```
///
/// The functions of [`memory`] return a refusal as an error. All other allocations would end the
/// process. When one of these is refused, the reserve is given back to the system, and serves it.
/// From then on the functions of [`memory`] refuse everything, so the work soon ends with an error,
/// until [`renew`](Self::renew) takes a new reserve. The reserve takes addresses, but no pages.
#[derive(Debug)]
pub struct ReservingAllocator {
    reserve: AtomicPtr<u8>,
    is_spent: AtomicBool,
}

/// The size of the reserve: more than what a step takes in small pieces between two requests that
/// can fail. A piece of this size is a mapping of its own, which goes back to the system as a
/// whole.
const RESERVE: Layout = match Layout::from_size_align(32 << 20, 8) {
    Ok(layout) => layout,
    Err(_) => panic!("the size is no layout"),
};

impl Default for ReservingAllocator {
    fn default() -> Self {
        Self::new()
    }
}

impl ReservingAllocator {
    /// An allocator without a reserve, which [`renew`](Self::renew) takes.
    pub const fn new() -> Self {
        Self { reserve: AtomicPtr::new(null_mut()), is_spent: AtomicBool::new(false) }
    }

    /// Takes a reserve if there is none. Each function that the program can call begins with this.
    pub fn renew(&self) {
        if self.reserve.load(Ordering::Relaxed).is_null() {
            // SAFETY: the size of the layout is not 0.
            let reserve = unsafe { System.alloc(RESERVE) };
            let swapped = self.reserve.compare_exchange(
                null_mut(),
                reserve,
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
            if swapped.is_err() && !reserve.is_null() {
                // Another thread was first. SAFETY: nobody else knows this memory.
                unsafe { System.dealloc(reserve, RESERVE) };
            }
        }
        if self.is_spent.load(Ordering::Relaxed) {
            self.is_spent.store(false, Ordering::Relaxed);
        }
    }

    /// Gives the reserve back to the system. Returns whether there was one.
    fn spend(&self) -> bool {
        let reserve = self.reserve.swap(null_mut(), Ordering::AcqRel);
        self.is_spent.store(true, Ordering::Relaxed);
        if !reserve.is_null() {
            // SAFETY: `renew` took the memory with this layout, and the exchange made it ours.
            unsafe { System.dealloc(reserve, RESERVE) };
        }
        !reserve.is_null()
    }

    /// What an attempt returns, or a second attempt after the reserve is spent.
    #[inline]
    fn granted(&self, attempt: impl Fn() -> *mut u8) -> *mut u8 {
        if self.is_spent.load(Ordering::Relaxed) && memory::is_asking() {
            return null_mut();
        }
        let granted = attempt();
        if granted.is_null() { self.after_refusal(attempt) } else { granted }
    }

    #[cold]
    fn after_refusal(&self, attempt: impl Fn() -> *mut u8) -> *mut u8 {
        if !memory::is_asking() && self.spend() { attempt() } else { null_mut() }
    }
}

// SAFETY: `LargePages` does all the work. Its results are returned unchanged.
unsafe impl GlobalAlloc for ReservingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the ones that `LargePages` requires.
        self.granted(|| unsafe { LargePages.alloc(layout) })
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.granted(|| unsafe { LargePages.alloc_zeroed(layout) })
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; a refusal leaves the memory as it is.
        self.granted(|| unsafe { LargePages.realloc(memory, layout, size) })
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { LargePages.dealloc(memory, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri stops when memory is refused")]
    fn a_refusal_spends_the_reserve_until_it_is_renewed() {
        let allocator = ReservingAllocator::new();
        let has_reserve = || !allocator.reserve.load(Ordering::Relaxed).is_null();
        let layout = |bytes| Layout::from_size_align(bytes, 8).unwrap();
        let huge = layout(1 << 50);
        allocator.renew();
        assert!(has_reserve());
        // SAFETY: no size is zero, and the granted piece is given back with its layout.
        unsafe {
            assert!(allocator.alloc(huge).is_null());
            assert!(!has_reserve() && allocator.is_spent.load(Ordering::Relaxed));
            let small = allocator.alloc(layout(100));
            assert!(!small.is_null());
            assert!(allocator.realloc(small, layout(100), 1 << 50).is_null());
            allocator.dealloc(small, layout(100));
        }
        allocator.renew();
        assert!(has_reserve() && !allocator.is_spent.load(Ordering::Relaxed));
        assert!(allocator.spend() && !allocator.spend());
    }
}
