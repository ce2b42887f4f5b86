//! Predicates over up to 64 items, packed into one word: bit `i` is the answer for item `i`.
#![allow(
    unsafe_code,
    reason = "the standard library offers vector instructions only as unsafe functions"
)]

/// The positions of the set bits, in ascending order.
#[inline(always)]
pub(super) fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(bit)
    })
}

/// Packs `answer(items[i])` into bit `i`, for up to 64 items.
#[inline(always)]
pub fn pack_bits<T: Copy>(items: &[T], answer: impl Fn(T) -> bool) -> u64 {
    let byte = |item| if answer(item) { u8::MAX } else { 0 };
    let bytes = match <&[T; 64]>::try_from(items) {
        // The fixed length lets the compiler unroll this into vector instructions.
        Ok(items) => std::array::from_fn(|index| byte(items[index])),
        Err(_) => std::array::from_fn(|index| items.get(index).map_or(0, |&item| byte(item))),
    };
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return top_bits_sse2(&bytes);
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    top_bits(&bytes)
}

/// The top bit of each byte.
#[cfg(any(test, miri, not(target_arch = "x86_64")))]
fn top_bits(bytes: &[u8; 64]) -> u64 {
    bytes.chunks_exact(8).rev().fold(0, |bits, eight| {
        let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        // One bit of each byte remains, and the multiplication collects these bits in the top byte.
        bits << 8 | (eight >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// The top bit of each byte, by an SSE2 instruction, which every x86-64 processor has.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn top_bits_sse2(bytes: &[u8; 64]) -> u64 {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
    bytes.chunks_exact(16).rev().fold(0, |bits, sixteen| {
        // SAFETY: `sixteen` is 16 readable bytes, the load needs no alignment, and SSE2 belongs to
        // the x86-64 baseline.
        let mask = unsafe { _mm_movemask_epi8(_mm_loadu_si128(sixteen.as_ptr().cast())) };
        bits << 16 | u64::from(mask as u16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::CongruentialGenerator;

    #[test]
    fn packed_bits_are_the_answers_with_and_without_vector_instructions() {
        let mut random = CongruentialGenerator(4);
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
