//! The merges of Kruskal's algorithm, which answer for the path between two points.

use kostra_core::{OutOfMemory, memory};

use crate::pair::Pair;

/// A forest of points, as a union-find structure without path compression: a point climbs to its
/// parent by the pair that merged their trees, and the pairs ascend on the way to the root. So the
/// last pair on the path between two points is the last one on their ways to their first common
/// ancestor (as Tarjan 1979 checks trees). Union by size: O(log n) a query.
pub(super) struct Merges {
    parents: Vec<u32>,
    /// The pair by which a point climbs; none for roots.
    by: Vec<u32>,
    sizes: Vec<u32>,
    pairs: Vec<Pair>,
}

impl Merges {
    /// The minimum spanning forest of sorted pairs, by Kruskal's algorithm (1956).
    pub(super) fn of(points: u32, sorted: Vec<Pair>) -> Result<Self, OutOfMemory> {
        let n = points as usize;
        let parents = memory::collected(0..points)?;
        let (by, sizes) = (memory::filled(n, u32::MAX)?, memory::filled(n, 1)?);
        let mut merges = Self { parents, by, sizes, pairs: memory::with_capacity(n)? };
        sorted.into_iter().for_each(|pair| merges.merge(pair));
        Ok(merges)
    }

    /// Adds a pair after all others, unless it would close a cycle.
    pub(super) fn merge(&mut self, pair: Pair) {
        let (u, v) = (self.root(pair.low), self.root(pair.high));
        if u == v {
            return;
        }
        let (small, large) =
            if self.sizes[u as usize] < self.sizes[v as usize] { (u, v) } else { (v, u) };
        self.sizes[large as usize] += self.sizes[small as usize];
        self.parents[small as usize] = large;
        self.by[small as usize] = self.pairs.len() as u32;
        self.pairs.push(pair);
    }

    /// The representative of a point's tree.
    pub(super) fn root(&self, mut point: u32) -> u32 {
        while self.parents[point as usize] != point {
            point = self.parents[point as usize];
        }
        point
    }

    /// The last pair on the path between two points of one tree; [`Pair::NONE`] between others.
    pub(super) fn last_between(&self, mut u: u32, mut v: u32) -> Pair {
        let mut last = u32::MAX;
        while u != v {
            let low = if self.by[u as usize] < self.by[v as usize] { &mut u } else { &mut v };
            last = self.by[*low as usize];
            if last == u32::MAX {
                break;
            }
            *low = self.parents[*low as usize];
        }
        self.pairs.get(last as usize).copied().unwrap_or(Pair::NONE)
    }

    /// The pairs, in order.
    pub(super) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The pairs, in order.
    pub(super) fn into_pairs(self) -> Vec<Pair> {
        self.pairs
    }

    /// The points in an order in which those of each tree of each moment are consecutive.
    pub(super) fn order(&self) -> Result<Vec<u32>, OutOfMemory> {
        let n = self.parents.len();
        // Lists of points by representative: the first one is the representative.
        let mut next = memory::filled(n, u32::MAX)?;
        let mut last: Vec<u32> = memory::collected(0..n as u32)?;
        let mut merged = memory::zeros::<u32>(self.pairs.len())?;
        for (point, &by) in self.by.iter().enumerate().filter(|(_, by)| **by != u32::MAX) {
            merged[by as usize] = point as u32;
        }
        for small in merged {
            let large = self.parents[small as usize] as usize;
            next[last[large] as usize] = small;
            last[large] = last[small as usize];
        }
        let mut order = memory::with_capacity(n)?;
        for root in (0..n as u32).filter(|point| self.by[*point as usize] == u32::MAX) {
            order.extend(std::iter::successors(Some(root), |point| {
                Some(next[*point as usize]).filter(|next| *next != u32::MAX)
            }));
        }
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;

    use super::*;

    #[test]
    fn paths_have_their_last_pair_and_trees_are_ranges() {
        let random = RandomStream::new(3);
        let pair = |i: u64| {
            let end = |k| random.below(3 * i + k, 40) as u32;
            Pair::new(random.below(3 * i, 9) as f64, end(1), end(2))
        };
        let mut pairs: Vec<_> = (0..60).map(pair).filter(|pair| pair.low < pair.high).collect();
        pairs.sort_by_key(Pair::key);
        let merges = Merges::of(40, pairs).unwrap();
        let order = merges.order().unwrap();
        // The last pair on the path: the first one that joins both points.
        let joined_at = |u: u32, v: u32| {
            (0..=merges.pairs().len()).find(|count| {
                let some = Merges::of(40, merges.pairs()[..*count].to_vec()).unwrap();
                some.root(u) == some.root(v)
            })
        };
        for i in 0..40 {
            for j in i + 1..40 {
                let last = joined_at(order[i], order[j])
                    .map_or(Pair::NONE, |count| merges.pairs()[count - 1]);
                assert_eq!(merges.last_between(order[i], order[j]), last);
                let gaps = (i..j).map(|at| merges.last_between(order[at], order[at + 1]).key());
                assert_eq!(gaps.max(), Some(last.key()), "the largest gap between {i} and {j}");
            }
        }
    }
}
