//! Sorting ranks whose ids ascend already: only the keys' differing bits need looking at.

use kostra_core::Key;

/// The most bits of the key that one pass sorts by: 4096 counters and as many write streams stay in the caches.
const DIGIT: u32 = 11;
/// Below this many ranks a comparison sort is faster.
const FEW: usize = 1 << 12;
/// From this many passes on a comparison sort is faster.
const MANY_PASSES: u32 = 5;

/// Sorts ranks that are in ascending id, by least significant digits first: each pass is stable, so ids stay
/// ascending among equal keys. O(number of ranks) a pass; needs as much memory again.
pub(crate) fn sort_by_key<K: Key>(mut ranks: Vec<K::Rank>) -> Vec<K::Rank> {
    debug_assert!(ranks.is_sorted_by_key(|&rank| K::rank_id(rank)), "ids ascend");
    let key = |rank: K::Rank| K::rank_key(rank).to_u64();
    let (lowest, highest) =
        ranks.iter().fold((u64::MAX, 0), |(low, high), &rank| (low.min(key(rank)), high.max(key(rank))));
    if lowest >= highest {
        return ranks;
    }
    let bits = (highest - lowest).ilog2() + 1;
    let passes = bits.div_ceil(DIGIT);
    if ranks.len() < FEW || passes >= MANY_PASSES {
        ranks.sort_unstable();
        return ranks;
    }
    let width = bits.div_ceil(passes);
    let digit =
        |rank: K::Rank, pass: u32| ((key(rank) - lowest) >> (pass * width)) as usize & ((1 << width) - 1);

    let mut counts = vec![vec![0_u32; 1 << width]; passes as usize];
    for &rank in &ranks {
        for (pass, counts) in (0..).zip(&mut counts) {
            counts[digit(rank, pass)] += 1;
        }
    }
    let mut sorted = ranks.clone();
    for (pass, starts) in (0..).zip(&mut counts) {
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += std::mem::replace(start, sum);
        }
        for &rank in &ranks {
            let start = &mut starts[digit(rank, pass)];
            sorted[*start as usize] = rank;
            *start += 1;
        }
        std::mem::swap(&mut ranks, &mut sorted);
    }
    ranks
}
