//! Solving in this process.

use std::time::{Duration, Instant};

use kostra::partition::read_parts;
use kostra::{Fallback, Solved};
use kostra_core::{AnyGraph, Forest, Platform, SolverInfo, VertexParts};
use kostra_cuda as cuda;
use kostra_partition::Partition;

use super::constrained;
use super::outcome::{Constrained, ForestFacts, GraphFacts, Outcome, RanOn, Times};
use super::plan::Plan;
use crate::input::{InputGraph, Threads};
use crate::progress::Stage;
use crate::report::count;
use crate::trace::{Refused, Trace, Watcher};
use crate::verdict::{self, Proof, verify, verify_approximate};
use crate::{forest_file, graph_file};

/// Loads the graph, solves, and verifies and writes the forest as planned.
///
/// # Errors
/// When the input or the output is at fault, or the algorithm gives no answer.
pub(super) fn run(plan: &Plan) -> anyhow::Result<Outcome> {
    let open = open_device(plan)?;
    let mut input = load(plan)?;
    let partition = load_partition(plan, &mut input)?;
    let ((solved, (mut trace, refused)), constrained) =
        solve_constrained(plan, &mut input, partition.as_ref())?;
    if let Some(trace) = &mut trace {
        trace.describe_edges(&input.parsed.graph, input.parsed.names.as_deref());
    }
    input.notes.extend(solved.fallback.as_ref().map(Fallback::to_string));
    let mut started = solved.threads;
    if let Some(Refused { refused, wanted }) = refused {
        started = wanted - refused;
        input.notes.push(format!("the system refused {refused} of {wanted} threads"));
    }
    let place = place(plan, solved.solver);
    let of_device = |time| matches!(place, RanOn::Device { .. }).then_some(time);
    let mut times = Times {
        open: of_device(open),
        load: input.load,
        build: Some(solved.build),
        compile: of_device(solved.compile),
        upload: of_device(solved.upload),
        solve: solved.solve,
        download: of_device(solved.download),
        ..Times::default()
    };
    let verified = prove(plan, &input, (&solved, constrained.as_ref()), &mut times)?;
    plan.input.refuse_changes(&input)?;
    if let Some(root) = &plan.root {
        constrained::turn(&mut input, root, plan.order, &solved.forest)?;
    }
    if !matches!(verified, Some(Err(_))) {
        times.write = write(plan, &input, &solved.forest)?;
    }
    Ok(Outcome {
        graph: graph_facts(&input),
        forest: forest_facts(&solved.forest, constrained.as_ref()),
        algorithm: solved.solver,
        constrained,
        place,
        threads: started,
        verified,
        times,
        notes: input.notes,
        trace,
    })
}

fn graph_facts(input: &InputGraph) -> GraphFacts {
    GraphFacts {
        vertices: input.parsed.graph.vertices().into(),
        edges: input.parsed.graph.edges() as u64,
        weight_type: input.parsed.graph.weight_type(),
        format: input.format,
        compression: input.compression,
    }
}

fn forest_facts(forest: &Forest, constrained: Option<&Constrained>) -> ForestFacts {
    let components = constrained.map_or(forest.components(), |constrained| constrained.trees);
    ForestFacts {
        edges: forest.ids().len() as u64,
        components: components.into(),
        total: forest.total(),
    }
}

/// Opens the device that every graph needs under this plan. This happens before the graph is read,
/// because reading can take minutes, and without a device the time would be lost.
fn open_device(plan: &Plan) -> anyhow::Result<Duration> {
    let start = Instant::now();
    for ordinal in plan.device_ordinals() {
        let _stage = Stage::start("opening the device");
        cuda::Device::open(ordinal)?;
    }
    Ok(start.elapsed())
}

fn load(plan: &Plan) -> anyhow::Result<InputGraph> {
    let mut input = plan.input.load()?;
    input.warn_of_order(plan.order);
    if !plan.output.as_ref().is_some_and(|output| output.format.keeps_coordinates()) {
        // Few formats keep coordinates, and they can take more memory than the edges.
        input.parsed.coordinates = None;
        input.parsed.lines = None;
    }
    let format = plan.output.as_ref().and_then(|output| output.format.graph());
    input.notes.extend(format.and_then(|format| graph_file::warn_of_names(&input, format)));
    input.notes.extend(note_on_threads(plan.input.threads));
    Ok(input)
}

/// Reads the partition, if there is one. Its time is part of the time to load the graph.
fn load_partition(plan: &Plan, input: &mut InputGraph) -> anyhow::Result<Option<Partition>> {
    let Some(file) = &plan.partition else { return Ok(None) };
    let start = Instant::now();
    let _stage = Stage::start(&format!("reading {file}"));
    let partition = read_parts(file, input.parsed.graph.vertices(), plan.parts())?;
    let parts = count(partition.count().into(), "part", "parts");
    input.notes.push(format!("the partition is {file}, with {parts}"));
    input.load += start.elapsed();
    Ok(Some(partition))
}

fn note_on_threads(threads: Threads) -> Option<String> {
    let (wanted, present) = (threads.asked?, threads.present);
    (wanted > present).then(|| {
        let present = count(present as u64, "thread", "threads");
        format!("`--threads {wanted}`: this machine runs {present} at a time")
    })
}

/// A forest, and what the run reported.
type Reported = (Solved<Forest>, (Option<Trace>, Option<Refused>));

/// Finds the forest, under the constraints if there are any.
fn solve_constrained(
    plan: &Plan,
    input: &mut InputGraph,
    partition: Option<&Partition>,
) -> anyhow::Result<(Reported, Option<Constrained>)> {
    let Some(constraints) = &plan.constraints else {
        return Ok((solve(plan, &input.parsed.graph, partition)?, None));
    };
    let constraints = constraints.of_graph(input)?;
    let mut reported = (None, None);
    let (solved, constrained) = constrained::run(plan, input, constraints, |graph| {
        let (solved, of_solver) = solve(plan, graph, partition)?;
        reported = of_solver;
        Ok(solved)
    })?;
    Ok(((solved, reported), Some(constrained)))
}

fn solve(plan: &Plan, graph: &AnyGraph, partition: Option<&Partition>) -> anyhow::Result<Reported> {
    plan.algorithm.in_process()?;
    let stage = Stage::start("solving");
    let mut watcher = Watcher::new(&stage, plan.trace).listing_edges(graph.edges());
    let mut solve = plan.solve().observer(&mut watcher);
    if let Some(partition) = partition {
        solve = solve.parts(VertexParts::new(partition.parts(), partition.count())?);
    }
    let solved = solve.run_any(graph)?;
    Ok((solved, watcher.finish()))
}

fn place(plan: &Plan, solver: &SolverInfo) -> RanOn {
    if solver.platform != Platform::Cuda {
        return RanOn::Processor;
    }
    let mut ordinals = plan.device_ordinals();
    if ordinals.is_empty() {
        ordinals.push(0);
    }
    let mut names: Vec<_> = ordinals
        .iter()
        .filter_map(|&ordinal| Some(cuda::Device::open(ordinal).ok()?.name().to_owned()))
        .collect();
    names.dedup();
    let name = if names.is_empty() { "CUDA device".to_owned() } else { names.join(" and ") };
    RanOn::Device { name, ordinals }
}

/// Verifies the forest, if planned.
fn prove(
    plan: &Plan,
    input: &InputGraph,
    (solved, constrained): (&Solved<Forest>, Option<&Constrained>),
    times: &mut Times,
) -> anyhow::Result<Option<Result<Proof, String>>> {
    if !plan.verify {
        return Ok(None);
    }
    if let Some((verdict, time)) = constrained.and_then(|found| found.verdict.clone()) {
        times.verify = Some(time);
        let verdict = verdict.map(Proof::Canonical);
        return Ok(Some(verdict.map_err(|violation| verdict::fault(&violation, input))));
    }
    let start = Instant::now();
    let _stage = Stage::start("verifying");
    let (graph, forest) = (&input.parsed.graph, &solved.forest);
    let verdict = if solved.solver.exact {
        verify(graph, plan.order, forest.ids())?.map(Proof::Canonical)
    } else {
        verify_approximate(graph, plan.order, forest, plan.input.threads.wanted())?
    };
    times.verify = Some(start.elapsed());
    Ok(Some(verdict.map_err(|violation| verdict::fault(&violation, input))))
}

/// Writes the forest, if planned, and returns the time.
fn write(plan: &Plan, input: &InputGraph, forest: &Forest) -> anyhow::Result<Option<Duration>> {
    let Some(destination) = &plan.output else { return Ok(None) };
    let start = Instant::now();
    let _stage = Stage::start(&format!("writing {}", destination.output));
    let result = forest_file::write(destination, input, forest.ids());
    // If the input changed, this error comes first: it names the input, and the other the output.
    plan.input.refuse_changes(input)?;
    result?;
    Ok(Some(start.elapsed()))
}
