//! Finding forests: the one place that decides which solver runs where, and what happens if it
//! fails. The command, Python and C call it.

mod device;
mod solved;
#[cfg(test)]
mod tests;

use kostra_core::{
    AnyGraph, MOST_THREADS, Observer, OptionValue, Order, PartsError, Platform, RequestError, Run,
    Solution, SolveError, Solver, SolverInfo, VertexParts, Workspace,
};

use crate::registry::for_devices;
use crate::{Forest, Graph, UnknownSolver, auto, auto_on_processor, solver};
pub use device::DeviceChoice;
pub use solved::{Fallback, Solved};

/// The id that leaves the choice of the solver to [`Solve`].
pub const AUTO: &str = "auto";

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

/// How to find a forest: order, solver and its options, threads, devices, parts, scratch memory,
/// observer.
///
/// If neither a solver nor a device was chosen, and the solver for a device fails, a solver on the
/// processor takes over.
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
    threads: usize,
    device: DeviceChoice,
    settings: Vec<(String, OptionValue)>,
    parts: Option<VertexParts<'a>>,
    workspace: Option<&'a mut Workspace>,
    observer: Option<&'a mut dyn Observer>,
}

impl<'a> Solve<'a> {
    /// A minimum spanning forest, by the solver that should be fastest, on all threads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses a solver by its id. [`solvers`](crate::solvers) lists them. [`AUTO`] leaves the
    /// choice free.
    ///
    /// # Errors
    /// When no solver has the id; the error suggests similar ids.
    pub fn algorithm(mut self, id: &str) -> Result<Self, UnknownSolver> {
        self.solver = if id == AUTO { None } else { Some(solver(id)?) };
        Ok(self)
    }

    /// Chooses a solver; `None` leaves the choice free.
    pub fn solver(mut self, solver: impl Into<Option<&'static dyn Solver>>) -> Self {
        self.solver = solver.into();
        self
    }

    /// Chooses between a minimum and a maximum spanning forest.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Sets the number of threads, at most [`MOST_THREADS`]; 0 stands for
    /// [`default_threads`](crate::default_threads).
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Chooses where to solve.
    pub fn device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Sets an option of the solver. The last value of an option counts.
    pub fn option(mut self, name: &str, value: impl Into<OptionValue>) -> Self {
        self.settings.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the part of each vertex, for a solver that works on parts.
    pub fn parts(mut self, parts: VertexParts<'a>) -> Self {
        self.parts = Some(parts);
        self
    }

    /// Sets the scratch memory, which several solves can use in turn. Allocating it takes time.
    pub fn workspace(mut self, workspace: &'a mut Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Sets what receives the reports of the solver, and can cancel it.
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Decides whether solver, device, threads and options fit together. A run does this first;
    /// before long work, such as reading a graph, a caller may ask earlier.
    ///
    /// # Errors
    /// When they do not.
    pub fn check(&self) -> Result<(), RequestError> {
        if self.threads > MOST_THREADS {
            let (threads, most) = (self.threads, MOST_THREADS);
            return Err(RequestError::TooManyThreads { threads, most });
        }
        let devices = self.device.ordinals().len();
        let Some(solver) = self.solver else {
            return if devices == 0 { Ok(()) } else { for_devices(devices > 1).map(drop) };
        };
        let (info, id) = (solver.info(), solver.info().id);
        match (info.platform, &self.device) {
            (Platform::Cuda, DeviceChoice::Processor) => {
                return Err(RequestError::DeviceOnly { solver: id });
            }
            (Platform::Cuda, DeviceChoice::Cuda(_)) if devices > 1 && !solver.uses_devices() => {
                return Err(RequestError::OneDevice { solver: id, devices });
            }
            (Platform::Cuda, _) | (_, DeviceChoice::Automatic | DeviceChoice::Processor) => {}
            (_, DeviceChoice::Cuda(_)) => {
                return Err(RequestError::ProcessorOnly { solver: id });
            }
        }
        self.set_options(Run::new(), info).map(drop)
    }

    /// Finds the forest. [`run_detailed`](Self::run_detailed) also tells how.
    ///
    /// # Errors
    /// When the request contradicts itself, the observer cancels, the system refuses memory, or a
    /// solver or a device that the caller has chosen does not suit the graph, is absent or fails.
    pub fn run(self, graph: &Graph) -> Result<Forest, SolveError> {
        self.run_detailed(graph).map(|solved| solved.forest)
    }

    /// Finds the forest, and tells the solver that found it, its times, and whether it was the
    /// first.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_detailed(self, graph: &Graph) -> Result<Solved, SolveError> {
        let order = self.order;
        let solved = self.run_any(graph.as_any())?;
        Ok(solved.map(|forest| Forest::new(graph, order, forest)))
    }

    /// As [`run_detailed`](Self::run_detailed), for a graph of the engine. The forest does not keep
    /// it alive.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_any(mut self, graph: &AnyGraph) -> Result<Solved<kostra_core::Forest>, SolveError> {
        let Choice { solver, fallback } = self.choose(graph)?;
        match (self.attempt(graph, solver), fallback) {
            (Err(error), Some(fallback)) if error != SolveError::Cancelled => {
                if let Some(observer) = &mut self.observer {
                    observer.solver_failed(&error);
                }
                let mut solved = self.attempt(graph, fallback)?;
                solved.fallback = Some(Fallback { solver: solver.info(), error });
                Ok(solved)
            }
            (result, _) => result,
        }
    }

    fn choose(&self, graph: &AnyGraph) -> Result<Choice, SolveError> {
        self.check()?;
        let solver = match (self.solver, &self.device) {
            (Some(solver), _) => solver,
            (None, DeviceChoice::Automatic) => auto(graph),
            (None, DeviceChoice::Processor) => auto_on_processor(graph),
            (None, DeviceChoice::Cuda(named)) => for_devices(named.len() > 1)?,
        };
        self.set_options(Run::new(), solver.info())?;
        if self.parts.is_some() && !solver.uses_partition() {
            return Err(PartsError::NotUsed { solver: solver.info().id }.into());
        }
        let is_free = self.solver.is_none() && self.device == DeviceChoice::Automatic;
        let fallback = (is_free && solver.info().platform == Platform::Cuda)
            .then(|| auto_on_processor(graph))
            .filter(|fallback| self.set_options(Run::new(), fallback.info()).is_ok());
        Ok(Choice { solver, fallback })
    }

    fn attempt(
        &mut self,
        graph: &AnyGraph,
        solver: &dyn Solver,
    ) -> Result<Solved<kostra_core::Forest>, SolveError> {
        let info = solver.info();
        let threads = match (info.platform, self.threads) {
            (Platform::Sequential, _) => 1,
            (_, 0) => kostra_core::default_threads(),
            (_, threads) => threads,
        };
        let run = Run::new().on_threads(threads).on_devices(self.device.ordinals());
        let mut run = self.set_options(run, info)?;
        if let Some(parts) = self.parts {
            run = run.on_parts(parts);
        }
        if let Some(workspace) = &mut self.workspace {
            run = run.in_workspace(workspace);
        }
        if let Some(observer) = &mut self.observer {
            run = run.observed_by(&mut **observer);
        }
        let solution = solver.solve(graph, self.order, &mut run)?;
        let Solution { forest, build, compile, upload, solve, download } = solution;
        let (solver, fallback) = (info, None);
        Ok(Solved { forest, solver, threads, fallback, build, compile, upload, solve, download })
    }

    fn set_options<'r>(
        &self,
        mut run: Run<'r>,
        solver: &SolverInfo,
    ) -> Result<Run<'r>, RequestError> {
        for (name, value) in &self.settings {
            run = run.with_option(solver, name, value.clone())?;
        }
        Ok(run)
    }
}

/// The solver of a run, and the one that takes over if it fails.
struct Choice {
    solver: &'static dyn Solver,
    fallback: Option<&'static dyn Solver>,
}
