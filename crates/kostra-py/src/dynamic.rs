//! Forests of graphs that change, for Python.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kostra::dynamic::{
    AnyDynamicForest, DynamicForest, LogError, OpenedLog, UpdateError, UpdateLog,
    with_dynamic_forest,
};
use kostra_core::{AnyGraph, EdgeId, EdgeList, Order, Total, Vertex, Weight, WeightType};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::{os_error, out_of_memory};
use crate::graph::Graph;

/// A graph that changes, its canonical forest, and the log of its updates, if there is one.
#[pyclass(frozen, name = "DynamicForest", module = "kostra._kostra")]
pub(crate) struct LoggedForest(Mutex<State>);

struct State {
    forest: AnyDynamicForest,
    log: Option<UpdateLog>,
}

impl State {
    fn commit(&mut self) -> PyResult<()> {
        self.log.as_mut().map_or(Ok(()), UpdateLog::commit).map_err(log_error)
    }
}

#[pymethods]
impl LoggedForest {
    /// The forest of a graph.
    #[staticmethod]
    fn of_graph(py: Python<'_>, graph: &Graph, maximum: bool) -> PyResult<Self> {
        let order = if maximum { Order::Maximum } else { Order::Minimum };
        let forest = py.detach(|| AnyDynamicForest::of_graph(&graph.0, order));
        Ok(Self(Mutex::new(State { forest: forest.map_err(refused)?, log: None })))
    }

    /// Opens a log. Returns the forest, the names of its vertices, and the number of bytes that a
    /// crash left incomplete.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<(Self, Option<Vec<String>>, u64)> {
        let OpenedLog { forest, names, log, dropped } =
            py.detach(|| UpdateLog::open(&path)).map_err(log_error)?;
        Ok((Self(Mutex::new(State { forest, log: Some(log) })), names, dropped))
    }

    /// Starts a log with the present state.
    fn log_to(&self, py: Python<'_>, path: PathBuf, names: Option<Vec<String>>) -> PyResult<()> {
        py.detach(|| {
            let mut state = self.lock();
            state.log = Some(UpdateLog::create(&path, &state.forest, names.as_deref())?);
            Ok(())
        })
        .map_err(log_error)
    }

    /// Rewrites the log, if there is one, to the present state.
    fn compact(&self, py: Python<'_>, names: Option<Vec<String>>) -> PyResult<()> {
        py.detach(|| {
            let State { forest, log } = &mut *self.lock();
            log.iter_mut().try_for_each(|log| log.compact(forest, names.as_deref()))
        })
        .map_err(log_error)
    }

    /// Adds vertices. Returns the first one. `names` are for the log.
    fn add_vertices(
        &self,
        py: Python<'_>,
        count: usize,
        names: Option<Vec<String>>,
    ) -> PyResult<Vertex> {
        py.detach(|| {
            let mut state = self.lock();
            let State { forest, log } = &mut *state;
            let new = with_dynamic_forest!(forest, forest => forest.add_vertices(count));
            let first = new.map_err(refused)?.start;
            log.iter_mut().for_each(|log| log.add_vertices(count, names.as_deref()));
            state.commit()?;
            Ok(first)
        })
    }

    /// Inserts the edges of a graph with the same types. Returns the first id and the end of the
    /// ids.
    fn insert(&self, py: Python<'_>, edges: &Graph) -> PyResult<(EdgeId, EdgeId)> {
        py.detach(|| {
            let mut state = self.lock();
            let State { forest, log } = &mut *state;
            let ids = match (forest, &*edges.0) {
                (AnyDynamicForest::I32(forest), AnyGraph::I32(edges)) => insert(forest, log, edges),
                (AnyDynamicForest::U32(forest), AnyGraph::U32(edges)) => insert(forest, log, edges),
                (AnyDynamicForest::I64(forest), AnyGraph::I64(edges)) => insert(forest, log, edges),
                (AnyDynamicForest::U64(forest), AnyGraph::U64(edges)) => insert(forest, log, edges),
                (AnyDynamicForest::F32(forest), AnyGraph::F32(edges)) => insert(forest, log, edges),
                (AnyDynamicForest::F64(forest), AnyGraph::F64(edges)) => insert(forest, log, edges),
                _ => return Err(PyTypeError::new_err("the edges have weights of another type")),
            }
            .map_err(refused)?;
            state.commit()?;
            Ok(ids)
        })
    }

    /// Deletes edges.
    fn delete(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, EdgeId>) -> PyResult<()> {
        let ids = ids.as_slice()?;
        py.detach(|| {
            let mut state = self.lock();
            let State { forest, log } = &mut *state;
            with_dynamic_forest!(forest, forest => {
                forest.delete(ids).map_err(refused)?;
            });
            log.iter_mut().for_each(|log| log.delete(ids));
            state.commit()
        })
    }

    /// Deletes the edges with ids below `before`. Returns their number.
    fn expire(&self, py: Python<'_>, before: EdgeId) -> PyResult<usize> {
        py.detach(|| {
            let mut state = self.lock();
            let State { forest, log } = &mut *state;
            let expired =
                with_dynamic_forest!(forest, forest => forest.expire(before)).map_err(refused)?;
            log.iter_mut().for_each(|log| log.expire(before));
            state.commit()?;
            Ok(expired)
        })
    }

    /// Changes the weights of edges to `weights`, an array of the type of all weights.
    fn reweight(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, EdgeId>,
        weights: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let ids = ids.as_slice()?;
        let mut state = self.lock();
        let State { forest, log } = &mut *state;
        with_dynamic_forest!(forest, forest => reweight(forest, log, ids, weights))?;
        let state = &mut *state;
        py.detach(|| state.commit())
    }

    /// The ids of the edges of the forest, or with `all` of all present edges, ascending.
    fn ids<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<EdgeId>> {
        let ids = py.detach(|| {
            with_dynamic_forest!(&self.lock().forest, forest => {
                if all { forest.present_ids() } else { forest.ids() }
            })
        });
        ids.into_pyarray(py)
    }

    /// The edges that entered and that left the forest in the last batch, ascending.
    fn changes<'py>(&self, py: Python<'py>) -> [Bound<'py, PyArray1<EdgeId>>; 2] {
        with_dynamic_forest!(&self.lock().forest, forest => {
            [forest.entered(), forest.left()].map(|ids| ids.to_vec().into_pyarray(py))
        })
    }

    /// The graph of some present edges, in the order of `ids`.
    fn edges(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, EdgeId>) -> PyResult<Graph> {
        let ids = ids.as_slice()?;
        let edges = py
            .detach(|| with_dynamic_forest!(&self.lock().forest, forest => edges_of(forest, ids)));
        Ok(Graph(Arc::new(edges.map_err(refused)?)))
    }

    #[getter]
    fn has_log(&self) -> bool {
        self.lock().log.is_some()
    }

    #[getter]
    fn n(&self) -> u32 {
        with_dynamic_forest!(&self.lock().forest, forest => forest.vertices())
    }

    #[getter]
    fn m(&self) -> usize {
        with_dynamic_forest!(&self.lock().forest, forest => forest.edges())
    }

    #[getter]
    fn maximum(&self) -> bool {
        with_dynamic_forest!(&self.lock().forest, forest => forest.order() == Order::Maximum)
    }

    #[getter]
    fn n_components(&self) -> u32 {
        with_dynamic_forest!(&self.lock().forest, forest => forest.components())
    }

    /// The name of NumPy's type of the weights.
    #[getter]
    fn dtype(&self) -> &'static str {
        match self.lock().forest.weight_type() {
            WeightType::I32 => "int32",
            WeightType::U32 => "uint32",
            WeightType::I64 => "int64",
            WeightType::U64 => "uint64",
            WeightType::F32 => "float32",
            WeightType::F64 => "float64",
        }
    }

    #[getter]
    fn total(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let total =
            py.detach(|| with_dynamic_forest!(&self.lock().forest, forest => forest.total()));
        Ok(match total {
            Total::Integer(total) => total.into_pyobject(py)?.into_any().unbind(),
            Total::Float(total) => total.into_pyobject(py)?.into_any().unbind(),
        })
    }

    /// For each pair of vertices, the last edge in canonical order on the path between them. The
    /// value is -1 for two equal vertices and -2 for two vertices without a path.
    fn bottlenecks<'py>(
        &self,
        py: Python<'py>,
        s: PyReadonlyArray1<'_, Vertex>,
        t: PyReadonlyArray1<'_, Vertex>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (s, t) = (s.as_slice()?, t.as_slice()?);
        let found = py.detach(|| {
            with_dynamic_forest!(&mut self.lock().forest, forest => {
                let edge = |(&s, &t): (&Vertex, &Vertex)| {
                    let apart = if s == t { -1 } else { -2 };
                    Ok(forest.bottleneck(s, t)?.map_or(apart, i64::from))
                };
                s.iter().zip(t).map(edge).collect::<Result<Vec<_>, UpdateError>>()
            })
        });
        Ok(found.map_err(refused)?.into_pyarray(py))
    }

    /// The number of vertices of each vertex's component.
    fn component_sizes<'py>(
        &self,
        py: Python<'py>,
        vertices: PyReadonlyArray1<'_, Vertex>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let vertices = vertices.as_slice()?;
        let sizes = py.detach(|| {
            with_dynamic_forest!(&mut self.lock().forest, forest => {
                let size = |&vertex| forest.component_size(vertex).map(i64::from);
                vertices.iter().map(size).collect::<Result<Vec<_>, _>>()
            })
        });
        Ok(sizes.map_err(refused)?.into_pyarray(py))
    }
}

impl LoggedForest {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn insert<W: Weight>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    edges: &kostra_core::Graph<W>,
) -> Result<(EdgeId, EdgeId), UpdateError> {
    let edges = edges.edge_list();
    let (u, v, weights) = (edges.u(), edges.v(), edges.weights());
    let ids = forest.insert(u, v, weights)?;
    log.iter_mut().for_each(|log| log.insert(u, v, weights));
    Ok((ids.start, ids.end))
}

fn reweight<W: Weight + Element>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    ids: &[EdgeId],
    weights: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let array = weights.cast::<PyArray1<W>>()?.readonly();
    let values = array.as_slice()?;
    weights.py().detach(|| forest.reweight(ids, values)).map_err(refused)?;
    log.iter_mut().for_each(|log| log.reweight(ids, values));
    Ok(())
}

fn edges_of<W: Weight>(forest: &DynamicForest<W>, ids: &[EdgeId]) -> Result<AnyGraph, UpdateError>
where
    AnyGraph: From<EdgeList<W>>,
{
    let edges: Vec<_> = ids.iter().map(|&id| forest.edge(id)).collect::<Result<_, _>>()?;
    let u = edges.iter().map(|edge| edge.0).collect::<Vec<_>>();
    let v = edges.iter().map(|edge| edge.1).collect::<Vec<_>>();
    let weights = edges.iter().map(|edge| edge.2).collect::<Vec<_>>();
    Ok(EdgeList::new(forest.vertices() as usize, u, v, weights)?.into())
}

fn refused(error: UpdateError) -> PyErr {
    match error {
        UpdateError::OutOfMemory(refusal) => out_of_memory(refusal),
        error => PyValueError::new_err(error.to_string()),
    }
}

fn log_error(error: LogError) -> PyErr {
    match &error {
        LogError::File { path, error: cause } => {
            os_error(cause, &path.display().to_string(), &error)
        }
        LogError::InUse { .. } | LogError::Behind { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}
