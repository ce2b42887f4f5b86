//! Times a solver for clusters on a generated graph or a file, on all ranks of the job, and prints
//! one line of JSON: the medians of the solve time and of each phase over the runs, with messages,
//! bytes, and bytes between machines, and all solve times in the order of the runs, the warm-up
//! first.
//!
//! ```text
//! cargo build --release --package kostra-mpi --example bench
//! mpirun -n 4 bench gen:gnm:n=4M,m=16M [--algorithm mpi-fast] [--runs 5] [--threads 1]
//!     [--set NAME=VALUE] [--observe 1] [--devices 2]
//! mpirun -n 1 bench gen:gnm:n=4M,m=16M --beside fast
//! ```
//!
//! On one rank, `--beside` times a solver for one machine too, in turn on the same graph with the
//! same number of threads.
//!
//! With `--observe 1`, one more solve is observed on every rank. The line then has the time of each
//! phase in each round, the sum of each counter in it, and the sizes and time of each round, on
//! every rank: 0 for a rank that took no part. Waiting is counted in this solve, and not in the
//! timed ones.
//!
//! Each rank generates its own slice of the graph; this time is reported separately. If the
//! argument is a file, each rank reads it and keeps its slice. With `--devices 2`, the ranks of a
//! machine take turns on its first two CUDA devices. The program needs only the system's MPI.

use std::path::PathBuf;
use std::process::exit;
use std::time::{Duration, Instant};

use kostra_core::{AnyGraph, Observer, Order, Round, Run, Solver, Workspace};
use kostra_io::ReadOptions;
use kostra_mpi::{
    AnySlice, Communicator, DistributedSolution, DistributedSolver, EdgeDistribution, PhaseTraffic,
    Reduction,
};

#[global_allocator]
static MEMORY: kostra_core::ReportingAllocator = kostra_mpi::ALLOCATOR;

struct Arguments {
    /// `gen:` and a generator spec, or the path of a file.
    source: String,
    algorithm: String,
    runs: usize,
    threads: usize,
    /// The number of devices of each machine; 0 for none.
    devices: usize,
    settings: Vec<(String, u64)>,
    beside: Option<&'static dyn Solver>,
    observe: bool,
}

fn main() {
    let world = Communicator::start().unwrap_or_else(|refusal| refusal.end());
    let arguments = world.agree(arguments()).unwrap_or_else(|refusal| refusal.end());
    let solvers = kostra_mpi::solvers().chain(kostra_papers_mpi::solvers());
    let found = { solvers }.find(|solver| solver.info().id == arguments.algorithm);
    let found = found.ok_or_else(|| format!("there is no algorithm '{}'", arguments.algorithm));
    let solver = world.agree(found).unwrap_or_else(|refusal| refusal.end());
    let input = input(&arguments, &world);
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
    let usage = "usage: bench gen:SPEC|FILE [--algorithm ID] [--runs N] [--threads N] [--set NAME=VALUE] [--beside ID] [--observe 0|1] [--devices N]";
    let source = words.next().filter(|word| !word.starts_with('-')).ok_or(usage)?;
    let algorithm = "mpi-fast".to_owned();
    let mut arguments = Arguments {
        source,
        algorithm,
        runs: 5,
        threads: 1,
        devices: 0,
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
            "--devices" => arguments.devices = number(&value)? as usize,
            "--observe" => arguments.observe = number(&value)? > 0,
            "--set" => {
                let (name, value) = value.split_once('=').ok_or(usage)?;
                arguments.settings.push((name.to_owned(), number(value)?));
            }
            "--beside" => {
                let mut solvers = kostra_cpu::solvers().chain(kostra_papers::solvers());
                let found = solvers.find(|solver| solver.info().id == value);
                let missing = || format!("there is no algorithm '{value}' for one machine");
                arguments.beside = Some(found.ok_or_else(missing)?);
            }
            _ => return Err(format!("there is no argument '{word}'; {usage}")),
        }
    }
    Ok(arguments)
}

/// The graph on this rank.
struct Input {
    slice: AnySlice,
    /// The whole graph, for a solver for one machine.
    whole: Option<AnyGraph>,
    /// The longest time of any rank to generate or read its slice.
    made: Duration,
}

fn input(arguments: &Arguments, world: &Communicator) -> Input {
    let start = Instant::now();
    let is_whole = arguments.beside.is_none() || world.size() == 1;
    let fit =
        if is_whole { Ok(()) } else { Err("a solver for one machine needs a job of one rank") };
    world.agree(fit).unwrap_or_else(|refusal| refusal.end());
    let (slice, whole) = match arguments.source.strip_prefix("gen:") {
        Some(spec) => generate(spec, arguments, world),
        None => read(arguments, world),
    };
    let made = world.reduce_one(Reduction::Max, start.elapsed().as_micros() as u64);
    Input { slice, whole, made: Duration::from_micros(made) }
}

fn generate(
    spec: &str,
    arguments: &Arguments,
    world: &Communicator,
) -> (AnySlice, Option<AnyGraph>) {
    let gather = |number| world.all_gather(&[number]).into_items();
    let made = kostra_gen::generate_part(spec, world.rank(), world.size(), &gather);
    let made = world.agree(made).unwrap_or_else(|refusal| refusal.end());
    let whole = arguments.beside.map(|_| made.graph.clone());
    let slice = AnySlice::from_graph(made.first, made.graph);
    (world.agree(slice).unwrap_or_else(|refusal| refusal.end()), whole)
}

fn read(arguments: &Arguments, world: &Communicator) -> (AnySlice, Option<AnyGraph>) {
    let path = PathBuf::from(&arguments.source);
    let options = ReadOptions { threads: arguments.threads, ..ReadOptions::default() };
    let graph = kostra_io::read(&kostra_io::Input::Path(path), &options, &|_| {});
    let graph = world.agree(graph).unwrap_or_else(|refusal| refusal.end()).parsed.graph;
    let edges = EdgeDistribution::even(graph.edges() as u64, world.size());
    let slice = AnySlice::from_range(&graph, edges.range(world.rank()));
    let slice = world.agree(slice).unwrap_or_else(|refusal| refusal.end());
    (slice, arguments.beside.map(|_| graph))
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
    let answer = |solution: &DistributedSolution| {
        (solution.forest.edges(), solution.forest.total().to_string())
    };
    if times.solutions.iter().any(|solution| answer(solution) != answer(&times.solutions[0])) {
        world.fail("two solves of one graph found different forests");
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
    let rank_of_machine = world.rank() - world.first_on_machine();
    if let Some(device) = rank_of_machine.checked_rem(arguments.devices) {
        run = run.on_device(device);
    }
    for (name, value) in &arguments.settings {
        run =
            run.with_option(solver.info(), name, *value).unwrap_or_else(|error| world.fail(error));
    }
    run
}

/// A phase, a counter or a size of a round in one solve, as a sum over its reports on this rank.
struct Figure {
    name: &'static str,
    /// The innermost phase around a counter; empty outside of phases.
    phase: &'static str,
    /// The round around it, if there is one.
    round: Option<u32>,
    value: f64,
}

/// The reports of one solve on this rank.
#[derive(Default)]
struct Log {
    /// The open phases, with the round at their start.
    open: Vec<(&'static str, Option<u32>)>,
    /// The current round, and its start.
    round: Option<(u32, Instant)>,
    phases: Vec<Figure>,
    counters: Vec<Figure>,
    rounds: Vec<Figure>,
}

impl Log {
    fn current(&self) -> Option<u32> {
        self.round.map(|(round, _)| round)
    }
}

fn add(figures: &mut Vec<Figure>, more: Figure) {
    let key = |figure: &Figure| (figure.name, figure.phase, figure.round);
    match figures.iter_mut().find(|figure| key(figure) == key(&more)) {
        Some(figure) => figure.value += more.value,
        None => figures.push(more),
    }
}

impl Observer for Log {
    fn phase_started(&mut self, name: &'static str) {
        self.open.push((name, self.current()));
    }

    fn phase_finished(&mut self, name: &'static str, elapsed: Duration) {
        let round = self.open.pop().and_then(|(_, round)| round);
        if self.open.is_empty() {
            let value = elapsed.as_secs_f64();
            add(&mut self.phases, Figure { name, phase: "", round, value });
        }
    }

    fn round(&mut self, Round { index, components, edges }: Round) {
        self.rounds_finished();
        self.round = Some((index, Instant::now()));
        for (name, value) in [("components", components), ("edges", edges)] {
            let (round, value) = (Some(index), value as f64);
            self.rounds.push(Figure { name, phase: "", round, value });
        }
    }

    fn rounds_finished(&mut self) {
        if let Some((round, start)) = self.round.take() {
            let (round, value) = (Some(round), start.elapsed().as_secs_f64());
            self.rounds.push(Figure { name: "seconds", phase: "", round, value });
        }
    }

    fn counter(&mut self, name: &'static str, value: f64) {
        let phase = self.open.last().map_or("", |(phase, _)| phase);
        let round = self.current();
        add(&mut self.counters, Figure { name, phase, round, value });
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
    world.count_waiting(true);
    let solution = solver.solve(&input.slice, Order::Minimum, world, &mut run);
    let seconds = solution.unwrap_or_else(|refusal| refusal.end()).solve.as_secs_f64();
    drop(run);
    world.count_waiting(false);
    log.rounds_finished();
    let [phases, counters, rounds] =
        [&log.phases, &log.counters, &log.rounds].map(|figures| on_ranks(figures, world));
    format!(
        r#""observed_seconds":{seconds:.6},"phases_on_ranks":[{phases}],"counters_on_ranks":[{counters}],"rounds_on_ranks":[{rounds}],"#
    )
}

/// The figures that any rank reports, with the values of all ranks. Collective.
fn on_ranks(figures: &[Figure], world: &Communicator) -> String {
    let line = |figure: &Figure| {
        let round = figure.round.map_or_else(|| "null".to_owned(), |round| round.to_string());
        let Figure { name, phase, value, .. } = figure;
        format!("\"name\":\"{name}\",\"phase\":\"{phase}\",\"round\":{round}\t{value}\n")
    };
    let own: Vec<u8> = figures.iter().flat_map(|figure| line(figure).into_bytes()).collect();
    let all = world.all_gather(&own);
    let mut known: Vec<(String, Vec<f64>)> = Vec::new();
    for (rank, lines) in all.iter().enumerate() {
        let lines = String::from_utf8_lossy(lines).into_owned();
        for (key, value) in lines.lines().filter_map(|line| line.rsplit_once('\t')) {
            let at = known.iter().position(|(other, _)| other == key).unwrap_or_else(|| {
                known.push((key.to_owned(), vec![0.0; world.size()]));
                known.len() - 1
            });
            known[at].1[rank] = value.parse().unwrap_or_default();
        }
    }
    let figures = known.iter().map(|(key, values)| {
        let values: Vec<_> = values.iter().map(f64::to_string).collect();
        format!(r#"{{{key},"values":[{}]}}"#, values.join(","))
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
            r#"{{"name":"{}","seconds":{:.6},"communication_seconds":{:.6},"messages":{},"bytes":{},"bytes_between_machines":{}}}"#,
            phase.name,
            median(|phase| phase.elapsed),
            median(|phase| phase.traffic.time),
            phase.traffic.messages,
            phase.traffic.bytes,
            phase.traffic.bytes_between_machines
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
        arguments.source.trim_start_matches("gen:"),
        world.size(),
        arguments.threads,
        arguments.runs,
        input.made.as_secs_f64(),
        samples.join(","),
        forest.edges(),
        forest.total(),
        phases(&times.solutions)
    )
}
