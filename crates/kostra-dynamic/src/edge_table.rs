//! The present edges by id, in columns, which solvers read as they are.
//!
//! Ids are never used again, so in a long stream most ids are those of absent edges. The entries
//! of the table are ascending by id. Those from the id `dense` on have all ids, also those of
//! absent edges, so that an entry is found in O(1). Those before have a list of ids, which is
//! searched. The table is arranged again when few of its entries are present, so it has at most
//! a few entries per present edge.

use std::ops::Range;

use kostra_core::{EdgeId, Encoding, Key, OutOfMemory, Vertex, Weight, memory, prefetch};

/// The table is arranged again when it has more entries than this for each present edge, and
/// `SPARE` more. Half of the entries are present then, so the next time is far.
const ENTRIES_PER_EDGE: usize = 4;
const SPARE: usize = if cfg!(test) { 8 } else { 1024 };

/// How many edges before its use an entry is prefetched. The processor cannot predict whether an
/// edge is in the forest, so it does not read later entries by itself.
const PREFETCH_DISTANCE: usize = 16;

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
}

/// A [`Membership`] as a number: the node, or one of the numbers that no node has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code(u32);

impl Code {
    const ABSENT: Self = Self(u32::MAX);
    const LOOP: Self = Self(u32::MAX - 1);
    pub(crate) const NON_FOREST: Self = Self(u32::MAX - 2);

    pub(crate) fn is_forest(self) -> bool {
        self.0 < Self::NON_FOREST.0
    }

    pub(crate) fn is_present(self) -> bool {
        self != Self::ABSENT
    }
}

impl From<Membership> for Code {
    fn from(state: Membership) -> Self {
        match state {
            Membership::Absent => Self::ABSENT,
            Membership::Loop => Self::LOOP,
            Membership::NonForest => Self::NON_FOREST,
            Membership::Forest(node) => Self(node),
        }
    }
}

impl From<Code> for Membership {
    fn from(code: Code) -> Self {
        match code {
            Code::ABSENT => Self::Absent,
            Code::LOOP => Self::Loop,
            Code::NON_FOREST => Self::NonForest,
            Code(node) => Self::Forest(node),
        }
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
    /// The ends of the edges. An absent edge is a self-loop, which solvers skip.
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    weights: Vec<W>,
    states: Vec<Code>,
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
        Self {
            u: Vec::new(),
            v: Vec::new(),
            weights: Vec::new(),
            states: Vec::new(),
            ids: Vec::new(),
            dense: 0,
            oldest: 0,
            encoding,
        }
    }

    /// The position of the entry with this id; that of no entry if there is none.
    #[inline]
    pub(crate) fn position(&self, id: EdgeId) -> usize {
        match id.checked_sub(self.dense) {
            Some(offset) => self.ids.len() + offset as usize,
            None => self.ids.binary_search(&id).unwrap_or(usize::MAX),
        }
    }

    pub(crate) fn id_at(&self, position: usize) -> EdgeId {
        match position.checked_sub(self.ids.len()) {
            Some(offset) => self.dense + offset as EdgeId,
            None => self.ids[position],
        }
    }

    /// The edge with this id, if it is present.
    pub(crate) fn find(&self, id: EdgeId) -> Option<EdgeEntry<W>> {
        let position = self.position(id);
        self.states.get(position).filter(|state| state.is_present()).map(|_| self.at(position))
    }

    /// Whether the edge with this id is present.
    pub(crate) fn has(&self, id: EdgeId) -> bool {
        self.states.get(self.position(id)).is_some_and(|state| state.is_present())
    }

    /// Prefetches an entry for a later [`get`](Self::get), while the edge at `place` is used.
    #[inline]
    pub(crate) fn prefetch_after<T>(&self, place: usize, edges: &[(EdgeId, T)]) {
        let Some((id, _)) = edges.get(place + PREFETCH_DISTANCE) else { return };
        let position = self.position(*id);
        prefetch(&self.u, position);
        prefetch(&self.v, position);
        prefetch(&self.weights, position);
        prefetch(&self.states, position);
    }

    /// An edge that was present since the table was [tidied](Self::tidy).
    pub(crate) fn get(&self, id: EdgeId) -> EdgeEntry<W> {
        self.at(self.position(id))
    }

    fn at(&self, position: usize) -> EdgeEntry<W> {
        EdgeEntry {
            ends: [self.u[position], self.v[position]],
            weight: self.weights[position],
            state: self.states[position].into(),
        }
    }

    pub(crate) fn state(&self, id: EdgeId) -> Membership {
        self.states[self.position(id)].into()
    }

    /// The number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.states.len()
    }

    /// The positions of the entries that may be present.
    pub(crate) fn positions(&self) -> Range<usize> {
        self.oldest..self.entries()
    }

    /// The ends of all entries, absent edges as self-loops.
    pub(crate) fn ends(&self) -> (&[Vertex], &[Vertex]) {
        (&self.u, &self.v)
    }

    pub(crate) fn weights(&self) -> &[W] {
        &self.weights
    }

    pub(crate) fn states(&self) -> &[Code] {
        &self.states
    }

    /// The id of the next edge: the number of edges that were ever inserted.
    pub(crate) fn next_id(&self) -> usize {
        self.dense as usize + (self.entries() - self.ids.len())
    }

    /// The ids of the present edges, ascending.
    pub(crate) fn present(&self) -> impl Iterator<Item = EdgeId> + Clone {
        self.ids_of(self.positions(), Code::is_present)
    }

    /// The ids of the forest's edges, ascending.
    pub(crate) fn forest(&self) -> impl Iterator<Item = EdgeId> + Clone {
        self.ids_of(self.positions(), Code::is_forest)
    }

    /// The ids of the edges outside the forest that are no self-loops, ascending.
    pub(crate) fn outside(&self) -> impl Iterator<Item = EdgeId> + Clone {
        self.ids_of(self.positions(), |state| state == Code::NON_FOREST)
    }

    fn ids_of(
        &self,
        positions: Range<usize>,
        wanted: impl Fn(Code) -> bool + Clone,
    ) -> impl Iterator<Item = EdgeId> + Clone {
        positions
            .filter(move |&position| wanted(self.states[position]))
            .map(|position| self.id_at(position))
    }

    /// The number of entries with ids below `before`.
    fn entries_below(&self, before: EdgeId) -> usize {
        match before.checked_sub(self.dense) {
            Some(offset) => (self.ids.len() + offset as usize).min(self.entries()),
            None => self.ids.partition_point(|&id| id < before),
        }
    }

    /// The ids of the present edges below `before`, ascending. Takes time for the entries that were
    /// not yet [skipped](Self::skip).
    pub(crate) fn ids_below(&self, before: EdgeId) -> Vec<EdgeId> {
        self.ids_of(self.oldest..self.entries_below(before), Code::is_present).collect()
    }

    /// Skips the entries below `before`, which are all absent.
    pub(crate) fn skip(&mut self, before: EdgeId) {
        self.oldest = self.oldest.max(self.entries_below(before));
    }

    /// Drops the edges that were appended from the id `next` on.
    pub(crate) fn truncate(&mut self, next: EdgeId) {
        let position = self.position(next);
        self.u.truncate(position);
        self.v.truncate(position);
        self.weights.truncate(position);
        self.states.truncate(position);
    }

    /// Appends edges, outside the forest. Returns their ids.
    pub(crate) fn append(&mut self, u: &[Vertex], v: &[Vertex], weights: &[W]) -> Range<EdgeId> {
        let first = self.next_id() as EdgeId;
        self.u.extend_from_slice(u);
        self.v.extend_from_slice(v);
        self.weights.extend_from_slice(weights);
        let state = |(u, v)| if u == v { Code::LOOP } else { Code::NON_FOREST };
        self.states.extend(u.iter().zip(v).map(state));
        first..first + u.len() as EdgeId
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
        let position = self.position(id);
        self.set_state_at(position, state);
    }

    pub(crate) fn set_state_at(&mut self, position: usize, state: Membership) {
        self.states[position] = state.into();
        if state == Membership::Absent {
            self.v[position] = self.u[position];
        }
    }

    pub(crate) fn set_weight(&mut self, id: EdgeId, weight: W) {
        let position = self.position(id);
        self.weights[position] = weight;
    }

    /// Replaces an edge.
    pub(crate) fn set(&mut self, id: EdgeId, edge: EdgeEntry<W>) {
        let position = self.position(id);
        [self.u[position], self.v[position]] = edge.ends;
        self.weights[position] = edge.weight;
        self.states[position] = edge.state.into();
    }

    /// Drops entries of absent edges if most are absent. O(1) amortized per deletion. Without
    /// memory, they stay.
    pub(crate) fn tidy(&mut self, present: usize) {
        if self.entries() > ENTRIES_PER_EDGE * present + SPARE {
            let next = self.next_id();
            // Not an error: only memory is lost, until the next time.
            let _ = memory::with_capacity(present).and_then(|mut edges| {
                edges.extend(self.present().map(|id| (id, self.get(id))));
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
        let entries = split + next - dense;
        let (mut u, mut v) = (memory::zeros(entries)?, memory::zeros(entries)?);
        let mut weights = memory::zeros(entries)?;
        let mut states = memory::filled(entries, Code::ABSENT)?;
        for (place, &(id, edge)) in edges.iter().enumerate() {
            let position = if place < split { place } else { split + id as usize - dense };
            [u[position], v[position]] = edge.ends;
            weights[position] = edge.weight;
            states[position] = edge.state.into();
        }
        self.ids = memory::collected(edges[..split].iter().map(|edge| edge.0))?;
        (self.u, self.v, self.weights, self.states) = (u, v, weights, states);
        (self.dense, self.oldest) = (dense as EdgeId, 0);
        Ok(())
    }
}
