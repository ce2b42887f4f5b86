//! Joins the components of a forest by short links.
//!
//! In each round, every component but the largest one looks for its shortest link to any other
//! component, as in Borůvka's algorithm (1926). Small components compare all their points with all
//! points, so that their links are exact. Of large ones, some points compare, and the best link is
//! improved by moving its ends to near neighbors while it becomes shorter.

use std::sync::Mutex;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Team, into_item, lock};

use super::{Near, Search};
use crate::PointsError;
use crate::blocks::{LANES, Lanes};
use crate::pair::{self, Pair};
use crate::tiles::links;
use crate::tiles::merges::Merges;
use crate::tiles::rows::BLOCK;
use crate::tiles::{Scratch, in_steps};

/// The most points of all components together that are compared with all points, in a round.
const COMPARED: usize = 1 << 11;

/// What a round reads.
pub(super) struct Joining<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) near: &'a Near,
}

/// A spanning tree that contains a forest.
pub(super) fn joined(
    joining: &Joining<'_>,
    mut forest: Merges,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Merges, PointsError> {
    let n = joining.search.prepared.len();
    while forest.pairs().len() + 1 < n as usize {
        let roots = memory::collected((0..n).map(|point| forest.root(point)))?;
        let rows = some_of_each(&roots, joining.search.effort.part)?;
        let mut best = joining.nearest_in_others(&rows, &roots, team, run)?;
        // The first link of each component, and then improved.
        best.sort_unstable_by_key(|(root, pair)| (*root, pair.key()));
        best.dedup_by_key(|(root, _)| *root);
        let mut pairs: Vec<_> =
            best.iter().map(|(_, pair)| joining.improved(*pair, &roots)).collect();
        pairs.extend_from_slice(forest.pairs());
        pair::sort(&mut pairs, team)?;
        forest = Merges::of(n, pairs)?;
    }
    Ok(forest)
}

/// Points of each component but the largest one, spread over its points.
fn some_of_each(roots: &[u32], part: usize) -> Result<Vec<u32>, OutOfMemory> {
    let mut members: Vec<(u32, u32)> =
        memory::collected(roots.iter().copied().zip(0..roots.len() as u32))?;
    members.sort_unstable();
    let components: Vec<_> = members.chunk_by(|a, b| a.0 == b.0).collect();
    let largest = (0..components.len()).max_by_key(|at| (components[*at].len(), *at));
    let per_component = (COMPARED.min(roots.len() / part) / components.len()).max(1);
    let others = (0..components.len()).filter(|at| Some(*at) != largest);
    let rows = others.flat_map(|at| {
        let component = components[at];
        let step = component.len().div_ceil(per_component);
        component.iter().step_by(step).map(|(_, point)| *point)
    });
    Ok(rows.collect())
}

impl Joining<'_> {
    fn reach(&self, u: u32, v: u32) -> Pair {
        let pair = Pair::new(self.search.prepared.compared(u, v), u, v);
        Pair { compared: links::reach(&self.near.core, &pair), ..pair }
    }

    /// The component of each row, and the row's first pair with a point of another component.
    fn nearest_in_others(
        &self,
        rows: &[u32],
        roots: &[u32],
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Vec<(u32, Pair)>, PointsError> {
        /// Blocks of columns that a thread takes at a time.
        const STRIPE: usize = 8;
        let filter = &self.search.filter;
        let selected = filter.selected(rows);
        let best: Vec<_> = rows.chunks(BLOCK).map(|_| Mutex::new([Pair::NONE; BLOCK])).collect();
        let stripes = filter.blocks().div_ceil(STRIPE);
        in_steps(team, run, best.len() * stripes, |Scratch { tile, .. }, at| {
            let (block, stripe) = (at % best.len(), at / best.len());
            let points = &rows[block * BLOCK..rows.len().min((block + 1) * BLOCK)];
            let mut found = *lock(&best[block]);
            for column in stripe * STRIPE..filter.blocks().min((stripe + 1) * STRIPE) {
                tile.compute((&selected, block), (filter, column));
                for ((row, &point), found) in points.iter().enumerate().zip(&mut found) {
                    let mut limit = filter.limit(found.compared);
                    for chunk in 0..filter.positions(column).len().div_ceil(LANES) {
                        let bounds = tile.sums(row, chunk);
                        for lane in Lanes::that(|lane| bounds[lane] <= limit) {
                            let other = (column * BLOCK + chunk * LANES + lane) as u32;
                            let is_other = roots.get(other as usize).is_some_and(|root| {
                                *root != roots[point as usize] && bounds[lane] <= limit
                            });
                            if is_other {
                                let pair = self.reach(point, other);
                                if pair.is_before(found) {
                                    *found = pair;
                                    limit = filter.limit(pair.compared);
                                }
                            }
                        }
                    }
                }
            }
            for (best, found) in lock(&best[block]).iter_mut().zip(found) {
                if found.is_before(best) {
                    *best = found;
                }
            }
        })?;
        let best = best.into_iter().flat_map(into_item);
        Ok(rows.iter().map(|point| roots[*point as usize]).zip(best).collect())
    }

    /// A link that no step of an end to one of its near points in its component makes shorter.
    fn improved(&self, mut link: Pair, roots: &[u32]) -> Pair {
        loop {
            let ends = [(link.low, link.high), (link.high, link.low)];
            let steps = ends.into_iter().flat_map(|(from, fixed)| {
                let near = self.near.lists.of(from).iter();
                let near = near.filter(move |(_, to)| roots[*to as usize] == roots[from as usize]);
                near.map(move |(_, to)| self.reach(*to, fixed))
            });
            match steps.min_by_key(Pair::key) {
                Some(better) if better.is_before(&link) => link = better,
                _ => return link,
            }
        }
    }
}
