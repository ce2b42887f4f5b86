//! The merge of components along their first pairs.
//!
//! Each component points to the component at the other end of its first pair. The order of pairs is
//! strict, so the only cycles are two components with the same first pair. The one with the lower
//! number becomes a root. Then each component finds its root by pointers that threads shorten
//! (path halving).

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Schedule, Team, atomic_u32, for_each_item};

use crate::pair::Pair;

/// The components that a thread takes at a time.
const BLOCK: usize = 1 << 13;

/// The result of a merge.
pub(super) struct Merged {
    /// The new number of each component.
    pub(super) new: Vec<u32>,
    /// The number of points of each new component.
    pub(super) sizes: Vec<u32>,
}

/// Merges each component with `next[component]`, which is the component itself if it has no first
/// pair. Appends the first pairs, each once. `pair` is called for components with a pair.
pub(super) fn merge(
    mut next: Vec<u32>,
    sizes: &[u32],
    pair: &(dyn Fn(usize) -> Pair + Sync),
    pairs: &mut Vec<Pair>,
    team: &Team<'_>,
) -> Result<Merged, OutOfMemory> {
    let components = next.len();
    let next = atomic_u32(&mut next);
    let mut new = memory::zeros(components)?;
    let numbers = atomic_u32(&mut new);
    let count = number_roots(next, numbers, pair, pairs, team)?;
    let mut new_sizes = memory::zeros(count)?;
    let slots = atomic_u32(&mut new_sizes);
    // Atomic additions are slow, and a single thread does not need them.
    let is_alone = team.threads() == 1;
    team.distribute(components, Schedule::Dynamic(BLOCK), |_, range| {
        for component in range {
            let number = numbers[find(next, component as u32) as usize].load(Relaxed);
            numbers[component].store(number, Relaxed);
            let size = &slots[number as usize];
            if is_alone {
                size.store(size.load(Relaxed) + sizes[component], Relaxed);
            } else {
                size.fetch_add(sizes[component], Relaxed);
            }
        }
    });
    Ok(Merged { new, sizes: new_sizes })
}

/// Makes roots point to themselves. Returns the number of roots before each block, and their
/// number.
fn count_roots(next: &[AtomicU32], team: &Team<'_>) -> Result<Vec<u32>, OutOfMemory> {
    let blocks = next.len().div_ceil(BLOCK);
    let mut roots = memory::zeros(blocks + 1)?;
    let counts = atomic_u32(&mut roots);
    team.for_each(blocks, Schedule::Dynamic(1), |block| {
        let mut count = 0;
        for component in block * BLOCK..next.len().min((block + 1) * BLOCK) {
            let other = next[component].load(Relaxed);
            // The other component of a cycle has the higher number. It is not a root, whether it
            // sees the change here or not.
            let ends_cycle = (component as u32) < other
                && next[other as usize].load(Relaxed) == component as u32;
            if ends_cycle {
                next[component].store(component as u32, Relaxed);
            }
            count += u32::from(ends_cycle || other == component as u32);
        }
        counts[block + 1].store(count, Relaxed);
    });
    for block in 0..blocks {
        roots[block + 1] += roots[block];
    }
    Ok(roots)
}

/// Numbers the roots in ascending order, and appends the pairs of all other components. Returns the
/// number of roots.
fn number_roots(
    next: &[AtomicU32],
    numbers: &[AtomicU32],
    pair: &(dyn Fn(usize) -> Pair + Sync),
    pairs: &mut Vec<Pair>,
    team: &Team<'_>,
) -> Result<usize, OutOfMemory> {
    let roots = count_roots(next, team)?;
    let blocks = roots.len() - 1;
    let count = roots[blocks] as usize;
    let start = pairs.len();
    memory::reserve_exact(pairs, next.len() - count)?;
    pairs.resize(start + next.len() - count, Pair::NONE);
    let mut outputs = Vec::with_capacity(blocks);
    let mut rest = &mut pairs[start..];
    for block in 0..blocks {
        let components = BLOCK.min(next.len() - block * BLOCK);
        let (output, others) =
            rest.split_at_mut(components - (roots[block + 1] - roots[block]) as usize);
        outputs.push(output);
        rest = others;
    }
    for_each_item(team, outputs.into_iter().enumerate(), |(block, output)| {
        let mut slots = output.iter_mut();
        let mut number = roots[block];
        for component in block * BLOCK..next.len().min((block + 1) * BLOCK) {
            if next[component].load(Relaxed) == component as u32 {
                numbers[component].store(number, Relaxed);
                number += 1;
            } else if let Some(slot) = slots.next() {
                *slot = pair(component);
            }
        }
    });
    Ok(count)
}

/// The root of a component. Halves the path that it follows.
#[inline]
fn find(next: &[AtomicU32], mut component: u32) -> u32 {
    loop {
        let parent = next[component as usize].load(Relaxed);
        let grandparent = next[parent as usize].load(Relaxed);
        if parent == grandparent {
            return parent;
        }
        next[component as usize].store(grandparent, Relaxed);
        component = grandparent;
    }
}

#[cfg(test)]
mod tests {
    use kostra_parallel::with_team;

    use super::*;

    #[test]
    fn components_of_chains_cycles_and_stars_merge() {
        let n = 3 * BLOCK as u32;
        let chain = (0..n).map(|i| if i == 0 { 1 } else { i - 1 }).collect::<Vec<_>>();
        let pairs_of_two = (0..n).map(|i| i ^ 1).collect();
        let star = vec![7; n as usize];
        let mut joined = star.clone();
        joined[7] = 2;
        let alone = (0..n).collect();
        for (next, expected) in
            [(chain, 1), (pairs_of_two, n / 2), (star, 1), (joined, 1), (alone, n)]
        {
            for threads in [1, 3] {
                let mut pairs = vec![Pair::NONE];
                let sizes: Vec<_> = (0..n).collect();
                let pair = |component| Pair::new(1.0, component as u32, next[component]);
                let merged = with_team(threads, |team| {
                    merge(next.clone(), &sizes, &pair, &mut pairs, team).unwrap()
                });
                assert_eq!(merged.sizes.len() as u32, expected);
                assert_eq!(pairs.len() as u32, 1 + n - expected);
                assert!(pairs[1..].iter().all(|pair| pair.compared == 1.0));
                let mut sums = vec![0; expected as usize];
                for (component, &number) in merged.new.iter().enumerate() {
                    assert_eq!(number, merged.new[next[component] as usize]);
                    sums[number as usize] += component as u32;
                }
                assert_eq!(merged.sizes, sums);
            }
        }
    }
}
