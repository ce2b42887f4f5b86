//! Searches for points that are not in the tree: from the root, the nearer child first.

use std::marker::PhantomData;
use std::sync::Arc;

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::Team;

use super::build::{Node, Tree};
use super::walk::DEPTH;
use crate::blocks::LANES;
use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares, larger, smaller};
use crate::{MAX_TREE_DIMENSIONS, Prepared};

/// The values that a point may have in a search: from `floor` to below `ceiling`.
#[derive(Clone, Copy)]
pub(crate) struct ValueSpan {
    pub(crate) floor: f64,
    pub(crate) ceiling: f64,
}

impl ValueSpan {
    pub(crate) const EMPTY: Self = Self { floor: f64::INFINITY, ceiling: 0.0 };

    /// The least span that contains both.
    fn join(self, other: Self) -> Self {
        let floor = smaller(self.floor, other.floor);
        Self { floor, ceiling: larger(self.ceiling, other.ceiling) }
    }
}

/// Bounds of some points.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// No compared distance is below.
    pub(crate) compared: f64,
    pub(crate) least_id: u32,
    /// Contains the spans of the points.
    pub(crate) span: ValueSpan,
}

/// What a search looks for.
pub(crate) trait Visitor {
    /// Whether the search should visit points with these bounds.
    fn wants(&self, points: Bounds) -> bool;

    /// Takes points with their compared distances.
    fn visit(&mut self, ids: &[u32], compared: &[f64]);

    /// Takes at least one point. The points have equal coordinates, spans and labels, and their ids
    /// ascend.
    fn visit_equal(&mut self, ids: &[u32], compared: f64);
}

/// A set of points that other points search.
pub(crate) trait Searchable: Send + Sync {
    /// Visits the points that `visitor` wants, and perhaps others. `row` has prepared coordinates.
    fn search(&self, row: &[f64], visitor: &mut dyn Visitor);
}

/// A search tree without the spans of its points.
trait Boxes: Send + Sync {
    /// The span of each node.
    fn spans_of_nodes(&self, of_points: &[ValueSpan]) -> Result<Vec<ValueSpan>, OutOfMemory>;

    /// [`Searchable::search`] with the span of each node.
    fn search(&self, spans: &[ValueSpan], row: &[f64], visitor: &mut dyn Visitor);
}

/// A search tree with the spans of its points.
pub(crate) struct SpannedTree {
    boxes: Arc<dyn Boxes>,
    /// The span of each node. Apart from the nodes, because few searches need it.
    spans: Vec<ValueSpan>,
}

impl SpannedTree {
    /// The same points with other spans. Both share the coordinates.
    pub(crate) fn with_spans(&self, of_points: &[ValueSpan]) -> Result<Self, OutOfMemory> {
        let spans = self.boxes.spans_of_nodes(of_points)?;
        Ok(Self { boxes: Arc::clone(&self.boxes), spans })
    }
}

impl Searchable for SpannedTree {
    fn search(&self, row: &[f64], visitor: &mut dyn Visitor) {
        self.boxes.search(&self.spans, row, visitor);
    }
}

/// A tree of at least one point of up to [`MAX_TREE_DIMENSIONS`] dimensions, with the span of each
/// point.
pub(crate) fn searchable(
    prepared: &Prepared<'_>,
    spans: &[ValueSpan],
    team: &Team<'_>,
) -> Result<SpannedTree, OutOfMemory> {
    let boxes = match prepared.norm() {
        Norm::Squares => with_norm::<Squares>(prepared, team),
        Norm::Absolutes => with_norm::<Absolutes>(prepared, team),
        Norm::Largest => with_norm::<Largest>(prepared, team),
    }?;
    let spans = boxes.spans_of_nodes(spans)?;
    Ok(SpannedTree { boxes, spans })
}

/// Points of up to [`MAX_TREE_DIMENSIONS`] dimensions in an order in which neighbors are near.
pub(crate) fn spatial_order(
    prepared: &Prepared<'_>,
    team: &Team<'_>,
) -> Result<Vec<u32>, OutOfMemory> {
    match prepared.dimensions() {
        _ if prepared.is_empty() => Ok(Vec::new()),
        ..=2 => Tree::<2>::new(prepared, team)?.order(),
        3 => Tree::<3>::new(prepared, team)?.order(),
        4..=6 => Tree::<6>::new(prepared, team)?.order(),
        _ => Tree::<MAX_TREE_DIMENSIONS>::new(prepared, team)?.order(),
    }
}

impl<const D: usize> Tree<D> {
    /// The points in the order of the leaves.
    fn order(&self) -> Result<Vec<u32>, OutOfMemory> {
        let ids = self.shape.ids.as_flattened();
        memory::copied(&ids[..self.shape.len as usize])
    }
}

/// Few numbers of dimensions, because each makes the program larger.
fn with_norm<A: Accumulate>(
    prepared: &Prepared<'_>,
    team: &Team<'_>,
) -> Result<Arc<dyn Boxes>, OutOfMemory> {
    match prepared.dimensions() {
        ..=2 => Queries::<A, 2>::shared(prepared, team),
        3 => Queries::<A, 3>::shared(prepared, team),
        4..=6 => Queries::<A, 6>::shared(prepared, team),
        7..=10 => Queries::<A, 10>::shared(prepared, team),
        _ => Queries::<A, MAX_TREE_DIMENSIONS>::shared(prepared, team),
    }
}

struct Queries<A, const D: usize> {
    tree: Tree<D>,
    norm: PhantomData<A>,
}

impl<A: Accumulate, const D: usize> Queries<A, D> {
    fn shared(prepared: &Prepared<'_>, team: &Team<'_>) -> Result<Arc<dyn Boxes>, OutOfMemory> {
        Ok(Arc::new(Self { tree: Tree::new(prepared, team)?, norm: PhantomData }))
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

impl<A: Accumulate, const D: usize> Boxes for Queries<A, D> {
    fn spans_of_nodes(&self, of_points: &[ValueSpan]) -> Result<Vec<ValueSpan>, OutOfMemory> {
        let tree = &self.tree;
        let mut spans = memory::filled(tree.nodes.len(), ValueSpan::EMPTY)?;
        for (number, node) in tree.nodes.iter().enumerate().rev() {
            spans[number] = if node.right == 0 {
                let leaf = node.leaf as usize;
                let ids = &tree.shape.ids[leaf][..tree.shape.lanes(leaf)];
                ids.iter().map(|&id| of_points[id as usize]).fold(ValueSpan::EMPTY, ValueSpan::join)
            } else {
                spans[number + 1].join(spans[node.right as usize])
            };
        }
        Ok(spans)
    }

    fn search(&self, spans: &[ValueSpan], row: &[f64], visitor: &mut dyn Visitor) {
        let tree = &self.tree;
        let mut x = [0.0; D];
        x[..row.len()].copy_from_slice(row);
        let nodes = &tree.nodes;
        let mut waiting = [(0.0, 0); DEPTH];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (bound, number) = waiting[len];
            let node: &Node<D> = &nodes[number as usize];
            let (least_id, span) = (node.least_id, spans[number as usize]);
            if !visitor.wants(Bounds { compared: bound, least_id, span }) {
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
            for (k, column) in tree.leaves[leaf].iter().enumerate() {
                for (sum, &y) in compared.iter_mut().zip(column) {
                    *sum = A::add(*sum, x[k] - y);
                }
            }
            let lanes = tree.shape.lanes(leaf);
            visitor.visit(&tree.shape.ids[leaf][..lanes], &compared[..lanes]);
        }
    }
}
