//! The nearest neighbors of the points of a leaf, all at once.

use kostra_core::{OutOfMemory, memory};

use super::build::{Tree, distances};
use super::walk::Walk;
use crate::blocks::LANES;
use crate::canonical::Accumulate;

/// The `k` nearest neighbors of each point of a leaf so far, in the order of (compared distance,
/// index).
pub(super) struct LeafNeighbors {
    k: usize,
    /// `k` distances for each lane.
    compared: Vec<f64>,
    /// Their indices and positions.
    points: Vec<(u32, u32)>,
}

impl LeafNeighbors {
    /// No neighbors yet; `k` is at least 1.
    pub(super) fn new(k: usize) -> Result<Self, OutOfMemory> {
        let compared = memory::filled(LANES * k, f64::INFINITY)?;
        Ok(Self { k, compared, points: memory::filled(LANES * k, (u32::MAX, u32::MAX))? })
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
        let lanes = tree.lanes(leaf);
        // The distance of the last place, for all lanes.
        let mut reach = [f64::INFINITY; LANES];
        let from = &tree.leaves[leaf];
        for lane in 0..lanes {
            self.compare::<A, D>(tree, from, (leaf, lane), leaf, &mut reach);
        }
        let mut widest = largest(&reach, lanes);
        let mut walk = Walk::<A, D>::new(tree, leaf);
        while let Some((node, _)) = walk.next(|node, _, bound| {
            bound < widest
                || bound == widest && self.may_be_before(node.least_id, lanes, &reach, bound)
        }) {
            if node.leaf as usize == leaf {
                continue;
            }
            let bounds = node.bounds::<A>(from);
            for lane in 0..lanes {
                if bounds[lane] <= reach[lane] {
                    self.compare::<A, D>(tree, from, (leaf, lane), node.leaf as usize, &mut reach);
                }
            }
            widest = largest(&reach, lanes);
        }
    }

    /// Whether a point at the given distance with this index or a higher one may be a neighbor.
    #[inline(always)]
    fn may_be_before(&self, id: u32, lanes: usize, reach: &[f64; LANES], bound: f64) -> bool {
        (0..lanes).any(|lane| reach[lane] == bound && id < self.points[(lane + 1) * self.k - 1].0)
    }

    /// Compares a point with all points of a leaf.
    #[inline(always)]
    fn compare<A: Accumulate, const D: usize>(
        &mut self,
        tree: &Tree<D>,
        from: &[[f64; LANES]; D],
        own: (usize, usize),
        leaf: usize,
        reach: &mut [f64; LANES],
    ) {
        let lane = own.1;
        let found = distances::<A, D>(from, lane, &tree.leaves[leaf]);
        if !found.iter().fold(false, |any, &distance| any | (distance <= reach[lane])) {
            return;
        }
        for (other, &distance) in found.iter().enumerate() {
            if distance <= reach[lane] && (leaf, other) != own {
                let point = (tree.ids[leaf][other], (leaf * LANES + other) as u32);
                reach[lane] = self.insert(lane, distance, point);
            }
        }
    }

    /// Inserts a point if it is before the last place. Returns the distance of the last place.
    #[inline(always)]
    fn insert(&mut self, lane: usize, distance: f64, point: (u32, u32)) -> f64 {
        let range = lane * self.k..(lane + 1) * self.k;
        let (compared, points) = (&mut self.compared[range.clone()], &mut self.points[range]);
        let mut place = self.k;
        while place > 0 && (distance, point.0) < (compared[place - 1], points[place - 1].0) {
            if place < self.k {
                (compared[place], points[place]) = (compared[place - 1], points[place - 1]);
            }
            place -= 1;
        }
        if place < self.k {
            (compared[place], points[place]) = (distance, point);
        }
        compared[self.k - 1]
    }
}

/// The largest value of the used lanes.
#[inline(always)]
fn largest(values: &[f64; LANES], lanes: usize) -> f64 {
    values[..lanes].iter().fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}
