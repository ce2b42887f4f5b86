//! The rows of a graph, for formats that store each edge in the rows of both its ends.

use kostra_core::memory::{self, OutOfMemory};
use kostra_core::{AnyGraph, EdgeId, Vertex};

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
