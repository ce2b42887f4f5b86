//! The edges of one part, when several callers generate one part of a graph each.
//!
//! If a generator knows an edge's id when it creates the edge, a part is a range of ids. Each part
//! generates all edges and keeps its own, which costs time but no memory. If edges are drawn and
//! then sorted (`gnm`, `rmat`), a part is a range of rows. Each part makes all draws and keeps
//! those of its rows.

use std::ops::Range;

use kostra_core::Vertex;

/// Exchanges a number with the other parts; returns the numbers of all parts, indexed by part. All
/// parts call it equally often.
pub(crate) type Gather<'a> = &'a dyn Fn(u64) -> Vec<u64>;

/// One of several parts.
#[derive(Clone, Copy)]
pub(crate) struct Share<'a> {
    part: usize,
    parts: usize,
    gather: Option<Gather<'a>>,
}

impl<'a> Share<'a> {
    /// The only part.
    pub(crate) const WHOLE: Self = Self { part: 0, parts: 1, gather: None };

    /// Part `part` of `parts`, counted from 0.
    pub(crate) fn new(part: usize, parts: usize, gather: Gather<'a>) -> Self {
        Self { part, parts, gather: Some(gather) }
    }

    /// Window `window` of `windows` windows of the rows, which one caller generates in turn.
    pub(crate) fn window(window: usize, windows: usize) -> Self {
        Self { part: window, parts: windows, gather: None }
    }

    /// Whether it is the only part.
    pub(crate) fn is_whole(self) -> bool {
        self.parts == 1
    }

    /// The approximate share of this part in `total`.
    pub(crate) fn amount_of(self, total: u128) -> u128 {
        total.div_ceil(self.parts as u128)
    }

    /// The ids of this part for a graph with `edges` edges.
    pub(crate) fn ids(self, edges: u64) -> Range<u64> {
        let bound = |part| (u128::from(edges) * part as u128 / self.parts as u128) as u64;
        bound(self.part)..bound(self.part + 1)
    }

    /// The rows of this part if each edge is in the row of the lower of two random ends. All parts
    /// get about the same number of edges.
    pub(crate) fn rows(self, vertices: u64) -> Range<Vertex> {
        // Both ends are at or above a row with the square of the probability of one.
        let above = |part: usize| ((self.parts - part) as f64 / self.parts as f64).sqrt();
        let bound = |part: usize| ((1.0 - above(part)) * vertices as f64) as Vertex;
        bound(self.part)..bound(self.part + 1)
    }

    /// The number of items in earlier parts and in all parts, if this part has `own` items.
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
