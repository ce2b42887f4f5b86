//! The reduction: replaces the forest by the forest of itself and the buffer.

use kostra_core::{EdgeId, Key, OutOfMemory, Run, SolveError};
use kostra_parallel::with_team;

use super::sink::Sink;
use crate::forest_of_edges;

/// The number of vertices for each additional thread.
const GRAIN: usize = 1 << 14;

impl<K: Key> Sink<K> {
    /// Replaces the forest by the forest of itself and the buffer.
    ///
    /// Both are in one list, in the order of their ids. So the solver's order of edges is that of
    /// the graph.
    pub(super) fn reduce(&mut self) -> Result<(), OutOfMemory> {
        let edges = self.edges.first(self.used, (self.vertices, self.encoding));
        let mut run = Run::new().on_threads(self.threads).in_workspace(&mut self.workspace);
        let forest = forest_of_edges(edges, &mut run).map_err(|error| match error {
            SolveError::OutOfMemory { bytes, .. } => OutOfMemory { bytes },
            error => unreachable!("nobody cancels this run, and it suits all graphs: {error}"),
        })?;
        self.edges.keep(&forest);
        self.forest = forest.len();
        self.used = self.forest;
        self.statistics.reductions += 1;
        Ok(())
    }

    /// Finds the levels of the forest. Returns whether it is a forest.
    pub(super) fn find_levels(&mut self) -> Result<bool, OutOfMemory> {
        let vertices = self.vertices as usize;
        // A word per vertex and half a word per edge. A forest has fewer edges than vertices.
        let bytes = vertices.next_multiple_of(2) * (size_of::<u64>() + size_of::<EdgeId>());
        let words = self.workspace.words(bytes).ok_or(OutOfMemory { bytes })?;
        let forest = self.edges.first(self.forest, (self.vertices, self.encoding));
        Ok(with_team(self.threads.min(1 + vertices / GRAIN), |team| {
            self.levels.find((forest, self.taken), words, team)
        }))
    }
}
