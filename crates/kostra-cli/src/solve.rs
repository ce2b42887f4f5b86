//! `kostra solve`: the forest, its weight, and how long each part took.

use std::time::{Duration, Instant};

use kostra::io::Output;
use kostra::{
    AnyGraph, Certificate, EdgeId, Order, OutOfMemory, Platform, Run, Solution, SolveError, Solver,
    Total, VerifyError, Violation, cuda, with_graph,
};
use serde::Serialize;

use crate::args::{Device, ForestFormat, Nan, SolveArgs};
use crate::input::{Graph, Request};
use crate::progress::Stage;
use crate::report::{self, JsonNumber, Sheet, count};
use crate::trace::{Trace, Watcher};
use crate::{Answer, forest_file, output};

/// What the arguments mean.
struct Plan {
    input: Request,
    /// The algorithm, or none to have one chosen by the graph.
    solver: Option<&'static dyn Solver>,
    /// Where to solve, or none to have that chosen as well.
    device: Option<Device>,
    settings: Vec<(String, u64)>,
    order: Order,
    verify: bool,
    trace: bool,
    output: Option<(Output, ForestFormat)>,
    json: bool,
}

impl Plan {
    fn resolve(args: SolveArgs) -> anyhow::Result<Self> {
        let solver = match args.algorithm.as_str() {
            "auto" => None,
            id => Some(kostra::solver(id)?),
        };
        if let (Some(solver), Some(device)) = (solver, args.device) {
            let id = solver.info().id;
            match (solver.info().platform, device) {
                (Platform::Cuda, Device::Cpu) => {
                    anyhow::bail!("{id} runs on CUDA devices only, not on a cpu")
                }
                (Platform::Sequential | Platform::Threads | Platform::Mpi, Device::Cuda(_)) => {
                    anyhow::bail!("{id} runs on the processor only, not on a CUDA device")
                }
                _ => {}
            }
        }
        let output =
            args.output.map(|path| forest_file::output(&path, args.output_format)).transpose()?;
        Ok(Self {
            input: Request::resolve(args.input, Nan::Error),
            solver,
            device: args.device,
            settings: args.set,
            order: if args.maximum { Order::Maximum } else { Order::Minimum },
            verify: args.verify,
            trace: args.trace,
            output,
            json: args.json,
        })
    }

    /// The device that is sure to be needed, whatever the graph.
    fn device(&self) -> Option<usize> {
        match self.device {
            Some(Device::Cuda(ordinal)) => Some(ordinal),
            Some(Device::Cpu) => None,
            None => self
                .solver
                .is_some_and(|solver| solver.info().platform == Platform::Cuda)
                .then_some(0),
        }
    }

    /// The algorithm for a graph.
    fn solver(&self, graph: &AnyGraph) -> anyhow::Result<&'static dyn Solver> {
        Ok(match (self.solver, self.device) {
            (Some(solver), _) => solver,
            (None, None) => kostra::auto(graph),
            (None, Some(Device::Cpu)) => kostra::auto_on_processor(graph),
            (None, Some(Device::Cuda(_))) => cuda::FASTEST
                .ok_or_else(|| anyhow::anyhow!("this build has no algorithm for CUDA devices"))?,
        })
    }
}

/// What came of it.
struct Outcome {
    input: Graph,
    solver: &'static dyn Solver,
    threads: usize,
    /// The name of the device that solved, and its number.
    device: Option<(String, usize)>,
    /// Time to open it.
    open: Duration,
    solution: Solution,
    trace: Option<Trace>,
    verified: Option<Verdict>,
    verify: Duration,
    /// Whether the forest was written. One that was found wrong is not.
    written: bool,
    write: Duration,
}

/// Solves, verifies, writes and reports, as asked.
///
/// # Errors
/// When the input, the algorithm's name or the output is at fault.
pub(crate) fn run(args: SolveArgs) -> anyhow::Result<Answer> {
    #[cfg(not(feature = "mpi"))]
    if is_distributed(&args) {
        anyhow::bail!(
            "{} runs on the ranks of an MPI job, and this build has no MPI; build one that has with \
             `cargo build --release -p kostra-cli --features mpi`",
            args.algorithm
        );
    }
    let plan = Plan::resolve(args)?;
    let start = Instant::now();
    if let Some(ordinal) = plan.device() {
        // Before the graph is read: that may take minutes, and be in vain.
        let _stage = Stage::start("opening the device");
        cuda::Device::open(ordinal)?;
    }
    let open = start.elapsed();
    let mut input = plan.input.load()?;
    if !matches!(plan.output, Some((_, ForestFormat::Kst))) {
        input.coordinates = None; // nobody else keeps them, and they can take more memory than the edges
    }
    input.notes.extend(note_on_threads(&plan));
    let mut solver = plan.solver(&input.graph)?;
    let (solution, trace, refused) = match solve(&plan, solver, &input.graph) {
        Err(error)
            if plan.solver.is_none() && plan.device.is_none() && is_of_the_device(&error) =>
        {
            // Nobody asked for a device, so nobody need do without an answer.
            input.notes.push(format!(
                "solved on the processor, for {} failed: {error:#}",
                solver.info().id
            ));
            solver = kostra::auto_on_processor(&input.graph);
            solve(&plan, solver, &input.graph)?
        }
        result => result?,
    };
    let wanted = threads(&plan, solver);
    if refused > 0 {
        input.notes.push(format!("{refused} of the {wanted} threads were refused by the system"));
    }
    let threads = wanted.saturating_sub(refused).max(1);
    let device = (solver.info().platform == Platform::Cuda).then(|| {
        let ordinal = plan.device().unwrap_or(0);
        let name = cuda::Device::open(ordinal).map(|device| device.name().to_owned());
        (name.unwrap_or_else(|_| "CUDA device".to_owned()), ordinal)
    });

    let start = Instant::now();
    let verified = if plan.verify {
        let _stage = Stage::start("verifying");
        Some(verify(&input.graph, plan.order, solution.forest.ids())?)
    } else {
        None
    };
    let verify = if plan.verify { start.elapsed() } else { Duration::ZERO };
    plan.input.refuse_changes(&input)?;

    let start = Instant::now();
    let written = plan.output.is_some() && !matches!(verified, Some(Err(_)));
    if let (Some((output, format)), true) = (&plan.output, written) {
        let _stage = Stage::start(&format!("writing {output}"));
        let result = forest_file::write(output, *format, &input, solution.forest.ids());
        plan.input.refuse_changes(&input)?; // it names the input, where the result names the output
        result?;
    }
    let write = if written { start.elapsed() } else { Duration::ZERO };

    let outcome = Outcome {
        input,
        solver,
        threads,
        device,
        open,
        solution,
        trace,
        verified,
        verify,
        written,
        write,
    };
    report(&plan, &outcome)?;
    Ok(if matches!(outcome.verified, Some(Err(_))) { Answer::No } else { Answer::Yes })
}

/// Whether the algorithm is one for clusters.
pub(crate) fn is_distributed(args: &SolveArgs) -> bool {
    args.algorithm.starts_with("mpi-")
}

fn note_on_threads(plan: &Plan) -> Option<String> {
    let threads = plan.input.threads;
    (threads.wanted > threads.present).then(|| {
        let present = threads.present;
        format!(
            "{} threads were asked for; this machine can run {present} at a time",
            threads.wanted
        )
    })
}

/// How many threads the algorithm works with; beside a device, they carry data to it.
fn threads(plan: &Plan, solver: &dyn Solver) -> usize {
    match solver.info().platform {
        Platform::Sequential => 1,
        Platform::Threads | Platform::Cuda | Platform::Mpi => plan.input.threads.wanted,
    }
}

/// Whether it is the device that is to blame, so that the processor may do better.
fn is_of_the_device(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<SolveError>();
    error.is_some_and(|error| {
        !matches!(error, SolveError::Cancelled | SolveError::Unsuitable { .. })
    })
}

/// The solution, what the solver told, and how many threads the system refused.
fn solve(
    plan: &Plan,
    solver: &dyn Solver,
    graph: &AnyGraph,
) -> anyhow::Result<(Solution, Option<Trace>, usize)> {
    let stage = Stage::start("solving");
    let mut watcher = Watcher::new(&stage, plan.trace);
    let mut run = Run::new().observed_by(&mut watcher).on_threads(threads(plan, solver));
    if let Some(ordinal) = plan.device() {
        run = run.on_device(ordinal);
    }
    for (name, value) in &plan.settings {
        run = run.with_option(solver.info(), name, *value)?;
    }
    let solution = solver.solve(graph, plan.order, &mut run)?;
    let (trace, refused) = watcher.finish();
    Ok((solution, trace, refused))
}

/// Decides whether the edges are the forest of the graph.
///
/// # Errors
/// When the system does not grant the memory to decide it. The answer itself is the first violation
/// if there is one.
pub(crate) fn verify(
    graph: &AnyGraph,
    order: Order,
    ids: &[EdgeId],
) -> Result<Verdict, OutOfMemory> {
    match with_graph!(graph, graph => kostra::verify(graph.edge_list().edges(order), ids)) {
        Ok(certificate) => Ok(Ok(certificate)),
        Err(VerifyError::Violation(violation)) => Ok(Err(violation)),
        Err(VerifyError::OutOfMemory(refusal)) => Err(refusal),
    }
}

/// What was decided of a forest.
pub(crate) type Verdict = Result<Certificate, Violation>;

fn report(plan: &Plan, outcome: &Outcome) -> anyhow::Result<()> {
    let text = if plan.json { report::json(&record(plan, outcome))? } else { sheet(plan, outcome) };
    let trace = outcome.trace.as_ref().filter(|_| !plan.json).map(Trace::tables);
    output::report(&text, plan.output.as_ref().map(|(output, _)| output))?;
    if let Some(trace) = trace {
        output::print_aside(&trace)?;
    }
    Ok(())
}

fn sheet(plan: &Plan, outcome: &Outcome) -> String {
    let Outcome { input, solver, solution, .. } = outcome;
    let forest = &solution.forest;
    let graph = &input.graph;
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(graph.vertices() as usize, "vertex", "vertices");
    let edges = count(graph.edges(), "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    sheet.line("read as", format!("{}, {} weights", input.storage(), graph.weight_type()));
    let edges = count(forest.ids().len(), "edge", "edges");
    let components = count(forest.components() as usize, "component", "components");
    sheet.line(
        "forest",
        format!("{edges}, total weight {}, {components}", report::plain(forest.total())),
    );
    let place = match &outcome.device {
        Some((name, ordinal)) => format!("{name} (cuda:{ordinal})"),
        None => count(outcome.threads, "thread", "threads"),
    };
    sheet.line("algorithm", format!("{} on {place}", solver.info().id));
    match &outcome.verified {
        None => {}
        Some(Ok(certificate)) => {
            let compared = count(certificate.compared, "edge", "edges");
            let optimal = optimal(plan.order);
            sheet
                .line("verified", format!("spanning, acyclic and {optimal} ({compared} compared)"));
        }
        Some(Err(violation)) => sheet.line("WRONG", violation),
    }
    if let Some((output, format)) = &plan.output {
        let format = format.title();
        let state = if outcome.written { "written" } else { "not written" };
        sheet.line(state, format!("{output} ({format})"));
    }
    sheet.notes(&input.notes);
    sheet.gap();
    let mut steps =
        vec![("load", input.load), ("build", solution.build), ("solve", solution.solve)];
    if outcome.device.is_some() {
        steps.splice(2..2, [("compile", solution.compile), ("upload", solution.upload)]);
        steps.push(("download", solution.download));
        steps.insert(0, ("open", outcome.open));
    }
    steps.extend(plan.verify.then_some(("verify", outcome.verify)));
    steps.extend(outcome.written.then_some(("write", outcome.write)));
    sheet.times(&steps);
    format!("{} spanning forest of {}\n{sheet}", capital(plan.order), plan.input.source)
}

/// What a forest of this order is when it is right.
pub(crate) fn optimal(order: Order) -> &'static str {
    match order {
        Order::Minimum => "minimal",
        Order::Maximum => "maximal",
    }
}

pub(crate) fn capital(order: Order) -> &'static str {
    match order {
        Order::Minimum => "Minimum",
        Order::Maximum => "Maximum",
    }
}

/// The report as JSON: the interface that other programs rely on.
#[derive(Serialize)]
struct Record<'a> {
    input: String,
    format: &'static str,
    weight_type: &'static str,
    vertices: u32,
    edges: usize,
    components: u32,
    forest_edges: usize,
    total_weight: JsonNumber,
    maximum: bool,
    algorithm: &'static str,
    threads: usize,
    /// The device that solved, where it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'a str>,
    /// Whether the forest was found right; null when nobody asked.
    verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Trace>,
}

/// How long each step took; zero for a step that was not taken. Those of a device are there when
/// one was used.
#[derive(Serialize)]
struct Seconds {
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<f64>,
    load: f64,
    build: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    compile: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upload: Option<f64>,
    solve: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    download: Option<f64>,
    verify: f64,
    write: f64,
}

fn record<'a>(plan: &Plan, outcome: &'a Outcome) -> Record<'a> {
    let Outcome { input, solution, .. } = outcome;
    let total: Total = solution.forest.total();
    let of_device = |time: Duration| outcome.device.is_some().then_some(time.as_secs_f64());
    Record {
        input: plan.input.source.to_string(),
        format: input.format_id(),
        weight_type: input.graph.weight_type().name(),
        vertices: input.graph.vertices(),
        edges: input.graph.edges(),
        components: solution.forest.components(),
        forest_edges: solution.forest.ids().len(),
        total_weight: JsonNumber(total),
        maximum: plan.order == Order::Maximum,
        algorithm: outcome.solver.info().id,
        threads: outcome.threads,
        device: outcome.device.as_ref().map(|(name, _)| name.as_str()),
        verified: outcome.verified.as_ref().map(Result::is_ok),
        violation: outcome
            .verified
            .as_ref()
            .and_then(|verified| Some(verified.as_ref().err()?.to_string())),
        seconds: Seconds {
            open: of_device(outcome.open),
            load: input.load.as_secs_f64(),
            build: solution.build.as_secs_f64(),
            compile: of_device(solution.compile),
            upload: of_device(solution.upload),
            solve: solution.solve.as_secs_f64(),
            download: of_device(solution.download),
            verify: outcome.verify.as_secs_f64(),
            write: outcome.write.as_secs_f64(),
        },
        notes: &input.notes,
        trace: outcome.trace.as_ref(),
    }
}
