//! Runs one job on a fixed input, so that `scripts/instructions` can count the job's instructions.
//!
//! ```text
//! cargo run --package kostra --features gen,io,papers,partition --example instructions -- [JOB]
//! ```
//!
//! Without a job, the program prints the names of all jobs. Valgrind counts only inside
//! [`counted_job`], so neither the start of the program nor the input's generation is counted.

use std::error::Error;
use std::hint::black_box;

use kostra_core::{AnyGraph, Order, Run, Solver, verify, with_graph};
use kostra_gen::generate;
use kostra_io::{FORMATS, Outgoing, ReadOptions, read_bytes, write_bytes};
use kostra_partition::{Options, Preset, WeightedGraph, partition};

/// The inputs. Small ones suffice, because the counts do not depend on time or caches.
const UNIFORM: &str = "gnm:n=10000,m=50000";
const ROAD: &str = "road:n=20000";

/// What is done with a graph.
#[derive(Clone, Copy)]
enum Task {
    /// Solve by the solver with this id, on one thread.
    Solve(&'static str),
    /// Verify the canonical forest.
    Verify,
    /// Read the graph from the bytes of a file in the format with this id.
    Read(&'static str),
    /// Divide the vertices into eight parts.
    Partition(Preset),
}

/// All jobs: name, input and task.
const JOBS: &[(&str, &str, Task)] = &[
    ("kruskal", UNIFORM, Task::Solve("kruskal")),
    ("filter-kruskal", UNIFORM, Task::Solve("filter-kruskal")),
    ("boruvka", UNIFORM, Task::Solve("boruvka")),
    ("prim-binary", UNIFORM, Task::Solve("prim-binary")),
    ("prim-pairing", UNIFORM, Task::Solve("prim-pairing")),
    ("fast", UNIFORM, Task::Solve("fast")),
    ("fast-road", ROAD, Task::Solve("fast")),
    ("boruvka-contract", UNIFORM, Task::Solve("boruvka-contract")),
    ("boruvka-edge", UNIFORM, Task::Solve("boruvka-edge")),
    ("pma", UNIFORM, Task::Solve("pma")),
    ("verify", UNIFORM, Task::Verify),
    ("read-gr", UNIFORM, Task::Read("gr")),
    ("read-edges", UNIFORM, Task::Read("edges")),
    ("partition-fast", ROAD, Task::Partition(Preset::Fast)),
];

/// Calls a job. The symbol of this function starts and ends the counting.
#[inline(never)]
fn counted_job<T>(job: impl FnOnce() -> T) -> T {
    black_box(job())
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(wanted) = std::env::args().nth(1) else {
        JOBS.iter().for_each(|(name, ..)| println!("{name}"));
        return Ok(());
    };
    let job = JOBS.iter().find(|(name, ..)| *name == wanted);
    let (_, spec, task) = job.ok_or_else(|| format!("there is no job '{wanted}'"))?;
    let graph = generate(spec)?.graph;
    match *task {
        Task::Solve(id) => solve(&graph, id)?,
        Task::Verify => {
            let solution = solver("kruskal")?.solve(&graph, Order::Minimum, &mut Run::new())?;
            let forest = solution.forest;
            let verified = with_graph!(&graph, graph => {
                counted_job(|| verify(graph.edge_list().edges(Order::Minimum), forest.ids()))
            })?;
            println!("{} edges compared", verified.compared);
        }
        Task::Read(format) => read(&graph, format)?,
        Task::Partition(preset) => {
            let graph = WeightedGraph::of_unit_weights(&graph)?;
            let options = Options { parts: 8, preset, ..Options::default() };
            let found = counted_job(|| partition(&graph, &options, &mut Run::new()))?;
            println!("{} parts", found.count());
        }
    }
    Ok(())
}

fn solver(id: &str) -> Result<&'static dyn Solver, String> {
    let found = kostra::solvers().find(|solver| solver.info().id == id);
    found.ok_or_else(|| format!("there is no solver '{id}'"))
}

/// Solves once. The rows of neighbors that some solvers need are built in the counted call.
fn solve(graph: &AnyGraph, id: &str) -> Result<(), Box<dyn Error>> {
    let (solver, mut run) = (solver(id)?, Run::new().on_threads(1));
    let solution = counted_job(|| solver.solve(graph, Order::Minimum, &mut run))?;
    println!("{} edges", solution.forest.ids().len());
    Ok(())
}

fn read(graph: &AnyGraph, id: &str) -> Result<(), Box<dyn Error>> {
    let format = FORMATS.iter().find(|format| format.info().id == id).ok_or("no such format")?;
    let outgoing = Outgoing::from(graph);
    let bytes = write_bytes(*format, outgoing)?;
    let options = ReadOptions { threads: 1, ..ReadOptions::default() };
    let loaded = counted_job(|| read_bytes("input", &bytes, &options))?;
    println!("{} edges", loaded.parsed.graph.edges());
    Ok(())
}
