//! The loop of Kruskal's algorithm that merges components, in stages, so that the cache misses of
//! different edges overlap.

use kostra_core::{EdgeSet, Edges, Key, Run, SolveError, UnionFind, prefetch};

/// The number of edges between two reports to the observer.
const STRIDE: usize = 1 << 20;

/// The number of edges between two stages: enough for a cache line to arrive from memory.
const AHEAD: usize = 16;

/// Takes the edges of `ranks`, which ascend, and adds each edge that joins two components to
/// `forest`. Stops when one component is left.
///
/// An edge costs a chain of cache misses: its ends, their parents, the parents of these. So edges
/// move through stages, and each stage prefetches the data of the next. A parent that was read
/// before later unions is still in the same set, so the search may start from it.
///
/// # Errors
/// When the run is cancelled.
pub(super) fn unite<K: Key>(
    edges: Edges<'_, K>,
    ranks: &[K::Rank],
    components: &mut UnionFind,
    forest: &mut EdgeSet,
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    let len = ranks.len();
    let id = |index: usize| K::rank_id(ranks[index]);
    // Between the stages, a ring holds the edges' ends, and later the parents of the ends.
    let mut ring = [(0, 0); 4 * AHEAD];
    for step in 0..len + 3 * AHEAD {
        if step.is_multiple_of(STRIDE) {
            run.report.progress(step.min(len), len)?;
        }
        if step < len {
            prefetch(edges.u(), id(step) as usize);
            prefetch(edges.v(), id(step) as usize);
        }
        let next = step.wrapping_sub(AHEAD);
        if next < len {
            let (u, v) = edges.ends(id(next));
            components.prefetch(u);
            components.prefetch(v);
            ring[next % ring.len()] = (u, v);
        }
        let next = step.wrapping_sub(2 * AHEAD);
        if next < len {
            let (u, v) = ring[next % ring.len()];
            let (u, v) = (components.parent(u), components.parent(v));
            components.prefetch(u);
            components.prefetch(v);
            ring[next % ring.len()] = (u, v);
        }
        let next = step.wrapping_sub(3 * AHEAD);
        if next < len {
            let (u, v) = ring[next % ring.len()];
            if components.union(u, v) {
                forest.insert(id(next));
                if components.sets() == 1 {
                    break;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};

    use super::*;

    #[test]
    fn an_edge_is_kept_if_it_joins_two_components() {
        let (u, v) = (vec![0, 2, 1, 3, 2, 0], vec![1, 3, 0, 0, 1, 2]);
        for vertices in [4, 5] {
            let list =
                EdgeList::new(vertices, u.clone(), v.clone(), vec![0, 1, 2, 3, 4, 5]).unwrap();
            let edges = list.edges(Order::Minimum);
            let ranks: Vec<u64> = edges.ids().map(|id| edges.rank(id)).collect();
            let mut components = UnionFind::new(vertices as u32);
            let mut forest = EdgeSet::try_new(edges.len()).unwrap();
            unite(edges, &ranks, &mut components, &mut forest, &mut Run::new()).unwrap();
            assert_eq!(forest.into_ids(), [0, 1, 3]);
            assert_eq!(components.sets(), vertices as u32 - 3);
        }
    }
}
