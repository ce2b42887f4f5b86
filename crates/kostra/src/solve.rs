//! Finding forests.

use std::num::NonZero;

use kostra_core::{Observer, Order, Run, SolveError, Solver};

use crate::{Forest, Graph, UnknownSolver, auto, auto_on_processor, solver};

/// Finds the minimum spanning forest of a graph with the solver that should be fastest, on all
/// threads of the machine.
///
/// Takes O(m log m) time in the worst case. [`Solve`] has options, and can be cancelled.
///
/// # Panics
/// When the system does not grant the memory. [`Solve`] returns this as an error.
pub fn minimum_spanning_forest(graph: &Graph) -> Forest {
    solved(graph, Order::Minimum)
}

/// Finds the maximum spanning forest of a graph, as [`minimum_spanning_forest`] finds the minimum.
///
/// ```
/// let graph = kostra::Graph::from_edges([(0, 1, 1), (1, 2, 2), (2, 0, 3)])?;
/// assert_eq!(kostra::maximum_spanning_forest(&graph).ids(), [1, 2]);
/// # Ok::<(), kostra::BuildError>(())
/// ```
///
/// # Panics
/// When the system does not grant the memory. [`Solve`] returns this as an error.
pub fn maximum_spanning_forest(graph: &Graph) -> Forest {
    solved(graph, Order::Maximum)
}

fn solved(graph: &Graph, order: Order) -> Forest {
    let forest = Solve::new().order(order).run(graph);
    forest.expect("the chosen solver suits the graph, and nothing cancels it")
}

/// How to find a forest: order, solver, threads, device, observer.
///
/// ```
/// use kostra::{Graph, Order, Solve};
///
/// let graph = Graph::from_edges([(0, 1, 1), (1, 2, 2), (2, 0, 3)])?;
/// let forest = Solve::new().algorithm("boruvka")?.order(Order::Maximum).threads(2).run(&graph)?;
/// assert_eq!(forest.ids(), [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Solve<'a> {
    solver: Option<&'static dyn Solver>,
    order: Order,
    threads: Option<usize>,
    device: usize,
    observer: Option<&'a mut dyn Observer>,
}

impl<'a> Solve<'a> {
    /// A minimum spanning forest, by the solver that should be fastest, on all threads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses a solver by its id. [`solvers`](crate::solvers) lists them.
    ///
    /// # Errors
    /// When no solver has the id; the error suggests similar ids.
    pub fn algorithm(mut self, id: &str) -> Result<Self, UnknownSolver> {
        self.solver = Some(solver(id)?);
        Ok(self)
    }

    /// Chooses between a minimum and a maximum spanning forest.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Sets the number of threads, at least 1.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the device, counted from 0, for solvers that run on a device.
    pub fn device(mut self, ordinal: usize) -> Self {
        self.device = ordinal;
        self
    }

    /// Sets what receives the reports of the solver, and can cancel it.
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Finds the forest. If no solver was chosen, and a device fails, a solver on the processor
    /// takes over.
    ///
    /// # Errors
    /// When the observer cancels, the system refuses memory, the chosen solver does not suit the
    /// graph, or there is no device for it.
    pub fn run(self, graph: &Graph) -> Result<Forest, SolveError> {
        let all = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = self.threads.unwrap_or_else(all);
        let mut run = Run::new().on_threads(threads).on_device(self.device);
        if let Some(observer) = self.observer {
            run = run.observed_by(observer);
        }
        let (any, order) = (graph.as_any(), self.order);
        let solution = match self.solver {
            Some(solver) => solver.solve(any, order, &mut run)?,
            None => match auto(any).solve(any, order, &mut run) {
                Err(SolveError::Cancelled) => return Err(SolveError::Cancelled),
                Err(_) => auto_on_processor(any).solve(any, order, &mut run)?,
                Ok(solution) => solution,
            },
        };
        Ok(Forest::new(graph, order, solution.forest))
    }
}
