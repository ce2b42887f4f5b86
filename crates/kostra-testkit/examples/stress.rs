//! Solves an endless sequence of small random multigraphs with every multithreaded solver, and
//! compares with Kruskal's algorithm.
//!
//! ```text
//! cargo run --release --package kostra-testkit --example stress -- --graphs 1000000 --seed 7
//! ```
//!
//! The seed `SEED + i` determines everything about graph `i`: its shape, weights and weight type,
//! the order, and the options and threads of the solvers. To repeat a failure, pass the seed that
//! it prints as `--seed`; only the scheduling of threads can differ. The default seed is the time.
//! The program stops at the first difference or panic, or if a graph takes a minute. Otherwise it
//! prints one line of JSON at the end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use kostra::{solver, solvers};
use kostra_core::{Order, Platform, Run, Solver, Workspace};
use kostra_testkit::multigraphs::{Random, describe, difference};
use kostra_testkit::oracle;

/// The numbers of threads that a solve can get. More threads than cores change the scheduling.
const THREADS: [usize; 4] = [1, 2, 3, 8];
const PATIENCE: Duration = Duration::from_secs(60);

/// The seed of the current graph, for messages about a failure.
static SEED: AtomicU64 = AtomicU64::new(0);

fn main() {
    let (graphs, first_seed) = arguments().unwrap_or_else(|error| {
        eprintln!("{error}\nusage: stress [--graphs N] [--seed S]");
        exit(2);
    });
    let tested: Vec<_> =
        solvers().filter(|solver| solver.info().platform == Platform::Threads).collect();
    let ids: Vec<_> = tested.iter().map(|solver| solver.info().id).collect();
    eprintln!("{graphs} graphs from seed {first_seed} through {}", ids.join(", "));
    SEED.store(first_seed, Relaxed);
    thread::spawn(watch);

    let start = Instant::now();
    let (mut counts, mut workspace) = (Counts::default(), Workspace::new());
    for seed in (0..graphs).map(|index| first_seed.wrapping_add(index)) {
        SEED.store(seed, Relaxed);
        if let Err(fault) = check(seed, &tested, &mut workspace, &mut counts) {
            println!("{fault}\nrepeat with --graphs 1 --seed {seed}");
            exit(1);
        }
    }
    let Counts { edges, forest_edges, solves } = counts;
    println!(
        "{{\"graphs\":{graphs},\"first_seed\":{first_seed},\"edges\":{edges},\"forest_edges\":{forest_edges},\
         \"solves\":{solves},\"differences\":0,\"solvers\":{ids:?},\"threads\":{THREADS:?},\"seconds\":{:.1}}}",
        start.elapsed().as_secs_f64()
    );
}

/// The number of graphs, and the seed of the first graph.
fn arguments() -> Result<(u64, u64), String> {
    let clock =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut graphs, mut seed) = (100_000, clock << 32);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let target = match name.as_str() {
            "--graphs" => &mut graphs,
            "--seed" => &mut seed,
            _ => return Err(format!("unknown option {name}")),
        };
        let value = arguments.next().and_then(|value| value.parse().ok());
        *target = value.ok_or_else(|| format!("{name} needs a number"))?;
    }
    Ok((graphs, seed))
}

/// Exits the program if one graph takes too long, for example because of a deadlock.
fn watch() {
    let (mut seed, mut since) = (SEED.load(Relaxed), Instant::now());
    loop {
        thread::sleep(Duration::from_secs(1));
        let now = SEED.load(Relaxed);
        if now != seed {
            (seed, since) = (now, Instant::now());
        } else if since.elapsed() > PATIENCE {
            println!("no answer in {PATIENCE:?}\nrepeat with --graphs 1 --seed {seed}");
            exit(1);
        }
    }
}

#[derive(Default)]
struct Counts {
    edges: u64,
    forest_edges: u64,
    solves: u64,
}

/// Generates the graph of a seed, and compares every solver, with a random number of threads, with
/// Kruskal's algorithm.
fn check(
    seed: u64,
    tested: &[&dyn Solver],
    workspace: &mut Workspace,
    counts: &mut Counts,
) -> Result<(), String> {
    let mut random = Random(seed);
    let graph = random.any_graph();
    counts.edges += graph.edges() as u64;
    let order = [Order::Minimum, Order::Maximum][random.below(2) as usize];
    let reference = solver("kruskal").map_err(|error| error.to_string())?;
    let expected =
        reference.solve(&graph, order, &mut Run::new()).map_err(|error| error.to_string())?;
    counts.forest_edges += expected.forest.ids().len() as u64;
    for tested in tested {
        let threads = THREADS[random.below(THREADS.len() as u32) as usize];
        let settings: Vec<_> =
            tested.info().options.iter().map(|o| (o.name, random.setting(o))).collect();
        let circumstances =
            || format!("{} {order:?} threads={threads} {settings:?}", tested.info().id);
        let mut run = Run::new().on_threads(threads);
        for (name, value) in &settings {
            run =
                run.with_option(tested.info(), name, *value).map_err(|error| error.to_string())?;
        }
        if random.below(2) == 0 {
            run = run.in_workspace(workspace);
        }
        let solution = catch_unwind(AssertUnwindSafe(|| tested.solve(&graph, order, &mut run)))
            .map_err(|_| format!("{} panics on {}", circumstances(), describe(&graph)))?
            .map_err(|error| format!("{}: {error} on {}", circumstances(), describe(&graph)))?;
        let found = solution.forest.ids();
        let right = if tested.info().exact {
            found == expected.forest.ids()
        } else {
            oracle::is_spanning_forest(&graph, found)
        };
        if !right {
            let (circumstances, graph) = (circumstances(), describe(&graph));
            let difference = difference(found, expected.forest.ids());
            return Err(format!("{circumstances} returns {difference} on {graph}"));
        }
        counts.solves += 1;
    }
    Ok(())
}
