//! What can be decided about a part of a graph by whoever knows no more of it.
//!
//! Rounds of Borůvka's algorithm in which vertices that have other edges elsewhere *stay*: no
//! component that holds one chooses an edge. All others know each edge that leaves them, so the
//! lightest is in the forest of the whole graph (cut property). Rounds end when every component
//! that an edge leaves holds one staying vertex. It never holds two, for a component that stays is
//! always the root of those that hook onto it.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use kostra_core::{
    Algorithm, BitSet, EdgeId, EdgeSet, Graph, Order, Problem, Run, SolveError, Vertex, Weight,
};

use super::contract::{Contraction, label_of};
use super::offer::Region;
use super::scale::unpack;
use super::{Fast, edges_in};

/// A part of a graph that is as small as whoever knows no more can make it.
#[derive(Debug)]
pub struct Settled {
    /// The edges that are in the forest of the whole graph, whatever edges the staying vertices
    /// have elsewhere.
    pub forest: EdgeSet,
    /// Edges that may be in it or not, ascending by id: each lies between two trees of the forest
    /// so far that hold a staying vertex, of which there is one to a tree. All others are decided.
    pub left: Vec<EdgeId>,
    /// The staying vertices of the trees at their first ends, and at their second.
    pub ends: [Vec<Vertex>; 2],
}

/// Settles what `staying` vertices, which may have other edges elsewhere, leave to be settled. For
/// graphs of up to three edges a vertex and fewer than [`MANY`](crate::MANY) vertices. O((n + m)
/// log n) over the threads of the run.
///
/// # Errors
/// When the run is cancelled, or the memory not granted: 12 bytes an edge, 24 a vertex.
///
/// # Panics
/// For denser graphs, and more vertices.
pub fn settle<W: Weight>(
    graph: &Graph<W>,
    staying: &BitSet,
    order: Order,
    run: &mut Run<'_>,
) -> Result<Settled, SolveError> {
    let edges = Problem::new(graph, order, &Fast::INFO).edges();
    assert!(edges.len() <= 3 * edges.vertices() as usize && edges.vertices() < crate::MANY);
    let mut staying = Staying::new(staying);
    let (forest, (ends, left)) =
        super::solve(edges, run, |engine, words, run| match engine.team.threads() {
            1 => engine.contract::<true>(words, Some(&mut staying), run),
            _ => engine.contract::<false>(words, Some(&mut staying), run),
        })?;
    Ok(Settled { forest, left, ends })
}

/// The components that stay.
pub(super) struct Staying {
    /// Each with its vertex.
    components: Vec<(u32, Vertex)>,
    /// One bit a component.
    bits: BitSet,
}

impl Staying {
    fn new(vertices: &BitSet) -> Self {
        let components =
            vertices.clone().into_ids().into_iter().map(|vertex| (vertex, vertex)).collect();
        Self { components, bits: vertices.clone() }
    }

    pub(super) fn len(&self) -> usize {
        self.components.len()
    }

    #[inline]
    pub(super) fn contains(&self, component: u32) -> bool {
        self.bits.contains(component)
    }

    /// Goes on to the components of the next round.
    pub(super) fn follow(&mut self, labels: &[AtomicU32], live: u32) {
        self.bits = BitSet::new(live as usize);
        for (component, _) in &mut self.components {
            *component = label_of(labels, *component);
            self.bits.insert(*component);
        }
    }

    /// The edges that are left, all between components that stay.
    pub(super) fn left<W: Weight>(
        &self,
        contraction: &Contraction<'_, W, true>,
        regions: &[Region],
    ) -> ([Vec<Vertex>; 2], Vec<EdgeId>) {
        let mut names = vec![0; 64 * self.bits.words().len()];
        for &(component, vertex) in &self.components {
            names[component as usize] = vertex;
        }
        let count = edges_in(regions);
        let [mut u, mut v, mut ids] = [(); 3].map(|()| Vec::with_capacity(count));
        for region in regions {
            for [ends, tail] in &contraction.records[region.start..][..region.len.load(Relaxed)] {
                let (from, to) = unpack(ends.load(Relaxed));
                u.push(names[from as usize]);
                v.push(names[to as usize]);
                ids.push(tail.load(Relaxed) as EdgeId);
            }
        }
        ([u, v], ids)
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, EdgeList, UnionFind, with_graph};

    use super::*;
    use crate::sequential::tests::Random;

    /// By Kruskal's algorithm: an edge is settled when one of the trees that it joins holds no
    /// staying vertex.
    fn expected<W: Weight>(
        list: &EdgeList<W>,
        staying: &BitSet,
        order: Order,
    ) -> (Vec<EdgeId>, Vec<[u32; 3]>) {
        let edges = list.edges(order);
        let n = list.vertices();
        let mut ids: Vec<EdgeId> = (0..list.len() as EdgeId).collect();
        ids.sort_by_key(|&id| (edges.key(id), id));
        let mut of: Vec<u32> = (0..n).collect();
        let mut forest = Vec::new();
        let holds =
            |of: &[u32], tree: u32| (0..n).find(|&v| of[v as usize] == tree && staying.contains(v));
        for id in ids {
            let (u, v) = edges.ends(id);
            let (u, v) = (of[u as usize], of[v as usize]);
            if u != v && (holds(&of, u).is_none() || holds(&of, v).is_none()) {
                forest.push(id);
                of.iter_mut().filter(|tree| **tree == u).for_each(|tree| *tree = v);
            }
        }
        forest.sort_unstable();
        let left = (0..list.len() as EdgeId).filter_map(|id| {
            let (u, v) = edges.ends(id);
            let (u, v) = (of[u as usize], of[v as usize]);
            (u != v).then(|| [holds(&of, u).unwrap(), holds(&of, v).unwrap(), id])
        });
        (forest, left.collect())
    }

    #[test]
    fn small_multigraphs_are_settled_as_far_as_kruskal_would() {
        let mut random = Random(11);
        for round in 0..if cfg!(miri) { 10 } else { 2000 } {
            let graph: AnyGraph = random.any_graph();
            let share = 1 + random.below(6);
            with_graph!(&graph, graph => {
                let list = graph.edge_list();
                if list.len() > 3 * list.vertices() as usize {
                    continue;
                }
                let mut staying = BitSet::new(list.vertices() as usize);
                (0..list.vertices()).filter(|_| random.below(share) == 0).for_each(|vertex| {
                    staying.insert(vertex);
                });
                let order = if round % 2 == 0 { Order::Minimum } else { Order::Maximum };
                let (forest, left) = expected(list, &staying, order);
                for threads in [1, 2, 5] {
                    let mut run = Run::new().on_threads(threads).with_option(&Fast::INFO, "grain", 1).unwrap();
                    let found = settle(graph, &staying, order, &mut run).unwrap();
                    assert_eq!(found.forest.into_ids(), forest, "{threads} threads, graph {round}");
                    // Edges between the same trees may be missing but for the lightest.
                    let pair = |[u, v, _]: &[u32; 3]| (*u.min(v), *u.max(v));
                    let rank = |edge: &[u32; 3]| (list.edges(order).key(edge[2]), edge[2]);
                    let ends = found.ends[0].iter().zip(&found.ends[1]);
                    let found: Vec<[u32; 3]> = ends.zip(&found.left).map(|((&u, &v), &id)| [u, v, id]).collect();
                    assert!(found.iter().all(|edge| left.iter().any(|e| e[2] == edge[2] && pair(e) == pair(edge))));
                    assert!(found.is_sorted_by_key(|edge| edge[2]));
                    for edge in &left {
                        let is_lightest = left.iter().all(|e| pair(e) != pair(edge) || rank(edge) <= rank(e));
                        assert!(!is_lightest || found.iter().any(|e| e[2] == edge[2]), "graph {round}: {edge:?}");
                    }
                }
            });
        }
    }

    /// Where nobody has other edges, what is settled and the forest of what is left are the whole
    /// forest.
    #[test]
    fn what_is_left_of_a_grid_completes_its_forest() {
        let mut random = Random(12);
        let side = if cfg!(miri) { 12 } else { 300 };
        let at = |row: u32, column: u32| row * side + column;
        let (mut u, mut v) = (Vec::new(), Vec::new());
        for (row, column) in (0..side * side).map(|index| (index / side, index % side)) {
            u.extend([at(row, column); 2]);
            v.extend([at(row, (column + 1).min(side - 1)), at((row + 1).min(side - 1), column)]);
        }
        for weights in [1_000_000, 3] {
            let w: Vec<u32> = u.iter().map(|_| random.below(weights)).collect();
            let list = EdgeList::new((side * side) as usize, u.clone(), v.clone(), w).unwrap();
            let edges = list.edges(Order::Minimum);
            let expected =
                crate::forest(&list.clone().into(), Order::Minimum, &mut Run::new()).unwrap();
            for (threads, rows) in [(1, 1), (1, 7), (3, 50), (8, 7), (8, side)] {
                let mut staying = BitSet::new(list.vertices() as usize);
                for row in (0..side).step_by(rows as usize) {
                    (0..side).for_each(|column| {
                        staying.insert(at(row, column));
                    });
                }
                let mut run =
                    Run::new().on_threads(threads).with_option(&Fast::INFO, "grain", 1).unwrap();
                let Settled { mut forest, left, ends } =
                    settle(&list.clone().into(), &staying, Order::Minimum, &mut run).unwrap();
                let mut trees = UnionFind::new(list.vertices());
                for id in forest.clone().into_ids() {
                    let (u, v) = edges.ends(id);
                    assert!(trees.union(u, v));
                }
                let mut places: Vec<_> = (0..left.len()).collect();
                places.sort_by_key(|&place| (edges.key(left[place]), left[place]));
                for place in places {
                    let (u, v) = edges.ends(left[place]);
                    let called = ends.each_ref().map(|ends| ends[place]);
                    assert!(called.into_iter().all(|vertex| staying.contains(vertex)));
                    if trees.find(called[0]) != trees.find(called[1]) {
                        assert!(trees.union(u, v));
                        forest.insert(left[place]);
                    }
                }
                assert!(forest == expected, "{threads} threads, each {rows}. row stays");
            }
        }
    }
}
