//! A graph, as Python holds it.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use kostra::{AnyGraph, Order, Run, SolveError, with_graph};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::{self, Ends};
use crate::forest::Forest;
use crate::watch::{Stop, interruptible};

/// Below this many edges every algorithm is done before anybody can press a key.
const SMALL: usize = 1 << 12;
use crate::{threads_or_all, views};

/// A weighted graph in the engine's form.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Graph(pub(crate) Arc<AnyGraph>);

#[pymethods]
impl Graph {
    /// A graph of contiguous arrays; see the Python class.
    #[staticmethod]
    #[pyo3(signature = (u, v, w, n, *, skip_nan, copy, threads))]
    fn from_arrays(
        u: Bound<'_, PyAny>,
        v: Bound<'_, PyAny>,
        w: Option<Bound<'_, PyAny>>,
        n: Option<usize>,
        skip_nan: bool,
        copy: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let threads = threads_or_all(threads);
        let (u, v) = (Ends::of("u", u, threads)?, Ends::of("v", v, threads)?);
        let graph = arrays::graph(n, u, v, w.as_ref(), skip_nan, copy)?;
        Ok(Self(Arc::new(graph)))
    }

    /// How many vertices there are.
    #[getter]
    fn n(&self) -> u32 {
        self.0.vertices()
    }

    /// How many edges there are.
    #[getter]
    fn m(&self) -> usize {
        self.0.edges()
    }

    /// First ends.
    fn u<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::vertices(slf.get().0.u(), slf.as_any())
    }

    /// Second ends.
    fn v<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::vertices(slf.get().0.v(), slf.as_any())
    }

    /// Weights, in the engine's type.
    fn weights<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::weights(&slf.get().0, slf.as_any())
    }

    /// Solves, with the interpreter released, until done or interrupted.
    fn solve(
        &self,
        py: Python<'_>,
        maximum: bool,
        threads: Option<usize>,
        algorithm: &str,
    ) -> PyResult<Forest> {
        let graph = self.0.clone();
        let solver = match algorithm {
            "auto" => kostra::auto(&graph),
            id => kostra::solver(id).map_err(|error| PyValueError::new_err(error.to_string()))?,
        };
        let order = if maximum { Order::Maximum } else { Order::Minimum };
        let (threads, stop, small) = (threads_or_all(threads), Stop::default(), graph.edges() < SMALL);
        let mut watched = stop.clone();
        let work = move || {
            let run = &mut Run::new().on_threads(threads).observed_by(&mut watched);
            // Only somebody who writes to the arrays meanwhile can make it panic.
            panic::catch_unwind(AssertUnwindSafe(|| {
                solver.solve(&graph, order, run).map(|solution| Forest::of(&graph, order, solver, solution))
            }))
            .map_err(|_| ())
        };
        let solved =
            if small { py.detach(work) } else { interruptible(py, work).inspect_err(|_| stop.say())? };
        let solved = solved.map_err(|()| {
            PyRuntimeError::new_err(
                "the graph's arrays were changed while it was being solved; pass copies, or kostra.Graph(..., copy=True)",
            )
        })?;
        solved.map_err(|error| match error {
            SolveError::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
            error => PyValueError::new_err(error.to_string()),
        })
    }

    /// Decides whether these ascending ids are the canonical forest, or says what is wrong first.
    fn verify(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
        maximum: bool,
    ) -> PyResult<Option<String>> {
        let ids = ids.as_slice()?;
        let order = if maximum { Order::Maximum } else { Order::Minimum };
        let verdict =
            py.detach(|| with_graph!(&*self.0, graph => kostra::verify(graph.edge_list().edges(order), ids)));
        Ok(verdict.err().map(|violation| violation.to_string()))
    }
}
