//! The points that came after the base, and the tree of all.
//!
//! * **Idea**: the spanning tree of all points is within the base's tree, the tree of the new
//!   points alone, and for each new point its edges in the tree of the base and itself (cycle
//!   property).
//!   Most edges of the base's tree stay, so they are not visited: the line of the base replaces
//!   this tree, because at every threshold its joints connect the points that the tree connects.
//!   Only the ends of the new edges count in the line, and of the joints between two of them only
//!   the worst one can leave.
//! * **Time** O(k log k) for k new edges, in addition to the searches.

use std::sync::Mutex;

use kostra_core::{OutOfMemory, Run, UnionFind, memory};
use kostra_parallel::{Team, for_each_item, into_item, lock};

use super::base::Base;
use crate::pair::Pair;
use crate::{PointsError, Prepared, kd_tree};

/// The edges that differ from the base's tree.
#[derive(Default)]
pub(super) struct Extension {
    /// The positions of the base's edges that are not in the tree, ascending.
    left: Vec<u32>,
    /// The other edges of the tree, in the canonical order.
    entered: Vec<Pair>,
}

/// An edge between vertices of the contracted graph, and its position in the base's tree.
type Contracted = (Pair, [u32; 2], Option<u32>);

impl Extension {
    /// The extension by further points: all from `first` on. The new points are all behind `base`.
    pub(super) fn with(
        &self,
        base: &Base,
        prepared: &Prepared<'_>,
        first: u32,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Self, PointsError> {
        let start = base.places.len() as u32;
        let mut stars =
            run.phase("search edges", |run| stars_of(base, prepared, first, team, run))?;
        // An edge that was not in a tree never is in a later one.
        stars.extend(self.entered.iter().filter(|pair| pair.low < start));
        let new = prepared.selected(start..prepared.len())?;
        let mut among = kd_tree::pairs_of(&new, 1, team, run)?;
        among
            .iter_mut()
            .for_each(|pair| (pair.low, pair.high) = (pair.low + start, pair.high + start));
        run.phase("contract", |_| Ok(merged(base, &stars, &among, prepared.len())?))
    }

    /// The edges of the tree in the canonical order.
    pub(super) fn pairs(&self, base: &Base) -> Result<Vec<Pair>, OutOfMemory> {
        let mut pairs =
            memory::with_capacity(base.pairs.len() - self.left.len() + self.entered.len())?;
        let (mut left, mut entered) = (self.left.iter().peekable(), self.entered.iter().peekable());
        for (position, pair) in (0..).zip(&base.pairs) {
            if left.next_if_eq(&&position).is_none() {
                while let Some(new) = entered.next_if(|new| new.is_before(pair)) {
                    pairs.push(*new);
                }
                pairs.push(*pair);
            }
        }
        pairs.extend(entered);
        Ok(pairs)
    }
}

/// The edges to the base of each point from `first` on.
fn stars_of(
    base: &Base,
    prepared: &Prepared<'_>,
    first: u32,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    /// The points that a thread takes at a time.
    const CHUNK: usize = 64;
    /// The points between two moments at which the run may be cancelled: a fraction of a second.
    const UNINTERRUPTED: usize = 1 << 12;
    // Searches from near points read the same boxes.
    let order = kd_tree::spatial_order(&prepared.selected(first..prepared.len())?, team)?;
    let found = Mutex::new(Vec::new());
    for (part, points) in order.chunks(UNINTERRUPTED).enumerate() {
        let progress = run.report.progress(part * UNINTERRUPTED, order.len());
        progress.map_err(|_| PointsError::Cancelled)?;
        for_each_item(team, points.chunks(CHUNK), |points| {
            let mut stars = Vec::new();
            for point in points {
                base.star(prepared.row(first + point), first + point, &mut stars);
            }
            lock(&found).extend(stars);
        });
    }
    Ok(into_item(found))
}

/// The tree of a base and new edges, by Kruskal's algorithm on the contracted graph: the new
/// points, then the places of the base at which edges end.
fn merged(
    base: &Base,
    stars: &[Pair],
    among: &[Pair],
    points: u32,
) -> Result<Extension, OutOfMemory> {
    let start = base.places.len() as u32;
    let place = |pair: &Pair| base.places[pair.low as usize];
    let mut stars = memory::collected(stars.iter().map(|pair| (place(pair), *pair)))?;
    stars.sort_unstable_by_key(|(place, _)| *place);
    let mut edges: Vec<Contracted> = memory::with_capacity(2 * stars.len() + among.len())?;
    // The number of places so far, and the last one.
    let (mut places, mut last) = (0, None);
    let new = |point: u32| point - start;
    let old = |number: u32| points - start + number;
    for (place, pair) in stars {
        if last != Some(place) {
            if let Some(before) = last {
                let joint = base.worst_between(before, place);
                let ends = [old(places - 1), old(places)];
                edges.push((base.pairs[joint as usize], ends, Some(joint)));
            }
            (places, last) = (places + 1, Some(place));
        }
        edges.push((pair, [old(places - 1), new(pair.high)], None));
    }
    edges.extend(among.iter().map(|&pair| (pair, [new(pair.low), new(pair.high)], None)));
    edges.sort_unstable_by_key(|(pair, ..)| pair.key());
    let mut trees = UnionFind::try_new(old(places))?;
    let mut extension = Extension::default();
    for (pair, [u, v], joint) in edges {
        match (trees.union(u, v), joint) {
            (true, None) => extension.entered.push(pair),
            (false, Some(joint)) => extension.left.push(joint),
            _ => {}
        }
    }
    extension.left.sort_unstable();
    Ok(extension)
}
