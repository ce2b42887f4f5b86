//! The decisions of a solver on edges, in the order in which it makes them.

use kostra_core::{AnyGraph, EdgeId, Observer, Order, Round, Run, Solver, SolverInfo};

/// The id of the solver that grows one tree.
pub(crate) const PRIM: &str = "prim-binary";

/// The ids of the solvers that the page compares.
pub const COMPARED: [&str; 3] = ["kruskal", PRIM, "boruvka"];

/// What one solver did.
pub struct Steps {
    /// The solver's description.
    pub info: &'static SolverInfo,
    /// The edges that the solver decided, and whether it kept each.
    pub decisions: Vec<(EdgeId, bool)>,
    /// The number of decisions before each round, for solvers with rounds.
    pub rounds: Vec<usize>,
    /// The edge ids of the forest, ascending.
    pub forest: Vec<EdgeId>,
}

#[derive(Default)]
struct Recorder {
    decisions: Vec<(EdgeId, bool)>,
    rounds: Vec<usize>,
}

impl Observer for Recorder {
    fn round(&mut self, _: Round) {
        self.rounds.push(self.decisions.len());
    }
    fn wants_edges(&self) -> bool {
        true
    }
    fn edge(&mut self, edge: EdgeId, kept: bool) {
        self.decisions.push((edge, kept));
    }
}

/// Runs the solver with the id `id` on a graph.
///
/// # Errors
/// A sentence, when there is no such solver or it refuses the graph.
pub fn run(id: &str, graph: &AnyGraph) -> Result<Steps, String> {
    let solver: &dyn Solver = kostra_cpu::sequential_solvers()
        .find(|solver| solver.info().id == id)
        .ok_or_else(|| format!("there is no solver {id} on one thread"))?;
    let mut recorder = Recorder::default();
    let mut run = Run::new().observed_by(&mut recorder);
    let solution =
        solver.solve(graph, Order::Minimum, &mut run).map_err(|error| error.to_string())?;
    let Recorder { decisions, rounds } = recorder;
    Ok(Steps { info: solver.info(), decisions, rounds, forest: solution.forest.into_ids() })
}
