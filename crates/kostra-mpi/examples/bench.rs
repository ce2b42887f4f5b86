//! Times a solver for clusters on a generated graph, on all ranks of the job, and prints one line
//! of JSON: the medians of the solve time and of each phase over the runs, with messages and bytes.
//!
//! ```text
//! cargo build --release --package kostra-mpi --example bench
//! mpirun -n 4 bench gen:gnm:n=4M,m=16M [--algorithm mpi-fast] [--runs 5] [--threads 1]
//!     [--set NAME=VALUE]
//! mpirun -n 1 bench gen:gnm:n=4M,m=16M --beside fast
//! ```
//!
//! On one rank, `--beside` times a solver for one machine too, in turn on the same graph with the
//! same number of threads.
//!
//! Each rank generates its own slice of the graph, whose weights must be `u32`; this time is
//! reported separately. The program is one file that needs only the system's MPI library.

use std::process::exit;
use std::time::{Duration, Instant};

use kostra_core::{AnyGraph, Order, Run, Solver, WeightType, Workspace};
use kostra_mpi::{
    AnySlice, Communicator, DistributedSolution, DistributedSolver, PhaseTraffic, Reduction,
    solvers,
};

#[global_allocator]
static MEMORY: kostra_core::ReportingAllocator = kostra_mpi::ALLOCATOR;

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
    let input = generate(&arguments, &world);
    let times = measure(solver, &input, &arguments, &world);
    let line = report(solver, &input, times, &arguments, &world);
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

/// The generated graph on this rank.
struct Input {
    slice: AnySlice,
    /// The whole graph, for a solver for one machine.
    whole: Option<AnyGraph>,
    /// The longest time of any rank to generate its slice.
    generated: Duration,
}

fn generate(arguments: &Arguments, world: &Communicator) -> Input {
    let start = Instant::now();
    let gather = |number| world.all_gather(&[number]).into_items();
    let made = kostra_gen::generate_part(&arguments.spec, world.rank(), world.size(), &gather);
    let made = world.agree(made).unwrap_or_else(|refusal| refusal.end());
    let weights = made.graph.weight_type();
    let fit = if weights == WeightType::U32 { Ok(()) } else { Err("the weights must be u32") };
    world.agree(fit).unwrap_or_else(|refusal| refusal.end());
    let is_whole = arguments.beside.is_none() || world.size() == 1;
    let fit =
        if is_whole { Ok(()) } else { Err("a solver for one machine needs a job of one rank") };
    world.agree(fit).unwrap_or_else(|refusal| refusal.end());
    let whole = arguments.beside.map(|_| made.graph.clone());
    let slice = AnySlice::from_graph(made.first, made.graph);
    let slice = world.agree(slice).unwrap_or_else(|refusal| refusal.end());
    let generated = world.reduce_one(Reduction::Max, start.elapsed().as_micros() as u64);
    Input { slice, whole, generated: Duration::from_micros(generated) }
}

/// Measured times of all runs.
struct Times {
    solutions: Vec<DistributedSolution>,
    /// The times of the solver for one machine, if there is one.
    beside: Vec<Duration>,
}

/// Solves `runs` times after one warm-up run, in turn with the solver for one machine.
fn measure(
    solver: &dyn DistributedSolver,
    input: &Input,
    arguments: &Arguments,
    world: &Communicator,
) -> Times {
    let (mut workspace, mut workspace_beside) = (Workspace::new(), Workspace::new());
    let mut times = Times { solutions: Vec::new(), beside: Vec::new() };
    for _ in 0..=arguments.runs {
        let mut run = Run::new().on_threads(arguments.threads).in_workspace(&mut workspace);
        for (name, value) in &arguments.settings {
            run = run
                .with_option(solver.info(), name, *value)
                .unwrap_or_else(|error| world.fail(error));
        }
        let solution = solver.solve(&input.slice, Order::Minimum, world, &mut run);
        times.solutions.push(solution.unwrap_or_else(|refusal| refusal.end()));
        if let (Some(solver), Some(whole)) = (arguments.beside, &input.whole) {
            let mut run =
                Run::new().on_threads(arguments.threads).in_workspace(&mut workspace_beside);
            let solution = solver.solve(whole, Order::Minimum, &mut run);
            times.beside.push(solution.unwrap_or_else(|error| world.fail(error)).solve);
        }
    }
    times.solutions.remove(0);
    times.beside.drain(..1.min(times.beside.len()));
    times
}

/// The shortest time and the median, in seconds.
fn best_and_median(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    (times[0].as_secs_f64(), times[times.len() / 2].as_secs_f64())
}

/// The phases as JSON: medians of the times, with the traffic of the first run.
fn phases(solutions: &[DistributedSolution]) -> String {
    let phases = solutions[0].phases.iter().enumerate().map(|(index, phase)| {
        let median = |time: fn(&PhaseTraffic) -> Duration| {
            let of_run = |solution: &DistributedSolution| {
                solution.phases.get(index).map_or(Duration::ZERO, time)
            };
            best_and_median(solutions.iter().map(of_run).collect()).1
        };
        format!(
            r#"{{"name":"{}","seconds":{:.6},"communication_seconds":{:.6},"messages":{},"bytes":{}}}"#,
            phase.name,
            median(|phase| phase.elapsed),
            median(|phase| phase.traffic.time),
            phase.traffic.messages,
            phase.traffic.bytes
        )
    });
    phases.collect::<Vec<_>>().join(",")
}

/// The line of JSON.
fn report(
    solver: &dyn DistributedSolver,
    input: &Input,
    times: Times,
    arguments: &Arguments,
    world: &Communicator,
) -> String {
    let (best, median) =
        best_and_median(times.solutions.iter().map(|solution| solution.solve).collect());
    let beside = arguments.beside.map_or(String::new(), |solver| {
        let (best, median) = best_and_median(times.beside);
        let id = solver.info().id;
        format!(r#""beside":{{"algorithm":"{id}","best":{best:.6},"median":{median:.6}}},"#)
    });
    let forest = &times.solutions[0].forest;
    format!(
        r#"{{"algorithm":"{}","spec":"{}","ranks":{},"threads":{},"runs":{},"made_seconds":{:.3},"seconds":{{"best":{best:.6},"median":{median:.6}}},{beside}"edges":{},"total":"{}","phases":[{}]}}"#,
        solver.info().id,
        arguments.spec,
        world.size(),
        arguments.threads,
        arguments.runs,
        input.generated.as_secs_f64(),
        forest.edges(),
        forest.total(),
        phases(&times.solutions)
    )
}
