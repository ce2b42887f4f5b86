//! Minimum edge candidates: finding the lightest edge that leaves each component.
//!
//! Every edge is a candidate for both components that it joins. A slot for each component keeps the
//! lightest candidate.
//!
//! * A step has two halves. First each segment of edges writes to a range of components of its own,
//!   without compare-exchange. Then the edges with other ends write with compare-exchange. In
//!   a grid or a road network, these are few. If a sample shows no such locality, all edges write
//!   with compare-exchange in one pass.
//! * Progress: lock-free. A compare-exchange fails only if another thread wrote a lighter
//!   candidate.
//! * Memory order: writing a candidate releases the record at its position, and reading the
//!   candidate acquires it.

use std::ops::Range;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use kostra_core::{EdgeId, Key, prefetch};
use kostra_parallel::Schedule;

use super::labels::VERTEX_BLOCK;
use super::prefix::{NO_CANDIDATE, is_before_by_rank, pack, unpack};
use super::segment::{Segment, edge_count};
use super::state::{
    CandidateEdge, Contraction, EdgeSource, Input, RecordOrder, Records, ThreadCount,
};

/// Segments that a thread samples at a time: one takes too little time to be distributed alone.
const CLAIM_BLOCK: usize = 32;
/// Edges in the sample that locates the ends of a segment: 32 ends give quartiles.
const CLAIM_SAMPLE: usize = 16;
/// Records between the prefetch of a slot and its use in [`Contraction::reoffer`].
const REOFFER_PREFETCH: usize = 32;

impl<K: Key, O: RecordOrder> Contraction<'_, K, O> {
    /// Empties the slots of the components `0..components`.
    pub(super) fn clear_candidates(&self, components: usize) {
        self.team.distribute(components, Schedule::Dynamic(VERTEX_BLOCK), |_, range| {
            self.lightest[range].iter().for_each(|slot| slot.store(NO_CANDIDATE, Relaxed));
        });
    }

    /// Finds the lightest edge of each vertex, among the edges of the input.
    pub(super) fn choose_from_input<T: ThreadCount>(&self, segments: &mut [Segment]) {
        self.claim_components::<T>(segments, self.lightest.len() as u32, |position| {
            self.edges.ends(position as EdgeId)
        });
        self.for_each_segment(segments, |segment| {
            let (this, mut deferred) = (*self, segment.new_deferred_list());
            let edges = this.input(segment.positions());
            this.write_candidates::<T, Input>(&segment.own, &mut deferred, edges);
            *segment.deferred() = deferred;
        });
        self.write_deferred::<Input>(segments);
    }

    /// Gives each segment a range of components of its own. `ends` returns the ends of the edge at
    /// a position, as they will be numbered in this step.
    ///
    /// A sample locates the middle half of a segment's ends. Neighboring ranges meet halfway
    /// between their middle halves.
    pub(super) fn claim_components<T: ThreadCount>(
        &self,
        segments: &mut [Segment],
        components: u32,
        ends: impl Fn(usize) -> (u32, u32) + Sync,
    ) {
        if T::IS_ONE || edge_count(segments) < self.grain {
            segments.iter_mut().for_each(|segment| segment.own = Some(0..u32::MAX));
            return;
        }
        let middles: Vec<AtomicU64> = segments.iter().map(|_| AtomicU64::new(0)).collect();
        self.team.distribute(segments.len(), Schedule::Dynamic(CLAIM_BLOCK), |_, range| {
            for index in range {
                let (low, high) = middle_half(&segments[index], components, &ends);
                middles[index].store(pack(low, high), Relaxed);
            }
        });
        let mut by_middle: Vec<_> =
            middles.into_iter().map(|middle| unpack(middle.into_inner())).zip(segments).collect();
        by_middle.sort_unstable_by_key(|((low, high), _)| u64::from(*low) + u64::from(*high));
        let (mut start, mut local) = (0, 0);
        for index in 0..by_middle.len() {
            let (low, high) = by_middle[index].0;
            let end = match by_middle.get(index + 1) {
                Some(((next, _), _)) => start.max(high / 2 + next / 2),
                None => u32::MAX,
            };
            local += usize::from(start <= low && high <= end);
            by_middle[index].1.own = Some(start..end);
            start = end;
        }
        // Ranges pay only if most segments contain their own middle half.
        if local < by_middle.len() * 3 / 4 {
            by_middle.iter_mut().for_each(|(_, segment)| segment.own = None);
        }
    }

    /// Writes the candidates of edges to the segment's `own` components, or to all components if no
    /// segment has any. The positions of edges with other ends go to `deferred`.
    #[inline(always)]
    pub(super) fn write_candidates<T: ThreadCount, S: EdgeSource>(
        self,
        own: &Option<Range<u32>>,
        deferred: &mut Vec<u32>,
        edges: impl Iterator<Item = CandidateEdge>,
    ) {
        let shared = !T::IS_ONE && own.is_none();
        let own = own.clone().unwrap_or_default();
        let width = own.end - own.start;
        let is_own = |component: u32| component.wrapping_sub(own.start) < width;
        for ((u, v), candidate) in edges {
            if u == v {
                continue;
            }
            if T::IS_ONE || is_own(u) & is_own(v) {
                self.write_min_alone::<S>(u, candidate);
                self.write_min_alone::<S>(v, candidate);
            } else if shared {
                self.write_min::<S>(u, candidate);
                self.write_min::<S>(v, candidate);
            } else {
                for component in [u, v] {
                    if is_own(component) {
                        self.write_min_alone::<S>(component, candidate);
                    }
                }
                if deferred.len() < deferred.capacity() {
                    deferred.push(candidate as u32);
                }
            }
        }
    }

    /// Writes the candidates that [`write_candidates`](Self::write_candidates) deferred.
    pub(super) fn write_deferred<S: EdgeSource>(&self, segments: &mut [Segment]) {
        if segments.iter_mut().all(|segment| segment.deferred().is_empty()) {
            return;
        }
        self.team.distribute(segments.len(), Schedule::Dynamic(1), |_, range| {
            for segment in &segments[range] {
                let (this, own) = (*self, segment.own.clone().unwrap_or_default());
                let write = |position: usize| {
                    let ((u, v), candidate) = this.candidate::<S>(position);
                    for component in [u, v] {
                        if u != v && !own.contains(&component) {
                            this.write_min::<S>(component, candidate);
                        }
                    }
                };
                let deferred = std::mem::take(&mut *segment.deferred());
                if deferred.len() < deferred.capacity() {
                    deferred.into_iter().for_each(|position| write(position as usize));
                } else {
                    segment.positions().for_each(write);
                }
            }
        });
    }

    /// Writes all candidates again that were written [without
    /// synchronization](Self::write_min_unsynchronized). Hardly any is lighter than its slot, so
    /// hardly any needs a compare-exchange.
    pub(super) fn reoffer(&self, segments: &[Segment]) {
        self.for_each_segment(segments, |segment| {
            let this = *self;
            let positions = segment.positions();
            for position in positions.clone() {
                if let Some([ends, _]) =
                    this.records[..positions.end].get(position + REOFFER_PREFETCH)
                {
                    let (u, v) = unpack(ends.load(Relaxed));
                    prefetch(this.lightest, u as usize);
                    prefetch(this.lightest, v as usize);
                }
                let ((u, v), candidate) = this.candidate::<Records>(position);
                this.write_min::<Records>(u, candidate);
                this.write_min::<Records>(v, candidate);
            }
        });
    }

    /// Keeps the lighter of `candidate` and the slot of `component`, to which no other thread
    /// writes.
    #[inline]
    fn write_min_alone<S: EdgeSource>(self, component: u32, candidate: u64) {
        let slot = &self.lightest[component as usize];
        let held = slot.load(Relaxed);
        if self.words_decide() {
            slot.store(held.min(candidate), Relaxed);
        } else if self.is_lighter::<S>(candidate, held) {
            slot.store(candidate, Relaxed);
        }
    }

    /// Keeps the lighter of `candidate` and the slot of `component`, to which other threads may
    /// write.
    #[inline]
    fn write_min<S: EdgeSource>(self, component: u32, candidate: u64) {
        let slot = &self.lightest[component as usize];
        let mut held = slot.load(Acquire);
        while self.is_lighter::<S>(candidate, held) {
            // Release, and acquire above: a thread that reads a position sees the record there.
            match slot.compare_exchange_weak(held, candidate, Release, Acquire) {
                Ok(_) => return,
                Err(other) => held = other,
            }
        }
    }

    /// Writes `candidate` if it is lighter than the slot, by a plain load and store.
    ///
    /// If two threads write at once, the lighter candidate may be lost, so all candidates must be
    /// [written again](Self::reoffer). Compare-exchange is a full fence on x86, and with it the
    /// pass over all edges would spend most of its time waiting.
    #[inline]
    pub(super) fn write_min_unsynchronized(self, component: u32, candidate: u64) {
        let slot = &self.lightest[component as usize];
        if self.is_lighter::<Records>(candidate, slot.load(Acquire)) {
            slot.store(candidate, Release);
        }
    }

    /// Whether the lesser of two candidates is always that of the lighter edge.
    #[inline]
    fn words_decide(self) -> bool {
        O::BY_ID && (K::BITS == 32 || self.scale.is_exact)
    }

    #[inline]
    fn is_lighter<S: EdgeSource>(self, a: u64, b: u64) -> bool {
        if self.words_decide() {
            return a < b;
        }
        is_before_by_rank(self.edges, |position| self.id::<S>(position), a, b)
    }
}

/// The quartiles of the ends in a sample of a segment's edges, without those that are not below
/// `components`.
fn middle_half(
    segment: &Segment,
    components: u32,
    ends: impl Fn(usize) -> (u32, u32),
) -> (u32, u32) {
    let (start, len) = (segment.start, segment.len.load(Relaxed));
    // An empty segment has no record to sample: the one at its start is of an earlier round.
    let draws = if len == 0 { 0 } else { CLAIM_SAMPLE };
    let sample = (0..draws).map(|drawn| ends(start + len * drawn / CLAIM_SAMPLE));
    let mut sample: Vec<_> =
        sample.flat_map(|(u, v)| [u, v]).filter(|&end| end < components).collect();
    sample.sort_unstable();
    let [low, high] = [1, 3].map(|quarters| sample.get(sample.len() * quarters / 4).copied());
    (low.unwrap_or(components), high.unwrap_or(components))
}
