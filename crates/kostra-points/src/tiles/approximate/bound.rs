//! How much longer a spanning tree may be than the minimum, by sampled sets of points.
//!
//! Notation: `c(t)` is the number of components of the graph of all pairs whose distance is at most
//! `t`. The length of the minimum spanning tree is the integral of `c(t) - 1` (Chazelle, Rubinfeld
//! & Trevisan 2005).
//!
//! 1. *Sets.* Kruskal's algorithm on the given tree makes sets of points. A set `S` appears at the
//!    *birth* `b(S)`, the longest distance inside of it, and is merged at the *death* `e(S)`. Leave
//!    out the sets of a chain from the whole tree down to one point, always the larger half. The
//!    tree's length is the sum of `e(S) - b(S)` over the others, because at each `t` one component
//!    is in the chain.
//! 2. *What is missing.* Let `m(S)` be the exact shortest distance between a point of `S` and a
//!    point outside. From `b(S)` to `m(S)`, no pair of the graph leaves `S`, so that `S` has a
//!    component of its own, and one more component is outside of all such sets. Hence the minimum
//!    is at least the tree's length less the sum of `g(S) = e(S) - max(b(S), m(S))`, where this is
//!    positive.
//! 3. *Balls.* For sets that are too large to look at, the triangle inequality gives a lower bound
//!    of `m(S)`: the least distance of a point outside to the mean of `S`, less the radius of `S`
//!    around it. The sets with the longest lives have this bound, and others count with their whole
//!    lives.
//! 4. *Samples.* Of the other sets, some are drawn independently with probabilities proportional to
//!    their lives. `g(S)` divided by the life of `S` is a number in `[0, 1]` whose mean, times the
//!    sum of lives, is the sum of `g`.
//! 5. *Confidence.* Hoeffding (1963, theorem 1) bounds the probability that the mean of `m`
//!    independent numbers in `[0, 1]` is at most `z` by `exp(-m KL(z, p))`, if the true mean `p` is
//!    larger. The bound is the `p` for which this is 1 less the confidence. It assumes no
//!    distribution and holds for any number of samples: without a missing link among 2048 samples,
//!    it is 0.15 %.
//!
//! The tree's core distances may be too large. Those of sampled points, and of the points outside
//! whose core distances alone keep them away, are computed exactly. For others, 0 is taken. So
//! `m(S)` is exact or too small, and the bound holds.

use std::collections::HashMap;

use kostra_core::{OutOfMemory, Run, UnionFind, memory};
use kostra_parallel::{Team, for_each_item, into_item, lock};

use crate::canonical::{larger, smaller};
use crate::tiles::merges::Merges;
use crate::tiles::near::{Near, Search};
use crate::tiles::order::{compared_gap, length, rough};
use crate::tiles::rows::BLOCK;
use crate::tiles::{Scratch, in_steps};
use crate::{PointTree, PointsError};

/// The probability that the bound holds.
const CONFIDENCE: f64 = 0.95;
/// For each sample, the mean number of points that are compared with all points.
const ROWS: f64 = 4.0;
/// The most points outside of sets whose core distances are computed. For others, 0 is a bound.
const OUTSIDE: usize = 1 << 14;
/// Large sets that are compared with balls.
const BALLS: usize = 128;
/// Points whose neighbors are compared with the exact ones.
const RECALLED: u64 = 256;

/// How much longer a spanning tree may be than the minimum spanning tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorBound {
    /// The sum of the tree's distances, an upper bound of the minimum.
    pub length: f64,
    /// The minimum is at least this with the probability [`confidence`](Self::confidence).
    pub least: f64,
    /// The probability that `least` is a lower bound; 1 for an exact tree.
    pub confidence: f64,
    /// The part of the nearest neighbors that the search found, or others at their distance, of a
    /// sample of points.
    pub recall: f64,
}

impl ErrorBound {
    /// No error.
    pub(super) fn of_exact(tree: &PointTree) -> Self {
        let length = tree.distances.iter().sum();
        Self { length, least: length, confidence: 1.0, recall: 1.0 }
    }

    /// The most by which the length exceeds the minimum, relative to the minimum. Infinite if only
    /// 0 is known to be a lower bound.
    pub fn relative(&self) -> f64 {
        if self.length == self.least { 0.0 } else { self.length / self.least - 1.0 }
    }
}

/// A set of Kruskal's algorithm that is not in the chain of larger halves.
struct Set {
    /// The places of its points in the order of merges.
    start: u32,
    len: u32,
    /// Compared distances.
    birth: f64,
    death: f64,
    /// The difference of the reported distances.
    life: f64,
}

/// The points in the order of merges, where each set is a range.
struct Places {
    order: Vec<u32>,
    /// The place of each point.
    of: Vec<u32>,
}

impl Places {
    fn new(order: Vec<u32>) -> Result<Self, OutOfMemory> {
        let mut of = memory::zeros(order.len())?;
        (0..).zip(&order).for_each(|(place, point)| of[*point as usize] = place);
        Ok(Self { order, of })
    }

    fn points(&self, set: &Set) -> &[u32] {
        &self.order[set.start as usize..][..set.len as usize]
    }
}

/// What the bound is made of.
pub(super) struct Sampling<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) near: &'a Near,
    pub(super) samples: usize,
    pub(super) min_samples: usize,
}

impl Sampling<'_> {
    pub(super) fn bound(
        &self,
        tree: &Merges,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<ErrorBound, PointsError> {
        let prepared = self.search.prepared;
        let length = tree.pairs().iter().map(|pair| prepared.reported(pair.compared)).sum();
        let places = Places::new(tree.order()?)?;
        let mut sets = self.sets(tree, &places)?;
        sets.sort_by_key(|set| (set.len, set.start));
        let samples = self.samples as f64;
        let (few, whole_life) = affordable(&sets);
        let unseen = self.unseen(sets.split_off(few), &places, team);
        let mut drawn = vec![0_u32; sets.len()];
        let random = self.search.random.split(u64::MAX);
        let mut sums: Vec<f64> = memory::with_capacity(sets.len())?;
        let mut sum = 0.0;
        sums.extend(sets.iter().map(|set| {
            sum += set.life;
            sum
        }));
        for sample in 0..self.samples as u64 {
            let place = random.unit(sample) * sum;
            let set = sums.partition_point(|sum| *sum <= place).min(sets.len().saturating_sub(1));
            drawn.iter_mut().skip(set).take(1).for_each(|count| *count += 1);
        }
        let sampled: Vec<_> = sets.iter().zip(drawn).filter(|(_, count)| *count > 0).collect();
        let missing = self.missing(&sampled, &places, team, run)?;
        let parts = sampled.iter().zip(missing).map(|((set, count), missing)| {
            f64::from(*count) * (missing / set.life).clamp(0.0, 1.0)
        });
        let mean = parts.sum::<f64>() / samples;
        let most = unseen + whole_life * upper_mean(mean, samples);
        let least = larger(0.0, length - most);
        let recall = self.recall(team, run)?;
        Ok(ErrorBound { length, least, confidence: CONFIDENCE, recall })
    }

    /// The sum of upper bounds of `g` of sets that are too large for samples.
    fn unseen(&self, mut sets: Vec<Set>, places: &Places, team: &Team<'_>) -> f64 {
        let (prepared, norm) = (self.search.prepared, self.search.prepared.norm());
        sets.sort_by(|a, b| b.life.total_cmp(&a.life).then(a.start.cmp(&b.start)));
        for_each_item(team, sets.iter_mut().take(BALLS), |set| {
            let points = places.points(set);
            let mut center = vec![0.0; prepared.dimensions()];
            for &point in points {
                for (center, x) in center.iter_mut().zip(prepared.row(point)) {
                    *center += x / points.len() as f64;
                }
            }
            let distance = |point: &u32| rough(norm, &center, prepared.row(*point));
            let (start, end) = (set.start as usize, (set.start + set.len) as usize);
            let radius = points.iter().map(distance).fold(0.0, larger);
            let outside = places.order[..start].iter().chain(&places.order[end..]);
            let nearest = outside.map(distance).fold(f64::INFINITY, f64::min);
            let exit = compared_gap(norm, length(norm, nearest), length(norm, radius));
            let exit = larger(set.birth, smaller(set.death, exit));
            set.life = prepared.reported(set.death) - prepared.reported(exit);
        });
        sets.iter().map(|set| set.life).sum()
    }

    /// The sets that have a life and are not in the chain of larger halves.
    fn sets(&self, tree: &Merges, places: &Places) -> Result<Vec<Set>, PointsError> {
        let prepared = self.search.prepared;
        let n = prepared.len();
        // The set of each representative: its first place, size, and birth.
        let mut roots = memory::collected(places.of.iter().map(|place| (*place, 1_u32, 0.0)))?;
        let mut components = UnionFind::try_new(n)?;
        let mut halves = memory::with_capacity(tree.pairs().len())?;
        for pair in tree.pairs() {
            let ends = [components.find(pair.low), components.find(pair.high)];
            let mut sets = ends.map(|end| {
                let (start, len, birth) = roots[end as usize];
                let death = pair.compared;
                let life = prepared.reported(death) - prepared.reported(birth);
                Set { start, len, birth, death, life }
            });
            sets.sort_by_key(|set| (set.len, set.start));
            components.union(pair.low, pair.high);
            let start = sets[0].start.min(sets[1].start);
            roots[components.find(pair.low) as usize] =
                (start, sets[0].len + sets[1].len, pair.compared);
            halves.push(sets);
        }
        let mut sets = memory::with_capacity(2 * halves.len())?;
        // From the last merge on: the place where the chain's set starts, and its size.
        let mut chain = (0, n);
        for [small, large] in halves.into_iter().rev() {
            let whole = (small.start.min(large.start), small.len + large.len);
            if whole == chain {
                chain = (large.start, large.len);
                sets.push(small);
            } else {
                sets.extend([small, large]);
            }
        }
        sets.retain(|set| set.life > 0.0);
        Ok(sets)
    }

    /// `g` of sampled sets.
    fn missing(
        &self,
        sampled: &[(&Set, u32)],
        places: &Places,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Vec<f64>, PointsError> {
        let core = &self.near.core;
        let mut limits = HashMap::new();
        for (set, _) in sampled {
            for &point in places.points(set) {
                let limit = limits.entry(point).or_insert(0.0);
                *limit = larger(*limit, set.death);
            }
        }
        let mut rows: Vec<_> = limits.into_iter().collect();
        rows.sort_unstable_by_key(|row| row.0);
        let (rows, limits): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let near: HashMap<_, _> =
            rows.iter().copied().zip(self.within(&rows, &limits, team, run)?).collect();
        let mut cores: HashMap<_, _> =
            rows.iter().map(|point| (*point, self.core_in(&near[point]))).collect();
        let exits_of = |set: &Set| {
            let exits = places.points(set).iter().flat_map(|point| {
                near[point].iter().map(move |(compared, other)| (point, *compared, *other))
            });
            let (start, end) = (set.start, set.start + set.len);
            exits.filter(move |exit| !(start..end).contains(&places.of[exit.2 as usize]))
        };
        let outside = sampled.iter().flat_map(|(set, _)| {
            let exits = exits_of(set).filter(|(point, compared, other)| {
                let reach = larger(*compared, cores[*point]);
                !core.is_empty() && reach < set.death && reach < core[*other as usize]
            });
            exits.map(|exit| exit.2).filter(|other| !cores.contains_key(other))
        });
        let mut outside: Vec<_> = outside.collect();
        outside.sort_unstable();
        outside.dedup();
        outside.truncate(OUTSIDE);
        let limits: Vec<_> = outside.iter().map(|point| core[*point as usize]).collect();
        let found = self.within(&outside, &limits, team, run)?;
        cores.extend(outside.into_iter().zip(found.iter().map(|near| self.core_in(near))));
        let missing = sampled.iter().map(|(set, _)| {
            let exits = exits_of(set).map(|(point, compared, other)| {
                let reach = larger(compared, cores[point]);
                larger(reach, cores.get(&other).copied().unwrap_or(0.0))
            });
            let exit = larger(set.birth, exits.fold(set.death, f64::min));
            let prepared = self.search.prepared;
            prepared.reported(set.death) - prepared.reported(exit)
        });
        Ok(missing.collect())
    }

    /// The part of the near points that are as near as nearest points, of a sample. Points at one
    /// distance stand for each other.
    fn recall(&self, team: &Team<'_>, run: &mut Run<'_>) -> Result<f64, PointsError> {
        let (n, lists) = (u64::from(self.search.prepared.len()), &self.near.lists);
        let k = lists.per_point;
        let random = self.search.random.split(u64::MAX - 1);
        let points: Vec<_> = (0..RECALLED).map(|draw| random.below(draw, n) as u32).collect();
        let limits: Vec<_> = points.iter().map(|point| lists.of(*point)[k - 1].0).collect();
        let exact = self.within(&points, &limits, team, run)?;
        let found = points.iter().zip(exact).map(|(point, exact)| {
            lists.of(*point).iter().filter(|near| near.0 <= exact[k - 1].0).count()
        });
        Ok(found.sum::<usize>() as f64 / (k * points.len()) as f64)
    }

    /// All points at most as far as a limit from each of some points, in the order of (compared
    /// distance, point), without the point itself. O(rows * n * d) time.
    fn within(
        &self,
        rows: &[u32],
        limits: &[f64],
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Vec<(f64, u32)>>, PointsError> {
        let selected = self.search.filter.selected(rows);
        let none = [f32::NEG_INFINITY; BLOCK];
        let scaled = limits.chunks(BLOCK).map(|limits| {
            let mut scaled = none;
            scaled
                .iter_mut()
                .zip(limits)
                .for_each(|(to, limit)| *to = self.search.filter.limit(*limit));
            scaled
        });
        let scaled: Vec<_> = scaled.collect();
        let empty = || std::sync::Mutex::new(Vec::new());
        let found: Vec<_> = rows.iter().map(|_| empty()).collect();
        let blocks = scaled.len();
        in_steps(team, run, blocks * self.search.filter.blocks(), |scratch, at| {
            let (block, column) = (at % blocks, at / blocks);
            let Scratch { tile, hits } = scratch;
            tile.compute((&selected, block), (&self.search.filter, column));
            hits.clear();
            tile.within(0..BLOCK, &scaled[block], &none, hits);
            for hit in hits.iter() {
                let row = block * BLOCK + usize::from(hit.row);
                let other = (column * BLOCK) as u32 + u32::from(hit.column);
                if other != rows[row] {
                    let compared = self.search.prepared.compared(rows[row], other);
                    if compared <= limits[row] {
                        lock(&found[row]).push((compared, other));
                    }
                }
            }
        })?;
        let mut found: Vec<_> = found.into_iter().map(into_item).collect();
        for_each_item(team, found.iter_mut(), |list| {
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        });
        Ok(found)
    }

    /// The exact core distance of a point, given its nearest points.
    fn core_in(&self, near: &[(f64, u32)]) -> f64 {
        if self.min_samples > 1 { near[self.min_samples - 2].0 } else { 0.0 }
    }
}

/// How many of the sets, which ascend in size, are small enough to be compared, and the sum of
/// their lives. A drawn set has [`ROWS`] points in the mean.
fn affordable(sets: &[Set]) -> (usize, f64) {
    let (mut life, mut points) = (0.0, 0.0);
    for (few, set) in sets.iter().enumerate() {
        let more = points + set.life * f64::from(set.len);
        if more > ROWS * (life + set.life) {
            return (few, life);
        }
        (life, points) = (life + set.life, more);
    }
    (sets.len(), life)
}

/// The upper end of the confidence interval of the mean of numbers in `[0, 1]`, given the mean of
/// some samples.
fn upper_mean(mean: f64, samples: f64) -> f64 {
    /// More than the bits of a number between 0 and 1.
    const HALVINGS: u32 = 60;
    let divergence = |p: f64| {
        let part = |z: f64, p: f64| if z > 0.0 { z * (z / p).ln() } else { 0.0 };
        part(mean, p) + part(1.0 - mean, 1.0 - p)
    };
    let enough = -(1.0 - CONFIDENCE).ln() / samples;
    let (mut low, mut high) = (mean, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if divergence(middle) < enough { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_divergence() {
        // Without a missing part, (1 - p)^samples is 0.05.
        assert!((upper_mean(0.0, 2048.0) - 0.001_461_7).abs() < 1e-6);
        assert!((1.0 - upper_mean(0.0, 100.0)).powi(100) > 0.049_99);
        assert_eq!(upper_mean(1.0, 100.0), 1.0);
        // Binomial numbers: Clopper and Pearson's 95 % end for 10 of 100 is 0.164.
        assert!((0.164..0.19).contains(&upper_mean(0.1, 100.0)));
    }
}
