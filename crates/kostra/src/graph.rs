//! Graphs as users build them.

use std::sync::Arc;

use kostra_core::{
    AnyGraph, EdgeId, EdgeList, GraphError, OutOfMemory, Vertex, WeightType, memory, with_graph,
};
use thiserror::Error;

use crate::{EdgeWeight, Number};

/// A weighted graph. A clone shares the memory of the graph.
///
/// Vertices are numbered from 0, and the id of an edge is its position in the input. Parallel
/// edges, self-loops, isolated vertices and negative weights are allowed.
///
/// ```
/// use kostra::Graph;
///
/// let graph = Graph::from_edges([(0, 1, 0.5), (1, 2, -1.0), (2, 0, 0.5)])?;
/// assert_eq!((graph.vertex_count(), graph.edge_count()), (3, 3));
/// for (id, u, v, weight) in graph.edges() {
///     println!("edge {id} joins {u} and {v} and has weight {weight}");
/// }
/// # Ok::<(), kostra::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph(Arc<AnyGraph>);

/// The reason why a [`Graph`] cannot be built.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The edges are not a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An edge names a vertex that no graph has.
    #[error("there is no vertex {vertex}; vertices are numbered from 0, in 32 bits")]
    NoVertex {
        /// The number.
        vertex: i128,
    },
    /// The system does not grant the memory.
    #[error("the graph cannot be built: {0}")]
    OutOfMemory(#[from] OutOfMemory),
}

/// An edge: a tuple of two vertices and a weight, or a reference to it.
pub trait IntoEdge {
    /// The type of the weight.
    type Weight: EdgeWeight;

    /// The ends and the weight.
    ///
    /// # Errors
    /// The number of a vertex that no graph has.
    fn into_edge(self) -> Result<(Vertex, Vertex, Self::Weight), i128>;
}

/// An integer that numbers a vertex.
pub trait VertexNumber: Copy + TryInto<Vertex> + TryInto<i128> {}

impl VertexNumber for u32 {}
impl VertexNumber for i32 {}
impl VertexNumber for u64 {}
impl VertexNumber for i64 {}
impl VertexNumber for usize {}

/// The vertex with this number, or the number.
fn vertex<V: VertexNumber>(number: V) -> Result<Vertex, i128> {
    number.try_into().map_err(|_| number.try_into().unwrap_or(i128::MAX))
}

impl<V: VertexNumber, W: EdgeWeight> IntoEdge for (V, V, W) {
    type Weight = W;

    fn into_edge(self) -> Result<(Vertex, Vertex, W), i128> {
        let (u, v, weight) = self;
        Ok((vertex(u)?, vertex(v)?, weight))
    }
}

impl<V: VertexNumber, W: EdgeWeight> IntoEdge for &(V, V, W) {
    type Weight = W;

    fn into_edge(self) -> Result<(Vertex, Vertex, W), i128> {
        (*self).into_edge()
    }
}

impl Graph {
    /// The graph with these edges `(u, v, weight)`. Its vertices are those from 0 to the highest
    /// that an edge names.
    ///
    /// ```
    /// use kostra::Graph;
    ///
    /// let roads: Vec<(u32, u32, u64)> = vec![(0, 1, 205), (1, 2, 170)];
    /// let graph = Graph::from_edges(&roads)?;
    /// assert_eq!(graph.weights(), Some(&[205_u64, 170][..]));
    /// let indices: Vec<(usize, usize, f64)> = vec![(0, 1, 20.5)];
    /// assert_eq!(Graph::from_edges(indices)?.vertex_count(), 2);
    /// assert!(Graph::from_edges([(0, -1, 20.5)]).is_err());
    /// # Ok::<(), kostra::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// When a weight is NaN, a vertex is negative, the graph is too large for 32-bit numbers, or
    /// the system does not grant the memory.
    pub fn from_edges<E: IntoEdge>(edges: impl IntoIterator<Item = E>) -> Result<Self, BuildError> {
        let arrays = Arrays::collect(edges)?;
        let highest = arrays.u.iter().chain(&arrays.v).max();
        let vertices = highest.map_or(0, |&highest| highest as usize + 1);
        arrays.build(vertices)
    }

    /// The graph with the vertices `0..vertices` and these edges `(u, v, weight)`. It may have
    /// isolated vertices.
    ///
    /// ```
    /// let graph = kostra::Graph::with_vertices(5, [(0, 1, 7)])?;
    /// assert_eq!(kostra::minimum_spanning_forest(&graph).component_count(), 4);
    /// # Ok::<(), kostra::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_edges`](Self::from_edges), and when an edge names a vertex that is not below
    /// `vertices`.
    pub fn with_vertices<E: IntoEdge>(
        vertices: usize,
        edges: impl IntoIterator<Item = E>,
    ) -> Result<Self, BuildError> {
        Arrays::collect(edges)?.build(vertices)
    }

    /// The graph whose edge `i` joins `u[i]` and `v[i]` and has the weight `weights[i]`. The arrays
    /// are not copied.
    ///
    /// ```
    /// let graph = kostra::Graph::from_arrays(3, vec![0, 1], vec![1, 2], vec![1.5_f32, 2.5])?;
    /// assert_eq!(graph.edge_count(), 2);
    /// # Ok::<(), kostra::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_vertices`](Self::with_vertices), and when the arrays differ in length.
    pub fn from_arrays<W: EdgeWeight>(
        vertices: usize,
        u: Vec<Vertex>,
        v: Vec<Vertex>,
        weights: Vec<W>,
    ) -> Result<Self, BuildError> {
        Arrays { u, v, weights }.build(vertices)
    }

    /// As [`from_arrays`](Self::from_arrays), with arrays that are copied.
    ///
    /// ```
    /// let graph = kostra::Graph::from_slices(3, &[0, 1], &[1, 2], &[7, -7])?;
    /// assert_eq!(graph.edge_count(), 2);
    /// # Ok::<(), kostra::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_arrays`](Self::from_arrays).
    pub fn from_slices<W: EdgeWeight>(
        vertices: usize,
        u: &[Vertex],
        v: &[Vertex],
        weights: &[W],
    ) -> Result<Self, BuildError> {
        let (u, v) = (memory::copied(u)?, memory::copied(v)?);
        Self::from_arrays(vertices, u, v, memory::copied(weights)?)
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> u32 {
        self.0.vertices()
    }

    /// The number of edges, self-loops and parallel edges included.
    pub fn edge_count(&self) -> usize {
        self.0.edges()
    }

    /// The type of the weights.
    pub fn weight_type(&self) -> WeightType {
        self.0.weight_type()
    }

    /// The edges in input order: id, both ends, and weight.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = (EdgeId, Vertex, Vertex, Number)> + '_ {
        self.picked(0..self.edge_count() as EdgeId)
    }

    /// The edge with this id, or `None` if the graph has no such edge.
    pub fn edge(&self, id: EdgeId) -> Option<(EdgeId, Vertex, Vertex, Number)> {
        (id as usize).lt(&self.edge_count()).then(|| self.at(id))
    }

    /// The first ends, indexed by edge id.
    pub fn u(&self) -> &[Vertex] {
        self.0.u()
    }

    /// The second ends, indexed by edge id.
    pub fn v(&self) -> &[Vertex] {
        self.0.v()
    }

    /// The weights, indexed by edge id, or `None` if they are of another type.
    pub fn weights<W: EdgeWeight>(&self) -> Option<&[W]> {
        W::weights(&self.0)
    }

    /// The graph for [low-level](crate::low_level) functions.
    pub fn as_any(&self) -> &AnyGraph {
        &self.0
    }

    /// The edges with these ids, which are in range.
    pub(crate) fn picked<'a>(
        &'a self,
        ids: impl ExactSizeIterator<Item = EdgeId> + 'a,
    ) -> impl ExactSizeIterator<Item = (EdgeId, Vertex, Vertex, Number)> + 'a {
        ids.map(|id| self.at(id))
    }

    fn at(&self, id: EdgeId) -> (EdgeId, Vertex, Vertex, Number) {
        let edge = id as usize;
        let weight = with_graph!(self.as_any(), graph => graph.edge_list().weights()[edge].into());
        (id, self.u()[edge], self.v()[edge], weight)
    }
}

impl AsRef<AnyGraph> for Graph {
    fn as_ref(&self) -> &AnyGraph {
        &self.0
    }
}

impl From<AnyGraph> for Graph {
    fn from(graph: AnyGraph) -> Self {
        Self(Arc::new(graph))
    }
}

/// The three arrays of an edge list.
struct Arrays<W> {
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    weights: Vec<W>,
}

impl<W: EdgeWeight> Arrays<W> {
    fn collect<E: IntoEdge<Weight = W>>(
        edges: impl IntoIterator<Item = E>,
    ) -> Result<Self, BuildError> {
        let edges = edges.into_iter();
        let least = edges.size_hint().0;
        let mut arrays = Self {
            u: memory::with_capacity(least)?,
            v: memory::with_capacity(least)?,
            weights: memory::with_capacity(least)?,
        };
        for edge in edges {
            let edge = edge.into_edge();
            let (u, v, weight) = edge.map_err(|vertex| BuildError::NoVertex { vertex })?;
            memory::push(&mut arrays.u, u)?;
            memory::push(&mut arrays.v, v)?;
            memory::push(&mut arrays.weights, weight)?;
        }
        Ok(arrays)
    }

    fn build(self, vertices: usize) -> Result<Graph, BuildError> {
        let list = EdgeList::new(vertices, self.u, self.v, self.weights)?;
        Ok(W::graph(list).into())
    }
}

/// Edges keep their indices: edge `i` of the result is the edge with index `i`.
///
/// ```
/// use kostra::Graph;
/// use petgraph::graph::UnGraph;
///
/// let roads = UnGraph::<(), f64>::from_edges([(0, 1, 2.0), (1, 2, 1.0), (0, 2, 1.5)]);
/// let forest = kostra::minimum_spanning_forest(&Graph::try_from(&roads)?);
/// assert_eq!(forest.ids(), [1, 2]);
/// # Ok::<(), kostra::BuildError>(())
/// ```
#[cfg(feature = "petgraph")]
impl<N, W, D, I> TryFrom<&petgraph::Graph<N, W, D, I>> for Graph
where
    W: EdgeWeight,
    D: petgraph::EdgeType,
    I: petgraph::graph::IndexType,
{
    type Error = BuildError;

    /// # Errors
    /// As [`Graph::from_edges`].
    fn try_from(graph: &petgraph::Graph<N, W, D, I>) -> Result<Self, BuildError> {
        let vertices = graph.node_count();
        if vertices > kostra_core::MAX_VERTICES {
            return Err(GraphError::TooManyVertices { vertices: vertices as u64 }.into());
        }
        let number = |node: petgraph::graph::NodeIndex<I>| node.index() as Vertex;
        let edges = graph.raw_edges().iter();
        Self::with_vertices(
            vertices,
            edges.map(|edge| (number(edge.source()), number(edge.target()), edge.weight)),
        )
    }
}
