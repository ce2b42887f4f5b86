//! Prefix sums.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::team::Team;

/// Replaces every value by the sum of the values before it, and returns the sum of all values.
///
/// The values are divided into one part per thread. The first pass sums each part, the leader scans
/// the sums of the parts, and the second pass scans each part. O(values) work.
///
/// Sums wrap at 2^32; the caller ensures that the total is below. Progress: blocking, the leader
/// waits for the threads that joined a pass. Memory order: relaxed, because no two threads access
/// the same value in a step, and the steps of a team are ordered.
pub fn exclusive_prefix_sum(team: &Team<'_>, values: &[AtomicU32]) -> u32 {
    let sums: Vec<AtomicU32> = (0..=team.threads()).map(|_| AtomicU32::new(0)).collect();
    team.in_parts(values.len(), |part, range| {
        let sum =
            values[range].iter().fold(0_u32, |sum, value| sum.wrapping_add(value.load(Relaxed)));
        sums[part].store(sum, Relaxed);
    });
    let mut total = 0_u32;
    for sum in &sums {
        total = total.wrapping_add(sum.swap(total, Relaxed));
    }
    team.in_parts(values.len(), |part, range| {
        let mut sum = sums[part].load(Relaxed);
        for value in &values[range] {
            let next = sum.wrapping_add(value.load(Relaxed));
            value.store(sum, Relaxed);
            sum = next;
        }
    });
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::with_team;

    #[test]
    fn each_value_becomes_the_sum_of_those_before_it() {
        for threads in [1, 2, 3, 8] {
            for len in [0, 1, 2, 7, 100] {
                let values: Vec<AtomicU32> = (0..len).map(|i| AtomicU32::new(i * 3 % 7)).collect();
                let total = with_team(threads, |team| exclusive_prefix_sum(team, &values));
                let mut sum = 0;
                for (i, value) in (0..len).zip(&values) {
                    assert_eq!(value.load(Relaxed), sum, "{threads} threads, {i} of {len}");
                    sum += i * 3 % 7;
                }
                assert_eq!(total, sum);
            }
        }
    }
}
