//! A spanning tree from near neighbors: short, but not the shortest.
//!
//! The near neighbors of each point ([`graph`]) make a forest, whose components are joined by short
//! links ([`join`]). All distances are exact. Core distances are those to the near neighbors, so
//! they are exact or too large.

mod graph;
mod join;

use kostra_core::random::RandomStream;
use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Team, for_each_item};

use super::filter::Filter;
use super::lists::Lists;
use super::merges::Merges;
use super::{Tiled, links};
use crate::pair::{self, Pair};
use crate::{PointsError, Prepared};

/// How long to search.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// The least number of near neighbors of a point.
    pub(super) neighbors: usize,
    /// The number of random projection trees.
    pub(super) trees: usize,
    /// The most rounds of the descent.
    pub(super) rounds: usize,
    /// One of this number of points looks for a link to another component, in a round.
    pub(super) part: usize,
    /// Of the random numbers.
    pub(super) seed: u64,
}

/// What all steps of a search read.
pub(super) struct Search<'a> {
    pub(super) prepared: &'a Prepared<'a>,
    /// The rows in the order of points.
    pub(super) filter: Filter,
    pub(super) random: RandomStream,
    /// The number of near neighbors of each point.
    pub(super) neighbors: usize,
    effort: Effort,
}

/// The near points of each point.
pub(super) struct Near {
    pub(super) lists: Lists,
    /// Core distances, if these are the nearest points; otherwise larger ones. None for the metric
    /// itself.
    pub(super) core: Vec<f64>,
}

impl Near {
    pub(super) fn of(
        prepared: &Prepared<'_>,
        lists: Lists,
        min_samples: usize,
    ) -> Result<Self, OutOfMemory> {
        let core = lists.core(prepared, min_samples)?;
        Ok(Self { lists, core })
    }
}

impl<'a> Search<'a> {
    /// For at least `wanted` near points of each point. O(n * d) time.
    pub(super) fn new(
        &Tiled { prepared, ref form }: &Tiled<'a>,
        wanted: usize,
        effort: Effort,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let order: Vec<u32> = memory::collected(0..prepared.len())?;
        let filter = Filter::new(form, prepared, &order, team)?;
        let (random, neighbors) = (RandomStream::new(effort.seed), effort.neighbors.max(wanted));
        Ok(Self { prepared, filter, random, neighbors, effort })
    }

    /// The near points of each point. `min_samples` is at most one more than there are.
    pub(super) fn near(
        &self,
        min_samples: usize,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Near, PointsError> {
        let lists = run.phase("near neighbors", |run| {
            let near = graph::near_points(self, team, run)?;
            Ok::<_, PointsError>(self.exact_lists(&near, team)?)
        })?;
        Ok(Near::of(self.prepared, lists, min_samples)?)
    }

    /// The minimum spanning forest of the graph of near points.
    pub(super) fn forest(&self, near: &Near, team: &Team<'_>) -> Result<Merges, OutOfMemory> {
        let mut pairs = memory::with_capacity(near.lists.nearest.len())?;
        for point in 0..self.prepared.len() {
            pairs.extend(near.lists.of(point).iter().map(|&(compared, other)| {
                let pair = Pair::new(compared, point, other);
                Pair { compared: links::reach(&near.core, &pair), ..pair }
            }));
        }
        pair::sort(&mut pairs, team)?;
        Merges::of(self.prepared.len(), pairs)
    }

    /// A spanning tree that contains the forest.
    pub(super) fn tree(
        &self,
        near: &Near,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Merges, PointsError> {
        let forest = run.phase("join neighbors", |_| self.forest(near, team))?;
        run.phase("join components", |run| {
            join::joined(&join::Joining { search: self, near }, forest, team, run)
        })
    }

    /// The near points of each point with their exact compared distances, in the order of both.
    fn exact_lists(&self, near: &[u32], team: &Team<'_>) -> Result<Lists, OutOfMemory> {
        /// Points that a thread takes at a time.
        const POINTS: usize = 1 << 8;
        let mut lists = memory::filled(near.len(), (f64::INFINITY, u32::MAX))?;
        let per_call = POINTS * self.neighbors;
        let chunks = lists.chunks_mut(per_call).zip(near.chunks(per_call)).zip(0..);
        for_each_item(team, chunks, |((lists, near), chunk)| {
            let rows = lists.chunks_mut(self.neighbors).zip(near.chunks(self.neighbors));
            for ((list, near), point) in rows.zip((chunk * POINTS) as u32..) {
                for (entry, &other) in list.iter_mut().zip(near) {
                    *entry = (self.prepared.compared(point, other), other);
                }
                list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
        });
        Ok(Lists { per_point: self.neighbors, nearest: lists })
    }
}
