//! The removal of parallel edges: of the entries of a row to one neighbor, the lightest stays. Both
//! ends of an edge keep the same one.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::Key;
use kostra_parallel::{Schedule, atomic_u32, atomic_u64, exclusive_prefix_sum};

use super::Rounds;
use super::graph::{Contracted, Rows};

/// The number of rows that a thread takes at a time.
const ROWS: Schedule = Schedule::Dynamic(64);

impl Rounds<'_, '_> {
    /// Copies a graph without its parallel edges. Each row is sorted by neighbor and rank, on one
    /// thread. O(m log m) for a row of m entries.
    pub(super) fn remove_parallel_edges<K: Key>(
        &self,
        graph: &mut Contracted<'_, K>,
        to: &mut Contracted<'_, K>,
    ) {
        to.vertices = graph.vertices;
        let kept = atomic_u32(&mut to.first_edge[..=graph.vertices]);
        kept[graph.vertices].store(0, Relaxed);
        {
            let first_edge = &graph.first_edge[..=graph.vertices];
            let neighbors = atomic_u32(&mut graph.neighbors[..graph.entries]);
            let (ranks, ids) = (atomic_u64(graph.ranks), atomic_u32(graph.ids));
            self.team.distribute(graph.vertices, ROWS, |_, vertices| {
                let mut sorted = Vec::new();
                for vertex in vertices {
                    let start = first_edge[vertex] as usize;
                    let row = start..first_edge[vertex + 1] as usize;
                    sorted.clear();
                    sorted.extend(row.map(|entry| {
                        let id = ids.get(entry).map_or(0, |id| id.load(Relaxed));
                        (neighbors[entry].load(Relaxed), ranks[entry].load(Relaxed), id)
                    }));
                    sorted.sort_unstable();
                    sorted.dedup_by_key(|&mut (neighbor, ..)| neighbor);
                    kept[vertex].store(sorted.len() as u32, Relaxed);
                    for (entry, &(neighbor, rank, id)) in (start..).zip(&sorted) {
                        neighbors[entry].store(neighbor, Relaxed);
                        ranks[entry].store(rank, Relaxed);
                        if let Some(slot) = ids.get(entry) {
                            slot.store(id, Relaxed);
                        }
                    }
                }
            });
        }
        to.entries = exclusive_prefix_sum(self.team, kept) as usize;
        let first_edge = &to.first_edge[..];
        let neighbors = atomic_u32(&mut to.neighbors[..to.entries]);
        let (ranks, ids) = (atomic_u64(to.ranks), atomic_u32(to.ids));
        self.team.for_each(graph.vertices, ROWS, |vertex| {
            let row = first_edge[vertex] as usize..first_edge[vertex + 1] as usize;
            for (entry, from) in row.zip(graph.first_edge(vertex)..) {
                neighbors[entry].store(graph.neighbors[from], Relaxed);
                ranks[entry].store(graph.ranks[from], Relaxed);
                if let Some(slot) = ids.get(entry) {
                    slot.store(graph.ids[from], Relaxed);
                }
            }
        });
    }
}
