//! The nearest neighbors of the points of a leaf, all at once.

use kostra_core::{OutOfMemory, memory};

use super::build::{Tree, distances};
use super::walk::Walk;
use crate::blocks::{LANES, Lanes, bound_of_lowest, largest};
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
        let from = &tree.leaves[leaf];
        // The distance of the last place of each lane. Negative for unused lanes.
        let mut reach = [-1.0; LANES];
        for (lane, reach) in reach.iter_mut().enumerate().take(tree.lanes(leaf)) {
            *reach = self.start::<A, D>(tree, leaf, lane);
        }
        let mut widest = largest(&reach);
        let mut walk = Walk::<A, D>::new(tree, leaf);
        while let Some((node, _)) = walk.next(|node, _, bound| {
            bound < widest || bound == widest && self.may_be_before(node.least_id, &reach, bound)
        }) {
            if node.leaf as usize == leaf {
                continue;
            }
            let bounds = node.bounds::<A>(from);
            let to = &tree.leaves[node.leaf as usize];
            for lane in Lanes::that(|lane| bounds[lane] <= reach[lane]) {
                let found = distances::<A, D>(from, lane, to);
                for other in Lanes::that(|other| found[other] <= reach[lane]) {
                    let position = node.leaf * LANES as u32 + other as u32;
                    let id = tree.ids[node.leaf as usize][other];
                    reach[lane] = self.insert(lane, found[other], (id, position));
                }
            }
            widest = largest(&reach);
        }
    }

    /// Whether a point at the given distance with this index or a higher one may be a neighbor.
    #[inline(always)]
    fn may_be_before(&self, id: u32, reach: &[f64; LANES], bound: f64) -> bool {
        Lanes::that(|lane| reach[lane] == bound)
            .any(|lane| id < self.points[(lane + 1) * self.k - 1].0)
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
            reach = self.insert(lane, found[other], (tree.ids[leaf][other], position));
        }
        reach
    }

    /// Inserts a point if it is before the last place. Returns the distance of the last place.
    #[inline(always)]
    fn insert(&mut self, lane: usize, distance: f64, point: (u32, u32)) -> f64 {
        let range = lane * self.k..(lane + 1) * self.k;
        let (compared, points) = (&mut self.compared[range.clone()], &mut self.points[range]);
        let last = compared.len() - 1;
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
