//! The work on leaves that is compiled for each norm and for some numbers of dimensions.
//!
//! The rest of the search is compiled once and calls this work for a leaf, or for many at a time.

use std::marker::PhantomData;

use kostra_core::OutOfMemory;
use kostra_parallel::Team;

use super::build::Tree;
use super::candidates::{Candidates, Components};
use super::lists::Lists;
use super::nearest::LeafNeighbors;
use super::search::Search;
use super::shape::Shape;
use crate::blocks::LANES;
use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares, larger};
use crate::wide::{Work, has_versions, wide};
use crate::{MAX_TREE_DIMENSIONS, Prepared};

/// Consecutive leaves in a round, with what a pass over them reads.
pub(super) struct Chunk<'a> {
    pub(super) lists: &'a Lists,
    pub(super) components: &'a Components<'a>,
    pub(super) first_leaf: usize,
    /// The candidates of each leaf.
    pub(super) candidates: &'a mut [Candidates],
}

/// A tree of points, and passes over its leaves.
pub(super) trait Passes: Sync {
    fn shape(&self) -> &Shape;

    /// The number of dimensions that this is compiled for.
    fn dimensions(&self) -> usize;

    /// Whether all points of a full leaf have the same coordinates.
    fn repeats(&self) -> bool;

    /// Sets the least core distances of all nodes from the core distances of all leaves.
    fn set_core(&mut self, core: &[[f64; LANES]]);

    /// Finds the nearest neighbors of the points of a leaf.
    fn find(&self, leaf: usize, neighbors: &mut LeafNeighbors);

    /// Makes the first neighbor of each point its candidate, from a leaf on.
    fn start(&self, lists: &Lists, first_leaf: usize, candidates: &mut [Candidates]);

    /// Replaces candidates that have become points of the own component.
    fn renew(&self, chunk: Chunk<'_>);

    /// Finds candidates that may be nearer than those of the lists, for the leaves of the subtree
    /// `root`.
    fn search(&self, root: u32, chunk: Chunk<'_>);

    /// A lower bound of the reach of the points of two nodes.
    fn bound(&self, from: u32, to: u32) -> f64;
}

/// Builds the tree for the norm of the points, and for at least their dimensions.
pub(super) fn build(
    prepared: &Prepared<'_>,
    team: &Team<'_>,
) -> Result<Box<dyn Passes>, OutOfMemory> {
    let dimensions = match prepared.dimensions() {
        dimensions if has_versions() => dimensions,
        ..=FEW => FEW,
        _ => MAX_TREE_DIMENSIONS,
    };
    match (prepared.norm(), dimensions) {
        (Norm::Squares, ..=2) => Normed::<Squares, 2>::build(prepared, team),
        (Norm::Squares, 3) => Normed::<Squares, 3>::build(prepared, team),
        (Norm::Squares, 4) => Normed::<Squares, 4>::build(prepared, team),
        (Norm::Squares, 5) => Normed::<Squares, 5>::build(prepared, team),
        (Norm::Squares, 6..=8) => Normed::<Squares, 8>::build(prepared, team),
        (Norm::Squares, 9..=10) => Normed::<Squares, 10>::build(prepared, team),
        (Norm::Squares, _) => Normed::<Squares, 16>::build(prepared, team),
        (Norm::Absolutes, _) => with_norm::<Absolutes>(dimensions, prepared, team),
        (Norm::Largest, _) => with_norm::<Largest>(dimensions, prepared, team),
    }
}

/// Fewer numbers of dimensions, because each makes the program larger.
fn with_norm<A: Accumulate>(
    dimensions: usize,
    prepared: &Prepared<'_>,
    team: &Team<'_>,
) -> Result<Box<dyn Passes>, OutOfMemory> {
    match dimensions {
        ..=2 => Normed::<A, 2>::build(prepared, team),
        3 => Normed::<A, 3>::build(prepared, team),
        4..=6 => Normed::<A, 6>::build(prepared, team),
        _ => Normed::<A, 16>::build(prepared, team),
    }
}

/// The number of dimensions for which there is a version for every processor. The other is
/// [`MAX_TREE_DIMENSIONS`].
const FEW: usize = 3;

/// Whether work in `dimensions` dimensions has a version for every processor.
pub(super) const fn is_everywhere(dimensions: usize) -> bool {
    dimensions == FEW || dimensions == MAX_TREE_DIMENSIONS
}

/// A tree with a norm.
struct Normed<A, const D: usize> {
    tree: Tree<D>,
    norm: PhantomData<A>,
}

impl<A: Accumulate, const D: usize> Normed<A, D> {
    fn build(prepared: &Prepared<'_>, team: &Team<'_>) -> Result<Box<dyn Passes>, OutOfMemory> {
        Ok(Box::new(Self { tree: Tree::new(prepared, team)?, norm: PhantomData }))
    }

    fn view<'a>(&'a self, lists: &'a Lists) -> View<'a, A, D> {
        View { tree: &self.tree, lists, norm: PhantomData }
    }
}

impl<A: Accumulate, const D: usize> Passes for Normed<A, D> {
    fn shape(&self) -> &Shape {
        &self.tree.shape
    }

    fn dimensions(&self) -> usize {
        D
    }

    fn repeats(&self) -> bool {
        let is_full = |leaf: u32| self.tree.shape.lanes(leaf as usize) == LANES;
        let mut leaves = self.tree.nodes.iter().filter(|node| node.right == 0);
        leaves.any(|node| node.low == node.high && is_full(node.leaf))
    }

    fn set_core(&mut self, core: &[[f64; LANES]]) {
        self.tree.set_core(core);
    }

    fn find(&self, leaf: usize, neighbors: &mut LeafNeighbors) {
        wide(Find::<A, D> { tree: &self.tree, leaf, neighbors, norm: PhantomData });
    }

    fn start(&self, lists: &Lists, first_leaf: usize, candidates: &mut [Candidates]) {
        let view = self.view(lists);
        for (leaf, candidates) in (first_leaf..).zip(candidates) {
            candidates.start(&view, leaf);
        }
    }

    fn renew(&self, chunk: Chunk<'_>) {
        let (view, components) = (self.view(chunk.lists), chunk.components);
        for (leaf, candidates) in (chunk.first_leaf..).zip(chunk.candidates) {
            if components.of_leaves[leaf] != components.skipped {
                candidates.renew(&view, components, leaf);
            }
        }
    }

    fn search(&self, root: u32, chunk: Chunk<'_>) {
        wide(Search { passes: self, view: self.view(chunk.lists), chunk, root });
    }

    fn bound(&self, from: u32, to: u32) -> f64 {
        let (from, to) = (&self.tree.nodes[from as usize], &self.tree.nodes[to as usize]);
        larger(from.bound::<A>(to), larger(from.least_core, to.least_core))
    }
}

/// What a pass reads.
pub(super) struct View<'a, A, const D: usize> {
    pub(super) tree: &'a Tree<D>,
    pub(super) lists: &'a Lists,
    norm: PhantomData<A>,
}

impl<A: Accumulate, const D: usize> View<'_, A, D> {
    /// The compared distance of two positions, or their mutual reachability.
    #[inline(always)]
    pub(super) fn reach(&self, u: u32, v: u32) -> f64 {
        let distance = self.tree.compared::<A>(u, v);
        if self.lists.core.is_empty() {
            return distance;
        }
        larger(distance, larger(self.lists.core_of(u), self.lists.core_of(v)))
    }

    /// A lower bound of the reach of points outside the list of neighbors.
    #[inline(always)]
    pub(super) fn reach_outside(&self, position: u32) -> f64 {
        if self.lists.core.is_empty() {
            let last = self.lists.neighbors(position).last();
            return last.map_or(0.0, |&last| self.tree.compared::<A>(position, last));
        }
        let core = self.lists.core_of(position);
        if self.lists.is_open(position) { core } else { core.next_up() }
    }
}

/// The search for the neighbors of a leaf.
struct Find<'a, A, const D: usize> {
    tree: &'a Tree<D>,
    leaf: usize,
    neighbors: &'a mut LeafNeighbors,
    norm: PhantomData<A>,
}

impl<A: Accumulate, const D: usize> Work for Find<'_, A, D> {
    type Output = ();
    const EVERYWHERE: bool = is_everywhere(D);

    #[inline(always)]
    fn run(self) {
        self.neighbors.find::<A, D>(self.tree, self.leaf);
    }
}
