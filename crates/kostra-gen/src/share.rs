//! Which edges of a graph are made here, when several make a part each.
//!
//! Where a generator knows an edge's id as it makes it, a part is an even range of ids: all edges
//! are gone through and the own ones kept, which costs time for each of the others, but no memory.
//! Where edges are drawn and put in order (`gnm`, `rmat`), a part is a range of rows: every part
//! makes all draws and keeps those of its rows.

use std::ops::Range;

use kostra_core::Vertex;

/// Tells the others a number and hears theirs, by part. Every part asks equally often.
pub(crate) type Gather<'a> = &'a dyn Fn(u64) -> Vec<u64>;

/// One part of so many.
#[derive(Clone, Copy)]
pub(crate) struct Share<'a> {
    part: usize,
    parts: usize,
    gather: Option<Gather<'a>>,
}

impl<'a> Share<'a> {
    /// The only part.
    pub(crate) const WHOLE: Self = Self { part: 0, parts: 1, gather: None };

    /// One of `parts` parts, from 0.
    pub(crate) fn new(part: usize, parts: usize, gather: Gather<'a>) -> Self {
        Self { part, parts, gather: Some(gather) }
    }

    /// Whether there are no others.
    pub(crate) fn is_whole(self) -> bool {
        self.parts == 1
    }

    /// About how much of something is for this part.
    pub(crate) fn of(self, amount: u128) -> u128 {
        amount.div_ceil(self.parts as u128)
    }

    /// The ids of this part, of so many edges.
    pub(crate) fn ids(self, edges: u64) -> Range<u64> {
        let bound = |part| (u128::from(edges) * part as u128 / self.parts as u128) as u64;
        bound(self.part)..bound(self.part + 1)
    }

    /// The rows of this part, if each edge stands in the row of the lower of two random ends: about
    /// as many edges each.
    pub(crate) fn rows(self, vertices: u64) -> Range<Vertex> {
        // Both ends are at or above a row with the square of the probability of one.
        let above = |part: usize| ((self.parts - part) as f64 / self.parts as f64).sqrt();
        let bound = |part: usize| ((1.0 - above(part)) * vertices as f64) as Vertex;
        bound(self.part)..bound(self.part + 1)
    }

    /// How many there are before this part and in all, if this part has so many.
    pub(crate) fn sum(self, own: usize) -> (u64, u64) {
        let counts = self.gather.map_or_else(|| vec![own as u64], |gather| gather(own as u64));
        (counts.iter().take(self.part).sum(), counts.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_each_other_and_are_all_there_is() {
        for parts in [1, 2, 3, 7, 100] {
            let share = |part| Share { part, parts, gather: None };
            for amount in [0, 1, 5, 99, u32::MAX.into()] {
                let (mut id, mut row) = (0, 0);
                for part in 0..parts {
                    let (ids, rows) = (share(part).ids(amount), share(part).rows(amount));
                    assert_eq!((ids.start, rows.start), (id, row));
                    (id, row) = (ids.end, rows.end);
                }
                assert_eq!((id, u64::from(row)), (amount, amount));
            }
        }
    }
}
