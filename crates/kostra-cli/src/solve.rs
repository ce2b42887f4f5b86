//! `kostra solve`: the forest, its weight, and how long each part took.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use kostra::io::{Format, Output};
use kostra::{
    AnyGraph, Certificate, EdgeId, EdgeList, Order, Platform, Run, Solution, Solver, Total, Violation,
    with_graph,
};
use serde::Serialize;

use crate::args::{ForestFormat, Nan, SolveArgs};
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
        let output = args.output.map(|path| {
            let by_extension = || match output::extension(&path).as_deref() {
                Some("gr") => ForestFormat::Gr,
                Some("kst") => ForestFormat::Kst,
                Some("edges" | "tsv") => ForestFormat::Edges,
                _ => ForestFormat::Ids,
            };
            (output::of_path(&path), args.output_format.unwrap_or_else(by_extension))
        });
        Ok(Self {
            input: Request::resolve(args.input, Nan::Error),
            solver,
            settings: args.set,
            order: if args.maximum { Order::Maximum } else { Order::Minimum },
            verify: args.verify,
            trace: args.trace,
            output,
            json: args.json,
        })
    }
}

/// What came of it.
struct Outcome {
    input: Graph,
    solver: &'static dyn Solver,
    threads: usize,
    solution: Solution,
    trace: Option<Trace>,
    verified: Option<Result<Certificate, Violation>>,
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
    let plan = Plan::resolve(args)?;
    let mut input = plan.input.load()?;
    if !matches!(plan.output, Some((_, ForestFormat::Kst))) {
        input.coordinates = None; // nobody else keeps them, and they can take more memory than the edges
    }
    let solver = plan.solver.unwrap_or_else(|| kostra::auto(&input.graph));
    let threads = match solver.info().platform {
        Platform::Sequential => 1,
        Platform::Threads => plan.input.threads.wanted,
    };
    input.notes.extend(note_on_threads(&plan));
    let (solution, trace) = solve(&plan, solver, threads, &input.graph)?;

    let start = Instant::now();
    let verified = plan.verify.then(|| {
        let _stage = Stage::start("verifying");
        verify(&input.graph, plan.order, solution.forest.ids())
    });
    let verify = if plan.verify { start.elapsed() } else { Duration::ZERO };

    let start = Instant::now();
    let written = plan.output.is_some() && !matches!(verified, Some(Err(_)));
    if let (Some((output, format)), true) = (&plan.output, written) {
        let _stage = Stage::start(&format!("writing {output}"));
        write(output, *format, &input, solution.forest.ids())?;
    }
    let write = if written { start.elapsed() } else { Duration::ZERO };

    let outcome = Outcome { input, solver, threads, solution, trace, verified, verify, written, write };
    report(&plan, &outcome)?;
    Ok(if matches!(outcome.verified, Some(Err(_))) { Answer::No } else { Answer::Yes })
}

fn note_on_threads(plan: &Plan) -> Option<String> {
    let threads = plan.input.threads;
    (threads.wanted > threads.present).then(|| {
        let present = threads.present;
        format!("{} threads were asked for; this machine can run {present} at a time", threads.wanted)
    })
}

fn solve(
    plan: &Plan,
    solver: &dyn Solver,
    threads: usize,
    graph: &AnyGraph,
) -> anyhow::Result<(Solution, Option<Trace>)> {
    let stage = Stage::start("solving");
    let mut watcher = Watcher::new(&stage, plan.trace);
    let mut run = Run::new().observed_by(&mut watcher).on_threads(threads);
    for (name, value) in &plan.settings {
        run = run.with_option(solver.info(), name, *value)?;
    }
    let solution = solver.solve(graph, plan.order, &mut run)?;
    Ok((solution, watcher.finish()))
}

/// Decides whether the edges are the forest of the graph.
///
/// # Errors
/// The first violation.
pub(crate) fn verify(graph: &AnyGraph, order: Order, ids: &[EdgeId]) -> Result<Certificate, Violation> {
    with_graph!(graph, graph => kostra::verify(graph.edge_list().edges(order), ids))
}

fn write(output: &Output, format: ForestFormat, input: &Graph, ids: &[EdgeId]) -> anyhow::Result<()> {
    let outgoing = |graph| kostra::io::Outgoing {
        graph,
        coordinates: input.coordinates.as_ref(),
        names: input.names.as_deref(),
    };
    match format {
        ForestFormat::Ids => output::write_lines(output, |to| write_ids(to, ids))?,
        ForestFormat::Edges => output::write_lines(output, |to| {
            forest_file::write_edges(to, &input.graph, input.names.as_deref(), ids)
        })?,
        ForestFormat::Gr => output::write(output, Format::Dimacs, outgoing(&subgraph(&input.graph, ids)?))?,
        ForestFormat::Kst => output::write(output, Format::Kst, outgoing(&subgraph(&input.graph, ids)?))?,
    }
    Ok(())
}

fn write_ids(to: &mut dyn Write, ids: &[EdgeId]) -> io::Result<()> {
    ids.iter().try_for_each(|id| writeln!(to, "{id}"))
}

/// The graph that has all the vertices and only these edges.
fn subgraph(graph: &AnyGraph, ids: &[EdgeId]) -> Result<AnyGraph, kostra::GraphError> {
    fn pick<T: Copy>(from: &[T], ids: &[EdgeId]) -> Vec<T> {
        ids.iter().filter_map(|&id| from.get(id as usize).copied()).collect()
    }
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        let (u, v) = (pick(edges.u(), ids), pick(edges.v(), ids));
        EdgeList::new(edges.vertices() as usize, u, v, pick(edges.weights(), ids)).map(AnyGraph::from)
    })
}

fn report(plan: &Plan, outcome: &Outcome) -> anyhow::Result<()> {
    let text = if plan.json { report::json(&record(plan, outcome))? } else { sheet(plan, outcome) };
    let trace = outcome.trace.as_ref().filter(|_| !plan.json).map(Trace::tables);
    // Where the forest itself goes to standard output, what is said about it goes elsewhere.
    if matches!(plan.output, Some((Output::Stdout, _))) {
        output::tell(&text);
    } else {
        output::print(&text)?;
    }
    output::tell(&trace.unwrap_or_default());
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
    sheet.line("forest", format!("{edges}, total weight {}, {components}", report::plain(forest.total())));
    let threads = count(outcome.threads, "thread", "threads");
    sheet.line("algorithm", format!("{} on {threads}", solver.info().id));
    match &outcome.verified {
        None => {}
        Some(Ok(certificate)) => {
            let compared = count(certificate.compared, "edge", "edges");
            sheet.line("verified", format!("spanning, acyclic and minimal ({compared} compared)"));
        }
        Some(Err(violation)) => sheet.line("WRONG", violation),
    }
    if let Some((output, format)) = &plan.output {
        let format = match format {
            ForestFormat::Ids => "edge ids",
            ForestFormat::Edges => "edges",
            ForestFormat::Gr => Format::Dimacs.title(),
            ForestFormat::Kst => Format::Kst.title(),
        };
        let state = if outcome.written { "written" } else { "not written" };
        sheet.line(state, format!("{output} ({format})"));
    }
    sheet.notes(&input.notes);
    sheet.gap();
    let mut steps = vec![("load", input.load), ("build", solution.build), ("solve", solution.solve)];
    steps.extend(plan.verify.then_some(("verify", outcome.verify)));
    steps.extend(outcome.written.then_some(("write", outcome.write)));
    sheet.times(&steps);
    format!("{} spanning forest of {}\n{sheet}", capital(plan.order), plan.input.source)
}

fn capital(order: Order) -> &'static str {
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
    /// Whether the forest was found right; null when nobody asked.
    verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Trace>,
}

/// How long each step took; zero for a step that was not taken.
#[derive(Serialize)]
struct Seconds {
    load: f64,
    build: f64,
    solve: f64,
    verify: f64,
    write: f64,
}

fn record<'a>(plan: &Plan, outcome: &'a Outcome) -> Record<'a> {
    let Outcome { input, solution, .. } = outcome;
    let total: Total = solution.forest.total();
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
        verified: outcome.verified.as_ref().map(Result::is_ok),
        violation: outcome.verified.as_ref().and_then(|verified| Some(verified.as_ref().err()?.to_string())),
        seconds: Seconds {
            load: input.load.as_secs_f64(),
            build: solution.build.as_secs_f64(),
            solve: solution.solve.as_secs_f64(),
            verify: outcome.verify.as_secs_f64(),
            write: outcome.write.as_secs_f64(),
        },
        notes: &input.notes,
        trace: outcome.trace.as_ref(),
    }
}
