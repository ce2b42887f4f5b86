//! Every solver on every graph with every value of its options. A case is solved in both orders,
//! and each order has half of the distributions of the edges. The orders exchange their halves
//! between jobs of even and odd numbers of ranks.

use std::iter;

use kostra_core::{AnyGraph, Observer, Order, Round, Run};
use kostra_mpi::{
    AnySlice, Communicator, DistributedForest, DistributedSolver, EdgeDistribution, VertexPlacement,
};
use kostra_testkit::matrix::{ExactAnswer, ORDERS, same_total};
use kostra_testkit::multigraphs::{Random, describe, difference};
use kostra_testkit::suite;

/// The number of small random graphs.
const RANDOM_GRAPHS: u64 = 150;
/// Their number on devices, where solving a small graph takes milliseconds.
const RANDOM_GRAPHS_ON_DEVICES: u64 = 40;

/// Checks all solvers, or the one with the id `only`. Returns the number of correct answers. Ends
/// the job at the first wrong one.
pub(crate) fn check(only: Option<&str>, world: &Communicator) -> usize {
    let solvers: Vec<_> =
        crate::solvers().filter(|solver| only.is_none_or(|id| solver.info().id == id)).collect();
    if solvers.is_empty() {
        world.fail("there is no solver with this id");
    }
    let all = &Job { solvers, world, device: device(world) };
    let mut right = 0;
    let cases = world.agree(suite::load()).unwrap_or_else(|refusal| refusal.end());
    for case in &cases {
        for order in ORDERS {
            right += check_distributions(&case.name, &case.graph, order, case.answer(order), all);
        }
    }
    let uses_devices = std::env::var_os(TEST_DEVICES).is_some();
    let random_graphs = if uses_devices { RANDOM_GRAPHS_ON_DEVICES } else { RANDOM_GRAPHS };
    for seed in 0..random_graphs {
        let graph = Random(seed).any_graph();
        let order = ORDERS[(seed % 2) as usize];
        right += check_graph(&format!("seed {seed}"), &graph, &[order], all);
    }
    for ((name, graph), order) in large().into_iter().zip(ORDERS.into_iter().cycle()) {
        right += check_graph(name, &graph, &[order], all);
    }
    if uses_devices {
        right += check_graph("uniform, for devices", &for_devices(), &ORDERS, all);
    }
    check_merge(world);
    check_levels(world);
    right
}

/// The solvers to check, on these ranks.
struct Job<'a> {
    solvers: Vec<&'static dyn DistributedSolver>,
    world: &'a Communicator,
    /// The device of this rank.
    device: Option<usize>,
}

/// If this variable is set, the ranks take turns on all devices. If it is `mixed`, rank 0 has none.
const TEST_DEVICES: &str = "KOSTRA_TEST_DEVICES";

/// The device of this rank.
fn device(world: &Communicator) -> Option<usize> {
    let which = std::env::var_os(TEST_DEVICES)?;
    if which == "mixed" && world.rank() == 0 {
        return None;
    }
    let count = kostra_cuda::Device::count().unwrap_or_else(|error| world.fail(error));
    Some((world.rank() - world.first_on_machine()) % count.max(1))
}

fn check_graph(name: &str, graph: &AnyGraph, orders: &[Order], job: &Job<'_>) -> usize {
    let check = |&order| {
        // The check by definition takes quadratic time.
        let answer = if graph.edges() < 300 {
            ExactAnswer::by_definition(graph, order)
        } else {
            ExactAnswer::verified(graph, order).unwrap_or_else(|error| job.world.fail(error))
        };
        check_distributions(name, graph, order, &answer, job)
    };
    orders.iter().map(check).sum()
}

/// Graphs that are large enough for several threads, in shapes that are hard to distribute or need
/// many messages.
fn large() -> Vec<(&'static str, AnyGraph)> {
    let mut random = Random(7);
    let graph = |n: u32, ends: Vec<(u32, u32)>, random: &mut Random| {
        let weights: Vec<u32> = ends.iter().map(|_| random.below(1000)).collect();
        let (u, v) = ends.into_iter().unzip();
        AnyGraph::from_edges(n as usize, u, v, weights).expect("the ends are vertices")
    };
    let (n, m) = (20_000, 100_000);
    let uniform = (0..m).map(|_| (random.below(n), random.below(n))).collect();
    let hub = (0..m)
        .map(|i| if i % 2 == 0 { (n / 2, i % n) } else { (i % n, random.below(n)) })
        .collect();
    let pairs = (0..m).map(|i| (2 * i, 2 * i + 1)).collect();
    let path = (0..m).map(|i| (i, i + 1)).collect();
    let few_of_many = (0..3000).map(|_| (random.below(1 << 18), random.below(1 << 18))).collect();
    let weighted = |n: u32, edges: Vec<(u32, u32, u32)>| {
        let (ends, weights): (Vec<_>, Vec<_>) =
            edges.into_iter().map(|(u, v, w)| ((u, v), w)).unzip();
        let (u, v) = ends.into_iter().unzip();
        AnyGraph::from_edges(n as usize, u, v, weights).expect("the ends are vertices")
    };
    let ascending = (1..5000).map(|i| (i - 1, i, i)).collect();
    let star = (1..5000).map(|i| (2500, i - u32::from(i <= 2500), 7)).collect();
    let equal = (0..10_000).map(|_| (random.below(2000), random.below(2000), 7)).collect();
    // Neighbors on the path are in different halves of the vertices, and fragments double at every
    // level.
    let far = |i: u32| i.reverse_bits() >> 22;
    let in_pairs = (1..1024).map(|i: u32| (far(i - 1), far(i), i.trailing_zeros())).collect();
    vec![
        ("uniform", graph(n, uniform, &mut random)),
        ("a hub that every slice has edges at", graph(n, hub, &mut random)),
        ("pairs", graph(2 * m, pairs, &mut random)),
        ("a path", graph(m + 1, path, &mut random)),
        ("few edges among many vertices", graph(1 << 18, few_of_many, &mut random)),
        ("an ascending path", weighted(5000, ascending)),
        ("a star of equal edges", weighted(5000, star)),
        ("equal edges", weighted(2000, equal)),
        ("a path to and fro that merges in pairs", weighted(1024, in_pairs)),
    ]
}

/// A graph whose forests take several messages through page-locked memory.
fn for_devices() -> AnyGraph {
    let (n, m, mut random) = (800_000, 3_000_000, Random(11));
    let (u, v) = (0..m).map(|_| (random.below(n), random.below(n))).unzip();
    let weights: Vec<u64> = (0..m).map(|_| random.next() % 1000).collect();
    AnyGraph::from_edges(n as usize, u, v, weights).expect("the ends are vertices")
}

/// The distributions of an order, which are half of [all](distributions).
fn distributions_of(order: Order, edges: u64, ranks: usize) -> Vec<EdgeDistribution> {
    let all = distributions(edges, ranks);
    let half = (ranks + usize::from(order == Order::Maximum)) % 2;
    if ranks == 1 { all } else { all.into_iter().skip(half).step_by(2).collect() }
}

/// Distributions of the edges to ranks: even, all on one rank, almost none on some ranks, and
/// random.
fn distributions(edges: u64, ranks: usize) -> Vec<EdgeDistribution> {
    let all_on = |owner: usize| {
        EdgeDistribution::from_bounds(
            (0..=ranks).map(|rank| if rank > owner { edges } else { 0 }).collect(),
        )
    };
    let mut distributions = vec![EdgeDistribution::even(edges, ranks)];
    if ranks > 1 {
        distributions.extend([all_on(0), all_on(ranks - 1)]);
        distributions.push(EdgeDistribution::from_bounds(
            (0..=ranks)
                .map(|rank| if rank == ranks { edges } else { edges.min(rank as u64) })
                .collect(),
        ));
        for seed in 0..2 {
            let mut random = Random(seed + edges);
            let mut bounds: Vec<_> = (1..ranks).map(|_| random.next() % (edges + 1)).collect();
            bounds.extend([0, edges]);
            bounds.sort_unstable();
            distributions.push(EdgeDistribution::from_bounds(bounds));
        }
    }
    distributions
}

fn check_distributions(
    name: &str,
    graph: &AnyGraph,
    order: Order,
    answer: &ExactAnswer,
    job: &Job<'_>,
) -> usize {
    let world = job.world;
    let mut right = 0;
    let distributions = distributions_of(order, graph.edges() as u64, world.size());
    for (turn, edges) in distributions.iter().enumerate() {
        let slice = AnySlice::from_range(graph, edges.range(world.rank()))
            .unwrap_or_else(|error| world.fail(error));
        for &solver in &job.solvers {
            let turns = distributions.len();
            for settings in settings(solver, (turn + graph.edges()) % turns, turns, world) {
                let threads = 1 + right % 2;
                let parts = parts(right as u64, graph.vertices());
                let circumstances = || {
                    format!(
                        "{} ({order:?}, {threads} threads, {settings:?}, {edges:?}, {} parts) on \
                         {name}",
                        solver.info().id,
                        parts.as_ref().map_or(0, |(_, count)| *count)
                    )
                };
                let mut run = Run::new().on_threads(threads);
                let mut small = None;
                if let Some(device) = job.device.filter(|_| solver.uses_device()) {
                    run = run.on_device(device);
                    // Most graphs are smaller than the default; settings may override this.
                    small = Some(("device_edges", 0));
                }
                for &(name, value) in small.iter().chain(&settings) {
                    run = run
                        .with_option(solver.info(), name, value)
                        .unwrap_or_else(|error| world.fail(error));
                }
                let solution = match &parts {
                    None => solver.solve(&slice, order, world, &mut run),
                    Some((parts, count)) => {
                        let placement = VertexPlacement::new(parts, *count, world.size());
                        solver.solve_placed(&slice, &placement, order, world, &mut run)
                    }
                };
                let solution = match solution {
                    Ok(solution) => solution,
                    Err(refusal) => world.fail(format!("{} refuses: {refusal}", circumstances())),
                };
                if let Err(fault) = compare(&solution.forest, answer, edges, world) {
                    world.fail(format!("{}: {fault}; {}", circumstances(), describe(graph)));
                }
                right += 1;
            }
        }
    }
    right
}

/// The part of each vertex and the number of parts, for every third turn: up to six parts. The
/// last one may be empty.
fn parts(turn: u64, vertices: u32) -> Option<(Vec<u32>, u32)> {
    let mut random = Random(turn);
    let count = 1 + random.below(6);
    (turn % 3 == 1).then(|| ((0..vertices).map(|_| random.below(count)).collect(), count))
}

/// The default settings, and this turn's share of the other settings: each option at its lowest
/// value and at the next one, and all options at their lowest values. On one machine, the option
/// `single_node` is set to its highest value where other options would have no effect. On several
/// machines it is set to its lowest value there, so that leaders take the steps.
fn settings(
    solver: &dyn DistributedSolver,
    turn: usize,
    turns: usize,
    world: &Communicator,
) -> impl Iterator<Item = Vec<(&'static str, u64)>> {
    let options = solver.info().options;
    let several_nodes = options.iter().filter(|option| option.name == "single_node");
    let several_nodes: Vec<_> = several_nodes
        .map(|option| {
            (option.name, {
                let (lowest, highest) = option.values.range();
                if world.machines() > 1 { lowest } else { highest }
            })
        })
        .collect();
    let mut settings = Vec::new();
    if !several_nodes.is_empty() {
        settings.push(several_nodes.clone());
    }
    for option in options {
        let (lowest, highest) = option.values.range();
        for value in [lowest, lowest + 1] {
            if value != option.default && value <= highest {
                // Of one option the later counts.
                settings.push([&several_nodes[..], &[(option.name, value)]].concat());
            }
        }
    }
    if options.len() > 1 {
        settings.push(
            options
                .iter()
                .map(|option| (option.name, option.values.range().0))
                .chain(several_nodes)
                .collect(),
        );
    }
    iter::once(Vec::new()).chain(settings.into_iter().skip(turn).step_by(turns))
}

fn compare(
    forest: &DistributedForest,
    answer: &ExactAnswer,
    edges: &EdgeDistribution,
    world: &Communicator,
) -> Result<(), String> {
    let range = edges.range(world.rank());
    if let Some(id) = forest.ids().iter().find(|id| !range.contains(id)) {
        return Err(format!("rank {} returned edge {id} of another rank", world.rank()));
    }
    if forest.components() != u64::from(answer.components) {
        return Err(format!("{} components instead of {}", forest.components(), answer.components));
    }
    if let Some(total) = answer.total
        && !same_total(forest.total(), total)
    {
        return Err(format!("the total is {} instead of {total}", forest.total()));
    }
    match forest.gather(world) {
        Some(ids) if !ids.iter().copied().eq(answer.forest.iter().map(|&id| u64::from(id))) => {
            let ids: Vec<_> = ids.into_iter().map(|id| id as u32).collect();
            Err(difference(&ids, &answer.forest))
        }
        _ => Ok(()),
    }
}

/// Checks the number of messages and of turns of `mpi-merge` against its documentation.
fn check_merge(world: &Communicator) {
    let (_, graph) = large().swap_remove(0);
    let edges = EdgeDistribution::even(graph.edges() as u64, world.size());
    let slice = AnySlice::from_range(&graph, edges.range(world.rank()))
        .unwrap_or_else(|error| world.fail(error));
    let solver = crate::solvers().find(|solver| solver.info().id == "mpi-merge");
    let Some(solver) = solver else { world.fail("the solver mpi-merge is missing") };
    let mut turns = Turns(0);
    let mut run = Run::new().observed_by(&mut turns);
    let solution = solver.solve(&slice, Order::Minimum, world, &mut run);
    drop(run);
    let phases = solution.unwrap_or_else(|refusal| refusal.end()).phases;
    let messages: u64 = phases.iter().map(|phase| phase.traffic.messages).sum();
    let expected = 6 * (world.size() as u64 - 1);
    if messages != expected {
        world.fail(format!("mpi-merge sent {messages} messages instead of {expected}"));
    }
    let expected = world.size().next_power_of_two().trailing_zeros();
    if world.rank() == 0 && turns.0 != expected {
        world.fail(format!("mpi-merge took {} turns instead of {expected}", turns.0));
    }
}

/// Checks that `mpi-fast` solves on each machine first, then between machines, and that it then
/// sends fewer bytes between machines than between as many ranks.
fn check_levels(world: &Communicator) {
    if world.machines() == 1 || world.machines() == world.size() {
        return;
    }
    let (_, graph) = large().swap_remove(0);
    let edges = EdgeDistribution::even(graph.edges() as u64, world.size());
    let slice = AnySlice::from_range(&graph, edges.range(world.rank()))
        .unwrap_or_else(|error| world.fail(error));
    let solver = crate::solvers().find(|solver| solver.info().id == "mpi-fast");
    let Some(solver) = solver else { world.fail("the solver mpi-fast is missing") };
    let bytes = [0, 1 << 40].map(|single_node| {
        let run = Run::new().with_option(solver.info(), "merge_below", 0);
        let run = run.and_then(|run| run.with_option(solver.info(), "single_node", single_node));
        let mut run = run.unwrap_or_else(|error| world.fail(error));
        let solution = solver.solve(&slice, Order::Minimum, world, &mut run);
        let phases = solution.unwrap_or_else(|refusal| refusal.end()).phases;
        let names: Vec<_> = phases.iter().map(|phase| phase.name).collect();
        if names.contains(&"machines") != (single_node == 0) {
            world.fail(format!("single_node={single_node} took the phases {names:?}"));
        }
        if let Some(join) = phases.iter().find(|phase| phase.name == "thin")
            && join.traffic.bytes_between_machines > 0
        {
            world.fail("ranks send bytes to other machines before they are joined");
        }
        // Phases within another one count for it too.
        let outer = phases.iter().filter(|phase| {
            !names.contains(&"machines") || ["thin", "join", "machines"].contains(&phase.name)
        });
        outer.map(|phase| phase.traffic.bytes_between_machines).sum::<u64>()
    });
    if world.rank() == 0 && bytes[0] >= bytes[1] {
        world.fail(format!("{bytes:?} bytes between machines, by leaders and by all ranks"));
    }
}

/// The number of rounds that a solver reports.
struct Turns(u32);

impl Observer for Turns {
    fn round(&mut self, _: Round) {
        self.0 += 1;
    }
}
