//! Times a solver for clusters on a generated graph, on all ranks of the job, and prints one line
//! of JSON: the medians of the solve time and of each phase over the runs, with messages and bytes,
//! and all solve times in the order of the runs, the warm-up first.
//!
//! ```text
//! cargo build --release --package kostra-mpi --example bench
//! mpirun -n 4 bench gen:gnm:n=4M,m=16M [--algorithm mpi-fast] [--runs 5] [--threads 1]
//!     [--set NAME=VALUE] [--observe 1]
//! mpirun -n 1 bench gen:gnm:n=4M,m=16M --beside fast
//! ```
//!
//! On one rank, `--beside` times a solver for one machine too, in turn on the same graph with the
//! same number of threads.
//!
//! With `--observe 1`, one more solve is observed on every rank. The line then has the time of each
//! phase and the sum of each counter in it on every rank.
//!
//! Each rank generates its own slice of the graph, whose weights must be `u32`; this time is
//! reported separately. The program is one file that needs only the system's MPI library.

use std::process::exit;
use std::time::{Duration, Instant};

use kostra_core::{AnyGraph, Observer, Order, Run, Solver, WeightType, Workspace};
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
    observe: bool,
}

fn main() {
    let world = Communicator::start().unwrap_or_else(|refusal| refusal.end());
    let arguments = world.agree(arguments()).unwrap_or_else(|refusal| refusal.end());
    let found = solvers().find(|solver| solver.info().id == arguments.algorithm);
    let found = found.ok_or_else(|| format!("there is no algorithm '{}'", arguments.algorithm));
    let solver = world.agree(found).unwrap_or_else(|refusal| refusal.end());
    let input = generate(&arguments, &world);
    let times = measure(solver, &input, &arguments, &world);
    let observed = arguments.observe.then(|| observe(solver, &input, &arguments, &world));
    let line = report(&input, times, &observed.unwrap_or_default(), &arguments, &world);
    if world.rank() == 0 {
        println!("{line}");
    }
    drop(world);
    exit(0)
}

fn arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    let usage = "usage: bench gen:SPEC [--algorithm ID] [--runs N] [--threads N] [--set NAME=VALUE] [--beside ID] [--observe 0|1]";
    let spec =
        words.next().and_then(|word| word.strip_prefix("gen:").map(str::to_owned)).ok_or(usage)?;
    let algorithm = "mpi-fast".to_owned();
    let mut arguments = Arguments {
        spec,
        algorithm,
        runs: 5,
        threads: 1,
        settings: Vec::new(),
        beside: None,
        observe: false,
    };
    while let Some(word) = words.next() {
        let value = words.next().ok_or(usage)?;
        let number = |value: &str| {
            value.parse::<u64>().map_err(|_| format!("'{value}' is not a number; {usage}"))
        };
        match word.as_str() {
            "--algorithm" => arguments.algorithm = value,
            "--runs" => arguments.runs = number(&value)?.max(1) as usize,
            "--threads" => arguments.threads = number(&value)?.max(1) as usize,
            "--observe" => arguments.observe = number(&value)? > 0,
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
    /// The time of the warm-up run.
    warm_up: Duration,
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
    let mut times = Times { warm_up: Duration::ZERO, solutions: Vec::new(), beside: Vec::new() };
    for _ in 0..=arguments.runs {
        let run = Run::new().on_threads(arguments.threads).in_workspace(&mut workspace);
        let mut run = with_settings(run, solver, arguments, world);
        let solution = solver.solve(&input.slice, Order::Minimum, world, &mut run);
        times.solutions.push(solution.unwrap_or_else(|refusal| refusal.end()));
        if let (Some(solver), Some(whole)) = (arguments.beside, &input.whole) {
            let mut run =
                Run::new().on_threads(arguments.threads).in_workspace(&mut workspace_beside);
            let solution = solver.solve(whole, Order::Minimum, &mut run);
            times.beside.push(solution.unwrap_or_else(|error| world.fail(error)).solve);
        }
    }
    times.warm_up = times.solutions.remove(0).solve;
    times.beside.drain(..1.min(times.beside.len()));
    times
}

fn with_settings<'a>(
    mut run: Run<'a>,
    solver: &dyn DistributedSolver,
    arguments: &Arguments,
    world: &Communicator,
) -> Run<'a> {
    for (name, value) in &arguments.settings {
        run =
            run.with_option(solver.info(), name, *value).unwrap_or_else(|error| world.fail(error));
    }
    run
}

/// A phase or a counter of one solve, as a sum over its reports on this rank.
struct Figure {
    name: &'static str,
    /// The innermost phase around a counter; empty outside of phases.
    phase: &'static str,
    value: f64,
}

/// The reports of one solve on this rank.
#[derive(Default)]
struct Log {
    open: Vec<&'static str>,
    phases: Vec<Figure>,
    counters: Vec<Figure>,
}

fn add(figures: &mut Vec<Figure>, name: &'static str, phase: &'static str, value: f64) {
    match figures.iter_mut().find(|figure| (figure.name, figure.phase) == (name, phase)) {
        Some(figure) => figure.value += value,
        None => figures.push(Figure { name, phase, value }),
    }
}

impl Observer for Log {
    fn phase_started(&mut self, name: &'static str) {
        self.open.push(name);
    }

    fn phase_finished(&mut self, name: &'static str, elapsed: Duration) {
        self.open.pop();
        if self.open.is_empty() {
            add(&mut self.phases, name, "", elapsed.as_secs_f64());
        }
    }

    fn counter(&mut self, name: &'static str, value: f64) {
        add(&mut self.counters, name, self.open.last().copied().unwrap_or_default(), value);
    }
}

/// Solves once more with an observer on every rank. Returns the time, and the reports of all ranks
/// as JSON.
fn observe(
    solver: &dyn DistributedSolver,
    input: &Input,
    arguments: &Arguments,
    world: &Communicator,
) -> String {
    let mut log = Log::default();
    let run = Run::new().on_threads(arguments.threads).observed_by(&mut log);
    let mut run = with_settings(run, solver, arguments, world);
    let solution = solver.solve(&input.slice, Order::Minimum, world, &mut run);
    let seconds = solution.unwrap_or_else(|refusal| refusal.end()).solve.as_secs_f64();
    drop(run);
    let (phases, counters) = (on_ranks(&log.phases, world), on_ranks(&log.counters, world));
    format!(
        r#""observed_seconds":{seconds:.6},"phases_on_ranks":[{phases}],"counters_on_ranks":[{counters}],"#
    )
}

/// The figures of rank 0, with the values of all ranks that report them. Collective.
fn on_ranks(figures: &[Figure], world: &Communicator) -> String {
    let own: Vec<u8> = figures
        .iter()
        .flat_map(|figure| {
            format!("{}\t{}\t{}\n", figure.name, figure.phase, figure.value).into_bytes()
        })
        .collect();
    let all = String::from_utf8(world.all_gather(&own).into_items()).unwrap_or_default();
    let lines: Vec<_> = all.lines().filter_map(|line| line.rsplit_once('\t')).collect();
    let figures = figures.iter().map(|figure| {
        let key = format!("{}\t{}", figure.name, figure.phase);
        let values = lines.iter().filter(|(other, _)| *other == key).map(|(_, value)| *value);
        let values = values.collect::<Vec<_>>().join(",");
        format!(r#"{{"name":"{}","phase":"{}","values":[{values}]}}"#, figure.name, figure.phase)
    });
    figures.collect::<Vec<_>>().join(",")
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
    input: &Input,
    times: Times,
    observed: &str,
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
    let samples = times.solutions.iter().map(|solution| solution.solve);
    let samples = [times.warm_up].into_iter().chain(samples);
    let samples: Vec<_> = samples.map(|time| format!("{:.6}", time.as_secs_f64())).collect();
    let forest = &times.solutions[0].forest;
    format!(
        r#"{{"algorithm":"{}","spec":"{}","ranks":{},"threads":{},"runs":{},"made_seconds":{:.3},"seconds":{{"best":{best:.6},"median":{median:.6}}},"samples":[{}],{observed}{beside}"edges":{},"total":"{}","phases":[{}]}}"#,
        arguments.algorithm,
        arguments.spec,
        world.size(),
        arguments.threads,
        arguments.runs,
        input.generated.as_secs_f64(),
        samples.join(","),
        forest.edges(),
        forest.total(),
        phases(&times.solutions)
    )
}
