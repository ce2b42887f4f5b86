//! Compares every CUDA solver with the canonical forests of a CPU solver, on a machine that has a
//! device but no Rust. The inputs are the cases of `testdata/`, small random multigraphs, graphs
//! that make a solver leave its fast path, a path of ten million vertices and a star of a million
//! leaves. Random multigraphs are solved with random option values, all other graphs in all
//! variants of the solver (`kostra_testkit::variants`).
//!
//! ```text
//! cargo build --release --package kostra-testkit --example on_device
//! on_device TESTDATA [--graphs 100000] [--seed 1] [--path 10000000] [--star 1000000] \
//!     [--hard 1] [--device 0] [--solver ID]
//! ```
//!
//! Prints one line per check of a solver, or the fault. The exit code is 1 if a solver has a
//! fault, or if there is no device or no solver.

use std::path::PathBuf;
use std::process::exit;
use std::time::Instant;

use kostra::cuda::Device;
use kostra::{
    AnyGraph, EdgeId, EdgeList, Forest, Order, Platform, Run, Solver, Vertex, Weight, solver,
    solvers,
};
use kostra_testkit::matrix::{ORDERS, same_total};
use kostra_testkit::multigraphs::{Random, describe, difference};
use kostra_testkit::suite;
use kostra_testkit::variants::variants;

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
    device: usize,
    only: Option<String>,
}

fn main() {
    let arguments = arguments().unwrap_or_else(|error| {
        eprintln!(
            "{error}\nusage: on_device TESTDATA [--graphs N] [--seed S] [--path N] [--star N] [--hard N] [--device D] [--solver ID]"
        );
        exit(2);
    });
    let device = Device::open(arguments.device).unwrap_or_else(|error| {
        println!("{error}");
        exit(1);
    });
    let (major, minor) = device.capability();
    let kernels = kostra::cuda::kernels().unwrap_or_else(|error| error.to_string());
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
        device: 0,
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
            "--device" => parsed.device = number()? as usize,
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
                let forest = solve(solver, &case.graph, order, arguments.device, &settings)
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
        let forest = solve(solver, &graph, order, arguments.device, &settings);
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
                    solve(solver, &graph, order, arguments.device, &settings)
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
            let forest = solve(solver, &tree, order, arguments.device, &settings)
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
    device: usize,
    settings: &[(&str, u64)],
) -> Result<Forest, String> {
    let mut run = Run::new().on_threads(4).on_device(device);
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

/// A graph without weights, and one number per edge from which the weights are derived.
struct Raw {
    vertices: Vertex,
    ends: Vec<(Vertex, Vertex)>,
    weight: fn(usize) -> u64,
}

type Make = Box<dyn Fn() -> Raw>;

/// Graphs that make a solver leave its fast path, or that fill its tables completely.
fn hard_graphs() -> Vec<(String, Make)> {
    const SAME: fn(usize) -> u64 = |_| 7;
    const FEW: fn(usize) -> u64 = |edge| scatter(edge) % 3;
    const ANY: fn(usize) -> u64 = scatter;
    const ASCENDING: fn(usize) -> u64 = |edge| edge as u64;
    const DESCENDING: fn(usize) -> u64 = |edge| u64::from(u32::MAX) - edge as u64;
    let mut graphs: Vec<(String, Make)> = Vec::new();
    let mut add = |name: String, make: Make| graphs.push((name, make));
    for (words, weight) in [
        ("equal", SAME),
        ("few", FEW),
        ("random", ANY),
        ("ascending", ASCENDING),
        ("descending", DESCENDING),
    ] {
        add(
            format!("path, {words} weights"),
            Box::new(move || Raw { vertices: 30_000, ends: path(30_000), weight }),
        );
        add(
            format!("star, {words} weights"),
            Box::new(move || Raw {
                vertices: 30_000,
                ends: (1..30_000).map(|v| (0, v)).collect(),
                weight,
            }),
        );
        add(
            format!("a hub with half of the entries, {words} weights"),
            Box::new(move || Raw { vertices: 20_000, ends: hub(20_000, 120_000), weight }),
        );
        add(
            format!("no giant: components of five, {words} weights"),
            Box::new(move || Raw { vertices: 25_000, ends: crumbs(25_000, 5), weight }),
        );
        add(
            format!("two thirds of the vertices isolated, {words} weights"),
            Box::new(move || Raw { vertices: 60_000, ends: random(20_000, 60_000, 5), weight }),
        );
        add(
            format!("dense, {words} weights"),
            Box::new(move || Raw { vertices: 300, ends: random(300, 40_000, 6), weight }),
        );
        add(
            format!("two vertices and many edges, {words} weights"),
            Box::new(move || Raw { vertices: 2, ends: random(2, 5_000, 7), weight }),
        );
        add(format!("self-loops only, {words} weights"), {
            Box::new(move || Raw {
                vertices: 500,
                ends: (0..500).map(|v| (v, v)).collect(),
                weight,
            })
        });
    }
    // Sizes around the limits at which a table no longer fits into the shared memory of a block or
    // a grid.
    for limit in [32_u32, 256, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536] {
        for vertices in [limit - 1, limit, limit + 1] {
            add(
                format!("{vertices} vertices"),
                Box::new(move || Raw {
                    vertices,
                    ends: random(vertices, 4 * vertices as usize, vertices.into()),
                    weight: ANY,
                }),
            );
        }
    }
    add("no vertices".to_owned(), Box::new(|| Raw { vertices: 0, ends: vec![], weight: SAME }));
    add("no edges".to_owned(), Box::new(|| Raw { vertices: 1000, ends: vec![], weight: SAME }));
    add("a grid".to_owned(), Box::new(|| Raw { vertices: 40_000, ends: grid(200), weight: ANY }));
    graphs
}

fn path(n: Vertex) -> Vec<(Vertex, Vertex)> {
    (1..n).map(|v| (v - 1, v)).collect()
}

fn hub(n: Vertex, m: usize) -> Vec<(Vertex, Vertex)> {
    let mut ends = random(n, m, 3);
    ends.iter_mut().step_by(2).for_each(|(u, _)| *u = n / 2);
    ends
}

fn crumbs(n: Vertex, size: Vertex) -> Vec<(Vertex, Vertex)> {
    let ends = random(n, 2 * n as usize, 4);
    ends.into_iter().map(|(u, v)| (u, u - u % size + v % size)).collect()
}

fn random(n: Vertex, m: usize, seed: u64) -> Vec<(Vertex, Vertex)> {
    let mut random = Random(seed);
    (0..m).map(|_| (random.below(n), random.below(n))).collect()
}

fn grid(side: Vertex) -> Vec<(Vertex, Vertex)> {
    let rows =
        (0..side).flat_map(move |y| (1..side).map(move |x| (y * side + x - 1, y * side + x)));
    let columns =
        (1..side).flat_map(move |y| (0..side).map(move |x| ((y - 1) * side + x, y * side + x)));
    rows.chain(columns).collect()
}

/// Maps each number to a pseudorandom number.
fn scatter(number: usize) -> u64 {
    Random(number as u64).next()
}

/// The graph with weights of every type. Floats have any sign and magnitude, including infinities
/// and zeros of both signs.
fn with_all_weight_types(make: &Make) -> impl Iterator<Item = AnyGraph> {
    let Raw { vertices, ends, weight } = make();
    (0..6).map(move |kind| match kind {
        0 => graph_of(vertices, &ends, |edge| weight(edge) as i32),
        1 => graph_of(vertices, &ends, |edge| weight(edge) as u32),
        2 => graph_of(vertices, &ends, |edge| weight(edge) as i64),
        3 => graph_of(vertices, &ends, weight),
        4 => graph_of(vertices, &ends, |edge| match weight(edge) {
            0 => 0.0,
            1 => -0.0,
            number if number < 1 << 32 => number as f32 - 1e6,
            number => Some(f32::from_bits(number as u32))
                .filter(|weight| !weight.is_nan())
                .unwrap_or(-0.0),
        }),
        _ => graph_of(vertices, &ends, |edge| match weight(edge) {
            0 => 0.0,
            1 => -0.0,
            number if number < 1 << 32 => number as f64 - 1e6,
            number => {
                Some(f64::from_bits(number)).filter(|weight| !weight.is_nan()).unwrap_or(-0.0)
            }
        }),
    })
}

fn graph_of<W: Weight>(
    vertices: Vertex,
    ends: &[(Vertex, Vertex)],
    weight: impl Fn(usize) -> W,
) -> AnyGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    let (u, v): (Vec<_>, Vec<_>) = ends.iter().copied().unzip();
    let weights: Vec<W> = (0..u.len()).map(weight).collect();
    AnyGraph::from_edges(vertices as usize, u, v, weights)
        .expect("the ends are vertices and no weight is NaN")
}
