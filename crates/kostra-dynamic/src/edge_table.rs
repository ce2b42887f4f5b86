//! The present edges by id.
//!
//! Ids are never used again, so in a long stream most ids are those of absent edges. The entries
//! of the table are ascending by id. Those from the id `dense` on have all ids, also those of
//! absent edges, so that an entry is found in O(1). Those before have a list of ids, which is
//! searched. The table is arranged again when few of its entries are present, so it has at most
//! a few entries per present edge.

use std::ops::Range;

use kostra_core::{EdgeId, Encoding, Key, OutOfMemory, Vertex, Weight, memory};

/// The table is arranged again when it has more entries than this for each present edge, and
/// `SPARE` more. Half of the entries are present then, so the next time is far.
const ENTRIES_PER_EDGE: usize = 4;
const SPARE: usize = if cfg!(test) { 8 } else { 1024 };

/// Where an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    /// Deleted.
    Absent,
    /// A self-loop, which no forest contains.
    Loop,
    /// Present, and not in the forest.
    NonForest,
    /// In the forest, with this node of the link-cut trees if there are some.
    Forest(u32),
}

impl Membership {
    pub(crate) fn is_forest(self) -> bool {
        matches!(self, Self::Forest(_))
    }

    pub(crate) fn is_present(self) -> bool {
        self != Self::Absent
    }
}

/// An edge.
#[derive(Clone, Copy)]
pub(crate) struct EdgeEntry<W> {
    pub(crate) ends: [Vertex; 2],
    pub(crate) weight: W,
    pub(crate) state: Membership,
}

impl<W> EdgeEntry<W> {
    /// An edge outside the forest.
    pub(crate) fn new(ends: [Vertex; 2], weight: W) -> Self {
        let state = if ends[0] == ends[1] { Membership::Loop } else { Membership::NonForest };
        Self { ends, weight, state }
    }

    /// The end that is not `end`.
    pub(crate) fn other(&self, end: Vertex) -> Vertex {
        self.ends[usize::from(self.ends[0] == end)]
    }
}

/// Edges by id.
pub(crate) struct EdgeTable<W: Weight> {
    entries: Vec<EdgeEntry<W>>,
    /// The ids of the first entries, ascending.
    ids: Vec<EdgeId>,
    /// The id of the entry behind them. Each further entry has the next id.
    dense: EdgeId,
    /// The edges of all entries before this one are absent.
    oldest: usize,
    encoding: Encoding<W::Key>,
}

impl<W: Weight> EdgeTable<W> {
    pub(crate) fn new(encoding: Encoding<W::Key>) -> Self {
        Self { entries: Vec::new(), ids: Vec::new(), dense: 0, oldest: 0, encoding }
    }

    /// The position of the entry with this id; that of no entry if there is none.
    #[inline]
    fn position(&self, id: EdgeId) -> usize {
        match id.checked_sub(self.dense) {
            Some(offset) => self.ids.len() + offset as usize,
            None => self.ids.binary_search(&id).unwrap_or(usize::MAX),
        }
    }

    fn id_at(&self, position: usize) -> EdgeId {
        match position.checked_sub(self.ids.len()) {
            Some(offset) => self.dense + offset as EdgeId,
            None => self.ids[position],
        }
    }

    /// The edge with this id, if it is present.
    pub(crate) fn find(&self, id: EdgeId) -> Option<&EdgeEntry<W>> {
        self.entries.get(self.position(id)).filter(|edge| edge.state.is_present())
    }

    /// An edge that was present since the table was [tidied](Self::tidy).
    pub(crate) fn get(&self, id: EdgeId) -> &EdgeEntry<W> {
        &self.entries[self.position(id)]
    }

    pub(crate) fn get_mut(&mut self, id: EdgeId) -> &mut EdgeEntry<W> {
        let position = self.position(id);
        &mut self.entries[position]
    }

    #[cfg(test)]
    pub(crate) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// The id of the next edge: the number of edges that were ever inserted.
    pub(crate) fn next_id(&self) -> usize {
        self.dense as usize + (self.entries.len() - self.ids.len())
    }

    /// The ids of the edges that are where `wanted` says, ascending.
    pub(crate) fn ids(
        &self,
        wanted: impl Fn(Membership) -> bool + Clone,
    ) -> impl Iterator<Item = EdgeId> + Clone {
        self.ids_at(self.oldest..self.entries.len(), wanted)
    }

    fn ids_at(
        &self,
        positions: Range<usize>,
        wanted: impl Fn(Membership) -> bool + Clone,
    ) -> impl Iterator<Item = EdgeId> + Clone {
        positions
            .filter(move |&position| wanted(self.entries[position].state))
            .map(|position| self.id_at(position))
    }

    /// The number of entries with ids below `before`.
    fn entries_below(&self, before: EdgeId) -> usize {
        match before.checked_sub(self.dense) {
            Some(offset) => (self.ids.len() + offset as usize).min(self.entries.len()),
            None => self.ids.partition_point(|&id| id < before),
        }
    }

    /// The ids of the present edges below `before`, ascending. Takes time for the entries that were
    /// not yet [skipped](Self::skip).
    pub(crate) fn ids_below(&self, before: EdgeId) -> Vec<EdgeId> {
        self.ids_at(self.oldest..self.entries_below(before), Membership::is_present).collect()
    }

    /// Skips the entries below `before`, which are all absent.
    pub(crate) fn skip(&mut self, before: EdgeId) {
        self.oldest = self.oldest.max(self.entries_below(before));
    }

    /// Appends an edge, outside the forest.
    pub(crate) fn push(&mut self, ends: [Vertex; 2], weight: W) {
        self.entries.push(EdgeEntry::new(ends, weight));
    }

    /// The place of an edge in the strict order of edges.
    pub(crate) fn rank(&self, id: EdgeId) -> <W::Key as Key>::Rank {
        self.rank_with(id, self.get(id).weight)
    }

    /// The place that an edge would have with another weight.
    pub(crate) fn rank_with(&self, id: EdgeId, weight: W) -> <W::Key as Key>::Rank {
        self.encoding.key(bytemuck::cast(weight)).rank(id)
    }

    pub(crate) fn set_state(&mut self, id: EdgeId, state: Membership) {
        self.get_mut(id).state = state;
    }

    /// Drops entries of absent edges if most are absent. O(1) amortized per deletion. Without
    /// memory, they stay.
    pub(crate) fn tidy(&mut self, present: usize) {
        if self.entries.len() > ENTRIES_PER_EDGE * present + SPARE {
            let next = self.next_id();
            // Not an error: only memory is lost, until the next time.
            let _ = memory::with_capacity(present).and_then(|mut edges| {
                let ids = self.ids(Membership::is_present);
                edges.extend(ids.map(|id| (id, *self.get(id))));
                self.arrange(&edges, next)
            });
        }
    }

    /// Replaces all entries by those of present edges, ascending by id and below `next`.
    pub(crate) fn arrange(
        &mut self,
        edges: &[(EdgeId, EdgeEntry<W>)],
        next: usize,
    ) -> Result<(), OutOfMemory> {
        // The dense part begins at the first edge from which on half of the ids are present.
        let is_dense = |&place: &usize| 2 * (edges.len() - place) >= next - edges[place].0 as usize;
        let split = (0..edges.len()).find(is_dense).unwrap_or(edges.len());
        let dense = edges.get(split).map_or(next, |edge| edge.0 as usize);
        let mut entries = memory::with_capacity(split + next - dense)?;
        entries.extend(edges[..split].iter().map(|edge| edge.1));
        let absent =
            EdgeEntry { state: Membership::Absent, ..EdgeEntry::new([0; 2], W::default()) };
        entries.resize(split + next - dense, absent);
        for &(id, edge) in &edges[split..] {
            entries[split + id as usize - dense] = edge;
        }
        self.ids = memory::collected(edges[..split].iter().map(|edge| edge.0))?;
        (self.entries, self.dense, self.oldest) = (entries, dense as EdgeId, 0);
        Ok(())
    }
}
