//! A rank's part of a distributed graph: a slice, which is a contiguous range of the edges in input
//! order.
//!
//! Inside a rank, a slice is an ordinary graph whose vertices have 32-bit local ids, so the solvers
//! for one machine work on it unchanged. Global vertex ids and edge ids have 64 bits. Positions in
//! a slice ascend with the edge ids, and local ids ascend with the global ids. So the order of a
//! rank's edges is their order in the whole graph.

use std::ops::Range;
use std::sync::Arc;

use kostra_core::{
    Column, EdgeId, EdgeList, Graph, GraphError, MAX_EDGES, MAX_VERTICES, Order, Vertex, Weight,
    counted,
};
use thiserror::Error;

use super::vertex_map::VertexMap;

/// Why arrays do not form a slice of a graph. Edge ids are ids in the whole graph.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum SliceError {
    /// The three arrays differ in length.
    #[error(
        "the edge arrays differ in length: {}, {}, {}",
        counted(*u, "first end", "first ends"),
        counted(*v, "second end", "second ends"),
        counted(*weights, "weight", "weights")
    )]
    LengthMismatch {
        /// The number of first ends.
        u: usize,
        /// The number of second ends.
        v: usize,
        /// The number of weights.
        weights: usize,
    },
    /// An edge ends at a vertex that the graph does not have.
    #[error(
        "edge {edge} ends at vertex {vertex}, but the graph has {}, numbered from 0",
        counted(*vertices, "vertex", "vertices")
    )]
    EndpointOutOfRange {
        /// The first such edge of the slice.
        edge: u64,
        /// The vertex at which the edge ends.
        vertex: u64,
        /// The number of vertices.
        vertices: u64,
    },
    /// A weight is not a number, so the edges cannot be ordered.
    #[error("edge {edge} has weight NaN; fix it, or pass `--nan skip`")]
    NanWeight {
        /// The first such edge of the slice.
        edge: u64,
    },
    /// More edges than one rank can hold.
    #[error("{edges} edges are more than the {MAX_EDGES} that one rank can hold; use more ranks")]
    TooManyEdges {
        /// The number of edges that the slice would have.
        edges: u64,
    },
    /// More vertices than one rank can number.
    #[error(
        "the edges from {first} on end at more than the {MAX_VERTICES} vertices that one rank can number; use more ranks"
    )]
    TooManyVertices {
        /// The first edge of the slice.
        first: u64,
    },
    /// Another fault, whose ids are those of the slice.
    #[error(transparent)]
    Graph(GraphError),
}

/// This rank's part of a graph.
#[derive(Clone, Debug)]
pub struct Slice<W: Weight> {
    graph: Graph<W>,
    vertex_map: VertexMap,
    /// The same edges between global ids, if the slice was made from such a graph and has other
    /// local ids.
    given: Option<Arc<Graph<W>>>,
    first: u64,
    vertices: u64,
}

impl<W: Weight> Slice<W> {
    /// The slice of a graph with `vertices` vertices whose edges have the ids from `first` on: edge
    /// `first + i` joins `u[i]` and `v[i]`. [`VertexMap::new`] chooses the local ids.
    ///
    /// # Errors
    /// When the arrays differ in length, are too long, or contain a vertex out of range or a NaN.
    pub fn new<E: Copy + Into<u64>>(
        vertices: u64,
        first: u64,
        u: &[E],
        v: &[E],
        weights: impl Into<Column<W>>,
    ) -> Result<Self, SliceError> {
        let weights = weights.into();
        if u.len() != v.len() || u.len() != weights.len() {
            return Err(SliceError::LengthMismatch {
                u: u.len(),
                v: v.len(),
                weights: weights.len(),
            });
        }
        for (edge, (&u, &v)) in (first..).zip(u.iter().zip(v)) {
            let (u, v) = (u.into(), v.into());
            if u.max(v) >= vertices {
                let vertex = if u >= vertices { u } else { v };
                return Err(SliceError::EndpointOutOfRange { edge, vertex, vertices });
            }
        }
        let (vertex_map, u, v) =
            VertexMap::new(vertices, u, v).ok_or(SliceError::TooManyVertices { first })?;
        let edges = EdgeList::new(vertex_map.count(vertices), u, v, weights);
        let edges = edges.map_err(|error| with_global_edge(error, first))?;
        Ok(Self { graph: edges.into(), vertex_map, given: None, first, vertices })
    }

    /// The slice with the vertex ids `id(vertex)` below `vertices`. Copies the edges, whose ids
    /// stay.
    ///
    /// # Errors
    /// As [`Slice::new`], for too many vertices.
    pub fn renumbered(&self, vertices: u64, id: impl Fn(u64) -> u64) -> Result<Self, SliceError> {
        let ends = (0..self.len() as u32).map(|edge| self.ends(edge));
        let (u, v): (Vec<_>, Vec<_>) = ends.map(|(u, v)| (id(u), id(v))).unzip();
        Self::new(vertices, self.first, &u, &v, self.edges().weights().to_vec())
    }

    /// The slice of an edge list between global ids, which become the local ids. Nothing is copied.
    pub fn with_global_ids(first: u64, edges: EdgeList<W>) -> Self {
        let vertices = edges.vertices().into();
        Self { graph: edges.into(), vertex_map: VertexMap::Identity, given: None, first, vertices }
    }

    /// The slice of the edges with the ids from `first` on, whose ends are global ids. If
    /// [`VertexMap::is_identity_for`] accepts these as local ids, nothing is copied. Otherwise the
    /// ends get new local ids, 8 bytes per edge, and `graph` is kept.
    ///
    /// # Errors
    /// As [`Slice::new`], for too many vertices.
    pub fn from_graph(first: u64, graph: impl Into<Graph<W>>) -> Result<Self, SliceError> {
        let graph = graph.into();
        let edges = graph.edge_list();
        let vertices = edges.vertices().into();
        if VertexMap::is_identity_for(vertices, edges.u(), edges.v()) {
            return Ok(Self {
                graph,
                vertex_map: VertexMap::Identity,
                given: None,
                first,
                vertices,
            });
        }
        let given = Arc::new(graph);
        let edges = given.edge_list();
        let weights = Column::shared(Arc::new(WeightsOf(given.clone())));
        let slice = Self::new(vertices, first, edges.u(), edges.v(), weights)?;
        Ok(Self { given: Some(given), ..slice })
    }

    /// The edges in `range` of a graph that this rank holds whole. They are copied. Ids past the
    /// last edge are left out.
    ///
    /// # Errors
    /// As [`Slice::new`].
    pub fn from_range(whole: &EdgeList<W>, range: Range<u64>) -> Result<Self, SliceError> {
        let (start, end) = (range.start as usize, (range.end as usize).min(whole.len()));
        let range = start.min(end)..end;
        Self::from_graph(range.start as u64, whole.range(range))
    }

    /// The edges by local position, between local ids; with rows, for solvers that need them.
    pub fn graph(&self) -> &Graph<W> {
        &self.graph
    }

    /// The edges by local position, between local ids.
    pub fn edges(&self) -> &EdgeList<W> {
        self.graph.edge_list()
    }

    /// The map from local to global ids.
    pub fn vertex_map(&self) -> &VertexMap {
        &self.vertex_map
    }

    /// The edges by local position, between global ids, if these are stored.
    pub(crate) fn global_graph(&self) -> Option<&Graph<W>> {
        match (&self.given, &self.vertex_map) {
            (Some(given), _) => Some(given),
            (None, VertexMap::Identity) => Some(&self.graph),
            (None, VertexMap::Table(_)) => None,
        }
    }

    /// The ends of all edges as global ids, if they are stored.
    pub(crate) fn global_ends(&self) -> Option<[&[Vertex]; 2]> {
        let edges = self.global_graph()?.edge_list();
        Some([edges.u(), edges.v()])
    }

    /// The number of vertices of the whole graph.
    pub fn vertices(&self) -> u64 {
        self.vertices
    }

    /// The id of the first edge of the slice; of an empty slice, the id at which the next one
    /// begins.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The number of edges of the slice.
    pub fn len(&self) -> usize {
        self.edges().len()
    }

    /// Whether the slice has no edges.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of an edge of the slice in the whole graph.
    #[inline]
    pub fn id(&self, edge: EdgeId) -> u64 {
        self.first + u64::from(edge)
    }

    /// Both ends of an edge of the slice, as global ids.
    #[inline]
    pub fn ends(&self, edge: EdgeId) -> (u64, u64) {
        let (u, v) = (self.edges().u()[edge as usize], self.edges().v()[edge as usize]);
        (self.vertex_map.global(u), self.vertex_map.global(v))
    }

    /// The rank of an edge of the slice in the strict total order of the whole graph: its key, then
    /// its id.
    #[inline]
    pub fn rank(&self, edge: EdgeId, order: Order) -> (W::Key, u64) {
        (self.edges().edges(order).key(edge), self.id(edge))
    }
}

/// The weights of a graph that the slice keeps.
struct WeightsOf<W: Weight>(Arc<Graph<W>>);

impl<W: Weight> AsRef<[W]> for WeightsOf<W> {
    fn as_ref(&self) -> &[W] {
        self.0.edge_list().weights()
    }
}

/// The error of a slice's edge list, with edge ids of the whole graph.
fn with_global_edge(error: GraphError, first: u64) -> SliceError {
    match error {
        GraphError::LengthMismatch { u, v, weights } => {
            SliceError::LengthMismatch { u, v, weights }
        }
        GraphError::EndpointOutOfRange { edge, vertex, vertices } => {
            SliceError::EndpointOutOfRange {
                edge: first + u64::from(edge),
                vertex: vertex.into(),
                vertices: vertices.into(),
            }
        }
        GraphError::NanWeight { edge } => SliceError::NanWeight { edge: first + u64::from(edge) },
        GraphError::TooManyVertices { .. } => SliceError::TooManyVertices { first },
        GraphError::TooManyEdges { edges } => SliceError::TooManyEdges { edges },
        error => SliceError::Graph(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: u64 = 1 << 40;

    #[test]
    fn local_order_is_the_order_of_the_whole_graph() {
        let slice =
            Slice::new(2 * FAR, FAR, &[FAR, 7, FAR + 1], &[3, FAR, 7], vec![5, 5, -1]).unwrap();
        assert_eq!(slice.vertex_map(), &VertexMap::Table(vec![3, 7, FAR, FAR + 1]));
        assert_eq!((slice.edges().u(), slice.edges().v()), (&[2, 1, 3][..], &[0, 2, 1][..]));
        assert_eq!((slice.ends(1), slice.id(2)), ((7, FAR), FAR + 2));
        assert!(slice.rank(0, Order::Maximum) < slice.rank(1, Order::Maximum));
        assert_eq!((slice.vertex_map().local(7), slice.vertex_map().local(8)), (Some(1), None));
    }

    #[test]
    fn invalid_arrays_are_refused_with_the_id_in_the_whole_graph() {
        let new =
            |u: &[u64], weights: &[f64]| Slice::new(FAR, 70, u, &[0, 1], weights.to_vec()).err();
        assert_eq!(
            new(&[0], &[0.0, 1.0]),
            Some(SliceError::LengthMismatch { u: 1, v: 2, weights: 2 })
        );
        assert_eq!(new(&[0, 9], &[0.0, f64::NAN]), Some(SliceError::NanWeight { edge: 71 }));
        let outside = SliceError::EndpointOutOfRange { edge: 71, vertex: FAR, vertices: FAR };
        assert_eq!(new(&[0, FAR], &[0.0, 1.0]), Some(outside));
    }

    #[test]
    fn the_slices_of_a_graph_are_the_graph() {
        let n = 10_000_u32; // too many for the identity with so few edges
        let (u, v): (Vec<_>, Vec<_>) = (0..90).map(|i| (i * 37 % n, i * 101 % n)).unzip();
        let whole = EdgeList::new(n as usize, u, v, (0..90).collect::<Vec<i32>>()).unwrap();
        let slices = [0..0, 0..50, 50..90].map(|range| Slice::from_range(&whole, range).unwrap());
        assert!(slices.iter().all(|slice| matches!(slice.vertex_map(), VertexMap::Table(_))));
        let ends =
            slices.iter().flat_map(|slice| (0..slice.len() as u32).map(|edge| slice.ends(edge)));
        let expected = whole.u().iter().zip(whole.v()).map(|(&u, &v)| (u64::from(u), u64::from(v)));
        assert!(ends.eq(expected.clone()) && slices[0].is_empty() && slices[2].first() == 50);
        let slice = Slice::from_graph(7, whole.clone()).unwrap();
        assert!((0..90).map(|edge| slice.ends(edge)).eq(expected) && slice.id(1) == 8);
        assert!(matches!(slice.vertex_map(), VertexMap::Table(ids) if ids.len() <= 180));
    }
}
