//! The forest of a batch by rounds of Borůvka's algorithm.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use kostra_core::{Key, Run, SolveError};
use kostra_parallel::{Schedule, Team, atomic_u32, atomic_u64};

use super::batch::{Batch, BatchResult};
use super::giant_edges::GiantEdges;
use super::labels::{ComponentCounts, LabelTarget, VERTEX_BLOCK};
use super::segment::{SEGMENTS_PER_THREAD, Segment, edge_count};
use super::state::{Contraction, ManyThreads, RecordOrder, Records};

impl<K: Key> Batch<'_, K> {
    /// Finds the forest of the batch in `memory`. `order` is the order of the batch's records.
    pub(super) fn contract_rounds<'b, O: RecordOrder>(
        &self,
        order: O,
        memory: &'b mut [u64],
        run: &mut Run<'_>,
    ) -> Result<BatchResult<'b>, SolveError> {
        let (lightest, rest) = memory.split_at_mut(self.components);
        let (labels, records) = rest.split_at_mut(self.components);
        let labels = atomic_u32(bytemuck::cast_slice_mut(labels));
        let memory = (atomic_u64(records).as_chunks().0, atomic_u64(lightest));
        let mut rounds = RoundLabels { labels, sizes: Vec::new(), team: self.solve.team };

        let scale = run.phase("scale", |_| self.scale());
        let contraction = Contraction::new(self.solve, scale, memory, order);
        let mut segments = run.phase("gather", |_| self.gather_records(&contraction));
        run.phase("reoffer", |_| contraction.reoffer(&segments));
        let mut counts = ComponentCounts { live: self.components as u32, finished: 0 };
        loop {
            let parents = rounds.push(counts.live as usize);
            contraction.hook::<ManyThreads, Records>(parents, None, &mut counts, run);
            run.phase("relabel", |_| {
                contraction.relabel::<ManyThreads>(parents, counts.live, &mut segments);
            });
            segments.retain(|segment| !segment.is_empty());
            if segments.is_empty() {
                break;
            }
            run.report.round((counts.live + counts.finished) as usize, edge_count(&segments))?;
        }
        if !self.is_last {
            run.phase("compose", |_| rounds.compose(counts));
        }
        let components = (counts.live + counts.finished) as usize;
        Ok(BatchResult { labels: &labels[..self.components], components })
    }

    /// Writes the records of the batch, and their first candidates.
    fn gather_records<O: RecordOrder>(&self, contraction: &Contraction<'_, K, O>) -> Vec<Segment> {
        contraction.clear_candidates(self.components);
        let mut segments = self.gather_selected(contraction);
        if let Some(giant_edges) = self.giant_edges {
            segments.extend(self.gather_giant(giant_edges, contraction));
        }
        segments
    }

    fn gather_selected<O: RecordOrder>(&self, contraction: &Contraction<'_, K, O>) -> Vec<Segment> {
        let team = self.solve.team;
        let parts = self.selected.parts(SEGMENTS_PER_THREAD * team.threads());
        let segments: Vec<_> =
            parts.iter().map(|(start, _)| Segment::new(*start..*start)).collect();
        team.distribute(parts.len(), Schedule::Dynamic(1), |_, range| {
            for index in range {
                let ids = self.selected.ids(parts[index].1.clone());
                match self.vertex_labels {
                    None => contraction.gather_ids(&segments[index], ids, |vertex| vertex),
                    Some(labels) => contraction.gather_ids(&segments[index], ids, |vertex| {
                        labels[vertex as usize].load(Relaxed)
                    }),
                }
            }
        });
        segments
    }

    /// Writes the edges to the giant component after the selected ones, where memory for one per
    /// vertex is reserved.
    fn gather_giant<O: RecordOrder>(
        &self,
        giant_edges: &GiantEdges<'_, K>,
        contraction: &Contraction<'_, K, O>,
    ) -> Vec<Segment> {
        let (team, vertices) = (self.solve.team, self.solve.edges.vertices() as usize);
        let share = vertices.div_ceil(SEGMENTS_PER_THREAD * team.threads()).max(1);
        let segments: Vec<_> = (0..vertices.div_ceil(share))
            .map(|index| self.selected.len() + index * share)
            .map(|start| Segment::new(start..start))
            .collect();
        team.distribute(segments.len(), Schedule::Dynamic(1), |_, range| {
            for index in range {
                let edges = giant_edges
                    .of_vertices(index * share..vertices.min((index + 1) * share))
                    .map(|(vertex, edge)| ((giant_edges.giant, self.label(vertex)), edge));
                contraction.gather_edges(&segments[index], edges);
            }
        });
        segments
    }
}

/// The labels of all rounds of a batch. Each round has at most half as many as the round before, so
/// all rounds together have at most twice as many as the first.
struct RoundLabels<'a> {
    labels: &'a [AtomicU32],
    sizes: Vec<usize>,
    team: &'a Team<'a>,
}

impl<'a> RoundLabels<'a> {
    /// The labels of the next round, for `size` components.
    fn push(&mut self, size: usize) -> &'a [AtomicU32] {
        let start = self.sizes.iter().sum::<usize>();
        self.sizes.push(size);
        &self.labels[start..start + size]
    }

    /// Replaces the labels of the first round by final numbers, by passing over the rounds from the
    /// last to the first.
    fn compose(&self, counts: ComponentCounts) {
        let mut end = self.sizes.iter().sum::<usize>();
        let mut later: Option<&[AtomicU32]> = None;
        for size in self.sizes.iter().rev() {
            let round = &self.labels[end - size..end];
            self.team.distribute(*size, Schedule::Dynamic(VERTEX_BLOCK), |_, range| {
                for label in &round[range] {
                    let number = match (counts.resolve(label.load(Relaxed)), later) {
                        (LabelTarget::Final(number), _)
                        | (LabelTarget::NextRound(number), None) => number,
                        (LabelTarget::NextRound(number), Some(later)) => {
                            later[number as usize].load(Relaxed)
                        }
                    };
                    label.store(number, Relaxed);
                }
            });
            end -= size;
            later = Some(round);
        }
    }
}
