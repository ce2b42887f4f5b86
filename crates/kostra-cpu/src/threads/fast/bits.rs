//! Answers as bits.
#![allow(
    unsafe_code,
    reason = "the standard library has the processor's instructions only as unsafe functions"
)]

/// The places of the bits that are set, ascending.
#[inline(always)]
pub(super) fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(bit)
    })
}

/// The answers for up to 64 items as bits, the first lowest.
#[inline(always)]
pub(super) fn pack_bits<T: Copy>(items: &[T], answer: impl Fn(T) -> bool) -> u64 {
    let byte = |item| if answer(item) { u8::MAX } else { 0 };
    let bytes = match <&[T; 64]>::try_from(items) {
        // Compiled without a loop, in wide instructions.
        Ok(items) => std::array::from_fn(|index| byte(items[index])),
        Err(_) => std::array::from_fn(|index| items.get(index).map_or(0, |&item| byte(item))),
    };
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return top_bits_by_instruction(&bytes);
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    top_bits(&bytes)
}

/// The top bit of each byte.
#[cfg(any(test, miri, not(target_arch = "x86_64")))]
fn top_bits(bytes: &[u8; 64]) -> u64 {
    bytes.chunks_exact(8).rev().fold(0, |bits, eight| {
        let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        // With one bit left of each byte, the multiplication gathers them in the top byte.
        bits << 8 | (eight >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// The same by an instruction that all processors of this kind have.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn top_bits_by_instruction(bytes: &[u8; 64]) -> u64 {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
    bytes.chunks_exact(16).rev().fold(0, |bits, sixteen| {
        // SAFETY: the address is that of sixteen bytes, and may be any; the instruction belongs to
        // the baseline.
        let mask = unsafe { _mm_movemask_epi8(_mm_loadu_si128(sixteen.as_ptr().cast())) };
        bits << 16 | u64::from(mask as u16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequential::tests::Random;

    #[test]
    fn answers_come_as_bits_whatever_gathers_them() {
        let mut random = Random(4);
        for _ in 0..100 {
            let expected =
                u64::from(random.below(u32::MAX)) << 32 | u64::from(random.below(u32::MAX));
            let answers: Vec<bool> = (0..64).map(|bit| expected >> bit & 1 == 1).collect();
            assert_eq!(pack_bits(&answers, |answer| answer), expected);
            assert_eq!(pack_bits(&answers[..9], |answer| answer), expected & 0x1FF);
            assert!(ones(expected).eq((0..64).filter(|bit| expected >> bit & 1 == 1)));
            let bytes = std::array::from_fn(|bit| if answers[bit] { 0x80 } else { 0x7F });
            assert_eq!(top_bits(&bytes), expected);
        }
    }
}
