//! The filter: drops the edges of a block that are certainly not in the forest, and buffers the
//! rest.
//!
//! A thread filters a part of the block at a time, in two steps. The first step compares every edge
//! with a pivot, without a branch that depends on the edge. The second step climbs the tree for the
//! edges that are left. On edges in random order, the first step leaves hardly an edge that the
//! second step could drop. So the second step is tried on a sample of the parts, and is used on the
//! other parts only if it dropped enough edges of the sample.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use kostra_core::{Edges, Key, OutOfMemory};
use kostra_parallel::{Schedule, Team};

use super::edges::Edge;
use super::sink::{Sink, Statistics};

/// The number of edges that the threads filter before the rest is buffered.
pub(super) const WAVE: usize = 1 << 18;
/// The number of edges that a thread filters at a time. Their arrays fit into its second cache.
pub(super) const PART: usize = 1 << 13;
/// Every part of this many is a sample for the climbs.
const SAMPLED: usize = 16;
/// Climbing pays if it drops one of this many edges: it costs a third of buffering and sorting.
const WORTHWHILE: u64 = 4;
/// How many edges ahead the tree is prefetched: it arrives in about the time of some climbs.
const AHEAD: usize = 8;

/// The edges of a part that are left, and how many are not.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Places in the block, ascending. Only the first `left` are valid.
    places: Vec<u32>,
    left: usize,
    dropped_by_pivot: u64,
    dropped_by_path: u64,
}

impl Part {
    fn left(&self) -> &[u32] {
        &self.places[..self.left]
    }
}

impl<K: Key> Sink<K> {
    /// Filters the edges of a block, and buffers those that are left. Edge `i` has the id
    /// `first + i`.
    pub(super) fn filter_block(
        &mut self,
        (edges, first): (Edges<'_, K>, u64),
        team: &Team<'_>,
    ) -> Result<(), OutOfMemory> {
        let mut parts = std::mem::take(&mut self.parts);
        // After a reduction, at least one part fits into the buffer.
        let size = PART.min(self.limits.buffer);
        let mut start = 0;
        while start < edges.len() {
            let end = edges.len().min(start + WAVE / PART * size);
            let count = (end - start).div_ceil(size);
            let range = |part: usize| start + part * size..end.min(start + (part + 1) * size);
            let used = &mut parts[..count];
            team.for_each(count, Schedule::Dynamic(1), |part| {
                let mut found = used[part].lock().unwrap_or_else(PoisonError::into_inner);
                self.filter_part(edges, range(part), part % SAMPLED == 0, &mut found);
            });
            start = self.buffer_parts((edges, first), (&mut parts[..count], range), team)?;
        }
        self.parts = parts;
        Ok(())
    }

    /// Finds the edges of a part that may be in the forest.
    fn filter_part(
        &self,
        edges: Edges<'_, K>,
        range: Range<usize>,
        is_sample: bool,
        part: &mut Part,
    ) {
        part.places.resize(PART, 0); // the first time only
        let (u, v) = (&edges.u()[range.clone()], &edges.v()[range.clone()]);
        let mut left = 0;
        let ends = u.iter().zip(v).zip(&edges.weights()[range.clone()]);
        for (at, ((&u, &v), &weight)) in (range.start as u32..).zip(ends) {
            part.places[left] = at;
            left += usize::from((u != v) & self.levels.keeps(u, v, edges.key_of(weight)));
        }
        part.dropped_by_pivot = (range.len() - left) as u64;
        let climbs = is_sample || self.climbs;
        part.left = if climbs { self.climb(edges, &mut part.places[..left]) } else { left };
        part.dropped_by_path = (left - part.left) as u64;
    }

    /// Moves the edges whose ends the forest does not join by lighter edges to the front, and
    /// returns their number.
    fn climb(&self, edges: Edges<'_, K>, places: &mut [u32]) -> usize {
        let mut left = 0;
        for next in 0..places.len() {
            if let Some(&ahead) = places.get(next + AHEAD) {
                let (u, v) = edges.ends(ahead);
                self.tree.prefetch_path(u);
                self.tree.prefetch_path(v);
            }
            let at = places[next];
            let (u, v) = edges.ends(at);
            places[left] = at;
            left += usize::from(!self.tree.joins(u, v, edges.key(at)));
        }
        left
    }

    /// Buffers the edges that are left of the first parts, as many parts as fit. If not all fit,
    /// the buffer is reduced. Returns the start of the first part that is not buffered.
    fn buffer_parts(
        &mut self,
        (edges, first): (Edges<'_, K>, u64),
        (parts, range): (&mut [Mutex<Part>], impl Fn(usize) -> Range<usize>),
        team: &Team<'_>,
    ) -> Result<usize, OutOfMemory> {
        let parts: Vec<&Part> = parts
            .iter_mut()
            .map(|part| &*part.get_mut().unwrap_or_else(PoisonError::into_inner))
            .collect();
        let mut ends = Vec::with_capacity(parts.len());
        let mut end = self.buffered;
        for part in &parts {
            end += part.left;
            if end > self.limits.buffer {
                break;
            }
            ends.push(end);
        }
        let fitting = &parts[..ends.len()];
        let sample = fitting.iter().step_by(SAMPLED);
        let (climbed, dropped) = sample.fold((0, 0), |(climbed, dropped), part| {
            let by_path = part.dropped_by_path;
            (climbed + part.left as u64 + by_path, dropped + by_path)
        });
        self.climbs = WORTHWHILE * dropped > climbed;
        for part in fitting {
            self.statistics.add(Statistics {
                dropped_by_pivot: part.dropped_by_pivot,
                dropped_by_path: part.dropped_by_path,
                buffered: part.left as u64,
                reductions: 0,
            });
        }
        let places = self.buffer.split(self.buffered, &ends);
        team.for_each(fitting.len(), Schedule::Dynamic(1), |part| {
            let mut places = places[part].lock().unwrap_or_else(PoisonError::into_inner);
            for (to, &at) in fitting[part].left().iter().enumerate() {
                let ((u, v), weight) = (edges.ends(at), edges.weights()[at as usize]);
                places.set(to, Edge { u, v, weight, id: first + u64::from(at) });
            }
        });
        drop(places);
        self.buffered = ends.last().copied().unwrap_or(self.buffered);
        let (all, next) = (ends.len() == parts.len(), range(ends.len()).start);
        if !all {
            self.reduce(team)?;
        }
        Ok(next)
    }
}
