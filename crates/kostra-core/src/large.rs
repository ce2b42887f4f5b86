//! Large arrays in large pages.
//!
//! The system provides new memory page by page, at the first access. Random reads in many small
//! pages also cause misses in the page table's cache. So these functions ask the system for large
//! pages. It may decline.
#![allow(unsafe_code, reason = "the system call and the allocator interface take addresses")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::{OutOfMemory, memory};

/// An empty vector with capacity for `values` values, in large pages if the vector is large.
///
/// # Errors
/// When the system refuses the memory.
pub fn with_capacity_in_large_pages<T>(values: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut room = memory::with_capacity(values)?;
    let spare = room.spare_capacity_mut();
    ask_for_large_pages(spare.as_mut_ptr().cast(), size_of_val(spare));
    Ok(room)
}

/// The system's allocator, with large allocations in large pages, for programs that hold large
/// graphs:
///
/// ```
/// #[global_allocator]
/// static MEMORY: kostra_core::LargePages = kostra_core::LargePages;
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LargePages;

// SAFETY: the system's allocator does all the work; the advice on its memory has no visible effect.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the requirements of the system's allocator.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.realloc(memory, layout, size) }, size)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// [`LargePages`], with a function that is called with the number of bytes when the system refuses
/// memory. A program whose function ends the process needs no other reaction to refused memory:
///
/// ```
/// fn on_refusal(bytes: usize) {
///     // The function may be called anywhere, so it must not allocate or panic.
/// }
///
/// #[global_allocator]
/// static MEMORY: kostra_core::ReportingAllocator =
///     kostra_core::ReportingAllocator::new(on_refusal);
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReportingAllocator {
    on_refusal: fn(usize),
}

impl ReportingAllocator {
    /// An allocator that calls `on_refusal`, which must not allocate or panic. When the function
    /// returns, the allocation fails as usual.
    pub const fn new(on_refusal: fn(usize)) -> Self {
        Self { on_refusal }
    }

    #[inline]
    fn reported(self, memory: *mut u8, bytes: usize) -> *mut u8 {
        if memory.is_null() {
            (self.on_refusal)(bytes);
        }
        memory
    }
}

// SAFETY: `LargePages` does all the work. Its result is returned unchanged.
unsafe impl GlobalAlloc for ReportingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the ones that `LargePages` requires.
        self.reported(unsafe { LargePages.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.reported(unsafe { LargePages.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        self.reported(unsafe { LargePages.realloc(memory, layout, size) }, size)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { LargePages.dealloc(memory, layout) }
    }
}

#[inline]
fn advised(memory: *mut u8, bytes: usize) -> *mut u8 {
    if bytes >= LARGE && !memory.is_null() {
        ask_for_large_pages(memory, bytes);
    }
    memory
}

/// The size of a large page in bytes. Where pages are larger, the system rounds.
const LARGE: usize = 2 << 20;

/// Asks for large pages for the part of the memory that consists of whole large pages.
#[cfg(all(target_os = "linux", not(any(miri, loom))))]
fn ask_for_large_pages(start: *mut u8, bytes: usize) {
    let skipped = start.align_offset(LARGE);
    let whole = bytes.saturating_sub(skipped) / LARGE * LARGE;
    if whole > 0 {
        // SAFETY: the pages are inside the allocation, and the advice does not change their
        // content.
        let _ = unsafe {
            rustix::mm::madvise(start.add(skipped).cast(), whole, rustix::mm::Advice::LinuxHugepage)
        };
    }
}

/// Other systems have no such call, and Miri does not support it.
#[cfg(any(not(target_os = "linux"), miri, loom))]
fn ask_for_large_pages(_start: *mut u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn there_is_room_whatever_the_size() {
        for values in [0, 1, 1000, if cfg!(miri) { 2000 } else { 3 << 20 }] {
            let mut room = with_capacity_in_large_pages::<u32>(values).unwrap();
            assert!(room.is_empty() && room.capacity() >= values);
            room.extend(0..values as u32);
            assert!(room.iter().copied().eq(0..values as u32));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri stops when memory is refused")]
    fn refused_memory_is_reported_with_its_size() {
        static REFUSED: AtomicUsize = AtomicUsize::new(0);
        let allocator = ReportingAllocator::new(|bytes| REFUSED.store(bytes, Ordering::Relaxed));
        let layout = |bytes| Layout::from_size_align(bytes, 8).unwrap();
        // More than 64-bit processors can address.
        let huge = 1 << 50;
        // SAFETY: no size is zero, and the granted piece is used and given back with its layout.
        unsafe {
            let granted = allocator.alloc(layout(100));
            assert!(!granted.is_null() && REFUSED.load(Ordering::Relaxed) == 0);
            for (turn, bytes) in (huge..huge + 3).enumerate() {
                let refused = match turn {
                    0 => allocator.alloc(layout(bytes)),
                    1 => allocator.alloc_zeroed(layout(bytes)),
                    _ => allocator.realloc(granted, layout(100), bytes),
                };
                assert!(refused.is_null() && REFUSED.load(Ordering::Relaxed) == bytes);
            }
            allocator.dealloc(granted, layout(100));
        }
    }

    #[test]
    fn memory_that_grows_and_shrinks_keeps_what_is_in_it() {
        let large = if cfg!(miri) { 1 << 10 } else { LARGE };
        let layout = |bytes| Layout::from_size_align(bytes, 64).unwrap();
        let sizes = [100, large - 1, 3 * large + 5, 9 * large, large];
        // SAFETY: each piece is used within its size, and given back with the layout that it has.
        unsafe {
            let mut memory = LargePages.alloc_zeroed(layout(sizes[0]));
            assert_eq!(*memory.add(99), 0);
            *memory = 7;
            for pair in sizes.windows(2) {
                memory = LargePages.realloc(memory, layout(pair[0]), pair[1]);
                *memory.add(pair[1] - 1) = 9;
                assert_eq!((*memory, *memory.add(pair[1] - 1)), (7, 9));
            }
            LargePages.dealloc(memory, layout(large));
            let zeroed = LargePages.alloc_zeroed(layout(5 * large));
            assert!(std::slice::from_raw_parts(zeroed, 5 * large).iter().all(|byte| *byte == 0));
            LargePages.dealloc(zeroed, layout(5 * large));
        }
    }
}
