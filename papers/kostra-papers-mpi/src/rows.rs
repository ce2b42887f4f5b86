//! A graph distributed by vertices: each rank owns a block of consecutive vertices, and holds all
//! edges that end at them.
//!
//! The edges of a slice end at vertices of any rank. Solvers that work from vertex to vertex first
//! distribute the edges to the owners of their ends: to one rank if it owns both ends, and else to
//! two ranks. A rank needs memory for all edges of its vertices, so the edges of a vertex of high
//! degree are all on one rank.

use bytemuck_derive::{Pod, Zeroable};
use kostra_core::{EdgeId, EdgeSet, Key, Order, SolveError, Weight};
use kostra_mpi::{Communicator, EdgeDistribution, Parts, Slice, VertexDistribution};

/// An edge directed away from the end `from`: the message to the rank that owns `from`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Arc {
    from: u64,
    to: u64,
    key: u64,
    id: u64,
}

/// The edges of this rank's vertices, one row per vertex. An edge between two of these vertices is
/// in both rows. Self-loops are left out.
pub(crate) struct RankRows<K> {
    /// The start of each row, and the end of the last one.
    pub(crate) offsets: Vec<u32>,
    /// The other ends, as global ids.
    pub(crate) neighbors: Vec<u64>,
    pub(crate) keys: Vec<K>,
    /// The ids in the whole graph. They ascend in each row.
    pub(crate) ids: Vec<u64>,
}

impl<K: Key> RankRows<K> {
    /// Distributes the edges of all slices. Collective. Sends each edge in 32 bytes to the one or
    /// two ranks that own its ends.
    ///
    /// # Errors
    /// When this rank would get more edge ends than 32 bits can number. The error names `solver`.
    pub(crate) fn distribute<W: Weight<Key = K>>(
        slice: &Slice<W>,
        order: Order,
        blocks: VertexDistribution,
        solver: &'static str,
        world: &Communicator,
    ) -> Result<Self, SolveError> {
        let mut arcs = Vec::new();
        for edge in 0..slice.len() as EdgeId {
            let (u, v) = slice.ends(edge);
            let (key, id) = slice.rank(edge, order);
            let key = key.to_u64();
            if u != v {
                arcs.push(Arc { from: u, to: v, key, id });
                if blocks.owner(u) != blocks.owner(v) {
                    arcs.push(Arc { from: v, to: u, key, id });
                }
            }
        }
        let parts = Parts::distribute(world.size(), &arcs, |arc| blocks.owner(arc.from));
        drop(arcs);
        let arcs = world.exchange(&parts).into_items();
        drop(parts);
        Self::from_arcs(&arcs, blocks, world.rank(), solver)
    }

    fn from_arcs(
        arcs: &[Arc],
        blocks: VertexDistribution,
        rank: usize,
        solver: &'static str,
    ) -> Result<Self, SolveError> {
        let (first, count) = (blocks.first(rank), blocks.len(rank));
        let is_own = |vertex: u64| blocks.owner(vertex) == rank;
        let entries = arcs.iter().map(|arc| 1 + u64::from(is_own(arc.to))).sum::<u64>();
        if entries > u32::MAX.into() {
            let cost =
                format!("a rank with {entries} ends of edges, more than 32 bits can number,");
            return Err(SolveError::Unsuitable {
                solver,
                cost,
                advice: "use more ranks, or another solver",
            });
        }
        let local = |vertex: u64| (vertex - first) as usize;
        let mut offsets = vec![0_u32; count + 1];
        for arc in arcs {
            offsets[local(arc.from) + 1] += 1;
            if is_own(arc.to) {
                offsets[local(arc.to) + 1] += 1;
            }
        }
        for vertex in 0..count {
            offsets[vertex + 1] += offsets[vertex];
        }
        let entries = entries as usize;
        let mut rows = Self {
            neighbors: vec![0; entries],
            keys: vec![K::MIN; entries],
            ids: vec![0; entries],
            offsets: Vec::new(),
        };
        let mut next = offsets.clone();
        let mut insert = |vertex: u64, neighbor: u64, arc: &Arc| {
            let slot = &mut next[local(vertex)];
            let entry = *slot as usize;
            *slot += 1;
            rows.neighbors[entry] = neighbor;
            rows.keys[entry] = K::from_u64(arc.key);
            rows.ids[entry] = arc.id;
        };
        for arc in arcs {
            insert(arc.from, arc.to, arc);
            if is_own(arc.to) {
                insert(arc.to, arc.from, arc);
            }
        }
        rows.offsets = offsets;
        Ok(rows)
    }

    /// The number of this rank's vertices.
    pub(crate) fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The range of the row of a vertex, given by its position on this rank.
    pub(crate) fn row(&self, vertex: usize) -> std::ops::Range<usize> {
        self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize
    }
}

/// The edges of this rank's slice among the `chosen` edges of all ranks, which are ids in the whole
/// graph and may repeat. Collective; sends 8 bytes per chosen edge.
pub(crate) fn own_edges<W: Weight>(
    chosen: &[u64],
    slice: &Slice<W>,
    world: &Communicator,
) -> EdgeSet {
    let edges = match EdgeDistribution::of_slices(slice, world) {
        Ok(edges) => edges,
        Err(refusal) => world.fail(refusal),
    };
    let parts = Parts::distribute(world.size(), chosen, |&id| edges.owner(id));
    let mut set = EdgeSet::new(slice.len());
    for id in world.exchange(&parts).items() {
        set.insert((id - slice.first()) as EdgeId);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_the_edges_of_the_ranks_vertices_in_the_order_of_their_ids() {
        let blocks = VertexDistribution::new(6, 2); // 0 to 2, and 3 to 5
        let arc = |from, to, key, id| Arc { from, to, key, id };
        let arcs = [arc(3, 4, 70, 0), arc(4, 1, 50, 2), arc(4, 3, 60, 5), arc(4, 1, 50, 8)];
        let rows = RankRows::<u32>::from_arcs(&arcs, blocks, 1, "test").unwrap();
        assert_eq!((rows.offsets.as_slice(), rows.vertices()), (&[0, 2, 6, 6][..], 3));
        assert_eq!(rows.neighbors, [4, 4, 3, 1, 3, 1]);
        assert_eq!((rows.keys, rows.ids), (vec![70, 60, 70, 50, 60, 50], vec![0, 5, 0, 2, 5, 8]));
    }
}
