//! The walk through the tree for the points of one leaf: nearest subtrees first.

use super::build::{Node, Tree};
use crate::canonical::Accumulate;

/// Deeper than the tree of 2^32 points, with one waiting subtree per level.
const DEPTH: usize = 48;

/// Subtrees that wait, the nearest on top.
pub(super) struct Walk<'t, A, const D: usize> {
    tree: &'t Tree<D>,
    /// The node of the points that search.
    from: Node<D>,
    waiting: [(f64, u32); DEPTH],
    len: usize,
    norm: std::marker::PhantomData<A>,
}

impl<'t, A: Accumulate, const D: usize> Walk<'t, A, D> {
    /// A walk that starts at the root.
    #[inline(always)]
    pub(super) fn new(tree: &'t Tree<D>, leaf: usize) -> Self {
        let from = tree.nodes[tree.leaf_nodes[leaf] as usize];
        let mut waiting = [(0.0, 0); DEPTH];
        waiting[0] = (0.0, 0);
        Self { tree, from, waiting, len: 1, norm: std::marker::PhantomData }
    }

    /// The next leaf whose subtrees all pass `enter`, which gets a node, its number, and a lower
    /// bound of the distance. `enter` must refuse every node that can no longer matter.
    #[inline(always)]
    pub(super) fn next(
        &mut self,
        mut enter: impl FnMut(&Node<D>, u32, f64) -> bool,
    ) -> Option<(&'t Node<D>, u32)> {
        while self.len > 0 {
            self.len -= 1;
            let (bound, number) = self.waiting[self.len];
            let node = &self.tree.nodes[number as usize];
            if !enter(node, number, bound) {
                continue;
            }
            if node.right == 0 {
                return Some((node, number));
            }
            let [left, right] = [number + 1, node.right].map(|child| {
                let node = &self.tree.nodes[child as usize];
                (self.from.bound::<A>(node), child, node.least_id)
            });
            // Of equally near subtrees, first the one with the lowest index: it decides ties.
            let left_first = (left.0, left.2) <= (right.0, right.2);
            let [near, far] = if left_first { [left, right] } else { [right, left] };
            self.waiting[self.len] = (far.0, far.1);
            self.waiting[self.len + 1] = (near.0, near.1);
            self.len += 2;
        }
        None
    }
}
