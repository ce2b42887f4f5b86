//! The state of a solve by filtering, and the steps of its loop.

use kostra_core::{EdgeId, EdgeSet, Key, Run, SolveError, Vertex};

use super::batch::{Batch, BatchLimits, BatchResult};
use super::filter::{Filter, FilterArrays};
use super::giant_edges::GiantEdges;
use super::pivot::{Pivot, select_up_to};
use super::selection::RemainingEdges;
use super::state::Solve;
use crate::light_edges::light_edges;

/// The number of edges in a sample that tells whether a filter would keep most edges.
const SAMPLED_EDGES: usize = 256;

/// What a solve by filtering knows between batches.
pub(super) struct Filtering<'a, K: Key> {
    solve: Solve<'a, K>,
    arrays: &'a FilterArrays<'a>,
    /// The edges after the last pivot between components. After [`without`](Self::without), also
    /// edges inside components, which batches tolerate.
    pub(super) remaining: RemainingEdges<'a, 'a>,
    /// The number of components.
    pub(super) components: usize,
    /// The pivot of the last batch.
    pivot: Pivot,
    /// Whether there was a batch. Before, every vertex is a component.
    is_labelled: bool,
    /// Whether the last filter kept more than half of its edges.
    most_were_kept: bool,
}

impl<'a, K: Key> Filtering<'a, K> {
    /// Before the first batch: every vertex is a component, and all edges remain.
    pub(super) fn new(solve: Solve<'a, K>, arrays: &'a FilterArrays<'a>) -> Self {
        Self {
            solve,
            arrays,
            remaining: RemainingEdges::All(solve.edges.len()),
            components: solve.edges.vertices() as usize,
            pivot: Pivot::FIRST,
            is_labelled: false,
            most_were_kept: false,
        }
    }

    /// Drops all edges but those of a set that has the forest, before the first batch.
    pub(super) fn keep_only(&mut self, set: &EdgeSet) {
        let selection = &self.arrays.rest;
        selection.fill(self.solve.team, |word| set.words()[word], |_| ());
        self.remaining = RemainingEdges::Selected(selection);
    }

    /// The first batch, of edges that are known to be in the forest. All others remain.
    pub(super) fn known_batch(&self, known: &EdgeSet) -> Batch<'a, K> {
        self.arrays.batch.fill(self.solve.team, |word| known.words()[word], |_| ());
        Batch { is_known: true, ..self.batch(Pivot::FIRST) }
    }

    /// Whether most edges of a small sample are between components, so that a filter would read the
    /// labels of both ends of every edge and drop only a few edges.
    pub(super) fn most_join_components(&self) -> bool {
        let (edges, labels) = (self.solve.edges, self.arrays.vertex_labels);
        let sample = (0..edges.len()).step_by(edges.len().div_ceil(SAMPLED_EDGES).max(1));
        let sampled = sample.len();
        let kept = sample.filter(|&id| labels.is_between_components(edges.ends(id as EdgeId)));
        2 * kept.count() > sampled
    }

    /// Goes on with all edges except the `known` ones of the first batch, without a filter.
    pub(super) fn without(self, known: &EdgeSet, components: usize) -> Self {
        let selection = &self.arrays.rest;
        let remaining = self.remaining;
        selection.fill(self.solve.team, |word| remaining.word(word) & !known.words()[word], |_| ());
        Self {
            remaining: RemainingEdges::Selected(selection),
            components,
            is_labelled: true,
            ..self
        }
    }

    fn vertices(&self) -> usize {
        self.solve.edges.vertices() as usize
    }

    /// How many of `edges` edges the next batch should have.
    fn light_edges(&self, edges: usize) -> usize {
        light_edges(edges, self.components as u32, self.vertices() as u32, self.most_were_kept)
    }

    fn limits(&self, words: usize) -> BatchLimits {
        BatchLimits { threads: self.solve.team.threads(), words, components: self.components }
    }

    /// Selects the edges of the next batch, which must fit into `words` words of memory: those up
    /// to a pivot that a sample suggests. Returns the pivot.
    ///
    /// A sample may mislead, but the number of selected edges is exact. If the batch is empty or
    /// too large, bisection finds another pivot in at most 96 steps.
    pub(super) fn select_batch(
        &self,
        words: usize,
        run: &mut Run<'_>,
    ) -> Result<Pivot, SolveError> {
        let (Solve { edges, team, .. }, remaining) = (self.solve, self.remaining);
        let (selection, capacity) = (&self.arrays.batch, self.limits(words).capacity());
        let wanted = self.light_edges(remaining.len());
        let mut pivot = run.phase("pivot", |_| Pivot::from_sample(edges, remaining, wanted));
        let (mut low, mut high) = (self.pivot, pivot);
        loop {
            run.phase("select", |_| select_up_to(pivot, remaining, selection, edges, team));
            if selection.len() > capacity {
                high = pivot;
            } else if selection.len() == 0 && pivot < high {
                low = pivot;
            } else {
                return Ok(pivot);
            }
            pivot = low.between(high);
            run.report.progress(0, 1)?;
        }
    }

    /// The batch of the selected edges up to `pivot`.
    pub(super) fn batch(&self, pivot: Pivot) -> Batch<'a, K> {
        let labels = self.arrays.vertex_labels.labels;
        Batch {
            solve: self.solve,
            selected: &self.arrays.batch,
            giant_edges: None,
            vertex_labels: self.is_labelled.then_some(labels),
            components: self.components,
            is_last: pivot == Pivot::LAST,
            is_known: false,
        }
    }

    /// Labels every vertex with its component after a batch. Returns the giant component.
    pub(super) fn label_vertices(&self, result: &BatchResult<'_>) -> Option<Vertex> {
        let (team, vertex_labels) = (self.solve.team, self.arrays.vertex_labels);
        if self.is_labelled {
            vertex_labels.update(team, result.labels);
        } else {
            vertex_labels.set(team, result.labels);
        }
        vertex_labels.find_giant(team)
    }

    /// Drops remaining edges inside components. Of the edges from one vertex to the `giant`
    /// component, only the lightest is kept, and returned apart from the others.
    ///
    /// If fewer edges remain than there are vertices, all edges between components are kept, and
    /// `None` is returned: clearing a slot per vertex would not pay.
    pub(super) fn filter(&self, giant: Option<Vertex>) -> Option<GiantEdges<'a, K>> {
        let Solve { edges, team, .. } = self.solve;
        let (arrays, remaining) = (self.arrays, self.remaining);
        let filter = Filter { team, edges, vertex_labels: arrays.vertex_labels };
        let Some(giant) = giant.filter(|_| remaining.len() > self.vertices()) else {
            filter.select(&arrays.rest, remaining);
            return None;
        };
        let giant_edges = GiantEdges::new(team, edges, giant, arrays.lightest);
        // The batch is solved, so its selection can serve as a buffer.
        filter.select_apart(&arrays.rest, remaining, &giant_edges, &arrays.batch);
        Some(giant_edges)
    }

    /// Goes on with the edges that a filter has kept.
    pub(super) fn next(
        self,
        pivot: Pivot,
        components: usize,
        giant_edges: Option<&GiantEdges<'_, K>>,
    ) -> Self {
        let before = self.remaining.len();
        let kept = self.arrays.rest.len() + giant_edges.map_or(0, GiantEdges::len);
        let remaining = RemainingEdges::Selected(&self.arrays.rest);
        let most_were_kept = kept > before / 2;
        Self { remaining, components, pivot, is_labelled: true, most_were_kept, ..self }
    }

    /// All remaining edges as one last batch, if the next batch should have all of them and
    /// `words` words of memory suffice.
    pub(super) fn last_batch<'b>(
        &self,
        giant_edges: &'b GiantEdges<'a, K>,
        words: usize,
    ) -> Option<Batch<'b, K>> {
        let (selected, to_giant) = (self.arrays.rest.len(), giant_edges.len());
        let edges = selected + to_giant;
        let fits = self.limits(words).fits(selected, to_giant, self.vertices());
        (self.light_edges(edges) == edges && fits).then_some(Batch {
            solve: self.solve,
            selected: &self.arrays.rest,
            giant_edges: Some(giant_edges),
            vertex_labels: Some(self.arrays.vertex_labels.labels),
            components: self.components,
            is_last: true,
            is_known: false,
        })
    }

    /// Adds the edges to the giant component to the remaining edges.
    pub(super) fn keep(&self, giant_edges: &GiantEdges<'_, K>) {
        giant_edges.add_to(&self.arrays.rest, self.solve.team);
    }
}
