//! Uniform random sets of vertex pairs, in ascending order.
//!
//! Up to a quarter of all pairs: pairs are drawn until m distinct ones exist (Batagelj & Brandes
//! 2005). The first pass draws m pairs; each later pass draws one pair per repetition. O(n + m)
//! time. 16 million edges on 4 million vertices have about 16 repetitions.
//!
//! Whether a later pair is a repetition depends on all pairs of the first pass. In memory, the
//! sorted pairs answer this. A stream of edges sorts the pairs of the first pass twice: the first
//! time only counts them, and finds which candidates for later passes they contain.
//!
//! More pairs: see [`selection`](crate::selection).

use std::ops::Range;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;

use crate::draw::{Draw, Edge};
use crate::drawn::Draws;
use crate::random::{self, below};
use crate::share::Share;
use crate::source::{Drawn, EdgeEnds, EdgeSource, Emit, SourceRun, StopReason};

/// The number of pairs of `n` vertices.
pub(crate) fn pairs(vertices: u64) -> u128 {
    u128::from(vertices) * u128::from(vertices.saturating_sub(1)) / 2
}

/// The number of pairs with a first end below `u`.
pub(crate) fn pairs_before(vertices: u64, u: u64) -> u64 {
    (u128::from(u) * (2 * u128::from(vertices) - u128::from(u) - 1) / 2) as u64
}

/// The first end of the pair at a position in ascending order, by binary search.
pub(crate) fn row_of(vertices: u64, pair: u64) -> u64 {
    let (mut low, mut high) = (0, vertices);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if pairs_before(vertices, middle) <= pair { low = middle } else { high = middle }
    }
    low
}

/// The pair drawn at an index, its lower end first.
#[inline(always)]
fn pair(stream: RandomStream, vertices: u64, index: u64) -> (Vertex, Vertex) {
    let u = below(stream, 2 * index, vertices);
    let other = below(stream, 2 * index + 1, vertices - 1);
    let v = other + u64::from(other >= u);
    (u.min(v) as Vertex, u.max(v) as Vertex)
}

/// Pairs that are drawn until `edges` distinct ones exist; at most a quarter of all pairs.
pub(crate) struct Uniform {
    vertices: u64,
    edges: u64,
    stream: RandomStream,
}

impl Uniform {
    pub(crate) fn new(vertices: u64, edges: u64, seed: u64) -> Self {
        Self { vertices, edges, stream: random::stream(seed, "pairs") }
    }

    fn pair(&self, index: u64) -> Edge {
        pair(self.stream, self.vertices, index)
    }

    /// The pairs of the first pass.
    fn draws(&self) -> Draws<impl Draw> {
        let (stream, vertices) = (self.stream, self.vertices);
        Draws { vertices, draws: self.edges, draw: move |index| pair(stream, vertices, index) }
    }

    /// The pairs of later passes, ascending, given how many distinct pairs there are so far, with
    /// these later ones. `is_new` says whether the first pass lacks the pair of an index; its error
    /// ends the search.
    fn late<E>(
        &self,
        mut have: impl FnMut(usize) -> u64,
        mut is_new: impl FnMut(u64, Edge) -> Result<bool, E>,
    ) -> Result<Vec<Edge>, E> {
        let mut late = Vec::new();
        let mut index = self.edges;
        loop {
            let have = have(late.len());
            if have == self.edges {
                return Ok(late);
            }
            // Never more pairs than are missing: a choice among them would favor some pairs.
            for _ in have..self.edges {
                let pair = self.pair(index);
                if is_new(index, pair)? {
                    late.push(pair);
                }
                index += 1;
            }
            late.sort_unstable();
            late.dedup();
        }
    }

    /// As [`late`](Self::late), without the pairs of the first pass in memory.
    fn late_of_stream(&self, run: &SourceRun<'_>) -> Result<Vec<Edge>, StopReason> {
        if self.edges == 0 {
            return Ok(Vec::new());
        }
        // Repetitions: each of m pairs meets each other with probability 1 / N.
        let repetitions = u128::from(self.edges).pow(2) / pairs(self.vertices).max(1);
        let mut count = (repetitions as u64).max(LEAST_CANDIDATES);
        loop {
            let mut candidates: Vec<_> =
                (self.edges..self.edges + count).map(|index| (self.pair(index), index)).collect();
            candidates.sort_unstable();
            let mut is_new = vec![true; count as usize];
            let (mut distinct, mut next) = (0, 0);
            self.draws().sorted(run, &mut |wave| {
                for ends in wave.iter().filter(|ends| ends.len() > 0) {
                    distinct += ends.len() as u64;
                    let last = ends.at(ends.len() - 1);
                    while let Some((pair, index)) = candidates.get(next).filter(|c| c.0 <= last) {
                        is_new[(index - self.edges) as usize] = !contains(ends, *pair);
                        next += 1;
                    }
                }
                Ok(())
            })?;
            let known =
                |index: u64, _| is_new.get((index - self.edges) as usize).copied().ok_or(());
            match self.late(|late| distinct + late as u64, known) {
                Ok(late) => return Ok(late),
                Err(()) => count *= 2,
            }
        }
    }
}

/// The least number of candidates for later passes.
const LEAST_CANDIDATES: u64 = 64;

/// The number of ascending edges before a pair.
fn position(u: &[Vertex], v: &[Vertex], (first, second): Edge) -> usize {
    let start = u.partition_point(|&end| end < first);
    let row = u[start..].partition_point(|&end| end == first);
    start + v[start..start + row].partition_point(|&end| end < second)
}

/// Whether ascending edges contain a pair.
fn contains(ends: &EdgeEnds, pair: Edge) -> bool {
    let at = position(&ends.u, &ends.v, pair);
    at < ends.len() && ends.at(at) == pair
}

impl EdgeSource for Uniform {
    fn edges(&self) -> Option<u64> {
        Some(self.edges)
    }

    fn run(&self, run: &SourceRun<'_>, _ids: Range<u64>, emit: Emit<'_>) -> Result<(), StopReason> {
        let late = self.late_of_stream(run)?;
        let mut late = &late[..];
        self.draws().sorted(run, &mut |wave| {
            let end = wave.iter().rfind(|ends| ends.len() > 0);
            let end = end.map(|ends| ends.at(ends.len() - 1));
            if end.is_none_or(|end| late.first().is_none_or(|&first| first > end)) {
                return emit(wave);
            }
            let mut wave = wave.to_vec();
            for ends in wave.iter_mut().filter(|ends| ends.len() > 0) {
                let last = ends.at(ends.len() - 1);
                let (own, others) = late.split_at(late.partition_point(|&pair| pair < last));
                merge(&mut ends.u, &mut ends.v, own);
                late = others;
            }
            emit(&wave)
        })?;
        let mut rest = EdgeEnds::default();
        late.iter().for_each(|&(u, v)| rest.push(u, v));
        emit(&[rest])
    }

    fn drawn(&self) -> Option<&dyn Drawn> {
        Some(self)
    }
}

impl Drawn for Uniform {
    fn part(&self, run: &SourceRun<'_>, share: Share<'_>) -> Result<(EdgeEnds, u64), StopReason> {
        let mut ends = self.draws().collect(run, share)?;
        let own =
            if share.is_whole() { 0..self.vertices as Vertex } else { share.rows(self.vertices) };
        let is_new = |_, pair: Edge| Ok(own.contains(&pair.0) && !contains(&ends, pair));
        let late: Result<_, StopReason> = self.late(|late| share.sum(ends.len() + late).1, is_new);
        let late = late?;
        merge(&mut ends.u, &mut ends.v, &late);
        let (first, _) = share.sum(ends.len());
        Ok((ends, first))
    }
}

/// Merges other ascending edges into ascending edges, from the back, in place.
pub(crate) fn merge(u: &mut Vec<Vertex>, v: &mut Vec<Vertex>, late: &[Edge]) {
    let mut left = u.len();
    for ends in [&mut *u, &mut *v] {
        // The arrays are full. Doubling them would copy the whole graph to new memory.
        ends.reserve_exact(late.len());
        ends.resize(left + late.len(), 0);
    }
    for (earlier, &pair) in late.iter().enumerate().rev() {
        let before = position(&u[..left], &v[..left], pair);
        for ends in [&mut *u, &mut *v] {
            ends.copy_within(before..left, before + earlier + 1);
        }
        (u[before + earlier], v[before + earlier]) = pair;
        left = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_a_few_edges_does_not_double_the_arrays() {
        let (mut u, mut v) = (vec![0; 1000].into_boxed_slice().into_vec(), (1..=1000).collect());
        merge(&mut u, &mut v, &[(1, 2), (1, 3)]);
        assert_eq!((u.len(), &u[999..], &v[999..]), (1002, &[0, 1, 1][..], &[1000, 2, 3][..]));
        assert!(u.capacity() < 1500 && v.capacity() < 1500);
    }

    #[test]
    fn every_pair_is_equally_likely() {
        // 3 and 9 of the 15 pairs of 6 vertices: by draws and by selection. Bounds are four
        // standard deviations.
        for (edges, expected, bound) in [(3, 1000, 113), (9, 3000, 139)] {
            let mut count = [[0_u32; 6]; 6];
            for seed in 0..5000 {
                let graph =
                    crate::generate(&format!("gnm:n=6,m={edges},seed={seed}")).unwrap().graph;
                assert_eq!(graph.edges() as u64, edges);
                for (&u, &v) in graph.u().iter().zip(graph.v()) {
                    count[u as usize][v as usize] += 1;
                }
            }
            for (u, count) in count.iter().enumerate() {
                for (v, &count) in count.iter().enumerate() {
                    let expected = if u < v { expected } else { 0 };
                    assert!(count.abs_diff(expected) < bound, "{u} {v}: {count}");
                }
            }
        }
    }

    #[test]
    fn late_edges_find_their_places() {
        let (mut u, mut v) = (vec![0, 1, 3], vec![5, 2, 4]);
        merge(&mut u, &mut v, &[(0, 1), (1, 3), (7, 8)]);
        assert_eq!((u, v), (vec![0, 0, 1, 1, 3, 7], vec![1, 5, 2, 3, 4, 8]));
    }
}
