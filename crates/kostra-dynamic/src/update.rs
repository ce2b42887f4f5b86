//! Batches of updates. A small batch changes the forest edge by edge, a large one solves again.

use std::ops::Range;

use kostra_core::{
    EdgeId, EdgeSet, Edges, GraphError, MAX_EDGES, OutOfMemory, Run, Vertex, Weight, check_edges,
    memory,
};
use kostra_cpu::forest_of_edges;

use crate::edge_table::{EdgeEntry, Membership};
use crate::forest::Trees;
use crate::{DynamicForest, UpdateError};

/// Stitching an edge into a growing forest takes as long as solving again for this many vertices
/// and edges. From the times of the example `updates` on generated roads and uniform graphs of a
/// million vertices, as the others.
const STITCH: usize = 4;
/// Changing one edge of trees that can change takes as long as solving again for this many vertices
/// and edges.
const CHANGE: usize = 50;
/// A search for a replacement of this many steps takes as long as changing one edge.
const SEARCH_STEPS: usize = 100;

impl<W: Weight> DynamicForest<W> {
    /// Inserts edges: edge `i` of the batch joins `u[i]` and `v[i]` and has weight `weights[i]`.
    /// Returns their ids.
    ///
    /// # Errors
    /// When the slices differ in length, an edge ends at no vertex, or a weight is NaN.
    pub fn insert(
        &mut self,
        u: &[Vertex],
        v: &[Vertex],
        weights: &[W],
    ) -> Result<Range<EdgeId>, UpdateError> {
        check_edges(self.vertices as usize, u, v, weights)?;
        let first = self.table.next_id();
        let end = first + u.len();
        if end > MAX_EDGES {
            return Err(GraphError::TooManyEdges { edges: end as u64 }.into());
        }
        let ids = first as EdgeId..end as EdgeId;
        for ((&u, &v), &weight) in u.iter().zip(v).zip(weights) {
            self.table.push([u, v], weight);
        }
        self.offer_all(ids.clone());
        Ok(ids)
    }

    /// Gives these edges, ascending by id, to a forest without edges. The next edge gets the id
    /// `next`, which is above all others.
    pub(crate) fn restore(
        &mut self,
        edges: &[(EdgeId, EdgeEntry<W>)],
        next: EdgeId,
    ) -> Result<(), UpdateError> {
        self.table.arrange(edges, next as usize)?;
        self.offer_all(edges.iter().map(|edge| edge.0));
        Ok(())
    }

    /// Ends a batch that inserted edges, ascending by id.
    fn offer_all(&mut self, new: impl ExactSizeIterator<Item = EdgeId> + Clone) {
        let inserted = new.len();
        self.present += inserted;
        // Insertions bring no edge into the forest that was present before (cycle property).
        let is_large = match self.trees {
            Trees::Growing(_) => self.is_large(inserted * STITCH / CHANGE, inserted),
            // Edges may leave again, and making such trees takes longer than solving for all edges.
            Trees::Changing(_) => self.is_large(inserted, 2 * self.present),
        };
        let solved = is_large && {
            let mut candidates = self.ids();
            candidates.extend(new.clone());
            self.solve(&candidates)
        };
        if !solved {
            new.for_each(|id| self.offer(id));
        }
        self.finish_batch();
    }

    /// Deletes edges.
    ///
    /// # Errors
    /// When an edge is not present or is named twice.
    pub fn delete(&mut self, ids: &[EdgeId]) -> Result<(), UpdateError> {
        self.check_ids(ids)?;
        self.delete_present(ids)
    }

    /// Deletes all edges with ids below `before`: the oldest ones, since ids ascend in the order of
    /// insertion. Returns the number of deleted edges. O(1) per edge that was inserted, in addition
    /// to the deletions.
    pub fn expire(&mut self, before: EdgeId) -> Result<usize, UpdateError> {
        let ids = self.table.ids_below(before);
        self.delete_present(&ids)?;
        self.table.skip(before);
        Ok(ids.len())
    }

    /// Changes the weights of edges: of edge `ids[i]` to `weights[i]`.
    ///
    /// # Errors
    /// When an edge is not present or is named twice, the slices differ in length, or a weight is
    /// NaN.
    pub fn reweight(&mut self, ids: &[EdgeId], weights: &[W]) -> Result<(), UpdateError> {
        if ids.len() != weights.len() {
            let (edges, weights) = (ids.len(), weights.len());
            return Err(UpdateError::WeightsMismatch { edges, weights });
        }
        self.check_ids(ids)?;
        if let Some((&edge, _)) = ids.iter().zip(weights).find(|(_, weight)| weight.is_nan()) {
            return Err(UpdateError::NanWeight { edge });
        }
        // Edges of the batch may enter the forest before their turn, so all or none is checked.
        let may_lose = ids.iter().any(|&id| self.table.get(id).state.is_forest());
        if self.is_large(ids.len(), self.present) || may_lose && self.loses_first() {
            // The weights of the nodes are wrong until the solve, which reads none of them.
            let old: Vec<W> = ids.iter().map(|&id| self.table.get(id).weight).collect();
            self.set_weights(ids, weights);
            if self.solve(&self.present_ids()) {
                self.has_lost = may_lose;
                self.finish_batch();
                return Ok(());
            }
            self.set_weights(ids, &old);
        }
        if may_lose {
            self.changing()?;
        }
        for (&id, &weight) in ids.iter().zip(weights) {
            self.reweight_one(id, weight)?;
        }
        self.finish_batch();
        Ok(())
    }

    fn set_weights(&mut self, ids: &[EdgeId], weights: &[W]) {
        for (&id, &weight) in ids.iter().zip(weights) {
            self.table.get_mut(id).weight = weight;
        }
    }

    fn reweight_one(&mut self, id: EdgeId, weight: W) -> Result<(), OutOfMemory> {
        let before = self.table.rank(id);
        self.table.get_mut(id).weight = weight;
        let after = self.table.rank(id);
        let edge = *self.table.get(id);
        match edge.state {
            Membership::Forest(node) if after <= before => {
                self.changing()?.paths.set_rank(node, after);
            }
            Membership::Forest(_) => {
                self.replace(id, Membership::NonForest)?;
            }
            Membership::NonForest => {
                if let Trees::Changing(trees) = &mut self.trees {
                    trees.tours.remove(edge.ends, before);
                }
                self.offer(id);
            }
            Membership::Loop | Membership::Absent => {}
        }
        Ok(())
    }

    /// Deletes present edges, each named once.
    fn delete_present(&mut self, ids: &[EdgeId]) -> Result<(), UpdateError> {
        let is_forest = |id: &EdgeId| self.table.get(*id).state.is_forest();
        let in_forest: Vec<EdgeId> = ids.iter().copied().filter(is_forest).collect();
        let present = self.present - ids.len();
        let is_large = self.is_large(self.deletions_as_changes(in_forest.len()), present);
        let is_first = !in_forest.is_empty() && self.loses_first();
        if (is_first || is_large) && self.delete_and_solve(ids) {
            self.has_lost = !is_large;
            return Ok(());
        }
        if !in_forest.is_empty() {
            self.changing()?;
        }
        // First those outside the forest, so that none of them becomes a replacement.
        for &id in ids {
            let edge = *self.table.get(id);
            if edge.state == Membership::NonForest
                && let Trees::Changing(trees) = &mut self.trees
            {
                trees.tours.remove(edge.ends, self.table.rank(id));
            }
            if !edge.state.is_forest() {
                self.table.set_state(id, Membership::Absent);
            }
        }
        self.present = present;
        let mut is_refused = is_large;
        for (position, &id) in in_forest.iter().enumerate() {
            let rest = &in_forest[position..];
            let changes = self.deletions_as_changes(rest.len());
            if !is_refused && self.is_large(changes, self.present) {
                if self.delete_and_solve(rest) {
                    return Ok(());
                }
                is_refused = true;
            }
            self.replace(id, Membership::Absent)?;
        }
        self.finish_batch();
        Ok(())
    }

    /// Deletes edges and solves again for the others; whether there was memory.
    fn delete_and_solve(&mut self, ids: &[EdgeId]) -> bool {
        let mut gone = ids.to_vec();
        gone.sort_unstable();
        let mut candidates = self.present_ids();
        candidates.retain(|id| gone.binary_search(id).is_err());
        let Some(forest) = self.forest_of(&candidates) else { return false };
        if self.set_forest(&candidates, &forest).is_err() {
            return false;
        }
        for id in gone {
            if self.table.get(id).state.is_forest() {
                self.changed.push(id);
            }
            self.table.set_state(id, Membership::Absent);
        }
        self.present = candidates.len();
        self.finish_batch();
        true
    }

    /// Whether no edge left the forest since a batch was solved as a whole. Solving again takes
    /// less time than making trees that can change.
    fn loses_first(&self) -> bool {
        matches!(self.trees, Trees::Growing(_)) && !self.has_lost
    }

    /// How many changes take as long as deleting `deletions` edges of the forest, if the searches
    /// for replacements take as long as those so far.
    fn deletions_as_changes(&self, deletions: usize) -> usize {
        let steps = deletions.saturating_mul(self.search_steps);
        deletions + steps.checked_div(self.searches).unwrap_or(0) / SEARCH_STEPS
    }

    /// Whether changing `changes` edges one by one takes longer than solving again, where a solve
    /// reads `candidates` edges in addition to those of the forest.
    fn is_large(&self, changes: usize, candidates: usize) -> bool {
        changes.saturating_mul(CHANGE) > self.vertices as usize + candidates
    }

    /// Solves again for the edges `candidates`, in ascending order; whether there was memory.
    fn solve(&mut self, candidates: &[EdgeId]) -> bool {
        let Some(forest) = self.forest_of(candidates) else { return false };
        self.set_forest(candidates, &forest).is_ok()
    }

    /// The canonical forest of the edges `candidates`, by their positions; none without memory.
    fn forest_of(&self, candidates: &[EdgeId]) -> Option<EdgeSet> {
        let edges = || candidates.iter().map(|&id| self.table.get(id));
        let u = memory::collected(edges().map(|edge| edge.ends[0])).ok()?;
        let v = memory::collected(edges().map(|edge| edge.ends[1])).ok()?;
        let weights = memory::collected(edges().map(|edge| bytemuck::cast(edge.weight))).ok()?;
        let edges = Edges::of_checked(self.vertices, (&u, &v), &weights, self.encoding);
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        forest_of_edges(edges, &mut Run::new().on_threads(threads)).ok()
    }

    /// Checks that all edges are present and named once.
    fn check_ids(&self, ids: &[EdgeId]) -> Result<(), UpdateError> {
        ids.iter().try_for_each(|&id| self.edge(id).map(|_| ()))?;
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(UpdateError::Repeated { edge: pair[0] }),
            None => Ok(()),
        }
    }

    /// Finds what the batch changed. An edge that changed twice is where it was.
    pub(crate) fn finish_batch(&mut self) {
        self.entered.clear();
        self.left.clear();
        self.changed.sort_unstable();
        for changes in self.changed.chunk_by(|a, b| a == b) {
            if changes.len() % 2 == 1 {
                let id = changes[0];
                let is_in = self.table.get(id).state.is_forest();
                if is_in { &mut self.entered } else { &mut self.left }.push(id);
            }
        }
        self.changed.clear();
        self.table.tidy(self.present);
    }
}
