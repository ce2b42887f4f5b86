//! Points of few places: many points have the same coordinates.
//!
//! * **Idea**: the search knows few points of each place, and for how many others each stands.
//! * **Why correct**, for neighbors: a point among the first `k` is at one of the `k` places
//!   whose lowest points come first, or at the searching point's own place.
//! * **Why correct**, for the tree: all points of a place have the same reach to any other point.
//!   The first pair of a point that is not the lowest of its place joins it with the lowest point
//!   within its core distance, which is the same point `x` for all of them. Borůvka's rule puts
//!   these pairs into the tree. No other pair `(a, y)` of such a point `a` is in the tree: with the
//!   lowest point `l` of its place, `(l, y)`, `(l, x)` and `(x, a)` come before it, and close a
//!   cycle. So the second point of a place shows the pairs of all further ones.
//! * **Time** O(n log n) for the places, and that of the search among the kept points.

use std::cmp::Ordering;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::Team;

use super::lists::{NeighborList, for_each_leaf};
use super::nearest::LeafNeighbors;
use super::passes;
use super::shape::Shape;
use crate::pair::Pair;
use crate::{PointsError, Prepared};

/// The points of each place.
pub(super) struct Places {
    /// All points, place by place, in ascending order within a place.
    order: Vec<u32>,
    /// The start of each place in `order`, and the number of points.
    starts: Vec<u32>,
    /// The kept points in ascending order, each with its place.
    kept: Vec<(u32, u32)>,
    /// What each kept point counts as, with the points for which it stands.
    pub(super) weights: Vec<u32>,
}

impl Places {
    /// Keeps the first `most` points of each place. The last of them stands for the others.
    pub(super) fn new(prepared: &Prepared<'_>, most: usize) -> Result<Self, OutOfMemory> {
        let mut order = memory::collected(0..prepared.len())?;
        order.sort_unstable_by(|&a, &b| {
            // Coordinates are not NaN.
            prepared.row(a).partial_cmp(prepared.row(b)).unwrap_or(Ordering::Equal).then(a.cmp(&b))
        });
        let mut starts = memory::with_capacity(order.len() + 1)?;
        starts.push(0);
        starts.extend((1..prepared.len()).filter(|&at| {
            let [a, b] = [at - 1, at].map(|at| prepared.row(order[at as usize]));
            a != b
        }));
        starts.push(prepared.len());
        let mut kept = memory::with_capacity(order.len().min(most * (starts.len() - 1)))?;
        for (place, range) in (0..).zip(starts.windows(2)) {
            let points = &order[range[0] as usize..range[1] as usize];
            kept.extend(points.iter().take(most).map(|&point| (point, place)));
        }
        kept.sort_unstable();
        let mut weights = memory::with_capacity(kept.len())?;
        weights.extend(kept.iter().map(|&(point, place)| {
            let range = starts[place as usize] as usize..starts[place as usize + 1] as usize;
            let points = &order[range];
            let stands_for_others = points.get(most - 1) == Some(&point);
            let others = if stands_for_others { &points[most..] } else { &[] };
            let weight = |&point: &u32| prepared.weights().get(point as usize).map_or(1, |&of| of);
            [point].iter().chain(others).map(weight).sum::<u32>()
        }));
        Ok(Self { order, starts, kept, weights })
    }

    /// The points of a place.
    fn of(&self, place: u32) -> &[u32] {
        let [start, end] = [self.starts[place as usize], self.starts[place as usize + 1]];
        &self.order[start as usize..end as usize]
    }

    /// The kept points alone.
    pub(super) fn prepared(&self, all: &Prepared<'_>) -> Result<Prepared<'static>, OutOfMemory> {
        all.selected(self.kept.iter().map(|&(point, _)| point))
    }

    /// The pairs of the tree of all points, from those of the kept points.
    pub(super) fn expanded(&self, mut pairs: Vec<Pair>) -> Result<Vec<Pair>, OutOfMemory> {
        memory::reserve_exact(&mut pairs, self.order.len() - self.kept.len())?;
        for at in 0..pairs.len() {
            let Pair { compared, low, high } = pairs[at];
            let [(u, place_of_u), (v, place_of_v)] = [low, high].map(|at| self.kept[at as usize]);
            pairs[at] = Pair::new(compared, u, v);
            let ends = [(low, v, place_of_u), (high, u, place_of_v)];
            for (end, other, place) in ends {
                let points = self.of(place);
                if points.get(1) == Some(&self.kept[end as usize].0) {
                    let others = points[2..].iter();
                    pairs.extend(others.map(|&point| Pair::new(compared, point, other)));
                }
            }
        }
        Ok(pairs)
    }

    /// Calls `found` with each point and its `k` nearest neighbors. Only one point of each place
    /// is kept.
    pub(super) fn for_each_point(
        &self,
        prepared: &Prepared<'_>,
        k: usize,
        found: &(dyn Fn(u32, NeighborList<'_>) + Sync),
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), PointsError> {
        let searched = k.min(self.kept.len() - 1);
        if searched == 0 {
            self.store(0, (&[], &[]), k, found);
            return Ok(());
        }
        let passes = passes::build(&self.prepared(prepared)?, team)?;
        let shape: &Shape = passes.shape();
        let store = |leaf: usize, neighbors: &LeafNeighbors| {
            for lane in 0..shape.lanes(leaf) {
                self.store(shape.ids[leaf][lane], neighbors.of(lane), k, found);
            }
        };
        for_each_leaf(&*passes, searched, &store, team, run)
    }

    /// Calls `found` with each point of a kept point's place, from the place's neighbors.
    fn store(
        &self,
        kept: u32,
        (compared, others): NeighborList<'_>,
        k: usize,
        found: &(dyn Fn(u32, NeighborList<'_>) + Sync),
    ) {
        let own = self.of(self.kept[kept as usize].1);
        // The first k + 1 points, with those of the place, in order.
        let mut first: Vec<_> = own.iter().take(k + 1).map(|&point| (0.0, point)).collect();
        let mut tied = 0.0;
        for (&distance, (other, _)) in compared.iter().zip(others) {
            if distance > tied && first.len() > k {
                break;
            }
            tied = distance;
            let points = self.of(self.kept[*other as usize].1).iter().take(k + 1);
            first.extend(points.map(|&point| (distance, point)));
        }
        first.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        let (first_compared, first_points): (Vec<_>, Vec<_>) = first
            .iter()
            .take(k + 1)
            .map(|&(distance, point)| (distance, (point, u32::MAX)))
            .unzip();
        // Without the point at `left_out`, the others move up by one place.
        let (mut compared, mut points) = (first_compared[1..].to_vec(), first_points[1..].to_vec());
        let mut left_out = 0;
        for &point in own {
            let at = first_points[left_out..].iter().position(|(other, _)| *other == point);
            let at = at.map_or(k, |at| left_out + at);
            compared[left_out..at].copy_from_slice(&first_compared[left_out..at]);
            points[left_out..at].copy_from_slice(&first_points[left_out..at]);
            left_out = at;
            found(point, (&compared, &points));
        }
    }
}
