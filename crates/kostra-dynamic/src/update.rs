//! Batches of updates.

use std::ops::Range;

use kostra_core::{
    EdgeId, GraphError, MAX_EDGES, OutOfMemory, Vertex, Weight, check_edges, memory,
};

use kostra_cpu::radix_sort_by_key;

use crate::edge_table::{EdgeEntry, Membership};
use crate::plan::Batch;
use crate::trees::Trees;
use crate::{DynamicForest, UpdateError};

/// Updates of several kinds. Those that name edges name present edges, each one once.
#[derive(Clone, Copy, Debug)]
pub struct UpdateBatch<'a, W> {
    /// All edges with ids below this one are deleted.
    pub expire: EdgeId,
    /// Edges that are deleted.
    pub delete: &'a [EdgeId],
    /// Edges and their new weights.
    pub reweight: (&'a [EdgeId], &'a [W]),
    /// The ends and the weights of new edges.
    pub insert: (&'a [Vertex], &'a [Vertex], &'a [W]),
}

impl<W> Default for UpdateBatch<'_, W> {
    fn default() -> Self {
        Self { expire: 0, delete: &[], reweight: (&[], &[]), insert: (&[], &[], &[]) }
    }
}

/// A present edge, and its new weight. Without one, it is deleted.
type Change<W> = (EdgeId, Option<W>);

/// What a change does to the forest.
enum Effect {
    /// The edge leaves the forest, to be in this state, and may enter again if it is present.
    Lost(Membership),
    /// The edge is better than before, and may enter.
    Gained,
    Nothing,
}

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
    pub(crate) fn append(
        &mut self,
        u: &[Vertex],
        v: &[Vertex],
        weights: &[W],
    ) -> Result<Range<EdgeId>, UpdateError> {
        self.check_new(u, v, weights)?;
        Ok(self.table.append(u, v, weights))
    }

    fn check_new(&self, u: &[Vertex], v: &[Vertex], weights: &[W]) -> Result<(), UpdateError> {
        check_edges(self.vertices as usize, u, v, weights)?;
        let edges = self.table.next_id() + u.len();
        if edges > MAX_EDGES {
            return Err(GraphError::TooManyEdges { edges: edges as u64 }.into());
        }
        Ok(())
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

    /// Ends a batch that inserted edges.
    fn offer_all(&mut self, new: impl ExactSizeIterator<Item = EdgeId>) -> Result<(), OutOfMemory> {
        let inserted = new.len();
        if self.is_whole(Batch { gained: inserted, ..Batch::default() })? {
            self.solve(&[], &memory::collected(new)?)?;
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
        self.apply(&UpdateBatch { delete: ids, ..UpdateBatch::default() }).map(drop)
    }

    /// Deletes all edges with ids below `before`: the oldest ones, since ids ascend in the order of
    /// insertion. Returns the number of deleted edges. O(1) per edge that was inserted, in addition
    /// to the deletions.
    pub fn expire(&mut self, before: EdgeId) -> Result<usize, UpdateError> {
        let edges = self.present;
        self.apply(&UpdateBatch { expire: before, ..UpdateBatch::default() })?;
        Ok(edges - self.present)
    }

    /// Changes the weights of edges: of edge `ids[i]` to `weights[i]`.
    ///
    /// # Errors
    /// When an edge is not present or is named twice, the slices differ in length, or a weight is
    /// NaN.
    pub fn reweight(&mut self, ids: &[EdgeId], weights: &[W]) -> Result<(), UpdateError> {
        let batch = UpdateBatch { reweight: (ids, weights), ..UpdateBatch::default() };
        self.apply(&batch).map(drop)
    }

    /// Applies updates of several kinds as one batch, which takes less time than one batch for each
    /// kind if it is solved as a whole. Returns the ids of the inserted edges.
    ///
    /// # Errors
    /// As for a batch of each kind, and when two updates name the same edge.
    pub fn apply(&mut self, batch: &UpdateBatch<'_, W>) -> Result<Range<EdgeId>, UpdateError> {
        let changes = self.check_changes(batch)?;
        let (u, v, weights) = batch.insert;
        self.check_new(u, v, weights)?;
        let effects = self.effects(&changes, u.len());
        let keeps_others = matches!(self.trees, Trees::Changing(_));
        // Trees that are made here must not know the new edges.
        let is_whole =
            (effects.lost + effects.gained > 0 || keeps_others) && self.is_whole(effects)?;
        let inserted = self.table.append(u, v, weights);
        let applied = if is_whole {
            self.apply_whole(&changes, inserted.clone())
        } else {
            self.apply_in_turn(&changes, effects, inserted.clone())
        };
        if let Err(error) = applied {
            self.table.truncate(inserted.start);
            return Err(error.into());
        }
        self.table.skip(batch.expire.min(inserted.start));
        self.finish_batch();
        Ok(inserted)
    }

    /// The deleted and the reweighted edges, ascending by id.
    fn check_changes(&self, batch: &UpdateBatch<'_, W>) -> Result<Vec<Change<W>>, UpdateError> {
        let (ids, weights) = batch.reweight;
        if ids.len() != weights.len() {
            let (edges, weights) = (ids.len(), weights.len());
            return Err(UpdateError::WeightsMismatch { edges, weights });
        }
        let expired = self.table.ids_below(batch.expire);
        let mut changes = memory::with_capacity(expired.len() + batch.delete.len() + ids.len())?;
        changes.extend(expired.iter().chain(batch.delete).map(|&id| (id, None)));
        changes.extend(ids.iter().zip(weights).map(|(&id, &weight)| (id, Some(weight))));
        let is_absent = |&place: &usize| {
            self.table.prefetch_after(place, &changes);
            !self.table.has(changes[place].0)
        };
        if let Some(place) = (expired.len()..changes.len()).find(is_absent) {
            return Err(UpdateError::NotPresent { edge: changes[place].0 });
        }
        if let Some((&edge, _)) = ids.iter().zip(weights).find(|(_, weight)| weight.is_nan()) {
            return Err(UpdateError::NanWeight { edge });
        }
        // In the order of the table, so that memory is read in streams.
        if !changes.is_sorted_by(|a, b| a.0 < b.0) {
            let places = changes.iter().enumerate().map(|(place, change)| (change.0, place as u32));
            let mut places = memory::collected(places)?;
            let mut spare = memory::copied(&places)?;
            let places = radix_sort_by_key(&mut places, &mut spare, |(id, _)| id.into());
            changes = memory::collected(places.iter().map(|&(_, place)| changes[place as usize]))?;
        }
        match changes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(UpdateError::Repeated { edge: pair[0].0 }),
            None => Ok(changes),
        }
    }

    fn effects(&self, changes: &[Change<W>], inserted: usize) -> Batch {
        let mut batch = Batch { gained: inserted, ..Batch::default() };
        for (place, &change) in changes.iter().enumerate() {
            self.table.prefetch_after(place, changes);
            *match self.effect(change) {
                Effect::Lost(_) => &mut batch.lost,
                Effect::Gained => &mut batch.gained,
                Effect::Nothing => &mut batch.others,
            } += 1;
        }
        batch
    }

    fn effect(&self, (id, weight): Change<W>) -> Effect {
        let edge = self.table.get(id);
        let Some(weight) = weight else {
            return if edge.state.is_forest() {
                Effect::Lost(Membership::Absent)
            } else {
                Effect::Nothing
            };
        };
        let [before, after] = [edge.weight, weight].map(|weight| self.table.rank_with(id, weight));
        match edge.state {
            Membership::Forest(_) if after > before => Effect::Lost(Membership::NonForest),
            Membership::NonForest if after < before => Effect::Gained,
            _ => Effect::Nothing,
        }
    }

    /// Applies changes, and solves for the forest. Without memory, nothing changes.
    fn apply_whole(
        &mut self,
        changes: &[Change<W>],
        inserted: Range<EdgeId>,
    ) -> Result<(), OutOfMemory> {
        let mut before = memory::with_capacity(changes.len())?;
        let (mut leaving, mut gained) = (Vec::new(), Vec::new());
        for (place, &(id, weight)) in changes.iter().enumerate() {
            self.table.prefetch_after(place, changes);
            let (edge, effect) = (self.table.get(id), self.effect((id, weight)));
            before.push(edge);
            match weight {
                Some(weight) => self.table.set_weight(id, weight),
                None => self.table.set_state(id, Membership::Absent),
            }
            match effect {
                Effect::Lost(state) => {
                    self.table.set_state(id, state);
                    leaving.push((id, state));
                }
                Effect::Gained => gained.push(id),
                Effect::Nothing => debug_assert!(weight.is_some() || !edge.state.is_forest()),
            }
        }
        let deleted = changes.iter().filter(|change| change.1.is_none()).count();
        let present = self.present;
        self.present = present + inserted.len() - deleted;
        gained.extend(inserted);
        self.solve(&leaving, &gained).inspect_err(|_| {
            self.present = present;
            for (&(id, _), &edge) in changes.iter().zip(&before) {
                self.table.set(id, edge);
            }
        })
    }

    /// Applies changes and insertions one by one. If searches for replacements take longer than
    /// those before, the rest is solved as a whole.
    fn apply_in_turn(
        &mut self,
        changes: &[Change<W>],
        mut batch: Batch,
        inserted: Range<EdgeId>,
    ) -> Result<(), OutOfMemory> {
        // First the deletions outside the forest, so that none of these edges is a replacement.
        let mut rest = memory::with_capacity(changes.len())?;
        for &change in changes {
            if change.1.is_none() && !self.table.state(change.0).is_forest() {
                self.delete_one(change.0)?;
                batch.others -= 1;
            } else {
                rest.push(change);
            }
        }
        for (position, &(id, weight)) in rest.iter().enumerate() {
            let effect = self.effect((id, weight));
            if matches!(effect, Effect::Lost(_)) {
                let is_slow = matches!(self.trees, Trees::Changing(_)) && self.is_slow(batch);
                if is_slow && self.apply_whole(&rest[position..], inserted.clone()).is_ok() {
                    return Ok(());
                }
                batch.lost = batch.lost.saturating_sub(1);
            }
            match weight {
                Some(weight) => self.reweight_one(id, weight)?,
                None => self.delete_one(id)?,
            }
        }
        self.present += inserted.len();
        inserted.for_each(|id| {
            self.offer(id);
        });
        Ok(())
    }

    fn delete_one(&mut self, id: EdgeId) -> Result<(), OutOfMemory> {
        let edge = self.table.get(id);
        self.present -= 1;
        if edge.state.is_forest() {
            return self.replace(id, Membership::Absent);
        }
        if edge.state == Membership::NonForest
            && let Trees::Changing(trees) = &mut self.trees
        {
            trees.tours.remove(edge.ends, self.table.rank(id));
        }
        self.table.set_state(id, Membership::Absent);
        Ok(())
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
