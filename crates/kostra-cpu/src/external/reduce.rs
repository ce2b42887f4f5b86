//! The reduction: replaces the forest by the forest of itself and the buffer.
//!
//! Kruskal's algorithm on the edges of both, which are merged in ascending order. A large buffer is
//! filtered on the way, as in Filter-Kruskal (Osipov, Sanders & Singler 2009): the edges up to a
//! pivot are sorted and united first. Of the heavier edges, those inside the largest component are
//! dropped then, and only the others are sorted.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use kostra_core::{Key, OutOfMemory, prefetch};
use kostra_parallel::{Schedule, Team};

use super::edges::EdgeArrays;
use super::sink::Sink;
use crate::radix_sort_by_key;

/// The number of buffered edges that a thread selects from at a time.
const PART: usize = 1 << 14;
/// How many edges ahead memory is prefetched: it arrives in about the time of some ten edges.
const AHEAD: usize = 24;
/// The number of edges that are sampled for the pivot.
const SAMPLE: usize = 1 << 12;
/// The pivot is such that this many edges per two vertices are not heavier. In a random graph they
/// leave one vertex of twenty outside of the largest component.
const LIGHT_PER_TWO_VERTICES: usize = 3;

/// How far a reduction is.
#[derive(Default)]
struct Progress {
    /// The edges of the old forest that have been united, and those that are in the new forest.
    united: usize,
    kept: usize,
    /// The edges of the buffer that are in the new forest.
    chosen: usize,
}

impl<K: Key> Sink<K> {
    /// Replaces the forest by the forest of itself and the buffer, and builds its tree and levels.
    pub(super) fn reduce(&mut self, team: &Team<'_>) -> Result<(), OutOfMemory> {
        self.unite_all(team)?;
        let (weights, encoding) = (&self.forest.weights, self.encoding);
        let ascending = (weights.len(), |at: usize| encoding.key(weights[at]));
        let center = self.tree.highest_root();
        self.levels.find(ascending, (&self.tree, center));
        Ok(())
    }

    /// Replaces the forest by the forest of itself and the buffer, and builds its tree.
    pub(super) fn unite_all(&mut self, team: &Team<'_>) -> Result<(), OutOfMemory> {
        self.tree.reset(self.vertices)?;
        let mut progress = Progress::default();
        let pivot = self.pivot();
        if let Some(pivot) = pivot {
            let light = self.select(&progress, |_, rank, _| rank < pivot, team);
            self.unite(light, Some(K::rank_key(pivot)), &mut progress);
        }
        let heavy = if let Some(pivot) = pivot {
            self.levels.mark_component(&self.tree, self.tree.highest_root());
            let may_join = |sink: &Self, rank: K::Rank, at: usize| {
                let (u, v) = (sink.buffer.u[at], sink.buffer.v[at]);
                (rank >= pivot) & sink.levels.keeps(u, v, K::rank_key(rank))
            };
            self.select(&progress, may_join, team)
        } else {
            self.select(&progress, |_, _, _| true, team)
        };
        self.unite(heavy, None, &mut progress);
        self.merge(&progress);
        self.buffered = 0;
        self.statistics.reductions += 1;
        Ok(())
    }

    fn rank(&self, at: usize) -> K::Rank {
        self.encoding.key(self.buffer.weights[at]).rank(at as u32)
    }

    /// The pivot of a large buffer.
    fn pivot(&self) -> Option<K::Rank> {
        let stride = self.buffered / SAMPLE;
        if stride == 0 {
            return None;
        }
        let mut sample: Vec<_> = (0..SAMPLE).map(|at| self.rank(at * stride)).collect();
        sample.sort_unstable();
        // Vertices without edges do not count, if it is known which they are.
        let vertices =
            if self.forest.len() > 0 { self.forest.len() } else { self.vertices as usize };
        let light = |at: usize| {
            let key = K::rank_key(sample[at]);
            let of_forest =
                self.forest.weights.partition_point(|&weight| self.encoding.key(weight) <= key);
            of_forest + at * stride
        };
        let ats: Vec<_> = (0..SAMPLE).collect();
        let at = ats.partition_point(|&at| light(at) < vertices * LIGHT_PER_TWO_VERTICES / 2);
        (at < SAMPLE / 2).then(|| sample[at])
    }

    /// Writes the ranks of the buffered edges that pass a test behind those of the chosen edges,
    /// and sorts them. Returns their range.
    fn select(
        &mut self,
        progress: &Progress,
        passes: impl Fn(&Self, K::Rank, usize) -> bool + Sync,
        team: &Team<'_>,
    ) -> Range<usize> {
        let mut spare = std::mem::take(&mut self.spare);
        let parts: Vec<_> =
            spare[..self.buffered].chunks_mut(PART).map(|ranks| Mutex::new((0, ranks))).collect();
        team.for_each(parts.len(), Schedule::Dynamic(1), |part| {
            let mut found = parts[part].lock().unwrap_or_else(PoisonError::into_inner);
            let (count, ranks) = &mut *found;
            for at in part * PART..part * PART + ranks.len() {
                let rank = self.rank(at);
                ranks[*count] = rank;
                *count += usize::from(passes(self, rank, at));
            }
        });
        let start = progress.chosen;
        let mut end = start;
        for part in parts {
            let (count, ranks) = part.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.ranks[end..end + count].copy_from_slice(&ranks[..count]);
            end += count;
        }
        let ranks = &mut self.ranks[start..end];
        let spare_ranks = &mut spare[..ranks.len()];
        let in_spare = {
            let first = ranks.as_ptr();
            let key = |rank| K::rank_key(rank).to_u64();
            radix_sort_by_key(ranks, spare_ranks, key).as_ptr() != first
        };
        if in_spare {
            self.ranks[start..end].copy_from_slice(&spare[..end - start]);
        }
        self.spare = spare;
        start..end
    }

    /// Unites the edges of the forest up to a key, or all, and the edges of the buffer whose ranks
    /// are in a range.
    fn unite(&mut self, sorted: Range<usize>, up_to: Option<K>, progress: &mut Progress) {
        let Self { forest, buffer, tree, ranks, encoding, .. } = self;
        let key_at = |forest: &EdgeArrays<K>, at: usize| encoding.key(forest.weights[at]);
        for next in sorted.start..=sorted.end {
            if let Some(&ahead) = ranks[next..sorted.end].get(AHEAD) {
                let ahead = K::rank_id(ahead) as usize;
                prefetch(&buffer.u, ahead);
                prefetch(&buffer.v, ahead);
            }
            if let Some(&ahead) = ranks[next..sorted.end].get(AHEAD / 2) {
                let ahead = K::rank_id(ahead) as usize;
                tree.prefetch_root(buffer.u[ahead]);
                tree.prefetch_root(buffer.v[ahead]);
            }
            let rank = ranks[next..sorted.end].first().copied();
            // Among equal keys, the edges of the forest come first: their ids are lower.
            let last = rank.map(K::rank_key).or(up_to);
            while progress.united < forest.len() {
                let at = progress.united;
                let key = key_at(forest, at);
                if last.is_some_and(|last| last < key) || tree.is_complete() {
                    break;
                }
                if at + AHEAD < forest.len() {
                    tree.prefetch_root(forest.u[at + AHEAD]);
                    tree.prefetch_root(forest.v[at + AHEAD]);
                }
                let edge = forest.get(at);
                if tree.link(edge.u, edge.v, key) {
                    forest.set(progress.kept, edge);
                    progress.kept += 1;
                }
                progress.united += 1;
            }
            let Some(rank) = rank.filter(|_| !tree.is_complete()) else { break };
            let at = K::rank_id(rank) as usize;
            if tree.link(buffer.u[at], buffer.v[at], K::rank_key(rank)) {
                ranks[progress.chosen] = rank;
                progress.chosen += 1;
            }
        }
    }

    /// Merges the edges of the old forest that were kept with those of the buffer that were chosen,
    /// from the last place to the first. So no edge is overwritten before it is read.
    fn merge(&mut self, progress: &Progress) {
        let Self { forest, buffer, ranks, encoding, .. } = self;
        let &Progress { mut kept, mut chosen, .. } = progress;
        forest.truncate(kept);
        forest.extend_to(kept + chosen);
        while chosen > 0 {
            let rank = ranks[chosen - 1];
            if kept > 0 && encoding.key(forest.weights[kept - 1]) > K::rank_key(rank) {
                forest.set(kept + chosen - 1, forest.get(kept - 1));
                kept -= 1;
            } else {
                if chosen > AHEAD {
                    buffer.prefetch(K::rank_id(ranks[chosen - 1 - AHEAD]) as usize);
                }
                let edge = buffer.get(K::rank_id(rank) as usize);
                forest.set(kept + chosen - 1, edge);
                chosen -= 1;
            }
        }
    }
}
