//! The decisions of a solver on edges, for Python.

use kostra::Solve;
use kostra_core::{EdgeId, Observer, Order, Round, SolveError, Vertex};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::solve_error;
use crate::graph::Graph;

/// A step: what it does, the vertex or the edge, and the round.
type Step = (&'static str, u32, Option<u32>);

#[derive(Default)]
struct Decisions {
    round: Option<u32>,
    steps: Vec<Step>,
}

impl Observer for Decisions {
    fn round(&mut self, round: Round) {
        self.round = Some(round.index);
    }

    fn rounds_finished(&mut self) {
        self.round = None;
    }

    fn wants_edges(&self) -> bool {
        true
    }

    fn edge(&mut self, edge: EdgeId, kept: bool) {
        self.steps.push((if kept { "chosen" } else { "rejected" }, edge, self.round));
    }

    fn tree_started(&mut self, vertex: Vertex) {
        self.steps.push(("start", vertex, None));
    }

    fn solver_failed(&mut self, _error: &SolveError) {
        *self = Self::default();
    }
}

/// The steps of an algorithm; see `kostra.trace` in Python.
#[pyfunction]
pub(crate) fn trace(
    py: Python<'_>,
    graph: &Graph,
    algorithm: &str,
    maximum: bool,
) -> PyResult<Vec<Step>> {
    let solver = kostra::solver(algorithm);
    let solver = solver.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let order = if maximum { Order::Maximum } else { Order::Minimum };
    let mut decisions = Decisions::default();
    let solved = py.detach(|| {
        let solve = Solve::new().solver(Some(solver)).threads(1).order(order);
        solve.observer(&mut decisions).run_any(&graph.0).map(drop)
    });
    solved.map_err(|error| solve_error(py, error))?;
    Ok(decisions.steps)
}
