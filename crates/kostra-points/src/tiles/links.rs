//! One pass over all tiles: the pairs that may be in the minimum spanning tree, and the nearest
//! points of each point.
//!
//! A spanning tree that is not much longer than the minimum is known. The points are ordered so
//! that each subtree of its merges is a range. Then the largest distance on the tree's path between
//! two points is the largest *gap* between their places, where a gap is that of two consecutive
//! points. In a tile, this is the larger of one number of the row and one of the column, so that
//! comparing it with lower bounds takes a few instructions a pair. A pair that is farther than the
//! largest distance on its path is not in the minimum spanning tree.
//!
//! Core distances are not known before the pass has ended. The given tree has upper bounds of them,
//! and so of the distances on its paths; the distance of two points is a lower bound of their
//! mutual reachability distance. So no pair of the minimum is left out.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Team, into_item, lock};

use super::filter::Filter;
use super::lists::{Kept, Ordered};
use super::merges::Merges;
use super::rows::BLOCK;
use super::scan::Hit;
use super::{Scratch, in_steps};
use crate::PointsError;
use crate::blocks::LANES;
use crate::canonical::larger;
use crate::pair::{self, Pair};

/// Pairs of a tile from which on only the lightest one is taken at first: it tells whether the
/// others still matter.
const MANY: usize = 16 * BLOCK;
/// Pairs found, for each point, after which the tree is improved.
const FOUND: usize = 16;

/// A spanning tree, and upper bounds of core distances; none for the metric itself.
pub(super) struct Start<'a> {
    pub(super) tree: Merges,
    pub(super) core: &'a [f64],
}

/// Pairs with their own distances, among them those of the minimum spanning tree. `lists` gets the
/// nearest points, by block, and is empty if nobody wants them. The order of `ordered` is that of
/// the tree.
pub(super) fn compare_all(
    ordered: &Ordered<'_>,
    Start { mut tree, core }: Start<'_>,
    lists: &[Mutex<Kept>],
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let prepared = ordered.prepared;
    let mut pairs = memory::copied(tree.pairs())?;
    for pair in &mut pairs {
        pair.compared = prepared.compared(pair.low, pair.high);
    }
    let mut tiles: Vec<([u32; 2], bool)> =
        memory::collected(ordered.tiles()?.into_iter().map(|tile| (tile, false)))?;
    loop {
        let gaps = Gaps::new(&tree, &ordered.order)?;
        let (found, later) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let count = AtomicUsize::new(0);
        in_steps(team, run, tiles.len(), |scratch: &mut Scratch, at| {
            let (blocks, is_second) = tiles[at];
            if count.load(Relaxed) > FOUND * ordered.order.len() {
                lock(&later).push(tiles[at]);
                return;
            }
            let lists = if is_second { &[] } else { lists };
            let Some(lowest) = find_hits(ordered, Some(&gaps), lists, blocks, scratch) else {
                return;
            };
            let hits = &mut scratch.hits;
            offer(lists, blocks, hits);
            if hits.len() > MANY && !is_second {
                lock(&later).push((blocks, true));
                hits.clear();
                hits.push(lowest);
            }
            let better = hits.iter().filter_map(|hit| {
                let [u, v] = ordered.points(blocks, *hit);
                let last = tree.last_between(u, v);
                if hit.low > ordered.filter.limit(last.compared) {
                    return None;
                }
                let pair = Pair::new(prepared.compared(u, v), u, v);
                pair.is_before(&last).then_some(pair)
            });
            let better: Vec<_> = better.collect();
            count.fetch_add(better.len(), Relaxed);
            lock(&found).extend(better);
        })?;
        let found = into_item(found);
        memory::reserve(&mut pairs, found.len())?;
        pairs.extend(found);
        tiles = into_item(later);
        if tiles.is_empty() {
            return Ok(pairs);
        }
        let mut reached = memory::copied(&pairs)?;
        reached.iter_mut().for_each(|pair| pair.compared = reach(core, pair));
        pair::sort(&mut reached, team)?;
        tree = Merges::of(prepared.len(), reached)?;
        pairs.retain(|pair| !tree.last_between(pair.low, pair.high).is_before(pair));
    }
}

/// Offers the nearest points to the lists, without a tree.
pub(super) fn compare_for_lists(
    ordered: &Ordered<'_>,
    lists: &[Mutex<Kept>],
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<(), PointsError> {
    let tiles = ordered.tiles()?;
    in_steps(team, run, tiles.len(), |scratch, at| {
        if find_hits(ordered, None, lists, tiles[at], scratch).is_some() {
            offer(lists, tiles[at], &scratch.hits);
        }
    })
}

fn offer(lists: &[Mutex<Kept>], [a, b]: [u32; 2], hits: &[Hit]) {
    let position = |block: u32, at: u16| block * BLOCK as u32 + u32::from(at);
    if lists.is_empty() {
        return;
    }
    let mut rows = lock(&lists[a as usize]);
    for hit in hits {
        rows.offer(hit.row.into(), hit.low, position(b, hit.column));
    }
    drop(rows);
    let mut columns = lock(&lists[b as usize]);
    for hit in hits {
        columns.offer(hit.column.into(), hit.low, position(a, hit.row));
    }
}

/// Finds the pairs of two blocks that may be nearer than the largest distance on their path, or
/// that the list of an end may want. Returns the one with the lowest bound; none if the blocks are
/// too far from each other.
fn find_hits(
    ordered: &Ordered<'_>,
    gaps: Option<&Gaps>,
    lists: &[Mutex<Kept>],
    [a, b]: [u32; 2],
    Scratch { tile, hits }: &mut Scratch,
) -> Option<Hit> {
    let (a, b) = (a as usize, b as usize);
    let filter = &ordered.filter;
    let [mut rows, mut columns] = [a, b]
        .map(|block| lists.get(block).map_or([f32::NEG_INFINITY; BLOCK], |list| lock(list).limits));
    if a != b {
        let most = rows.iter().chain(&columns).fold(f32::NEG_INFINITY, |a, b| a.max(*b));
        let most = gaps.map_or(most, |gaps| most.max(filter.limit(gaps.most(a, b))));
        if filter.limit(ordered.balls.between(a, b)).next_down() > most {
            return None;
        }
    }
    tile.compute((filter, a), (filter, b));
    hits.clear();
    if a != b {
        gaps.inspect(|gaps| gaps.raise(filter, [a, b], &mut rows, &mut columns));
        return Some(tile.within(0..BLOCK, &rows, &columns, hits));
    }
    // A few rows at a time, with the columns after them.
    let lowest = (0..filter.positions(a).len()).step_by(LANES).map(|first| {
        let part = first..(first + LANES).min(filter.positions(a).len());
        let mut columns = columns;
        gaps.inspect(|gaps| gaps.raise_inside(filter, a, part.clone(), &mut columns));
        tile.within(part, &rows, &columns, hits)
    });
    lowest.reduce(|a, b| if b.low < a.low { b } else { a })
}

/// The compared mutual reachability distance of a pair; of the metric itself without core
/// distances.
pub(super) fn reach(core: &[f64], pair: &Pair) -> f64 {
    match (core.get(pair.low as usize), core.get(pair.high as usize)) {
        (Some(u), Some(v)) => larger(pair.compared, larger(*u, *v)),
        _ => pair.compared,
    }
}

/// The largest distances on the paths between consecutive points of an order.
struct Gaps {
    /// Of each point and the next one; 0 for the last point.
    gaps: Vec<f64>,
    /// The largest gap of each block.
    largest: Vec<f64>,
}

impl Gaps {
    fn new(tree: &Merges, order: &[u32]) -> Result<Self, OutOfMemory> {
        let mut gaps = memory::zeros(order.len())?;
        for (gap, points) in gaps.iter_mut().zip(order.windows(2)) {
            *gap = tree.last_between(points[0], points[1]).compared;
        }
        let largest = gaps.chunks(BLOCK).map(|gaps| gaps.iter().copied().fold(0.0, larger));
        let largest = largest.collect();
        Ok(Self { gaps, largest })
    }

    /// The largest distance on a path between the points of two blocks.
    fn most(&self, a: usize, b: usize) -> f64 {
        self.largest[a..=b].iter().copied().fold(0.0, larger)
    }

    /// Raises the limits of rows and columns of two blocks, the first one before the second.
    fn raise(
        &self,
        filter: &Filter,
        [a, b]: [usize; 2],
        rows: &mut [f32; BLOCK],
        columns: &mut [f32; BLOCK],
    ) {
        let mut gap = 0.0;
        let own = &self.gaps[filter.positions(a)];
        for (limit, own) in rows.iter_mut().take(own.len()).rev().zip(own.iter().rev()) {
            gap = larger(gap, *own);
            *limit = limit.max(filter.limit(gap));
        }
        let between = self.largest[a + 1..b].iter().copied().fold(0.0, larger);
        self.raise_after(filter, between, filter.positions(b), columns);
    }

    /// Raises the limits of columns of a block for some of its rows.
    fn raise_inside(
        &self,
        filter: &Filter,
        block: usize,
        rows: Range<usize>,
        columns: &mut [f32; BLOCK],
    ) {
        let positions = filter.positions(block);
        let own = &self.gaps[positions.start + rows.start..positions.start + rows.end];
        let most = own.iter().copied().fold(0.0, larger);
        let (before, after) = columns.split_at_mut(rows.end);
        before.iter_mut().for_each(|limit| *limit = limit.max(filter.limit(most)));
        self.raise_after(filter, most, positions.start + rows.end..positions.end, after);
    }

    /// Raises limits to a gap, and to the largest one from the first of some positions to each.
    fn raise_after(
        &self,
        filter: &Filter,
        mut gap: f64,
        positions: Range<usize>,
        limits: &mut [f32],
    ) {
        for (limit, position) in limits.iter_mut().zip(positions) {
            *limit = limit.max(filter.limit(gap));
            gap = larger(gap, self.gaps[position]);
        }
    }
}
