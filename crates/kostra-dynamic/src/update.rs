//! Batches of updates.

use std::cmp::Ordering;
use std::ops::Range;

use kostra_core::{
    EdgeId, GraphError, MAX_EDGES, OutOfMemory, Vertex, Weight, check_edges, memory,
};

use kostra_cpu::radix_sort_by_key;

use crate::edge_table::{EdgeEntry, Membership};
use crate::plan::Batch;
use crate::trees::Trees;
use crate::{DynamicForest, UpdateError};

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
        let ids = self.append(u, v, weights)?;
        if let Err(error) = self.offer_all(ids.clone()) {
            self.table.truncate(ids.start);
            return Err(error.into());
        }
        Ok(ids)
    }

    /// Inserts edges one after another, and returns for each one the edge that is not in the forest
    /// because of it: itself, the edge that it replaces, or nothing if it joins two trees. Later
    /// edges may change this. The result is that of [`insert`](Self::insert) for each edge, in less
    /// time for large graphs: the processor reads memory for several edges at once.
    /// O(log n) amortized per edge, in expectation.
    ///
    /// # Errors
    /// As [`insert`](Self::insert), for all edges together.
    pub fn insert_in_turn(
        &mut self,
        u: &[Vertex],
        v: &[Vertex],
        weights: &[W],
    ) -> Result<Vec<Option<EdgeId>>, UpdateError> {
        let mut outside = memory::with_capacity(u.len())?;
        if matches!(self.trees, Trees::None) {
            self.grow()?;
        }
        let ids = self.append(u, v, weights)?;
        self.present += ids.len();
        outside.extend(ids.map(|id| self.offer(id)));
        self.finish_batch();
        Ok(outside)
    }

    /// Checks edges, and appends them to the table.
    fn append(
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
        self.table.append(u, v, weights);
        Ok(first as EdgeId..end as EdgeId)
    }

    /// Gives these edges, ascending by id, to a forest without edges. The next edge gets the id
    /// `next`, which is above all others.
    pub(crate) fn restore(
        &mut self,
        edges: &[(EdgeId, EdgeEntry<W>)],
        next: EdgeId,
    ) -> Result<(), UpdateError> {
        self.table.arrange(edges, next as usize)?;
        Ok(self.offer_all(edges.iter().map(|edge| edge.0))?)
    }

    /// Ends a batch that inserted edges, ascending by id.
    fn offer_all(&mut self, new: impl ExactSizeIterator<Item = EdgeId>) -> Result<(), OutOfMemory> {
        let inserted = new.len();
        if self.is_whole(Batch { gained: inserted, ..Batch::default() })? {
            self.solve(&[], Membership::NonForest, new)?;
        } else {
            new.for_each(|id| {
                self.offer(id);
            });
        }
        self.present += inserted;
        self.finish_batch();
        Ok(())
    }

    /// Deletes edges.
    ///
    /// # Errors
    /// When an edge is not present or is named twice.
    pub fn delete(&mut self, ids: &[EdgeId]) -> Result<(), UpdateError> {
        self.check_ids(ids)?;
        Ok(self.delete_present(ids)?)
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
        if !self.reweight_whole(ids, weights)? {
            for (&id, &weight) in ids.iter().zip(weights) {
                self.reweight_one(id, weight)?;
            }
        }
        self.finish_batch();
        Ok(())
    }

    /// Solves for a batch of new weights, if this takes the least time. Otherwise, the trees that
    /// the batch needs are there.
    fn reweight_whole(&mut self, ids: &[EdgeId], weights: &[W]) -> Result<bool, OutOfMemory> {
        let (mut lost, mut gained) = (Vec::new(), Vec::new());
        for (&id, &weight) in ids.iter().zip(weights) {
            let is_better = self.table.rank_with(id, weight).cmp(&self.table.rank(id));
            match (self.table.state(id), is_better) {
                (Membership::Forest(_), Ordering::Greater) => lost.push(id),
                (Membership::NonForest, Ordering::Less) => gained.push(id),
                _ => {}
            }
        }
        let batch = Batch {
            lost: lost.len(),
            gained: gained.len(),
            others: ids.len() - lost.len() - gained.len(),
        };
        let has_effect = batch.lost + batch.gained > 0 || matches!(self.trees, Trees::Changing(_));
        if !has_effect || !self.is_whole(batch)? {
            return Ok(false);
        }
        let old: Vec<W> = ids.iter().map(|&id| self.table.get(id).weight).collect();
        self.set_weights(ids, weights);
        self.solve(&lost, Membership::NonForest, sorted(gained).into_iter())
            .inspect_err(|_| self.set_weights(ids, &old))?;
        Ok(true)
    }

    fn set_weights(&mut self, ids: &[EdgeId], weights: &[W]) {
        for (&id, &weight) in ids.iter().zip(weights) {
            self.table.set_weight(id, weight);
        }
    }

    fn reweight_one(&mut self, id: EdgeId, weight: W) -> Result<(), OutOfMemory> {
        let before = self.table.rank(id);
        self.table.set_weight(id, weight);
        let after = self.table.rank(id);
        let edge = self.table.get(id);
        match (edge.state, &mut self.trees) {
            (Membership::Forest(node), Trees::Changing(trees)) if after <= before => {
                trees.paths.set_rank(node, after);
            }
            (Membership::Forest(_), Trees::Growing(tree)) if after < before => {
                // The edge closes a cycle with what it was, which leaves.
                tree.insert(edge.ends, after);
            }
            (Membership::Forest(_), _) if after > before => {
                self.replace(id, Membership::NonForest)?;
            }
            (Membership::NonForest, Trees::Changing(trees)) => {
                trees.tours.remove(edge.ends, before);
                self.offer(id);
            }
            (Membership::NonForest, _) if after < before => {
                self.offer(id);
            }
            _ => {}
        }
        Ok(())
    }

    /// Deletes present edges, each named once.
    fn delete_present(&mut self, ids: &[EdgeId]) -> Result<(), OutOfMemory> {
        let is_forest = |id: &EdgeId| self.table.state(*id).is_forest();
        let lost: Vec<EdgeId> = ids.iter().copied().filter(is_forest).collect();
        let batch = Batch { lost: lost.len(), ..Batch::default() };
        if batch.lost > 0 && self.is_whole(batch)? {
            self.solve(ids, Membership::Absent, std::iter::empty())?;
        } else {
            // First those outside the forest, so that none of them becomes a replacement.
            for &id in ids {
                let edge = self.table.get(id);
                if edge.state == Membership::NonForest
                    && let Trees::Changing(trees) = &mut self.trees
                {
                    trees.tours.remove(edge.ends, self.table.rank(id));
                }
                if !edge.state.is_forest() {
                    self.table.set_state(id, Membership::Absent);
                }
            }
            self.delete_in_turn(&lost)?;
        }
        self.present -= ids.len();
        self.finish_batch();
        Ok(())
    }

    /// Deletes edges of the forest one by one. If the searches for replacements take longer than
    /// those before, the rest is solved as a whole.
    fn delete_in_turn(&mut self, ids: &[EdgeId]) -> Result<(), OutOfMemory> {
        for (position, &id) in ids.iter().enumerate() {
            let rest = &ids[position..];
            let batch = Batch { lost: rest.len(), ..Batch::default() };
            if self.is_slow(batch)
                && self.solve(rest, Membership::Absent, std::iter::empty()).is_ok()
            {
                return Ok(());
            }
            self.replace(id, Membership::Absent)?;
        }
        Ok(())
    }

    /// Checks that all edges are present and named once.
    fn check_ids(&self, ids: &[EdgeId]) -> Result<(), UpdateError> {
        ids.iter().try_for_each(|&id| self.edge(id).map(|_| ()))?;
        if ids.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        match sorted(ids.to_vec()).windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(UpdateError::Repeated { edge: pair[0] }),
            None => Ok(()),
        }
    }

    /// Finds what the batch changed. An edge that changed twice is where it was.
    pub(crate) fn finish_batch(&mut self) {
        self.entered.clear();
        self.left.clear();
        let changed = sorted(std::mem::take(&mut self.changed));
        for changes in changed.chunk_by(|a, b| a == b) {
            if changes.len() % 2 == 1 {
                let id = changes[0];
                let is_in = self.table.state(id).is_forest();
                if is_in { &mut self.entered } else { &mut self.left }.push(id);
            }
        }
        self.table.tidy(self.present);
    }
}

/// The ids in ascending order.
fn sorted(mut ids: Vec<EdgeId>) -> Vec<EdgeId> {
    let mut spare = ids.clone();
    radix_sort_by_key(&mut ids, &mut spare, u64::from).to_vec()
}
