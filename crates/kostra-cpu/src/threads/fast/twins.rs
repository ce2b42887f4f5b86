//! Edges that join the same two components: only the lightest of them can be in the forest.

/// The largest table, which fits a core's closest cache.
const LARGEST: usize = 1 << 10;
/// After so many edges it shows whether they have twins.
const TRIAL: usize = 1 << 10;

/// A table of edges between components that were seen lately. It forgets: of two edges that share a
/// place it knows the later one. So it finds most twins where the numbering is local: an edge that
/// is listed from both its ends, or several between neighbouring components.
pub(super) struct Twins {
    /// Ends, and what tells how light an edge between them is. No edge joins component 0 to itself.
    table: Vec<(u64, u64)>,
    edges: usize,
    found: usize,
}

impl Twins {
    /// A table for about so many edges.
    pub(super) fn new(edges: usize) -> Self {
        Self { table: vec![(0, 0); edges.next_power_of_two().min(LARGEST)], edges: 0, found: 0 }
    }

    /// Whether looking for twins pays: as long as one edge in sixteen has been one.
    pub(super) fn are_many(&self) -> bool {
        self.edges < TRIAL || self.found * 16 >= self.edges
    }

    /// Whether a lighter edge between the same ends is known. If not, this one is known from now
    /// on.
    #[inline]
    pub(super) fn seen(
        &mut self,
        ends: u64,
        edge: u64,
        is_lighter: impl Fn(u64, u64) -> bool,
    ) -> bool {
        let hash = (ends.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
        let place = hash & (self.table.len() - 1);
        let (known, other) = self.table[place];
        self.edges += 1;
        let seen = (known == ends) & is_lighter(other, edge);
        self.found += usize::from(seen);
        // Without a branch that nobody can foresee.
        self.table[place] = (ends, if seen { other } else { edge });
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_seen_only_beside_a_lighter_one_between_the_same_ends() {
        let mut twins = Twins::new(4);
        let mut seen = |ends, edge| twins.seen(ends, edge, |a, b| a < b);
        assert!(!seen(1, 5));
        assert!(seen(1, 6));
        assert!(!seen(1, 4));
        assert!(seen(1, 5));
        assert!((2..100).all(|ends| !seen(ends, 9)));
    }

    #[test]
    fn nobody_looks_for_twins_that_are_rare() {
        let mut twins = Twins::new(TRIAL);
        for edge in 0..TRIAL as u64 {
            assert!(twins.are_many());
            twins.seen(edge + 1, edge, |a, b| a < b);
        }
        assert!(!twins.are_many());
    }
}
