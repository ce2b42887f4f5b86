//! Times a solver for clusters on a generated graph, on as many ranks as there are, and prints one line of JSON: medians
//! over the runs of the time to solve and of each phase, with messages and bytes.
//!
//! ```text
//! cargo build --release --package kostra-mpi --example bench
//! mpirun -n 4 bench gen:gnm:n=4M,m=16M [--algorithm mpi-fast] [--runs 5] [--threads 1] [--set NAME=VALUE]
//! ```
//!
//! The first rank generates the graph, whose weights must be `u32`, and sends the others their slices, which are not
//! timed. The program is one file, which needs the system's MPI library and nothing else.

use std::process::exit;
use std::time::Duration;

use kostra_core::{AnyGraph, EdgeList, Graph, Order, Run, Workspace};
use kostra_mpi::{Communicator, Cut, DistributedSolver, Memory, Names, Slice, SliceError, solvers};

#[global_allocator]
static MEMORY: Memory = Memory;

struct Arguments {
    spec: String,
    algorithm: String,
    runs: usize,
    threads: usize,
    settings: Vec<(String, u64)>,
}

fn main() {
    let world = Communicator::start().unwrap_or_else(|refusal| refusal.end());
    let arguments = world.agree(arguments()).unwrap_or_else(|refusal| refusal.end());
    let found = solvers().find(|solver| solver.info().id == arguments.algorithm);
    let found = found.ok_or_else(|| format!("there is no algorithm '{}'", arguments.algorithm));
    let solver = world.agree(found).unwrap_or_else(|refusal| refusal.end());
    let slice = world.agree(share_out(&arguments.spec, &world)).unwrap_or_else(|refusal| refusal.end());
    let line = measure(solver, slice, &arguments, &world);
    if world.rank() == 0 {
        println!("{line}");
    }
    drop(world);
    exit(0)
}

fn arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    let usage = "usage: bench gen:SPEC [--algorithm ID] [--runs N] [--threads N] [--set NAME=VALUE]";
    let spec = words.next().and_then(|word| word.strip_prefix("gen:").map(str::to_owned)).ok_or(usage)?;
    let mut arguments =
        Arguments { spec, algorithm: "mpi-fast".to_owned(), runs: 5, threads: 1, settings: Vec::new() };
    while let Some(word) = words.next() {
        let value = words.next().ok_or(usage)?;
        let number =
            |value: &str| value.parse::<u64>().map_err(|_| format!("'{value}' is not a number; {usage}"));
        match word.as_str() {
            "--algorithm" => arguments.algorithm = value,
            "--runs" => arguments.runs = number(&value)?.max(1) as usize,
            "--threads" => arguments.threads = number(&value)?.max(1) as usize,
            "--set" => {
                let (name, value) = value.split_once('=').ok_or(usage)?;
                arguments.settings.push((name.to_owned(), number(value)?));
            }
            _ => return Err(format!("there is no argument '{word}'; {usage}")),
        }
    }
    Ok(arguments)
}

/// Generates the graph on the first rank, and gives each its slice.
fn share_out(spec: &str, world: &Communicator) -> Result<Slice<u32>, String> {
    let whole = if world.rank() == 0 {
        match kostra_gen::generate(spec).map(|made| made.graph) {
            Ok(AnyGraph::U32(graph)) => Ok(Some(graph)),
            Ok(_) => Err("the weights must be u32".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    } else {
        Ok(None)
    };
    let whole = world.agree(whole).unwrap_or_else(|refusal| refusal.end());
    let whole = whole.as_ref().map(Graph::edge_list);
    let size = whole.map_or([0; 2], |whole| [u64::from(whole.vertices()), whole.len() as u64]);
    let [vertices, edges] = world.broadcast_one(0, size);
    let cut = Cut::even(edges, world.size());
    let part = |column: fn(&EdgeList<u32>) -> &[u32]| -> Vec<u32> {
        let own = |rank: usize| {
            let range = cut.range(rank);
            whole.map_or(&[][..], |whole| &column(whole)[range.start as usize..range.end as usize])
        };
        if world.rank() != 0 {
            return world.receive(0);
        }
        (1..world.size()).for_each(|rank| world.send(rank, own(rank)));
        own(0).to_vec()
    };
    let (u, v, weights) = (part(EdgeList::u), part(EdgeList::v), part(EdgeList::weights));
    let first = cut.range(world.rank()).start;
    let said = |error: SliceError| error.to_string();
    if Names::are_global(vertices, u.len()) {
        let edges = EdgeList::new(vertices as usize, u, v, weights).map_err(|error| error.to_string())?;
        return Ok(Slice::with_global_names(first, edges));
    }
    let wide = |ends: &[u32]| ends.iter().map(|&end| end.into()).collect::<Vec<u64>>();
    Slice::new(vertices, first, &wide(&u), &wide(&v), weights).map_err(said)
}

/// Solves so many times, after once for memory to be there, and puts the medians into words.
fn measure(
    solver: &dyn DistributedSolver,
    slice: Slice<u32>,
    arguments: &Arguments,
    world: &Communicator,
) -> String {
    let slice = slice.into();
    let mut workspace = Workspace::new();
    let mut solutions = Vec::new();
    for _ in 0..=arguments.runs {
        let mut run = Run::new().on_threads(arguments.threads).in_workspace(&mut workspace);
        for (name, value) in &arguments.settings {
            run = run.with_option(solver.info(), name, *value).unwrap_or_else(|error| world.fail(error));
        }
        solutions.push(
            solver.solve(&slice, Order::Minimum, world, &mut run).unwrap_or_else(|refusal| refusal.end()),
        );
    }
    solutions.remove(0);
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    };
    let forest = &solutions[0].forest;
    let phases: Vec<_> = (solutions[0].phases.iter().enumerate())
        .map(|(index, phase)| {
            let times = |of: fn(&kostra_mpi::PhaseTraffic) -> Duration| {
                let at = |solution: &kostra_mpi::DistributedSolution| {
                    solution.phases.get(index).map_or(Duration::ZERO, of)
                };
                median(&mut solutions.iter().map(at).collect())
            };
            format!(
                r#"{{"name":"{}","seconds":{:.6},"communication_seconds":{:.6},"messages":{},"bytes":{}}}"#,
                phase.name,
                times(|phase| phase.elapsed),
                times(|phase| phase.traffic.time),
                phase.traffic.messages,
                phase.traffic.bytes
            )
        })
        .collect();
    let mut all: Vec<_> = solutions.iter().map(|solution| solution.solve).collect();
    let median = median(&mut all);
    format!(
        r#"{{"algorithm":"{}","spec":"{}","ranks":{},"threads":{},"runs":{},"seconds":{{"best":{:.6},"median":{median:.6}}},"edges":{},"total":"{}","phases":[{}]}}"#,
        solver.info().id,
        arguments.spec,
        world.size(),
        arguments.threads,
        arguments.runs,
        all[0].as_secs_f64(),
        forest.edges(),
        forest.total(),
        phases.join(",")
    )
}
