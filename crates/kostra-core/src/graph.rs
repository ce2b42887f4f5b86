//! A graph that builds its rows when a solver first needs them.

use std::sync::OnceLock;

use crate::{
    Csr, EdgeList, Edges, Encoding, GraphError, Key, Order, Run, SolveError, Vertex, Weight,
    WeightType,
};

/// A graph: its edge list, and its rows once they have been built.
#[derive(Clone, Debug)]
pub struct Graph<W: Weight> {
    edges: EdgeList<W>,
    rows: LazyRows<W::Key>,
}

/// Rows that are built when a solver first needs them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LazyRows<K: Key>(OnceLock<Csr<K>>);

impl<K: Key> LazyRows<K> {
    /// The rows of `edges`, which are always the same edges.
    pub(crate) fn get(
        &self,
        edges: Edges<'_, K>,
        solver: &'static str,
        run: &mut Run<'_>,
    ) -> Result<&Csr<K>, SolveError> {
        if let Some(csr) = self.0.get() {
            return Ok(csr);
        }
        let csr = Csr::build(edges, solver, run)?;
        Ok(self.0.get_or_init(|| csr))
    }
}

impl<W: Weight> Graph<W> {
    /// The edge list.
    pub fn edge_list(&self) -> &EdgeList<W> {
        &self.edges
    }

    /// The rows, built in O(n + m) at the first successful call. Concurrent calls may each build
    /// rows; the graph keeps one copy.
    ///
    /// # Errors
    /// As [`Csr::build`]. The graph stays unchanged.
    pub fn csr(&self, solver: &'static str, run: &mut Run<'_>) -> Result<&Csr<W::Key>, SolveError> {
        self.rows.get(self.edges.edges(Order::Minimum), solver, run)
    }

    pub(crate) fn lazy_rows(&self) -> &LazyRows<W::Key> {
        &self.rows
    }
}

impl<W: Weight> From<EdgeList<W>> for Graph<W> {
    fn from(edges: EdgeList<W>) -> Self {
        Self { edges, rows: LazyRows::default() }
    }
}

/// A graph whose weight type is known at run time only, such as a graph from a file.
///
/// [`with_graph!`](crate::with_graph) gives access to the typed graph.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each variant is the weight type it is named after")]
pub enum AnyGraph {
    I32(Graph<i32>),
    U32(Graph<u32>),
    I64(Graph<i64>),
    U64(Graph<u64>),
    F32(Graph<f32>),
    F64(Graph<f64>),
}

/// Runs an expression on the typed graph inside an [`AnyGraph`]:
/// `with_graph!(any, graph => graph.edge_list().len())`.
#[macro_export]
macro_rules! with_graph {
    ($any:expr, $graph:ident => $body:expr) => {
        match $any {
            $crate::AnyGraph::I32($graph) => $body,
            $crate::AnyGraph::U32($graph) => $body,
            $crate::AnyGraph::I64($graph) => $body,
            $crate::AnyGraph::U64($graph) => $body,
            $crate::AnyGraph::F32($graph) => $body,
            $crate::AnyGraph::F64($graph) => $body,
        }
    };
}

impl AsRef<Self> for AnyGraph {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl AnyGraph {
    /// A graph from three arrays in input order: edge `i` joins `u[i]` and `v[i]` and has weight
    /// `weights[i]`.
    ///
    /// # Errors
    /// As [`EdgeList::new`].
    pub fn from_edges<W: Weight>(
        vertices: usize,
        u: Vec<Vertex>,
        v: Vec<Vertex>,
        weights: Vec<W>,
    ) -> Result<Self, GraphError>
    where
        Self: From<EdgeList<W>>,
    {
        EdgeList::new(vertices, u, v, weights).map(Self::from)
    }

    /// The edges, with keys of the type `K`, in an order.
    ///
    /// # Panics
    /// When the weights do not have the size of `K`.
    pub fn edges_in<K: Key>(&self, order: Order) -> Edges<'_, K> {
        let encoding = Encoding::of_type(self.weight_type(), order);
        let weights: &[K] =
            with_graph!(self, graph => bytemuck::cast_slice(graph.edge_list().weights()));
        Edges::of_checked(self.vertices(), (self.u(), self.v()), weights, encoding)
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        with_graph!(self, graph => graph.edge_list().vertices())
    }

    /// The number of edges, self-loops and parallel edges included.
    pub fn edges(&self) -> usize {
        self.u().len()
    }

    /// The first ends, indexed by edge id.
    pub fn u(&self) -> &[Vertex] {
        with_graph!(self, graph => graph.edge_list().u())
    }

    /// The second ends, indexed by edge id.
    pub fn v(&self) -> &[Vertex] {
        with_graph!(self, graph => graph.edge_list().v())
    }

    /// The type of the weights.
    pub fn weight_type(&self) -> WeightType {
        match self {
            Self::I32(_) => WeightType::I32,
            Self::U32(_) => WeightType::U32,
            Self::I64(_) => WeightType::I64,
            Self::U64(_) => WeightType::U64,
            Self::F32(_) => WeightType::F32,
            Self::F64(_) => WeightType::F64,
        }
    }
}

macro_rules! impl_from_edge_list {
    ($($weight:ty => $variant:ident),*) => {
        $(impl From<EdgeList<$weight>> for AnyGraph {
            fn from(edges: EdgeList<$weight>) -> Self {
                Self::$variant(edges.into())
            }
        })*
    };
}
impl_from_edge_list!(i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64);
