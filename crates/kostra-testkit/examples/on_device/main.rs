//! Compares every CUDA solver with the canonical forests of a CPU solver, on a machine that has a
//! device but no Rust. The inputs are the cases of `testdata/`, small random multigraphs, graphs
//! that make a solver leave its fast path, a path of ten million vertices and a star of a million
//! leaves. Random multigraphs are solved with random option values, all other graphs in all
//! variants of the solver (`kostra_testkit::variants`).
//!
//! ```text
//! cargo build --release --package kostra-testkit --example on_device
//! on_device TESTDATA [--graphs 100000] [--seed 1] [--path 10000000] [--star 1000000] \
//!     [--hard 1] [--device 0,1] [--solver ID]
//! ```
//!
//! Prints one line per check of a solver, or the fault. The exit code is 1 if a solver has a
//! fault, or if there is no device or no solver.

mod hard;

use std::path::PathBuf;
use std::process::exit;
use std::time::Instant;

use kostra::{solver, solvers};
use kostra_core::{AnyGraph, EdgeId, Forest, Order, Platform, Run, Solver, Vertex};
use kostra_cuda::Device;
use kostra_testkit::matrix::{ORDERS, same_total};
use kostra_testkit::multigraphs::{Random, describe, difference};
use kostra_testkit::suite;
use kostra_testkit::variants::variants;

use hard::{graph_of, hard_graphs, with_all_weight_types};

struct Arguments {
    testdata: PathBuf,
    graphs: u64,
    seed: u64,
    path: u64,
    /// The leaves of the star.
    star: u64,
    /// Every `hard`-th hard graph is solved, or none if 0. Under a sanitizer, all of them would
    /// take too long.
    hard: u64,
    /// The devices. Solvers that run on one device take the first one.
    devices: Vec<usize>,
    only: Option<String>,
}

fn main() {
    let arguments = arguments().unwrap_or_else(|error| {
        eprintln!(
            "{error}\nusage: on_device TESTDATA [--graphs N] [--seed S] [--path N] [--star N] [--hard N] [--device D,D] [--solver ID]"
        );
        exit(2);
    });
    let device = Device::open(arguments.devices[0]).unwrap_or_else(|error| {
        println!("{error}");
        exit(1);
    });
    let (major, minor) = device.capability();
    let kernels = kostra_cuda::kernels().unwrap_or_else(|error| error.to_string());
    println!("{}, compute capability {major}.{minor}; kernels {kernels}", device.name());
    let wanted = |id: &str| arguments.only.as_ref().is_none_or(|only| only == id);
    let tested: Vec<_> = solvers()
        .filter(|solver| solver.info().platform == Platform::Cuda && wanted(solver.info().id))
        .collect();
    let mut right = !tested.is_empty();
    if tested.is_empty() {
        println!("no CUDA solver has this id");
    }
    for solver in tested {
        if let Err(fault) = examine(solver, &arguments) {
            right = false;
            println!("{}: WRONG: {fault}", solver.info().id);
        }
    }
    exit(if right { 0 } else { 1 });
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments {
        testdata: PathBuf::new(),
        graphs: 100_000,
        seed: 1,
        path: 10_000_000,
        star: 1_000_000,
        hard: 1,
        devices: vec![0],
        only: None,
    };
    let mut arguments = std::env::args().skip(1);
    parsed.testdata = arguments.next().ok_or("TESTDATA is missing")?.into();
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{name} needs a number"));
        match name.as_str() {
            "--graphs" => parsed.graphs = number()?,
            "--seed" => parsed.seed = number()?,
            "--path" => parsed.path = number()?,
            "--star" => parsed.star = number()?,
            "--hard" => parsed.hard = number()?,
            "--device" => {
                let numbers = value.split(',').map(str::parse).collect::<Result<_, _>>();
                parsed.devices = numbers.map_err(|_| format!("{name} needs numbers"))?;
            }
            "--solver" => parsed.only = Some(value),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(parsed)
}

/// Runs all checks with one solver. Prints each check as it ends, because slow solvers may be
/// stopped.
fn examine(solver: &dyn Solver, arguments: &Arguments) -> Result<(), String> {
    let (id, start) = (solver.info().id, Instant::now());
    let report = |words: String| {
        println!("{id}: correct after {:.1} s: {words}", start.elapsed().as_secs_f64());
    };
    let variants = variants(solver.info()).len();
    let cases = examine_cases(solver, arguments)?;
    report(format!("{cases} cases in {variants} variants"));
    examine_random_graphs(solver, arguments)?;
    report(format!("{} random graphs with random options", arguments.graphs));
    // Every vertex of the path hooks onto its neighbor in the same direction.
    examine_tree(solver, arguments, ("path", arguments.path), |edge| (edge, edge + 1))?;
    report(format!("a path of {} edges in {variants} variants", arguments.path));
    // All leaves of the star change the same vertex.
    examine_tree(solver, arguments, ("star", arguments.star), |edge| (0, edge + 1))?;
    report(format!("a star of {} leaves in {variants} variants", arguments.star));
    let hard = examine_hard_graphs(solver, arguments)?;
    report(format!("{hard} hard graphs in {variants} variants"));
    Ok(())
}

fn examine_cases(solver: &dyn Solver, arguments: &Arguments) -> Result<usize, String> {
    let cases = suite::load_from(&arguments.testdata).map_err(|error| error.to_string())?;
    for case in &cases {
        for order in ORDERS {
            let answer = case.answer(order);
            for settings in variants(solver.info()) {
                let about = || format!("case {} in {order:?}, {settings:?}", case.name);
                let forest = solve(solver, &case.graph, order, &arguments.devices, &settings)
                    .map_err(|error| format!("{}: {error}", about()))?;
                compare(solver, forest.ids(), &answer.forest)
                    .map_err(|fault| format!("{}: {fault}", about()))?;
                if answer.total.is_some_and(|total| !same_total(total, forest.total())) {
                    return Err(format!("{}: the total is {}", about(), forest.total()));
                }
            }
        }
    }
    Ok(cases.len())
}

fn examine_random_graphs(solver: &dyn Solver, arguments: &Arguments) -> Result<(), String> {
    for seed in (0..arguments.graphs).map(|index| arguments.seed.wrapping_add(index)) {
        let mut random = Random(seed);
        let graph = random.any_graph();
        let order = ORDERS[random.below(2) as usize];
        let settings: Vec<_> = solver
            .info()
            .options
            .iter()
            .map(|option| (option.name, random.setting(option)))
            .collect();
        let about = || format!("seed {seed}, {order:?}, {settings:?}, {}", describe(&graph));
        let right = by_processor(&graph, order)?;
        let forest = solve(solver, &graph, order, &arguments.devices, &settings);
        forest
            .and_then(|forest| compare(solver, forest.ids(), right.ids()))
            .map_err(|fault| format!("{}: {fault}", about()))?;
    }
    Ok(())
}

fn examine_hard_graphs(solver: &dyn Solver, arguments: &Arguments) -> Result<usize, String> {
    let hard: Vec<_> = match arguments.hard {
        0 => Vec::new(),
        step => hard_graphs().into_iter().step_by(step as usize).collect(),
    };
    for (name, make) in &hard {
        for graph in with_all_weight_types(make) {
            for order in ORDERS {
                let right = by_processor(&graph, order)?;
                for settings in variants(solver.info()) {
                    let about = || {
                        format!("{name}, {} weights, {order:?}, {settings:?}", graph.weight_type())
                    };
                    solve(solver, &graph, order, &arguments.devices, &settings)
                        .and_then(|forest| compare(solver, forest.ids(), right.ids()))
                        .map_err(|fault| format!("{}: {fault}", about()))?;
                }
            }
        }
    }
    Ok(12 * hard.len())
}

/// Solves a tree, whose edges are all in the forest.
fn examine_tree(
    solver: &dyn Solver,
    arguments: &Arguments,
    (name, edges): (&str, u64),
    ends: fn(Vertex) -> (Vertex, Vertex),
) -> Result<(), String> {
    let m = Vertex::try_from(edges).map_err(|error| error.to_string())?;
    let vertices = m.checked_add(1).ok_or("too many vertices")?;
    let tree = graph_of(vertices, &(0..m).map(ends).collect::<Vec<_>>(), |edge| edge as u32);
    for order in ORDERS {
        for settings in variants(solver.info()) {
            let about = || format!("{name} of {m} edges in {order:?}, {settings:?}");
            let forest = solve(solver, &tree, order, &arguments.devices, &settings)
                .map_err(|error| format!("{}: {error}", about()))?;
            if !forest.ids().iter().copied().eq(0..m) {
                return Err(format!("{}: {} edges", about(), forest.ids().len()));
            }
        }
    }
    Ok(())
}

fn solve(
    solver: &dyn Solver,
    graph: &AnyGraph,
    order: Order,
    devices: &[usize],
    settings: &[(&str, u64)],
) -> Result<Forest, String> {
    let mut run = Run::new().on_threads(4);
    run = if solver.uses_devices() { run.on_devices(devices) } else { run.on_device(devices[0]) };
    for (name, value) in settings {
        run = run.with_option(solver.info(), name, *value).map_err(|error| error.to_string())?;
    }
    solver
        .solve(graph, order, &mut run)
        .map(|solution| solution.forest)
        .map_err(|error| error.to_string())
}

/// The forest of a CPU solver.
fn by_processor(graph: &AnyGraph, order: Order) -> Result<Forest, String> {
    let reference = solver("kruskal").map_err(|error| error.to_string())?;
    let solution =
        reference.solve(graph, order, &mut Run::new()).map_err(|error| error.to_string())?;
    Ok(solution.forest)
}

fn compare(solver: &dyn Solver, found: &[EdgeId], right: &[EdgeId]) -> Result<(), String> {
    if found == right || !solver.info().exact {
        return Ok(());
    }
    Err(format!("{} edges instead of {}, {}", found.len(), right.len(), difference(found, right)))
}
