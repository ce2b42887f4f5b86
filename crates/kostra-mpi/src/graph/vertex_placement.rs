//! New vertex ids that place the parts of a partition on ranks.
//!
//! Solvers that work from vertex to vertex give each rank a block of consecutive ids
//! ([`VertexDistribution`](super::VertexDistribution)). A placement renumbers the vertices part by
//! part, so that a block contains whole parts, and few edges lead from rank to rank. Edge ids and
//! weights stay the same, so the canonical forest does, too.
//!
//! All blocks have the size of the largest one. The ids past the last vertex of a smaller block are
//! isolated vertices, which no solver sends.

use kostra_core::Weight;

use super::slice::{Slice, SliceError};

/// The new id of each vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexPlacement {
    ids: Vec<u64>,
    /// The number of new ids.
    vertices: u64,
}

impl VertexPlacement {
    /// Places vertex `v` by its part `parts[v]`, one of `count` parts. Rank `r` of `ranks` gets the
    /// parts from `r count / ranks` on, rounded up. With fewer parts than ranks, each part is
    /// divided evenly among consecutive ranks. 8 bytes per vertex.
    ///
    /// # Panics
    /// When a part is not below `count`, or `ranks` is 0.
    pub fn new(parts: &[u32], count: u32, ranks: usize) -> Self {
        // A vertex's position is its place when vertices are ordered by part, then by id.
        let mut next = vec![0_u64; count as usize + 1];
        parts.iter().for_each(|&part| next[part as usize + 1] += 1);
        for part in 0..count as usize {
            next[part + 1] += next[part];
        }
        let starts = starts(&next, ranks);
        let block = (0..ranks).map(|rank| starts[rank + 1] - starts[rank]).max().unwrap_or(0);
        let place = |&part: &u32| {
            let position = next[part as usize];
            next[part as usize] += 1;
            // The last rank that starts at the position or before it; ranks before it with the same
            // start are empty.
            let rank = starts[1..ranks].partition_point(|&start| start <= position);
            rank as u64 * block + position - starts[rank]
        };
        Self { ids: parts.iter().map(place).collect(), vertices: ranks as u64 * block }
    }

    /// The slice with new vertex ids. Copies the edges.
    ///
    /// # Errors
    /// As [`Slice::new`], for too many vertices.
    ///
    /// # Panics
    /// When the placement is of fewer vertices than the slice's graph has.
    pub(crate) fn place<W: Weight>(&self, slice: &Slice<W>) -> Result<Slice<W>, SliceError> {
        slice.renumbered(self.vertices, |vertex| self.ids[vertex as usize])
    }
}

/// The first position of each rank, and the number of positions. `firsts` is the first position of
/// each part, and the number of positions.
fn starts(firsts: &[u64], ranks: usize) -> Vec<u64> {
    assert!(ranks > 0, "there is at least one rank");
    let count = firsts.len() - 1;
    let start = |rank: usize| {
        if count >= ranks || rank == ranks {
            return firsts[(rank * count).div_ceil(ranks)];
        }
        let part = rank * count / ranks;
        let [first, end] = [part, part + 1].map(|part| (part * ranks).div_ceil(count.max(1)));
        let size = u128::from(firsts[(part + 1).min(count)] - firsts[part]);
        firsts[part] + (size * (rank - first) as u128 / (end - first).max(1) as u128) as u64
    };
    (0..=ranks).map(start).collect()
}

#[cfg(test)]
mod tests {
    use super::super::VertexDistribution;
    use super::*;

    /// The rank of each vertex.
    fn ranks_of(placement: &VertexPlacement, ranks: usize) -> Vec<usize> {
        let blocks = VertexDistribution::new(placement.vertices, ranks);
        placement.ids.iter().map(|&id| blocks.owner(id)).collect()
    }

    #[test]
    fn whole_parts_are_placed_in_order() {
        let placement = VertexPlacement::new(&[2, 0, 1, 0, 2, 2], 3, 3);
        assert_eq!(placement.ids, [6, 0, 3, 1, 7, 8]);
        assert_eq!(placement.vertices, 9);
        assert_eq!(ranks_of(&placement, 3), [2, 0, 1, 0, 2, 2]);
        let placement = VertexPlacement::new(&[0, 1, 2, 3, 4, 4], 5, 2);
        assert_eq!(ranks_of(&placement, 2), [0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn fewer_parts_than_ranks_are_divided() {
        let placement = VertexPlacement::new(&[1, 0, 1, 0, 0, 0, 1, 0, 0], 2, 4);
        assert_eq!(ranks_of(&placement, 4), [2, 0, 3, 0, 0, 1, 3, 1, 1]);
        let placement = VertexPlacement::new(&[0; 10], 1, 3);
        assert_eq!(ranks_of(&placement, 3), [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn every_vertex_gets_its_own_id_below_the_number_of_ids() {
        for (vertices, count, ranks) in
            [(0, 0, 3), (0, 1, 2), (1, 1, 4), (40, 7, 1), (40, 40, 3), (41, 3, 8), (100, 16, 5)]
        {
            let parts: Vec<u32> = (0..vertices).map(|v: u32| v * v % count).collect();
            let placement = VertexPlacement::new(&parts, count, ranks);
            let mut ids = placement.ids.clone();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), vertices as usize);
            assert!(ids.iter().all(|&id| id < placement.vertices), "{parts:?} on {ranks} ranks");
        }
    }

    #[test]
    fn a_placed_slice_keeps_ids_and_weights() {
        let slice = Slice::new(4, 7, &[0_u64, 1, 2], &[3, 0, 3], vec![5, -1, 2]).unwrap();
        let placed = VertexPlacement::new(&[1, 0, 1, 0], 2, 2).place(&slice).unwrap();
        let ends: Vec<_> = (0..3).map(|edge| placed.ends(edge)).collect();
        assert_eq!(ends, [(2, 1), (0, 2), (3, 1)]);
        assert_eq!((placed.first(), placed.vertices()), (7, 4));
        assert_eq!(placed.edges().weights(), [5, -1, 2]);
    }
}
