//! The answer by definition: slow, obvious, and sharing nothing with what it judges.
//!
//! An edge is in the canonical forest exactly when its ends are not connected by the edges that
//! come before it. That is asked of every edge by a search of its own: no union-find, no sorting,
//! no weight keys. Weights are compared as the values they are, so that a fault in the keys shows
//! too.

use std::cmp::Ordering;
use std::collections::VecDeque;

use kostra_core::{AnyGraph, EdgeId, EdgeList, Order, Vertex, Weight, with_graph};

/// The most edges that [`best_of_all_subsets`] takes.
pub const MAX_SUBSET_EDGES: usize = 14;

/// The canonical forest: each edge whose ends no path of earlier edges connects. O(m (n + m)) time.
pub fn canonical_forest(graph: &AnyGraph, order: Order) -> Vec<EdgeId> {
    with_graph!(graph, graph => canonical_forest_typed(graph.edge_list(), order))
}

fn canonical_forest_typed<W: Weight>(graph: &EdgeList<W>, order: Order) -> Vec<EdgeId> {
    let neighbours = Neighbours::of(graph);
    let ids = 0..graph.len() as EdgeId;
    ids.filter(|&id| {
        let (u, v) = (graph.u()[id as usize], graph.v()[id as usize]);
        !neighbours.connects(u, v, |other| comes_before(graph, order, other, id))
    })
    .collect()
}

/// Whether edge `a` comes before edge `b`: the better weight, or the same weight and the lower id.
fn comes_before<W: Weight>(graph: &EdgeList<W>, order: Order, a: EdgeId, b: EdgeId) -> bool {
    let (weight_a, weight_b) = (graph.weights()[a as usize], graph.weights()[b as usize]);
    let by_weight = weight_a.partial_cmp(&weight_b).expect("no graph holds NaN");
    let by_weight = match order {
        Order::Minimum => by_weight,
        Order::Maximum => by_weight.reverse(),
    };
    by_weight.then(a.cmp(&b)) == Ordering::Less
}

/// The best of all spanning forests, found by looking at every subset of the edges: the one whose
/// edges, first to last, come before those of every other. O(2^m (n + m)) time.
///
/// # Panics
/// When the graph has more than [`MAX_SUBSET_EDGES`] edges.
pub fn best_of_all_subsets(graph: &AnyGraph, order: Order) -> Vec<EdgeId> {
    with_graph!(graph, typed => {
        let list = typed.edge_list();
        let mut best: Option<Vec<EdgeId>> = None;
        for mut subset in spanning_subsets(graph) {
            subset.sort_by(|&a, &b| match () {
                () if comes_before(list, order, a, b) => Ordering::Less,
                () if a == b => Ordering::Equal,
                () => Ordering::Greater,
            });
            let better = best.as_ref().is_none_or(|best| {
                let difference = subset.iter().zip(best).find(|(a, b)| a != b);
                difference.is_some_and(|(&a, &b)| comes_before(list, order, a, b))
            });
            if better {
                best = Some(subset);
            }
        }
        let mut best = best.expect("every graph has a spanning forest");
        best.sort_unstable();
        best
    })
}

/// The least (or, for a maximum, the greatest) total of all spanning forests; none where weights
/// are floats.
///
/// # Panics
/// When the graph has more than [`MAX_SUBSET_EDGES`] edges.
pub fn best_total_of_all_subsets(graph: &AnyGraph, order: Order) -> Option<i128> {
    let totals = spanning_subsets(graph).into_iter().map(|subset| integer_total(graph, &subset));
    match order {
        Order::Minimum => totals.min().flatten(),
        Order::Maximum => totals.max().flatten(),
    }
}

/// Every set of edges that spans each component and closes no cycle.
fn spanning_subsets(graph: &AnyGraph) -> Vec<Vec<EdgeId>> {
    let edges = graph.edges();
    assert!(edges <= MAX_SUBSET_EDGES, "{edges} edges have too many subsets to look at");
    (0..1_u32 << edges)
        .map(|bits| (0..edges as EdgeId).filter(|&id| bits >> id & 1 == 1).collect::<Vec<_>>())
        .filter(|subset| is_spanning_forest(graph, subset))
        .collect()
}

/// The exact sum of some edges' weights where they are integers, added one by one as they are.
pub fn integer_total(graph: &AnyGraph, ids: &[EdgeId]) -> Option<i128> {
    macro_rules! sum {
        ($graph:expr) => {
            Some(ids.iter().map(|&id| i128::from($graph.edge_list().weights()[id as usize])).sum())
        };
    }
    match graph {
        AnyGraph::I32(graph) => sum!(graph),
        AnyGraph::U32(graph) => sum!(graph),
        AnyGraph::I64(graph) => sum!(graph),
        AnyGraph::U64(graph) => sum!(graph),
        AnyGraph::F32(_) | AnyGraph::F64(_) => None,
    }
}

/// Which component each vertex is in, numbered in the order of their lowest vertices. O(n + m).
pub fn labels(graph: &AnyGraph) -> Vec<u32> {
    labels_through(graph, 0..graph.edges() as EdgeId)
}

/// How many components there are. O(n + m).
pub fn components(graph: &AnyGraph) -> u32 {
    count(&labels(graph))
}

/// Whether these edges close no cycle and leave no two connected vertices apart. O(n + m).
pub fn is_spanning_forest(graph: &AnyGraph, ids: &[EdgeId]) -> bool {
    if ids.iter().any(|&id| id as usize >= graph.edges()) {
        return false;
    }
    let spanned = labels_through(graph, ids.iter().copied());
    // As many edges as a forest of so many components has, counted with repetitions: so there is no
    // cycle.
    spanned == labels(graph) && ids.len() == spanned.len() - count(&spanned) as usize
}

fn count(labels: &[u32]) -> u32 {
    labels.iter().max().map_or(0, |highest| highest + 1)
}

fn labels_through(graph: &AnyGraph, ids: impl Iterator<Item = EdgeId>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let neighbours = Neighbours::through(graph.vertices(), graph.u(), graph.v(), ids);
    let mut labels = vec![NONE; graph.vertices() as usize];
    let mut next = 0;
    for start in 0..graph.vertices() {
        if labels[start as usize] == NONE {
            neighbours.search(
                start,
                |_| true,
                |vertex| {
                    let new = labels[vertex as usize] == NONE;
                    labels[vertex as usize] = next;
                    new
                },
            );
            next += 1;
        }
    }
    labels
}

/// For each vertex, the edges at it and where they lead.
struct Neighbours(Vec<Vec<(EdgeId, Vertex)>>);

impl Neighbours {
    fn of<W: Weight>(graph: &EdgeList<W>) -> Self {
        Self::through(graph.vertices(), graph.u(), graph.v(), 0..graph.len() as EdgeId)
    }

    fn through(
        vertices: u32,
        u: &[Vertex],
        v: &[Vertex],
        ids: impl Iterator<Item = EdgeId>,
    ) -> Self {
        let mut neighbours = vec![Vec::new(); vertices as usize];
        for id in ids {
            let (u, v) = (u[id as usize], v[id as usize]);
            neighbours[u as usize].push((id, v));
            neighbours[v as usize].push((id, u));
        }
        Self(neighbours)
    }

    fn connects(&self, from: Vertex, to: Vertex, allowed: impl Fn(EdgeId) -> bool) -> bool {
        let mut seen = vec![false; self.0.len()];
        self.search(from, allowed, |vertex| !std::mem::replace(&mut seen[vertex as usize], true));
        seen[to as usize]
    }

    /// Breadth first from a vertex along allowed edges; `is_new` marks a vertex and says whether it
    /// was unmarked.
    fn search(
        &self,
        from: Vertex,
        allowed: impl Fn(EdgeId) -> bool,
        mut is_new: impl FnMut(Vertex) -> bool,
    ) {
        let mut queue = VecDeque::from([from]);
        is_new(from);
        while let Some(vertex) = queue.pop_front() {
            for &(id, neighbour) in &self.0[vertex as usize] {
                if allowed(id) && is_new(neighbour) {
                    queue.push_back(neighbour);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square 0-1-2-3 with a diagonal 0-2 that ties with side 1, a self-loop, and an isolated
    /// vertex.
    fn square() -> AnyGraph {
        AnyGraph::from_edges(
            5,
            vec![0, 1, 2, 3, 0, 1],
            vec![1, 2, 3, 0, 2, 1],
            vec![1, 2, 3, 4, 2, -9],
        )
        .unwrap()
    }

    #[test]
    fn both_definitions_give_the_forest_worked_out_by_hand() {
        for (order, forest, total) in
            [(Order::Minimum, [0, 1, 2], 6), (Order::Maximum, [1, 2, 3], 9)]
        {
            assert_eq!(canonical_forest(&square(), order), forest);
            assert_eq!(best_of_all_subsets(&square(), order), forest);
            assert_eq!(best_total_of_all_subsets(&square(), order), Some(total));
        }
    }

    #[test]
    fn spanning_forests_are_told_from_other_sets() {
        let graph = square();
        assert!(is_spanning_forest(&graph, &[0, 1, 2]) && is_spanning_forest(&graph, &[0, 3, 4]));
        for other in [&[0, 1][..], &[0, 1, 4], &[0, 1, 2, 3], &[0, 1, 5], &[0, 1, 1], &[0, 1, 6]] {
            assert!(!is_spanning_forest(&graph, other), "{other:?}");
        }
        assert_eq!((labels(&graph), components(&graph)), (vec![0, 0, 0, 0, 1], 2));
    }

    #[test]
    fn signed_zeros_tie() {
        let graph = AnyGraph::from_edges(2, vec![0, 0], vec![1, 1], vec![0.0, -0.0]).unwrap();
        assert_eq!(canonical_forest(&graph, Order::Minimum), [0]);
        assert_eq!(canonical_forest(&graph, Order::Maximum), [0]);
    }
}
