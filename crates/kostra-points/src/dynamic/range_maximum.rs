//! Maxima of ranges.

use kostra_core::{OutOfMemory, memory};

/// The values of a block. A query inside of a block reads them one by one.
const BLOCK: usize = 16;

/// Values whose ranges are asked for their maxima: O(1) time per query, and O(n) memory. Maxima of
/// 2^k blocks are stored from each block on, so two of them cover any number of blocks (Bender &
/// Farach-Colton 2000). The rest of the first and of the last block is one stored maximum each.
pub(super) struct RangeMaximum {
    values: Vec<u32>,
    /// The maximum from the start of the block to each value, and from each value to the end.
    in_blocks: Vec<[u32; 2]>,
    /// For each k, the maximum of 2^k blocks from each block on.
    of_blocks: Vec<Vec<u32>>,
}

impl RangeMaximum {
    pub(super) fn new(values: Vec<u32>) -> Result<Self, OutOfMemory> {
        let mut in_blocks = memory::collected(values.iter().map(|&value| [value; 2]))?;
        for block in in_blocks.chunks_mut(BLOCK) {
            for at in 1..block.len() {
                block[at][0] = block[at][0].max(block[at - 1][0]);
            }
            for at in (1..block.len()).rev() {
                block[at - 1][1] = block[at - 1][1].max(block[at][1]);
            }
        }
        let mut last = memory::collected(in_blocks.chunks(BLOCK).map(|block| block[0][1]))?;
        let mut of_blocks = Vec::new();
        let mut width = 1;
        while last.len() > width {
            let pairs = last.iter().zip(&last[width..]).map(|(&left, &right)| left.max(right));
            let next = memory::collected(pairs)?;
            of_blocks.push(std::mem::replace(&mut last, next));
            width *= 2;
        }
        of_blocks.push(last);
        Ok(Self { values, in_blocks, of_blocks })
    }

    /// The maximum of the values from `start` to before `end`; 0 if there is none.
    #[inline]
    pub(super) fn of(&self, start: usize, end: usize) -> u32 {
        if start / BLOCK + 1 >= end.div_ceil(BLOCK) {
            return self.values[start..end].iter().copied().fold(0, u32::max);
        }
        let (first, last) = (start / BLOCK + 1, (end - 1) / BLOCK);
        let ends = self.in_blocks[start][1].max(self.in_blocks[end - 1][0]);
        if first == last {
            return ends;
        }
        let width = (last - first).ilog2();
        let blocks = &self.of_blocks[width as usize];
        ends.max(blocks[first]).max(blocks[last - (1 << width)])
    }
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
