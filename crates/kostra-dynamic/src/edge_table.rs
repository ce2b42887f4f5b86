//! All edges that were ever inserted.

use kostra_core::{EdgeId, Encoding, Key, Vertex, Weight};

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

/// An edge.
#[derive(Clone, Copy)]
pub(crate) struct EdgeEntry<W> {
    pub(crate) ends: [Vertex; 2],
    pub(crate) weight: W,
    pub(crate) state: Membership,
}

impl<W> EdgeEntry<W> {
    /// The end that is not `end`.
    pub(crate) fn other(&self, end: Vertex) -> Vertex {
        self.ends[usize::from(self.ends[0] == end)]
    }
}

/// Edges by id.
pub(crate) struct EdgeTable<W: Weight> {
    pub(crate) edges: Vec<EdgeEntry<W>>,
    /// Every edge below this id is absent.
    pub(crate) oldest: EdgeId,
    encoding: Encoding<W::Key>,
}

impl<W: Weight> EdgeTable<W> {
    pub(crate) fn new(encoding: Encoding<W::Key>) -> Self {
        Self { edges: Vec::new(), oldest: 0, encoding }
    }

    pub(crate) fn get(&self, id: EdgeId) -> &EdgeEntry<W> {
        &self.edges[id as usize]
    }

    /// The ids of the edges that are where `wanted` says, ascending.
    pub(crate) fn ids(
        &self,
        wanted: impl Fn(Membership) -> bool + Clone,
    ) -> impl Iterator<Item = EdgeId> + Clone {
        (self.oldest..self.edges.len() as EdgeId).filter(move |&id| wanted(self.get(id).state))
    }

    /// Appends an edge, outside the forest.
    pub(crate) fn push(&mut self, ends: [Vertex; 2], weight: W) {
        let state = if ends[0] == ends[1] { Membership::Loop } else { Membership::NonForest };
        self.edges.push(EdgeEntry { ends, weight, state });
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
        self.edges[id as usize].state = state;
    }
}
