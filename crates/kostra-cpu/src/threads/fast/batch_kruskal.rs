//! The forest of a batch by Kruskal's algorithm: gather, sort, unite, number.
//!
//! An item contains all that the steps need of an edge. Sorting moves twice as many bytes as with
//! positions instead, but uniting reads a stream.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use kostra_core::{Key, Run, SolveError, Vertex, prefetch};
use kostra_parallel::{Schedule, atomic_u32, atomic_u64};

use super::batch::{Batch, BatchResult, RECORD_WORDS};
use super::giant_edges::GiantEdges;
use super::kruskal::Kruskal;
use super::labels::VERTEX_BLOCK;
use super::prefix::{PrefixScale, pack, unpack};
use super::sort::{Item, Sort};

/// The range of the key prefixes of items, as several threads find it.
struct PrefixRange {
    lowest: AtomicU32,
    highest: AtomicU32,
}

impl PrefixRange {
    fn new() -> Self {
        Self { lowest: AtomicU32::new(u32::MAX), highest: AtomicU32::new(0) }
    }

    fn add(&self, low: u32, high: u32) {
        self.lowest.fetch_min(low, Relaxed);
        self.highest.fetch_max(high, Relaxed);
    }

    fn into_range(self) -> RangeInclusive<u32> {
        self.lowest.into_inner()..=self.highest.into_inner()
    }
}

impl<K: Key> Batch<'_, K> {
    /// Finds the forest of the batch in `memory`.
    pub(super) fn sort_and_unite<'b>(
        &self,
        memory: &'b mut [u64],
        run: &mut Run<'_>,
    ) -> Result<BatchResult<'b>, SolveError> {
        let (parents, rest) = memory.split_at_mut(self.components.div_ceil(2));
        let parents = atomic_u32(&mut bytemuck::cast_slice_mut(parents)[..self.components]);
        let (items, rest) = rest.split_at_mut(RECORD_WORDS * self.len());
        let spare = &mut rest[..items.len()];
        let (items, spare) = (atomic_u64(items).as_chunks().0, atomic_u64(spare).as_chunks().0);
        let (team, edges, forest) = (self.solve.team, self.solve.edges, self.solve.forest);

        let (scale, prefixes) = run.phase("gather", |_| {
            let scale = self.scale();
            (scale, self.gather_items(items, scale))
        });
        // Selected edges have ascending ids, but those to the giant component follow them.
        let ids_ascend = self.giant_edges.is_none();
        let sort = Sort { team, edges, scale, prefixes, ids_ascend };
        let sorted =
            if self.is_known { items } else { run.phase("sort", |_| sort.sort(items, spare)) };
        let kruskal = Kruskal { team, forest, parents };
        let components = kruskal.solve(sorted, run)?;
        if !self.is_last {
            run.phase("number", |_| kruskal.number());
        }
        Ok(BatchResult { labels: parents, components })
    }

    /// Writes an item for each edge. Returns the range of the key prefixes.
    fn gather_items(&self, items: &[Item], scale: PrefixScale) -> RangeInclusive<u32> {
        let (prefixes, edges) = (PrefixRange::new(), self.solve.edges);
        self.selected.for_each(self.solve.team, |start, ids| {
            let items = &items[start..][..ids.len()];
            let (edges, labels, scale) = (edges, self.vertex_labels, scale); // in registers
            for &id in ids {
                prefetch(edges.u(), id as usize);
                prefetch(edges.v(), id as usize);
                prefetch(edges.weights(), id as usize);
            }
            if let Some(labels) = labels {
                for &id in ids {
                    let (u, v) = edges.ends(id);
                    prefetch(labels, u as usize);
                    prefetch(labels, v as usize);
                }
            }
            let label = |vertex: Vertex| match labels {
                Some(labels) => labels[vertex as usize].load(Relaxed),
                None => vertex,
            };
            let (mut low, mut high) = (u32::MAX, 0);
            for ([prefix_id, ends], &id) in items.iter().zip(ids) {
                let (u, v) = edges.ends(id);
                let prefix = scale.prefix(edges.key(id));
                (low, high) = (low.min(prefix), high.max(prefix));
                prefix_id.store(pack(prefix, id), Relaxed);
                ends.store(pack(label(u), label(v)), Relaxed);
            }
            prefixes.add(low, high);
        });
        if let Some(giant_edges) = self.giant_edges {
            self.gather_giant_items(giant_edges, items, &prefixes);
        }
        prefixes.into_range()
    }

    /// Writes an item for each edge to the giant component, after those of the selected edges.
    fn gather_giant_items(
        &self,
        giant_edges: &GiantEdges<'_, K>,
        items: &[Item],
        prefixes: &PrefixRange,
    ) {
        let next = AtomicUsize::new(self.selected.len());
        let vertices = self.solve.edges.vertices() as usize;
        self.solve.team.distribute(vertices, Schedule::Dynamic(VERTEX_BLOCK), |_, vertices| {
            let count = giant_edges.of_vertices(vertices.clone()).count();
            let items = &items[next.fetch_add(count, Relaxed)..];
            let (mut low, mut high) = (u32::MAX, 0);
            for ([prefix_id, ends], (vertex, edge)) in
                items.iter().zip(giant_edges.of_vertices(vertices))
            {
                let (prefix, _) = unpack(edge);
                (low, high) = (low.min(prefix), high.max(prefix));
                prefix_id.store(edge, Relaxed);
                ends.store(pack(giant_edges.giant, self.label(vertex)), Relaxed);
            }
            prefixes.add(low, high);
        });
    }
}
