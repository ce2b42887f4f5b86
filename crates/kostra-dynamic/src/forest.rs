//! The forest of a changing graph: what it answers, and the steps that change it.

use kostra_core::{EdgeId, Encoding, Key, Order, Total, Vertex, Weight, WeightType, memory};

use crate::edge_table::{EdgeTable, Membership};
use crate::link_cut::LinkCut;
use crate::{MAX_VERTICES, UpdateError};

/// The rank of an edge with weights `W`.
pub(crate) type Rank<W> = <<W as Weight>::Key as Key>::Rank;

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
/// | insert an edge | O(log n) amortized |
/// | delete or reweight an edge outside the forest | O(1), O(log n) amortized |
/// | delete an edge of the forest, or make it worse | O(log n + s) amortized, for s edges at the smaller of the two trees that remain |
/// | [`bottleneck`](Self::bottleneck), [`connected`](Self::connected), [`component_size`](Self::component_size) | O(log n) amortized |
///
/// So a deletion takes O(n + m) at worst. A large batch is solved again as a whole, which is faster
/// from a measured size on.
///
/// Memory: about 50 bytes per edge that was ever inserted, 60 per vertex and 48 per edge of the
/// forest; more for weights of 64 bits.
pub struct DynamicForest<W: Weight> {
    pub(crate) table: EdgeTable<W>,
    pub(crate) paths: LinkCut<Rank<W>>,
    pub(crate) vertices: u32,
    pub(crate) encoding: Encoding<W::Key>,
    /// The number of present edges.
    pub(crate) present: usize,
    forest_edges: u32,
    /// Every edge below this id is absent.
    pub(crate) oldest: EdgeId,
    /// The edges that entered or left the forest in the last batch, once per change.
    pub(crate) changed: Vec<EdgeId>,
    pub(crate) entered: Vec<EdgeId>,
    pub(crate) left: Vec<EdgeId>,
    /// Which vertices the search for a replacement has visited; all false between searches.
    visited: Vec<bool>,
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
            table: EdgeTable::new(vertices as u32, encoding)?,
            paths: LinkCut::new(vertices as u32)?,
            vertices: vertices as u32,
            encoding,
            present: 0,
            forest_edges: 0,
            oldest: 0,
            changed: Vec::new(),
            entered: Vec::new(),
            left: Vec::new(),
            visited: memory::filled(vertices, false)?,
        })
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The number of present edges.
    pub fn edges(&self) -> usize {
        self.present
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
        match self.table.edges.get(id as usize) {
            Some(edge) if edge.state != Membership::Absent => {
                Ok((edge.ends[0], edge.ends[1], edge.weight))
            }
            _ => Err(UpdateError::NotPresent { edge: id }),
        }
    }

    /// The ids of the forest's edges, ascending. O(edges ever inserted).
    pub fn ids(&self) -> Vec<EdgeId> {
        self.ids_where(|state| matches!(state, Membership::Forest(_)))
    }

    /// The ids of all present edges, ascending. O(edges ever inserted).
    pub fn present_ids(&self) -> Vec<EdgeId> {
        self.ids_where(|state| state != Membership::Absent)
    }

    fn ids_where(&self, wanted: impl Fn(Membership) -> bool) -> Vec<EdgeId> {
        (self.oldest..self.table.edges.len() as EdgeId)
            .filter(|&id| wanted(self.table.get(id).state))
            .collect()
    }

    /// The sum of the forest's weights: exact for integers, compensated in ascending id for floats.
    /// O(edges ever inserted).
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
        Ok(s == t || self.paths.path_maximum(s, t).is_some())
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
        let worst = if s == t { None } else { self.paths.path_maximum(s, t) };
        Ok(worst.map(W::Key::rank_id))
    }

    /// The number of vertices of a vertex's component.
    ///
    /// # Errors
    /// When the graph does not have the vertex.
    pub fn component_size(&mut self, vertex: Vertex) -> Result<u32, UpdateError> {
        self.check_vertex(vertex)?;
        Ok(self.paths.tree_size(vertex))
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

    /// Adds an edge to the forest. It must join two trees.
    fn enter(&mut self, id: EdgeId) {
        let [u, v] = self.table.get(id).ends;
        let node = self.paths.link(u, v, self.table.rank(id));
        self.table.set_state(id, Membership::Forest(node));
        self.forest_edges += 1;
        self.changed.push(id);
    }

    /// Takes an edge out of the forest, to become `state`.
    pub(crate) fn leave(&mut self, id: EdgeId, node: u32, state: Membership) {
        let [u, v] = self.table.get(id).ends;
        self.paths.cut(node, u, v);
        self.table.set_state(id, state);
        self.forest_edges -= 1;
        self.changed.push(id);
    }

    /// Lets an edge outside the forest enter it if it is better than the worst edge of the cycle
    /// that it closes, which leaves (cycle property).
    pub(crate) fn offer(&mut self, id: EdgeId) {
        let edge = *self.table.get(id);
        if edge.state == Membership::Loop {
            return;
        }
        if let Some(worst) = self.paths.path_maximum(edge.ends[0], edge.ends[1]) {
            if worst < self.table.rank(id) {
                return;
            }
            let worst = W::Key::rank_id(worst);
            let Membership::Forest(node) = self.table.get(worst).state else {
                unreachable!("all edges of paths are in the forest")
            };
            self.leave(worst, node, Membership::NonForest);
        }
        self.enter(id);
    }

    /// After an edge between `u` and `v` has left: lets the best edge between the two trees enter
    /// (cut property). Visits the smaller tree and its edges, and returns their number.
    pub(crate) fn replace(&mut self, [u, v]: [Vertex; 2]) -> usize {
        let smaller = if self.paths.tree_size(u) <= self.paths.tree_size(v) { u } else { v };
        let mut tree = vec![smaller];
        self.visited[smaller as usize] = true;
        let (mut next, mut steps) = (0, 0);
        while let Some(&vertex) = tree.get(next) {
            next += 1;
            for id in self.table.forest_edges(vertex) {
                steps += 1;
                let other = self.table.get(id).other(vertex);
                if !std::mem::replace(&mut self.visited[other as usize], true) {
                    tree.push(other);
                }
            }
        }
        let mut best: Option<Rank<W>> = None;
        for &vertex in &tree {
            for id in self.table.other_edges(vertex) {
                steps += 1;
                let rank = self.table.rank(id);
                if best.is_none_or(|best| rank < best)
                    && !self.visited[self.table.get(id).other(vertex) as usize]
                {
                    best = Some(rank);
                }
            }
        }
        for vertex in tree {
            self.visited[vertex as usize] = false;
        }
        if let Some(best) = best {
            self.enter(W::Key::rank_id(best));
        }
        steps
    }

    /// Makes the candidates in `forest` the edges of the forest; they must be its canonical edges.
    pub(crate) fn set_forest(
        &mut self,
        candidates: &[EdgeId],
        mut is_forest: impl FnMut(usize) -> bool,
    ) {
        self.forest_edges = 0;
        for (position, &id) in candidates.iter().enumerate() {
            let is_in = is_forest(position);
            let was_in = matches!(self.table.get(id).state, Membership::Forest(_));
            self.forest_edges += u32::from(is_in);
            if is_in != was_in {
                // Its node is set below.
                let state = if is_in { Membership::Forest(0) } else { Membership::NonForest };
                self.table.set_state(id, state);
                self.changed.push(id);
            }
        }
        let edges = self.edges_from_roots();
        let ranked = edges
            .iter()
            .map(|&(id, upper)| (upper, self.table.get(id).other(upper), self.table.rank(id)));
        let nodes = self.paths.rebuild(self.vertices, ranked);
        for ((id, _), node) in edges.into_iter().zip(nodes) {
            self.table.edges[id as usize].state = Membership::Forest(node);
        }
    }

    /// The edges of the forest from the roots of the trees down, each with its upper end.
    fn edges_from_roots(&mut self) -> Vec<(EdgeId, Vertex)> {
        let mut edges: Vec<(EdgeId, Vertex)> = Vec::with_capacity(self.forest_edges as usize);
        let mut next = 0;
        for root in 0..self.vertices {
            if std::mem::replace(&mut self.visited[root as usize], true) {
                continue;
            }
            let mut upper = root;
            loop {
                for id in self.table.forest_edges(upper) {
                    let lower = self.table.get(id).other(upper);
                    if !std::mem::replace(&mut self.visited[lower as usize], true) {
                        edges.push((id, upper));
                    }
                }
                let Some(&(id, parent)) = edges.get(next) else { break };
                upper = self.table.get(id).other(parent);
                next += 1;
            }
        }
        self.visited.fill(false);
        edges
    }
}
