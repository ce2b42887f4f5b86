//! Alternatives to forests, and forests under constraints, for Python.

use std::sync::{Arc, Mutex, PoisonError};

use kostra::variants::{
    Alternatives, BestForests, BestForestsError, ConstraintError, CountError, ForestConstraints,
    ReducedGraph, TreeCount,
};
use kostra::{Solve, Solved};
use kostra_core::{AnyGraph, EdgeId, Order, Run, Vertex, with_graph};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{out_of_memory, solve_error};
use crate::forest::Forest;
use crate::graph::Graph;
use crate::threads::threads_or_default;
use crate::watch::{CancelFlag, interruptible};

/// The alternatives to the canonical forest of a graph.
#[pyclass(frozen, name = "Alternatives", module = "kostra._kostra")]
pub(crate) struct GraphAlternatives(Arc<State>);

struct State {
    graph: Arc<AnyGraph>,
    order: Order,
    forest: Vec<EdgeId>,
    found: Alternatives,
}

#[pymethods]
impl GraphAlternatives {
    /// Solves the graph, and finds the alternatives.
    #[staticmethod]
    fn find(
        py: Python<'_>,
        graph: &Graph,
        maximum: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let order = if maximum { Order::Maximum } else { Order::Minimum };
        let (graph, stop) = (graph.0.clone(), CancelFlag::default());
        let (mut first, mut second) = (stop.clone(), stop.clone());
        let work = move || {
            let solve = Solve::new().order(order).threads(threads.unwrap_or_default());
            let forest = solve.observer(&mut first).run_any(&graph)?.forest.into_ids();
            let run = Run::new().on_threads(threads_or_default(threads));
            let mut run = run.observed_by(&mut second);
            let found = Alternatives::find(&graph, order, &forest, &mut run)?;
            Ok(Self(Arc::new(State { graph, order, forest, found })))
        };
        let found = interruptible(py, work).inspect_err(|_| stop.cancel())?;
        found.map_err(|error| solve_error(py, error))
    }

    #[getter]
    fn unique(&self) -> bool {
        self.0.found.is_unique()
    }

    /// Whether each edge is in some best forest, or with `every` in all.
    fn members<'py>(&self, py: Python<'py>, every: bool) -> Bound<'py, PyArray1<bool>> {
        let State { graph, found, .. } = &*self.0;
        let is_member = |id| if every { found.in_every(id) } else { found.in_some(id) };
        let members = py.detach(|| (0..graph.edges() as EdgeId).map(is_member).collect::<Vec<_>>());
        members.into_pyarray(py)
    }

    /// The rival of each edge, or -1.
    fn rivals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let State { graph, found, .. } = &*self.0;
        let rival = |id| found.rival(id).map_or(-1, i64::from);
        let rivals = py.detach(|| (0..graph.edges() as EdgeId).map(rival).collect::<Vec<_>>());
        rivals.into_pyarray(py)
    }

    /// The number of best forests, in bytes from the lowest.
    fn count(&self, py: Python<'_>, most_steps: u64) -> PyResult<Vec<u8>> {
        let state = self.0.clone();
        let work = move || state.found.count(&state.graph, state.order, most_steps);
        match interruptible(py, work)? {
            Ok(number) => Ok(number.to_bytes_le()),
            Err(CountError::OutOfMemory(refusal)) => Err(out_of_memory(refusal)),
            Err(error) => Err(PyValueError::new_err(error.to_string())),
        }
    }

    /// An iterator over the best forests.
    fn best(&self, py: Python<'_>, most: usize) -> PyResult<ForestsInOrder> {
        let State { graph, order, found, .. } = &*self.0;
        let best = py.detach(|| BestForests::new(graph, *order, found, most));
        let best = best.map_err(|error| match error {
            BestForestsError::OutOfMemory(refusal) => out_of_memory(refusal),
            error => PyValueError::new_err(error.to_string()),
        })?;
        Ok(ForestsInOrder { of: self.0.clone(), best: Mutex::new(best) })
    }
}

/// The best forests of a graph, in order.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct ForestsInOrder {
    of: Arc<State>,
    best: Mutex<BestForests>,
}

#[pymethods]
impl ForestsInOrder {
    /// The next forest; nothing after the last one.
    fn advance(&self, py: Python<'_>) -> PyResult<Option<Forest>> {
        let State { graph, order, forest, .. } = &*self.of;
        let next = py.detach(|| {
            let next = self.best.lock().unwrap_or_else(PoisonError::into_inner).next();
            next.transpose()?.map(|found| forest_of(graph, *order, found.ids(forest))).transpose()
        });
        next.map_err(out_of_memory)
    }
}

fn forest_of(
    graph: &AnyGraph,
    order: Order,
    ids: Vec<EdgeId>,
) -> Result<Forest, kostra_core::OutOfMemory> {
    let forest = with_graph!(graph, graph => {
        kostra_core::Forest::new(graph.edge_list().edges(order), ids)
    });
    Forest::of_graph(graph, order, forest, crate::forest::IN_ORDER)
}

/// What a forest must satisfy: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ConstraintKeywords<'py> {
    include: PyReadonlyArray1<'py, EdgeId>,
    exclude: PyReadonlyArray1<'py, EdgeId>,
    links: Vec<Vec<Vertex>>,
    trees: Option<u32>,
    most_trees: Option<u32>,
    maximum: bool,
    threads: Option<usize>,
}

/// The best forest under constraints, and the number of its trees.
#[pyfunction]
pub(crate) fn constrained_forest(
    py: Python<'_>,
    graph: &Graph,
    keywords: ConstraintKeywords<'_>,
) -> PyResult<(Forest, u32)> {
    let ConstraintKeywords { include, exclude, links, trees, most_trees, .. } = keywords;
    let order = if keywords.maximum { Order::Maximum } else { Order::Minimum };
    let trees = match (trees, most_trees) {
        (Some(trees), _) => TreeCount::Exactly(trees),
        (None, Some(trees)) => TreeCount::AtMost(trees),
        (None, None) => TreeCount::Fewest,
    };
    let (include, exclude) = (include.as_slice()?.to_vec(), exclude.as_slice()?.to_vec());
    let constraints = ForestConstraints { include, exclude, links, trees };
    let (graph, stop) = (graph.0.clone(), CancelFlag::default());
    let mut watched = stop.clone();
    let work = move || -> Result<_, ConstraintError> {
        let reduced = ReducedGraph::new(&graph, &constraints)?;
        let solve = Solve::new().order(order).threads(keywords.threads.unwrap_or_default());
        let solved = solve.observer(&mut watched).run_any(reduced.graph());
        let solved = solved.map_err(ConstraintError::Solve)?;
        let forest = reduced.complete(order, solved.forest.ids())?;
        let trees = reduced.trees(&forest);
        let solved = Solved { forest, ..solved };
        Ok((Forest::from_solved(&graph, order, solved)?, trees))
    };
    let found = interruptible(py, work).inspect_err(|_| stop.cancel())?;
    found.map_err(|error| match error {
        ConstraintError::OutOfMemory(refusal) => out_of_memory(refusal),
        ConstraintError::Solve(error) => solve_error(py, error),
        error => PyValueError::new_err(error.to_string()),
    })
}
