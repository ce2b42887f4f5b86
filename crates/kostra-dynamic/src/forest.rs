//! The forest of a changing graph: what it answers, and the steps that change it.

use std::ops::Range;

use kostra_core::{
    EdgeId, Encoding, Key, Order, OutOfMemory, Total, Vertex, Weight, WeightType, memory,
};
use kostra_cpu::radix_sort_by_key;

use crate::bottleneck_tree::{BottleneckTree, Grown};
use crate::changing_trees::ChangingTrees;
use crate::edge_table::{EdgeTable, Membership};
use crate::plan::Plan;
use crate::trees::{Rank, Trees};
use crate::{MAX_VERTICES, UpdateError};

/// A graph that changes, and its canonical forest.
///
/// An edge keeps its id from its insertion to its deletion. Ids ascend in the order of insertion
/// and are never used again, so among equal weights the edge that was inserted first wins. A
/// reweighted edge keeps its id.
///
/// For n vertices, m present edges, and updates in small batches:
///
/// | operation | time |
/// |---|---|
/// | insert an edge | O(log n) amortized, in expectation |
/// | delete or reweight an edge outside the forest | O(log n) amortized |
/// | delete an edge of the forest, or make it worse | O(log n + s) amortized, for s vertices of the smaller of the two trees that remain and edges outside the forest at them |
/// | [`bottleneck`](Self::bottleneck), [`connected`](Self::connected), [`component_size`](Self::component_size) | O(log n) amortized |
///
/// So a deletion takes O(n + m) at worst. The search for a replacement skips blocks of edges that
/// are worse than the best one so far. A large batch is solved as a whole, from a measured size on.
/// This leaves no trees. Small batches are solved as well, until trees would have saved as much
/// time as making them takes, in O(n log n) for insertions and O(n + m) for deletions. The first
/// query after a solve makes trees, too.
///
/// Memory: 16 bytes per present edge, up to four times as many while most edges are deleted. Trees
/// for insertions and queries take 20 per vertex; those for edges that leave take 130 per vertex
/// and 32 per edge outside the forest. More for weights of 64 bits.
pub struct DynamicForest<W: Weight> {
    pub(crate) table: EdgeTable<W>,
    pub(crate) trees: Trees<Rank<W>>,
    pub(crate) vertices: u32,
    pub(crate) encoding: Encoding<W::Key>,
    /// The number of present edges.
    pub(crate) present: usize,
    forest_edges: u32,
    pub(crate) plan: Plan,
    /// The edges that entered or left the forest in the last batch, once per change.
    pub(crate) changed: Vec<EdgeId>,
    pub(crate) entered: Vec<EdgeId>,
    pub(crate) left: Vec<EdgeId>,
}

impl<W: Weight> DynamicForest<W> {
    /// A graph without edges.
    ///
    /// # Errors
    /// When `vertices` is above [`MAX_VERTICES`], or the system refuses memory.
    pub fn new(vertices: usize, order: Order) -> Result<Self, UpdateError> {
        if vertices > MAX_VERTICES {
            return Err(UpdateError::TooManyVertices { vertices });
        }
        let encoding = Encoding::new::<W>(order);
        Ok(Self {
            table: EdgeTable::new(encoding),
            trees: Trees::Growing(BottleneckTree::new(vertices as u32, &[])?),
            vertices: vertices as u32,
            encoding,
            present: 0,
            forest_edges: 0,
            plan: Plan::default(),
            changed: Vec::new(),
            entered: Vec::new(),
            left: Vec::new(),
        })
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// Adds isolated vertices, and returns their numbers. The next ones are used.
    /// O(1) amortized per vertex while edges only enter; trees for edges that leave are made again
    /// for a quarter more vertices, from time to time, in O(n + m).
    ///
    /// # Errors
    /// When there would be more than [`MAX_VERTICES`], or the system refuses memory.
    pub fn add_vertices(&mut self, count: usize) -> Result<Range<Vertex>, UpdateError> {
        let vertices = count.saturating_add(self.vertices as usize);
        if vertices > MAX_VERTICES {
            return Err(UpdateError::TooManyVertices { vertices });
        }
        match &mut self.trees {
            Trees::Growing(tree) => tree.add_vertices(count)?,
            Trees::Changing(trees) if trees.capacity < vertices as u32 => {
                let capacity = (vertices + vertices / 4).min(MAX_VERTICES);
                **trees = ChangingTrees::new(capacity as u32, &mut self.table)?;
            }
            Trees::None => BottleneckTree::<Rank<W>>::check_memory(vertices)?,
            Trees::Changing(_) => {}
        }
        let first = std::mem::replace(&mut self.vertices, vertices as u32);
        self.finish_batch();
        Ok(first..vertices as u32)
    }

    /// The number of present edges.
    pub fn edges(&self) -> usize {
        self.present
    }

    /// The id of the next edge: the number of edges that were ever inserted.
    pub fn next_id(&self) -> EdgeId {
        self.table.next_id() as EdgeId
    }

    /// The type of the weights.
    pub fn weight_type(&self) -> WeightType {
        W::TYPE
    }

    /// Whether low or high weights are better.
    pub fn order(&self) -> Order {
        self.encoding.order()
    }

    /// The ends and the weight of an edge.
    ///
    /// # Errors
    /// When the edge is not present.
    pub fn edge(&self, id: EdgeId) -> Result<(Vertex, Vertex, W), UpdateError> {
        let edge = self.table.find(id).ok_or(UpdateError::NotPresent { edge: id })?;
        Ok((edge.ends[0], edge.ends[1], edge.weight))
    }

    /// The ids of the forest's edges, ascending. O(present edges).
    pub fn ids(&self) -> Vec<EdgeId> {
        self.table.forest().collect()
    }

    /// The ids of all present edges, ascending. O(present edges).
    pub fn present_ids(&self) -> Vec<EdgeId> {
        self.table.present().collect()
    }

    /// The sum of the forest's weights: exact for integers, compensated in ascending id for floats.
    /// O(present edges).
    pub fn total(&self) -> Total {
        let ids = self.ids();
        W::total(ids.into_iter().map(|id| self.table.get(id).weight))
    }

    /// The number of components, isolated vertices included. O(1).
    pub fn components(&self) -> u32 {
        self.vertices - self.forest_edges
    }

    /// Whether a path joins two vertices.
    ///
    /// # Errors
    /// When the graph does not have one of the vertices.
    pub fn connected(&mut self, s: Vertex, t: Vertex) -> Result<bool, UpdateError> {
        self.check_vertex(s)?;
        self.check_vertex(t)?;
        Ok(s == t || self.path_maximum(s, t)?.is_some())
    }

    /// The id of the worst edge on the path between two vertices in the forest: the last one in
    /// canonical order. Its weight is the best bottleneck of all paths. Nothing if the vertices are
    /// equal, or if no path joins them.
    ///
    /// # Errors
    /// When the graph does not have one of the vertices.
    pub fn bottleneck(&mut self, s: Vertex, t: Vertex) -> Result<Option<EdgeId>, UpdateError> {
        self.check_vertex(s)?;
        self.check_vertex(t)?;
        let worst = if s == t { None } else { self.path_maximum(s, t)? };
        Ok(worst.map(W::Key::rank_id))
    }

    /// The number of vertices of a vertex's component.
    ///
    /// # Errors
    /// When the graph does not have the vertex.
    pub fn component_size(&mut self, vertex: Vertex) -> Result<u32, UpdateError> {
        self.check_vertex(vertex)?;
        Ok(match &mut self.trees {
            Trees::None => self.grow()?.tree_size(vertex),
            Trees::Growing(tree) => tree.tree_size(vertex),
            Trees::Changing(trees) => trees.paths.tree_size(vertex),
        })
    }

    /// The edges that the last batch brought into the forest, ascending.
    pub fn entered(&self) -> &[EdgeId] {
        &self.entered
    }

    /// The edges that the last batch took out of the forest, ascending. Some may be deleted.
    pub fn left(&self) -> &[EdgeId] {
        &self.left
    }

    fn check_vertex(&self, vertex: Vertex) -> Result<(), UpdateError> {
        if vertex < self.vertices {
            return Ok(());
        }
        Err(UpdateError::NoVertex { vertex, vertices: self.vertices })
    }

    /// The worst rank between two different vertices, or nothing if no path joins them.
    fn path_maximum(&mut self, s: Vertex, t: Vertex) -> Result<Option<Rank<W>>, OutOfMemory> {
        Ok(match &mut self.trees {
            Trees::None => self.grow()?.path_maximum(s, t),
            Trees::Growing(tree) => tree.path_maximum(s, t),
            Trees::Changing(trees) => trees.paths.path_maximum(s, t),
        })
    }

    /// Makes the tree of a growing forest, where there are no trees. O(present edges + n log n).
    pub(crate) fn grow(&mut self) -> Result<&mut BottleneckTree<Rank<W>>, OutOfMemory> {
        let mut edges = memory::with_capacity(self.forest_edges as usize)?;
        edges.extend(self.table.forest().map(|id| (self.table.rank(id), self.table.get(id).ends)));
        let mut spare = memory::copied(&edges)?;
        let key = |(rank, _): (Rank<W>, _)| W::Key::rank_key(rank).to_u64();
        let edges = radix_sort_by_key(&mut edges, &mut spare, key);
        self.has_grown();
        self.trees = Trees::Growing(BottleneckTree::new(self.vertices, edges)?);
        match &mut self.trees {
            Trees::Growing(tree) => Ok(tree),
            _ => unreachable!("it was made"),
        }
    }

    /// The trees from which edges can leave. O(vertices + edges) if there are none.
    pub(crate) fn changing(&mut self) -> Result<&mut ChangingTrees<Rank<W>>, OutOfMemory> {
        if !matches!(self.trees, Trees::Changing(_)) {
            let trees = ChangingTrees::new(self.vertices, &mut self.table)?;
            self.trees = Trees::Changing(Box::new(trees));
        }
        match &mut self.trees {
            Trees::Changing(trees) => Ok(trees),
            _ => unreachable!("they were made"),
        }
    }

    /// Records that an edge has entered the forest.
    pub(crate) fn entered_as(&mut self, id: EdgeId, node: u32) {
        self.table.set_state(id, Membership::Forest(node));
        self.forest_edges += 1;
        self.changed.push(id);
    }

    /// Records that an edge has left the forest, to become `state`.
    pub(crate) fn left_as(&mut self, id: EdgeId, state: Membership) {
        self.table.set_state(id, state);
        self.forest_edges -= 1;
        self.changed.push(id);
    }

    /// Lets an edge outside the forest, which the trees do not know, enter the forest if it is
    /// better than the worst edge of the cycle that it closes, which leaves (cycle property).
    /// Returns the worst edge of the cycle, or nothing if it closes none.
    pub(crate) fn offer(&mut self, id: EdgeId) -> Option<EdgeId> {
        let edge = self.table.get(id);
        if edge.state == Membership::Loop {
            return Some(id);
        }
        let rank = self.table.rank(id);
        let (outside, node) = match &mut self.trees {
            Trees::None => unreachable!("a batch that is not solved has trees"),
            Trees::Growing(tree) => match tree.insert(edge.ends, rank) {
                Grown::Joined => (None, 0),
                Grown::Left(worst) => (Some(worst), 0),
            },
            Trees::Changing(trees) => {
                let worst = trees.paths.path_maximum(edge.ends[0], edge.ends[1]);
                let outside = worst.map(|worst| worst.max(rank));
                if let Some(outside) = outside {
                    let leaving = self.table.get(W::Key::rank_id(outside));
                    if let Membership::Forest(node) = leaving.state {
                        trees.cut(node, leaving.ends);
                    }
                    trees.tours.insert(leaving.ends, outside);
                }
                let enters = outside != Some(rank);
                (outside, if enters { trees.link(edge.ends, rank) } else { 0 })
            }
        };
        let outside = outside.map(W::Key::rank_id);
        if outside != Some(id) {
            if let Some(worst) = outside {
                self.left_as(worst, Membership::NonForest);
            }
            self.entered_as(id, node);
        }
        outside
    }

    /// Takes an edge out of the forest, to become `state`, and lets the best edge between the two
    /// trees enter (cut property), perhaps itself.
    pub(crate) fn replace(&mut self, id: EdgeId, state: Membership) -> Result<(), OutOfMemory> {
        let Membership::Forest(node) = self.table.state(id) else { return Ok(()) };
        let (ends, rank) = (self.table.get(id).ends, self.table.rank(id));
        let trees = self.changing()?;
        trees.cut(node, ends);
        if state == Membership::NonForest {
            trees.tours.insert(ends, rank);
        }
        let search = trees.tours.best_between(ends[0], ends[1]);
        self.plan.searches += 1;
        self.plan.search_steps += search.steps;
        self.left_as(id, state);
        if let Some(best) = search.best {
            let id = W::Key::rank_id(best);
            let ends = self.table.get(id).ends;
            let trees = self.changing()?;
            trees.tours.remove(ends, best);
            let node = trees.link(ends, best);
            self.entered_as(id, node);
        }
        Ok(())
    }
}
