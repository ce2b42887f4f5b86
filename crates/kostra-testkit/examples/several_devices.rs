//! Times `cuda-multi` on several devices, `cuda-fast` on the first one, and `fast`, on a machine
//! that has devices but no Rust. All answers are compared.
//!
//! ```text
//! cargo build --release --package kostra-testkit --example several_devices
//! several_devices --devices 0,1 --runs 9 gen:gnm:n=4M,m=500M rows:dense:n=8000 ...
//! ```
//!
//! For each graph it prints the medians of `--runs` turns in ms. `gen:` times edge lists that are
//! stored on the devices, and solves from host memory; `rows:` also times rows on the first device.
//! `one:` is `gen:` without solves from host memory.

use std::process::exit;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kostra::solver;
use kostra_core::{
    AnyGraph, EdgeSet, Graph, Observer, Order, Problem, Run, Solution, SolveError, Weight,
    with_graph,
};
use kostra_cuda::multi::{self, DeviceShare};
use kostra_cuda::{Device, DeviceCsr, DeviceEdges, fast};
use kostra_gen as generate;

type Fault = Box<dyn std::error::Error>;

struct Arguments {
    devices: Vec<usize>,
    runs: usize,
    graphs: Vec<String>,
}

fn main() {
    if let Err(fault) = arguments().and_then(|arguments| measure_all(&arguments)) {
        println!("{fault}");
        exit(1);
    }
}

fn arguments() -> Result<Arguments, Fault> {
    let mut parsed = Arguments { devices: vec![0], runs: 9, graphs: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--devices" => {
                parsed.devices = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            "--runs" => parsed.runs = value()?.parse()?,
            _ => parsed.graphs.push(argument),
        }
    }
    Ok(parsed)
}

fn measure_all(arguments: &Arguments) -> Result<(), Fault> {
    let devices: Vec<_> =
        arguments.devices.iter().map(|&ordinal| Device::open(ordinal)).collect::<Result<_, _>>()?;
    for device in &devices {
        println!("cuda:{} {}", device.ordinal(), device.name());
    }
    for name in &arguments.graphs {
        let (form, spec) =
            name.split_once(':').ok_or("a graph is gen:SPEC, rows:SPEC or one:SPEC")?;
        let start = Instant::now();
        let graph = generate::generate(spec)?.graph;
        let (n, m) = (graph.vertices(), graph.edges());
        println!("{spec}: {n} vertices, {m} edges, made in {:.1} s", start.elapsed().as_secs_f64());
        with_graph!(&graph, typed => resident(&devices, typed, form == "rows", arguments.runs))?;
        if form != "one" {
            from_host(&graph, arguments)?;
        }
    }
    Ok(())
}

/// Solves edge lists, and rows, that are stored on devices.
fn resident<W: Weight>(
    devices: &[Arc<Device>],
    graph: &Graph<W>,
    has_rows: bool,
    runs: usize,
) -> Result<(), Fault> {
    let edges = graph.edge_list().edges(Order::Minimum);
    let (first, threads) = (&devices[0], threads());
    let whole = DeviceEdges::upload(first, edges, threads)?;
    let (count, m) = (devices.len(), edges.len());
    let bound = |index: usize| index * m / count;
    let parts: Vec<_> = devices
        .iter()
        .enumerate()
        .map(|(i, device)| {
            DeviceEdges::upload(device, edges.range(bound(i)..bound(i + 1)), threads)
        })
        .collect::<Result<_, _>>()?;
    let shares: Vec<_> =
        devices.iter().zip(&parts).map(|(device, edges)| DeviceShare { device, edges }).collect();
    let rows = if has_rows {
        let view = Problem::new(graph, Order::Minimum, solver("cuda-fast-rows")?.info());
        graph.csr("cuda-fast-rows", &mut Run::new().on_threads(threads))?;
        Some(DeviceCsr::upload(first, view.csr(&mut Run::new())?, threads)?)
    } else {
        None
    };
    let mut times = vec![Vec::new(); 3];
    let mut parts_of_multi = Phases::default();
    let right = fast::on_edges(first, &whole, &mut Run::new())?;
    for run in 0..=runs {
        // The times are without the copy of the answer to the host.
        type Solve<'a> = &'a mut dyn FnMut(&mut Run<'_>) -> Result<EdgeSet, SolveError>;
        let mut turn = |index: usize, solve: Solve<'_>| {
            devices.iter().try_for_each(|device| device.wake())?;
            let (mut phases, mut state) = (Phases::default(), Run::new());
            if index == 1 {
                state = state.observed_by(&mut phases);
            }
            let start = Instant::now();
            let set = solve(&mut state)?;
            let time = start.elapsed().saturating_sub(state.take_device_times().download);
            drop(state);
            if index == 1 {
                parts_of_multi = phases;
            }
            if run > 0 {
                times[index].push(time);
            }
            if set.words() == right.words() { Ok(()) } else { Err(Fault::from("WRONG answer")) }
        };
        turn(0, &mut |run| fast::on_edges(first, &whole, run))?;
        turn(1, &mut |run| multi::on_edges(&shares, run))?;
        if let Some(rows) = &rows {
            turn(2, &mut |run| fast::on_rows(first, rows, run))?;
        }
    }
    let [one, several, rows] = [0, 1, 2].map(|index| median(&mut times[index]));
    let ratio = one / several;
    println!(
        "  resident: cuda-fast {one:.3}, cuda-multi {several:.3} (ratio {ratio:.2}), rows {rows:.3}"
    );
    println!("    the last cuda-multi: {}", parts_of_multi.words());
    Ok(())
}

/// Solves from host memory and back.
fn from_host(graph: &AnyGraph, arguments: &Arguments) -> Result<(), Fault> {
    let ids = ["cuda-fast", "cuda-multi", "fast"];
    let mut times = vec![Vec::new(); ids.len()];
    let mut phases = vec![Phases::default(); ids.len()];
    let mut right: Option<Vec<u32>> = None;
    for run in 0..=arguments.runs {
        for (index, id) in ids.into_iter().enumerate() {
            let solver = solver(id)?;
            let mut observer = Phases::default();
            let mut state = Run::new().on_threads(threads()).observed_by(&mut observer);
            state = if solver.uses_devices() {
                state.on_devices(&arguments.devices)
            } else {
                state.on_device(arguments.devices[0])
            };
            let start = Instant::now();
            let Solution { forest, .. } = solver.solve(graph, Order::Minimum, &mut state)?;
            if run > 0 {
                times[index].push(start.elapsed());
            }
            phases[index] = observer;
            let found = forest.into_ids();
            if *right.get_or_insert_with(|| found.clone()) != found {
                return Err(format!("{id}: WRONG answer").into());
            }
        }
    }
    for (index, id) in ids.into_iter().enumerate() {
        let time = median(&mut times[index]);
        println!("  from host: {id} {time:.2}: {}", phases[index].words());
    }
    Ok(())
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// The median in ms; 0 if there is none.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// The outermost phases and the counters of a solve.
#[derive(Clone, Default)]
struct Phases {
    depth: usize,
    ended: Vec<(&'static str, Duration)>,
    counters: Vec<(&'static str, f64)>,
}

impl Phases {
    fn words(&self) -> String {
        let phases = self
            .ended
            .iter()
            .filter(|(_, time)| time.as_micros() > 10)
            .map(|(name, time)| format!("{name} {:.2}", time.as_secs_f64() * 1e3));
        let counters = self.counters.iter().map(|(name, value)| format!("{name}: {value}"));
        phases.chain(counters).collect::<Vec<_>>().join(", ")
    }
}

impl Observer for Phases {
    fn phase_started(&mut self, _: &'static str) {
        self.depth += 1;
    }

    fn phase_finished(&mut self, name: &'static str, elapsed: Duration) {
        self.depth -= 1;
        if self.depth == 0 {
            self.ended.push((name, elapsed));
        }
    }

    fn counter(&mut self, name: &'static str, value: f64) {
        if !name.starts_with("occupancy") {
            self.counters.push((name, value));
        }
    }
}
