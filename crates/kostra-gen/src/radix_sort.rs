//! A radix sort of keys in the cache, from the lowest digit on.
//!
//! The time does not depend on the order of the keys, and no branch is mispredicted. A sort by
//! comparisons mispredicts about one branch per key and level. O(n) time per digit of 11 bits, and
//! as much scratch memory as the keys take.

/// Keys, and the memory to sort them.
#[derive(Default)]
pub(crate) struct RadixSorter {
    pub(crate) keys: Vec<u64>,
    sorted: Vec<u64>,
    counts: Vec<u32>,
}

/// The most bits of a digit: the 2^11 places that a pass writes to fit the first cache.
const MOST_BITS: u32 = 11;
/// Fewer keys than this are sorted by comparisons: a radix sort has its counts to clear.
const FEW: usize = 1 << 10;

impl RadixSorter {
    /// Sorts the keys, which have `bits` bits.
    pub(crate) fn sort(&mut self, bits: u32) {
        let Self { keys, sorted, counts } = self;
        if keys.len() < FEW {
            keys.sort_unstable();
            return;
        }
        let passes = bits.div_ceil(MOST_BITS).max(1);
        let width = bits.div_ceil(passes);
        let digit = |key: u64, pass: u32| (key >> (pass * width)) as usize & ((1 << width) - 1);
        counts.clear();
        counts.resize((passes as usize) << width, 0);
        for &key in &*keys {
            for (pass, counts) in (0..).zip(counts.chunks_exact_mut(1 << width)) {
                counts[digit(key, pass)] += 1;
            }
        }
        sorted.resize(keys.len(), 0);
        for (pass, starts) in (0..).zip(counts.chunks_exact_mut(1 << width)) {
            let mut end = 0;
            for start in &mut *starts {
                end += std::mem::replace(start, end);
            }
            for &key in &*keys {
                let cursor = &mut starts[digit(key, pass)];
                sorted[*cursor as usize] = key;
                *cursor += 1;
            }
            std::mem::swap(keys, sorted);
        }
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;

    use super::*;

    #[test]
    fn keys_of_any_width_and_number_are_sorted() {
        let stream = RandomStream::new(8);
        let mut sorter = RadixSorter::default();
        for bits in [0, 1, 5, 11, 12, 32, 33, 63] {
            for keys in [0, 1, 2, 100, FEW, 5000] {
                sorter.keys.clear();
                sorter.keys.extend((0..keys as u64).map(|key| stream.at(key) & ((1 << bits) - 1)));
                let mut expected = sorter.keys.clone();
                expected.sort_unstable();
                sorter.sort(bits);
                assert_eq!(sorter.keys, expected, "{bits} bits, {keys} keys");
            }
        }
    }
}
