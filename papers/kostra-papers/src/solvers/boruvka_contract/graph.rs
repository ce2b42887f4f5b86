//! The graph of a round: the rows that were given, then rows in scratch memory, which two
//! contracted graphs share.

use std::marker::PhantomData;
use std::ops::Range;

use kostra_core::{Csr, EdgeId, Edges, Key, Vertex};

/// An edge's place in the strict total order: for 32-bit keys in the first number, key above id,
/// with the second 0; for 64-bit keys the key and the id.
pub(super) type Rank = (u64, EdgeId);

/// After the rank of every edge, since no edge has this id.
pub(super) const NO_RANK: Rank = (u64::MAX, EdgeId::MAX);

/// The rows of a graph.
pub(super) trait Rows: Sync {
    /// The number of vertices.
    fn vertices(&self) -> usize;
    /// Where the row of a vertex starts; of the vertex past the last, where all rows end.
    fn first_edge(&self, vertex: usize) -> usize;
    /// The other ends of all entries.
    fn neighbors(&self) -> &[Vertex];
    /// The ranks of some entries.
    fn ranks(&self, entries: Range<usize>) -> impl Iterator<Item = Rank>;
    /// The edge of an entry.
    fn id(&self, entry: usize) -> EdgeId;

    /// The entries of a vertex.
    #[inline]
    fn row(&self, vertex: usize) -> Range<usize> {
        self.first_edge(vertex)..self.first_edge(vertex + 1)
    }
}

/// The graph that was given.
pub(super) struct Given<'a, K: Key> {
    pub(super) rows: &'a Csr<K>,
    pub(super) edges: Edges<'a, K>,
}

impl<K: Key> Rows for Given<'_, K> {
    fn vertices(&self) -> usize {
        self.edges.vertices() as usize
    }

    #[inline]
    fn first_edge(&self, vertex: usize) -> usize {
        self.rows.offsets()[vertex]
    }

    #[inline]
    fn neighbors(&self) -> &[Vertex] {
        self.rows.neighbors()
    }

    #[inline]
    fn ranks(&self, entries: Range<usize>) -> impl Iterator<Item = Rank> {
        let (ids, weights) = (&self.rows.ids()[entries.clone()], &self.rows.weights()[entries]);
        ids.iter().zip(weights).map(|(&id, &weight)| {
            let key = self.edges.key_of(weight).to_u64();
            if K::BITS == 32 { (key << 32 | u64::from(id), 0) } else { (key, id) }
        })
    }

    #[inline]
    fn id(&self, entry: usize) -> EdgeId {
        self.rows.ids()[entry]
    }
}

/// A contracted graph, in memory for a larger one.
pub(super) struct Contracted<'a, K: Key> {
    pub(super) first_edge: &'a mut [u32],
    pub(super) neighbors: &'a mut [Vertex],
    pub(super) ranks: &'a mut [u64],
    /// Empty where the rank's first number holds the id.
    pub(super) ids: &'a mut [EdgeId],
    pub(super) vertices: usize,
    /// Twice the number of edges.
    pub(super) entries: usize,
    key: PhantomData<K>,
}

impl<K: Key> Rows for Contracted<'_, K> {
    fn vertices(&self) -> usize {
        self.vertices
    }

    #[inline]
    fn first_edge(&self, vertex: usize) -> usize {
        self.first_edge[vertex] as usize
    }

    #[inline]
    fn neighbors(&self) -> &[Vertex] {
        &self.neighbors[..self.entries]
    }

    #[inline]
    fn ranks(&self, entries: Range<usize>) -> impl Iterator<Item = Rank> {
        let ids = if K::BITS == 32 { &[] } else { &self.ids[entries.clone()] };
        let rank = move |(i, &rank)| if K::BITS == 32 { (rank, 0) } else { (rank, ids[i]) };
        self.ranks[entries].iter().enumerate().map(rank)
    }

    #[inline]
    fn id(&self, entry: usize) -> EdgeId {
        if K::BITS == 32 { self.ranks[entry] as EdgeId } else { self.ids[entry] }
    }
}

/// What is kept for each vertex in a round.
pub(super) struct Vertices<'a> {
    /// The entry of the chosen edge, or none.
    pub(super) vertex_minedge: &'a mut [u32],
    pub(super) color: &'a mut [Vertex],
    /// The flag of a root, then its number in the contracted graph.
    pub(super) new_vertex: &'a mut [u32],
    /// Where the next edge of a new vertex goes.
    pub(super) next_edge: &'a mut [u32],
}

/// How scratch memory is divided.
pub(super) struct Layout<K: Key> {
    vertices: usize,
    entries: usize,
    /// The number of entries that store their id apart from the rank.
    ids: usize,
    /// The most vertices of the second contracted graph.
    second: usize,
    pub(super) bytes: usize,
    key: PhantomData<K>,
}

impl<K: Key> Layout<K> {
    /// A component has at least two vertices. So the first contracted graph has at most half of the
    /// vertices, and the second at most a quarter, unless it is a copy of the first.
    pub(super) fn for_size(vertices: usize, entries: usize, with_copy: bool) -> Self {
        let second = if with_copy { vertices / 2 } else { vertices / 4 };
        let ids = if K::BITS == 32 { 0 } else { entries };
        let [vertices_64, entries_64, ids_64] = [vertices, entries, ids].map(|count| count as u64);
        // All three are at most 2^32.
        let halves =
            3 * vertices_64 + 2 * (vertices_64 / 2) + second as u64 + 2 + 2 * (entries_64 + ids_64);
        let bytes = usize::try_from(16 * entries_64 + 4 * halves).unwrap_or(usize::MAX);
        Self { vertices, entries, ids, second, bytes, key: PhantomData }
    }

    /// A round's vertices, and the two contracted graphs.
    pub(super) fn split(
        self,
        memory: &mut [u64],
    ) -> (Vertices<'_>, Contracted<'_, K>, Contracted<'_, K>) {
        let (ranks, memory) = memory.split_at_mut(self.entries);
        let (other_ranks, memory) = memory.split_at_mut(self.entries);
        let mut rest: &mut [u32] = bytemuck::cast_slice_mut(memory);
        let mut take = |count| rest.split_off_mut(..count).unwrap_or_default();
        let mut graph = |vertices, ranks| Contracted {
            first_edge: take(vertices + 1),
            neighbors: take(self.entries),
            ranks,
            ids: take(self.ids),
            vertices: 0,
            entries: 0,
            key: PhantomData,
        };
        let (next, spare) = (graph(self.vertices / 2, ranks), graph(self.second, other_ranks));
        let vertices = Vertices {
            vertex_minedge: take(self.vertices),
            color: take(self.vertices),
            new_vertex: take(self.vertices),
            next_edge: take(self.vertices / 2),
        };
        (vertices, next, spare)
    }
}
