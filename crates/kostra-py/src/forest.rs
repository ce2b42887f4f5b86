//! The spanning forest of the Python package. It stores copies of its edges and no reference to the
//! graph.

use std::sync::{Arc, OnceLock};
use std::thread;

use kostra::Solved;
use kostra_core::tree::{self, Bottleneck, MergeTree};
use kostra_core::{
    AnyGraph, EdgeId, EdgeList, Edges, Graph, Key, Order, OutOfMemory, Total, Vertex, Weight,
    memory, with_graph,
};
use kostra_parallel::for_each_mut;
use kostra_points::PointTree;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::threads::threads_or_all;
use crate::views;

/// A spanning forest.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Forest {
    /// The ids of the edges in the graph, ascending.
    ids: Vec<EdgeId>,
    /// The edges in the order of their ids. So equal weights are ordered as in the graph.
    tree: Arc<AnyGraph>,
    order: Order,
    total: Total,
    components: u32,
    algorithm: &'static str,
    /// Why the processor's solver took over, if it did.
    fallback: Option<String>,
    merges: OnceLock<Arc<MergeTree>>,
}

impl Forest {
    /// The forest of a tree of points. The ids of its edges are their positions in canonical order.
    pub(crate) fn of_points(points: PointTree) -> Self {
        let (u, v) = points.ends.iter().map(|&[u, v]| (u, v)).unzip::<_, _, Vec<_>, Vec<_>>();
        let ids: Vec<EdgeId> = (0..u.len() as EdgeId).collect();
        let tree = EdgeList::of_checked(points.len, u, v, points.distances);
        let whole = kostra_core::Forest::new(tree.edges(Order::Minimum), ids);
        let (total, components) = (whole.total(), whole.components());
        Self {
            ids: whole.into_ids(),
            tree: Arc::new(tree.into()),
            order: Order::Minimum,
            total,
            components,
            algorithm: POINTS,
            fallback: None,
            merges: OnceLock::new(),
        }
    }

    /// The edges in the order of their ids, and the ids.
    pub(crate) fn edges_and_ids(&self) -> (&AnyGraph, &[EdgeId]) {
        (&self.tree, &self.ids)
    }

    /// Whether this is a minimum or a maximum spanning forest.
    pub(crate) fn order(&self) -> Order {
        self.order
    }

    /// The edges in order, with the weights as distances.
    pub(crate) fn point_tree(&self) -> Result<PointTree, OutOfMemory> {
        with_graph!(&*self.tree, tree => distances_in_order(tree.edge_list(), self.order))
    }

    /// Copies the forest's edges from the graph.
    pub(crate) fn from_solved(
        graph: &AnyGraph,
        order: Order,
        solved: Solved<kostra_core::Forest>,
    ) -> Result<Self, OutOfMemory> {
        let (total, components) = (solved.forest.total(), solved.forest.components());
        let ids = solved.forest.into_ids();
        Ok(Self {
            tree: Arc::new(with_graph!(graph, graph => pick_edges(graph, &ids))?),
            ids,
            order,
            total,
            components,
            algorithm: solved.solver.id,
            fallback: solved.fallback.map(|fallback| fallback.to_string()),
            merges: OnceLock::new(),
        })
    }
}

/// The name of the algorithm of a tree of points.
const POINTS: &str = "points";

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
        let algorithm = if algorithm == POINTS {
            POINTS
        } else {
            let solver = kostra::solver(algorithm);
            solver.map_err(|error| PyValueError::new_err(error.to_string()))?.info().id
        };
        if ids.len() != graph.0.edges() || ids.len() > graph.0.vertices() as usize {
            return Err(PyValueError::new_err(
                "a forest must have one id per edge and fewer edges than vertices",
            ));
        }
        let whole = with_graph!(&*graph.0, tree => {
            let ids = (0..ids.len() as EdgeId).collect();
            kostra_core::Forest::new(tree.edge_list().edges(order), ids)
        });
        Ok(Self {
            ids,
            tree: graph.0.clone(),
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
        self.tree.vertices()
    }

    /// The ids of the edges.
    fn ids<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::numbers(&slf.get().ids, slf.as_any())
    }

    /// The first ends.
    fn u<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::vertices(slf.get().tree.u(), slf.as_any())
    }

    /// The second ends.
    fn v<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::vertices(slf.get().tree.v(), slf.as_any())
    }

    /// The weights, in the engine's type.
    fn weights<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::weights(&slf.get().tree, slf.as_any())
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
        let labels = py
            .detach(|| with_graph!(&*self.tree, tree => self.whole(tree).labels(self.edges(tree))));
        let labels = labels.and_then(|labels| memory::copied(labels.as_slice()));
        Ok(labels.map_err(out_of_memory)?.into_pyarray(py))
    }

    /// The parent of each vertex, -1 for roots.
    fn parents<'py>(&self, py: Python<'py>, root: Vertex) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let parents = py.detach(|| {
            let parents = with_graph!(&*self.tree, tree => {
                tree::parents(self.edges(tree), &self.whole(tree), root)
            })?;
            let signed = |vertex| if vertex == tree::NO_PARENT { -1 } else { i64::from(vertex) };
            memory::collected(parents.into_iter().map(signed))
        });
        Ok(parents.map_err(out_of_memory)?.into_pyarray(py))
    }

    /// The positions of the edges in their order: by weight, then by id.
    fn in_order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let positions =
            py.detach(|| with_graph!(&*self.tree, tree => positions_in_order(self.edges(tree))));
        Ok(positions.map_err(out_of_memory)?.into_pyarray(py))
    }

    /// The hierarchy. The first call computes it. Its edges are positions in this forest.
    fn hierarchy(slf: &Bound<'_, Self>) -> PyResult<Hierarchy> {
        let this = slf.get();
        let tree = slf.py().detach(|| {
            if let Some(tree) = this.merges.get() {
                return Ok(tree);
            }
            let tree = with_graph!(&*this.tree, tree => {
                MergeTree::new(this.edges(tree), &this.whole(tree))
            })?;
            Ok(this.merges.get_or_init(|| Arc::new(tree)))
        });
        Ok(Hierarchy(tree.map_err(out_of_memory)?.clone()))
    }
}

impl Forest {
    fn edges<'a, W: Weight>(&self, tree: &'a Graph<W>) -> Edges<'a, W::Key> {
        tree.edge_list().edges(self.order)
    }

    /// The forest of all edges of `tree`.
    fn whole<W: Weight>(&self, tree: &Graph<W>) -> kostra_core::Forest {
        kostra_core::Forest::new(self.edges(tree), (0..self.ids.len() as EdgeId).collect())
    }
}

/// The order in which the edges of a forest merge its vertices into clusters.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Hierarchy(Arc<MergeTree>);

#[pymethods]
impl Hierarchy {
    /// The edges in order, as positions in the forest.
    fn edges<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::numbers(slf.get().0.edges(), slf.as_any())
    }

    /// For each merge, the two clusters and the number of vertices in both.
    fn merges<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray1<u64>>; 3]> {
        let columns = py.detach(|| {
            let merges = self.0.merges()?;
            let room = || memory::with_capacity::<u64>(merges.len());
            let mut columns = [room()?, room()?, room()?];
            for merge in merges {
                let [low, high] = merge.clusters;
                for (column, value) in columns.iter_mut().zip([low, high, merge.size.into()]) {
                    column.push(value);
                }
            }
            Ok(columns)
        });
        Ok(columns.map_err(out_of_memory)?.map(|column| column.into_pyarray(py)))
    }

    /// The cluster of each vertex after the first `merges` merges.
    fn clusters<'py>(&self, py: Python<'py>, merges: usize) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let clusters = py.detach(|| self.0.clusters(merges));
        Ok(clusters.map_err(out_of_memory)?.into_pyarray(py))
    }

    /// For each pair of vertices, the last edge on the path between them, as a position in the
    /// forest. The value is -1 for two equal vertices and -2 for two vertices without a path.
    fn bottlenecks<'py>(
        &self,
        py: Python<'py>,
        s: PyReadonlyArray1<'py, u32>,
        t: PyReadonlyArray1<'py, u32>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (s, t) = (s.as_slice()?, t.as_slice()?);
        let found = py.detach(|| {
            let mut found = vec![0; s.len()];
            let size = s.len().div_ceil(threads_or_all(threads)).max(1 << 12);
            let pieces = s.chunks(size).zip(t.chunks(size)).zip(found.chunks_mut(size));
            for_each_mut(&mut pieces.collect::<Vec<_>>(), |((s, t), found)| {
                for ((&s, &t), found) in s.iter().zip(*t).zip(found.iter_mut()) {
                    *found = match self.0.bottleneck(s, t) {
                        Bottleneck::Edge(edge) => edge.into(),
                        Bottleneck::Same => -1,
                        Bottleneck::Apart => -2,
                    };
                }
            });
            found
        });
        Ok(found.into_pyarray(py))
    }
}
