//! The tree without coordinates: which points, nodes and leaves are where.

use std::ops::Range;

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, for_each_item};

use crate::blocks::LANES;

/// The parts of a tree that do not depend on the number of dimensions. The *position* of the point
/// in lane `l` of leaf `f` is `f * LANES + l`.
pub(super) struct Shape {
    /// The index of the point at each position; `u32::MAX` in unused lanes.
    pub(super) ids: Vec<[u32; LANES]>,
    /// The node of each leaf.
    pub(super) leaf_nodes: Vec<u32>,
    /// The parent of each node; 0 for the root.
    pub(super) parents: Vec<u32>,
    /// The right child of each node; for a leaf its number plus the number of nodes. Apart from the
    /// nodes, because a pass over all nodes that needs no boxes reads a fraction of the memory.
    rights: Vec<u32>,
    /// The nodes of subtrees that a thread visits alone, in ascending order.
    subtrees: Vec<Range<usize>>,
    /// The nodes above them, in ascending order.
    top: Vec<u32>,
    /// The number of points.
    pub(super) len: u32,
}

impl Shape {
    /// The shape of a tree of `len` points, from the right child of each node in preorder, which is
    /// 0 for a leaf.
    pub(super) fn new(
        len: u32,
        ids: Vec<[u32; LANES]>,
        mut rights: Vec<u32>,
    ) -> Result<Self, OutOfMemory> {
        let nodes = rights.len() as u32;
        let mut leaf_nodes = memory::with_capacity(ids.len())?;
        let mut parents = memory::zeros(rights.len())?;
        for (number, right) in (0..).zip(&mut rights) {
            if *right == 0 {
                *right = nodes + leaf_nodes.len() as u32;
                leaf_nodes.push(number);
            } else {
                parents[number as usize + 1] = number;
                parents[*right as usize] = number;
            }
        }
        let (subtrees, top) = (Vec::new(), Vec::new());
        let mut shape = Self { ids, leaf_nodes, parents, rights, subtrees, top, len };
        shape.divide(0..nodes as usize);
        Ok(shape)
    }

    /// The right child of a node; `None` for a leaf.
    pub(super) fn right(&self, node: u32) -> Option<u32> {
        let right = self.rights[node as usize];
        ((right as usize) < self.rights.len()).then_some(right)
    }

    /// The other child of the parent of a node, which is not the root.
    pub(super) fn sibling(&self, node: u32) -> u32 {
        let parent = self.parents[node as usize];
        if node == parent + 1 { self.rights[parent as usize] } else { parent + 1 }
    }

    /// Divides a subtree into parts for threads.
    fn divide(&mut self, nodes: Range<usize>) {
        /// The nodes of a subtree that a thread visits alone.
        const ALONE: usize = 1 << 9;
        if nodes.len() <= ALONE {
            self.subtrees.push(nodes);
            return;
        }
        self.top.push(nodes.start as u32);
        let right = self.rights[nodes.start] as usize;
        self.divide(nodes.start + 1..right);
        self.divide(right..nodes.end);
    }

    /// The number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.ids.len()
    }

    /// The number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.rights.len()
    }

    /// The index of the point at a position.
    #[inline(always)]
    pub(super) fn id(&self, position: u32) -> u32 {
        self.ids[position as usize / LANES][position as usize % LANES]
    }

    /// The number of used lanes of a leaf.
    #[inline(always)]
    pub(super) fn lanes(&self, leaf: usize) -> usize {
        (self.len as usize - leaf * LANES).min(LANES)
    }

    /// Calls `step` with the root of each part of the tree, its first leaf, and the values of its
    /// leaves, on any thread.
    pub(super) fn for_each_subtree<T: Send>(
        &self,
        leaves: &mut [T],
        team: &Team<'_>,
        step: impl Fn(u32, usize, &mut [T]) + Sync,
    ) {
        let mut parts = Vec::with_capacity(self.subtrees.len());
        let (mut rest, mut first_leaf) = (leaves, 0);
        for subtree in &self.subtrees {
            let (own, others) = rest.split_at_mut(subtree.len().div_ceil(2));
            let leaves = own.len();
            parts.push((subtree.start as u32, first_leaf, own));
            (rest, first_leaf) = (others, first_leaf + leaves);
        }
        for_each_item(team, parts.into_iter(), |(root, first_leaf, leaves)| {
            step(root, first_leaf, leaves);
        });
    }

    /// Sets the value of each node from the values of the leaves: `join` of both children's.
    pub(super) fn join_upwards(
        &self,
        nodes: &mut [u32],
        leaves: &[u32],
        team: &Team<'_>,
        join: impl Fn(u32, u32) -> u32 + Sync,
    ) {
        let set = |start: usize, nodes: &mut [u32]| {
            for at in (0..nodes.len()).rev() {
                let right = self.rights[start + at] as usize;
                nodes[at] = if right < self.nodes() {
                    join(nodes[at + 1], nodes[right - start])
                } else {
                    leaves[right - self.nodes()]
                };
            }
        };
        let mut subtrees = Vec::with_capacity(self.subtrees.len());
        let (mut rest, mut end) = (&mut *nodes, 0);
        for subtree in &self.subtrees {
            let (skipped, others) = rest.split_at_mut(subtree.end - end);
            subtrees.push((subtree.start, &mut skipped[subtree.start - end..]));
            (rest, end) = (others, subtree.end);
        }
        for_each_item(team, subtrees.into_iter(), |(start, nodes)| set(start, nodes));
        for &number in self.top.iter().rev() {
            let (left, right) = (number as usize + 1, self.rights[number as usize] as usize);
            nodes[number as usize] = join(nodes[left], nodes[right]);
        }
    }
}
