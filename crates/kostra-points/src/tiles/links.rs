//! The pairs that improve a spanning tree: one pass over all tiles.
//!
//! The points are ordered so that each subtree of the tree's merges is a range. Then the largest
//! distance on the tree's path between two points is the largest *gap* between their places, where
//! a gap is that of two consecutive points. In a tile, this is the larger of one number of the row
//! and one of the column, so that comparing it with lower bounds takes a few instructions a pair.
//! A pair that is farther than the largest distance on its path is not in the minimum spanning
//! tree.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Team, into_item, lock};

use super::filter::BLOCK;
use super::lists::Ordered;
use super::merges::Merges;
use super::scan::{Hit, Tile};
use super::{Scratch, in_steps};
use crate::blocks::LANES;
use crate::canonical::larger;
use crate::pair::{self, Pair};
use crate::{PointsError, Prepared};

/// Pairs of a tile from which on only the lightest one is taken at first: it tells whether the
/// others still matter.
const MANY: usize = 16 * BLOCK;
/// Pairs found, for each point, after which the tree is improved.
const FOUND: usize = 4;

/// The pairs of the minimum spanning tree, given those of some spanning tree.
pub(super) fn improved(
    prepared: &Prepared<'_>,
    core: &[f64],
    mut tree: Merges,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let ordered = Ordered::new(prepared, tree.order()?, team)?;
    let mut tiles: Vec<([u32; 2], bool)> =
        memory::collected(ordered.tiles()?.into_iter().map(|tile| (tile, false)))?;
    while !tiles.is_empty() {
        let gaps = Gaps::new(&tree, &ordered.order)?;
        let (found, later) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let count = AtomicUsize::new(0);
        in_steps(team, run, tiles.len(), |scratch: &mut Scratch, at| {
            let (blocks, is_second) = tiles[at];
            if count.load(Relaxed) > FOUND * ordered.order.len() {
                lock(&later).push(tiles[at]);
                return;
            }
            let Scratch { tile, hits } = scratch;
            let Some(lowest) = gaps.hits(&ordered, blocks, tile, hits) else { return };
            if hits.len() > MANY && !is_second {
                lock(&later).push((blocks, true));
                hits.clear();
                hits.push(lowest);
            }
            let better = hits.iter().filter_map(|hit| {
                let pair = ordered.pair(blocks, *hit);
                let pair = Pair { compared: reach(core, &pair), ..pair };
                pair.is_before(&tree.last_between(pair.low, pair.high)).then_some(pair)
            });
            let better: Vec<_> = better.collect();
            count.fetch_add(better.len(), Relaxed);
            lock(&found).extend(better);
        })?;
        let mut pairs = into_item(found);
        if !pairs.is_empty() {
            memory::reserve_exact(&mut pairs, tree.pairs().len())?;
            pairs.extend_from_slice(tree.pairs());
            pair::sort(&mut pairs, team)?;
            tree = Merges::of(prepared.len(), pairs)?;
        }
        tiles = into_item(later);
    }
    Ok(tree.into_pairs())
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

    /// The pairs of two blocks that may be nearer than the largest distance on their path, and the
    /// one with the lowest bound. None if the blocks are too far from each other.
    fn hits(
        &self,
        ordered: &Ordered<'_>,
        [a, b]: [u32; 2],
        tile: &mut Tile,
        hits: &mut Vec<Hit>,
    ) -> Option<Hit> {
        let (a, b) = (a as usize, b as usize);
        let filter = &ordered.filter;
        let most = self.largest[a..=b].iter().copied().fold(0.0, larger);
        if a != b && ordered.balls.between(a, b) > most {
            return None;
        }
        tile.compute((filter, a), (filter, b));
        hits.clear();
        let (rows, columns) = (filter.positions(a), filter.positions(b));
        if a == b {
            // A few rows at a time, with the columns after them.
            let lowest = (0..rows.len()).step_by(LANES).map(|first| {
                let end = (first + LANES).min(rows.len());
                let own = self.gaps[rows.start + first..rows.start + end].iter();
                let mut columns = [own.copied().fold(0.0, larger); BLOCK];
                self.add(rows.start + end..rows.end, &mut columns[end..]);
                let columns = columns.map(|gap| filter.limit(gap));
                tile.within(first..end, &[f32::NEG_INFINITY; BLOCK], &columns, hits)
            });
            return lowest.reduce(|a, b| if b.low < a.low { b } else { a });
        }
        let mut row_limits = [0.0; BLOCK];
        let mut gap = 0.0;
        for (limit, own) in row_limits.iter_mut().zip(&self.gaps[rows]).rev() {
            gap = larger(gap, *own);
            *limit = gap;
        }
        let mut column_limits = [self.largest[a + 1..b].iter().copied().fold(0.0, larger); BLOCK];
        self.add(columns, &mut column_limits);
        let [row_limits, column_limits] =
            [row_limits, column_limits].map(|limits| limits.map(|gap| filter.limit(gap)));
        Some(tile.within(0..BLOCK, &row_limits, &column_limits, hits))
    }

    /// Raises limits to the largest gap from the first of some positions to each.
    fn add(&self, positions: std::ops::Range<usize>, limits: &mut [f64]) {
        let mut gap = 0.0;
        for (limit, position) in limits.iter_mut().zip(positions) {
            *limit = larger(*limit, gap);
            gap = larger(gap, self.gaps[position]);
        }
    }
}
