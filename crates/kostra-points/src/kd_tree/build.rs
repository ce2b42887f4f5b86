//! The k-d tree: points in leaves of [`LANES`] points, and a box for each node.
//!
//! A node splits its points at the median of its widest dimension (Friedman, Bentley & Finkel
//! 1977), rounded to full leaves. So the shape of the tree depends only on the number of points,
//! and only the last leaf has unused lanes.

use std::cmp::Ordering;
use std::sync::Mutex;

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, for_each_item, into_item, lock};

use super::shape::Shape;
use crate::Prepared;
use crate::blocks::LANES;
use crate::canonical::{Accumulate, larger};

/// A box that contains all points of a subtree, and what else prunes the subtree.
#[derive(Clone, Copy)]
pub(super) struct Node<const D: usize> {
    pub(super) low: [f64; D],
    pub(super) high: [f64; D],
    /// The lowest core distance of the points; 0 for a metric itself.
    pub(super) least_core: f64,
    /// The lowest index of the points.
    pub(super) least_id: u32,
    /// The number of the right child; the left child is the next node. 0 for a leaf.
    pub(super) right: u32,
    /// The number of the leaf.
    pub(super) leaf: u32,
}

/// Points in the order of the leaves.
pub(super) struct Tree<const D: usize> {
    /// In preorder.
    pub(super) nodes: Vec<Node<D>>,
    /// The coordinates of each leaf, dimension by dimension. Unused lanes hold NaN, so that no
    /// comparison with their distances is true.
    pub(super) leaves: Vec<[[f64; LANES]; D]>,
    pub(super) shape: Shape,
}

#[derive(Clone, Copy)]
struct Item<const D: usize> {
    x: [f64; D],
    id: u32,
}

impl<const D: usize> Node<D> {
    const EMPTY: Self = Self {
        low: [f64::INFINITY; D],
        high: [f64::NEG_INFINITY; D],
        least_core: 0.0,
        least_id: u32::MAX,
        right: 0,
        leaf: 0,
    };

    fn contain(&mut self, item: &Item<D>) {
        for k in 0..D {
            self.low[k] = if item.x[k] < self.low[k] { item.x[k] } else { self.low[k] };
            self.high[k] = larger(item.x[k], self.high[k]);
        }
        self.least_id = self.least_id.min(item.id);
    }

    /// The box of both children.
    fn join(&mut self, left: &Self, right: &Self) {
        for k in 0..D {
            self.low[k] = left.low[k].min(right.low[k]);
            self.high[k] = left.high[k].max(right.high[k]);
        }
        self.least_id = left.least_id.min(right.least_id);
        self.least_core = left.least_core.min(right.least_core);
    }

    /// A lower bound of the compared distances between points of two boxes. Rounding is monotone,
    /// so the bound holds for the computed distances.
    #[inline(always)]
    pub(super) fn bound<A: Accumulate>(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for k in 0..D {
            let gap = larger(self.low[k] - other.high[k], other.low[k] - self.high[k]);
            sum = A::add(sum, larger(gap, 0.0));
        }
        sum
    }

    /// A lower bound of the compared distances between each point of a leaf and the box.
    #[inline(always)]
    pub(super) fn bounds<A: Accumulate>(&self, leaf: &[[f64; LANES]; D]) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        for (k, column) in leaf.iter().enumerate() {
            for (sum, &x) in sums.iter_mut().zip(column) {
                let gap = larger(self.low[k] - x, x - self.high[k]);
                *sum = A::add(*sum, larger(gap, 0.0));
            }
        }
        sums
    }
}

/// The compared distances of the point in a lane of a leaf and all points of another leaf.
#[inline(always)]
pub(super) fn distances<A: Accumulate, const D: usize>(
    from: &[[f64; LANES]; D],
    lane: usize,
    to: &[[f64; LANES]; D],
) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for k in 0..D {
        let x = from[k][lane];
        for (sum, &y) in sums.iter_mut().zip(&to[k]) {
            *sum = A::add(*sum, x - y);
        }
    }
    sums
}

impl<const D: usize> Tree<D> {
    /// Builds the tree of at least one point. `D` may exceed the number of dimensions: the other
    /// coordinates are 0, which changes no distance. O(n log n).
    pub(super) fn new(prepared: &Prepared<'_>, team: &Team<'_>) -> Result<Self, OutOfMemory> {
        let len = prepared.len();
        let dimensions = prepared.dimensions();
        let mut items = memory::with_capacity(len as usize)?;
        items.extend(prepared.rows().chunks_exact(dimensions).zip(0..len).map(|(row, id)| {
            let mut x = [0.0; D];
            x[..dimensions].copy_from_slice(row);
            Item { x, id }
        }));
        let leaves = items.len().div_ceil(LANES);
        let mut nodes = memory::filled(2 * leaves - 1, Node::EMPTY)?;
        split_on_threads(&mut items, &mut nodes, team)?;
        let mut columns = memory::filled(leaves, [[f64::NAN; LANES]; D])?;
        let mut ids = memory::filled(leaves, [u32::MAX; LANES])?;
        for ((items, columns), ids) in items.chunks(LANES).zip(&mut columns).zip(&mut ids) {
            for (lane, item) in items.iter().enumerate() {
                (0..D).for_each(|k| columns[k][lane] = item.x[k]);
                ids[lane] = item.id;
            }
        }
        let mut rights = memory::with_capacity(nodes.len())?;
        rights.extend(nodes.iter().map(|node| node.right));
        Ok(Self { nodes, leaves: columns, shape: Shape::new(len, ids, rights)? })
    }

    /// The compared distance of the points at two positions.
    #[inline(always)]
    pub(super) fn compared<A: Accumulate>(&self, u: u32, v: u32) -> f64 {
        let (u, v) = (u as usize, v as usize);
        let (from, to) = (&self.leaves[u / LANES], &self.leaves[v / LANES]);
        (0..D).fold(0.0, |sum, k| A::add(sum, from[k][u % LANES] - to[k][v % LANES]))
    }

    /// Sets the least core distances of all nodes from the core distances of all leaves.
    pub(super) fn set_core(&mut self, core: &[[f64; LANES]]) {
        for number in (0..self.nodes.len()).rev() {
            let node = self.nodes[number];
            self.nodes[number].least_core = if node.right == 0 {
                core[node.leaf as usize].iter().copied().fold(f64::INFINITY, f64::min)
            } else {
                let (left, right) = (&self.nodes[number + 1], &self.nodes[node.right as usize]);
                left.least_core.min(right.least_core)
            };
        }
    }
}

/// A subtree that is not built yet.
struct Part<'a, const D: usize> {
    items: &'a mut [Item<D>],
    nodes: &'a mut [Node<D>],
    /// The number of the first node.
    number: u32,
    /// The number of the first leaf.
    leaf: u32,
}

impl<'a, const D: usize> Part<'a, D> {
    /// Splits the points in two halves; `None` for a leaf.
    fn split(self) -> Option<[Self; 2]> {
        let Self { items, nodes, number, leaf } = self;
        let (node, nodes) = nodes.split_first_mut()?;
        node.leaf = leaf;
        if items.len() <= LANES {
            items.iter().for_each(|item| node.contain(item));
            return None;
        }
        let left_leaves = items.len().div_ceil(LANES).div_ceil(2);
        let middle = left_leaves * LANES;
        let k = widest(items);
        // Coordinates are not NaN. Unlike `total_cmp`, this is one comparison.
        let compare = |a: &Item<D>, b: &Item<D>| a.x[k].partial_cmp(&b.x[k]);
        items.select_nth_unstable_by(middle, |a, b| compare(a, b).unwrap_or(Ordering::Equal));
        let (left_items, right_items) = items.split_at_mut(middle);
        let left_nodes = 2 * left_leaves - 1;
        let (left, right) = nodes.split_at_mut(left_nodes);
        node.right = number + 1 + left_nodes as u32;
        Some([
            Self { items: left_items, nodes: left, number: number + 1, leaf },
            Self {
                items: right_items,
                nodes: right,
                number: number + 1 + left_nodes as u32,
                leaf: leaf + left_leaves as u32,
            },
        ])
    }

    /// Builds the subtree.
    fn build(self) {
        if let Some(halves) = self.split() {
            halves.into_iter().for_each(Self::build);
        }
    }
}

/// The dimension in which the points spread most. A choice, so a sample is enough.
fn widest<const D: usize>(items: &[Item<D>]) -> usize {
    const SAMPLE: usize = 256;
    let mut seen = Node::EMPTY;
    items.iter().step_by((items.len() / SAMPLE).max(1)).for_each(|item| seen.contain(item));
    let spread = |k: &usize| seen.high[*k] - seen.low[*k];
    (0..D).max_by(|a, b| spread(a).total_cmp(&spread(b))).unwrap_or(0)
}

/// Orders the points by leaves and fills the nodes.
fn split_on_threads<const D: usize>(
    items: &mut [Item<D>],
    nodes: &mut [Node<D>],
    team: &Team<'_>,
) -> Result<(), OutOfMemory> {
    /// The points of a subtree that a thread builds alone.
    const ALONE: usize = 1 << 13;
    let whole = Part { items, nodes: &mut *nodes, number: 0, leaf: 0 };
    let mut level = vec![whole];
    // The upper levels: all parts of a level at once.
    while !level.is_empty() {
        let next = Mutex::new(Vec::new());
        for_each_item(team, level.into_iter(), |part| {
            if part.items.len() <= ALONE {
                part.build();
            } else if let Some(halves) = part.split() {
                lock(&next).extend(halves);
            }
        });
        level = into_item(next);
    }
    for number in (0..nodes.len()).rev() {
        let right = nodes[number].right as usize;
        if right != 0 {
            let (left, right) = (nodes[number + 1], nodes[right]);
            nodes[number].join(&left, &right);
        }
    }
    Ok(())
}
