//! A graph that no rank holds all of: each has a slice, a contiguous range of its edges in input
//! order.
//!
//! Inside a rank a slice is an ordinary graph whose vertices have 32-bit local names, so that the
//! solvers for one machine work on it as it is. Global names of vertices and ids of edges have 64
//! bits. Positions in a slice ascend as ids do, and local names as global ones do: order among a
//! rank's edges is the order of the whole graph.

use std::ops::Range;
use std::sync::Arc;

use kostra_core::{
    AnyGraph, Column, EdgeId, EdgeList, Graph, GraphError, MAX_EDGES, MAX_VERTICES, Order, Vertex,
    Weight, WeightType, with_graph,
};
use thiserror::Error;

use crate::{Cut, Names};

/// Why some arrays are not a slice of a graph. Edges are named by their ids in the whole graph.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum SliceError {
    /// The three arrays differ in length.
    #[error("the edge arrays differ in length: {u} first ends, {v} second ends, {weights} weights")]
    LengthMismatch {
        /// How many first ends there are.
        u: usize,
        /// How many second ends there are.
        v: usize,
        /// How many weights there are.
        weights: usize,
    },
    /// An edge names a vertex that the graph does not have.
    #[error(
        "edge {edge} ends at vertex {vertex}, but the graph has {vertices} vertices, numbered from 0"
    )]
    EndpointOutOfRange {
        /// The first such edge of the slice.
        edge: u64,
        /// The vertex that it names.
        vertex: u64,
        /// How many vertices there are.
        vertices: u64,
    },
    /// A weight is not a number, so the edges cannot be ordered.
    #[error(
        "the weight of edge {edge} is not a number (NaN); mend it, or ask for such edges to be skipped"
    )]
    NanWeight {
        /// The first such edge of the slice.
        edge: u64,
    },
    /// More edges than one rank can hold.
    #[error("{edges} edges are more than the {MAX_EDGES} that one rank can hold; use more ranks")]
    TooManyEdges {
        /// How many edges the slice would have.
        edges: u64,
    },
    /// More vertices than one rank can name.
    #[error(
        "the edges from {first} on end at more than the {MAX_VERTICES} vertices that one rank can name; use more ranks"
    )]
    TooManyVertices {
        /// The first edge of the slice.
        first: u64,
    },
}

/// This rank's part of a graph.
#[derive(Clone, Debug)]
pub struct Slice<W: Weight> {
    graph: Graph<W>,
    names: Names,
    /// The same edges by their names in the whole graph, where the slice was made of such a graph
    /// and has other names.
    given: Option<Arc<Graph<W>>>,
    first: u64,
    vertices: u64,
}

impl<W: Weight> Slice<W> {
    /// The slice of a graph on `vertices` vertices whose edges have the ids from `first` on: edge
    /// `first + i` joins `u[i]` and `v[i]`. Its vertices are given local names as [`Names::new`]
    /// does.
    ///
    /// # Errors
    /// When the arrays differ in length, are too long, name a vertex out of range, or hold a NaN.
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
        let (names, u, v) =
            Names::new(vertices, u, v).ok_or(SliceError::TooManyVertices { first })?;
        let edges = EdgeList::new(names.count(vertices), u, v, weights);
        let edges = edges.map_err(|error| of_slice(error, first))?;
        Ok(Self { graph: edges.into(), names, given: None, first, vertices })
    }

    /// The same of an edge list whose names are the whole graph's. Nothing is copied.
    pub fn with_global_names(first: u64, edges: EdgeList<W>) -> Self {
        let vertices = edges.vertices().into();
        Self { graph: edges.into(), names: Names::Identity, given: None, first, vertices }
    }

    /// The slice of the edges with the ids from `first` on, whose names are the whole graph's.
    /// Nothing is copied where these are fit for local names, which [`Names::are_global`] decides;
    /// else ends are named anew, 8 bytes an edge, and the graph is kept.
    ///
    /// # Errors
    /// As [`Slice::new`], for too many vertices.
    pub fn from_graph(first: u64, graph: impl Into<Graph<W>>) -> Result<Self, SliceError> {
        let graph = graph.into();
        let edges = graph.edge_list();
        let vertices = edges.vertices().into();
        if Names::are_global(vertices, edges.u(), edges.v()) {
            return Ok(Self { graph, names: Names::Identity, given: None, first, vertices });
        }
        let given = Arc::new(graph);
        let edges = given.edge_list();
        let weights = Column::shared(Arc::new(WeightsOf(given.clone())));
        let slice = Self::new(vertices, first, edges.u(), edges.v(), weights)?;
        Ok(Self { given: Some(given), ..slice })
    }

    /// The edges of a range of a graph that this rank holds whole, as far as there are some; they
    /// are copied.
    ///
    /// # Errors
    /// As [`Slice::new`]; never for a range of edges that there are.
    pub fn of(whole: &EdgeList<W>, range: Range<u64>) -> Result<Self, SliceError> {
        let (start, end) = (range.start as usize, (range.end as usize).min(whole.len()));
        let range = start.min(end)..end;
        let [u, v] = [whole.u(), whole.v()].map(|ends| ends[range.clone()].to_vec());
        Self::from_graph(
            start as u64,
            EdgeList::of_checked(whole.vertices(), u, v, whole.weights()[range].to_vec()),
        )
    }

    /// The edges, by local position, between local names; with rows, for solvers that want them.
    pub fn graph(&self) -> &Graph<W> {
        &self.graph
    }

    /// The edges, by local position, between local names.
    pub fn edges(&self) -> &EdgeList<W> {
        self.graph.edge_list()
    }

    /// What the local names mean.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The ends of all edges by their names in the whole graph, where they are at hand.
    pub(crate) fn global_ends(&self) -> Option<[&[Vertex]; 2]> {
        let edges = match (&self.given, &self.names) {
            (Some(given), _) => given.edge_list(),
            (None, Names::Identity) => self.edges(),
            (None, Names::Table(_)) => return None,
        };
        Some([edges.u(), edges.v()])
    }

    /// How many vertices the whole graph has.
    pub fn vertices(&self) -> u64 {
        self.vertices
    }

    /// The id of the first edge of the slice, or, if it is empty, of the first of a later one.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many edges the slice has.
    pub fn len(&self) -> usize {
        self.edges().len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of an edge of the slice in the whole graph.
    #[inline]
    pub fn id(&self, edge: EdgeId) -> u64 {
        self.first + u64::from(edge)
    }

    /// Both ends of an edge of the slice, by their global names.
    #[inline]
    pub fn ends(&self, edge: EdgeId) -> (u64, u64) {
        let (u, v) = (self.edges().u()[edge as usize], self.edges().v()[edge as usize]);
        (self.names.global(u), self.names.global(v))
    }

    /// The place of an edge of the slice in the strict total order of the whole graph: its key,
    /// then its id.
    #[inline]
    pub fn rank(&self, edge: EdgeId, order: Order) -> (W::Key, u64) {
        (self.edges().edges(order).key(edge), self.id(edge))
    }
}

/// The weights of a graph that is kept.
struct WeightsOf<W: Weight>(Arc<Graph<W>>);

impl<W: Weight> AsRef<[W]> for WeightsOf<W> {
    fn as_ref(&self) -> &[W] {
        self.0.edge_list().weights()
    }
}

/// What is wrong with a slice's edge list, said of the whole graph.
fn of_slice(error: GraphError, first: u64) -> SliceError {
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
    }
}

/// A slice whose weight type is known at run time only, as when it comes from a file. It is the
/// same on all ranks.
///
/// [`with_slice!`](crate::with_slice) leads back to the typed slice.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each variant is the weight type it is named after")]
pub enum AnySlice {
    I32(Slice<i32>),
    U32(Slice<u32>),
    I64(Slice<i64>),
    U64(Slice<u64>),
    F32(Slice<f32>),
    F64(Slice<f64>),
}

/// Runs an expression on the typed slice inside an [`AnySlice`]:
/// `with_slice!(any, slice => slice.len())`.
#[macro_export]
macro_rules! with_slice {
    ($any:expr, $slice:ident => $body:expr) => {
        match $any {
            $crate::AnySlice::I32($slice) => $body,
            $crate::AnySlice::U32($slice) => $body,
            $crate::AnySlice::I64($slice) => $body,
            $crate::AnySlice::U64($slice) => $body,
            $crate::AnySlice::F32($slice) => $body,
            $crate::AnySlice::F64($slice) => $body,
        }
    };
}

impl AnySlice {
    /// A rank's edges of a graph that it holds whole; they are copied.
    ///
    /// # Errors
    /// As [`Slice::of`].
    pub fn of(whole: &AnyGraph, cut: &Cut, rank: usize) -> Result<Self, SliceError> {
        with_graph!(whole, graph => Slice::of(graph.edge_list(), cut.range(rank)).map(Self::from))
    }

    /// The slice of the edges with the ids from `first` on, whose names are the whole graph's.
    ///
    /// # Errors
    /// As [`Slice::from_graph`].
    pub fn from_graph(first: u64, graph: AnyGraph) -> Result<Self, SliceError> {
        with_graph!(graph, graph => Slice::from_graph(first, graph).map(Self::from))
    }

    /// The type of the weights.
    pub fn weight_type(&self) -> WeightType {
        fn of<W: Weight>(_: &Slice<W>) -> WeightType {
            W::TYPE
        }
        with_slice!(self, slice => of(slice))
    }

    /// How many vertices the whole graph has.
    pub fn vertices(&self) -> u64 {
        with_slice!(self, slice => slice.vertices())
    }

    /// The id of the first edge.
    pub fn first(&self) -> u64 {
        with_slice!(self, slice => slice.first())
    }

    /// How many edges the slice has.
    pub fn len(&self) -> usize {
        with_slice!(self, slice => slice.len())
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! impl_from_slice {
    ($($weight:ty => $variant:ident),*) => {
        $(impl From<Slice<$weight>> for AnySlice {
            fn from(slice: Slice<$weight>) -> Self {
                Self::$variant(slice)
            }
        })*
    };
}
impl_from_slice!(i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64);

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: u64 = 1 << 40;

    #[test]
    fn local_order_is_the_order_of_the_whole_graph() {
        let slice =
            Slice::new(2 * FAR, FAR, &[FAR, 7, FAR + 1], &[3, FAR, 7], vec![5, 5, -1]).unwrap();
        assert_eq!(slice.names(), &Names::Table(vec![3, 7, FAR, FAR + 1]));
        assert_eq!((slice.edges().u(), slice.edges().v()), (&[2, 1, 3][..], &[0, 2, 1][..]));
        assert_eq!((slice.ends(1), slice.id(2)), ((7, FAR), FAR + 2));
        assert!(slice.rank(0, Order::Maximum) < slice.rank(1, Order::Maximum));
        assert_eq!((slice.names().local(7), slice.names().local(8)), (Some(1), None));
    }

    #[test]
    fn bad_arrays_are_refused_with_the_id_in_the_whole_graph() {
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
        let n = 10_000_u32; // too many for their few edges to keep their names
        let (u, v): (Vec<_>, Vec<_>) = (0..90).map(|i| (i * 37 % n, i * 101 % n)).unzip();
        let whole = EdgeList::new(n as usize, u, v, (0..90).collect::<Vec<i32>>()).unwrap();
        let cut = Cut::at(vec![0, 0, 50, 90]);
        let slices = [0, 1, 2].map(|rank| Slice::of(&whole, cut.range(rank)).unwrap());
        assert!(slices.iter().all(|slice| matches!(slice.names(), Names::Table(_))));
        let ends =
            slices.iter().flat_map(|slice| (0..slice.len() as u32).map(|edge| slice.ends(edge)));
        let expected = whole.u().iter().zip(whole.v()).map(|(&u, &v)| (u64::from(u), u64::from(v)));
        assert!(ends.eq(expected.clone()) && slices[0].is_empty() && slices[2].first() == 50);
        let slice = Slice::from_graph(7, whole.clone()).unwrap();
        assert!((0..90).map(|edge| slice.ends(edge)).eq(expected) && slice.id(1) == 8);
        assert!(matches!(slice.names(), Names::Table(names) if names.len() <= 180));
    }
}
