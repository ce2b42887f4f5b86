//! Conversion between edges and rows of neighbors, for formats that store each edge in the rows of
//! both its ends.

use std::fmt::Display;

use kostra_core::memory::{self, OutOfMemory};
use kostra_core::{AnyGraph, EdgeId, Vertex};

use crate::columns::{Columns, Weights};

/// The rows of a file: for each vertex its neighbors, and the weights of the edges to them.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, W> {
    /// The start of each row in `neighbors`, and the end of the last: `n + 1` ascending positions
    /// from 0.
    pub(crate) offsets: &'a [usize],
    /// The neighbors, each below `n`.
    pub(crate) neighbors: &'a [Vertex],
    /// The weight of each entry; empty if the file has no weights.
    pub(crate) weights: &'a [W],
    /// The number that the file gives the first vertex.
    pub(crate) first: u64,
}

/// A list of edges. There are as many weights as edges, or none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EdgeColumns<W> {
    pub(crate) u: Vec<Vertex>,
    pub(crate) v: Vec<Vertex>,
    pub(crate) weights: Vec<W>,
}

impl<W> EdgeColumns<W> {
    /// These edges as [`Columns`]; `wrap` decides the type of the weights.
    pub(crate) fn into_columns(self, wrap: impl FnOnce(Vec<W>) -> Weights) -> Columns {
        let mut columns = Columns::default();
        (columns.u, columns.v, columns.weights) = (self.u, self.v, wrap(self.weights));
        columns
    }
}

/// For each vertex, the later vertices whose rows contain it, in ascending order; and the end of
/// each vertex's entries.
type Mirrors<W> = (Vec<(Vertex, W)>, Vec<usize>);

/// An entry that contradicts the row of its other end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asymmetry {
    /// The vertex whose row contains the entry.
    pub(crate) row: Vertex,
    /// The position of the entry among all entries.
    pub(crate) entry: usize,
    /// What is wrong with it.
    pub(crate) sentence: String,
}

impl<W: Copy + Ord + Default + Display> Rows<'_, W> {
    /// Each edge once, in the order of first appearance: the entries of each row that do not name
    /// an earlier vertex.
    ///
    /// An entry that names the vertex of its row is a self-loop. Every other entry must also be in
    /// the row of the other end, equally often and with the same weights, in any order. The inner
    /// `Err` is the first entry that is not.
    ///
    /// Linear time if the rows are sorted; other rows are sorted first. Besides the rows and the
    /// edges this takes a vertex and a weight per edge, and 8 bytes per vertex.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub(crate) fn edges(self) -> Result<Result<EdgeColumns<W>, Asymmetry>, OutOfMemory> {
        let n = self.offsets.len().saturating_sub(1) as Vertex;
        let (mut mirrors, ends) = self.mirrors(n)?;
        let edges = self.neighbors.len() - mirrors.len();
        let weights = memory::with_capacity(if self.weights.is_empty() { 0 } else { edges })?;
        let mut columns = EdgeColumns {
            u: memory::with_capacity(edges)?,
            v: memory::with_capacity(edges)?,
            weights,
        };
        let mut start = 0;
        for (row, end) in (0..n).zip(ends) {
            let mirror = mirrors.get_mut(start..end).unwrap_or_default();
            start = end;
            let later = || self.row(row).filter(move |&(to, _)| to > row);
            if !later().eq(mirror.iter().copied()) {
                let mut own = memory::with_capacity(mirror.len())?;
                later().try_for_each(|entry| memory::push(&mut own, entry))?;
                own.sort_unstable();
                mirror.sort_unstable();
                if own != mirror {
                    return Ok(Err(self.asymmetry(row, &own, mirror)));
                }
            }
            for (to, weight) in self.row(row).filter(|&(to, _)| to >= row) {
                columns.u.push(row);
                columns.v.push(to);
                if !self.weights.is_empty() {
                    columns.weights.push(weight);
                }
            }
        }
        Ok(Ok(columns))
    }

    fn row(&self, row: Vertex) -> impl Iterator<Item = (Vertex, W)> + '_ {
        self.entries(row).map(|entry| {
            // No weights at all, and every entry weighs the same.
            (self.neighbors[entry], self.weights.get(entry).copied().unwrap_or_default())
        })
    }

    fn entries(&self, row: Vertex) -> std::ops::Range<usize> {
        self.offsets[row as usize]..self.offsets[row as usize + 1]
    }

    fn mirrors(&self, n: Vertex) -> Result<Mirrors<W>, OutOfMemory> {
        let earlier = |row: Vertex| self.row(row).filter(move |&(to, _)| to < row);
        let mut cursors = memory::zeros::<usize>(n as usize)?;
        for (to, _) in (0..n).flat_map(earlier) {
            cursors[to as usize] += 1;
        }
        let mut entries = 0;
        for cursor in &mut cursors {
            entries += std::mem::replace(cursor, entries);
        }
        let mut mirrors = memory::filled(entries, (0, W::default()))?;
        for row in 0..n {
            for (to, weight) in earlier(row) {
                let cursor = &mut cursors[to as usize];
                mirrors[*cursor] = (row, weight);
                *cursor += 1;
            }
        }
        // Each cursor has moved from the start of its vertex's entries to the end.
        Ok((mirrors, cursors))
    }

    /// The fault in the row of a vertex: `own` are its later neighbors and `mirror` the later rows
    /// that contain it, both sorted.
    fn asymmetry(&self, row: Vertex, own: &[(Vertex, W)], mirror: &[(Vertex, W)]) -> Asymmetry {
        let at = own.iter().zip(mirror).take_while(|(a, b)| a == b).count();
        let (a, b) = (own.get(at), mirror.get(at));
        let to = a.into_iter().chain(b).map(|&(to, _)| to).min().unwrap_or(row);
        let times = |entries: &[(Vertex, W)]| entries.iter().filter(|entry| entry.0 == to).count();
        let (there, back) = (times(own), times(mirror));
        let (from, to) = if there < back { (to, row) } else { (row, to) };
        let entry = self.entries(from).find(|&entry| {
            let differs = there != back
                || a.is_none_or(|&(_, weight)| self.weights.get(entry) == Some(&weight));
            self.neighbors[entry] == to && differs
        });
        let name = |vertex: Vertex| self.first + u64::from(vertex);
        let (x, y) = (name(from), name(to));
        let sentence = match (a, b) {
            (Some((_, here)), Some((_, there_too))) if there == back => format!(
                "the edge between vertices {x} and {y} weighs {here} in the row of {x}, but {there_too} in the row of {y}"
            ),
            _ if there.min(back) == 0 => {
                format!(
                    "vertex {x} names {y} as its neighbor, but {y} does not name {x}: each edge must be in both rows"
                )
            }
            _ => format!(
                "vertex {x} names {y} as its neighbor {} times, but {y} names {x} only {}: each edge must be in both rows",
                there.max(back),
                there.min(back)
            ),
        };
        Asymmetry { row: from, entry: entry.unwrap_or_default(), sentence }
    }
}

/// The rows of a graph. Each edge is in the rows of both its ends, and a self-loop is in one row
/// once. Rows are sorted by neighbor, and parallel edges by id. Takes `8 (n + 1) + 16 m` bytes and
/// O(n + m log m) time.
pub(crate) struct MirroredRows {
    offsets: Vec<usize>,
    entries: Vec<(Vertex, EdgeId)>,
}

impl MirroredRows {
    /// # Errors
    /// When the system does not grant the memory.
    pub(crate) fn build(graph: &AnyGraph) -> Result<Self, OutOfMemory> {
        let arcs = || {
            let ends = graph.u().iter().copied().zip(graph.v().iter().copied());
            (0..).zip(ends).flat_map(|(id, (u, v))| {
                std::iter::once((u, v, id)).chain((u != v).then_some((v, u, id)))
            })
        };
        let mut offsets = memory::zeros::<usize>(graph.vertices() as usize + 1)?;
        for (from, ..) in arcs() {
            offsets[from as usize] += 1;
        }
        let mut total = 0;
        for offset in &mut offsets {
            total += std::mem::replace(offset, total);
        }
        let mut entries = memory::filled(total, (0, 0))?;
        for (from, to, id) in arcs() {
            let cursor = &mut offsets[from as usize];
            entries[*cursor] = (to, id);
            *cursor += 1;
        }
        // Each row's offset was its cursor, and has moved to the next row's start.
        offsets.rotate_right(1);
        offsets[0] = 0;
        for bounds in offsets.windows(2) {
            entries[bounds[0]..bounds[1]].sort_unstable();
        }
        Ok(Self { offsets, entries })
    }

    /// The start of each row among the entries, and the end of the last.
    pub(crate) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// All rows in order: neighbors, and the ids of the edges to them.
    pub(crate) fn entries(&self) -> &[(Vertex, EdgeId)] {
        &self.entries
    }

    /// Each row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[(Vertex, EdgeId)]> {
        self.offsets.windows(2).map(|bounds| &self.entries[bounds[0]..bounds[1]])
    }
}

/// The weights of a graph as integers, by edge id. `Err` is the first edge whose weight is not an
/// integer from `least` to `most`, and that weight as text.
pub(crate) fn integer_weights(
    graph: &AnyGraph,
    least: i64,
    most: i64,
) -> Result<Vec<i64>, (EdgeId, String)> {
    kostra_core::with_graph!(graph, graph => {
        let weights = graph.edge_list().weights().iter();
        (0..).zip(weights).map(|(id, &weight)| {
            let integer = weight.integer().filter(|integer| (least..=most).contains(integer));
            integer.ok_or_else(|| (id, weight.to_string()))
        }).collect()
    })
}

/// A weight that may be an integer.
trait Integer {
    /// The same number as an integer, if it is one of 64 bits.
    fn integer(self) -> Option<i64>;
}

macro_rules! impl_integer {
    ($($weight:ty),*) => {
        $(impl Integer for $weight {
            fn integer(self) -> Option<i64> {
                self.try_into().ok()
            }
        })*
    };
}
impl_integer!(i32, u32, i64, u64);

impl Integer for f64 {
    fn integer(self) -> Option<i64> {
        const BEYOND: f64 = (1_u64 << 63) as f64;
        (self.fract() == 0.0 && (-BEYOND..BEYOND).contains(&self)).then_some(self as i64)
    }
}

impl Integer for f32 {
    fn integer(self) -> Option<i64> {
        f64::from(self).integer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Entries<'a> = &'a [&'a [(Vertex, i32)]];

    fn edges(rows: Entries<'_>) -> Result<Vec<(Vertex, Vertex, i32)>, String> {
        let mut offsets = vec![0];
        offsets.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        let neighbors: Vec<_> = rows.concat().iter().map(|entry| entry.0).collect();
        let weights: Vec<_> = rows.concat().iter().map(|entry| entry.1).collect();
        let rows = Rows { offsets: &offsets, neighbors: &neighbors, weights: &weights, first: 0 };
        let columns = rows.edges().unwrap().map_err(|asymmetry| {
            assert!(
                rows.entries(asymmetry.row).contains(&asymmetry.entry),
                "the entry is in its row"
            );
            format!("entry {}: {}", asymmetry.entry, asymmetry.sentence)
        })?;
        Ok(columns
            .u
            .into_iter()
            .zip(columns.v)
            .zip(columns.weights)
            .map(|((u, v), w)| (u, v, w))
            .collect())
    }

    #[test]
    fn each_edge_comes_once_in_order_of_first_appearance() {
        let rows: Entries<'_> = &[&[(2, 5), (1, 7)], &[(0, 7), (2, 1)], &[(1, 1), (0, 5)], &[]];
        assert_eq!(edges(rows).unwrap(), [(0, 2, 5), (0, 1, 7), (1, 2, 1)]);
        assert_eq!(edges(&[]).unwrap(), []);
    }

    #[test]
    fn parallel_edges_match_whatever_their_order_and_self_loops_stand_once() {
        let rows: Entries<'_> = &[&[(1, 5), (0, 9), (1, 3), (0, 9)], &[(0, 3), (0, 5)]];
        assert_eq!(edges(rows).unwrap(), [(0, 1, 5), (0, 0, 9), (0, 1, 3), (0, 0, 9)]);
    }

    #[test]
    fn rows_that_disagree_are_named() {
        assert_eq!(
            edges(&[&[(2, 1), (1, 1)], &[], &[(0, 1)]]).unwrap_err(),
            "entry 1: vertex 0 names 1 as its neighbor, but 1 does not name 0: each edge must be in both rows"
        );
        assert_eq!(
            edges(&[&[], &[], &[(1, 1)]]).unwrap_err(),
            "entry 0: vertex 2 names 1 as its neighbor, but 1 does not name 2: each edge must be in both rows"
        );
        assert_eq!(
            edges(&[&[(1, 1)], &[(0, 1), (0, 1)]]).unwrap_err(),
            "entry 1: vertex 1 names 0 as its neighbor 2 times, but 0 names 1 only 1: each edge must be in both rows"
        );
        assert_eq!(
            edges(&[&[(1, 3), (1, 4)], &[(0, 3), (0, 5)]]).unwrap_err(),
            "entry 1: the edge between vertices 0 and 1 weighs 4 in the row of 0, but 5 in the row of 1"
        );
    }

    #[test]
    fn rows_of_a_graph_lead_back_to_its_edges() {
        let graph = AnyGraph::from_edges(
            4,
            vec![2, 0, 1, 0, 3],
            vec![1, 2, 1, 2, 0],
            vec![1_i32, 2, 3, 4, 5],
        )
        .unwrap();
        let rows = MirroredRows::build(&graph).unwrap();
        assert_eq!(rows.offsets(), [0, 3, 5, 8, 9]);
        assert_eq!(
            rows.entries(),
            [(2, 1), (2, 3), (3, 4), (1, 2), (2, 0), (0, 1), (0, 3), (1, 0), (0, 4)]
        );
        assert_eq!(rows.rows().map(<[_]>::len).collect::<Vec<_>>(), [3, 2, 3, 1]);
    }

    #[test]
    fn integers_are_told_from_what_is_none() {
        let graph = |weights: Vec<f64>| {
            AnyGraph::from_edges(1, vec![0; weights.len()], vec![0; weights.len()], weights)
        };
        assert_eq!(
            integer_weights(&graph(vec![1.0, -0.0, -7.0]).unwrap(), -7, 1),
            Ok(vec![1, 0, -7])
        );
        for odd in [0.5, f64::INFINITY, f64::NEG_INFINITY, 9_223_372_036_854_775_808.0, 1e300] {
            let refused = integer_weights(&graph(vec![1.0, odd]).unwrap(), i64::MIN, i64::MAX);
            assert_eq!(refused, Err((1, odd.to_string())));
        }
        let most = AnyGraph::from_edges(1, vec![0], vec![0], vec![u64::MAX]).unwrap();
        assert_eq!(integer_weights(&most, i64::MIN, i64::MAX), Err((0, u64::MAX.to_string())));
    }
}
