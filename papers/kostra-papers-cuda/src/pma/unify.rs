//! The unification of the trees of an iteration: Algorithm 5, and the removal of parallel edges.

use kostra_core::{Key, SolveError};
use kostra_cuda::DeviceError;
use kostra_cuda::sort_rows::RowOrder;

use super::graph::IterationGraph;
use super::iterations::Iterations;
use super::kernels::{
    Arguments, COMPUTE_NEW_INDICES, FIND_ROOTS, REMOVE_PARALLEL_EDGES, UPDATE_EDGES,
};

impl Iterations<'_> {
    /// Algorithm 5. Unifies each component into one vertex of `new`.
    pub(super) fn unify<K: Key>(
        &mut self,
        graph: &IterationGraph<K>,
        new: &mut IterationGraph<K>,
    ) -> Result<(), SolveError> {
        let arguments = &self.arguments(graph, new);
        self.find_roots(arguments)?;
        self.count_outgoing(arguments)?;
        self.compute_new_indices(arguments, new)?;
        self.reserve_places(arguments, new)?;
        // Line 3: moves the entries that are kept to the new rows.
        let update_edges = &self.kernels.update_edges;
        self.launch(update_edges, arguments.entries, arguments, "updating edges")?;
        Ok(self.clock.lap(UPDATE_EDGES)?)
    }

    /// Line 1: links trees that touched, removes cycles, and doubles distances.
    fn find_roots(&mut self, arguments: &Arguments) -> Result<(), SolveError> {
        let vertices = arguments.vertices;
        self.launch(&self.kernels.link_trees, vertices, arguments, "linking trees")?;
        let successor = &mut self.words.successor;
        self.contraction.propagate_colors(successor, vertices, || Ok(()))?;
        Ok(self.clock.lap(FIND_ROOTS)?)
    }

    /// Line 4: flags the entries that are no self-loops, numbers them, and counts them at the
    /// roots.
    fn count_outgoing(&mut self, arguments: &Arguments) -> Result<(), DeviceError> {
        let &Arguments { vertices, entries, .. } = arguments;
        self.launch(&self.kernels.flag_outgoing, entries + 1, arguments, "flagging edges")?;
        let before = &mut self.words.before;
        self.scan.exclusive_prefix_sum(self.device, before, entries as usize + 1)?;
        let mut degrees = self.words.degree.slice_mut(..vertices as usize);
        self.device.fill(&mut degrees, 0)?;
        self.launch(&self.kernels.count_outgoing, vertices, arguments, "counting edges")
    }

    /// Line 2: numbers the roots that have entries, and assigns rows to them.
    fn compute_new_indices<K: Key>(
        &mut self,
        arguments: &Arguments,
        new: &mut IterationGraph<K>,
    ) -> Result<(), DeviceError> {
        let vertices = arguments.vertices;
        self.launch(&self.kernels.flag_new_vertices, vertices, arguments, "flagging roots")?;
        let new_vertex = &mut self.words.new_vertex;
        new.rows.vertices =
            self.scan.exclusive_prefix_sum(self.device, new_vertex, vertices as usize)?;
        let rows = new.rows.vertices as usize;
        // The word after the last degree becomes the end of the last row.
        self.device.fill(&mut new.rows.first_edge.slice_mut(rows..=rows), 0)?;
        self.launch(&self.kernels.take_degrees, vertices, arguments, "moving degrees")?;
        new.rows.entries =
            self.scan.exclusive_prefix_sum(self.device, &mut new.rows.first_edge, rows + 1)?;
        self.clock.lap(COMPUTE_NEW_INDICES)
    }

    /// Reserves a part of the new rows for the entries of each vertex.
    fn reserve_places<K: Key>(
        &mut self,
        arguments: &Arguments,
        new: &IterationGraph<K>,
    ) -> Result<(), DeviceError> {
        let rows = new.rows.vertices as usize;
        if rows > 0 {
            let copied = self.device.stream().memcpy_dtod(
                &new.rows.first_edge.slice(..rows),
                &mut self.words.next_edge.slice_mut(..rows),
            );
            self.device.check(copied, "copying rows")?;
        }
        let reserve_places = &self.kernels.reserve_places;
        self.launch(reserve_places, arguments.vertices, arguments, "reserving places")
    }

    /// Keeps the lightest of parallel edges: sorts the entries by their ends and their rank, and
    /// compacts them. The graph that remains is in `graph`; `other` has memory for a copy.
    pub(super) fn remove_parallel_edges<K: Key>(
        &mut self,
        graph: &mut IterationGraph<K>,
        other: &mut IterationGraph<K>,
    ) -> Result<(), DeviceError> {
        let sorted = (&mut graph.rows, &graph.from);
        self.kernels.sort.sort(self.device, RowOrder::Neighbor, sorted, &mut other.rows)?;
        let arguments = &self.arguments(graph, other);
        let &Arguments { vertices, entries, .. } = arguments;
        self.launch(&self.kernels.flag_lightest, entries + 1, arguments, "flagging edges")?;
        let before = &mut self.words.before;
        let kept = self.scan.exclusive_prefix_sum(self.device, before, entries as usize + 1)?;
        if kept < entries {
            self.launch(&self.kernels.compact, entries, arguments, "compacting edges")?;
            self.launch(&self.kernels.compact_rows, vertices + 1, arguments, "compacting rows")?;
            (other.rows.vertices, other.rows.entries) = (vertices, kept);
            std::mem::swap(graph, other);
        }
        self.clock.lap(REMOVE_PARALLEL_EDGES)
    }
}
