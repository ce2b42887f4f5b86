//! The state that all steps of a solve share, and the types that select a variant of a step.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Vertex, prefetch};
use kostra_parallel::{Schedule, SharedEdgeSet, Team};

use super::prefix::{PrefixScale, pack, unpack};
use super::segment::{Segment, edge_count};

/// One solve: the graph, the threads and the forest found so far.
#[derive(Clone, Copy)]
pub(super) struct Solve<'a, K: Key> {
    pub(super) edges: Edges<'a, K>,
    pub(super) team: &'a Team<'a>,
    pub(super) forest: &'a SharedEdgeSet,
    /// One thread does a step alone if the step has fewer edges than this.
    pub(super) grain: usize,
}

/// The bits of a key prefix in a word.
const PREFIX: u64 = !0xFFFF_FFFF;

/// An edge between components: the two components; the key prefix above the edge id. One cache line
/// holds both words.
pub(super) type Record = [AtomicU64; 2];

/// The two components that an edge joins, and a word to compare it by: the key prefix above the
/// position of the edge, or above its id.
pub(super) type CandidateEdge = ((Vertex, Vertex), u64);

/// The state of Borůvka's algorithm by contraction.
///
/// Steps copy it, so that their loops keep its members in registers.
#[derive(Clone, Copy)]
pub(super) struct Contraction<'a, K: Key, O: RecordOrder> {
    pub(super) edges: Edges<'a, K>,
    pub(super) team: &'a Team<'a>,
    pub(super) scale: PrefixScale,
    pub(super) records: &'a [Record],
    /// The lightest candidate of each component: the key prefix above the edge's position.
    pub(super) lightest: &'a [AtomicU64],
    pub(super) forest: &'a SharedEdgeSet,
    /// One thread does a step alone if the step has fewer edges than this.
    pub(super) grain: usize,
    order: PhantomData<O>,
}

/// The order in which records are stored.
pub(super) trait RecordOrder: Copy + Send + Sync {
    /// Whether of two records with equal keys the first one is lighter.
    const BY_ID: bool;
}

/// Records are stored in ascending order of their edge ids.
#[derive(Clone, Copy)]
pub(super) struct ById;
/// Records are stored in any order.
#[derive(Clone, Copy)]
pub(super) struct AnyOrder;

impl RecordOrder for ById {
    const BY_ID: bool = true;
}
impl RecordOrder for AnyOrder {
    const BY_ID: bool = false;
}

/// How many threads run a step.
pub(super) trait ThreadCount {
    /// Whether one thread runs all of the step, so that plain loads and stores suffice.
    const IS_ONE: bool;
}

/// One thread.
pub(super) enum OneThread {}
/// One or more threads.
pub(super) enum ManyThreads {}

impl ThreadCount for OneThread {
    const IS_ONE: bool = true;
}
impl ThreadCount for ManyThreads {
    const IS_ONE: bool = false;
}

/// Where a step reads edges.
pub(super) trait EdgeSource {
    /// Whether positions are edge ids and every vertex is a component. Otherwise positions are
    /// those of records.
    const IS_INPUT: bool;
}

/// The edges of the input, before the first round.
pub(super) enum Input {}
/// The edges that [`relabel`](super::relabel) or [`gather`](super::gather) has written.
pub(super) enum Records {}

impl EdgeSource for Input {
    const IS_INPUT: bool = true;
}
impl EdgeSource for Records {
    const IS_INPUT: bool = false;
}

impl<'a, K: Key, O: RecordOrder> Contraction<'a, K, O> {
    pub(super) fn new(
        solve: Solve<'a, K>,
        scale: PrefixScale,
        (records, lightest): (&'a [Record], &'a [AtomicU64]),
        _: O,
    ) -> Self {
        let Solve { edges, team, forest, grain } = solve;
        Self { edges, team, scale, records, lightest, forest, grain, order: PhantomData }
    }

    /// The id of the edge at a position.
    #[inline]
    pub(super) fn id<S: EdgeSource>(self, position: u32) -> EdgeId {
        if S::IS_INPUT { position } else { self.records[position as usize][1].load(Relaxed) as u32 }
    }

    /// The components that the edge at a position joins.
    #[inline]
    pub(super) fn ends<S: EdgeSource>(self, position: u32) -> (Vertex, Vertex) {
        if S::IS_INPUT {
            self.edges.ends(position)
        } else {
            unpack(self.records[position as usize][0].load(Relaxed))
        }
    }

    /// Prefetches the ends of the edge at a position.
    #[inline]
    pub(super) fn prefetch_ends<S: EdgeSource>(self, position: usize) {
        if S::IS_INPUT {
            prefetch(self.edges.u(), position);
            prefetch(self.edges.v(), position);
        } else {
            prefetch(self.records, position);
        }
    }

    /// The edge at a position, with the candidate that it is for its ends.
    #[inline]
    pub(super) fn candidate<S: EdgeSource>(self, position: usize) -> CandidateEdge {
        if S::IS_INPUT {
            let id = position as EdgeId;
            return (self.edges.ends(id), pack(self.scale.prefix(self.edges.key(id)), id));
        }
        let [ends, prefix_id] = &self.records[position];
        let candidate = prefix_id.load(Relaxed) & PREFIX | position as u64;
        (unpack(ends.load(Relaxed)), candidate)
    }

    /// The edges of the input, with the candidates that they are for their ends.
    #[inline(always)]
    pub(super) fn input(self, ids: Range<usize>) -> impl Iterator<Item = CandidateEdge> {
        let edges = self.edges;
        let ends = edges.u()[ids.clone()].iter().zip(&edges.v()[ids.clone()]);
        let prefixes = edges.weights()[ids.clone()]
            .iter()
            .map(move |weight| self.scale.prefix(edges.key_of(*weight)));
        ends.zip(prefixes)
            .zip(ids)
            .map(|(((u, v), prefix), id)| ((*u, *v), pack(prefix, id as u32)))
    }

    /// The records at `positions`, with the candidates that they are for their ends.
    #[inline(always)]
    pub(super) fn records_at(self, positions: Range<usize>) -> impl Iterator<Item = CandidateEdge> {
        let records = &self.records[positions.clone()];
        records.iter().zip(positions.start as u64..).map(|([ends, prefix_id], position)| {
            (unpack(ends.load(Relaxed)), prefix_id.load(Relaxed) & PREFIX | position)
        })
    }

    /// Distributes the segments to the threads. Few edges are left to one thread: waking others
    /// would take longer.
    pub(super) fn for_each_segment(&self, segments: &[Segment], step: impl Fn(&Segment) + Sync) {
        let block = if edge_count(segments) < self.grain { segments.len() } else { 1 };
        self.team.distribute(segments.len(), Schedule::Dynamic(block), |_, range| {
            segments[range].iter().for_each(&step);
        });
    }
}
