//! Updates that are known in advance.
//!
//! An edge with one weight is a *version*, which is there for a span of time. The versions of the
//! edges that no update names are static: they are always there. All others are dynamic.
//! [`halving`] finds when each version is in the forest.

mod halving;
mod running_total;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use kostra_core::{
    EdgeId, Edges, GraphError, Key, MAX_EDGES, OutOfMemory, Run, Total, Vertex, Weight,
    check_edges, memory,
};
use kostra_cpu::{forest_of_edges, radix_sort_by_key};

use self::halving::{Dynamic, History, Static};
use self::running_total::RunningTotal;
use crate::edge_table::Membership;
use crate::solve::out_of_memory;
use crate::trees::Trees;
use crate::{DynamicForest, UpdateError};

/// An update of a sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Update<W> {
    /// Inserts an edge between two vertices. It gets the next id.
    Insert([Vertex; 2], W),
    /// Deletes an edge.
    Delete(EdgeId),
    /// Changes the weight of an edge.
    Reweight(EdgeId, W),
}

/// What an update of a sequence does to the forest: at most one edge enters, and one leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestStep {
    /// The edge that enters.
    pub entered: Option<EdgeId>,
    /// The edge that leaves. It may be deleted.
    pub left: Option<EdgeId>,
    /// The total weight of the forest: exact for integers. A sum of floats is exact before it is
    /// rounded, so it can differ from [`DynamicForest::total`] in its last bits.
    pub total: Total,
}

/// The edges that updates name: since which moment they have their weight, or nothing if they are
/// deleted.
type Named<W> = HashMap<EdgeId, Option<(u32, W)>>;

/// What a sequence does.
struct Outcome<W> {
    named: Named<W>,
    steps: Vec<ForestStep>,
    /// For each entry of the table, whether it is in the last forest.
    forest: Vec<bool>,
}

impl<W: Weight> DynamicForest<W> {
    /// Applies updates one after another, and returns what each one does to the forest. Then the
    /// forest is that of the last update, and [`entered`](Self::entered) and [`left`](Self::left)
    /// compare it with the one before the first update.
    ///
    /// Takes the time of a solve, and O(log q) amortized time per update for q updates, apart from
    /// disjoint sets. Memory: O(n + m + q log q).
    ///
    /// # Errors
    /// When an update names an edge that is not present then, a vertex that does not exist, or a
    /// weight that is NaN, or there are more than [`MAX_EDGES`] updates. Nothing changes.
    pub fn apply_sequence(
        &mut self,
        updates: &[Update<W>],
    ) -> Result<Vec<ForestStep>, UpdateError> {
        if updates.len() >= MAX_EDGES {
            return Err(GraphError::TooManyEdges { edges: updates.len() as u64 }.into());
        }
        let (mut u, mut v, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for update in updates {
            if let &Update::Insert(ends, weight) = update {
                memory::push(&mut u, ends[0])?;
                memory::push(&mut v, ends[1])?;
                memory::push(&mut weights, weight)?;
            }
        }
        check_edges(self.vertices as usize, &u, &v, &weights)?;
        let first = self.append(&u, &v, &weights)?.start;
        let found = self.find_steps(updates, first);
        let Outcome { named, steps, forest } = found.inspect_err(|_| self.table.truncate(first))?;
        self.present += u.len();
        self.adopt_sequence(&named, &forest);
        self.finish_batch();
        Ok(steps)
    }

    /// What the updates do. New edges, from the id `first` on, are in the table.
    fn find_steps(&self, updates: &[Update<W>], first: EdgeId) -> Result<Outcome<W>, UpdateError> {
        let (named, mut dynamic) = self.versions_of(updates, first)?;
        dynamic.sort_unstable_by_key(|version| (version.edge.rank, version.span.start));
        let fixed = self.static_forest(&named, first)?;
        let moments = updates.len() as u32 + 1;
        let mut history = History::new(&self.table, moments)?;
        history.halve(self.vertices, 0..moments, fixed, dynamic)?;
        let mut sum = RunningTotal::new::<W>();
        let (changes, mut events, forest) = history.finish();
        events.sort_unstable_by_key(|event| event.0);
        let mut steps = memory::with_capacity(updates.len())?;
        let mut events = events.into_iter().peekable();
        for (moment, change) in (0..).zip(changes) {
            while let Some((_, is_added, weight)) = events.next_if(|event| event.0 == moment) {
                sum.add(weight, is_added);
            }
            // Before the first update, there is no step.
            if moment > 0 {
                steps.push(ForestStep { entered: change[0], left: change[1], total: sum.value() });
            }
        }
        Ok(Outcome { named, steps, forest })
    }

    /// The edges that updates name, and their versions. Checks the updates.
    fn versions_of(
        &self,
        updates: &[Update<W>],
        first: EdgeId,
    ) -> Result<(Named<W>, Vec<Dynamic<W>>), UpdateError> {
        let (mut named, mut versions) = (Named::new(), Vec::new());
        let end = updates.len() as u32 + 1;
        let mut next = first;
        let mut add = |id: EdgeId, (start, weight): (u32, W), end: u32| {
            let ends = self.table.get(id).ends;
            let edge = Static { ends, rank: self.table.rank_with(id, weight), weight };
            let is_loop = ends[0] == ends[1];
            if is_loop {
                Ok(())
            } else {
                memory::push(&mut versions, Dynamic { edge, span: start..end })
            }
        };
        for (moment, update) in (1..).zip(updates) {
            let (id, after) = match *update {
                Update::Insert(_, weight) => {
                    named.insert(next, Some((moment, weight)));
                    next += 1;
                    continue;
                }
                Update::Delete(edge) => (edge, None),
                Update::Reweight(edge, weight) if weight.is_nan() => {
                    return Err(UpdateError::NanWeight { edge });
                }
                Update::Reweight(edge, weight) => (edge, Some((moment, weight))),
            };
            let before = match named.entry(id) {
                Entry::Occupied(mut entry) => entry.insert(after),
                Entry::Vacant(entry) => {
                    let edge = self.table.find(id).filter(|_| id < first);
                    entry.insert(after);
                    edge.map(|edge| (0, edge.weight))
                }
            };
            add(id, before.ok_or(UpdateError::NotPresent { edge: id })?, moment)?;
        }
        for (&id, last) in &named {
            last.iter().try_for_each(|&last| add(id, last, end))?;
        }
        Ok((named, versions))
    }

    /// The forest of the edges that no update names, ascending by rank.
    fn static_forest(
        &self,
        named: &Named<W>,
        first: EdgeId,
    ) -> Result<Vec<Static<W>>, OutOfMemory> {
        let is_static = |id: &EdgeId| *id < first && !named.contains_key(id);
        let (mut ids, mut u, mut v) = (Vec::new(), Vec::new(), Vec::new());
        let mut weights = Vec::new();
        for id in self.table.present().filter(is_static) {
            let edge = self.table.get(id);
            memory::push(&mut ids, id)?;
            memory::push(&mut u, edge.ends[0])?;
            memory::push(&mut v, edge.ends[1])?;
            memory::push(&mut weights, edge.weight)?;
        }
        let bits = bytemuck::cast_slice(&weights);
        let edges = Edges::of_checked(self.vertices, (&u, &v), bits, self.encoding);
        let run = &mut Run::new().on_threads(kostra_core::default_threads());
        let forest = forest_of_edges(edges, run);
        let places = forest.map_err(out_of_memory)?.try_into_ids()?;
        let keyed = places.into_iter().map(|place| (edges.key(place).to_u64(), place));
        let mut places = memory::collected(keyed)?;
        let mut spare = memory::copied(&places)?;
        let places = radix_sort_by_key(&mut places, &mut spare, |(key, _)| key);
        memory::collected(places.iter().map(|&(_, place)| {
            let (u, v) = edges.ends(place);
            let (id, weight) = (ids[place as usize], weights[place as usize]);
            Static { ends: [u, v], rank: self.table.rank_with(id, weight), weight }
        }))
    }

    /// Takes the last state of the named edges and of the forest into the table.
    fn adopt_sequence(&mut self, named: &Named<W>, forest: &[bool]) {
        self.trees = Trees::None;
        for (position, &is_in) in forest.iter().enumerate() {
            if is_in != self.table.states()[position].is_forest() {
                let id = self.table.id_at(position);
                if is_in {
                    self.entered_as(id, 0);
                } else {
                    self.left_as(id, Membership::NonForest);
                }
            }
        }
        for (&id, last) in named {
            if let Some((_, weight)) = *last {
                self.table.set_weight(id, weight);
            } else {
                self.table.set_state(id, Membership::Absent);
                self.present -= 1;
            }
        }
    }
}
