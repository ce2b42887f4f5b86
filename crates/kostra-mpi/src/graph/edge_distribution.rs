//! Which edges each rank holds.

use std::ops::Range;

use kostra_core::Weight;

use super::slice::Slice;
use crate::comm::{Communicator, Refusal};

/// The edges of each rank: contiguous ranges of ids, ascending by rank. A range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeDistribution {
    /// The start of each range, and the end of the last one.
    bounds: Vec<u64>,
}

impl EdgeDistribution {
    /// Distributes `edges` edges to `ranks` ranks. The lengths of ranges differ by at most one.
    ///
    /// # Panics
    /// When `ranks` is 0.
    pub fn even(edges: u64, ranks: usize) -> Self {
        assert!(ranks > 0, "there is at least one rank");
        let bound = |rank| (u128::from(edges) * rank as u128 / ranks as u128) as u64;
        Self { bounds: (0..=ranks).map(bound).collect() }
    }

    /// The distribution in which rank `r` holds the edges `bounds[r]..bounds[r + 1]`.
    ///
    /// # Panics
    /// When `bounds` does not ascend from 0, or has fewer than two elements.
    pub fn from_bounds(bounds: Vec<u64>) -> Self {
        assert!(
            bounds.len() > 1 && bounds[0] == 0 && bounds.is_sorted(),
            "bounds ascend from 0: {bounds:?}"
        );
        Self { bounds }
    }

    /// The distribution of the slices of all ranks. Collective.
    ///
    /// # Errors
    /// When a slice does not begin at the end of the slice before it.
    pub fn of_slices<W: Weight>(slice: &Slice<W>, world: &Communicator) -> Result<Self, Refusal> {
        let ends = world.all_gather(&[slice.first(), slice.len() as u64]);
        let (mut bounds, mut end) = (Vec::with_capacity(world.size() + 1), 0);
        let mut fault = None;
        for (rank, slice) in ends.iter().enumerate() {
            let (first, len) = (slice[0], slice[1]);
            if first != end && fault.is_none() {
                fault = Some((rank, first, end));
            }
            bounds.push(first);
            end = first.saturating_add(len);
        }
        bounds.push(end);
        match fault {
            None => Ok(Self { bounds }),
            Some((rank, first, end)) => {
                let reason = format!(
                    "its edges begin at {first}, but those of the rank before it end at {end}"
                );
                Err(Refusal::of_rank(rank, reason, rank == world.rank()))
            }
        }
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The number of edges.
    pub fn edges(&self) -> u64 {
        self.bounds[self.ranks()]
    }

    /// The edges of `rank`.
    pub fn range(&self, rank: usize) -> Range<u64> {
        self.bounds[rank]..self.bounds[rank + 1]
    }

    /// The rank that holds `edge`; the last rank for an id past the last edge. O(log ranks).
    pub fn owner(&self, edge: u64) -> usize {
        // The last range that begins at `edge` or before it. Ranges before it with the same start
        // are empty.
        self.bounds[1..self.ranks()].partition_point(|&bound| bound <= edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_has_the_owner_whose_range_holds_it() {
        for edges in [
            EdgeDistribution::even(10, 3),
            EdgeDistribution::even(2, 5),
            EdgeDistribution::from_bounds(vec![0, 0, 4, 4, 4, 9, 9]),
            EdgeDistribution::even(7, 1),
        ] {
            for edge in 0..edges.edges() {
                assert!(edges.range(edges.owner(edge)).contains(&edge), "{edge} in {edges:?}");
            }
        }
        let edges = EdgeDistribution::even(u64::MAX, 3);
        assert_eq!((edges.edges(), edges.owner(u64::MAX - 1)), (u64::MAX, 2));
    }
}
