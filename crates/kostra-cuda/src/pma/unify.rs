//! The unification of the trees of an iteration: Algorithm 5, and the removal of parallel edges.

#![allow(unsafe_code, reason = "kernels are launched")]

use kostra_core::{Key, SolveError};

use super::graph::Graph;
use super::iterations::Iterations;
use super::kernels::{
    BLOCKS, COMPUTE_NEW_INDICES, FIND_ROOTS, REMOVE_PARALLEL_EDGES, SOURCE, UPDATE_EDGES,
};
use crate::error::DeviceError;
use crate::launch::launch;
use crate::sort_rows::RowOrder;

impl Iterations<'_> {
    /// Algorithm 5. Unifies each component into one vertex of `new`.
    pub(super) fn unify<K: Key>(
        &mut self,
        graph: &Graph<K>,
        new: &mut Graph<K>,
    ) -> Result<(), SolveError> {
        self.find_roots(graph)?;
        self.count_outgoing(graph)?;
        self.compute_new_indices(graph, new)?;
        self.reserve_places(graph, new)?;
        self.update_edges(graph, new)?;
        Ok(())
    }

    /// Line 1: links trees that touched, removes cycles, and doubles distances.
    fn find_roots<K: Key>(&mut self, graph: &Graph<K>) -> Result<(), SolveError> {
        let vertices = graph.rows.vertices;
        // SAFETY: each vertex is in a tree, and each root of a tree has a word in `touched`.
        unsafe {
            launch!(
                self.device,
                &self.kernels.link_trees,
                BLOCKS.for_items(vertices),
                (SOURCE, "link_trees"),
                [
                    ptr touched = &self.words.touched,
                    u32 vertices = &vertices,
                    ptr successor = &mut self.words.successor,
                    ptr counters = &mut self.counters,
                ],
                "linking trees"
            )
        }?;
        let successor = &mut self.words.successor;
        self.contraction.propagate_colors(successor, vertices, || Ok(()))?;
        Ok(self.clock.lap(FIND_ROOTS)?)
    }

    /// Line 4: flags the entries that are no self-loops, numbers them, and counts them at the
    /// roots.
    fn count_outgoing<K: Key>(&mut self, graph: &Graph<K>) -> Result<(), DeviceError> {
        let (vertices, entries) = (graph.rows.vertices, graph.rows.entries);
        // SAFETY: both ends of an entry are vertices. `before` has one word more than there are
        // entries.
        unsafe {
            launch!(
                self.device,
                &self.kernels.flag_outgoing,
                BLOCKS.for_items(entries + 1),
                (SOURCE, "flag_outgoing"),
                [
                    ptr from = &graph.from,
                    ptr neighbors = &graph.rows.neighbors,
                    u32 entries = &entries,
                    ptr root = &self.words.successor,
                    ptr flag = &mut self.words.before,
                ],
                "flagging edges"
            )
        }?;
        self.scan.exclusive_prefix_sum(
            self.device,
            &mut self.words.before,
            entries as usize + 1,
        )?;
        let mut degrees = self.words.degree.slice_mut(..vertices as usize);
        self.device.fill(&mut degrees, 0)?;
        // SAFETY: roots are vertices, and `before` has a word for the start and the end of each
        // row.
        unsafe {
            launch!(
                self.device,
                &self.kernels.count_outgoing,
                BLOCKS.for_items(vertices),
                (SOURCE, "count_outgoing"),
                [
                    ptr first_edge = &graph.rows.first_edge,
                    ptr before = &self.words.before,
                    u32 vertices = &vertices,
                    ptr root = &self.words.successor,
                    ptr degree = &mut self.words.degree,
                ],
                "counting edges"
            )
        }
    }

    /// Line 2: numbers the roots that have entries, and assigns rows to them.
    fn compute_new_indices<K: Key>(
        &mut self,
        graph: &Graph<K>,
        new: &mut Graph<K>,
    ) -> Result<(), DeviceError> {
        let vertices = graph.rows.vertices;
        // SAFETY: all arrays have a word for each vertex.
        unsafe {
            launch!(
                self.device,
                &self.kernels.flag_new_vertices,
                BLOCKS.for_items(vertices),
                (SOURCE, "flag_new_vertices"),
                [
                    ptr root = &self.words.successor,
                    ptr degree = &self.words.degree,
                    u32 vertices = &vertices,
                    ptr flag = &mut self.words.new_vertex,
                ],
                "flagging roots"
            )
        }?;
        new.rows.vertices = self.scan.exclusive_prefix_sum(
            self.device,
            &mut self.words.new_vertex,
            vertices as usize,
        )?;
        let rows = new.rows.vertices as usize;
        // The word after the last degree becomes the end of the last row.
        self.device.fill(&mut new.rows.first_edge.slice_mut(rows..=rows), 0)?;
        // SAFETY: a new vertex is made of two or more, so there is memory for all of them.
        unsafe {
            launch!(
                self.device,
                &self.kernels.take_degrees,
                BLOCKS.for_items(vertices),
                (SOURCE, "take_degrees"),
                [
                    ptr root = &self.words.successor,
                    ptr degree = &self.words.degree,
                    ptr new_vertex = &self.words.new_vertex,
                    u32 vertices = &vertices,
                    ptr new_degree = &mut new.rows.first_edge,
                ],
                "moving degrees"
            )
        }?;
        new.rows.entries =
            self.scan.exclusive_prefix_sum(self.device, &mut new.rows.first_edge, rows + 1)?;
        self.clock.lap(COMPUTE_NEW_INDICES)
    }

    /// Reserves a part of the new rows for the entries of each vertex.
    fn reserve_places<K: Key>(
        &mut self,
        graph: &Graph<K>,
        new: &Graph<K>,
    ) -> Result<(), DeviceError> {
        let rows = new.rows.vertices as usize;
        if rows > 0 {
            let copied = self.device.stream().memcpy_dtod(
                &new.rows.first_edge.slice(..rows),
                &mut self.words.next_edge.slice_mut(..rows),
            );
            self.device.check(copied, "copying rows")?;
        }
        let vertices = graph.rows.vertices;
        // SAFETY: each component that has entries has a new vertex, and `next_edge` has a word for
        // it.
        unsafe {
            launch!(
                self.device,
                &self.kernels.reserve_places,
                BLOCKS.for_items(vertices),
                (SOURCE, "reserve_places"),
                [
                    ptr first_edge = &graph.rows.first_edge,
                    ptr before = &self.words.before,
                    u32 vertices = &vertices,
                    ptr root = &self.words.successor,
                    ptr new_vertex = &self.words.new_vertex,
                    ptr next_edge = &mut self.words.next_edge,
                    ptr number = &mut self.words.number,
                    ptr shift = &mut self.words.shift,
                ],
                "reserving places"
            )
        }
    }

    /// Line 3: moves the entries that are kept to the new rows.
    fn update_edges<K: Key>(
        &mut self,
        graph: &Graph<K>,
        new: &mut Graph<K>,
    ) -> Result<(), DeviceError> {
        let entries = graph.rows.entries;
        // SAFETY: the new rows are as long as the places that were reserved in them.
        unsafe {
            launch!(
                self.device,
                &self.kernels.update_edges,
                BLOCKS.for_items(entries),
                (SOURCE, "update_edges"),
                [
                    ptr from = &graph.from,
                    ptr neighbors = &graph.rows.neighbors,
                    ptr keys = &graph.rows.keys,
                    ptr ids = &graph.rows.ids,
                    u32 entries = &entries,
                    ptr before = &self.words.before,
                    ptr number = &self.words.number,
                    ptr shift = &self.words.shift,
                    ptr new_from = &mut new.from,
                    ptr new_neighbors = &mut new.rows.neighbors,
                    ptr new_keys = &mut new.rows.keys,
                    ptr new_ids = &mut new.rows.ids,
                ],
                "updating edges"
            )
        }?;
        self.clock.lap(UPDATE_EDGES)
    }

    /// Keeps the lightest of parallel edges: sorts the entries by their ends and their rank, and
    /// compacts them. The graph that remains is in `graph`; `other` has memory for a copy.
    pub(super) fn remove_parallel_edges<K: Key>(
        &mut self,
        graph: &mut Graph<K>,
        other: &mut Graph<K>,
    ) -> Result<(), DeviceError> {
        let sorted = (&mut graph.rows, &graph.from);
        self.kernels.sort.sort(self.device, RowOrder::Neighbor, sorted, &mut other.rows)?;
        let entries = graph.rows.entries;
        // SAFETY: `before` has one word more than there are entries.
        unsafe {
            launch!(
                self.device,
                &self.kernels.flag_lightest,
                BLOCKS.for_items(entries + 1),
                (SOURCE, "flag_lightest"),
                [
                    ptr from = &graph.from,
                    ptr neighbors = &graph.rows.neighbors,
                    u32 entries = &entries,
                    ptr flag = &mut self.words.before,
                ],
                "flagging edges"
            )
        }?;
        let kept = self.scan.exclusive_prefix_sum(
            self.device,
            &mut self.words.before,
            entries as usize + 1,
        )?;
        if kept < entries {
            self.compact(graph, other)?;
            (other.rows.vertices, other.rows.entries) = (graph.rows.vertices, kept);
            std::mem::swap(graph, other);
        }
        self.clock.lap(REMOVE_PARALLEL_EDGES)
    }

    /// Copies the entries that are kept, and the starts of the rows.
    fn compact<K: Key>(&mut self, graph: &Graph<K>, new: &mut Graph<K>) -> Result<(), DeviceError> {
        let (vertices, entries) = (graph.rows.vertices, graph.rows.entries);
        // SAFETY: the graph from which `graph` was unified was in the arrays of `new`, so they are
        // long enough.
        unsafe {
            launch!(
                self.device,
                &self.kernels.compact,
                BLOCKS.for_items(entries),
                (SOURCE, "compact"),
                [
                    ptr from = &graph.from,
                    ptr neighbors = &graph.rows.neighbors,
                    ptr keys = &graph.rows.keys,
                    ptr ids = &graph.rows.ids,
                    u32 entries = &entries,
                    ptr before = &self.words.before,
                    ptr new_from = &mut new.from,
                    ptr new_neighbors = &mut new.rows.neighbors,
                    ptr new_keys = &mut new.rows.keys,
                    ptr new_ids = &mut new.rows.ids,
                ],
                "compacting edges"
            )
        }?;
        // SAFETY: as above.
        unsafe {
            launch!(
                self.device,
                &self.kernels.compact_rows,
                BLOCKS.for_items(vertices + 1),
                (SOURCE, "compact_rows"),
                [
                    ptr first_edge = &graph.rows.first_edge,
                    u32 vertices = &vertices,
                    ptr before = &self.words.before,
                    ptr new_first_edge = &mut new.rows.first_edge,
                ],
                "compacting rows"
            )
        }
    }
}
