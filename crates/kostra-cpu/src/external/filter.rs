//! The filter: drops the edges of a block that are certainly not in the forest, and buffers the
//! rest. A thread filters a part of the block at a time, without a branch that depends on the edge.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use kostra_core::{Edges, Key};
use kostra_parallel::{Schedule, Team, lock};

use super::edges::Edge;
use super::sink::Sink;

/// The number of edges that the threads filter before the rest is buffered.
pub(super) const WAVE: usize = 1 << 18;
/// The number of edges that a thread filters at a time. Their arrays fit into its second cache.
pub(super) const PART: usize = 1 << 13;

/// The edges of a part that are left, and how many are not.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Places in the block, ascending. Only the first `left` are valid.
    places: Vec<u32>,
    left: usize,
    dropped: u64,
}

impl Part {
    fn left(&self) -> &[u32] {
        &self.places[..self.left]
    }
}

impl<K: Key> Sink<K> {
    /// Filters the edges of a block from `start` on, and buffers those that are left, until the
    /// buffer is full. Edge `i` has the id `first + i`. Returns the place of the first edge that is
    /// neither dropped nor buffered.
    pub(super) fn filter_block(
        &mut self,
        (edges, first): (Edges<'_, K>, u64),
        mut start: usize,
        team: &Team<'_>,
    ) -> usize {
        let mut parts = std::mem::take(&mut self.parts);
        // After a reduction, at least one part fits into the buffer.
        let size = PART.min(self.limits.buffer);
        let mut fits = true;
        while fits && start < edges.len() {
            let end = edges.len().min(start + WAVE / PART * size);
            let count = (end - start).div_ceil(size);
            let range = |part: usize| start + part * size..end.min(start + (part + 1) * size);
            let used = &mut parts[..count];
            team.for_each(count, Schedule::Dynamic(1), |part| {
                let mut found = lock(&used[part]);
                self.filter_part(edges, range(part), &mut found);
            });
            let fitting = self.buffer_parts((edges, first), used, team);
            (fits, start) = (fitting == count, range(fitting).start.min(end));
        }
        self.parts = parts;
        start
    }

    /// Finds the edges of a part that may be in the forest.
    fn filter_part(&self, edges: Edges<'_, K>, range: Range<usize>, part: &mut Part) {
        part.places.resize(PART, 0); // the first time only
        let (u, v) = (&edges.u()[range.clone()], &edges.v()[range.clone()]);
        let mut left = 0;
        let ends = u.iter().zip(v).zip(&edges.weights()[range.clone()]);
        for (at, ((&u, &v), &weight)) in (range.start as u32..).zip(ends) {
            part.places[left] = at;
            left += usize::from((u != v) & self.levels.keeps(u, v, edges.key_of(weight)));
        }
        part.left = left;
        part.dropped = (range.len() - left) as u64;
    }

    /// Buffers the edges that are left of the first parts, as many parts as fit. Returns the number
    /// of these parts.
    fn buffer_parts(
        &mut self,
        (edges, first): (Edges<'_, K>, u64),
        parts: &mut [Mutex<Part>],
        team: &Team<'_>,
    ) -> usize {
        let parts: Vec<&Part> = parts
            .iter_mut()
            .map(|part| &*part.get_mut().unwrap_or_else(PoisonError::into_inner))
            .collect();
        let mut ends = Vec::with_capacity(parts.len());
        let mut end = self.used;
        for part in &parts {
            end += part.left;
            if end > self.edges.len() {
                break;
            }
            ends.push(end);
            self.statistics.dropped += part.dropped;
            self.statistics.buffered += part.left as u64;
        }
        let places = self.edges.split(self.used, &ends);
        team.for_each(ends.len(), Schedule::Dynamic(1), |part| {
            let mut places = lock(&places[part]);
            for (to, &at) in parts[part].left().iter().enumerate() {
                let ((u, v), weight) = (edges.ends(at), edges.weights()[at as usize]);
                places.set(to, Edge { u, v, weight, id: first + u64::from(at) });
            }
        });
        drop(places);
        self.used = ends.last().copied().unwrap_or(self.used);
        ends.len()
    }
}
