//! Runs every registered solver that this machine supports on one graph: in both orders, with
//! several numbers of threads, and in every [variant](crate::variants) of the solver's options.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use kostra::solvers;
use kostra_core::{
    AnyGraph, EdgeId, Key, Order, Platform, Run, SolveError, Solver, Total, with_graph,
};
use kostra_cuda::Device;

use crate::multigraphs::difference;
use crate::variants::{Variant, variants};
use crate::{mutate, oracle};

/// Both orders.
pub const ORDERS: [Order; 2] = [Order::Minimum, Order::Maximum];

/// The size, in vertices plus edges, from which a solver may refuse a graph as unsuitable.
pub const REALLY_LARGE: usize = 10_000;

/// The answer that every exact solver must return.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactAnswer {
    /// The edges of the canonical forest, ascending.
    pub forest: Vec<EdgeId>,
    /// The sum of their weights, if known.
    pub total: Option<Total>,
    /// The number of components of the graph.
    pub components: u32,
}

impl ExactAnswer {
    /// Computes the answer by the definition, for graphs of a few hundred edges.
    pub fn by_definition(graph: &AnyGraph, order: Order) -> Self {
        let forest = oracle::canonical_forest(graph, order);
        let total = oracle::integer_total(graph, &forest).map(Total::Integer);
        Self { forest, total, components: oracle::components(graph) }
    }

    /// The answer of the first exact solver, checked by the verifier, for graphs of any size.
    ///
    /// # Errors
    /// If that solver fails, or the verifier finds a violation.
    pub fn verified(graph: &AnyGraph, order: Order) -> Result<Self, Disagreement> {
        let solver =
            solvers().find(|solver| solver.info().exact).expect("an exact solver is registered");
        let combination =
            Combination { solver: solver.info().id, order, threads: 1, variant: Vec::new() };
        let forest = match solver.solve(graph, order, &mut Run::new()) {
            Ok(solution) => solution.forest,
            Err(error) => return Err(Disagreement { combination, fault: error.to_string() }),
        };
        if let Err(violation) = mutate::judge(graph, order, forest.ids()) {
            return Err(Disagreement { combination, fault: violation.to_string() });
        }
        let total = oracle::integer_total(graph, forest.ids()).map(Total::Integer);
        let total = total.or(Some(forest.total()));
        Ok(Self { total, components: oracle::components(graph), forest: forest.into_ids() })
    }
}

/// A solver with an order, a number of threads and option values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The solver's id.
    pub solver: &'static str,
    /// The order of the forest.
    pub order: Order,
    /// The number of threads.
    pub threads: usize,
    /// The options that were set. All others had their defaults.
    pub variant: Variant,
}

/// A solver that did not return the right answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The solver and its settings.
    pub combination: Combination,
    /// A description of the wrong answer or the failure.
    pub fault: String,
}

impl Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Combination { solver, order, threads, variant } = &self.combination;
        write!(f, "{solver} ({order:?}, threads: {threads}")?;
        variant.iter().try_for_each(|(name, value)| write!(f, ", {name}: {value}"))?;
        write!(f, "): {}", self.fault)
    }
}

impl std::error::Error for Disagreement {}

/// The number of right answers, and the refusals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatrixTally {
    /// The number of combinations that returned the right answer.
    pub right: usize,
    /// The combinations that refused a really large graph as unsuitable.
    pub refused: Vec<Combination>,
}

impl MatrixTally {
    /// Adds another tally to this one.
    pub fn add(&mut self, other: Self) {
        self.right += other.right;
        self.refused.extend(other.refused);
    }
}

/// The numbers of threads that a platform is tested with. They include odd numbers and more threads
/// than the machine has.
pub const fn thread_counts(platform: Platform) -> &'static [usize] {
    match platform {
        // The device does the work; host threads only transfer data.
        Platform::Sequential | Platform::Cuda => &[1],
        Platform::Threads => &[1, 2, 3, 8],
        // A job already has several ranks.
        Platform::Mpi => &[1, 2],
    }
}

/// The solvers that can run on this machine. A solver without its device is reported once.
///
/// # Panics
/// If no device can be opened although the system shows signs of one or `KOSTRA_REQUIRE_DEVICE` is
/// set. Otherwise a broken device would silently skip the tests.
pub fn solvers_here() -> impl Iterator<Item = &'static dyn Solver> {
    solvers().filter(|solver| can_run(*solver))
}

/// Whether a solver has the device that it needs. Reports each solver without its device once.
///
/// # Panics
/// As [`solvers_here`].
pub fn can_run(solver: &dyn Solver) -> bool {
    static SKIPPED: Mutex<Option<HashSet<&str>>> = Mutex::new(None);
    let info = solver.info();
    if info.platform != Platform::Cuda {
        return true;
    }
    let Err(reason) = &*DEVICE else { return true };
    let mut skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    if skipped.get_or_insert_default().insert(info.id) {
        println!("{}, in {} variants, skipped: {reason}", info.id, variants(info).len());
    }
    false
}

/// The reason why there is no device, determined without running a solver.
static DEVICE: LazyLock<Result<(), String>> = LazyLock::new(|| {
    let Err(error) = Device::open(0) else { return Ok(()) };
    let signs = ["/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg"];
    let sign = signs.into_iter().find(|sign| Path::new(sign).exists());
    let required = std::env::var_os("KOSTRA_REQUIRE_DEVICE").is_some_and(|value| !value.is_empty());
    assert!(!required, "KOSTRA_REQUIRE_DEVICE is set, but: {error}");
    assert!(sign.is_none(), "{sign:?} is a sign of a device, but: {error}");
    Err(error.to_string())
});

/// Runs every solver on a graph and compares the answers with the definition.
///
/// # Errors
/// The first solver with a different answer.
pub fn check_by_definition(graph: &AnyGraph) -> Result<MatrixTally, Disagreement> {
    let mut tally = MatrixTally::default();
    for order in ORDERS {
        tally.add(check(graph, order, &ExactAnswer::by_definition(graph, order))?);
    }
    Ok(tally)
}

/// Runs every solver on a graph [in turn](check_in_turn), and compares with one verified answer.
///
/// # Errors
/// The first solver with a different answer, or the violation that the verifier found.
pub fn check_verified(graph: &AnyGraph, turn: usize) -> Result<MatrixTally, Disagreement> {
    let mut tally = MatrixTally::default();
    for (turn, order) in (turn..).zip(ORDERS) {
        tally.add(check_in_turn(graph, order, &ExactAnswer::verified(graph, order)?, turn)?);
    }
    Ok(tally)
}

/// Runs every solver on a graph in one order, each [variant](variants) on one of the numbers of
/// threads that its platform is tested with, and compares with `answer`. In four successive turns,
/// each variant gets each number.
///
/// # Errors
/// The first solver with a different answer.
pub fn check_in_turn(
    graph: &AnyGraph,
    order: Order,
    answer: &ExactAnswer,
    turn: usize,
) -> Result<MatrixTally, Disagreement> {
    let mut tally = MatrixTally::default();
    for (turn, solver) in (turn..).zip(solvers_here()) {
        let info = solver.info();
        let threads = thread_counts(info.platform).iter().copied().cycle().skip(turn);
        let settings = threads.zip(variants(info));
        tally.add(check_settings(solver, graph, order, answer, settings)?);
    }
    Ok(tally)
}

/// Runs every solver on a graph in one order and compares with `answer`.
///
/// # Errors
/// The first solver with a different answer.
pub fn check(
    graph: &AnyGraph,
    order: Order,
    answer: &ExactAnswer,
) -> Result<MatrixTally, Disagreement> {
    let mut tally = MatrixTally::default();
    for solver in solvers_here() {
        tally.add(check_solver(solver, graph, order, answer)?);
    }
    Ok(tally)
}

/// Runs one solver in every [variant](variants) with every number of threads, and compares with
/// `answer`. The answer of an exact solver must agree edge id by edge id. The answer of an
/// approximate solver must be a spanning forest, and no better than the answer.
///
/// # Errors
/// The first combination with a different answer.
pub fn check_solver(
    solver: &dyn Solver,
    graph: &AnyGraph,
    order: Order,
    answer: &ExactAnswer,
) -> Result<MatrixTally, Disagreement> {
    let info = solver.info();
    let variants = variants(info);
    let settings = thread_counts(info.platform)
        .iter()
        .flat_map(|&threads| variants.iter().map(move |variant| (threads, variant.clone())));
    check_settings(solver, graph, order, answer, settings)
}

/// Runs one solver with some numbers of threads and variants, and compares with `answer` as
/// [`check_solver`] does.
///
/// # Errors
/// The first combination with a different answer.
pub fn check_settings(
    solver: &dyn Solver,
    graph: &AnyGraph,
    order: Order,
    answer: &ExactAnswer,
    settings: impl Iterator<Item = (usize, Variant)>,
) -> Result<MatrixTally, Disagreement> {
    let mut tally = MatrixTally::default();
    for (threads, variant) in settings {
        let combination = Combination { solver: solver.info().id, order, threads, variant };
        match check_one(solver, &combination, graph, answer) {
            Ok(()) => tally.right += 1,
            Err(Failure::Refused) => tally.refused.push(combination),
            Err(Failure::Wrong(fault)) => return Err(Disagreement { combination, fault }),
        }
    }
    Ok(tally)
}

enum Failure {
    Refused,
    Wrong(String),
}

fn check_one(
    solver: &dyn Solver,
    combination: &Combination,
    graph: &AnyGraph,
    answer: &ExactAnswer,
) -> Result<(), Failure> {
    let mut run = Run::new().on_threads(combination.threads);
    for (name, value) in &combination.variant {
        let set = run.with_option(solver.info(), name, *value);
        run = set.map_err(|error| Failure::Wrong(error.to_string()))?;
    }
    let forest = match solver.solve(graph, combination.order, &mut run) {
        Ok(solution) => solution.forest,
        Err(SolveError::Unsuitable { .. })
            if graph.vertices() as usize + graph.edges() >= REALLY_LARGE =>
        {
            return Err(Failure::Refused);
        }
        Err(error) => return Err(Failure::Wrong(format!("failed: {error}"))),
    };
    if forest.components() != answer.components {
        let (found, right) = (forest.components(), answer.components);
        return Err(Failure::Wrong(format!("counted {found} components instead of {right}")));
    }
    if !solver.info().exact {
        return check_approximate(graph, combination.order, forest.ids(), &answer.forest);
    }
    if forest.ids() != answer.forest {
        let fault = difference(forest.ids(), &answer.forest);
        return Err(Failure::Wrong(format!("returned edges {fault}")));
    }
    match answer.total {
        Some(total) if !same_total(forest.total(), total) => {
            Err(Failure::Wrong(format!("returned the total {} instead of {total}", forest.total())))
        }
        _ => Ok(()),
    }
}

/// Checks that a forest is a spanning forest whose edges are no better than those of the canonical
/// forest, one by one in order. Among all spanning forests, the canonical one has the best edge,
/// the best second edge, and so on. Unlike sums of floats, this comparison is exact.
fn check_approximate(
    graph: &AnyGraph,
    order: Order,
    found: &[EdgeId],
    right: &[EdgeId],
) -> Result<(), Failure> {
    if !oracle::is_spanning_forest(graph, found) {
        return Err(Failure::Wrong("did not return a spanning forest".to_owned()));
    }
    let keys = |ids: &[EdgeId]| {
        with_graph!(graph, graph => {
            let edges = graph.edge_list().edges(order);
            let mut keys: Vec<u64> = ids.iter().map(|&id| edges.key(id).to_u64()).collect();
            keys.sort_unstable();
            keys
        })
    };
    let better = keys(found).iter().zip(keys(right)).position(|(found, right)| *found < right);
    match better {
        Some(place) => {
            let fault = format!("returned a forest whose edge number {place} in order is too good");
            Err(Failure::Wrong(fault))
        }
        None => Ok(()),
    }
}

/// Whether two totals are equal. NaN, the sum of infinities of both signs, equals itself.
pub fn same_total(a: Total, b: Total) -> bool {
    match (a, b) {
        (Total::Float(a), Total::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use kostra_core::{
        Algorithm, EdgeSet, OptionValues, Problem, Representation, SolverInfo, SolverOption,
    };

    use super::*;

    /// A fake device solver that records the options of its runs.
    struct Stub;

    static SEEN: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());
    const SWITCH: SolverOption =
        SolverOption { name: "switch", about: "", values: OptionValues::Switch, default: 1 };
    const SIZE: SolverOption = SolverOption {
        name: "size",
        about: "",
        values: OptionValues::Number { lowest: 32, highest: 96 },
        default: 64,
    };

    impl Algorithm for Stub {
        const INFO: SolverInfo = SolverInfo {
            id: "stub",
            title: "a solver for tests",
            source: "none",
            platform: Platform::Cuda,
            representation: Representation::EdgeList,
            exact: true,
            time: "O(1)",
            scratch: "none",
            options: &[SWITCH, SIZE],
        };

        fn solve<K: Key>(
            &self,
            problem: Problem<'_, K>,
            run: &mut Run<'_>,
        ) -> Result<EdgeSet, SolveError> {
            let settings = (run.request.option(&SWITCH), run.request.option(&SIZE));
            SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(settings);
            let mut set = EdgeSet::new(problem.edges().len());
            if settings != (0, 33) {
                set.insert(0);
            }
            Ok(set)
        }
    }

    #[test]
    fn a_solver_with_one_wrong_variant_is_reported_with_that_variant() {
        let graph = AnyGraph::from_edges(2, vec![0], vec![1], vec![5]).unwrap();
        let answer = ExactAnswer::by_definition(&graph, Order::Minimum);
        let disagreement = check_solver(&Stub, &graph, Order::Minimum, &answer).unwrap_err();
        let words = disagreement.to_string();
        assert!(words.starts_with("stub (Minimum, threads: 1, switch: 0, size: 33): "), "{words}");
        assert_eq!(*SEEN.lock().unwrap_or_else(PoisonError::into_inner), [(0, 32), (0, 33)]);
    }
}
