//! A graph of near neighbors: leaves of random projection trees, then neighbors of neighbors.
//!
//! * **Leaves**: the points are divided into halves again and again by the difference of their
//!   distances to two random points (Dasgupta & Freund 2008). All pairs of a leaf are compared by
//!   one matrix product. Each of several such trees divides other neighbors from each other.
//! * **Descent**: a neighbor of a neighbor is probably a neighbor (NN-descent: Dong, Moses & Li
//!   2011). A round reads the lists of the previous one and writes new ones. So a list does not
//!   depend on the order in which threads take points. Only pairs are compared that a new entry of
//!   a list makes neighbors of neighbors.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use kostra_core::random::RandomStream;
use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Team, atomic_u64, for_each_item};

use super::Search;
use crate::PointsError;
use crate::tiles::filter::Filter;
use crate::tiles::rows::BLOCK;
use crate::tiles::{Scratch, in_steps};

/// A list has the keys of near points in ascending order: the bits of a lower bound of the
/// distance, which is not negative, and the point. The sign's bit says that the entry is new.
const NEW: u64 = 1 << 63;
/// An unused entry, after all others.
const NONE: u64 = !NEW;

fn key(bound: f32, point: u32) -> u64 {
    u64::from(bound.max(0.0).to_bits()) << 32 | u64::from(point)
}

fn bound_of(key: u64) -> f32 {
    if key & NONE == NONE { f32::INFINITY } else { f32::from_bits((key >> 32) as u32 & !(1 << 31)) }
}

fn is_new(key: u64) -> bool {
    key & NEW != 0
}

/// Adds an entry to a list, if it is nearer than the last one. Whether it was added.
fn offer(list: &mut [u64], entry: u64) -> bool {
    let order = |key: u64| key & !NEW;
    let last = list.len() - 1;
    if order(entry) >= order(list[last]) || list.iter().any(|key| *key as u32 == entry as u32) {
        return false;
    }
    let place = list.partition_point(|key| order(*key) < order(entry));
    list.copy_within(place..last, place + 1);
    list[place] = entry;
    true
}

/// Near points of each point, `search.neighbors` of them, in no order.
pub(super) fn near_points(
    search: &Search<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<u32>, PointsError> {
    let n = search.filter.len();
    let mut keys = memory::filled(n * search.neighbors, NONE)?;
    let mut leaves = Vec::new();
    add_leaves(0..n, &mut leaves);
    let mut order = Vec::new();
    for tree in 0..search.effort.trees as u64 {
        order = random_leaves(&search.filter, search.random.split(tree), team)?;
        let slots = atomic_u64(&mut keys);
        in_steps(team, run, leaves.len(), |scratch, leaf| {
            compare_leaf(search, &order[leaves[leaf].clone()], slots, scratch);
        })?;
    }
    for round in 0..search.effort.rounds {
        run.report.progress(round, search.effort.rounds).map_err(|_| PointsError::Cancelled)?;
        let (next, changed) = neighbors_of_neighbors(search, &keys, &order, team)?;
        keys = next;
        if changed < keys.len() / 1000 {
            break;
        }
    }
    Ok(memory::collected(keys.into_iter().map(|key| key as u32))?)
}

/// The leaves in a part of an order: halves of halves with up to a block of points.
fn add_leaves(part: Range<usize>, leaves: &mut Vec<Range<usize>>) {
    if part.len() <= BLOCK {
        leaves.push(part);
    } else {
        let middle = part.start + part.len() / 2;
        add_leaves(part.start..middle, leaves);
        add_leaves(middle..part.end, leaves);
    }
}

/// The points in an order in which each leaf has those of a random projection tree.
fn random_leaves(
    filter: &Filter,
    random: RandomStream,
    team: &Team<'_>,
) -> Result<Vec<u32>, OutOfMemory> {
    /// Points that a thread takes at a time.
    const POINTS: usize = 1 << 10;
    let n = filter.len();
    let mut keyed = memory::collected((0..n as u32).map(|point| (0.0_f32, point)))?;
    let mut parts = vec![&mut keyed[..]];
    for level in 0.. {
        parts.retain(|part| part.len() > BLOCK);
        if parts.is_empty() {
            break;
        }
        let random = random.split(level);
        let chunks = parts.iter_mut().zip(0..).flat_map(|(part, number)| {
            let pivot =
                |end: u64| part[random.below(2 * number + end, part.len() as u64) as usize].1;
            let pivots = [pivot(0), pivot(1)];
            part.chunks_mut(POINTS).map(move |chunk| (pivots, chunk))
        });
        for_each_item(team, chunks, |(pivots, chunk)| {
            let mut bounds = Vec::with_capacity(2);
            for (key, point) in chunk {
                filter.bounds(*point, &pivots, &mut bounds);
                *key = bounds[0] - bounds[1];
            }
        });
        let mut halves = Vec::new();
        halves.resize_with(parts.len(), || None);
        for_each_item(team, parts.into_iter().zip(&mut halves), |(part, halves)| {
            let middle = part.len() / 2;
            part.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *halves = Some(<[_; 2]>::from(part.split_at_mut(middle)));
        });
        parts = halves.into_iter().flatten().flatten().collect();
    }
    memory::collected(keyed.iter().map(|(_, point)| *point))
}

/// Compares all pairs of a leaf. Each point is in one leaf, so no other thread has its list.
fn compare_leaf(search: &Search<'_>, leaf: &[u32], slots: &[AtomicU64], scratch: &mut Scratch) {
    let k = search.neighbors;
    let slots_of = |point: &u32| &slots[*point as usize * k..][..k];
    let mut lists: Vec<_> = leaf.iter().flat_map(slots_of).map(|slot| slot.load(Relaxed)).collect();
    let mut limits = [f32::NEG_INFINITY; BLOCK];
    for (limit, list) in limits.iter_mut().zip(lists.chunks(k)) {
        *limit = bound_of(list[k - 1]);
    }
    let rows = search.filter.selected(leaf);
    let Scratch { tile, hits } = scratch;
    tile.compute((&rows, 0), (&rows, 0));
    hits.clear();
    tile.within(0..BLOCK, &limits, &limits, hits);
    for hit in hits.iter() {
        let (row, column) = (usize::from(hit.row), usize::from(hit.column));
        for (from, to) in [(row, column), (column, row)] {
            offer(&mut lists[from * k..][..k], NEW | key(hit.low, leaf[to]));
        }
    }
    for (slot, key) in leaf.iter().flat_map(slots_of).zip(lists) {
        slot.store(key, Relaxed);
    }
}

/// Lists after a round of the descent, and the number of new entries. Near points follow each other
/// in `order`: they have the same candidates, whose rows stay in the cache.
fn neighbors_of_neighbors(
    search: &Search<'_>,
    keys: &[u64],
    order: &[u32],
    team: &Team<'_>,
) -> Result<(Vec<u64>, usize), OutOfMemory> {
    /// Points that a thread takes at a time.
    const POINTS: usize = 1 << 6;
    let k = search.neighbors;
    let list_of = |point: u64| &keys[point as u32 as usize * k..][..k];
    let back = back_links(search, keys, team)?;
    let mut next = memory::copied(keys)?;
    let changed = AtomicUsize::new(0);
    let slots = atomic_u64(&mut next);
    for_each_item(team, order.chunks(POINTS), |points| {
        let (mut list, mut candidates, mut bounds) = (Vec::new(), Vec::new(), Vec::new());
        let mut added = 0;
        for &point in points {
            candidates.clear();
            let own = list_of(point.into()).iter().filter(|key| **key != NONE);
            let linked = back[point as usize * k..][..k].iter().filter(|key| **key != NONE);
            candidates.extend(linked.clone().map(|key| *key as u32));
            for &middle in own.chain(linked) {
                let others = list_of(middle).iter().filter(|key| **key != NONE);
                let others = others.filter(|other| is_new(middle) || is_new(**other));
                candidates.extend(others.map(|key| *key as u32));
            }
            candidates.sort_unstable();
            candidates.dedup();
            candidates.retain(|other| *other != point);
            search.filter.bounds(point, &candidates, &mut bounds);
            list.clear();
            list.extend(list_of(point.into()).iter().map(|key| key & !NEW));
            for (&bound, &other) in bounds.iter().zip(&candidates) {
                added += usize::from(offer(&mut list, NEW | key(bound, other)));
            }
            // Each point is in the order once, so no other thread has its list.
            for (slot, &key) in slots[point as usize * k..].iter().zip(&list) {
                slot.store(key, Relaxed);
            }
        }
        changed.fetch_add(added, Relaxed);
    });
    Ok((next, changed.into_inner()))
}

/// For each point, points whose lists contain it: a random choice, if there are more than in a
/// list. O(n k) time for each thread, which reads all lists and links a range of points.
fn back_links(search: &Search<'_>, keys: &[u64], team: &Team<'_>) -> Result<Vec<u64>, OutOfMemory> {
    let (n, k) = (search.filter.len(), search.neighbors);
    let mut links = memory::filled(keys.len(), NONE)?;
    let mut counts = memory::zeros::<u32>(n)?;
    let part = n.div_ceil(team.threads());
    let parts = links.chunks_mut(part * k).zip(counts.chunks_mut(part)).zip(0..);
    for_each_item(team, parts, |((links, counts), number)| {
        let points = number * part..number * part + counts.len();
        for (list, from) in keys.chunks(k).zip(0_u64..) {
            for &key in list {
                // An unused entry is no point, so it is in no range.
                let point = key as u32 as usize;
                if !points.contains(&point) {
                    continue;
                }
                let count = &mut counts[point - points.start];
                *count += 1;
                // Reservoir sampling: each of the links stays with the same probability.
                let place = match *count as usize - 1 {
                    before if before < k => before,
                    _ => {
                        let draw = search.random.edge(from as u32, point as u32);
                        (draw % u64::from(*count)) as usize
                    }
                };
                if place < k {
                    links[(point - points.start) * k + place] = key & NEW | from;
                }
            }
        }
    });
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_nearest_points_once() {
        let mut list = [NONE; 3];
        for (bound, point) in [(3.0, 1), (1.0, 2), (3.0, 1), (2.0, 3), (0.5, 4), (9.0, 5)] {
            offer(&mut list, NEW | key(bound, point));
        }
        assert_eq!(list.map(|key| key as u32), [4, 2, 3]);
        assert!(list.into_iter().all(is_new) && bound_of(list[2]) == 2.0);
        assert_eq!(bound_of(NONE), f32::INFINITY);
    }
}
