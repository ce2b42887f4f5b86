//! A graph dealt out by vertices: each rank has a block of consecutive vertices, and all edges that
//! end there.
//!
//! A slice has edges wherever they end; solvers that work from vertex to vertex deal them out
//! first. Every edge is then with both of its ends: once where one rank has both, else on two
//! ranks. A rank needs memory for all edges of its vertices, so a vertex of high degree weighs on
//! one rank alone.

use bytemuck::{Pod, Zeroable};
use kostra_core::{EdgeId, EdgeSet, Key, Order, SolveError, Weight};

use crate::{Communicator, Cut, Parts, Slice};

/// Which vertices each rank has: consecutive ones, the same number everywhere but on the last
/// ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    vertices: u64,
    /// How many vertices a full block has.
    block: u64,
}

impl Blocks {
    /// Blocks of so many vertices for so many ranks.
    pub(crate) fn new(vertices: u64, ranks: usize) -> Self {
        Self { vertices, block: vertices.div_ceil(ranks as u64).max(1) }
    }

    /// The first vertex of a rank; of the rank past the last, how many vertices there are.
    pub(crate) fn first(&self, rank: usize) -> u64 {
        self.vertices.min(self.block.saturating_mul(rank as u64))
    }

    /// How many vertices a rank has.
    pub(crate) fn count(&self, rank: usize) -> usize {
        (self.first(rank + 1) - self.first(rank)) as usize
    }

    /// The rank that has a vertex.
    #[inline]
    pub(crate) fn owner(&self, vertex: u64) -> usize {
        (vertex / self.block) as usize
    }
}

/// An edge as one of its ends sees it: what is sent to the rank that has that end.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Arc {
    from: u64,
    to: u64,
    key: u64,
    id: u64,
}

/// The edges of this rank's vertices, a row each; an edge between two of them is in both rows, and
/// self-loops are in none.
pub(crate) struct Rows<K> {
    /// Where the row of each vertex starts, and where the last one ends.
    pub(crate) offsets: Vec<u32>,
    /// The other ends, by their global names.
    pub(crate) neighbours: Vec<u64>,
    pub(crate) keys: Vec<K>,
    /// The edges' ids in the whole graph. They ascend in a row.
    pub(crate) ids: Vec<u64>,
}

impl<K: Key> Rows<K> {
    /// Deals the edges out. Collective. Each goes in 32 bytes to the one or two ranks that have its
    /// ends.
    ///
    /// # Errors
    /// When this rank would get more edges than 32 bits can number. The solver's id and an advice
    /// are for that.
    pub(crate) fn deal<W: Weight<Key = K>>(
        slice: &Slice<W>,
        order: Order,
        blocks: Blocks,
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
        let parts = Parts::deal(world.size(), &arcs, |arc| blocks.owner(arc.from));
        drop(arcs);
        let arcs = world.exchange(&parts).into_items();
        drop(parts);
        Self::of(&arcs, blocks, world.rank(), solver)
    }

    fn of(
        arcs: &[Arc],
        blocks: Blocks,
        rank: usize,
        solver: &'static str,
    ) -> Result<Self, SolveError> {
        let (first, count) = (blocks.first(rank), blocks.count(rank));
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
            neighbours: vec![0; entries],
            keys: vec![K::MIN; entries],
            ids: vec![0; entries],
            offsets: Vec::new(),
        };
        let mut next = offsets.clone();
        let mut insert = |vertex: u64, neighbour: u64, arc: &Arc| {
            let slot = &mut next[local(vertex)];
            let entry = *slot as usize;
            *slot += 1;
            rows.neighbours[entry] = neighbour;
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

    /// How many vertices this rank has.
    pub(crate) fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where the row of a vertex is, by its number on this rank.
    pub(crate) fn row(&self, vertex: usize) -> std::ops::Range<usize> {
        self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize
    }
}

/// The edges of this rank's slice among those that any rank names, maybe several times, by their
/// ids in the whole graph. Collective; 8 bytes for each that is named.
pub(crate) fn edges_of_slice<W: Weight>(
    named: &[u64],
    slice: &Slice<W>,
    world: &Communicator,
) -> EdgeSet {
    let cut = match Cut::of(slice, world) {
        Ok(cut) => cut,
        Err(refusal) => world.fail(refusal),
    };
    let parts = Parts::deal(world.size(), named, |&id| cut.owner(id));
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
    fn every_vertex_is_in_the_block_of_its_owner() {
        for (vertices, ranks) in [(0, 3), (1, 4), (5, 4), (7, 7), (100, 7), (u64::MAX, 3)] {
            let blocks = Blocks::new(vertices, ranks);
            assert_eq!((blocks.first(0), blocks.first(ranks)), (0, vertices));
            for rank in (0..ranks).filter(|&rank| blocks.count(rank) > 0) {
                let (first, end) = (blocks.first(rank), blocks.first(rank + 1));
                assert_eq!((blocks.owner(first), blocks.owner(end - 1)), (rank, rank));
            }
        }
    }

    #[test]
    fn rows_hold_the_edges_of_the_ranks_vertices_in_the_order_of_their_ids() {
        let blocks = Blocks::new(6, 2); // 0 to 2, and 3 to 5
        let arc = |from, to, key, id| Arc { from, to, key, id };
        let arcs = [arc(3, 4, 70, 0), arc(4, 1, 50, 2), arc(4, 3, 60, 5), arc(4, 1, 50, 8)];
        let rows = Rows::<u32>::of(&arcs, blocks, 1, "test").unwrap();
        assert_eq!((rows.offsets.as_slice(), rows.vertices()), (&[0, 2, 6, 6][..], 3));
        assert_eq!(rows.neighbours, [4, 4, 3, 1, 3, 1]);
        assert_eq!((rows.keys, rows.ids), (vec![70, 60, 70, 50, 60, 50], vec![0, 5, 0, 2, 5, 8]));
    }
}
