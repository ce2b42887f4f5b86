//! A hint to the processor that an item will be wanted soon.
#![allow(
    unsafe_code,
    reason = "the hint is an intrinsic, which the standard library has only as an unsafe function"
)]

/// Starts bringing an item of a slice into the cache. A hint: an index out of range does nothing,
/// nor does the whole function on processors that it does not know.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch reads nothing and faults on no address, and `wrapping_add` may leave the
    // slice.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (slice, index);
}
