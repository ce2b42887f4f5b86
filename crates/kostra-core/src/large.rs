//! Large arrays, in large pages.
#![allow(unsafe_code, reason = "the system is told of memory by its address")]

/// An empty vector with room for so many values.
///
/// The system hands out fresh memory page by page, at the first touch, which takes longer than to fill it. So it is asked
/// for large pages, which it may decline.
pub fn with_room<T>(values: usize) -> Vec<T> {
    let mut room = Vec::with_capacity(values);
    ask_for_large_pages(room.spare_capacity_mut());
    room
}

#[cfg(all(target_os = "linux", not(any(miri, loom))))]
use linux::ask_for_large_pages;

/// Elsewhere the system is asked for nothing; Miri does not know the call.
#[cfg(any(not(target_os = "linux"), miri, loom))]
fn ask_for_large_pages<T>(_memory: &mut [std::mem::MaybeUninit<T>]) {}

#[cfg(all(target_os = "linux", not(any(miri, loom))))]
mod linux {
    use std::mem::MaybeUninit;

    use rustix::mm::{Advice, madvise};

    /// What a large page has; where it has more, the system rounds.
    const LARGE: usize = 2 << 20;

    /// Asks for the large pages that lie in some memory.
    pub(super) fn ask_for_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
        let bytes = size_of_val(memory);
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(LARGE);
        let whole = bytes.saturating_sub(skipped) / LARGE * LARGE;
        if whole > 0 {
            // SAFETY: the pages lie in memory that is lent to this call alone, and the advice leaves what is in them.
            let _ = unsafe { madvise(start.add(skipped).cast(), whole, Advice::LinuxHugepage) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_whatever_the_size() {
        for values in [0, 1, 1000, 3 << 20] {
            let mut room = with_room::<u32>(values);
            assert!(room.is_empty() && room.capacity() >= values);
            room.extend(0..values as u32);
            assert!(room.iter().copied().eq(0..values as u32));
        }
    }
}
