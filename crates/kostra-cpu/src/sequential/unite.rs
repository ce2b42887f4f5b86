//! The loop of Kruskal's algorithm that merges components, in stages, so that the cache misses of
//! different edges overlap.

use kostra_core::{Run, SolveError, UnionFind, Vertex};

/// The number of edges between two reports to the observer.
const STRIDE: usize = 1 << 20;

/// The number of edges between two stages: enough for a cache line to arrive from memory.
const AHEAD: usize = 16;

/// Takes `len` edges in ascending rank, and keeps each edge that joins two components. Stops when
/// one component is left.
///
/// `prefetch` prefetches an edge, `ends` reads it, and `keep` adds it to the forest. Their argument
/// is the edge's index in `0..len`.
///
/// An edge costs a chain of cache misses: its ends, their parents, the parents of these. So edges
/// move through stages, and each stage prefetches the data of the next. A parent that was read
/// before later unions is still in the same set, so the search may start from it.
pub(crate) fn unite<P: AsRef<[Vertex]> + AsMut<[Vertex]>>(
    len: usize,
    prefetch: impl Fn(usize),
    ends: impl Fn(usize) -> (Vertex, Vertex),
    components: &mut UnionFind<P>,
    mut keep: impl FnMut(usize),
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    // Between the stages, a ring holds the edges' ends, and later the parents of the ends.
    let mut ring = [(0, 0); 4 * AHEAD];
    for step in 0..len + 3 * AHEAD {
        if step.is_multiple_of(STRIDE) {
            run.progress(step.min(len), len)?;
        }
        if step < len {
            prefetch(step);
        }
        let next = step.wrapping_sub(AHEAD);
        if next < len {
            let (u, v) = ends(next);
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
                keep(next);
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
    use super::*;

    #[test]
    fn an_edge_is_kept_if_it_joins_two_components() {
        let ends = [(0, 1), (2, 3), (1, 0), (3, 0), (2, 1), (0, 2)];
        for (vertices, expected) in [(4, vec![0, 1, 3]), (5, vec![0, 1, 3])] {
            let mut kept = Vec::new();
            let mut components = UnionFind::new(vertices);
            let keep = |index| kept.push(index);
            unite(6, |_| (), |index| ends[index], &mut components, keep, &mut Run::new()).unwrap();
            assert_eq!((kept, components.sets()), (expected, vertices - 3));
        }
    }
}
