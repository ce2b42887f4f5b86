//! Where the edges of a graph are cut into slices.

use std::ops::Range;

use kostra_core::Weight;

use crate::{Communicator, Refusal, Slice};

/// Which edges each rank has: contiguous ranges of ids, ascending by rank; a range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Where each range begins, and where the last one ends.
    bounds: Vec<u64>,
}

impl Cut {
    /// As even as can be.
    ///
    /// # Panics
    /// When there are no ranks.
    pub fn even(edges: u64, ranks: usize) -> Self {
        assert!(ranks > 0, "there is a rank");
        let bound = |rank| (u128::from(edges) * rank as u128 / ranks as u128) as u64;
        Self { bounds: (0..=ranks).map(bound).collect() }
    }

    /// At certain places: rank `r` has the edges from `bounds[r]` up to `bounds[r + 1]`.
    ///
    /// # Panics
    /// When the bounds do not ascend from 0, or are fewer than two.
    pub fn at(bounds: Vec<u64>) -> Self {
        assert!(
            bounds.len() > 1 && bounds[0] == 0 && bounds.is_sorted(),
            "bounds ascend from 0: {bounds:?}"
        );
        Self { bounds }
    }

    /// The cut that the slices of all ranks make. Collective.
    ///
    /// # Errors
    /// When a slice does not begin where the one before it ends.
    pub fn of<W: Weight>(slice: &Slice<W>, world: &Communicator) -> Result<Self, Refusal> {
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

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.bounds.len() - 1
    }

    /// How many edges there are.
    pub fn edges(&self) -> u64 {
        self.bounds[self.ranks()]
    }

    /// The edges of a rank.
    pub fn range(&self, rank: usize) -> Range<u64> {
        self.bounds[rank]..self.bounds[rank + 1]
    }

    /// The rank that has an edge. O(log ranks). An edge that there is not is taken for the last
    /// rank's.
    pub fn owner(&self, edge: u64) -> usize {
        // The last one that begins at the edge or before it: those before that begin there too are
        // empty.
        self.bounds[1..self.ranks()].partition_point(|&bound| bound <= edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_has_the_owner_whose_range_holds_it() {
        for cut in
            [Cut::even(10, 3), Cut::even(2, 5), Cut::at(vec![0, 0, 4, 4, 4, 9, 9]), Cut::even(7, 1)]
        {
            for edge in 0..cut.edges() {
                assert!(cut.range(cut.owner(edge)).contains(&edge), "{edge} in {cut:?}");
            }
        }
        let cut = Cut::even(u64::MAX, 3);
        assert_eq!((cut.edges(), cut.owner(u64::MAX - 1)), (u64::MAX, 2));
    }
}
