//! A graph, as Python holds it.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

use kostra::{
    AnyGraph, Order, Platform, Run, SolveError, Solver, VerifyError, Workspace, with_graph,
};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::{self, Ends};
use crate::files::out_of_memory;
use crate::forest::Forest;
use crate::watch::{Stop, interruptible};

use crate::{threads_or_all, views};

/// Below this many edges a solve does not watch for signals: it takes milliseconds, unless there
/// are far more vertices.
const SMALL: usize = 1 << 12;

/// Scratch memory of the last solve, kept for the next one, because getting it from the system
/// again takes time.
static SCRATCH: Mutex<Option<Workspace>> = Mutex::new(None);

/// More scratch memory than this goes back to the system. `fast` takes as much for five million
/// edges of two and a half million vertices.
const MOST_KEPT: usize = 128 << 20;

/// The scratch memory that was kept, if there is any and nobody else has it. Never waits: a child
/// of a fork may have been born while another thread held the lock.
fn kept_scratch() -> Workspace {
    SCRATCH.try_lock().ok().and_then(|mut kept| kept.take()).unwrap_or_default()
}

fn keep_scratch(scratch: Workspace) {
    if scratch.bytes() <= MOST_KEPT
        && let Ok(mut kept) = SCRATCH.try_lock()
    {
        *kept = Some(scratch);
    }
}

/// A weighted graph in the engine's form.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Graph(pub(crate) Arc<AnyGraph>);

#[pymethods]
impl Graph {
    /// A graph of contiguous arrays, and what errors are to call them; see the Python class.
    #[staticmethod]
    #[pyo3(signature = (u, v, w, n, *, names, skip_nan, copy, threads))]
    #[expect(clippy::too_many_arguments, reason = "called from one place, in Python")]
    fn from_arrays(
        u: Bound<'_, PyAny>,
        v: Bound<'_, PyAny>,
        w: Option<Bound<'_, PyAny>>,
        n: Option<usize>,
        names: [String; 3],
        skip_nan: bool,
        copy: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (threads, [first, second, third]) = (threads_or_all(threads), names);
        let (u, v) = (Ends::of(first, u, threads)?, Ends::of(second, v, threads)?);
        let weights = w.as_ref().map(|w| (third.as_str(), w));
        let graph = arrays::graph(n, u, v, weights, skip_nan, copy)?;
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
        device: &str,
        algorithm: &str,
    ) -> PyResult<Forest> {
        let graph = self.0.clone();
        let ordinal = device.strip_prefix("cuda:").map_or(Ok(0), str::parse)?;
        let solver = choose(&graph, device, algorithm)?;
        // Where nobody asked for a device, nobody need do without an answer.
        let free =
            device == "auto" && algorithm == "auto" && solver.info().platform == Platform::Cuda;
        let order = if maximum { Order::Maximum } else { Order::Minimum };
        let (threads, stop, small) =
            (threads_or_all(threads), Stop::default(), graph.edges() < SMALL);
        let mut watched = stop.clone();
        let work = move || {
            let mut solve = |solver: &'static dyn Solver| {
                let mut scratch = kept_scratch();
                let run =
                    Run::new().on_threads(threads).on_device(ordinal).observed_by(&mut watched);
                let solution = solver.solve(&graph, order, &mut run.in_workspace(&mut scratch));
                keep_scratch(scratch);
                Forest::of(&graph, order, solver, solution?).map_err(SolveError::from)
            };
            // Only somebody who writes to the arrays meanwhile can make it panic.
            panic::catch_unwind(AssertUnwindSafe(|| match solve(solver) {
                Err(error) if free && error != SolveError::Cancelled => {
                    solve(kostra::auto_on_processor(&graph))
                }
                result => result,
            }))
            .map_err(|_| ())
        };
        let solved = if small {
            py.detach(work)
        } else {
            interruptible(py, work).inspect_err(|_| stop.say())?
        };
        let solved = solved.map_err(|()| {
            PyRuntimeError::new_err(
                "the graph's arrays were changed while it was being solved; pass copies, or kostra.Graph(..., copy=True)",
            )
        })?;
        solved.map_err(|error| solve_error(py, error))
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
        let verdict = py.detach(
            || with_graph!(&*self.0, graph => kostra::verify(graph.edge_list().edges(order), ids)),
        );
        match verdict {
            Ok(_) => Ok(None),
            Err(VerifyError::Violation(violation)) => Ok(Some(violation.to_string())),
            Err(VerifyError::OutOfMemory(refusal)) => Err(out_of_memory(refusal)),
        }
    }
}

/// The solver for a graph on a device, `"auto"`, `"cpu"` or one of CUDA's, or the one of this name.
fn choose(graph: &AnyGraph, device: &str, algorithm: &str) -> PyResult<&'static dyn Solver> {
    let refuse = |message: String| Err(PyValueError::new_err(message));
    let solver = match (algorithm, device) {
        ("auto", "auto") => return Ok(kostra::auto(graph)),
        ("auto", "cpu") => return Ok(kostra::auto_on_processor(graph)),
        ("auto", _) => kostra::cuda::FASTEST
            .ok_or_else(|| PyValueError::new_err("no algorithm runs on a device"))?,
        (id, _) => kostra::solver(id).map_err(|error| PyValueError::new_err(error.to_string()))?,
    };
    match (device, solver.info().platform) {
        ("auto", _) => Ok(solver),
        ("cpu", Platform::Cuda) => {
            refuse(format!("{algorithm} runs on CUDA devices only, not on device='cpu'"))
        }
        ("cpu", _) | (_, Platform::Cuda) => Ok(solver),
        _ => refuse(format!("{algorithm} runs on the processor only, not on device={device:?}")),
    }
}

/// The exception for what a solver complains of.
pub(crate) fn solve_error(py: Python<'_>, error: SolveError) -> PyErr {
    match error {
        SolveError::OutOfMemory { .. } | SolveError::DeviceMemory { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        SolveError::NoDevice { .. } | SolveError::Device { .. } => {
            device_error(py, &error.to_string())
        }
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The exception `kostra.DeviceError`.
pub(crate) fn device_error(py: Python<'_>, message: &str) -> PyErr {
    let error = py
        .import("kostra._device")
        .and_then(|module| module.getattr("DeviceError")?.call1((message,)));
    error.map_or_else(|error| error, PyErr::from_value)
}
