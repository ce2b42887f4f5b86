//! Sorts random edges by rows: counts them by their first end, distributes them into rows, and
//! sorts each short row.
//!
//! For a whole graph, the edges are drawn twice: to count them and to distribute them. This costs
//! less than storing them. Scratch memory: 4 bytes per vertex; the second ends are written to their
//! final array. For a part, the edges of its rows are stored, 8 bytes each, because most draws
//! belong to other parts.

use std::ops::Range;

use kostra_core::Vertex;

use crate::SpecError;
use crate::allocation::{array, zeros};

/// Distinct edges in ascending `(u, v)`, as one row of second ends per first end.
pub(crate) struct Rows {
    /// The first row's vertex.
    first: Vertex,
    starts: Vec<u32>,
    v: Vec<Vertex>,
}

impl Rows {
    /// The distinct edges of the rows `rows` among `draw(0)` to `draw(draws - 1)`, with capacity
    /// for at least `room` edges.
    ///
    /// `draws` must be below 2^32, and `draw` must return the same edge for the same index.
    pub(crate) fn collect(
        (rows, is_part): (Range<Vertex>, bool),
        draws: u64,
        room: usize,
        draw: impl Fn(u64) -> Option<(Vertex, Vertex)>,
    ) -> Result<Self, SpecError> {
        let first = rows.start;
        let mut starts = zeros(rows.len() + 1)?;
        let draw = |index| draw(index).filter(|(u, _)| rows.contains(u));
        let (mut edges, mut kept) = (0, Vec::new());
        in_batches(draws, draw, |batch| {
            edges += batch.len();
            if is_part {
                kept.extend_from_slice(batch);
            }
            for &(u, _) in batch {
                starts[(u - first) as usize] += 1;
            }
        });
        let mut end = 0;
        for start in &mut starts {
            end += std::mem::replace(start, end);
        }
        let mut v = array(room.max(edges))?;
        v.resize(edges, 0);
        // Each row's start is its cursor while it fills; at the end it has moved to the next row's
        // start.
        let mut deal = |batch: &[(Vertex, Vertex)]| {
            for &(u, second) in batch {
                let cursor = &mut starts[(u - first) as usize];
                v[*cursor as usize] = second;
                *cursor += 1;
            }
        };
        if is_part {
            deal(&kept);
        } else {
            in_batches(draws, draw, deal);
        }
        let mut rows = Self { first, starts, v };
        rows.sort_and_close_up();
        Ok(rows)
    }

    /// Sorts each row, drops repeated edges, and turns the cursors back into starts.
    fn sort_and_close_up(&mut self) {
        let (mut start, mut kept) = (0, 0);
        for cursor in &mut self.starts {
            let end = (*cursor as usize).max(start);
            *cursor = kept as u32;
            self.v[start..end].sort_unstable();
            let row_starts_at = kept;
            for from in start..end {
                if kept == row_starts_at || self.v[from] != self.v[kept - 1] {
                    self.v[kept] = self.v[from];
                    kept += 1;
                }
            }
            start = end;
        }
        self.v.truncate(kept);
    }

    /// The number of edges.
    pub(crate) fn len(&self) -> usize {
        self.v.len()
    }

    /// Whether an edge is present. Its row must be one of the rows.
    pub(crate) fn contains(&self, u: Vertex, v: Vertex) -> bool {
        let row = (u - self.first) as usize;
        let row = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.v[row].binary_search(&v).is_ok()
    }

    /// Both arrays of ends. The first has capacity for at least `room` edges, the second no unused
    /// capacity.
    pub(crate) fn into_ends(
        mut self,
        room: usize,
    ) -> Result<(Vec<Vertex>, Vec<Vertex>), SpecError> {
        self.v.shrink_to(room);
        let mut u = array(room.max(self.v.len()))?;
        for (vertex, row) in (self.first..).zip(self.starts.windows(2)) {
            u.resize(u.len() + (row[1] - row[0]) as usize, vertex);
        }
        Ok((u, self.v))
    }
}

/// Visits the drawn edges in small batches: drawing is separate, so that the memory accesses of
/// many edges overlap.
#[inline]
fn in_batches(
    draws: u64,
    draw: impl Fn(u64) -> Option<(Vertex, Vertex)>,
    mut visit: impl FnMut(&[(Vertex, Vertex)]),
) {
    const BATCH: u64 = 256;
    let mut batch = [(0, 0); BATCH as usize];
    for start in (0..draws).step_by(BATCH as usize) {
        let mut drawn = 0;
        for edge in (start..draws.min(start + BATCH)).filter_map(&draw) {
            batch[drawn] = edge;
            drawn += 1;
        }
        visit(&batch[..drawn]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_sorted_distinct_draws() {
        let draws = [(2, 3), (0, 2), (2, 3), (0, 1), (2, 3), (3, 4), (0, 2)];
        for is_part in [false, true] {
            let rows =
                Rows::collect((0..5, is_part), 8, 0, |index| draws.get(index as usize).copied())
                    .unwrap();
            assert_eq!(rows.len(), 4);
            assert!(rows.contains(2, 3) && !rows.contains(1, 2) && !rows.contains(4, 0));
            let (u, v) = rows.into_ends(0).unwrap();
            assert_eq!((u, v), (vec![0, 0, 2, 3], vec![1, 2, 3, 4]));
        }
    }

    #[test]
    fn no_draws_make_empty_rows() {
        let (u, v) = Rows::collect((0..3, false), 0, 0, |_| None).unwrap().into_ends(0).unwrap();
        assert!(u.is_empty() && v.is_empty());
    }
}
