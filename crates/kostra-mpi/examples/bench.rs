//! Times a solver for clusters on a generated graph, on as many ranks as there are, and prints one
//! line of JSON: medians over the runs of the time to solve and of each phase, with messages and
//! bytes.
//!
//! ```text
//! cargo build --release --package kostra-mpi --example bench
//! mpirun -n 4 bench gen:gnm:n=4M,m=16M [--algorithm mpi-fast] [--runs 5] [--threads 1] [--set NAME=VALUE]
//! mpirun -n 1 bench gen:gnm:n=4M,m=16M --beside fast
//! ```
//!
//! With one rank, a solver for one machine may be timed beside: in turn on the same graph, with as
//! many threads.
//!
//! Each rank makes its own slice of the graph, whose weights must be `u32`, and no other; that time
//! is told apart. The program is one file, which needs the system's MPI library and nothing else.

use std::process::exit;
use std::time::{Duration, Instant};

use kostra_core::{AnyGraph, Order, Run, Solver, WeightType, Workspace};
use kostra_mpi::{AnySlice, Communicator, DistributedSolver, Memory, Reduction, solvers};

#[global_allocator]
static MEMORY: Memory = Memory;

struct Arguments {
    spec: String,
    algorithm: String,
    runs: usize,
    threads: usize,
    settings: Vec<(String, u64)>,
    beside: Option<&'static dyn Solver>,
}

fn main() {
    let world = Communicator::start().unwrap_or_else(|refusal| refusal.end());
    let arguments = world.agree(arguments()).unwrap_or_else(|refusal| refusal.end());
    let found = solvers().find(|solver| solver.info().id == arguments.algorithm);
    let found = found.ok_or_else(|| format!("there is no algorithm '{}'", arguments.algorithm));
    let solver = world.agree(found).unwrap_or_else(|refusal| refusal.end());
    let start = Instant::now();
    let (slice, whole) = slice(&arguments, &world);
    let made = world.reduce_one(Reduction::Max, start.elapsed().as_micros() as u64);
    let line = measure(solver, (slice, whole, Duration::from_micros(made)), &arguments, &world);
    if world.rank() == 0 {
        println!("{line}");
    }
    drop(world);
    exit(0)
}

fn arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    let usage = "usage: bench gen:SPEC [--algorithm ID] [--runs N] [--threads N] [--set NAME=VALUE] [--beside ID]";
    let spec =
        words.next().and_then(|word| word.strip_prefix("gen:").map(str::to_owned)).ok_or(usage)?;
    let algorithm = "mpi-fast".to_owned();
    let mut arguments =
        Arguments { spec, algorithm, runs: 5, threads: 1, settings: Vec::new(), beside: None };
    while let Some(word) = words.next() {
        let value = words.next().ok_or(usage)?;
        let number = |value: &str| {
            value.parse::<u64>().map_err(|_| format!("'{value}' is not a number; {usage}"))
        };
        match word.as_str() {
            "--algorithm" => arguments.algorithm = value,
            "--runs" => arguments.runs = number(&value)?.max(1) as usize,
            "--threads" => arguments.threads = number(&value)?.max(1) as usize,
            "--set" => {
                let (name, value) = value.split_once('=').ok_or(usage)?;
                arguments.settings.push((name.to_owned(), number(value)?));
            }
            "--beside" => {
                let found = kostra_cpu::solvers().find(|solver| solver.info().id == value);
                arguments.beside =
                    Some(found.ok_or_else(|| {
                        format!("there is no algorithm '{value}' for one machine")
                    })?);
            }
            _ => return Err(format!("there is no argument '{word}'; {usage}")),
        }
    }
    Ok(arguments)
}

/// This rank's slice of the graph, and for a solver beside the graph, which one rank must have
/// whole.
fn slice(arguments: &Arguments, world: &Communicator) -> (AnySlice, Option<AnyGraph>) {
    let gather = |number| world.all_gather(&[number]).into_items();
    let made = kostra_gen::generate_part(&arguments.spec, world.rank(), world.size(), &gather);
    let made = world.agree(made).unwrap_or_else(|refusal| refusal.end());
    let weights = made.graph.weight_type();
    let fit = if weights == WeightType::U32 { Ok(()) } else { Err("the weights must be u32") };
    world.agree(fit).unwrap_or_else(|refusal| refusal.end());
    let is_whole = arguments.beside.is_none() || world.size() == 1;
    let fit = if is_whole { Ok(()) } else { Err("a solver for one machine wants one rank") };
    world.agree(fit).unwrap_or_else(|refusal| refusal.end());
    let whole = arguments.beside.map(|_| made.graph.clone());
    let slice = AnySlice::from_graph(made.first, made.graph);
    (world.agree(slice).unwrap_or_else(|refusal| refusal.end()), whole)
}

/// Solves so many times, after once for memory to be there, and puts the medians into words.
fn measure(
    solver: &dyn DistributedSolver,
    (slice, whole, made): (AnySlice, Option<AnyGraph>, Duration),
    arguments: &Arguments,
    world: &Communicator,
) -> String {
    let (mut workspace, mut workspace_beside) = (Workspace::new(), Workspace::new());
    let (mut solutions, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..=arguments.runs {
        let mut run = Run::new().on_threads(arguments.threads).in_workspace(&mut workspace);
        for (name, value) in &arguments.settings {
            run = run
                .with_option(solver.info(), name, *value)
                .unwrap_or_else(|error| world.fail(error));
        }
        solutions.push(
            solver
                .solve(&slice, Order::Minimum, world, &mut run)
                .unwrap_or_else(|refusal| refusal.end()),
        );
        if let (Some(solver), Some(whole)) = (arguments.beside, &whole) {
            let mut run =
                Run::new().on_threads(arguments.threads).in_workspace(&mut workspace_beside);
            let solution = solver.solve(whole, Order::Minimum, &mut run);
            beside.push(solution.unwrap_or_else(|error| world.fail(error)).solve);
        }
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
    let beside = arguments.beside.map_or(String::new(), |solver| {
        beside.remove(0);
        let median = median(&mut beside);
        let (id, best) = (solver.info().id, beside[0].as_secs_f64());
        format!(r#""beside":{{"algorithm":"{id}","best":{best:.6},"median":{median:.6}}},"#)
    });
    let median = median(&mut all);
    format!(
        r#"{{"algorithm":"{}","spec":"{}","ranks":{},"threads":{},"runs":{},"made_seconds":{:.3},"seconds":{{"best":{:.6},"median":{median:.6}}},{beside}"edges":{},"total":"{}","phases":[{}]}}"#,
        solver.info().id,
        arguments.spec,
        world.size(),
        arguments.threads,
        arguments.runs,
        made.as_secs_f64(),
        all[0].as_secs_f64(),
        forest.edges(),
        forest.total(),
        phases.join(",")
    )
}
