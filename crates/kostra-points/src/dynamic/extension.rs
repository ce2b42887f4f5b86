//! The points that came after the base, and the tree of all.
//!
//! * **Idea**: an edge that became shorter has an end whose core distance shrank, and is now below
//!   the core distance that this end had. Call such points and new ones *changed*. All other edges
//!   that are not in the base's tree are the last ones of cycles whose edges did not become longer,
//!   so they stay outside (cycle property). The spanning tree of all points is therefore within the
//!   base's tree, the tree of the changed points alone, and for each changed point its edges in the
//!   tree of the base and itself.
//!   Most edges of the base's tree stay, so they are not visited: the line of the base replaces
//!   this tree, because at every threshold its joints connect the points that the tree connects.
//!   Only the ends of the other edges count in the line, and of the joints between two of them only
//!   the worst one can leave. An edge of the base's tree that became shorter leaves, and a parallel
//!   one enters, or shorter ones instead.
//! * **Time** O(k log k) for k such edges, in addition to the searches.

use kostra_core::{OutOfMemory, Run, UnionFind, memory};
use kostra_parallel::{Team, for_each_item};

use super::base::Base;
use super::reach::{Reach, from_each};
use crate::PointsError;
use crate::kd_tree::{self, Pieces};
use crate::pair::{self, Pair};

/// The edges that differ from the base's tree.
#[derive(Default)]
pub(super) struct Extension {
    /// The positions of the base's edges that are not in the tree, ascending.
    left: Vec<u32>,
    /// The other edges of the tree, in the canonical order.
    entered: Vec<Pair>,
}

impl Extension {
    /// The extension by further points. `changed` has them and those whose core distances shrank,
    /// ascending. None if many changed points have the same coordinates, and core distances.
    pub(super) fn with(
        &self,
        base: &Base,
        reach: Reach<'_>,
        changed: &[u32],
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Option<Self>, PointsError> {
        let (start, n) = (base.places.len() as u32, reach.prepared.len());
        let mut edges = run.phase("search edges", |run| {
            let search = |points: &[u32]| {
                let mut stars = Vec::new();
                points.iter().for_each(|&point| base.star(reach, point, &mut stars));
                Ok(stars)
            };
            from_each(reach.prepared, changed, search, team, run)
        })?;
        // An edge that was not in a tree and did not become shorter never is in a later one.
        let entered = self.entered.iter().filter(|pair| pair.low < start);
        edges.extend(entered.map(|pair| reach.pair(pair.low, pair.high)));
        let mut among = memory::copied(changed)?;
        among.retain(|&point| point < start);
        memory::reserve(&mut among, (n - start) as usize)?;
        among.extend(start..n);
        let Some(pairs) = pairs_among(&among, reach, team, run)? else { return Ok(None) };
        edges.extend(pairs);
        run.phase("contract", |_| Ok(Some(merged(base, edges, n, team)?)))
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

/// The spanning tree of some points, ascending, with the core distances that they have among all.
/// None if many points have the same coordinates, and core distances.
fn pairs_among(
    points: &[u32],
    reach: Reach<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Option<Vec<Pair>>, PointsError> {
    let selected = reach.prepared.selected(points.iter().copied())?;
    let pairs = if reach.cores.is_empty() {
        Some(kd_tree::pairs_of(&selected, 1, team, run)?)
    } else {
        let of = memory::collected(0..selected.len())?;
        let cores = memory::collected(points.iter().map(|&point| reach.core(point)))?;
        let sizes = memory::filled(points.len(), 1)?;
        kd_tree::links_of(
            &selected,
            Pieces { of: &of, sizes, guesses: &[], cores: &cores },
            team,
            run,
        )?
    };
    let renamed = |mut pairs: Vec<Pair>| {
        for pair in &mut pairs {
            (pair.low, pair.high) = (points[pair.low as usize], points[pair.high as usize]);
        }
        pairs
    };
    Ok(pairs.map(renamed))
}

/// The tree of a base and other edges, by Kruskal's algorithm on the contracted graph: the points
/// behind the base, then the places of the base at which edges end. All threads prepare it, and one
/// thread joins its vertices.
fn merged(
    base: &Base,
    mut edges: Vec<Pair>,
    points: u32,
    team: &Team<'_>,
) -> Result<Extension, OutOfMemory> {
    /// What a thread takes at a time.
    const BLOCK: usize = 1 << 10;
    let start = base.places.len() as u32;
    let ends = edges.iter().flat_map(|pair| [pair.low, pair.high]);
    let mut places = memory::with_capacity(2 * edges.len())?;
    places.extend(ends.filter(|&end| end < start).map(|end| base.places[end as usize]));
    places.sort_unstable();
    places.dedup();
    let old = |number: usize| points - start + number as u32;
    let vertex = |point: u32| match point.checked_sub(start) {
        Some(new) => new,
        None => old(places.partition_point(|&place| place < base.places[point as usize])),
    };
    pair::sort(&mut edges, team)?;
    let mut vertices = memory::filled(edges.len(), [0; 2])?;
    let blocks = vertices.chunks_mut(BLOCK).zip(edges.chunks(BLOCK));
    for_each_item(team, blocks, |(vertices, edges)| {
        for (vertices, pair) in vertices.iter_mut().zip(edges) {
            *vertices = [pair.low, pair.high].map(vertex);
        }
    });
    let between = |(number, places): (usize, &[u32])| {
        (base.worst_between(places[0], places[1]), [old(number), old(number + 1)])
    };
    let mut joints = memory::with_capacity(places.len())?;
    joints.extend(places.windows(2).enumerate().map(between));
    joints.sort_unstable();
    let mut trees = UnionFind::try_new(old(places.len()))?;
    let mut extension = Extension::default();
    let mut others = edges.iter().zip(vertices).peekable();
    // After the last joint come the other edges.
    let joints = joints.into_iter().map(Some).chain([None]);
    for joint in joints {
        let worst = joint.map(|(joint, _)| &base.pairs[joint as usize]);
        let is_next = |pair: &Pair| worst.is_none_or(|worst| pair.is_before(worst));
        while let Some((pair, [u, v])) = others.next_if(|(pair, _)| is_next(pair)) {
            if trees.union(u, v) {
                extension.entered.push(*pair);
            }
        }
        if let Some((joint, [u, v])) = joint
            && !trees.union(u, v)
        {
            extension.left.push(joint);
        }
    }
    Ok(extension)
}
