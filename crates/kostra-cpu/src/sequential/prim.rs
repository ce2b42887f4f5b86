//! Prim's algorithm with a priority queue: the growing loop that the solvers with a heap share.
//!
//! A tree grows from a start vertex by the lightest edge that leaves it, which is in the forest
//! (cut property). The queue holds the vertices beside the tree, each with the lightest edge known
//! to lead there. When the queue is empty, a component is complete, and the next tree starts at the
//! lowest vertex not reached yet.
//!
//! * Source: Sousa 2014, section 3.1.3, Algorithm 4 (after Jarník 1930, Prim 1957, Fredman and
//!   Tarjan 1987).
//! * Deviations: the start vertices are the lowest that are not reached, not random ones, and there
//!   is one for each component, so graphs may be disconnected. The order is that of ranks
//!   `(weight key, edge id)`. A vertex of the tree is marked by the lowest rank, where Algorithm 4
//!   uses the distance 0, so weights may be zero or negative.

use kostra_core::{BitSet, CsrView, EdgeSet, Key, Problem, Run, SolveError, Vertex, memory};

use super::Pace;
use crate::heap::Heap;
use crate::no_edge;

/// Grows the forest with a heap.
pub(super) fn grow<K: Key, H: Heap<K>>(
    problem: Problem<'_, K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let graph = problem.csr(run)?;
    let vertices = graph.vertices();
    let mut forest = EdgeSet::try_new(graph.edges())?;
    let mut queue = H::new(vertices)?;
    // The lightest edge known from the tree to each vertex beside it. The vertices of the tree have
    // the lowest rank, so the comparison below skips them, too.
    let (unreached, in_tree) = (no_edge::<K>(), K::MIN.rank(0));
    let mut nearest = memory::filled(vertices as usize, unreached)?;
    // The vertices of the tree, only if decisions are reported. `nearest` does not tell a vertex of
    // the tree from a vertex beside it whose edge has the lowest rank.
    let mut joined =
        BitSet::try_new(if run.report.reports_edges() { vertices as usize } else { 0 })?;
    let mut reached = 0;
    let mut pace = Pace::new();

    for start in 0..vertices {
        pace.step(run, reached, vertices)?;
        if nearest[start as usize] != unreached {
            continue;
        }
        run.report.start_tree(start);
        let mut vertex = start;
        loop {
            nearest[vertex as usize] = in_tree;
            reached += 1;
            for arc in graph.arcs(vertex) {
                pace.step(run, reached, vertices)?;
                let rank = arc.key.rank(arc.id);
                let nearest = &mut nearest[arc.to as usize];
                if rank < *nearest {
                    if *nearest == unreached {
                        queue.insert(arc.to, rank)?;
                    } else {
                        queue.decrease(arc.to, rank);
                    }
                    *nearest = rank;
                }
            }
            if run.report.reports_edges() {
                joined.insert(vertex);
                report_excluded(graph, vertex, &joined, &forest, run);
            }
            let Some(next) = queue.delete_min() else { break };
            let id = K::rank_id(nearest[next as usize]);
            forest.insert(id);
            run.report.edge(id, true);
            vertex = next;
        }
    }
    Ok(forest)
}

/// Reports the edges between the tree and a vertex that has just joined it, except the edge by
/// which it joined: they would close a cycle.
pub(super) fn report_excluded<K: Key>(
    graph: CsrView<'_, K>,
    vertex: Vertex,
    joined: &BitSet,
    forest: &EdgeSet,
    run: &mut Run<'_>,
) {
    for arc in graph.arcs(vertex) {
        if joined.contains(arc.to) && !forest.contains(arc.id) {
            run.report.edge(arc.id, false);
        }
    }
}
