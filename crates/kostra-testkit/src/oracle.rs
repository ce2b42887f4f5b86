//! Computes the answer by the definition: slow and simple, and without code of the solvers.
//!
//! An edge is in the canonical forest exactly if the edges before it do not connect its ends. A
//! separate search decides this for every edge, without union-find, sorting or weight keys. Weights
//! are compared as values, so a fault in the keys is detected too.

use std::cmp::Ordering;
use std::collections::VecDeque;

use kostra_core::{AnyGraph, EdgeId, EdgeList, Order, Vertex, Weight, with_graph};

/// The greatest number of edges for [`best_of_all_subsets`].
pub const MAX_SUBSET_EDGES: usize = 14;

/// The canonical forest: every edge whose ends are not connected by earlier edges. O(m (n + m))
/// time.
pub fn canonical_forest(graph: &AnyGraph, order: Order) -> Vec<EdgeId> {
    with_graph!(graph, graph => canonical_forest_typed(graph.edge_list(), order))
}

fn canonical_forest_typed<W: Weight>(graph: &EdgeList<W>, order: Order) -> Vec<EdgeId> {
    let neighbors = Neighbors::of_graph(graph);
    let ids = 0..graph.len() as EdgeId;
    ids.filter(|&id| {
        let (u, v) = (graph.u()[id as usize], graph.v()[id as usize]);
        !neighbors.connects(u, v, |other| comes_before(graph, order, other, id))
    })
    .collect()
}

/// Whether edge `a` precedes edge `b`: it has the better weight, or an equal weight and the lower
/// id.
pub fn comes_before<W: Weight>(graph: &EdgeList<W>, order: Order, a: EdgeId, b: EdgeId) -> bool {
    let (weight_a, weight_b) = (graph.weights()[a as usize], graph.weights()[b as usize]);
    let by_weight = weight_a.partial_cmp(&weight_b).expect("no graph contains NaN");
    let by_weight = match order {
        Order::Minimum => by_weight,
        Order::Maximum => by_weight.reverse(),
    };
    by_weight.then(a.cmp(&b)) == Ordering::Less
}

/// The best of all spanning forests, found by testing every subset of the edges: the forest whose
/// sequence of edges is lexicographically first. O(2^m (n + m)) time.
///
/// # Panics
/// If the graph has more than [`MAX_SUBSET_EDGES`] edges.
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

/// The lowest total of all spanning forests, or the highest for [`Order::Maximum`]; none if the
/// weights are floats.
///
/// # Panics
/// If the graph has more than [`MAX_SUBSET_EDGES`] edges.
pub fn best_total_of_all_subsets(graph: &AnyGraph, order: Order) -> Option<i128> {
    let totals = spanning_subsets(graph).into_iter().map(|subset| integer_total(graph, &subset));
    match order {
        Order::Minimum => totals.min().flatten(),
        Order::Maximum => totals.max().flatten(),
    }
}

/// All sets of edges that span each component and contain no cycle, each ascending.
///
/// # Panics
/// If the graph has more than [`MAX_SUBSET_EDGES`] edges.
pub fn spanning_subsets(graph: &AnyGraph) -> Vec<Vec<EdgeId>> {
    let edges = graph.edges();
    assert!(edges <= MAX_SUBSET_EDGES, "{edges} edges have too many subsets to test");
    (0..1_u32 << edges)
        .map(|bits| (0..edges as EdgeId).filter(|&id| bits >> id & 1 == 1).collect::<Vec<_>>())
        .filter(|subset| is_spanning_forest(graph, subset))
        .collect()
}

/// The exact sum of the weights of `ids`; none if the weights are floats.
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

/// The component of each vertex. Components are numbered by ascending lowest vertex. O(n + m).
pub fn labels(graph: &AnyGraph) -> Vec<u32> {
    labels_through(graph, 0..graph.edges() as EdgeId)
}

/// The number of components. O(n + m).
pub fn components(graph: &AnyGraph) -> u32 {
    count(&labels(graph))
}

/// Whether the edges `ids` are acyclic and connect all connected vertices. O(n + m).
pub fn is_spanning_forest(graph: &AnyGraph, ids: &[EdgeId]) -> bool {
    if ids.iter().any(|&id| id as usize >= graph.edges()) {
        return false;
    }
    let spanned = labels_through(graph, ids.iter().copied());
    // The number of edges, repetitions included, is that of a forest with this number of
    // components. So there is no cycle.
    spanned == labels(graph) && ids.len() == spanned.len() - count(&spanned) as usize
}

fn count(labels: &[u32]) -> u32 {
    labels.iter().max().map_or(0, |highest| highest + 1)
}

fn labels_through(graph: &AnyGraph, ids: impl Iterator<Item = EdgeId>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let neighbors = Neighbors::through(graph.vertices(), graph.u(), graph.v(), ids);
    let mut labels = vec![NONE; graph.vertices() as usize];
    let mut next = 0;
    for start in 0..graph.vertices() {
        if labels[start as usize] == NONE {
            neighbors.search(
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

/// The incident edges of each vertex, with their other ends.
struct Neighbors(Vec<Vec<(EdgeId, Vertex)>>);

impl Neighbors {
    fn of_graph<W: Weight>(graph: &EdgeList<W>) -> Self {
        Self::through(graph.vertices(), graph.u(), graph.v(), 0..graph.len() as EdgeId)
    }

    fn through(
        vertices: u32,
        u: &[Vertex],
        v: &[Vertex],
        ids: impl Iterator<Item = EdgeId>,
    ) -> Self {
        let mut neighbors = vec![Vec::new(); vertices as usize];
        for id in ids {
            let (u, v) = (u[id as usize], v[id as usize]);
            neighbors[u as usize].push((id, v));
            neighbors[v as usize].push((id, u));
        }
        Self(neighbors)
    }

    fn connects(&self, from: Vertex, to: Vertex, allowed: impl Fn(EdgeId) -> bool) -> bool {
        let mut seen = vec![false; self.0.len()];
        self.search(from, allowed, |vertex| !std::mem::replace(&mut seen[vertex as usize], true));
        seen[to as usize]
    }

    /// Breadth-first search from a vertex along allowed edges. `is_new` marks a vertex and returns
    /// whether it was unmarked.
    fn search(
        &self,
        from: Vertex,
        allowed: impl Fn(EdgeId) -> bool,
        mut is_new: impl FnMut(Vertex) -> bool,
    ) {
        let mut queue = VecDeque::from([from]);
        is_new(from);
        while let Some(vertex) = queue.pop_front() {
            for &(id, neighbor) in &self.0[vertex as usize] {
                if allowed(id) && is_new(neighbor) {
                    queue.push_back(neighbor);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square 0-1-2-3 with a diagonal 0-2 whose weight equals that of side 1, a self-loop, and an
    /// isolated vertex.
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
    fn both_oracles_give_the_known_forest() {
        for (order, forest, total) in
            [(Order::Minimum, [0, 1, 2], 6), (Order::Maximum, [1, 2, 3], 9)]
        {
            assert_eq!(canonical_forest(&square(), order), forest);
            assert_eq!(best_of_all_subsets(&square(), order), forest);
            assert_eq!(best_total_of_all_subsets(&square(), order), Some(total));
        }
    }

    #[test]
    fn spanning_forests_are_distinguished_from_other_sets() {
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
