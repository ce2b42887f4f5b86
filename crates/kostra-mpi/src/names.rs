//! What the vertices of a slice are called inside a rank: 32-bit names for those that occur there.

use kostra_core::{MAX_VERTICES, Vertex};

/// The way from a rank's names of vertices to those of the whole graph. Local names ascend as global ones do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// The names are the same.
    Identity,
    /// The global name of each local one, ascending: of those vertices alone that an edge of the slice ends at.
    Table(Vec<u64>),
}

/// A graph with fewer vertices keeps its names everywhere: tables of them are nothing.
const FEW: u64 = 1 << 12;

impl Names {
    /// Whether a rank with so many edges does without a table: where names of vertices that do not occur there cost no
    /// more than there are ends of edges, and all fit 31 bits, which is what `fast` has labels for.
    pub fn are_global(vertices: u64, edges: usize) -> bool {
        vertices < 1 << 31 && vertices <= FEW.max(2 * edges as u64)
    }

    /// Names for the ends of a rank's edges in a graph of so many vertices, and the ends by these names. O(edges) without a
    /// table, O(edges log edges) with one.
    ///
    /// The ends must be below `vertices`. None when there are more than 32 bits can name.
    pub fn new(vertices: u64, u: &[u64], v: &[u64]) -> Option<(Self, Vec<Vertex>, Vec<Vertex>)> {
        let renamed = |name: &dyn Fn(u64) -> Vertex| {
            let column = |ends: &[u64]| ends.iter().map(|&end| name(end)).collect::<Vec<_>>();
            (column(u), column(v))
        };
        if Self::are_global(vertices, u.len()) {
            let (u, v) = renamed(&|end| end as Vertex);
            return Some((Self::Identity, u, v));
        }
        let mut table = [u, v].concat();
        table.sort_unstable();
        table.dedup();
        table.shrink_to_fit();
        if table.len() > MAX_VERTICES {
            return None;
        }
        let (u, v) = renamed(&|end| table.partition_point(|&name| name < end) as Vertex);
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
