//! The spanning forest of the Python package. It stores copies of its edges and no reference to the
//! graph.

use std::sync::{Arc, OnceLock};
use std::thread;

use kostra::Solved;
use kostra_core::tree::{self, MergeTree};
use kostra_core::{
    AnyGraph, CompensatedSum, EdgeId, EdgeList, Edges, Graph, Key, Order, OutOfMemory, Total,
    UnionFind, Vertex, Weight, memory, with_graph,
};
use kostra_points::PointTree;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::hierarchy::Hierarchy;
use crate::views;

/// A spanning forest.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Forest {
    /// The ids of the edges in the graph, ascending.
    ids: Vec<EdgeId>,
    edges: ForestEdges,
    order: Order,
    total: Total,
    components: u32,
    algorithm: &'static str,
    /// Why the processor's solver took over, if it did.
    fallback: Option<String>,
    merges: OnceLock<Arc<MergeTree>>,
}

/// The edges of a forest in the order of their ids. So equal weights are ordered as in the graph.
enum ForestEdges {
    Graph(Arc<AnyGraph>),
    /// A tree of points, and its columns once Python has asked for one.
    Points(Arc<PointTree>, OnceLock<Arc<AnyGraph>>),
}

impl Forest {
    /// The forest of a tree of points. The ids of its edges are their positions in canonical order.
    pub(crate) fn of_points(points: PointTree) -> Self {
        let edges = points.ends.len() as u32;
        let mut total = CompensatedSum::default();
        points.distances.iter().for_each(|&distance| total.add(distance));
        Self {
            ids: (0..edges).collect(),
            order: Order::Minimum,
            total: Total::Float(total.value()),
            components: points.len - edges,
            edges: ForestEdges::Points(Arc::new(points), OnceLock::new()),
            algorithm: POINTS,
            fallback: None,
            merges: OnceLock::new(),
        }
    }

    /// The edges in the order of their ids.
    pub(crate) fn graph(&self) -> Result<&Arc<AnyGraph>, OutOfMemory> {
        match &self.edges {
            ForestEdges::Graph(graph) => Ok(graph),
            ForestEdges::Points(points, columns) => {
                if let Some(graph) = columns.get() {
                    return Ok(graph);
                }
                let u = memory::collected(points.ends.iter().map(|ends| ends[0]))?;
                let v = memory::collected(points.ends.iter().map(|ends| ends[1]))?;
                let distances = memory::copied(&points.distances)?;
                let graph = EdgeList::of_checked(points.len, u, v, distances);
                Ok(columns.get_or_init(|| Arc::new(graph.into())))
            }
        }
    }

    /// The edges in the order of their ids, and the ids.
    pub(crate) fn edges_and_ids(&self) -> Result<(&AnyGraph, &[EdgeId]), OutOfMemory> {
        Ok((self.graph()?, &self.ids))
    }

    /// Whether this is a minimum or a maximum spanning forest.
    pub(crate) fn order(&self) -> Order {
        self.order
    }

    /// The edges in order, with the weights as distances. A tree of points is shared as it is.
    pub(crate) fn point_tree(&self) -> Result<Arc<PointTree>, OutOfMemory> {
        match &self.edges {
            ForestEdges::Points(points, _) => Ok(points.clone()),
            ForestEdges::Graph(graph) => {
                let tree = with_graph!(&**graph, graph => {
                    distances_in_order(graph.edge_list(), self.order)
                });
                tree.map(Arc::new)
            }
        }
    }

    /// Copies the forest's edges from the graph.
    pub(crate) fn from_solved(
        graph: &AnyGraph,
        order: Order,
        solved: Solved<kostra_core::Forest>,
    ) -> Result<Self, OutOfMemory> {
        let fallback = solved.fallback.map(|fallback| fallback.to_string());
        Ok(Self { fallback, ..Self::of_graph(graph, order, solved.forest, solved.solver.id)? })
    }

    /// Copies the edges of a forest from its graph.
    pub(crate) fn of_graph(
        graph: &AnyGraph,
        order: Order,
        forest: kostra_core::Forest,
        algorithm: &'static str,
    ) -> Result<Self, OutOfMemory> {
        let (total, components) = (forest.total(), forest.components());
        let ids = forest.into_ids();
        let edges = with_graph!(graph, graph => pick_edges(graph, &ids))?;
        Ok(Self {
            edges: ForestEdges::Graph(Arc::new(edges)),
            ids,
            order,
            total,
            components,
            algorithm,
            fallback: None,
            merges: OnceLock::new(),
        })
    }
}

/// The name of the algorithm of a tree of points.
const POINTS: &str = "points";
/// The name of the algorithm of a forest that changes.
const DYNAMIC: &str = "dynamic";
/// The name of the algorithm that lists forests in order.
pub(crate) const IN_ORDER: &str = "alternatives";

/// The least number of edges for which a second thread copies the weights.
const SECOND_THREAD_MIN_EDGES: usize = 1 << 16;

/// A graph of the edges `ids` of `graph`.
fn pick_edges<W: Weight>(graph: &Graph<W>, ids: &[EdgeId]) -> Result<AnyGraph, OutOfMemory>
where
    AnyGraph: From<EdgeList<W>>,
{
    fn pick<T: Copy>(column: &[T], ids: &[EdgeId]) -> Result<Vec<T>, OutOfMemory> {
        memory::collected(ids.iter().map(|&id| column[id as usize]))
    }
    let edges = graph.edge_list();
    let weights = || pick(edges.weights(), ids);
    let ends = || Ok((pick(edges.u(), ids)?, pick(edges.v(), ids)?));
    let (weights, ends) = if ids.len() < SECOND_THREAD_MIN_EDGES {
        (weights(), ends())
    } else {
        thread::scope(|scope| {
            // If the system refuses a thread, this thread copies the weights.
            let other = thread::Builder::new().spawn_scoped(scope, weights);
            let ends = ends();
            let weights = other.map_or_else(
                |_| weights(),
                |other| other.join().expect("edge ids are positions in the columns"),
            );
            (weights, ends)
        })
    };
    let (u, v) = ends?;
    let tree = EdgeList::new(edges.vertices() as usize, u, v, weights?);
    Ok(tree.expect("edges of a valid graph are a valid graph").into())
}

/// The edges in their order, with the weights as distances.
fn distances_in_order<W: Weight>(
    list: &EdgeList<W>,
    order: Order,
) -> Result<PointTree, OutOfMemory> {
    let edges = list.edges(order);
    let mut ranks = memory::collected(edges.ids().map(|id| edges.rank(id)))?;
    ranks.sort_unstable();
    let ids = ranks.iter().map(|&rank| W::Key::rank_id(rank) as usize);
    Ok(PointTree {
        len: edges.vertices(),
        ends: memory::collected(ids.clone().map(|id| [edges.u()[id], edges.v()[id]]))?,
        distances: memory::collected(ids.map(|id| list.weights()[id].to_f64()))?,
    })
}

/// The positions of all edges in their order: by weight, then by id.
fn positions_in_order<K: Key>(edges: Edges<'_, K>) -> Result<Vec<i64>, OutOfMemory> {
    let mut ranks = memory::collected(edges.ids().map(|id| edges.rank(id)))?;
    ranks.sort_unstable();
    memory::collected(ranks.into_iter().map(|rank| K::rank_id(rank).into()))
}

/// The columns of a forest's edges.
fn columns<'a>(forest: &'a Bound<'_, Forest>) -> PyResult<&'a AnyGraph> {
    Ok(forest.get().graph().map_err(out_of_memory)?)
}

#[pymethods]
impl Forest {
    /// Makes a forest of all edges of `graph`. `ids` are the ascending ids of these edges in
    /// another graph.
    #[staticmethod]
    fn whole_of(
        graph: &crate::graph::Graph,
        ids: PyReadonlyArray1<'_, EdgeId>,
        maximum: bool,
        algorithm: &str,
    ) -> PyResult<Self> {
        let (ids, order) =
            (ids.as_slice()?.to_vec(), if maximum { Order::Maximum } else { Order::Minimum });
        let algorithm = if let Some(name) =
            [POINTS, DYNAMIC, IN_ORDER].into_iter().find(|&name| name == algorithm)
        {
            name
        } else {
            let solver = kostra::solver(algorithm);
            solver.map_err(|error| PyValueError::new_err(error.to_string()))?.info().id
        };
        if ids.len() != graph.0.edges() || !ids.is_sorted_by(|a, b| a < b) {
            return Err(PyValueError::new_err(
                "a forest must have one id per edge, and the ids must ascend",
            ));
        }
        let mut trees = UnionFind::try_new(graph.0.vertices()).map_err(out_of_memory)?;
        let mut edges = graph.0.u().iter().zip(graph.0.v());
        if let Some(edge) = edges.position(|(&u, &v)| !trees.union(u, v)) {
            return Err(PyValueError::new_err(format!(
                "the edges of a forest must have no cycle, but edge {edge} closes one"
            )));
        }
        let whole = with_graph!(&*graph.0, tree => {
            let ids = (0..ids.len() as EdgeId).collect();
            kostra_core::Forest::new(tree.edge_list().edges(order), ids)
        });
        Ok(Self {
            ids,
            edges: ForestEdges::Graph(graph.0.clone()),
            order,
            total: whole.total(),
            components: whole.components(),
            algorithm,
            fallback: None,
            merges: OnceLock::new(),
        })
    }

    /// The number of vertices.
    #[getter]
    fn n(&self) -> u32 {
        match &self.edges {
            ForestEdges::Graph(graph) => graph.vertices(),
            ForestEdges::Points(points, _) => points.len,
        }
    }

    /// The ids of the edges.
    fn ids<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::numbers(&slf.get().ids, slf.as_any())
    }

    /// The first ends.
    fn u<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Ok(views::vertices(columns(slf)?.u(), slf.as_any()))
    }

    /// The second ends.
    fn v<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Ok(views::vertices(columns(slf)?.v(), slf.as_any()))
    }

    /// The weights, in the engine's type.
    fn weights<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Ok(views::weights(columns(slf)?, slf.as_any()))
    }

    /// The sum of the weights: exact for integers, compensated for floats.
    #[getter]
    fn total(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.total {
            Total::Integer(total) => Ok(total.into_pyobject(py)?.into_any().unbind()),
            Total::Float(total) => Ok(total.into_pyobject(py)?.into_any().unbind()),
        }
    }

    #[getter]
    fn n_components(&self) -> u32 {
        self.components
    }

    #[getter]
    fn maximum(&self) -> bool {
        self.order == Order::Maximum
    }

    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    #[getter]
    fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    /// The component of each vertex.
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let labels = py.detach(
            || with_graph!(&**self.graph()?, tree => self.whole(tree).labels(self.keys(tree))),
        );
        let labels = labels.and_then(|labels| memory::copied(labels.as_slice()));
        Ok(labels.map_err(out_of_memory)?.into_pyarray(py))
    }

    /// The parent of each vertex, -1 for roots.
    fn parents<'py>(&self, py: Python<'py>, root: Vertex) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let parents = py.detach(|| {
            let parents = with_graph!(&**self.graph()?, tree => {
                tree::parents(self.keys(tree), &self.whole(tree), root)
            })?;
            let signed = |vertex| if vertex == tree::NO_PARENT { -1 } else { i64::from(vertex) };
            memory::collected(parents.into_iter().map(signed))
        });
        Ok(parents.map_err(out_of_memory)?.into_pyarray(py))
    }

    /// The positions of the edges in their order: by weight, then by id.
    fn in_order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let positions = py
            .detach(|| with_graph!(&**self.graph()?, tree => positions_in_order(self.keys(tree))));
        Ok(positions.map_err(out_of_memory)?.into_pyarray(py))
    }

    /// The hierarchy. The first call computes it. Its edges are positions in this forest.
    fn hierarchy(slf: &Bound<'_, Self>) -> PyResult<Hierarchy> {
        let this = slf.get();
        let tree = slf.py().detach(|| {
            if let Some(tree) = this.merges.get() {
                return Ok(tree);
            }
            let tree = with_graph!(&**this.graph()?, tree => {
                MergeTree::new(this.keys(tree), &this.whole(tree))
            })?;
            Ok(this.merges.get_or_init(|| Arc::new(tree)))
        });
        Ok(Hierarchy(tree.map_err(out_of_memory)?.clone()))
    }
}

impl Forest {
    fn keys<'a, W: Weight>(&self, tree: &'a Graph<W>) -> Edges<'a, W::Key> {
        tree.edge_list().edges(self.order)
    }

    /// The forest of all edges of `tree`.
    fn whole<W: Weight>(&self, tree: &Graph<W>) -> kostra_core::Forest {
        kostra_core::Forest::new(self.keys(tree), (0..self.ids.len() as EdgeId).collect())
    }
}
