//! Bits packed into words, the lowest bit first.

use std::ops::{BitOr, Shl, Shr};

use bytemuck::Pod;

/// An unsigned integer that holds packed bits.
pub(super) trait Word:
    Pod + From<bool> + BitOr<Output = Self> + Shl<usize, Output = Self> + Shr<usize, Output = Self>
{
    const BITS: usize = 8 * size_of::<Self>();

    fn lowest_bit(self) -> bool;
}

macro_rules! words {
    ($($word:ty),*) => {
        $(impl Word for $word {
            #[inline]
            fn lowest_bit(self) -> bool {
                self & 1 == 1
            }
        })*
    };
}
words!(u8, u32, u64);

/// One bit per item: whether `is_set` holds for it.
pub(super) fn pack<T: Word, X>(items: &[X], is_set: impl Fn(&X) -> bool) -> Vec<T> {
    let pack_word = |items: &[X]| {
        items.iter().rev().fold(T::zeroed(), |word, item| word << 1 | T::from(is_set(item)))
    };
    items.chunks(T::BITS).map(pack_word).collect()
}

/// All bits of the words.
pub(super) fn unpack<T: Word>(words: &[T]) -> Vec<bool> {
    (0..words.len() * T::BITS).map(|index| get(words, index)).collect()
}

/// The bit at `index`.
#[inline]
pub(super) fn get<T: Word>(words: &[T], index: usize) -> bool {
    (words[index / T::BITS] >> (index % T::BITS)).lowest_bit()
}

/// Sets the bit at `index` if `bit` is true, without a branch.
#[inline]
pub(super) fn set_if<T: Word>(words: &mut [T], index: usize, bit: bool) {
    let word = &mut words[index / T::BITS];
    *word = *word | T::from(bit) << (index % T::BITS);
}

/// The `count` bits from bit `first` of `words[0]` on, as words that begin with them. Other bits
/// are zero, and so are bits past the end of `words`.
pub(super) fn extract(words: &[u64], first: usize, count: usize) -> Vec<u64> {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let shifted =
        |index| word(index) >> first | if first > 0 { word(index + 1) << (64 - first) } else { 0 };
    let mut bits: Vec<_> = (0..count.div_ceil(64)).map(shifted).collect();
    if let Some(last) = bits.last_mut().filter(|_| !count.is_multiple_of(64)) {
        *last &= (1 << (count % 64)) - 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bits_are_unpacked() {
        let bits: Vec<bool> = (0..100).map(|index| index * index % 7 < 3).collect();
        let words: Vec<u8> = pack(&bits, |&bit| bit);
        assert_eq!(unpack(&words)[..100], bits);
        let mut words = [0_u32; 4];
        for (index, &bit) in bits.iter().enumerate() {
            set_if(&mut words, index, bit);
        }
        assert_eq!(words[..], pack::<u32, _>(&bits, |&bit| bit));
        assert!((0..100).all(|index| get(&words, index) == bits[index]));
    }

    #[test]
    fn bits_are_extracted_from_any_position() {
        let words = [0xF0F0_1234_5678_9ABC, 0x0123_4567_89AB_CDEF, u64::MAX];
        for first in [0, 1, 17, 63] {
            for count in [0, 1, 40, 64, 65, 120] {
                let bits = extract(&words, first, count);
                assert_eq!(bits.len(), count.div_ceil(64));
                for index in 0..64 * bits.len() {
                    let expected = index < count && get(&words, first + index);
                    assert_eq!(get(&bits, index), expected, "{first} {count} {index}");
                }
            }
        }
    }
}
