//! Maxima of ranges.

use kostra_core::{OutOfMemory, memory};

/// The values of a block, which a query reads one by one.
const BLOCK: usize = 32;

/// Values whose ranges are asked for their maxima: O(1) time per query for the values in at most
/// two blocks, and O(n) memory. Maxima of 2^k blocks are stored from each block on, so two of them
/// cover any number of blocks (Bender & Farach-Colton 2000).
pub(super) struct RangeMaximum<T> {
    values: Vec<T>,
    /// For each k, the maximum of 2^k blocks from each block on.
    of_blocks: Vec<Vec<T>>,
}

impl<T: Copy + Default + PartialOrd> RangeMaximum<T> {
    /// The values are not below the default, 0.
    pub(super) fn new(values: Vec<T>) -> Result<Self, OutOfMemory> {
        let blocks = values.chunks(BLOCK).map(|block| maximum(block, T::default()));
        let mut last = memory::collected(blocks)?;
        let mut of_blocks = Vec::new();
        let mut width = 1;
        while last.len() > width {
            let pairs = last.iter().zip(&last[width..]).map(|(&left, &right)| larger(left, right));
            let next = memory::collected(pairs)?;
            of_blocks.push(std::mem::replace(&mut last, next));
            width *= 2;
        }
        of_blocks.push(last);
        Ok(Self { values, of_blocks })
    }

    /// The maximum of the values from `start` to `end`; 0 if there is none.
    #[inline]
    pub(super) fn of(&self, start: usize, end: usize) -> T {
        let (first, last) = (start.div_ceil(BLOCK), end / BLOCK);
        if first >= last {
            return maximum(&self.values[start..end], T::default());
        }
        let width = (last - first).ilog2();
        let blocks = &self.of_blocks[width as usize];
        let inner = larger(blocks[first], blocks[last - (1 << width)]);
        let inner = maximum(&self.values[start..first * BLOCK], inner);
        maximum(&self.values[last * BLOCK..end], inner)
    }
}

#[inline]
fn maximum<T: Copy + PartialOrd>(values: &[T], least: T) -> T {
    values.iter().fold(least, |maximum, &value| larger(maximum, value))
}

#[inline]
fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;

    use super::*;

    #[test]
    fn every_range_has_its_maximum() {
        for n in [0, 1, BLOCK, BLOCK + 1, 7 * BLOCK - 1, 300] {
            let random = RandomStream::new(n as u64);
            let values: Vec<u32> = (0..n as u64).map(|i| random.below(i, 1000) as u32).collect();
            let ranges = RangeMaximum::new(values.clone()).unwrap();
            for start in 0..=n {
                for end in start..=n {
                    let expected = values[start..end].iter().copied().max().unwrap_or(0);
                    assert_eq!(ranges.of(start, end), expected, "{start}..{end} of {n}");
                }
            }
        }
    }
}
