//! Tests the test suite with faulty solvers: the cases of `testdata/` alone must detect each
//! typical fault.

use std::cmp::Ordering;

use kostra_core::{
    Algorithm, AnyGraph, EdgeId, EdgeSet, Edges, Key, Order, Platform, Problem, Representation,
    Run, SolveError, SolverInfo, UnionFind, with_graph,
};
use kostra_testkit::matrix::{self, ORDERS};
use kostra_testkit::suite;

/// A fault of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Nothing,
    TiesByHighestId,
    TiesByVertices,
    OrderIgnored,
    MaximumReversesIds,
    WeightsAsF64,
    WeightsAsF32,
    WeightsAsIntegers,
    ZerosDiffer,
    ZeroWeightsDropped,
    InfinitiesDropped,
    OneComponentOnly,
    FirstOfParallelsOnly,
    SmallGraphsRefused,
}

const FAULTS: [Fault; 13] = [
    Fault::TiesByHighestId,
    Fault::TiesByVertices,
    Fault::OrderIgnored,
    Fault::MaximumReversesIds,
    Fault::WeightsAsF64,
    Fault::WeightsAsF32,
    Fault::WeightsAsIntegers,
    Fault::ZerosDiffer,
    Fault::ZeroWeightsDropped,
    Fault::InfinitiesDropped,
    Fault::OneComponentOnly,
    Fault::FirstOfParallelsOnly,
    Fault::SmallGraphsRefused,
];

/// A solver with a fault in one order.
struct Faulty(Fault, Order);

impl Algorithm for Faulty {
    const INFO: SolverInfo = SolverInfo {
        id: "faulty",
        title: "Kruskal with a fault",
        source: "this project",
        platform: Platform::Sequential,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(m log m)",
        scratch: "not counted",
        options: &[],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        _: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        if self.0 == Fault::SmallGraphsRefused {
            let (cost, advice) = ("a moment".to_owned(), "use another");
            return Err(SolveError::Unsuitable { solver: "faulty", cost, advice });
        }
        let mut ids: Vec<EdgeId> = edges.ids().filter(|&id| self.sees(edges, id)).collect();
        ids.sort_by(|&a, &b| self.compare(edges, a, b));
        let mut components = UnionFind::new(edges.vertices());
        let mut forest = EdgeSet::new(edges.len());
        for id in ids {
            let (u, v) = edges.ends(id);
            if components.union(u, v) {
                forest.insert(id);
            }
        }
        if self.0 == Fault::OneComponentOnly && edges.vertices() > 0 {
            let all = forest.into_ids();
            forest = EdgeSet::new(edges.len());
            for id in all.into_iter().filter(|&id| components.same(0, edges.ends(id).0)) {
                forest.insert(id);
            }
        }
        Ok(forest)
    }
}

impl Faulty {
    fn sees<K: Key>(&self, edges: Edges<'_, K>, id: EdgeId) -> bool {
        let weight = as_f64(&edges.weight_text(id));
        let sorted_ends = |id| {
            let (u, v) = edges.ends(id);
            (u.min(v), u.max(v))
        };
        match self.0 {
            Fault::ZeroWeightsDropped => weight != 0.0,
            Fault::InfinitiesDropped => weight.is_finite(),
            Fault::FirstOfParallelsOnly => {
                !(0..id).any(|other| sorted_ends(other) == sorted_ends(id))
            }
            _ => true,
        }
    }

    fn compare<K: Key>(&self, edges: Edges<'_, K>, a: EdgeId, b: EdgeId) -> Ordering {
        let (x, y) = (&*edges.weight_text(a), &*edges.weight_text(b));
        let by_weight = match self.0 {
            Fault::WeightsAsF64 => as_f64(x).partial_cmp(&as_f64(y)),
            Fault::WeightsAsF32 => (as_f64(x) as f32).partial_cmp(&(as_f64(y) as f32)),
            Fault::WeightsAsIntegers => (as_f64(x) as i128).partial_cmp(&(as_f64(y) as i128)),
            Fault::ZerosDiffer if as_f64(x) == 0.0 => Some(as_f64(x).total_cmp(&as_f64(y))),
            _ => match (x.parse::<i128>(), y.parse::<i128>()) {
                (Ok(x), Ok(y)) => Some(x.cmp(&y)),
                _ => as_f64(x).partial_cmp(&as_f64(y)),
            },
        };
        let by_weight = by_weight.expect("no graph contains NaN");
        let by_weight = if self.1 == Order::Maximum && self.0 != Fault::OrderIgnored {
            by_weight.reverse()
        } else {
            by_weight
        };
        by_weight.then_with(|| match self.0 {
            Fault::TiesByHighestId => b.cmp(&a),
            Fault::TiesByVertices => edges.ends(a).cmp(&edges.ends(b)),
            Fault::MaximumReversesIds if self.1 == Order::Maximum => b.cmp(&a),
            _ => a.cmp(&b),
        })
    }
}

/// Converts a weight to `f64`, as a program with only one number type does.
fn as_f64(weight: &str) -> f64 {
    weight.parse().expect("a weight is written as a number")
}

/// The names of the cases that detect a solver with this fault.
fn cases_that_detect(fault: Fault) -> Vec<String> {
    let cases = suite::load().unwrap_or_else(|error| panic!("{error}"));
    let caught = |case: &suite::SuiteCase| {
        let right = |order| {
            matrix::check_solver(&Faulty(fault, order), &case.graph, order, case.answer(order))
        };
        ORDERS.into_iter().any(|order| right(order).is_err())
    };
    cases.into_iter().filter(caught).map(|case| case.name).collect()
}

#[test]
fn the_suite_detects_every_fault() {
    for fault in FAULTS {
        let cases = cases_that_detect(fault);
        println!("{fault:?}: {} cases, the first of them {:?}", cases.len(), cases.first());
        assert!(!cases.is_empty(), "no case detects {fault:?}");
    }
}

#[test]
fn a_right_solver_passes_the_suite() {
    assert_eq!(cases_that_detect(Fault::Nothing), Vec::<String>::new());
}

#[test]
fn large_graphs_may_be_refused_but_small_graphs_may_not() {
    for (vertices, refused) in [(matrix::REALLY_LARGE, true), (matrix::REALLY_LARGE - 1, false)] {
        let graph = AnyGraph::from_edges::<i32>(vertices, vec![], vec![], vec![]).unwrap();
        let answer = matrix::ExactAnswer::verified(&graph, Order::Minimum).unwrap();
        let solver = Faulty(Fault::SmallGraphsRefused, Order::Minimum);
        let tally = matrix::check_solver(&solver, &graph, Order::Minimum, &answer);
        assert_eq!(
            tally.is_ok_and(|tally| tally.refused.len() == 1),
            refused,
            "{vertices} vertices"
        );
    }
}

#[test]
fn the_verifier_detects_the_faults_too() {
    // The verifier accepts the forest of a faulty solver exactly if it is the answer of the case.
    for case in suite::load().unwrap_or_else(|error| panic!("{error}")) {
        for (fault, order) in
            FAULTS.into_iter().flat_map(|fault| ORDERS.map(|order| (fault, order)))
        {
            let ids = with_graph!(&case.graph, graph => {
                let problem = Problem::new(graph, order, &Faulty::INFO);
                Faulty(fault, order).solve(problem, &mut Run::new()).map(EdgeSet::into_ids)
            });
            let Ok(ids) = ids else { continue };
            let verified = kostra_testkit::mutate::judge(&case.graph, order, &ids).is_ok();
            assert_eq!(verified, ids == case.answer(order).forest, "{}: {fault:?}", case.name);
        }
    }
}
