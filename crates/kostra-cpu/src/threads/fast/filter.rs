//! Filtering: after a batch, keeping the remaining edges that join different components.
//!
//! Most vertices are soon in one giant component. One bit per vertex says which, and fits into a
//! closer cache than the labels. An edge with one end inside joins two components. Only edges with
//! both ends outside need the labels of their ends.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Vertex};
use kostra_parallel::{Schedule, Team, atomic_u32, atomic_u64};

use super::bits::{ones, pack_bits};
use super::giant_edges::GiantEdges;
use super::labels::{VERTEX_BLOCK, label_of};
use super::selection::{RemainingEdges, Selection};
use crate::light_edges::giant_component;

/// From this many remaining edges of the 64 of a word on, answering for all 64 is faster.
const DENSE_WORD: u32 = 24;

/// The arrays of a solve by filtering.
pub(super) struct FilterArrays<'a> {
    /// The edges of a batch.
    pub(super) batch: Selection<'a>,
    /// The edges that remain after the batch.
    pub(super) rest: Selection<'a>,
    pub(super) vertex_labels: VertexLabels<'a>,
    /// One slot per vertex, for [`GiantEdges`].
    pub(super) lightest: &'a [AtomicU64],
}

impl<'a> FilterArrays<'a> {
    /// Takes the arrays from `words`. Returns the rest of `words`.
    pub(super) fn take<K: Key>(words: &'a mut [u64], edges: Edges<'_, K>) -> (Self, &'a mut [u64]) {
        let (n, m) = (edges.vertices() as usize, edges.len());
        let (batch, words) = words.split_at_mut(m.div_ceil(64));
        let (rest, words) = words.split_at_mut(m.div_ceil(64));
        let (in_giant, words) = words.split_at_mut(n.div_ceil(64));
        let (labels, words) = words.split_at_mut(n.div_ceil(2));
        let (lightest, words) = words.split_at_mut(n);
        let labels = atomic_u32(&mut bytemuck::cast_slice_mut(labels)[..n]);
        let arrays = Self {
            batch: Selection::new(atomic_u64(batch)),
            rest: Selection::new(atomic_u64(rest)),
            vertex_labels: VertexLabels { labels, in_giant: atomic_u64(in_giant) },
            lightest: atomic_u64(lightest),
        };
        (arrays, words)
    }
}

/// The component of each vertex.
#[derive(Clone, Copy)]
pub(super) struct VertexLabels<'a> {
    pub(super) labels: &'a [AtomicU32],
    /// One bit per vertex: whether it is in the giant component.
    pub(super) in_giant: &'a [AtomicU64],
}

impl VertexLabels<'_> {
    /// Labels the vertices after the first batch, before which each vertex was a component.
    pub(super) fn set(&self, team: &Team<'_>, labels: &[AtomicU32]) {
        team.distribute(self.labels.len(), Schedule::Dynamic(VERTEX_BLOCK), |_, range| {
            let (vertices, labels) = (self.labels, labels); // in registers
            for vertex in range {
                vertices[vertex].store(label_of(labels, vertex as Vertex), Relaxed);
            }
        });
    }

    /// Relabels the vertices after a later batch.
    pub(super) fn update(&self, team: &Team<'_>, labels: &[AtomicU32]) {
        team.distribute(self.labels.len(), Schedule::Dynamic(VERTEX_BLOCK), |_, range| {
            let (vertices, labels) = (self.labels, labels); // in registers
            for vertex in &vertices[range] {
                vertex.store(label_of(labels, vertex.load(Relaxed)), Relaxed);
            }
        });
    }

    /// Finds the component with the most vertices of a small sample, and marks its vertices.
    pub(super) fn find_giant(&self, team: &Team<'_>) -> Option<Vertex> {
        let labels = self.labels;
        let giant = giant_component(labels.len(), |vertex| labels[vertex].load(Relaxed));
        team.distribute(self.in_giant.len(), Schedule::Dynamic(VERTEX_BLOCK / 64), |_, words| {
            for word in words {
                let vertices = &labels[word * 64..labels.len().min(word * 64 + 64)];
                let bits = vertices.iter().rev().fold(0, |bits, label| {
                    bits << 1 | u64::from(Some(label.load(Relaxed)) == giant)
                });
                self.in_giant[word].store(bits, Relaxed);
            }
        });
        giant
    }

    #[inline(always)]
    fn in_giant(self, vertex: Vertex) -> bool {
        self.in_giant[vertex as usize / 64].load(Relaxed) >> (vertex % 64) & 1 == 1
    }

    #[inline(always)]
    pub(super) fn is_between_components(self, (u, v): (Vertex, Vertex)) -> bool {
        let label = |vertex: Vertex| self.labels[vertex as usize].load(Relaxed);
        label(u) != label(v)
    }
}

/// Selects the edges between components.
#[derive(Clone, Copy)]
pub(super) struct Filter<'a, K: Key> {
    pub(super) team: &'a Team<'a>,
    pub(super) edges: Edges<'a, K>,
    pub(super) vertex_labels: VertexLabels<'a>,
}

impl<K: Key> Filter<'_, K> {
    /// Replaces `selection`, which may be `remaining`, by the remaining edges between components.
    pub(super) fn select(&self, selection: &Selection<'_>, remaining: RemainingEdges<'_, '_>) {
        let this = *self; // in registers
        let bits_of = |word| {
            let (leaving, outside) = this.classify(remaining, word);
            this.between_components(word, outside) | leaving
        };
        selection.fill(self.team, bits_of, |_| ());
    }

    /// The same, but edges to the giant component go to `giant_edges` instead of `selection`. The
    /// bits of `buffer` are overwritten.
    pub(super) fn select_apart(
        &self,
        selection: &Selection<'_>,
        remaining: RemainingEdges<'_, '_>,
        giant_edges: &GiantEdges<'_, K>,
        buffer: &Selection<'_>,
    ) {
        let this = *self; // in registers
        let bits_of = |word| {
            let (leaving, outside) = this.classify(remaining, word);
            let between = this.between_components(word, outside);
            buffer.set_word_uncounted(word, leaving);
            between
        };
        selection.fill(self.team, bits_of, |block| {
            let in_giant = |vertex| this.vertex_labels.in_giant(vertex);
            buffer.for_each_in(block..block + 1, 0, |_, ids| giant_edges.write_min(ids, in_giant));
        });
    }

    /// The remaining edges of a word with one end in the giant component, and those with none.
    #[inline(always)]
    fn classify(self, remaining: RemainingEdges<'_, '_>, word: usize) -> (u64, u64) {
        let (edges, remaining) = (self.edges, remaining.word(word));
        let in_giant = |vertex| self.vertex_labels.in_giant(vertex);
        if remaining.count_ones() >= DENSE_WORD {
            let ids = word * 64..edges.len().min(word * 64 + 64);
            let u = pack_bits(&edges.u()[ids.clone()], in_giant);
            let v = pack_bits(&edges.v()[ids], in_giant);
            return ((u ^ v) & remaining, !(u | v) & remaining);
        }
        let (mut leaving, mut outside) = (0, 0);
        for bit in ones(remaining) {
            let (u, v) = edges.ends((word * 64) as EdgeId + bit);
            let (u, v) = (in_giant(u), in_giant(v));
            leaving |= u64::from(u ^ v) << bit;
            outside |= u64::from(!(u | v)) << bit;
        }
        (leaving, outside)
    }

    /// Those of the `outside` edges of a word that join different components.
    #[inline(always)]
    fn between_components(self, word: usize, outside: u64) -> u64 {
        let mut between = 0;
        for bit in ones(outside) {
            let ends = self.edges.ends((word * 64) as EdgeId + bit);
            between |= u64::from(self.vertex_labels.is_between_components(ends)) << bit;
        }
        between
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Key, Order};
    use kostra_parallel::with_team;

    use super::*;
    use crate::testing::CongruentialGenerator;

    #[test]
    fn edges_to_the_giant_component_are_kept_apart_one_per_vertex() {
        let (n, m) = if cfg!(miri) { (40, 200_u32) } else { (40_000, 100_000) };
        let mut random = CongruentialGenerator(10);
        // The giant component consists of the first four vertices, and every other edge leads to
        // one of them. The other components are pairs of vertices.
        let u: Vec<Vertex> =
            (0..m).map(|id| random.below(if id % 2 == 0 { 4 } else { n })).collect();
        let v: Vec<Vertex> = (0..m).map(|_| random.below(n)).collect();
        let w: Vec<u64> =
            (0..m).map(|_| u64::from(random.below(3)) << 60 | u64::from(random.below(3))).collect();
        let list = EdgeList::new(n as usize, u, v, w).unwrap();
        let edges = list.edges(Order::Minimum);
        let component = |vertex: Vertex| if vertex < 4 { 0 } else { vertex & !1 };

        let mut expected = Vec::new();
        let mut lightest_to = vec![None; n as usize];
        for id in edges.ids() {
            let (u, v) = edges.ends(id);
            match (u < 4, v < 4) {
                (false, false) if component(u) != component(v) => expected.push(id),
                (true, false) | (false, true) => {
                    let lightest = &mut lightest_to[u.max(v) as usize];
                    *lightest = Some(edges.rank(id).min(lightest.unwrap_or(u128::MAX)));
                }
                _ => (),
            }
        }
        let outside = expected.len();
        expected.extend(lightest_to.into_iter().flatten().map(<u64 as Key>::rank_id));
        let to_giant = expected.len() - outside;
        expected.sort_unstable();

        let mut labels: Vec<Vertex> = (0..n).map(component).collect();
        let labels = atomic_u32(&mut labels);
        let mut giant = vec![0; n.div_ceil(64) as usize];
        giant[0] = 0b1111;
        let vertex_labels = VertexLabels { labels, in_giant: atomic_u64(&mut giant) };
        for threads in [1, 2, 3] {
            let words = m.div_ceil(64) as usize;
            let (mut rest, mut buffer, mut lightest) =
                (vec![0; words], vec![0; words], vec![0; n as usize]);
            let (rest, buffer) =
                (Selection::new(atomic_u64(&mut rest)), Selection::new(atomic_u64(&mut buffer)));
            with_team(threads, |team| {
                let giant_edges = GiantEdges::new(team, edges, 0, atomic_u64(&mut lightest));
                let remaining = RemainingEdges::All(m as usize);
                let filter = Filter { team, edges, vertex_labels };
                filter.select_apart(&rest, remaining, &giant_edges, &buffer);
                let found = (rest.len(), giant_edges.len());
                assert_eq!(found, (outside, to_giant), "on {threads} threads");
                giant_edges.add_to(&rest, team);
                assert_eq!(rest.len(), expected.len(), "on {threads} threads");
                assert!(rest.ids(0..words).eq(expected.iter().copied()), "on {threads} threads");
            });
        }
    }
}
