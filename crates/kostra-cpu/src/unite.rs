//! The loop of Kruskal's algorithm that unites components, arranged so that memory accesses of
//! different edges overlap.

use kostra_core::{Run, SolveError, UnionFind, Vertex};

/// How many edges are united between two reports to the observer.
const STRIDE: usize = 1 << 20;

/// How many edges lie between one stage and the next: long enough for a cache line to arrive from
/// memory.
const AHEAD: usize = 16;

/// Takes `len` edges in ascending rank, and keeps each that joins two components. Stops when one is
/// left.
///
/// `prefetch` starts bringing an edge into the cache, `ends` reads it, and `keep` puts it into the
/// forest; all get its place among the `len`.
///
/// An edge costs a chain of cache misses: its ends, their parents, their parents' parents. Done
/// edge by edge the chains queue up, so here edges move through stages, and each stage asks for
/// what the next one reads. A parent that was read some unions ago is still in the right set: as
/// good a start for the search as the end itself.
pub(crate) fn unite<P: AsRef<[Vertex]> + AsMut<[Vertex]>>(
    len: usize,
    prefetch: impl Fn(usize),
    ends: impl Fn(usize) -> (Vertex, Vertex),
    components: &mut UnionFind<P>,
    mut keep: impl FnMut(usize),
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    // Between their stages, edges wait in a ring: their ends, later the ends' parents.
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
    fn edges_that_join_are_kept_and_none_after_the_last_that_does() {
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
