//! What the vertices of a slice are called inside a rank: 32-bit names for those that occur there.

use kostra_core::{MAX_VERTICES, Vertex};

use crate::ranked::Ranked;

/// The way from a rank's names of vertices to those of the whole graph. Local names ascend as
/// global ones do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// The names are the same.
    Identity,
    /// The global name of each local one, ascending: of those vertices alone that an edge of the
    /// slice ends at.
    Table(Vec<u64>),
}

/// A graph with up to this many vertices keeps its names everywhere: a table would save nothing.
const FEW: u64 = 1 << 12;

impl Names {
    /// Whether a rank with these edges needs no table: if the graph has fewer than 2^31 vertices,
    /// for which `fast` has labels, at most as many as the edges have ends, and a third of them or
    /// more occur. A graph of up to 2^12 vertices never needs one. O(edges).
    pub fn are_global<E: Copy + Into<u64>>(vertices: u64, u: &[E], v: &[E]) -> bool {
        Self::may_be_global(vertices, u.len())
            && (vertices <= FEW || Self::suffice(vertices, &Ranked::ends(vertices, u, v)))
    }

    fn may_be_global(vertices: u64, edges: usize) -> bool {
        vertices < 1 << 31 && vertices <= FEW.max(2 * edges as u64)
    }

    fn suffice(vertices: u64, used: &Ranked) -> bool {
        vertices <= FEW || vertices / 3 <= used.len() as u64
    }

    /// Names for the ends of a rank's edges in a graph of so many vertices, and the ends by these
    /// names. O(edges), or O(edges log edges) where there are so many vertices that a bit for each
    /// were more than the ends themselves.
    ///
    /// The ends must be below `vertices`. None when there are more than 32 bits can name.
    pub fn new<E: Copy + Into<u64>>(
        vertices: u64,
        u: &[E],
        v: &[E],
    ) -> Option<(Self, Vec<Vertex>, Vec<Vertex>)> {
        fn renamed<E: Copy + Into<u64>>(ends: &[E], name: impl Fn(u64) -> Vertex) -> Vec<Vertex> {
            ends.iter().map(|&end| name(end.into())).collect()
        }
        let ends = u.len() + v.len();
        let may_be_global = Self::may_be_global(vertices, u.len());
        if may_be_global || vertices / 32 <= ends as u64 && ends <= MAX_VERTICES {
            let used = Ranked::ends(vertices, u, v);
            if may_be_global && Self::suffice(vertices, &used) {
                let name = |end| end as Vertex;
                return Some((Self::Identity, renamed(u, name), renamed(v, name)));
            }
            let mut table = Vec::with_capacity(used.len());
            table.extend(used.iter());
            let name = |end| used.rank(end);
            return Some((Self::Table(table), renamed(u, name), renamed(v, name)));
        }
        let mut table: Vec<u64> = u.iter().chain(v).map(|&end| end.into()).collect();
        table.sort_unstable();
        table.dedup();
        table.shrink_to_fit();
        if table.len() > MAX_VERTICES {
            return None;
        }
        let name = |end| table.partition_point(|&name| name < end) as Vertex;
        let (u, v) = (renamed(u, name), renamed(v, name));
        Some((Self::Table(table), u, v))
    }

    /// The global name of a local one.
    ///
    /// # Panics
    /// When there is a table, and the name is not in it.
    #[inline]
    pub fn global(&self, vertex: Vertex) -> u64 {
        match self {
            Self::Identity => vertex.into(),
            Self::Table(table) => table[vertex as usize],
        }
    }

    /// The local name of a global one, if it has one. O(log names) with a table.
    pub fn local(&self, vertex: u64) -> Option<Vertex> {
        match self {
            Self::Identity => vertex.try_into().ok(),
            Self::Table(table) => table.binary_search(&vertex).ok().map(|index| index as Vertex),
        }
    }

    /// How many local names there are in a graph of so many vertices.
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
    fn names_ascend_however_many_vertices_there_are() {
        let (u, v) = ([9000_u64, 5, 7777], [5_u64, 8999, 9000]);
        for vertices in [10_000, 1 << 40] {
            let (names, u, v) = Names::new(vertices, &u, &v).unwrap();
            assert_eq!(names, Names::Table(vec![5, 7777, 8999, 9000]));
            assert_eq!((u, v), (vec![3, 0, 1], vec![0, 2, 3]));
        }
        assert!(
            Names::are_global(3000, &[5_u64], &[7])
                && !Names::are_global(1 << 13, &[5_u64; 5000], &[7; 5000])
        );
        let many: Vec<u64> = (0..3000).map(|index| index * 7 % 20_011).collect();
        let (small, large) =
            (Names::new(20_011, &many, &many).unwrap(), Names::new(1 << 40, &many, &many).unwrap());
        assert_eq!(small, large);
    }
}
