//! Solving a graph whose edges do not fit into memory: `kostra solve --memory`.
//!
//! One thread reads, decompresses and parses blocks of edges and puts them into a queue. This
//! thread takes them and passes them to a sink, which keeps the forest so far. From time to time
//! the forest is written to a checkpoint beside the output, from which `--resume` continues.

mod budget;
mod checkpoint;
mod engine;
mod intake;
mod reader;
mod sink;

use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use kostra::cuda;
use kostra::external::Statistics;
use kostra::io::{Ids, NOTE_ON_IDS};
use kostra_core::{Platform, Representation, SolverInfo};

use super::outcome::{ForestFacts, GraphFacts, Outcome, Place, Times};
use super::plan::Plan;
use crate::device::Device;
use crate::forest_file::{Destination, FoundForest};
use crate::output;
use crate::progress::Stage;
use crate::report::{count, thousands};
pub(super) use budget::{Budget, parse_bytes};
use checkpoint::Checkpoints;
use engine::{Memory, Settings};
use intake::Intake;
use reader::{Queue, Summary};
use sink::Found;

/// What the user chose for a graph that does not fit into memory.
#[derive(Debug)]
pub(super) struct External {
    memory: Limit,
    /// Where and how often the forest so far is saved; none without an output file.
    pub(super) checkpoints: Option<Checkpoints>,
    /// Whether to continue from a checkpoint.
    pub(super) resume: bool,
}

/// The memory that the user allows.
#[derive(Debug)]
enum Limit {
    /// Of the whole process.
    Host(Budget),
    /// Of the CUDA device with this number, in bytes.
    Device(usize, u64),
}

impl Limit {
    /// The number of edges of a block.
    fn block_edges(&self) -> usize {
        match self {
            Self::Host(budget) => budget.block_edges(),
            Self::Device(..) => *budget::BLOCK_EDGES.end() as usize,
        }
    }

    /// Opens the device and compiles its kernels, if there is one, and returns these times.
    fn open(&self) -> anyhow::Result<(Memory, Times)> {
        match *self {
            Self::Host(budget) => Ok((Memory::Host(budget), Times::default())),
            Self::Device(ordinal, bytes) => {
                let start = Instant::now();
                let device = cuda::Device::open(ordinal)?;
                let open = Some(start.elapsed());
                let start = Instant::now();
                cuda::external::compile(&device)?;
                let times = Times { open, compile: Some(start.elapsed()), ..Times::default() };
                Ok((Memory::Device { device, bytes }, times))
            }
        }
    }

    /// The note on the memory and on what happened to the edges.
    fn describe(&self, statistics: Statistics) -> String {
        let (bytes, memory) = match self {
            Self::Host(budget) => (budget.bytes(), ""),
            Self::Device(_, bytes) => (*bytes, " of device memory"),
        };
        let Statistics { dropped, buffered, reductions } = statistics;
        // Fewer than all edges after `--resume`.
        let edges = (dropped + buffered).max(1);
        format!(
            "solved within {} MiB{memory} in one pass over the input: pivots dropped {:.1} % of the \
             edges; {} of the buffer",
            thousands(bytes >> 20),
            100.0 * dropped as f64 / edges as f64,
            count(reductions, "reduction", "reductions"),
        )
    }
}

impl Memory {
    fn place(&self) -> Place {
        match self {
            Self::Host(_) => Place::Processor,
            Self::Device { device, .. } => {
                Place::Device { name: device.name().to_owned(), ordinals: vec![device.ordinal()] }
            }
        }
    }
}

const SECONDS_BETWEEN_CHECKPOINTS: u64 = 300;

/// The blocks that wait in the queue. One more is being read, and one more is being solved.
const QUEUED: usize = 1;

static INFO_ON_DEVICE: SolverInfo =
    SolverInfo { id: "cuda-external", platform: Platform::Cuda, ..INFO };

const INFO: SolverInfo = SolverInfo {
    id: "external",
    title: "Forest so far and a buffer, in one pass",
    source: "this project; after Feigenbaum, Kannan, McGregor, Suri & Zhang 2005",
    platform: Platform::Threads,
    representation: Representation::EdgeList,
    exact: true,
    time: "O(m log n)",
    scratch: "as `--memory` allows",
    options: &[],
};

/// Reads the input in blocks, solves, and writes the forest as planned.
///
/// # Errors
/// When the input or the output is at fault, or the budget is too small.
pub(super) fn run(plan: &Plan, external: &External) -> anyhow::Result<Outcome> {
    let (memory, opening) = external.memory.open()?;
    let place = memory.place();
    let threads = plan.input.threads.wanted();
    let settings = Settings { order: plan.order, threads, memory };
    let started = Instant::now();
    let mut intake = Intake::start(external, settings)?;
    let stage = Stage::start(&format!("reading {}", plan.input.source));
    let (sender, receiver) = sync_channel(QUEUED);
    let block_edges = external.memory.block_edges();
    let (seen, covered) = intake.checkpoint();
    let summary = thread::scope(|scope| {
        let queue = Queue::new(sender, seen, covered);
        let reader = scope.spawn(|| reader::read(plan, block_edges, queue, &stage));
        // An error drops the receiver, which stops the reader.
        let taken = intake.take_all(receiver);
        let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        taken.and(read)
    })?;
    drop(stage);
    let solving = intake.busy;
    let finishing = Instant::now();
    let (found, mut notes) = intake.finish(&summary)?;
    let vertices = summary.vertices_of(&found.forest)?;
    if summary.ids == Ids::Occurring && vertices < summary.vertices {
        notes.push(NOTE_ON_IDS.to_owned());
        notes.extend(plan.output.as_ref().and_then(|to| warn_of_ids(to, summary.vertices)));
    }
    let load = started.elapsed().saturating_sub(solving + finishing.elapsed());
    let solve = solving + finishing.elapsed();
    let mut times = Times { load, solve, ..opening };
    if let Some(destination) = &plan.output {
        let start = Instant::now();
        let _stage = Stage::start(&format!("writing {}", destination.output));
        FoundForest::new(&found.forest, &found.ids).write(destination)?;
        times.write = Some(start.elapsed());
        if let Some(checkpoints) = &external.checkpoints {
            checkpoints.remove()?;
        }
    }
    notes.extend(external.checkpoints.as_ref().and_then(Checkpoints::note_on_lock));
    notes.insert(0, external.memory.describe(found.statistics));
    Ok(outcome(plan, place, (vertices, summary, found), (times, notes)))
}

/// Warns of a forest that is a graph, because its vertices are all ids up to the highest. Returns
/// the warning.
fn warn_of_ids(to: &Destination, vertices: u32) -> Option<String> {
    to.format.graph()?;
    Some(output::warned(format!(
        "{} has the vertices 0 to {}; pass `--vertices {vertices}` for the input, too, to verify it",
        to.output,
        vertices - 1
    )))
}

fn outcome(
    plan: &Plan,
    place: Place,
    (vertices, summary, found): (u32, Summary, Found),
    (times, mut notes): (Times, Vec<String>),
) -> Outcome {
    notes.extend(summary.notes);
    Outcome {
        graph: GraphFacts {
            vertices: vertices.into(),
            edges: summary.edges,
            weight_type: found.forest.weight_type(),
            format: summary.format,
            compression: summary.compression,
        },
        forest: ForestFacts {
            edges: found.ids.len() as u64,
            components: u64::from(vertices) - found.ids.len() as u64,
            total: found.total,
        },
        algorithm: if matches!(place, Place::Processor) { &INFO } else { &INFO_ON_DEVICE },
        place,
        threads: plan.input.threads.wanted(),
        verified: None,
        times,
        notes,
        trace: None,
    }
}

/// Resolves the arguments about memory.
///
/// # Errors
/// When several devices are named, or checkpoints need an output file.
pub(super) fn resolve(
    memory: u64,
    (every, resume): (Option<u64>, bool),
    plan: &Plan,
) -> anyhow::Result<External> {
    let limit = match &plan.device {
        Some(device @ Device::Cuda(_)) => {
            let Some(ordinal) = device.single() else {
                anyhow::bail!("`--memory` solves on one device; name one");
            };
            Limit::Device(ordinal, memory)
        }
        _ => Limit::Host(Budget::new(memory, plan.input.threads.wanted())),
    };
    let checkpoints = Checkpoints::beside(plan, every.unwrap_or(SECONDS_BETWEEN_CHECKPOINTS))?;
    if checkpoints.is_none() && (resume || every.is_some()) {
        let option = if resume { "--resume" } else { "--checkpoint" };
        anyhow::bail!("`{option}` needs an output that is a file without compression");
    }
    if let (Some(checkpoints), false) = (&checkpoints, resume) {
        checkpoints.refuse_loss()?;
    }
    Ok(External { memory: limit, checkpoints, resume })
}
