//! The walk through the tree for the points of one node: from the node to the root, so that near
//! subtrees come first.

use std::marker::PhantomData;

use super::build::{Node, Tree};
use crate::canonical::Accumulate;

/// Deeper than the tree of 2^32 points, with one waiting subtree per level.
pub(super) const DEPTH: usize = 48;

/// A walk: the ancestors of the node in turn, and the subtrees that wait inside the last sibling.
pub(super) struct Walk<'t, A, const D: usize> {
    tree: &'t Tree<D>,
    /// The node of the points that search.
    from: Node<D>,
    /// The ancestor whose subtree has been walked.
    walked: u32,
    /// Subtrees with their bounds, the nearest on top.
    waiting: [(f64, u32); DEPTH],
    len: usize,
    norm: PhantomData<A>,
}

impl<'t, A: Accumulate, const D: usize> Walk<'t, A, D> {
    /// A walk for the points in the box `from`, which starts beside their node `walked`. It does
    /// not visit that node.
    #[inline(always)]
    pub(super) fn new(tree: &'t Tree<D>, walked: u32, from: Node<D>) -> Self {
        Self { tree, from, walked, waiting: [(0.0, 0); DEPTH], len: 0, norm: PhantomData }
    }

    /// The next node that waits, with a lower bound of the distance; `None` at the end. The caller
    /// should [`open`](Self::open) it if the node matters and is not a leaf.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(f64, u32)> {
        if self.len > 0 {
            self.len -= 1;
            return Some(self.waiting[self.len]);
        }
        if self.walked == 0 {
            return None;
        }
        let parent = self.tree.shape.parents[self.walked as usize];
        let left = parent + 1;
        let right = self.tree.nodes[parent as usize].right;
        let sibling = if self.walked == left { right } else { left };
        self.walked = parent;
        Some((self.from.bound::<A>(&self.tree.nodes[sibling as usize]), sibling))
    }

    /// Lets those children of a node wait that are not farther than `widest`.
    #[inline(always)]
    pub(super) fn open(&mut self, number: u32, node: &Node<D>, widest: f64) {
        let (left, right) = (self.bounded(number + 1), self.bounded(node.right));
        // Of equally near subtrees, first the one with the lowest index: it decides ties.
        let left_first = left.0 < right.0 || left.0 == right.0 && left.2 < right.2;
        let [near, far] = if left_first { [left, right] } else { [right, left] };
        for child in [far, near] {
            self.waiting[self.len] = (child.0, child.1);
            self.len += usize::from(child.0 <= widest);
        }
    }

    /// The bound, the number and the lowest index of a node. No closure of `array::map`, which the
    /// compiler leaves out of the code for newer vector instructions.
    #[inline(always)]
    fn bounded(&self, number: u32) -> (f64, u32, u32) {
        let node = &self.tree.nodes[number as usize];
        (self.from.bound::<A>(node), number, node.least_id)
    }
}
