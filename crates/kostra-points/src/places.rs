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

use kostra_core::random::mix;
use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, for_each_item};

use crate::pair::Pair;
use crate::samples::{Found, NeighborList};
use crate::{PointsError, Prepared};

/// The points of each place.
pub(crate) struct Places {
    /// All points, place by place, in ascending order within a place.
    order: Vec<u32>,
    /// The start of each place in `order`, and the number of points.
    starts: Vec<u32>,
    /// The kept points in ascending order, each with its place.
    kept: Vec<(u32, u32)>,
    /// What each kept point counts as, with the points for which it stands.
    weights: Vec<u32>,
}

/// Whether one of eight points repeats another one, or nearly as many. O(n * d) time on all
/// threads, which is little where all pairs are compared.
pub(crate) fn repeats(prepared: &Prepared<'_>, team: &Team<'_>) -> Result<bool, OutOfMemory> {
    /// Points that a thread takes at a time.
    const POINTS: usize = 1 << 8;
    let mut hashes: Vec<u64> = memory::zeros(prepared.len() as usize)?;
    for_each_item(team, hashes.chunks_mut(POINTS).zip(0..), |(hashes, chunk)| {
        for (hash, point) in hashes.iter_mut().zip((chunk * POINTS) as u32..) {
            // Zero has two forms.
            let bits = prepared.row(point).iter().map(|x| (x + 0.0).to_bits());
            *hash = bits.fold(0, |hash, bits| mix(hash ^ bits));
        }
    });
    hashes.sort_unstable();
    let distinct = hashes.chunk_by(|a, b| a == b).count();
    Ok((hashes.len() - distinct) * 8 >= hashes.len().max(1))
}

impl Places {
    /// Keeps the first `most` points of each place. The last of them stands for the others.
    pub(crate) fn new(prepared: &Prepared<'_>, most: usize) -> Result<Self, OutOfMemory> {
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

    /// The kept points alone, with those for which they stand as their weights.
    pub(crate) fn prepared(&self, all: &Prepared<'_>) -> Result<Prepared<'static>, OutOfMemory> {
        let kept = all.selected(self.kept.iter().map(|&(point, _)| point))?;
        Ok(kept.weighted(memory::copied(&self.weights)?))
    }

    /// The pairs of the tree of all points, from those of the kept points.
    pub(crate) fn expanded(&self, mut pairs: Vec<Pair>) -> Result<Vec<Pair>, OutOfMemory> {
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

    /// Calls `found` with each point and its `k` nearest neighbors. `search` does so for the kept
    /// points: one at each place.
    pub(crate) fn for_each_point(
        &self,
        prepared: &Prepared<'_>,
        k: usize,
        search: impl FnOnce(&Prepared<'_>, usize, &Found<'_>) -> Result<(), PointsError>,
        found: &Found<'_>,
    ) -> Result<(), PointsError> {
        let searched = k.min(self.kept.len() - 1);
        if searched == 0 {
            self.store(0, (&[], &[]), k, found);
            return Ok(());
        }
        search(&self.prepared(prepared)?, searched, &|point, neighbors| {
            self.store(point, neighbors, k, found);
        })
    }

    /// Calls `found` with each point of a kept point's place, from the place's neighbors.
    fn store(&self, kept: u32, (compared, others): NeighborList<'_>, k: usize, found: &Found<'_>) {
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

#[cfg(test)]
mod tests {
    use kostra_parallel::with_team;

    use crate::{Metric, Points};

    use super::*;

    #[test]
    fn sets_repeat_when_one_of_eight_points_does() {
        let repeating = |rows: &[f64]| {
            let points = Points::new(rows, 2).unwrap();
            let prepared = Prepared::new(&points, Metric::Euclidean).unwrap();
            with_team(2, |team| repeats(&prepared, team)).unwrap()
        };
        let distinct: Vec<f64> = (0..1600).map(f64::from).collect();
        assert!(!repeating(&distinct) && !repeating(&[]));
        let with = |copies: Vec<f64>| repeating(&[&copies, &distinct[..]].concat());
        assert!(!with([0.0, 0.0].repeat(100)));
        assert!(with([0.0, 0.0].repeat(120)));
        assert!(with([0.0, 0.0, -0.0, 0.0].repeat(60)), "zero has two forms");
    }
}
