//! Parallel edges: of the edges between two components, only the lightest can be in the forest.

/// The most entries of the table. Its 16 KiB fit into a first-level cache.
const MAX_ENTRIES: usize = 1 << 10;
/// After this many edges the share of parallel edges is known well enough.
const TRIAL_EDGES: usize = 1 << 10;

/// A cache of recently seen edges between components, one per hash value.
///
/// An edge replaces the one that has the same hash value, so the table misses some parallel edges.
/// It finds most of them where vertex numbers have locality: an edge that is listed from both ends,
/// or several edges between neighboring components.
pub(super) struct ParallelEdges {
    /// The two ends, and the candidate of an edge between them. No edge joins component 0 to
    /// itself, so zeros are an empty entry.
    table: Vec<(u64, u64)>,
    edges: usize,
    found: usize,
}

impl ParallelEdges {
    /// A table for about `edges` edges.
    pub(super) fn new(edges: usize) -> Self {
        Self { table: vec![(0, 0); edges.next_power_of_two().min(MAX_ENTRIES)], edges: 0, found: 0 }
    }

    /// Whether the search pays: as long as at least one edge in sixteen was parallel to a lighter
    /// one.
    pub(super) fn are_frequent(&self) -> bool {
        self.edges < TRIAL_EDGES || self.found * 16 >= self.edges
    }

    /// Whether the table holds a lighter edge between the same `ends`. If not, `edge` is stored.
    #[inline]
    pub(super) fn has_lighter(
        &mut self,
        ends: u64,
        edge: u64,
        is_lighter: impl Fn(u64, u64) -> bool,
    ) -> bool {
        let hash = (ends.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
        let place = hash & (self.table.len() - 1);
        let (known, other) = self.table[place];
        self.edges += 1;
        let found = (known == ends) & is_lighter(other, edge);
        self.found += usize::from(found);
        // A conditional move: the branch would be unpredictable.
        self.table[place] = (ends, if found { other } else { edge });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_found_only_beside_a_lighter_one_between_the_same_ends() {
        let mut table = ParallelEdges::new(4);
        let mut has_lighter = |ends, edge| table.has_lighter(ends, edge, |a, b| a < b);
        assert!(!has_lighter(1, 5));
        assert!(has_lighter(1, 6));
        assert!(!has_lighter(1, 4));
        assert!(has_lighter(1, 5));
        assert!((2..100).all(|ends| !has_lighter(ends, 9)));
    }

    #[test]
    fn the_search_stops_where_parallel_edges_are_rare() {
        let mut table = ParallelEdges::new(TRIAL_EDGES);
        for edge in 0..TRIAL_EDGES as u64 {
            assert!(table.are_frequent());
            table.has_lighter(edge + 1, edge, |a, b| a < b);
        }
        assert!(!table.are_frequent());
    }
}
