//! Uniform random sets of vertex pairs by selection sampling: a scan over all pairs takes each with
//! the probability that gives exactly m pairs (Fan, Muller & Rezucha 1962, Knuth's Algorithm S).
//!
//! Pair `p` of `N` has a random number in `0..N - p`, and is taken if the number is below the count
//! of pairs that are still wanted. So each choice depends on all earlier ones, but only a little:
//! the count before a block of pairs is known up to a few standard deviations.
//!
//! A thread scans a block with two counts, a lower and an upper bound. A number below both means
//! that the pair is taken, and a number above both that it is not, whatever the true count between
//! them is. The few other pairs stay open. The leader knows the true count before the first block
//! of a wave. It decides the open pairs block by block, which gives the true count before the next
//! block. If a true count is not between the bounds, the leader scans the block again with the true
//! count. So the bounds change the time, and never an edge.
//!
//! O(N) time, which is O(m) because the generator is used for at least a quarter of all pairs.
//! Scratch memory: one wave of blocks.

use std::ops::Range;

use kostra_core::random::RandomStream;
use kostra_parallel::for_each_item;

use crate::draw::Edge;
use crate::pairs::{merge, pairs, pairs_before, row_of};
use crate::random;
use crate::source::{EdgeEnds, EdgeSource, Emit, SourceRun, StopReason};

/// The pairs of a block.
const BLOCK: u64 = 1 << 15;
/// The blocks of a wave for each thread.
const BLOCKS_PER_THREAD: usize = 4;
/// The distance of the bounds from the expected count. The deviation of the number of pairs taken
/// among `n` pairs is at most `sqrt(n) / 2`; so these are eight deviations.
const DISTANCE: f64 = 4.0;

/// A simple graph with exactly `edges` edges, ascending by `(u, v)`.
pub(crate) struct SimpleGraph {
    vertices: u64,
    edges: u64,
    all: u64,
    numbers: RandomStream,
    distance: f64,
}

/// A pair that is taken if the true count exceeds the lower bound by more than `above`.
struct Open {
    edge: Edge,
    above: u64,
}

/// The pairs of a block that are taken.
#[derive(Default)]
struct Block {
    pairs: Range<u64>,
    /// The bounds of the count before the block.
    low: u64,
    high: u64,
    /// The lower bound of the count after the block.
    low_after: u64,
    ends: EdgeEnds,
    open: Vec<Open>,
}

impl SimpleGraph {
    pub(crate) fn new(vertices: u64, edges: u64, seed: u64) -> Self {
        // All pairs of 32-bit ids fit 64 bits.
        let all = pairs(vertices) as u64;
        let numbers = random::stream(seed, "selection");
        Self { vertices, edges, all, numbers, distance: DISTANCE }
    }

    /// Bounds of the count at pair `pair`, if `wanted` pairs are wanted at pair `now`.
    fn bounds(&self, (now, wanted): (u64, u64), pair: u64) -> (u64, u64) {
        let ahead = (pair - now) as f64;
        let share = wanted as f64 / (self.all - now) as f64;
        let distance = self.distance * ahead.sqrt();
        // Out of range, a conversion gives 0.
        let least = (ahead * share - distance) as u64;
        let most = (ahead * share + distance).ceil() as u64;
        (wanted.saturating_sub(most), wanted.saturating_sub(least))
    }

    /// Scans the pairs of a block with both bounds.
    fn scan(&self, block: &mut Block) {
        let Block { pairs, ends, open, .. } = block;
        let (mut low, mut high) = (block.low, block.high);
        let mut taken = 0;
        for array in [&mut ends.u, &mut ends.v] {
            array.resize(BLOCK as usize, 0);
        }
        open.clear();
        let mut pair = pairs.start;
        let mut u = row_of(self.vertices, pair);
        while pair < pairs.end {
            let row = pairs_before(self.vertices, u);
            let row_end = pairs_before(self.vertices, u + 1).min(pairs.end);
            for pair in pair..row_end {
                let v = u + 1 + (pair - row);
                let number = self.numbers.below(pair, self.all - pair);
                // Without a branch: which pairs are taken is random.
                (ends.u[taken], ends.v[taken]) = (u as u32, v as u32);
                let is_taken = u64::from(number < low);
                taken += is_taken as usize;
                if number >= low && number < high {
                    open.push(Open { edge: (u as u32, v as u32), above: number - low });
                    high -= 1;
                }
                low -= is_taken;
                high -= is_taken;
            }
            pair = row_end;
            u += 1;
        }
        ends.u.truncate(taken);
        ends.v.truncate(taken);
        block.low_after = low;
    }

    /// Decides the open pairs of a block, given the true count before it. Returns the count after
    /// it.
    fn decide(&self, block: &mut Block, wanted: u64) -> u64 {
        if !(block.low..=block.high).contains(&wanted) {
            (block.low, block.high) = (wanted, wanted);
            self.scan(block);
        }
        let mut above = wanted - block.low;
        let mut late = Vec::new();
        for open in &block.open {
            if open.above < above {
                late.push(open.edge);
                above -= 1;
            }
        }
        merge(&mut block.ends.u, &mut block.ends.v, &late);
        block.low_after + above
    }
}

impl EdgeSource for SimpleGraph {
    fn edges(&self) -> Option<u64> {
        Some(self.edges)
    }

    fn run(&self, run: &SourceRun<'_>, _ids: Range<u64>, emit: Emit<'_>) -> Result<(), StopReason> {
        run.meter.expect(self.all);
        let blocks = BLOCKS_PER_THREAD * run.team.threads();
        let mut wave: Vec<Block> = (0..blocks).map(|_| Block::default()).collect();
        let (mut now, mut wanted) = (0, self.edges);
        while now < self.all {
            let start = now;
            let mut used = 0;
            for block in &mut wave {
                if now == self.all {
                    break;
                }
                block.pairs = now..self.all.min(now + BLOCK);
                (block.low, block.high) = self.bounds((start, wanted), now);
                now = block.pairs.end;
                used += 1;
            }
            for_each_item(run.team, wave[..used].iter_mut(), |block| self.scan(block));
            let mut ends = Vec::new();
            for block in &mut wave[..used] {
                wanted = self.decide(block, wanted);
                ends.push(std::mem::take(&mut block.ends));
            }
            emit(&ends)?;
            // The memory of the blocks serves the next wave.
            wave.iter_mut().zip(ends).for_each(|(block, ends)| block.ends = ends);
            run.meter.advance(now - start);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kostra_parallel::with_team;

    use super::*;
    use crate::source::Meter;

    fn selected(selection: &SimpleGraph, threads: usize) -> Vec<Edge> {
        let mut edges = Vec::new();
        with_team(threads, |team| {
            let meter = Meter::new(&|_, _| {});
            let run = SourceRun { team, scratch: 0, meter: &meter };
            selection.run(&run, 0..u64::MAX, &mut |wave| {
                edges.extend(wave.iter().flat_map(|ends| (0..ends.len()).map(|at| ends.at(at))));
                Ok(())
            })
        })
        .unwrap();
        edges
    }

    /// Algorithm S, pair by pair.
    fn one_by_one(selection: &SimpleGraph) -> Vec<Edge> {
        let ends = |u| (u + 1..selection.vertices).map(move |v| (u as u32, v as u32));
        let mut wanted = selection.edges;
        let mut take = |(pair, _): &(u64, Edge)| {
            let is_taken = selection.numbers.below(*pair, selection.all - pair) < wanted;
            wanted -= u64::from(is_taken);
            is_taken
        };
        let all = (0..selection.vertices).flat_map(ends);
        (0..).zip(all).filter(|pair| take(pair)).map(|(_, edge)| edge).collect()
    }

    #[test]
    fn all_threads_and_all_bounds_give_the_edges_of_one_scan() {
        for (vertices, share, seed) in [(500, 0.9, 1), (700, 0.3, 2), (650, 0.5, 3), (300, 1.0, 4)]
        {
            let edges = (pairs(vertices) as f64 * share) as u64;
            // Without a distance, most blocks of a wave are scanned again.
            for distance in [DISTANCE, 0.0, 0.3, 100.0] {
                let selection = SimpleGraph { distance, ..SimpleGraph::new(vertices, edges, seed) };
                let expected = one_by_one(&selection);
                assert_eq!(expected.len() as u64, edges);
                for threads in [1, 2, 8] {
                    let found = selected(&selection, threads);
                    assert!(found == expected, "{vertices}, {distance}, {threads} threads");
                }
            }
        }
    }

    #[test]
    fn few_pairs_stay_open_and_the_bounds_hold() {
        let selection = SimpleGraph::new(2000, 1_000_000, 5);
        let wave = 32 * BLOCK;
        let mut wanted = selection.edges;
        let mut open = 0;
        for start in (0..wave).step_by(BLOCK as usize) {
            let (low, high) = selection.bounds((0, selection.edges), start);
            assert!((low..=high).contains(&wanted), "{low} {wanted} {high}");
            let pairs = start..start + BLOCK;
            let mut block = Block { pairs, low, high, ..Block::default() };
            selection.scan(&mut block);
            open += block.open.len();
            wanted = selection.decide(&mut block, wanted);
        }
        assert!(open > 0 && open * 100 < wave as usize, "{open}");
    }

    #[test]
    fn no_pair_and_all_pairs_are_selected() {
        for (vertices, edges) in [(0, 0), (1, 0), (2, 1), (2, 0), (5, 10)] {
            let found = selected(&SimpleGraph::new(vertices, edges, 1), 2);
            assert_eq!(found.len() as u64, edges);
        }
    }
}
