//! Trees that several threads grow at once over the vertices of a graph, and their unification.
//!
//! A tree is known by its start vertex. A thread claims vertices for its tree, until the tree
//! *touches* another tree or ends without a touch. Then the team unifies all trees that touches
//! connect: [`unify`](SharedTrees::unify) finds one root for each component of trees.
//!
//! * Source: Nobari 2012, Algorithm 2 and section 5.3.
//! * Each vertex has two numbers. `successor` is the tree of the vertex, and never changes once it
//!   is set. `touched` is the result of a tree, and belongs to its start vertex. The source has one
//!   array, and a touch overwrites `successor` of the start vertex. Then a thread whose tree was
//!   touched takes the start vertex of the other tree for a vertex of its own tree, skips the edge
//!   to that vertex, and may choose an edge that is not in the forest.
//! * The caller must ensure that touches close no cycle of three or more trees. If every touch goes
//!   along an edge of one forest, they do not. Two trees may touch each other.
//! * Progress: wait-free. A claim is one compare-exchange, which is not repeated. A touch is one
//!   store. `unify` is blocking: its passes are steps of the team.
//! * Memory order: relaxed. A claim has one winner, because all compare-exchanges of one number
//!   have a total order. A loser gets the winner's tree, the final value. Claims publish no other
//!   data, and `touched` is read after the step in which the trees grew.
//! * Cost: O(1) per claim and touch; `unify` takes O(vertices) in each of at most log2(trees) + 2
//!   passes. 8 bytes per vertex.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::Vertex;

use kostra_parallel::sync::{AtomicBool, AtomicU32, AtomicUsize, as_atomic_u32};
use kostra_parallel::{Schedule, Team};

/// The tree of an unvisited vertex.
const NONE: Vertex = Vertex::MAX;

/// The number of vertices per block of a pass: enough to amortize the distribution.
const BLOCK: Schedule = Schedule::Dynamic(1 << 12);

/// The tree of each vertex, and the result of each tree.
#[derive(Clone, Copy)]
pub struct SharedTrees<'a> {
    successor: &'a [AtomicU32],
    touched: &'a [AtomicU32],
}

impl<'a> SharedTrees<'a> {
    /// Trees in two numbers per vertex, of any content. The caller must call
    /// [`forget`](Self::forget) before trees grow.
    pub fn in_memory(successor: &'a mut [u32], touched: &'a mut [u32]) -> Self {
        Self { successor: as_atomic_u32(successor), touched: as_atomic_u32(touched) }
    }

    /// Marks the vertices below `vertices` as unvisited.
    pub fn forget(self, vertices: u32, team: &Team<'_>) {
        each(vertices, team, |vertex| self.successor[vertex as usize].store(NONE, Relaxed));
    }

    /// Claims a vertex for the tree that starts at `tree`; or returns the tree of the vertex.
    #[inline]
    pub fn claim(self, vertex: Vertex, tree: Vertex) -> Result<(), Vertex> {
        self.successor[vertex as usize].compare_exchange(NONE, tree, Relaxed, Relaxed).map(|_| ())
    }

    /// Whether a vertex is in a tree. For the thread that grows the tree.
    #[inline]
    pub fn is_in(self, vertex: Vertex, tree: Vertex) -> bool {
        self.successor[vertex as usize].load(Relaxed) == tree
    }

    /// Ends a tree that has touched the tree `other`.
    #[inline]
    pub fn touch(self, tree: Vertex, other: Vertex) {
        self.touched[tree as usize].store(other, Relaxed);
    }

    /// Ends a tree that has touched no other tree.
    #[inline]
    pub fn end(self, tree: Vertex) {
        self.touch(tree, tree);
    }

    /// Finds the [`root`](Self::root) of every vertex below `vertices`, after all trees have ended.
    /// An unvisited vertex becomes a tree of its own. Returns the number of pairs of trees that
    /// have touched each other.
    pub fn unify(self, vertices: u32, team: &Team<'_>) -> usize {
        each(vertices, team, |vertex| {
            if self.claim(vertex, vertex).is_ok() {
                self.end(vertex);
            }
        });
        let pairs = self.remove_two_cycles(vertices, team);
        // Distance doubling: each pass halves the depths, rounded up. A number that another thread
        // has advanced in this pass is nearer to the root, and as correct.
        let changed = AtomicBool::new(true);
        while changed.swap(false, Relaxed) {
            each(vertices, team, |tree| {
                let Some(next) = self.touched_by(tree) else { return };
                let further = self.touched[next as usize].load(Relaxed);
                if further != next {
                    self.touch(tree, further);
                    changed.store(true, Relaxed);
                }
            });
        }
        each(vertices, team, |vertex| {
            let successor = &self.successor[vertex as usize];
            let root = self.touched[successor.load(Relaxed) as usize].load(Relaxed);
            successor.store(root, Relaxed);
        });
        pairs
    }

    /// Of two trees that have touched each other, makes the lower one a root.
    fn remove_two_cycles(self, vertices: u32, team: &Team<'_>) -> usize {
        let pairs = AtomicUsize::new(0);
        each(vertices, team, |tree| {
            let Some(other) = self.touched_by(tree) else { return };
            // Only the thread with the lower tree writes, and only the other end of the pair reads
            // what is written: it sees that its partner no longer leads back, and leaves it so.
            if tree < other && self.touched[other as usize].load(Relaxed) == tree {
                self.end(tree);
                pairs.fetch_add(1, Relaxed);
            }
        });
        pairs.into_inner()
    }

    /// The tree that a tree has touched, or the tree itself; none for a vertex that is not a start
    /// vertex.
    fn touched_by(self, tree: Vertex) -> Option<Vertex> {
        self.is_in(tree, tree).then(|| self.touched[tree as usize].load(Relaxed))
    }

    /// The root of a vertex's component, after [`unify`](Self::unify): a vertex that is its own
    /// root.
    #[inline]
    pub fn root(self, vertex: Vertex) -> Vertex {
        self.successor[vertex as usize].load(Relaxed)
    }
}

fn each(vertices: u32, team: &Team<'_>, step: impl Fn(Vertex) + Sync) {
    team.for_each(vertices as usize, BLOCK, |vertex| step(vertex as Vertex));
}

/// Partial Prim on a list of edges in the order of their weights: the protocol of the solvers, for
/// the model checker and the tests.
#[cfg(test)]
mod protocol {
    use kostra_core::UnionFind;

    use super::*;
    use kostra_parallel::with_team;

    pub(super) type Ends = (Vertex, Vertex);

    /// Grows trees of up to `gamma` vertices from some start vertices. Returns the chosen edges.
    pub(super) fn partial_prim(
        trees: SharedTrees<'_>,
        edges: &[Ends],
        starts: &[Vertex],
        gamma: usize,
    ) -> Vec<usize> {
        let mut chosen = Vec::new();
        for &tree in starts {
            if trees.claim(tree, tree).is_err() {
                continue;
            }
            let mut size = 1;
            loop {
                let leaves = |&(u, v): &Ends| trees.is_in(u, tree) != trees.is_in(v, tree);
                let lightest = edges.iter().position(leaves).filter(|_| size < gamma);
                let Some(edge) = lightest else {
                    trees.end(tree);
                    break;
                };
                chosen.push(edge);
                let (u, v) = edges[edge];
                let outside = if trees.is_in(u, tree) { v } else { u };
                if let Err(other) = trees.claim(outside, tree) {
                    trees.touch(tree, other);
                    break;
                }
                size += 1;
            }
        }
        chosen
    }

    /// Asserts that every chosen edge is in the forest, and that roots are the components that the
    /// chosen edges make.
    pub(super) fn assert_unified(
        trees: SharedTrees<'_>,
        vertices: u32,
        edges: &[Ends],
        chosen: &[usize],
    ) {
        with_team(1, |team| trees.unify(vertices, team));
        let (mut forest, mut components) = (UnionFind::new(vertices), UnionFind::new(vertices));
        for (edge, &(u, v)) in edges.iter().enumerate() {
            let in_forest = forest.union(u, v);
            if chosen.contains(&edge) {
                assert!(in_forest, "edge {edge} is not in the forest");
                components.union(u, v);
            }
        }
        for (u, v) in (0..vertices).flat_map(|u| (0..u).map(move |v| (u, v))) {
            assert_eq!(trees.root(u) == trees.root(v), components.same(u, v), "{u} and {v}");
        }
        assert!((0..vertices).all(|v| trees.root(trees.root(v)) == trees.root(v)));
    }
}

#[cfg(all(test, loom))]
mod under_loom {
    use super::protocol::{Ends, assert_unified, partial_prim};
    use super::*;

    /// Has a thread for each share of the start vertices grow trees, and checks the result.
    fn check(
        vertices: u32,
        edges: &'static [Ends],
        shares: &'static [&'static [Vertex]],
        gamma: usize,
        preemptions: usize,
    ) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(move || {
            let unvisited = || Vec::leak(vec![NONE; vertices as usize]);
            let trees = SharedTrees::in_memory(unvisited(), unvisited());
            let threads: Vec<_> = shares[1..]
                .iter()
                .map(|starts| {
                    loom::thread::spawn(move || partial_prim(trees, edges, starts, gamma))
                })
                .collect();
            let mut chosen = partial_prim(trees, edges, shares[0], gamma);
            chosen.extend(threads.into_iter().flat_map(|thread| thread.join().unwrap()));
            assert_unified(trees, vertices, edges, &chosen);
        });
    }

    /// The triangle on which one array for both numbers chooses an edge that is not in the forest.
    const TRIANGLE: &[Ends] = &[(0, 2), (2, 1), (0, 1)];
    const STAR: &[Ends] = &[(0, 3), (0, 1), (0, 2)];
    const PATH: &[Ends] = &[(0, 1), (2, 3), (1, 2)];

    #[test]
    fn two_threads_that_touch_each_other_choose_edges_of_the_forest() {
        check(3, TRIANGLE, &[&[0, 1], &[2]], 3, 4);
        check(3, TRIANGLE, &[&[0], &[2, 1]], 2, 4);
        check(4, PATH, &[&[0, 1], &[3, 2]], 4, 3);
    }

    #[test]
    fn three_threads_at_one_hub_choose_edges_of_the_forest() {
        check(4, STAR, &[&[1], &[2], &[3]], 4, 2);
        check(3, TRIANGLE, &[&[0], &[1], &[2]], 3, 3);
    }
}

#[cfg(test)]
mod tests {
    use super::protocol::{assert_unified, partial_prim};
    use super::*;
    use kostra_parallel::with_team;

    /// Trees of one vertex each with the given touches, unified. Returns roots and pairs.
    fn unified(touches: &[Vertex], threads: usize) -> (Vec<Vertex>, usize) {
        let vertices = touches.len() as u32;
        let (mut successor, mut touched) = (vec![7; touches.len()], vec![7; touches.len()]);
        let trees = SharedTrees::in_memory(&mut successor, &mut touched);
        let pairs = with_team(threads, |team| {
            trees.forget(vertices, team);
            for (tree, &other) in (0..).zip(touches) {
                assert_eq!(trees.claim(tree, tree), Ok(()));
                trees.touch(tree, other);
            }
            trees.unify(vertices, team)
        });
        ((0..vertices).map(|vertex| trees.root(vertex)).collect(), pairs)
    }

    #[test]
    fn two_trees_that_touch_each_other_get_the_lower_as_their_root() {
        assert_eq!(unified(&[1, 0], 1), (vec![0, 0], 1));
        // Two pairs, one with a chain, and a tree that touched none.
        let touches = [3, 1, 5, 0, 3, 2, 4];
        assert_eq!(unified(&touches, 1), (vec![0, 1, 2, 0, 0, 2, 0], 2));
    }

    #[test]
    fn chains_of_touches_lead_to_one_root() {
        let n = if cfg!(miri) { 100 } else { 100_000 };
        let down: Vec<_> = (0..n).map(|tree: u32| tree.saturating_sub(1)).collect();
        let up: Vec<_> = (0..n).map(|tree| (tree + 1).min(n - 1)).collect();
        for threads in [1, 2, 8] {
            assert_eq!(unified(&down, threads), (vec![0; n as usize], 0));
            assert_eq!(unified(&up, threads), (vec![n - 1; n as usize], 0));
            // The last two touch each other.
            let mut pair = up.clone();
            pair[n as usize - 1] = n - 2;
            assert_eq!(unified(&pair, threads), (vec![n - 2; n as usize], 1));
        }
    }

    #[test]
    fn an_unvisited_vertex_is_a_tree_of_its_own() {
        let (mut successor, mut touched) = ([0; 4], [0; 4]);
        let trees = SharedTrees::in_memory(&mut successor, &mut touched);
        with_team(1, |team| {
            trees.forget(4, team);
            assert_eq!(trees.claim(2, 2), Ok(()));
            assert_eq!(trees.claim(3, 2), Ok(()));
            assert_eq!(trees.claim(3, 1), Err(2));
            trees.end(2);
            assert_eq!(trees.unify(4, team), 0);
        });
        assert_eq!([0, 1, 2, 3].map(|vertex| trees.root(vertex)), [0, 1, 2, 2]);
    }

    #[test]
    fn one_thread_grows_the_trees_of_the_source() {
        let edges = [(0, 2), (2, 1), (0, 1), (3, 1)];
        for gamma in 2..5 {
            let (mut successor, mut touched) = ([NONE; 4], [NONE; 4]);
            let trees = SharedTrees::in_memory(&mut successor, &mut touched);
            let chosen = partial_prim(trees, &edges, &[0, 1, 2, 3], gamma);
            assert_unified(trees, 4, &edges, &chosen);
        }
    }
}
