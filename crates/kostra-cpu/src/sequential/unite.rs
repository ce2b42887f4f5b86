//! The loop at the heart of Kruskal's algorithm and its kin, arranged so that memory latency overlaps.

use kostra_core::{EdgeSet, Edges, Key, Run, SolveError, UnionFind, Weight, prefetch};

/// How many edges are united between two reports to the observer.
const STRIDE: usize = 1 << 20;

/// How many edges lie between one stage and the next: long enough for a cache line to arrive from memory.
const AHEAD: usize = 16;

/// Takes edges in ascending rank, and keeps in `forest` each that joins two components. Stops when one is left.
pub(crate) fn unite<W: Weight>(
    edges: Edges<'_, W>,
    ranks: &[<W::Key as Key>::Rank],
    components: &mut UnionFind,
    forest: &mut EdgeSet,
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    let mut done = 0;
    for stride in ranks.chunks(STRIDE) {
        if components.sets() == 1 {
            break;
        }
        run.progress(done, ranks.len())?;
        unite_in_stages(edges, stride, components, forest);
        done += stride.len();
    }
    Ok(())
}

/// An edge costs a chain of cache misses: its ends, their parents, their parents' parents. Done edge by edge the
/// chains queue up, so here edges move through stages, and each stage asks for what the next one reads. A parent
/// that was read some unions ago is still in the right set: as good a start for the search as the end itself.
fn unite_in_stages<W: Weight>(
    edges: Edges<'_, W>,
    ranks: &[<W::Key as Key>::Rank],
    components: &mut UnionFind,
    forest: &mut EdgeSet,
) {
    let id = |rank| W::Key::rank_id(rank);
    // Between their stages, edges wait in a ring: their ends, later the ends' parents.
    let mut ring = [(0, 0); 4 * AHEAD];
    for step in 0..ranks.len() + 3 * AHEAD {
        if let Some(&rank) = ranks.get(step) {
            prefetch(edges.u(), id(rank) as usize);
            prefetch(edges.v(), id(rank) as usize);
        }
        if let Some(&rank) = ranks.get(step.wrapping_sub(AHEAD)) {
            let (u, v) = edges.ends(id(rank));
            components.prefetch(u);
            components.prefetch(v);
            ring[(step - AHEAD) % ring.len()] = (u, v);
        }
        let middle = step.wrapping_sub(2 * AHEAD);
        if middle < ranks.len() {
            let (u, v) = ring[middle % ring.len()];
            let (u, v) = (components.parent(u), components.parent(v));
            components.prefetch(u);
            components.prefetch(v);
            ring[middle % ring.len()] = (u, v);
        }
        if let Some(&rank) = ranks.get(step.wrapping_sub(3 * AHEAD)) {
            let (u, v) = ring[(step - 3 * AHEAD) % ring.len()];
            if components.union(u, v) {
                forest.insert(id(rank));
                if components.sets() == 1 {
                    return;
                }
            }
        }
    }
}
