//! The forest of a changing graph: what it answers, and the steps that change it.

use kostra_core::{EdgeId, Encoding, Key, Order, OutOfMemory, Total, Vertex, Weight, WeightType};

use crate::edge_table::{EdgeTable, Membership};
use crate::link_cut::LinkCut;
use crate::tours::Tours;
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
    /// Made when an edge of the forest is deleted, and dropped when a batch is solved as a whole.
    pub(crate) tours: Option<Tours<Rank<W>>>,
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
            paths: LinkCut::new(vertices as u32)?,
            vertices: vertices as u32,
            encoding,
            present: 0,
            forest_edges: 0,
            oldest: 0,
            changed: Vec::new(),
            entered: Vec::new(),
            left: Vec::new(),
            tours: None,
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
        if let Some(tours) = &mut self.tours {
            tours.link(u, v, node);
        }
        self.table.set_state(id, Membership::Forest(node));
        self.forest_edges += 1;
        self.changed.push(id);
    }

    /// Takes an edge out of the forest, to become `state`.
    pub(crate) fn leave(&mut self, id: EdgeId, node: u32, state: Membership) {
        let [u, v] = self.table.get(id).ends;
        self.paths.cut(node, u, v);
        if let Some(tours) = &mut self.tours {
            tours.cut(node);
        }
        self.table.set_state(id, state);
        self.forest_edges -= 1;
        self.changed.push(id);
    }

    /// Lets an edge outside the forest, which the tours do not have, enter the forest if it is
    /// better than the worst edge of the cycle that it closes, which leaves (cycle property).
    pub(crate) fn offer(&mut self, id: EdgeId) {
        let edge = *self.table.get(id);
        if edge.state == Membership::Loop {
            return;
        }
        let rank = self.table.rank(id);
        let worst = self.paths.path_maximum(edge.ends[0], edge.ends[1]);
        if worst.is_none_or(|worst| rank < worst) {
            if let Some(worst) = worst {
                let worst = W::Key::rank_id(worst);
                let Membership::Forest(node) = self.table.get(worst).state else {
                    unreachable!("all edges of paths are in the forest")
                };
                self.leave(worst, node, Membership::NonForest);
            }
            self.enter(id);
        }
        // One edge more is outside the forest, unless the new one joined two trees.
        if let (Some(tours), Some(worst)) = (&mut self.tours, worst) {
            let outside = worst.max(rank);
            tours.insert(self.table.get(W::Key::rank_id(outside)).ends, outside);
        }
    }

    /// After an edge between `u` and `v` has left: lets the best edge between the two trees enter
    /// (cut property). Needs the tours. Returns how much was searched.
    pub(crate) fn replace(&mut self, [u, v]: [Vertex; 2]) -> usize {
        let tours = self.tours.as_mut().expect("deletions make the tours");
        let search = tours.best_between(u, v);
        if let Some(best) = search.best {
            let id = W::Key::rank_id(best);
            tours.remove(self.table.get(id).ends, best);
            self.enter(id);
        }
        search.steps
    }

    /// Makes the tours, if there are none.
    pub(crate) fn make_tours(&mut self) -> Result<(), OutOfMemory> {
        if self.tours.is_some() {
            return Ok(());
        }
        let edges = self.edges_from_roots();
        let table = &self.table;
        let forest = edges.iter().map(|&(id, upper)| {
            let edge = table.get(id);
            let Membership::Forest(node) = edge.state else { unreachable!("it is in the forest") };
            (upper, edge.other(upper), node)
        });
        let others = (self.oldest..table.edges.len() as EdgeId)
            .filter(|&id| table.get(id).state == Membership::NonForest)
            .map(|id| (table.get(id).ends, table.rank(id)));
        self.tours = Some(Tours::new(self.vertices, forest, others)?);
        Ok(())
    }

    /// Makes the candidates in `forest` the edges of the forest; they must be its canonical edges.
    pub(crate) fn set_forest(
        &mut self,
        candidates: &[EdgeId],
        mut is_forest: impl FnMut(usize) -> bool,
    ) {
        self.tours = None;
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
            self.table.set_state(id, Membership::Forest(node));
        }
    }

    /// The edges of the forest, each with its upper end, as depth-first searches from the lowest
    /// vertices of the trees meet them. O(vertices + edges ever inserted).
    fn edges_from_roots(&self) -> Vec<(EdgeId, Vertex)> {
        let ids = self.ids();
        // The edges at each vertex, one vertex after another.
        let mut ends = vec![0_usize; self.vertices as usize + 1];
        for &id in &ids {
            for end in self.table.get(id).ends {
                ends[end as usize] += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut at_vertices = vec![0; sum];
        for &id in ids.iter().rev() {
            for end in self.table.get(id).ends {
                ends[end as usize] -= 1;
                at_vertices[ends[end as usize]] = id;
            }
        }
        let at = |vertex: Vertex| {
            at_vertices[ends[vertex as usize]..ends[vertex as usize + 1]].iter().rev()
        };
        let mut edges: Vec<(EdgeId, Vertex)> = Vec::with_capacity(ids.len());
        let mut is_lower = vec![false; self.vertices as usize];
        let mut waiting = Vec::new();
        for root in 0..self.vertices {
            if is_lower[root as usize] {
                continue;
            }
            waiting.extend(at(root).map(|&id| (id, root)));
            while let Some((id, upper)) = waiting.pop() {
                edges.push((id, upper));
                let lower = self.table.get(id).other(upper);
                is_lower[lower as usize] = true;
                waiting.extend(at(lower).filter(|&&other| other != id).map(|&id| (id, lower)));
            }
        }
        edges
    }
}
