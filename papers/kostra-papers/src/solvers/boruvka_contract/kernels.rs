//! The kernels of a round, in the order in which they run.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use kostra_core::{Key, Run, SolveError, Vertex};
use kostra_parallel::{atomic_u32, atomic_u64, exclusive_prefix_sum, into_item, lock};

use super::graph::{Contracted, NO_RANK, Rows};
use super::{Division, NONE, Rounds, RowShares};

impl RowShares<'_, '_> {
    /// Calls `step` for every row, with the number of a thread, the vertex and its entries. If work
    /// is divided by edges, each thread has an equal number of entries, and `step` is called for
    /// each part of a row that is on two threads, and not at all for an empty row.
    pub(super) fn for_each(
        &self,
        graph: &impl Rows,
        step: impl Fn(usize, usize, Range<usize>) + Sync,
    ) {
        match self.division {
            Division::Vertices => {
                self.team.distribute(graph.vertices(), self.schedule, |thread, range| {
                    range.for_each(|vertex| step(thread, vertex, graph.row(vertex)));
                });
            }
            Division::Edges => self.team.in_parts(graph.neighbors().len(), |part, entries| {
                let mut vertex = vertex_of(graph, entries.start);
                let mut start = entries.start;
                while start < entries.end {
                    let end = graph.first_edge(vertex + 1).min(entries.end);
                    if start < end {
                        step(part, vertex, start..end);
                    }
                    (vertex, start) = (vertex + 1, end);
                }
            }),
        }
    }
}

impl Rounds<'_, '_> {
    /// Algorithm 7. Returns the number of edges that each thread has scanned.
    ///
    /// By edges, a row may be on several threads. Each finds the lightest edge of its part. The
    /// parts' edges, two per thread at most, are combined at the end: a segmented reduction.
    pub(super) fn find_minimum_edges(&mut self, graph: &impl Rows) -> Vec<AtomicU64> {
        let vertex_minedge = atomic_u32(&mut self.vertices.vertex_minedge[..graph.vertices()]);
        let edges: Vec<_> = (0..self.team.threads()).map(|_| AtomicU64::new(0)).collect();
        let parts = Mutex::new(Vec::new());
        if matches!(self.rows.division, Division::Edges) {
            let empty = |vertex: usize| vertex_minedge[vertex].store(NONE, Relaxed);
            self.team.for_each(graph.vertices(), self.schedule, empty);
        }
        self.rows.for_each(graph, |thread, vertex, entries| {
            edges[thread].fetch_add(entries.len() as u64, Relaxed);
            let (mut min, mut min_edge) = (NO_RANK, NONE);
            for (entry, rank) in entries.clone().zip(graph.ranks(entries.clone())) {
                if rank < min {
                    (min, min_edge) = (rank, entry as u32);
                }
            }
            if entries == graph.row(vertex) {
                vertex_minedge[vertex].store(min_edge, Relaxed);
            } else {
                lock(&parts).push((vertex, min, min_edge));
            }
        });
        let mut parts = into_item(parts);
        parts.sort_unstable();
        parts.dedup_by_key(|&mut (vertex, ..)| vertex);
        for (vertex, _, edge) in parts {
            vertex_minedge[vertex].store(edge, Relaxed);
        }
        edges
    }

    /// Algorithm 8. Adds the remaining edges to the forest.
    pub(super) fn remove_mirrored_edges(&mut self, graph: &impl Rows) {
        let vertex_minedge = atomic_u32(&mut self.vertices.vertex_minedge[..graph.vertices()]);
        let neighbors = graph.neighbors();
        self.team.for_each(graph.vertices(), self.schedule, |vertex| {
            let edge = vertex_minedge[vertex].load(Relaxed);
            if edge == NONE {
                return;
            }
            let succ = neighbors[edge as usize] as usize;
            // If two vertices chose the same edge, the lower vertex removes its image, and the
            // other's stays visible. A successor without an edge has removed an image that it
            // shared with another vertex.
            let mirrored = vertex < succ && {
                let succ_edge = vertex_minedge[succ].load(Relaxed);
                succ_edge != NONE && neighbors[succ_edge as usize] as usize == vertex
            };
            if mirrored {
                vertex_minedge[vertex].store(NONE, Relaxed);
            } else {
                self.forest.insert(graph.id(edge as usize));
            }
        });
    }

    /// Algorithm 9.
    pub(super) fn initialize_colors(&mut self, graph: &impl Rows) {
        let vertex_minedge = &self.vertices.vertex_minedge[..graph.vertices()];
        let color = atomic_u32(&mut self.vertices.color[..graph.vertices()]);
        let neighbors = graph.neighbors();
        self.team.for_each(graph.vertices(), self.schedule, |vertex| {
            let edge = vertex_minedge[vertex];
            let own = if edge == NONE { vertex as Vertex } else { neighbors[edge as usize] };
            color[vertex].store(own, Relaxed);
        });
    }

    /// Algorithm 10, until nothing changes. Returns the number of sweeps, the last one included,
    /// which changes nothing.
    ///
    /// A color that another thread changes meanwhile is nearer to the root than before. Both values
    /// are correct.
    pub(super) fn propagate_colors(
        &mut self,
        vertices: usize,
        run: &mut Run<'_>,
    ) -> Result<u32, SolveError> {
        let color = atomic_u32(&mut self.vertices.color[..vertices]);
        for sweep in 1.. {
            let changed = AtomicBool::new(false);
            self.team.distribute(vertices, self.schedule, |_, range| {
                let mut change = false;
                for vertex in range {
                    let succ = color[vertex].load(Relaxed);
                    let succ_succ = color[succ as usize].load(Relaxed);
                    if succ != succ_succ {
                        color[vertex].store(succ_succ, Relaxed);
                        change = true;
                    }
                }
                if change {
                    changed.store(true, Relaxed);
                }
            });
            run.report.progress(self.all - vertices, self.all)?;
            if !changed.into_inner() {
                return Ok(sweep);
            }
        }
        Ok(0)
    }

    /// Algorithm 11 and the prefix sum. Returns the number of vertices of the contracted graph.
    pub(super) fn create_new_vertex_ids(&mut self, graph: &impl Rows) -> usize {
        let color = &self.vertices.color[..graph.vertices()];
        let flag = atomic_u32(&mut self.vertices.new_vertex[..graph.vertices()]);
        self.team.for_each(graph.vertices(), self.schedule, |vertex| {
            // A vertex without edges is finished, and no other vertex has its color.
            let root = color[vertex] as usize == vertex && !graph.row(vertex).is_empty();
            flag[vertex].store(root.into(), Relaxed);
        });
        exclusive_prefix_sum(self.team, flag) as usize
    }

    /// Algorithm 12.
    pub(super) fn count_new_edges(&self, graph: &impl Rows, outdegree: &mut [u32]) {
        let (color, new_vertex) = (&*self.vertices.color, &*self.vertices.new_vertex);
        let outdegree = atomic_u32(outdegree);
        self.team
            .for_each(outdegree.len(), self.schedule, |vertex| outdegree[vertex].store(0, Relaxed));
        self.rows.for_each(graph, |_, vertex, entries| {
            let my_color = color[vertex];
            let row = &graph.neighbors()[entries];
            let new_edges = row.iter().filter(|&&w| color[w as usize] != my_color).count();
            if new_edges > 0 {
                let supervertex = new_vertex[my_color as usize] as usize;
                outdegree[supervertex].fetch_add(new_edges as u32, Relaxed);
            }
        });
    }

    /// Turns degrees into the starts of rows. Returns the end of the last row.
    pub(super) fn assign_edge_segments(&mut self, first_edge: &mut [u32]) -> usize {
        let entries = exclusive_prefix_sum(self.team, atomic_u32(first_edge)) as usize;
        let next_edge = atomic_u32(&mut self.vertices.next_edge[..first_edge.len() - 1]);
        self.team.for_each(next_edge.len(), self.schedule, |vertex| {
            next_edge[vertex].store(first_edge[vertex], Relaxed);
        });
        entries
    }

    /// Algorithm 13.
    pub(super) fn insert_new_edges<K: Key>(
        &mut self,
        graph: &impl Rows,
        next: &mut Contracted<'_, K>,
    ) {
        let (color, new_vertex) = (&*self.vertices.color, &*self.vertices.new_vertex);
        let next_edge = atomic_u32(self.vertices.next_edge);
        let (neighbors, ranks) = (atomic_u32(next.neighbors), atomic_u64(next.ranks));
        let ids = atomic_u32(next.ids);
        self.rows.for_each(graph, |_, vertex, row| {
            let my_color = color[vertex];
            for (&w, (rank, id)) in graph.neighbors()[row.clone()].iter().zip(graph.ranks(row)) {
                let other_color = color[w as usize];
                if other_color == my_color {
                    continue;
                }
                let supervertex = new_vertex[my_color as usize] as usize;
                let entry = next_edge[supervertex].fetch_add(1, Relaxed) as usize;
                neighbors[entry].store(new_vertex[other_color as usize], Relaxed);
                ranks[entry].store(rank, Relaxed);
                if !ids.is_empty() {
                    ids[entry].store(id, Relaxed);
                }
            }
        });
    }
}

/// The vertex whose row has this entry.
fn vertex_of(graph: &impl Rows, entry: usize) -> usize {
    let (mut low, mut high) = (0, graph.vertices());
    // Rows before `low` end at the entry or before it, and those from `high` on begin after it.
    while low < high {
        let middle = usize::midpoint(low, high);
        if graph.first_edge(middle + 1) <= entry {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
