//! One graph through every registered solver that this machine can run, in both orders, on several
//! numbers of threads, and in every [variant](crate::variants) of the solver's options.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use kostra::cuda::Device;
use kostra::{AnyGraph, EdgeId, Order, Platform, Run, SolveError, Solver, Total, solvers};

use crate::variants::{Variant, variants};
use crate::{mutate, oracle};

/// Both orders.
pub const ORDERS: [Order; 2] = [Order::Minimum, Order::Maximum];

/// A solver may call a graph unsuitable only from this many vertices and edges together.
pub const REALLY_LARGE: usize = 10_000;

/// What every exact solver must return.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The edges of the canonical forest, ascending.
    pub forest: Vec<EdgeId>,
    /// The sum of their weights, where it is known.
    pub total: Option<Total>,
    /// How many components the graph has.
    pub components: u32,
}

impl Answer {
    /// The answer by definition, for graphs of some hundred edges.
    pub fn by_definition(graph: &AnyGraph, order: Order) -> Self {
        let forest = oracle::canonical_forest(graph, order);
        let total = oracle::integer_total(graph, &forest).map(Total::Integer);
        Self { forest, total, components: oracle::components(graph) }
    }

    /// The answer of the first exact solver, once the verifier agrees with it: for graphs of any
    /// size.
    ///
    /// # Errors
    /// When that solver fails, or the verifier names a violation.
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

/// A solver under certain circumstances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The solver's id.
    pub solver: &'static str,
    /// What it was asked for.
    pub order: Order,
    /// How many threads it had.
    pub threads: usize,
    /// Which of its options were set; the others had their defaults.
    pub variant: Variant,
}

/// A solver that did not return the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Which one, and when.
    pub combination: Combination,
    /// What it did instead.
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

/// How many combinations answered, and which refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Combinations that gave the right answer.
    pub right: usize,
    /// Combinations that called a really large graph unsuitable.
    pub refused: Vec<Combination>,
}

impl Tally {
    /// Counts another tally in.
    pub fn add(&mut self, other: Self) {
        self.right += other.right;
        self.refused.extend(other.refused);
    }
}

/// The numbers of threads that a platform is tried with: more than the machine has, and odd ones,
/// are ordinary.
pub const fn thread_counts(platform: Platform) -> &'static [usize] {
    match platform {
        // A device is one device; the threads beside it only carry data.
        Platform::Sequential | Platform::Cuda => &[1],
        Platform::Threads => &[1, 2, 3, 8],
        // Ranks are many already.
        Platform::Mpi => &[1, 2],
    }
}

/// The solvers that can run on this machine. One that cannot, for want of a device, is named once.
///
/// # Panics
/// When there are signs of a device, or `KOSTRA_REQUIRE_DEVICE` is set, and yet no device can be
/// opened: then it must not look as if nothing had been skipped.
pub fn solvers_here() -> impl Iterator<Item = &'static dyn Solver> {
    solvers().filter(|solver| can_run(*solver))
}

/// Whether a solver has the device that it needs; says once for each that has not.
fn can_run(solver: &dyn Solver) -> bool {
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

/// Why there is no device, found out by other means than a solver's word.
static DEVICE: LazyLock<Result<(), String>> = LazyLock::new(|| {
    let Err(error) = Device::open(0) else { return Ok(()) };
    let signs = ["/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg"];
    let sign = signs.into_iter().find(|sign| Path::new(sign).exists());
    let required = std::env::var_os("KOSTRA_REQUIRE_DEVICE").is_some_and(|value| !value.is_empty());
    assert!(!required, "KOSTRA_REQUIRE_DEVICE is set, but: {error}");
    assert!(sign.is_none(), "{sign:?} is a sign of a device, but: {error}");
    Err(error.to_string())
});

/// Runs every solver on a graph and compares with what the definition says.
///
/// # Errors
/// The first solver that returns something else.
pub fn check_by_definition(graph: &AnyGraph) -> Result<Tally, Disagreement> {
    check_both(graph, |order| Ok(Answer::by_definition(graph, order)))
}

/// Runs every solver on a graph and compares all of them with one whose answer is verified.
///
/// # Errors
/// The first solver that returns something else, or the verifier's complaint.
pub fn check_verified(graph: &AnyGraph) -> Result<Tally, Disagreement> {
    check_both(graph, |order| Answer::verified(graph, order))
}

fn check_both(
    graph: &AnyGraph,
    answer: impl Fn(Order) -> Result<Answer, Disagreement>,
) -> Result<Tally, Disagreement> {
    let mut tally = Tally::default();
    for order in ORDERS {
        tally.add(check(graph, order, &answer(order)?)?);
    }
    Ok(tally)
}

/// Runs every solver on a graph in one order and compares with the answer.
///
/// # Errors
/// The first solver that returns something else.
pub fn check(graph: &AnyGraph, order: Order, answer: &Answer) -> Result<Tally, Disagreement> {
    let mut tally = Tally::default();
    for solver in solvers_here() {
        tally.add(check_solver(solver, graph, order, answer)?);
    }
    Ok(tally)
}

/// Runs one solver with every variant on every number of threads and compares with the answer: edge
/// id by edge id where the solver is exact; where it is approximate, its answer must be some
/// spanning forest.
///
/// # Errors
/// The first combination in which it returns something else.
pub fn check_solver(
    solver: &dyn Solver,
    graph: &AnyGraph,
    order: Order,
    answer: &Answer,
) -> Result<Tally, Disagreement> {
    let info = solver.info();
    let mut tally = Tally::default();
    for &threads in thread_counts(info.platform) {
        for variant in variants(info) {
            let combination = Combination { solver: info.id, order, threads, variant };
            match check_one(solver, &combination, graph, answer) {
                Ok(()) => tally.right += 1,
                Err(Failure::Refused) => tally.refused.push(combination),
                Err(Failure::Wrong(fault)) => return Err(Disagreement { combination, fault }),
            }
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
    answer: &Answer,
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
        Err(error) => return Err(Failure::Wrong(format!("gave no answer: {error}"))),
    };
    if forest.components() != answer.components {
        let (found, right) = (forest.components(), answer.components);
        return Err(Failure::Wrong(format!("counted {found} components instead of {right}")));
    }
    if !solver.info().exact {
        let spanning = oracle::is_spanning_forest(graph, forest.ids());
        return if spanning {
            Ok(())
        } else {
            Err(Failure::Wrong("returned no spanning forest".to_owned()))
        };
    }
    if forest.ids() != answer.forest {
        return Err(Failure::Wrong(describe_difference(forest.ids(), &answer.forest)));
    }
    match answer.total {
        Some(total) if !same_total(forest.total(), total) => Err(Failure::Wrong(format!(
            "the total came out as {} instead of {total}",
            forest.total()
        ))),
        _ => Ok(()),
    }
}

/// Whether two totals are equal, NaN (from infinities of both signs) being equal to itself.
pub fn same_total(a: Total, b: Total) -> bool {
    match (a, b) {
        (Total::Float(a), Total::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
        _ => a == b,
    }
}

/// Which edges one list has and the other has not, the first few of each.
fn describe_difference(found: &[EdgeId], right: &[EdgeId]) -> String {
    let few = |ids: &[EdgeId], others: &[EdgeId]| {
        ids.iter().filter(|id| !others.contains(id)).take(5).copied().collect::<Vec<_>>()
    };
    format!(
        "returned {} edges instead of {}; wrongly in: {:?}, wrongly out: {:?} (the first few of each)",
        found.len(),
        right.len(),
        few(found, right),
        few(right, found)
    )
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use kostra::{Algorithm, EdgeSet, Problem, Representation, SolverInfo, SolverOption, Weight};

    use super::*;

    /// A solver on a device in name only, which notes the options that it was run with.
    struct Stub;

    static SEEN: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());
    const SWITCH: SolverOption =
        SolverOption { name: "switch", about: "", default: 1, lowest: 0, highest: 1 };
    const SIZE: SolverOption =
        SolverOption { name: "size", about: "", default: 64, lowest: 32, highest: 96 };

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

        fn solve<W: Weight>(
            &self,
            problem: Problem<'_, W>,
            run: &mut Run<'_>,
        ) -> Result<EdgeSet, SolveError> {
            let settings = (run.option(&SWITCH), run.option(&SIZE));
            SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(settings);
            let mut set = EdgeSet::new(problem.edges().len());
            if settings != (0, 33) {
                set.insert(0);
            }
            Ok(set)
        }
    }

    #[test]
    fn a_solver_that_is_wrong_in_one_variant_only_is_found_out_and_named() {
        let graph = AnyGraph::from_edges(2, vec![0], vec![1], vec![5]).unwrap();
        let answer = Answer::by_definition(&graph, Order::Minimum);
        let disagreement = check_solver(&Stub, &graph, Order::Minimum, &answer).unwrap_err();
        let words = disagreement.to_string();
        assert!(words.starts_with("stub (Minimum, threads: 1, switch: 0, size: 33): "), "{words}");
        assert_eq!(*SEEN.lock().unwrap_or_else(PoisonError::into_inner), [(0, 32), (0, 33)]);
    }
}
