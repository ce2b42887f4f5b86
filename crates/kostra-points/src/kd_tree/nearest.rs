//! The nearest neighbors of the points of a leaf, all at once.

use kostra_core::{OutOfMemory, memory};

use super::build::{Tree, distances};
use super::lists::kept_neighbors;
use super::walk::Walk;
use crate::blocks::{LANES, Lanes, bound_of_lowest, largest};
use crate::canonical::{Accumulate, larger, smaller};
use crate::neighbors::{MANY, NearestSelection};

/// From this number of dimensions on, each node is compared with each point of the leaf. In many
/// dimensions, the box of the leaf is near most nodes, while the points are not.
pub(super) const POINTWISE: usize = 4;

/// The `k` nearest neighbors of each point of a leaf so far, in the order of (compared distance,
/// index).
pub(super) struct LeafNeighbors {
    k: usize,
    /// `k` distances for each lane.
    compared: Vec<f64>,
    /// Their indices and positions.
    points: Vec<(u32, u32)>,
    /// For each lane, from [`MANY`] neighbors on; then only the last place is set while searching.
    many: Vec<NearestSelection>,
}

impl LeafNeighbors {
    /// No neighbors yet; `k` is at least 1.
    pub(super) fn new(k: usize) -> Result<Self, OutOfMemory> {
        let compared = memory::filled(LANES * k, f64::INFINITY)?;
        let points = memory::filled(LANES * k, (u32::MAX, u32::MAX))?;
        let lanes = if k < MANY { 0 } else { LANES };
        let many = (0..lanes).map(|_| NearestSelection::new(k)).collect::<Result<_, _>>()?;
        Ok(Self { k, compared, points, many })
    }

    /// The distances, indices and positions of the neighbors of a lane.
    pub(super) fn of(&self, lane: usize) -> (&[f64], &[(u32, u32)]) {
        let range = lane * self.k..(lane + 1) * self.k;
        (&self.compared[range.clone()], &self.points[range])
    }

    /// Finds the neighbors of all points of a leaf.
    #[inline(always)]
    pub(super) fn find<A: Accumulate, const D: usize>(&mut self, tree: &Tree<D>, leaf: usize) {
        self.compared.fill(f64::INFINITY);
        self.points.fill((u32::MAX, u32::MAX));
        let from = &tree.leaves[leaf];
        // The distance of the last place of each lane. Negative for unused lanes.
        let mut reach = [-1.0; LANES];
        // The usual numbers of neighbors.
        let tied = match (self.k, kept_neighbors(D)) {
            (5, 5) => self.start_all::<A, D, 5>(tree, leaf, &mut reach),
            (6, 6) => self.start_all::<A, D, 6>(tree, leaf, &mut reach),
            _ => Lanes((1 << tree.shape.lanes(leaf)) - 1),
        };
        for lane in tied {
            reach[lane] = self.start::<A, D>(tree, leaf, lane);
        }
        let mut widest = largest(&reach);
        let own = tree.shape.leaf_nodes[leaf];
        let mut walk = Walk::<A, D>::new(tree, own, tree.nodes[own as usize]);
        while let Some((bound, number)) = walk.next() {
            let node = &tree.nodes[number as usize];
            if bound > widest
                || bound == widest && !self.may_be_before(node.least_id, &reach, bound)
            {
                continue;
            }
            if node.right != 0 && D < POINTWISE {
                walk.open(number, node, widest);
                continue;
            }
            let bounds = node.bounds::<A>(from);
            let lanes = Lanes::that(|lane| bounds[lane] <= reach[lane]);
            if node.right != 0 {
                if !lanes.is_empty() {
                    walk.open(number, node, widest);
                }
                continue;
            }
            let to = &tree.leaves[node.leaf as usize];
            for lane in lanes {
                let found = distances::<A, D>(from, lane, to);
                for other in Lanes::that(|other| found[other] <= reach[lane]) {
                    let position = node.leaf * LANES as u32 + other as u32;
                    let id = tree.shape.ids[node.leaf as usize][other];
                    reach[lane] = self.insert(lane, found[other], (id, position));
                }
            }
            widest = largest(&reach);
        }
        for (lane, many) in self.many.iter_mut().enumerate() {
            let range = lane * self.k..(lane + 1) * self.k;
            many.finish(&mut self.compared[range.clone()], &mut self.points[range]);
        }
    }

    /// Whether a point at the given distance with this index or a higher one may be a neighbor.
    #[inline(always)]
    fn may_be_before(&self, id: u32, reach: &[f64; LANES], bound: f64) -> bool {
        Lanes::that(|lane| reach[lane] == bound)
            .any(|lane| id < self.points[(lane + 1) * self.k - 1].0)
    }

    /// Finds the first `K` neighbors in their own leaf for all lanes, without branches. Sets
    /// `reach`. Returns the lanes with nearly equal distances, whose order is not clear, and those
    /// with fewer neighbors.
    #[inline(always)]
    fn start_all<A: Accumulate, const D: usize, const K: usize>(
        &mut self,
        tree: &Tree<D>,
        leaf: usize,
        reach: &mut [f64; LANES],
    ) -> Lanes {
        let from = &tree.leaves[leaf];
        let found = distances_inside::<A, D>(from);
        let mut sorted = Sorted::<K> { keys: [[0.0; LANES]; K], next: [0.0; LANES] };
        for first in (0..LANES).step_by(GROUP) {
            sorted.sort(&found, first);
        }
        let used = Lanes((1 << tree.shape.lanes(leaf)) - 1);
        let tied = Lanes(sorted.tied().0 & used.0);
        for lane in used {
            let (compared, points) =
                (&mut self.compared[lane * K..][..K], &mut self.points[lane * K..][..K]);
            for place in 0..K {
                let other = sorted.lane(place, lane);
                compared[place] = found[other][lane];
                points[place] = (tree.shape.ids[leaf][other], (leaf * LANES + other) as u32);
            }
            reach[lane] = compared[K - 1];
        }
        for lane in tied {
            self.compared[lane * K..][..K].fill(f64::INFINITY);
            self.points[lane * K..][..K].fill((u32::MAX, u32::MAX));
        }
        tied
    }

    /// Compares a point with all points of its own leaf. Returns the distance of the last place.
    #[inline(always)]
    fn start<A: Accumulate, const D: usize>(
        &mut self,
        tree: &Tree<D>,
        leaf: usize,
        lane: usize,
    ) -> f64 {
        let mut found = distances::<A, D>(&tree.leaves[leaf], lane, &tree.leaves[leaf]);
        found[lane] = f64::NAN;
        for distance in &mut found {
            // Unused lanes have the distance NaN.
            *distance = if *distance < f64::INFINITY { *distance } else { f64::INFINITY };
        }
        let bound = bound_of_lowest(&found, self.k.min(LANES));
        let mut reach = f64::INFINITY;
        for other in Lanes::that(|other| (found[other] <= bound) & (found[other] < f64::INFINITY)) {
            let position = (leaf * LANES + other) as u32;
            reach = self.insert(lane, found[other], (tree.shape.ids[leaf][other], position));
        }
        reach
    }

    /// Takes a point if it is before the last place. Returns the distance of the last place.
    #[inline(always)]
    fn insert(&mut self, lane: usize, distance: f64, point: (u32, u32)) -> f64 {
        let range = lane * self.k..(lane + 1) * self.k;
        let (compared, points) = (&mut self.compared[range.clone()], &mut self.points[range]);
        let last = compared.len() - 1;
        if let Some(many) = self.many.get_mut(lane) {
            if let Some(known) = many.offer(distance, point) {
                (compared[last], points[last]) = known;
            }
            return compared[last];
        }
        if (distance, point.0) < (compared[last], points[last].0) {
            let mut place = last;
            while place > 0 && (distance, point.0) < (compared[place - 1], points[place - 1].0) {
                (compared[place], points[place]) = (compared[place - 1], points[place - 1]);
                place -= 1;
            }
            (compared[place], points[place]) = (distance, point);
        }
        compared[last]
    }
}

/// The lowest `K` distances of each lane so far, in ascending order, and one more.
///
/// The lowest bits of a distance are replaced by the lane of the other point. So one comparison
/// moves both, and a step is a minimum and a maximum.
struct Sorted<const K: usize> {
    keys: [[f64; LANES]; K],
    /// The lowest of the other keys.
    next: [f64; LANES],
}

/// The bits of a key that hold a lane.
const LANE_BITS: u64 = LANES as u64 - 1;

/// The lanes that are sorted at once: a register of AVX2.
const GROUP: usize = 4;

/// The distances of all points of a leaf.
#[inline(always)]
fn distances_inside<A: Accumulate, const D: usize>(
    leaf: &[[f64; LANES]; D],
) -> [[f64; LANES]; LANES] {
    let mut found = [[0.0; LANES]; LANES];
    for (other, found) in found.iter_mut().enumerate() {
        *found = distances::<A, D>(leaf, other, leaf);
    }
    found
}

impl<const K: usize> Sorted<K> {
    /// Sorts the distances of a group of lanes.
    #[inline(always)]
    fn sort(&mut self, found: &[[f64; LANES]; LANES], first: usize) {
        let mut sorted = [[f64::INFINITY; GROUP]; K];
        let mut next = [f64::INFINITY; GROUP];
        for (other, found) in found.iter().enumerate() {
            let mut keys = [0.0; GROUP];
            for lane in 0..GROUP {
                let bits = found[first + lane].to_bits() & !LANE_BITS | other as u64;
                // A point is not its own neighbor.
                keys[lane] =
                    if first + lane == other { f64::INFINITY } else { f64::from_bits(bits) };
            }
            for place in &mut sorted {
                for lane in 0..GROUP {
                    let (old, key) = (place[lane], keys[lane]);
                    place[lane] = smaller(key, old);
                    keys[lane] = larger(old, key);
                }
            }
            for lane in 0..GROUP {
                next[lane] = smaller(keys[lane], next[lane]);
            }
        }
        for (keys, sorted) in self.keys.iter_mut().zip(&sorted) {
            keys[first..][..GROUP].copy_from_slice(sorted);
        }
        self.next[first..][..GROUP].copy_from_slice(&next);
    }

    /// The lane of the point in a place of a lane.
    #[inline(always)]
    fn lane(&self, place: usize, lane: usize) -> usize {
        (self.keys[place][lane].to_bits() & LANE_BITS) as usize
    }

    /// The lanes with two keys that differ at most in the bits of the other lane, or that are
    /// infinite.
    #[inline(always)]
    fn tied(&self) -> Lanes {
        let distance = |keys: &[f64; LANES], lane: usize| keys[lane].to_bits() | LANE_BITS;
        Lanes::that(|lane| {
            let mut tied = distance(&self.keys[K - 1], lane) == distance(&self.next, lane);
            for place in 1..K {
                let (a, b) = (&self.keys[place - 1], &self.keys[place]);
                tied |= distance(a, lane) == distance(b, lane);
            }
            tied
        })
    }
}
