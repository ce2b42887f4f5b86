//! Forests of graphs that change, for Python.

mod steps;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kostra::dynamic::{
    AnyDynamicForest, ForestStep, LogError, OpenedLog, UpdateError, UpdateLog, with_dynamic_forest,
};
use kostra_core::{AnyGraph, EdgeId, Order, Total, Vertex, WeightType};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use self::steps::{
    Columns, NamedEdges, apply_sequence, edges_of, insert, insert_in_turn, reweight, update,
    with_edges,
};
use crate::errors::{os_error, out_of_memory};
use crate::graph::Graph;

/// A graph that changes, its canonical forest, and the log of its updates, if there is one.
#[pyclass(frozen, name = "DynamicForest", module = "kostra._kostra")]
pub(crate) struct LoggedForest(Mutex<State>);

/// For each update of a sequence, the edge that enters and the one that leaves, or -1, and the
/// total.
type StepColumns<'py> = ([Bound<'py, PyArray1<i64>>; 2], Vec<Py<PyAny>>);

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
            let ids = with_edges!(forest, &*edges.0, (forest, edges) => insert(forest, log, edges));
            let ids = ids.map_err(refused)?;
            state.commit()?;
            Ok(ids)
        })
    }

    /// Inserts the edges one after another. Returns the first id, and for each edge the one that is
    /// not in the forest because of it, or -1.
    fn insert_in_turn<'py>(
        &self,
        py: Python<'py>,
        edges: &Graph,
    ) -> PyResult<(EdgeId, Bound<'py, PyArray1<i64>>)> {
        let (first, outside) = py.detach(|| {
            let mut state = self.lock();
            let State { forest, log } = &mut *state;
            let inserted = with_edges!(forest, &*edges.0, (forest, edges) => {
                insert_in_turn(forest, log, edges)
            });
            let inserted = inserted.map_err(refused)?;
            state.commit()?;
            Ok::<_, PyErr>(inserted)
        })?;
        Ok((first, outside.into_pyarray(py)))
    }

    /// Applies updates of several kinds as one batch: deletes the edges below an id and those with
    /// some ids, and changes weights of edges; the edges of a graph with the same types are
    /// inserted. Returns the first of their ids and the end.
    fn update(
        &self,
        py: Python<'_>,
        deleted: (EdgeId, PyReadonlyArray1<'_, EdgeId>),
        changed: (PyReadonlyArray1<'_, EdgeId>, Bound<'_, PyAny>),
        edges: &Graph,
    ) -> PyResult<(EdgeId, EdgeId)> {
        let ((expire, delete), (ids, weights)) = (deleted, changed);
        let (delete, reweighted) = (delete.as_slice()?, ids.as_slice()?);
        let named = NamedEdges { expire, delete, reweighted };
        let mut state = self.attached(py);
        let State { forest, log } = &mut *state;
        let new = with_edges!(forest, &*edges.0, (forest, edges) => {
            update(forest, log, named, &weights, edges.edge_list())
        })?;
        let state = &mut *state;
        py.detach(|| state.commit())?;
        Ok(new)
    }

    /// Applies updates one after another, as [`Columns`] describes them.
    fn apply_sequence<'py>(
        &self,
        py: Python<'py>,
        kinds: PyReadonlyArray1<'_, u8>,
        columns: (PyReadonlyArray1<'_, u32>, PyReadonlyArray1<'_, u32>),
        weights: &Bound<'_, PyAny>,
    ) -> PyResult<StepColumns<'py>> {
        let (first, second) = (columns.0.as_slice()?, columns.1.as_slice()?);
        let columns = Columns { kinds: kinds.as_slice()?, first, second };
        let mut state = self.attached(py);
        let State { forest, log } = &mut *state;
        let steps =
            with_dynamic_forest!(forest, forest => apply_sequence(forest, log, columns, weights))?;
        let state = &mut *state;
        py.detach(|| state.commit())?;
        let column = |edge: fn(&ForestStep) -> Option<EdgeId>| {
            let ids = steps.iter().map(|step| edge(step).map_or(-1, i64::from));
            ids.collect::<Vec<_>>().into_pyarray(py)
        };
        let changes = [column(|step| step.entered), column(|step| step.left)];
        let totals = steps.iter().map(|step| to_number(py, step.total));
        Ok((changes, totals.collect::<PyResult<_>>()?))
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
        let mut state = self.attached(py);
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
        with_dynamic_forest!(&self.attached(py).forest, forest => {
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
    fn has_log(&self, py: Python<'_>) -> bool {
        self.attached(py).log.is_some()
    }

    #[getter]
    fn n(&self, py: Python<'_>) -> u32 {
        with_dynamic_forest!(&self.attached(py).forest, forest => forest.vertices())
    }

    #[getter]
    fn m(&self, py: Python<'_>) -> usize {
        with_dynamic_forest!(&self.attached(py).forest, forest => forest.edges())
    }

    #[getter]
    fn maximum(&self, py: Python<'_>) -> bool {
        with_dynamic_forest!(&self.attached(py).forest, forest => forest.order() == Order::Maximum)
    }

    #[getter]
    fn n_components(&self, py: Python<'_>) -> u32 {
        with_dynamic_forest!(&self.attached(py).forest, forest => forest.components())
    }

    /// The name of NumPy's type of the weights.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> &'static str {
        match self.attached(py).forest.weight_type() {
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
        to_number(py, total)
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
    /// Waits for other threads. The interpreter must be detached: they may wait for it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Self::lock`], and detaches the interpreter while it waits.
    fn attached(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn to_number(py: Python<'_>, total: Total) -> PyResult<Py<PyAny>> {
    Ok(match total {
        Total::Integer(total) => total.into_pyobject(py)?.into_any().unbind(),
        Total::Float(total) => total.into_pyobject(py)?.into_any().unbind(),
    })
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
