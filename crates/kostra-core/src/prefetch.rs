//! A hint to the processor that an item will be read soon.
#![allow(
    unsafe_code,
    reason = "the standard library has the instruction only as an unsafe function"
)]

/// Prefetches an item of a slice into the cache. An index out of range has no effect. On processors
/// other than x86-64 the function does nothing.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch never faults and has no visible effect, and `wrapping_add` may leave the
    // slice.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (slice, index);
}
