//! A stable radix sort by integer keys.

/// The maximum number of key bits in one pass: 2048 counters and as many write streams.
const DIGIT: u32 = 11;
/// Fewer items than this are sorted by comparisons.
const MIN_ITEMS: usize = 1 << 12;
/// Items whose keys need this many passes or more are sorted by comparisons.
const MANY_PASSES: u32 = 5;

/// Sorts items by `key`, which must ascend with the order of `T`. Items with equal keys must
/// already ascend. Sorts by the least significant digit first; each pass is stable and takes
/// O(items). Returns the array that holds the result: `items` or `spare`, which must have the same
/// length.
pub fn radix_sort_by_key<'a, T: Copy + Ord>(
    mut items: &'a mut [T],
    mut spare: &'a mut [T],
    key: impl Fn(T) -> u64,
) -> &'a mut [T] {
    let (lowest, highest) = items
        .iter()
        .fold((u64::MAX, 0), |(low, high), &item| (low.min(key(item)), high.max(key(item))));
    if lowest >= highest {
        return items;
    }
    let bits = (highest - lowest).ilog2() + 1;
    let passes = bits.div_ceil(DIGIT);
    if items.len() < MIN_ITEMS || passes >= MANY_PASSES {
        items.sort_unstable();
        return items;
    }
    let width = bits.div_ceil(passes);
    let digit =
        |item: T, pass: u32| ((key(item) - lowest) >> (pass * width)) as usize & ((1 << width) - 1);

    let mut counts = vec![vec![0_u32; 1 << width]; passes as usize];
    for &item in items.iter() {
        for (pass, counts) in (0..).zip(&mut counts) {
            counts[digit(item, pass)] += 1;
        }
    }
    for (pass, starts) in (0..).zip(&mut counts) {
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += std::mem::replace(start, sum);
        }
        for &item in items.iter() {
            let start = &mut starts[digit(item, pass)];
            spare[*start as usize] = item;
            *start += 1;
        }
        std::mem::swap(&mut items, &mut spare);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::CongruentialGenerator;

    #[test]
    fn items_are_sorted_stably() {
        let mut random = CongruentialGenerator(3);
        for (len, bound) in
            [(0, 1), (1, 5), (100, 7), (5000, 1), (5000, 3), (9000, 1 << 13), (9000, u32::MAX)]
        {
            let mut items: Vec<u64> =
                (0..len).map(|id| u64::from(random.below(bound)) << 32 | id).collect();
            let mut sorted = items.clone();
            sorted.sort_unstable();
            let mut spare = items.clone();
            assert_eq!(radix_sort_by_key(&mut items, &mut spare, |item| item >> 32), sorted);
        }
    }
}
