//! Searches for points that are not in the tree: from the root, the nearer child first.

use std::marker::PhantomData;

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::Team;

use super::build::{Node, Tree};
use super::walk::DEPTH;
use crate::blocks::LANES;
use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares, larger};
use crate::{MAX_TREE_DIMENSIONS, Prepared};

/// What a search looks for.
pub(crate) trait Visitor {
    /// Whether the search should visit points whose compared distance, index and floor are at least
    /// these.
    fn wants(&self, bound: f64, least_id: u32, least_floor: f64) -> bool;

    /// Takes a point with its compared distance.
    fn visit(&mut self, id: u32, compared: f64);
}

/// A set of points that other points search.
pub(crate) trait Searchable: Send + Sync {
    /// Visits the points that `visitor` wants, and perhaps others. `row` has prepared coordinates.
    fn search(&self, row: &[f64], visitor: &mut dyn Visitor);
}

/// A tree of at least one point of up to [`MAX_TREE_DIMENSIONS`] dimensions, with the floor of each
/// point.
pub(crate) fn searchable(
    prepared: &Prepared<'_>,
    floors: &[f64],
    team: &Team<'_>,
) -> Result<Box<dyn Searchable>, OutOfMemory> {
    match prepared.norm() {
        Norm::Squares => with_norm::<Squares>(prepared, floors, team),
        Norm::Absolutes => with_norm::<Absolutes>(prepared, floors, team),
        Norm::Largest => with_norm::<Largest>(prepared, floors, team),
    }
}

/// Few numbers of dimensions, because each makes the program larger.
fn with_norm<A: Accumulate>(
    prepared: &Prepared<'_>,
    floors: &[f64],
    team: &Team<'_>,
) -> Result<Box<dyn Searchable>, OutOfMemory> {
    match prepared.dimensions() {
        ..=2 => Queries::<A, 2>::boxed(prepared, floors, team),
        3 => Queries::<A, 3>::boxed(prepared, floors, team),
        4..=6 => Queries::<A, 6>::boxed(prepared, floors, team),
        _ => Queries::<A, MAX_TREE_DIMENSIONS>::boxed(prepared, floors, team),
    }
}

struct Queries<A, const D: usize> {
    tree: Tree<D>,
    norm: PhantomData<A>,
}

impl<A: Accumulate, const D: usize> Queries<A, D> {
    fn boxed(
        prepared: &Prepared<'_>,
        floors: &[f64],
        team: &Team<'_>,
    ) -> Result<Box<dyn Searchable>, OutOfMemory> {
        let mut tree = Tree::<D>::new(prepared, team)?;
        let mut of_leaves = memory::filled(tree.shape.leaves(), [f64::INFINITY; LANES])?;
        for (leaf, of_lanes) in of_leaves.iter_mut().enumerate() {
            for (lane, floor) in of_lanes.iter_mut().enumerate().take(tree.shape.lanes(leaf)) {
                *floor = floors[tree.shape.ids[leaf][lane] as usize];
            }
        }
        tree.set_core(&of_leaves);
        Ok(Box::new(Self { tree, norm: PhantomData }))
    }

    /// A lower bound of the compared distances between a point and the points of a node.
    fn bound(node: &Node<D>, x: &[f64; D]) -> f64 {
        let mut sum = 0.0;
        for (k, &x) in x.iter().enumerate() {
            let gap = larger(node.low[k] - x, x - node.high[k]);
            sum = A::add(sum, larger(gap, 0.0));
        }
        sum
    }
}

impl<A: Accumulate, const D: usize> Searchable for Queries<A, D> {
    fn search(&self, row: &[f64], visitor: &mut dyn Visitor) {
        let mut x = [0.0; D];
        x[..row.len()].copy_from_slice(row);
        let nodes = &self.tree.nodes;
        let mut waiting = [(0.0, 0); DEPTH];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (bound, number) = waiting[len];
            let node: &Node<D> = &nodes[number as usize];
            if !visitor.wants(bound, node.least_id, node.least_core) {
                continue;
            }
            if node.right > 0 {
                let child = |number: u32| (Self::bound(&nodes[number as usize], &x), number);
                let (left, right) = (child(number + 1), child(node.right));
                let left_first = left.0 <= right.0;
                let [near, far] = if left_first { [left, right] } else { [right, left] };
                (waiting[len], waiting[len + 1]) = (far, near);
                len += 2;
                continue;
            }
            let leaf = node.leaf as usize;
            let mut compared = [0.0; LANES];
            for (k, column) in self.tree.leaves[leaf].iter().enumerate() {
                for (sum, &y) in compared.iter_mut().zip(column) {
                    *sum = A::add(*sum, x[k] - y);
                }
            }
            let lanes = self.tree.shape.lanes(leaf);
            for (&id, &compared) in self.tree.shape.ids[leaf].iter().zip(&compared).take(lanes) {
                visitor.visit(id, compared);
            }
        }
    }
}
