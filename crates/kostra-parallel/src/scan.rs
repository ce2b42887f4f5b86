//! Prefix sums.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::team::Team;

/// Replaces every value by the sum of those before it, and returns the sum of all.
///
/// Takes two passes over the values, which are cut into one stretch for each thread. Between the
/// passes the leader adds up the sums of the stretches. Blocking: the leader waits for the threads
/// that have joined a pass. Sums wrap at 2^32; the caller makes sure that they stay below. Relaxed
/// order is enough, because no two threads touch one value in a step, and the steps of a team are
/// ordered.
pub fn exclusive_prefix_sum(team: &Team<'_>, values: &[AtomicU32]) -> u32 {
    let sums: Vec<AtomicU32> = (0..=team.threads()).map(|_| AtomicU32::new(0)).collect();
    team.in_parts(values.len(), |part, stretch| {
        let sum =
            values[stretch].iter().fold(0_u32, |sum, value| sum.wrapping_add(value.load(Relaxed)));
        sums[part].store(sum, Relaxed);
    });
    let mut total = 0_u32;
    for sum in &sums {
        total = total.wrapping_add(sum.swap(total, Relaxed));
    }
    team.in_parts(values.len(), |part, stretch| {
        let mut sum = sums[part].load(Relaxed);
        for value in &values[stretch] {
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
