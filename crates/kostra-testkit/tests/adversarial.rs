//! Tests the multithreaded solvers on graphs that are difficult for them: chains of hooks, hubs,
//! ties, many small components.
//!
//! The tests check the forest, and count the calls of a solver to its observer. The numbers of
//! rounds and sweeps must be close to the logarithm of the size. A solver that exceeds them, or
//! takes quadratic time, is cancelled and fails the test.

use std::time::Instant;

use kostra::solvers;
use kostra_core::{
    AnyGraph, EdgeId, EdgeList, Observer, Order, Platform, Round, Run, Solver, Vertex, Weight,
    random,
};
use kostra_testkit::matrix::{ExactAnswer, ORDERS};

/// The numbers of threads: as many as a small machine has, and an odd number above it.
const THREADS: [usize; 2] = [2, 3];

/// An observer that cancels a solver after too many rounds or cancellation checks.
struct Patience {
    most_rounds: u32,
    most_checks: u32,
    rounds: u32,
    checks: std::cell::Cell<u32>,
}

impl Patience {
    /// The limits for a graph of this size. Each round at least halves the components, and rounds
    /// can occur once for the light edges and once for all edges. Each round makes about ten
    /// checks, plus one per sweep over colors and one per million steps. Building CSR rows makes
    /// one check per 2^16 items in each pass, and a few per bucket of about 2^14 entries.
    fn for_size(vertices: usize, edges: usize) -> Self {
        let halvings = vertices.max(2).ilog2() + 1;
        let steps = (vertices + 2 * edges).div_ceil(1 << 20) as u32;
        let building = (vertices + 128 * edges).div_ceil(1 << 16) as u32 + 256;
        Self {
            most_rounds: 2 * halvings + 2,
            most_checks: halvings * (2 * halvings + 10 + steps) + building,
            rounds: 0,
            checks: 0.into(),
        }
    }
}

impl Observer for Patience {
    fn round(&mut self, _: Round) {
        self.rounds += 1;
    }

    fn cancelled(&self) -> bool {
        self.checks.set(self.checks.get() + 1);
        self.rounds > self.most_rounds || self.checks.get() > self.most_checks
    }
}

fn thread_solvers() -> impl Iterator<Item = &'static dyn Solver> {
    solvers().filter(|solver| solver.info().platform == Platform::Threads && solver.info().exact)
}

/// Checks that every multithreaded solver finds the known forest `forest`.
fn check(shape: &str, graph: &AnyGraph, order: Order, forest: &[EdgeId]) {
    for solver in thread_solvers() {
        for threads in THREADS {
            let about =
                format!("{} with {threads} threads on {shape} in {order:?}", solver.info().id);
            let mut patience = Patience::for_size(graph.vertices() as usize, graph.edges());
            let start = Instant::now();
            let solution = solver.solve(
                graph,
                order,
                &mut Run::new().on_threads(threads).observed_by(&mut patience),
            );
            let (rounds, checks) = (patience.rounds, patience.checks.get());
            let found = match solution {
                Ok(solution) => solution.forest.into_ids(),
                Err(error) => {
                    panic!(
                        "{about}: {error} after {rounds} rounds and {checks} cancellation checks"
                    )
                }
            };
            let first_fault = found.iter().zip(forest).position(|(found, right)| found != right);
            assert_eq!((found.len(), first_fault), (forest.len(), None), "{about}");
            let seconds = start.elapsed().as_secs_f64();
            println!("{about}: {rounds} rounds, {checks} cancellation checks, {seconds:.2} s");
        }
    }
}

/// As [`check`], with the forest of a sequential solver that the verifier has accepted.
fn check_verified(shape: &str, graph: &AnyGraph) {
    for order in ORDERS {
        let answer =
            ExactAnswer::verified(graph, order).unwrap_or_else(|fault| panic!("{shape}: {fault}"));
        check(shape, graph, order, &answer.forest);
    }
}

fn graph<W: Weight>(
    vertices: usize,
    ends: impl Iterator<Item = (Vertex, Vertex)>,
    weight: impl Fn(usize) -> W,
) -> AnyGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    let (u, v): (Vec<_>, Vec<_>) = ends.unzip();
    let weights = (0..u.len()).map(weight).collect();
    AnyGraph::from_edges(vertices, u, v, weights).expect("the ends are vertices of the graph")
}

fn path(vertices: usize) -> impl Iterator<Item = (Vertex, Vertex)> {
    (1..vertices as Vertex).map(|v| (v - 1, v))
}

fn ids(count: usize) -> Vec<EdgeId> {
    (0..count as EdgeId).collect()
}

/// The finalizer of SplitMix64, which maps each number to a pseudorandom number.
fn scatter(number: usize) -> u64 {
    random::mix((number as u64).wrapping_mul(random::STEP))
}

/// The ruler sequence: 0 1 0 2 0 1 0 3 ...
fn ruler(number: usize) -> u32 {
    (number + 1).trailing_zeros()
}

#[test]
#[ignore = "slow"]
fn slow_a_chain_of_a_million_hooks_takes_neither_quadratic_time_nor_deep_recursion() {
    // Every vertex except one hooks onto its neighbor in the same direction: toward the first
    // vertex with ascending weights, and toward the last vertex in the maximum order.
    // More than a stride of 2^20 steps, after which a solver checks for cancellation.
    const N: usize = 1_100_000;
    let graph = graph(N, path(N), |id| id as u32);
    for order in ORDERS {
        check("a path with ascending weights", &graph, order, &ids(N - 1));
    }
}

#[test]
fn a_path_that_halves_in_every_round_takes_logarithmically_many_rounds() {
    // Weights from the ruler sequence: in each round, components merge in pairs only, which gives
    // the greatest number of rounds.
    const N: usize = (1 << 18) + 3;
    check(
        "a path with the weights of a ruler",
        &graph(N, path(N), |id| ruler(id) as i64),
        Order::Minimum,
        &ids(N - 1),
    );
    // Four times as many edges, the first of each four the lightest, so that a filter solves the
    // light edges first.
    let four_times = || path(N / 2).flat_map(|ends| [ends; 4]);
    let forest: Vec<_> = (0..N / 2 - 1).map(|edge| 4 * edge as EdgeId).collect();
    let marks = graph(N / 2, four_times(), |id| 4 * ruler(id / 4) + (id % 4) as u32);
    check("a path of four edges each with the weights of a ruler", &marks, Order::Minimum, &forest);
}

#[test]
fn zigzags_and_caterpillars_are_solved() {
    const N: usize = 200_000;
    // Ascending and descending stretches of growing length, so that chains of hooks meet at the
    // minima and separate at the maxima.
    let zigzag = graph(N, path(N), |id| {
        let (stretch, place) = (id.isqrt(), id - id.isqrt() * id.isqrt());
        if stretch % 2 == 0 { place as f32 } else { (2 * stretch - place) as f32 }
    });
    check("a zigzag", &zigzag, Order::Minimum, &ids(N - 1));
    // The leaves of a caterpillar hook in the first round. Then the path of the caterpillar
    // remains, with chains and pairs.
    let back = path(N / 4);
    let legs = (0..3 * N as Vertex / 4).map(|leg| (leg % (N as Vertex / 4), N as Vertex / 4 + leg));
    let edges = N - 1;
    let caterpillar =
        graph(
            N,
            back.chain(legs),
            |id| if id < N / 4 - 1 { 100 + ruler(id) } else { id as u32 % 90 },
        );
    for order in ORDERS {
        check("a caterpillar with the weights of a ruler", &caterpillar, order, &ids(edges));
    }
}

#[test]
fn the_forest_of_a_star_has_all_its_edges() {
    const N: usize = 200_000;
    let spokes = || (1..N as Vertex).map(|v| (v, 0));
    check("a star", &graph(N, spokes(), |id| scatter(id) as i32), Order::Minimum, &ids(N - 1));
    check("a star of one weight", &graph(N, spokes(), |_| 0.0_f64), Order::Minimum, &ids(N - 1));
    for order in ORDERS {
        check(
            "a star with ascending weights",
            &graph(N, spokes(), |id| id as u64),
            order,
            &ids(N - 1),
        );
    }
}

#[test]
fn equal_weights_give_the_lowest_edge_ids() {
    // A complete graph, with the edges of the first vertex first.
    const FEW: usize = 700;
    let pairs = (0..FEW as Vertex).flat_map(|u| (u + 1..FEW as Vertex).map(move |v| (u, v)));
    check(
        "a complete graph of one weight",
        &graph(FEW, pairs, |_| 7_u32),
        Order::Maximum,
        &ids(FEW - 1),
    );
    // Two vertices with parallel edges only.
    let doubled = graph(2, (0..200_000).map(|edge| (edge % 2, 1 - edge % 2)), |_| -1.5_f32);
    check("parallel edges", &doubled, Order::Minimum, &[0]);
    // The forest of a cycle lacks only the last edge.
    const N: usize = 150_000;
    let cycle = path(N).chain([(N as Vertex - 1, 0)]);
    check("a cycle of one weight", &graph(N, cycle, |_| 0_i64), Order::Minimum, &ids(N - 1));
    check_verified(
        "a random graph of one weight",
        &graph(25_000, random(25_000, 150_000), |_| i32::MIN),
    );
}

fn random(vertices: usize, edges: usize) -> impl Iterator<Item = (Vertex, Vertex)> {
    let vertex = move |number| (scatter(number) % vertices as u64) as Vertex;
    (0..edges).map(move |edge| (vertex(2 * edge), vertex(2 * edge + 1)))
}

#[test]
fn graphs_of_three_weights_are_solved() {
    let weights = [f64::NEG_INFINITY, 0.0, f64::INFINITY];
    check_verified(
        "a random graph of three weights",
        &graph(50_000, random(50_000, 125_000), |id| weights[scatter(!id) as usize % 3]),
    );
    check_verified(
        "a dense graph of three weights",
        &graph(1_000, random(1_000, 200_000), |id| id as u32 % 3),
    );
}

#[test]
fn graphs_with_half_of_the_edges_at_a_hub_are_solved() {
    const N: usize = 50_000;
    // The hub has a middle id, and its edges are mixed with the others. Some are parallel, some are
    // self-loops.
    let to_hub = |(edge, (u, v))| if edge % 2 == 0 { (N as Vertex / 2, v) } else { (u, v) };
    let with_hub = || random(N, 250_000).enumerate().map(to_hub);
    check_verified("a hub", &graph(N, with_hub(), |id| scatter(!id) as u32));
    // The hub's edges are the heaviest, so the hub is reached late.
    check_verified(
        "a hub with heavy edges",
        &graph(N, with_hub(), |id| (id as u64 % 2) << 63 | scatter(!id) >> 1),
    );
}

#[test]
fn light_edges_between_few_vertices_are_solved() {
    // The light edges are more than the vertices, but connect only a few vertices. They disappoint
    // a solver that solves light edges first and expects them to connect most vertices.
    const N: usize = 20_000;
    let knot = |of: Vertex| (0..30_000).map(move |edge| (of + edge % 20, of + edge / 20 % 20));
    let knots = knot(0).chain(knot(20)).chain(knot(40));
    let ends =
        knots.chain(random(N, 250_000)).map(|(u, v)| (N as Vertex - 1 - u, N as Vertex - 1 - v));
    check_verified("clusters of light edges", &graph(N, ends, |id| id as i32));
    let ends = knot(0).chain(random(N, 250_000));
    check_verified("a cluster of light edges", &graph(N, ends, |id| id as i64));
}

#[test]
fn graphs_of_very_many_components_are_solved() {
    const PAIRS: usize = 300_000;
    let pairs = (0..PAIRS as Vertex).map(|pair| (2 * pair, 2 * pair + 1));
    check(
        "many pairs",
        &graph(2 * PAIRS, pairs, |id| scatter(id) as u32),
        Order::Minimum,
        &ids(PAIRS),
    );
    // Isolated vertices, a self-loop, and two vertices with two parallel edges.
    let few = [(7, 7), (299_999, 3), (3, 299_999)];
    check(
        "many vertices and an edge",
        &graph(PAIRS + 1, few.into_iter(), |_| 1),
        Order::Minimum,
        &[1],
    );
    // Triangles. The forest lacks the last edge of each triangle.
    let triangles = (0..PAIRS as Vertex / 4)
        .flat_map(|t| [(3 * t, 3 * t + 1), (3 * t + 1, 3 * t + 2), (3 * t + 2, 3 * t)]);
    let forest: Vec<_> = ids(3 * PAIRS / 4).into_iter().filter(|id| id % 3 != 2).collect();
    check("many triangles", &graph(3 * PAIRS / 4, triangles, |_| 0.5_f32), Order::Minimum, &forest);
}
