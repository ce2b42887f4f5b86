//! Prim's algorithm with a priority queue: the growing loop that the solvers with a heap share.
//!
//! A tree grows from a start vertex by the lightest edge that leaves it, which is in the forest (cut property). The
//! queue holds the vertices beside the tree, each with the lightest edge known to lead there. Where the queue runs
//! dry a component is complete, and the next tree starts at the lowest vertex not reached yet.
//!
//! * Source: Sousa 2014, section 3.1.3, Algorithm 4 (after Jarník 1930, Prim 1957, Fredman and Tarjan 1987).

use kostra_core::{EdgeSet, Key, Problem, Run, SolveError, Vertex, Weight};

use super::{Pace, no_edge};

/// A priority queue of vertices, lowest rank first, in which a rank can be lowered.
pub(super) trait Heap<K: Key> {
    /// An empty queue for the vertices below `vertices`.
    fn new(vertices: u32) -> Self;
    /// Adds a vertex that is not in the queue.
    fn insert(&mut self, vertex: Vertex, rank: K::Rank);
    /// Lowers the rank of a vertex that is in the queue.
    fn decrease(&mut self, vertex: Vertex, rank: K::Rank);
    /// Takes out the vertex with the lowest rank.
    fn delete_min(&mut self) -> Option<Vertex>;
}

/// Grows the forest with a heap.
pub(super) fn grow<W: Weight, H: Heap<W::Key>>(
    problem: Problem<'_, W>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let graph = problem.csr();
    let vertices = graph.vertices();
    let mut forest = EdgeSet::new(graph.edges());
    let mut queue = H::new(vertices);
    // The lightest edge known from the tree to each vertex beside it. The vertices of the tree have the rank that no
    // edge is before, so that the one comparison below passes them over, too.
    let (unreached, in_tree) = (no_edge::<W::Key>(), W::Key::MIN.rank(0));
    let mut nearest = vec![unreached; vertices as usize];
    let mut reached = 0;
    let mut pace = Pace::new();

    for start in 0..vertices {
        pace.step(run, reached, vertices)?;
        if nearest[start as usize] != unreached {
            continue;
        }
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
                        queue.insert(arc.to, rank);
                    } else {
                        queue.decrease(arc.to, rank);
                    }
                    *nearest = rank;
                }
            }
            let Some(next) = queue.delete_min() else { break };
            forest.insert(W::Key::rank_id(nearest[next as usize]));
            vertex = next;
        }
    }
    Ok(forest)
}

/// A test that every heap has to pass: the same answers as a list that is searched.
#[cfg(test)]
pub(super) fn agrees_with_a_searched_list<H: Heap<u32>>() {
    const VERTICES: u32 = 200;
    let mut random = super::tests::Random(7);
    for _ in 0..if cfg!(miri) { 2 } else { 100 } {
        let mut heap = H::new(VERTICES);
        let mut list: Vec<(u64, Vertex)> = Vec::new();
        for step in 0..2000 {
            // Ranks differ, as those of edges do: the step is their id.
            let rank = random.below(50).rank(step);
            let vertex = random.below(VERTICES);
            // Phases that fill and phases that empty, so that both deep and shallow heaps come up.
            if random.below(8) < if step / 250 % 2 == 0 { 2 } else { 5 } {
                let lowest = list.iter().copied().min();
                assert_eq!(heap.delete_min(), lowest.map(|(_, vertex)| vertex));
                list.retain(|&entry| Some(entry) != lowest);
            } else if let Some(entry) = list.iter_mut().find(|entry| entry.1 == vertex) {
                if rank < entry.0 {
                    heap.decrease(vertex, rank);
                    entry.0 = rank;
                }
            } else {
                heap.insert(vertex, rank);
                list.push((rank, vertex));
            }
        }
        list.sort_unstable();
        for (_, vertex) in list {
            assert_eq!(heap.delete_min(), Some(vertex));
        }
        assert_eq!(heap.delete_min(), None);
    }
}
