//! The tree of the points that stay.
//!
//! * **Idea**: an edge of the tree between points that stay is in the tree of these points if it
//!   did not become longer. Without it, the old tree has two parts, and it is the first edge
//!   between them. The points that stay have no other edges between these parts than before, and
//!   none became shorter, so it still is the first one (cut property). Rounds of Borůvka's
//!   algorithm join the components of these edges.
//! * **Time** that of a search tree and of some rounds. Only points whose core distance may grow
//!   need their neighbors.

use kostra_core::{OutOfMemory, Run, UnionFind, memory};
use kostra_parallel::Team;

use super::reach::Reach;
use crate::PointsError;
use crate::canonical::larger;
use crate::kd_tree::{self, Pieces};
use crate::pair::{self, Pair};

/// A point that goes.
pub(super) const GONE: u32 = u32::MAX;

/// The pairs of the tree of the points that stay, in the canonical order. `pairs` are those of the
/// tree of all points in this order, and `new` has the new number of each point, or [`GONE`].
/// None if many points have the same coordinates.
pub(super) fn pairs_without(
    pairs: &[Pair],
    new: &[u32],
    reach: Reach<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Option<Vec<Pair>>, PointsError> {
    let Reach { prepared, cores, .. } = reach;
    let (mut forest, guesses) = run.phase("cut", |_| cut(pairs, new, reach))?;
    let (of, sizes) = run.phase("find pieces", |_| pieces(prepared.len(), &forest))?;
    if sizes.len() < 2 {
        return Ok(Some(forest));
    }
    let pieces = Pieces { of: &of, sizes, guesses: &guesses, cores };
    let Some(mut links) = kd_tree::links_of(prepared, pieces, team, run)? else {
        return Ok(None);
    };
    run.phase("sort edges", |_| {
        pair::sort(&mut links, team)?;
        merge(&mut forest, &links)?;
        Ok(Some(forest))
    })
}

/// The pairs between points that stay and that did not become longer, and other pairs that may be
/// in the tree: longer ones, and pairs of neighbors of points that go.
fn cut(
    pairs: &[Pair],
    new: &[u32],
    reach: Reach<'_>,
) -> Result<(Vec<Pair>, Vec<Pair>), OutOfMemory> {
    let mut forest = memory::with_capacity(reach.prepared.len() as usize)?;
    let mut guesses = Vec::new();
    // Each point that goes, and a neighbor that stays.
    let mut neighbors = Vec::new();
    for pair in pairs {
        match [pair.low, pair.high].map(|end| new[end as usize]) {
            [GONE, GONE] => {}
            [GONE, stays] => neighbors.push((pair.low, stays)),
            [stays, GONE] => neighbors.push((pair.high, stays)),
            [low, high] if larger(reach.core(low), reach.core(high)) > pair.compared => {
                guesses.push(reach.pair(low, high));
            }
            [low, high] => forest.push(Pair { low, high, ..*pair }),
        }
    }
    neighbors.sort_unstable();
    let siblings = neighbors.windows(2).filter(|two| two[0].0 == two[1].0);
    guesses.extend(siblings.map(|two| reach.pair(two[0].1, two[1].1)));
    Ok((forest, guesses))
}

/// The component of each point, and the sizes of components.
fn pieces(points: u32, forest: &[Pair]) -> Result<(Vec<u32>, Vec<u32>), OutOfMemory> {
    let mut trees = UnionFind::try_new(points)?;
    for pair in forest {
        trees.union(pair.low, pair.high);
    }
    let mut of = memory::filled(points as usize, GONE)?;
    let mut sizes = Vec::new();
    for point in 0..points {
        let root = trees.find(point) as usize;
        if of[root] == GONE {
            of[root] = sizes.len() as u32;
            sizes.push(0);
        }
        of[point as usize] = of[root];
        sizes[of[root] as usize] += 1;
    }
    Ok((of, sizes))
}

/// Merges sorted pairs into sorted pairs, from the last one on.
fn merge(pairs: &mut Vec<Pair>, others: &[Pair]) -> Result<(), OutOfMemory> {
    memory::reserve(pairs, others.len())?;
    let (mut rest, mut more) = (pairs.len(), others.len());
    pairs.resize(rest + more, Pair::NONE);
    while more > 0 {
        let is_last = rest == 0 || pairs[rest - 1].is_before(&others[more - 1]);
        pairs[rest + more - 1] = if is_last { others[more - 1] } else { pairs[rest - 1] };
        if is_last { more -= 1 } else { rest -= 1 }
    }
    Ok(())
}
