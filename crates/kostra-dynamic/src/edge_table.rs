//! All edges that were ever inserted, and the present ones of each vertex.
//!
//! The edges of a vertex are two doubly linked lists through the edges themselves: those in the
//! forest, and the others. So an edge moves from one list to the other in O(1), at vertices of any
//! degree.

use kostra_core::{EdgeId, Encoding, Key, OutOfMemory, Vertex, Weight, memory};

/// The absence of an edge.
const NONE: EdgeId = EdgeId::MAX;

/// Where an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    /// Deleted.
    Absent,
    /// A self-loop, which no forest contains. It is in no list.
    Loop,
    /// Present, and not in the forest.
    NonForest,
    /// In the forest, with this node of the link-cut trees.
    Forest(u32),
}

impl Membership {
    /// Which list of a vertex contains the edge.
    fn list(self) -> Option<usize> {
        match self {
            Self::Absent | Self::Loop => None,
            Self::NonForest => Some(0),
            Self::Forest(_) => Some(1),
        }
    }
}

/// An edge.
#[derive(Clone, Copy)]
pub(crate) struct EdgeEntry<W> {
    pub(crate) ends: [Vertex; 2],
    pub(crate) weight: W,
    pub(crate) state: Membership,
    /// The next edge of each end in its list.
    next: [EdgeId; 2],
    previous: [EdgeId; 2],
}

impl<W> EdgeEntry<W> {
    /// The position of an end.
    fn side(&self, end: Vertex) -> usize {
        usize::from(self.ends[1] == end)
    }

    /// The end that is not `end`.
    pub(crate) fn other(&self, end: Vertex) -> Vertex {
        self.ends[1 - self.side(end)]
    }
}

/// Edges by id, and by vertex.
pub(crate) struct EdgeTable<W: Weight> {
    pub(crate) edges: Vec<EdgeEntry<W>>,
    /// The first edge of each vertex, not in the forest and in the forest.
    first: Vec<[EdgeId; 2]>,
    encoding: Encoding<W::Key>,
}

impl<W: Weight> EdgeTable<W> {
    pub(crate) fn new(vertices: u32, encoding: Encoding<W::Key>) -> Result<Self, OutOfMemory> {
        let first = memory::filled(vertices as usize, [NONE; 2])?;
        Ok(Self { edges: Vec::new(), first, encoding })
    }

    pub(crate) fn get(&self, id: EdgeId) -> &EdgeEntry<W> {
        &self.edges[id as usize]
    }

    /// Appends an edge, outside the forest.
    pub(crate) fn push(&mut self, ends: [Vertex; 2], weight: W) -> EdgeId {
        let id = self.edges.len() as EdgeId;
        let none = [NONE; 2];
        self.edges.push(EdgeEntry {
            ends,
            weight,
            state: Membership::Absent,
            next: none,
            previous: none,
        });
        self.set_state(
            id,
            if ends[0] == ends[1] { Membership::Loop } else { Membership::NonForest },
        );
        id
    }

    /// The place of an edge in the strict order of edges.
    pub(crate) fn rank(&self, id: EdgeId) -> <W::Key as Key>::Rank {
        self.encoding.key(bytemuck::cast(self.get(id).weight)).rank(id)
    }

    /// Moves an edge between the lists of its ends.
    pub(crate) fn set_state(&mut self, id: EdgeId, state: Membership) {
        let EdgeEntry { ends, state: old, next, previous, .. } = *self.get(id);
        self.edges[id as usize].state = state;
        if old.list() == state.list() {
            return;
        }
        for (side, end) in ends.into_iter().enumerate() {
            if let Some(list) = old.list() {
                self.unlink(end, list, (previous[side], next[side]));
            }
            if let Some(list) = state.list() {
                let first = std::mem::replace(&mut self.first[end as usize][list], id);
                self.edges[id as usize].next[side] = first;
                self.edges[id as usize].previous[side] = NONE;
                if first != NONE {
                    let side = self.get(first).side(end);
                    self.edges[first as usize].previous[side] = id;
                }
            }
        }
    }

    fn unlink(&mut self, end: Vertex, list: usize, (previous, next): (EdgeId, EdgeId)) {
        if previous == NONE {
            self.first[end as usize][list] = next;
        } else {
            let side = self.get(previous).side(end);
            self.edges[previous as usize].next[side] = next;
        }
        if next != NONE {
            let side = self.get(next).side(end);
            self.edges[next as usize].previous[side] = previous;
        }
    }

    /// The edges of a vertex in the forest.
    pub(crate) fn forest_edges(&self, vertex: Vertex) -> impl Iterator<Item = EdgeId> {
        self.list(vertex, 1)
    }

    /// The edges of a vertex outside the forest, without self-loops.
    pub(crate) fn other_edges(&self, vertex: Vertex) -> impl Iterator<Item = EdgeId> {
        self.list(vertex, 0)
    }

    fn list(&self, vertex: Vertex, list: usize) -> impl Iterator<Item = EdgeId> {
        let found = |id| (id != NONE).then_some(id);
        std::iter::successors(found(self.first[vertex as usize][list]), move |&id| {
            let edge = self.get(id);
            found(edge.next[edge.side(vertex)])
        })
    }
}
