//! Local ids: 32-bit ids for the vertices that occur in a slice.

use kostra_core::{MAX_VERTICES, Vertex};

use super::rank_bit_vector::RankBitVector;

/// The map from a rank's local vertex ids to the global ids of the whole graph. Local ids ascend
/// with the global ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VertexMap {
    /// Local and global ids are the same.
    Identity,
    /// The global id of each local id, ascending. Only vertices that an edge of the slice ends at
    /// have a local id.
    Table(Vec<u64>),
}

/// A graph with at most this many vertices never needs a table: the table would save no memory.
const SMALL_GRAPH: u64 = 1 << 12;

impl VertexMap {
    /// Whether a rank with the edges `u`, `v` needs no table. The number of vertices must be below
    /// 2^31, the bound for labels in `fast`, and at most the number of edge ends, and at least a
    /// third of the vertices must occur. A graph of at most 2^12 vertices never needs a table.
    /// O(edges).
    pub fn is_identity_for<E: Copy + Into<u64>>(vertices: u64, u: &[E], v: &[E]) -> bool {
        Self::may_be_identity(vertices, u.len())
            && (vertices <= SMALL_GRAPH
                || Self::is_dense(vertices, &RankBitVector::of_ends(vertices, u, v)))
    }

    fn may_be_identity(vertices: u64, edges: usize) -> bool {
        vertices < 1 << 31 && vertices <= SMALL_GRAPH.max(2 * edges as u64)
    }

    fn is_dense(vertices: u64, used: &RankBitVector) -> bool {
        vertices <= SMALL_GRAPH || vertices / 3 <= used.len() as u64
    }

    /// The map for a rank with the edges `u`, `v` in a graph with `vertices` vertices, and the ends
    /// as local ids. `None` if the ends are more vertices than 32 bits can number. The ends must be
    /// below `vertices`.
    ///
    /// O(edges), or O(edges log edges) if a bit per vertex takes more memory than the ends.
    pub fn new<E: Copy + Into<u64>>(
        vertices: u64,
        u: &[E],
        v: &[E],
    ) -> Option<(Self, Vec<Vertex>, Vec<Vertex>)> {
        fn relabeled<E: Copy + Into<u64>>(
            ends: &[E],
            local: impl Fn(u64) -> Vertex,
        ) -> Vec<Vertex> {
            ends.iter().map(|&end| local(end.into())).collect()
        }
        let ends = u.len() + v.len();
        let may_be_identity = Self::may_be_identity(vertices, u.len());
        if may_be_identity || vertices / 32 <= ends as u64 && ends <= MAX_VERTICES {
            let used = RankBitVector::of_ends(vertices, u, v);
            if may_be_identity && Self::is_dense(vertices, &used) {
                let local = |end| end as Vertex;
                return Some((Self::Identity, relabeled(u, local), relabeled(v, local)));
            }
            let mut table = Vec::with_capacity(used.len());
            table.extend(used.iter());
            let local = |end| used.rank(end);
            return Some((Self::Table(table), relabeled(u, local), relabeled(v, local)));
        }
        let mut table: Vec<u64> = u.iter().chain(v).map(|&end| end.into()).collect();
        table.sort_unstable();
        table.dedup();
        table.shrink_to_fit();
        if table.len() > MAX_VERTICES {
            return None;
        }
        let local = |end| table.partition_point(|&id| id < end) as Vertex;
        let (u, v) = (relabeled(u, local), relabeled(v, local));
        Some((Self::Table(table), u, v))
    }

    /// The global id of a local id.
    ///
    /// # Panics
    /// When the map is a table and `vertex` is not in it.
    #[inline]
    pub fn global(&self, vertex: Vertex) -> u64 {
        match self {
            Self::Identity => vertex.into(),
            Self::Table(table) => table[vertex as usize],
        }
    }

    /// The local id of a global id, if it has one. O(log n) in a table of n ids.
    pub fn local(&self, vertex: u64) -> Option<Vertex> {
        match self {
            Self::Identity => vertex.try_into().ok(),
            Self::Table(table) => table.binary_search(&vertex).ok().map(|index| index as Vertex),
        }
    }

    /// The number of local ids in a graph with `vertices` vertices.
    pub fn count(&self, vertices: u64) -> usize {
        match self {
            Self::Identity => vertices as usize,
            Self::Table(table) => table.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_ids_ascend_for_any_number_of_vertices() {
        let (u, v) = ([9000_u64, 5, 7777], [5_u64, 8999, 9000]);
        for vertices in [10_000, 1 << 40] {
            let (map, u, v) = VertexMap::new(vertices, &u, &v).unwrap();
            assert_eq!(map, VertexMap::Table(vec![5, 7777, 8999, 9000]));
            assert_eq!((u, v), (vec![3, 0, 1], vec![0, 2, 3]));
        }
        assert!(
            VertexMap::is_identity_for(3000, &[5_u64], &[7])
                && !VertexMap::is_identity_for(1 << 13, &[5_u64; 5000], &[7; 5000])
        );
        let many: Vec<u64> = (0..3000).map(|index| index * 7 % 20_011).collect();
        let (small, large) = (
            VertexMap::new(20_011, &many, &many).unwrap(),
            VertexMap::new(1 << 40, &many, &many).unwrap(),
        );
        assert_eq!(small, large);
    }
}
