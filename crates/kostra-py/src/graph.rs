//! The graph of the Python package.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

use kostra::{AUTO, DeviceChoice, Solve};
use kostra_core::{
    AnyGraph, Order, PartsError, SolveError, VertexParts, Workspace, verify, with_graph,
};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::{self, EndArray, GraphOptions};
use crate::errors::{out_of_memory, request_error, solve_error};
use crate::forest::Forest;
use crate::watch::{CancelFlag, interruptible};

use crate::threads::threads_or_default;
use crate::views;

/// A solve with fewer edges does not check for signals. It takes milliseconds, unless the graph has
/// far more vertices than edges.
const WATCHED_MIN_EDGES: usize = 1 << 12;

/// The scratch memory of the last solve. The next solve reuses it, because allocating it again
/// takes time.
static SCRATCH: Mutex<Option<Workspace>> = Mutex::new(None);

/// The most bytes of scratch memory that are kept after a solve. `fast` uses 128 MiB for 5 million
/// edges and 2.5 million vertices.
const MAX_KEPT_SCRATCH: usize = 128 << 20;

/// The kept scratch memory, or an empty workspace if another solve uses it. Never waits: the lock
/// may have been held by another thread when this process was forked.
fn kept_scratch() -> Workspace {
    SCRATCH.try_lock().ok().and_then(|mut kept| kept.take()).unwrap_or_default()
}

fn keep_scratch(scratch: Workspace) {
    if scratch.bytes() <= MAX_KEPT_SCRATCH
        && let Ok(mut kept) = SCRATCH.try_lock()
    {
        *kept = Some(scratch);
    }
}

/// The arrays of a graph, and how they are used: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Arrays<'py> {
    u: Bound<'py, PyAny>,
    v: Bound<'py, PyAny>,
    /// The weights; without them, every edge has weight 1.
    w: Option<Bound<'py, PyAny>>,
    /// The number of vertices; without it, the highest vertex plus one.
    n: Option<usize>,
    /// The names of the three arrays in errors.
    names: [String; 3],
    skip_nan: bool,
    copy: bool,
    threads: Option<usize>,
}

/// How a graph is solved: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct SolveOptions<'py> {
    maximum: bool,
    threads: Option<usize>,
    device: String,
    algorithm: String,
    /// The part of each vertex, for algorithms that work on parts.
    parts: Option<PyReadonlyArray1<'py, u32>>,
}

/// A weighted graph in the engine's representation.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Graph(pub(crate) Arc<AnyGraph>);

#[pymethods]
impl Graph {
    /// Makes a graph from contiguous arrays. See the Python class.
    #[staticmethod]
    fn from_arrays(arrays: Arrays<'_>) -> PyResult<Self> {
        let Arrays { u, v, w, n, names, skip_nan, copy, threads } = arrays;
        let (threads, [first, second, third]) = (threads_or_default(threads), names);
        let (u, v) = (
            EndArray::from_argument(first, u, threads)?,
            EndArray::from_argument(second, v, threads)?,
        );
        let weights = w.as_ref().map(|w| (third.as_str(), w));
        let graph = arrays::graph(n, u, v, weights, GraphOptions { skip_nan, copy })?;
        Ok(Self(Arc::new(graph)))
    }

    /// The number of vertices.
    #[getter]
    fn n(&self) -> u32 {
        self.0.vertices()
    }

    /// The number of edges.
    #[getter]
    fn m(&self) -> usize {
        self.0.edges()
    }

    /// The first ends.
    fn u<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::vertices(slf.get().0.u(), slf.as_any())
    }

    /// The second ends.
    fn v<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::vertices(slf.get().0.v(), slf.as_any())
    }

    /// The weights, in the engine's type.
    fn weights<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::weights(&slf.get().0, slf.as_any())
    }

    /// Solves with the interpreter released, until the forest is complete or a signal handler
    /// raises.
    fn solve(&self, py: Python<'_>, options: SolveOptions<'_>) -> PyResult<Forest> {
        let SolveOptions { maximum, threads, device, algorithm, parts } = options;
        let graph = self.0.clone();
        let solver = (algorithm != AUTO).then(|| kostra::solver(&algorithm)).transpose();
        let solver = solver.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let (place, threads) = (choice(&device)?, threads.unwrap_or_default());
        let request = Solve::new().solver(solver).device(place.clone()).threads(threads);
        request.check().map_err(|error| request_error(error, &device))?;
        let parts = parts.map(|parts| parts.as_slice().map(<[u32]>::to_vec)).transpose()?;
        let order = if maximum { Order::Maximum } else { Order::Minimum };
        let (stop, small) = (CancelFlag::default(), graph.edges() < WATCHED_MIN_EDGES);
        let mut watched = stop.clone();
        let work = move || {
            // A panic is possible only if another thread writes to the arrays during the solve.
            panic::catch_unwind(AssertUnwindSafe(|| {
                let mut scratch = kept_scratch();
                let solve = Solve::new().solver(solver).device(place).threads(threads);
                let mut solve = solve.order(order).observer(&mut watched);
                if let Some(parts) = &parts {
                    solve = solve.parts(vertex_parts(parts)?);
                }
                let solved = solve.workspace(&mut scratch).run_any(&graph);
                keep_scratch(scratch);
                Forest::from_solved(&graph, order, solved?).map_err(SolveError::from)
            }))
            .map_err(|_| ())
        };
        let solved = if small {
            py.detach(work)
        } else {
            interruptible(py, work).inspect_err(|_| stop.cancel())?
        };
        let solved = solved.map_err(|()| {
            PyRuntimeError::new_err(
                "the arrays of the graph changed during the solve; pass copies, or use \
                 kostra.Graph(..., copy=True)",
            )
        })?;
        solved.map_err(|error| solve_error(py, error))
    }

    /// Checks that `ids`, which must ascend, are the canonical forest. Returns the first violation,
    /// or None.
    fn verify(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
        maximum: bool,
    ) -> PyResult<Option<String>> {
        let ids = ids.as_slice()?;
        let order = if maximum { Order::Maximum } else { Order::Minimum };
        let verdict = py
            .detach(|| with_graph!(&*self.0, graph => verify(graph.edge_list().edges(order), ids)));
        match verdict {
            Ok(_) => Ok(None),
            Err(error) => {
                let violation = error.violation().map_err(out_of_memory)?;
                Ok(Some(violation.to_string()))
            }
        }
    }
}

/// A partition with as many parts as the greatest part number requires.
fn vertex_parts(parts: &[u32]) -> Result<VertexParts<'_>, PartsError> {
    let count = parts.iter().max().map_or(0, |&part| part.saturating_add(1));
    VertexParts::new(parts, count)
}

/// The device of this name, or with [`AUTO`] the automatic choice.
fn choice(device: &str) -> PyResult<DeviceChoice> {
    let named = (device != AUTO).then(|| device.parse()).transpose();
    named.map(Option::unwrap_or_default).map_err(PyValueError::new_err::<String>)
}
