//! `kostra solve --memory`: the arguments and the report of
//! [`ExternalSolve`](kostra::external::ExternalSolve).

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kostra::DeviceChoice;
use kostra::external::{
    self, Checkpoints, ExternalError, ExternalForest, ExternalSolve, MemoryLimit, SinkStatistics,
};
use kostra_core::{Order, shown};
use kostra_io::{Ids, Output};

use super::outcome::{ForestFacts, GraphFacts, Outcome, RanOn, Times};
use crate::device;
use crate::forest_file::{self, Destination};
use crate::input::{GraphSource, InputRequest, doubt_about_order};
use crate::progress::Stage;
use crate::report::{count, thousands};
use crate::verdict::Proof;
use crate::{output, remedy};

/// What the user chose for a graph that does not fit into memory.
#[derive(Debug)]
pub(super) struct External {
    memory: MemoryLimit,
    /// The checkpoint beside the output; none without an output file.
    checkpoint: Option<PathBuf>,
    /// The output, whose permissions the checkpoint gets.
    output: Option<PathBuf>,
    /// The time between two checkpoints, if the user chose it.
    every: Option<Duration>,
    /// Whether to continue from a checkpoint.
    resume: bool,
}

impl External {
    /// Resolves the arguments about memory.
    ///
    /// # Errors
    /// When several devices are named, or checkpoints need an output file.
    pub(super) fn resolve(
        memory: u64,
        (every, resume): (Option<u64>, bool),
        device: &DeviceChoice,
        output: Option<&Output>,
    ) -> anyhow::Result<Self> {
        let memory = match device {
            DeviceChoice::Cuda(_) => {
                let Some(ordinal) = device::single(device) else {
                    anyhow::bail!("`--memory` solves on one device; name one");
                };
                MemoryLimit::Device { ordinal, bytes: memory }
            }
            _ => MemoryLimit::Host(memory),
        };
        let output = match output {
            Some(output @ Output::Path(path)) if output.is_plain_file() => Some(path.clone()),
            _ => None,
        };
        let checkpoint = output.clone().map(|path| {
            let mut name = path.into_os_string();
            name.push(".checkpoint");
            name.into()
        });
        if checkpoint.is_none() && (resume || every.is_some()) {
            let option = if resume { "--resume" } else { "--checkpoint" };
            anyhow::bail!("`{option}` needs an output that is a file without compression");
        }
        Ok(Self { memory, checkpoint, output, every: every.map(Duration::from_secs), resume })
    }

    /// The note on the memory and on what happened to the edges.
    fn describe(&self, statistics: SinkStatistics) -> String {
        let (bytes, memory) = match self.memory {
            MemoryLimit::Host(bytes) => (bytes, ""),
            MemoryLimit::Device { bytes, .. } => (bytes, " of device memory"),
        };
        let SinkStatistics { dropped, buffered, reductions } = statistics;
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

    /// The note on the checkpoint from which the solve was to continue.
    fn describe_resumption(&self, after: Option<u64>) -> Option<String> {
        let path = self.checkpoint.as_ref().filter(|_| self.resume)?.display();
        Some(match after {
            Some(edges) => format!("resumed after {} edges", thousands(edges)),
            None => format!("there is no checkpoint {path}; solved from the start"),
        })
    }

    fn place(&self, device: Option<String>) -> RanOn {
        match (self.memory, device) {
            (MemoryLimit::Device { ordinal, .. }, Some(name)) => {
                RanOn::Device { name, ordinals: vec![ordinal] }
            }
            _ => RanOn::Processor,
        }
    }
}

/// Reads the input in blocks, solves, and writes the forest as planned.
///
/// # Errors
/// When the input or the output is at fault, or the limit is too small.
pub(super) fn run(
    external: &External,
    input: &InputRequest,
    order: Order,
    output: Option<&Destination>,
    verify: bool,
) -> anyhow::Result<Outcome> {
    let source = source_of(input)?;
    let mut found = solve(external, input, order, source)?;
    let mut notes = vec![external.describe(found.statistics)];
    notes.extend(external.describe_resumption(found.resumed_after));
    notes.extend(remedy::spelled(&found.notes));
    notes.extend(doubt_about_order(found.similarity.as_deref(), order));
    let (verified, verify) = match verify {
        true => prove(&found, input, source).map(|(verdict, time)| (Some(verdict), Some(time)))?,
        false => (None, None),
    };
    let mut write = None;
    if let (Some(destination), false) = (output, matches!(verified, Some(Err(_)))) {
        if found.numbering == Ids::Occurring && found.vertices < found.forest.vertices() {
            notes.extend(warn_of_ids(destination, found.forest.vertices()));
        }
        let start = Instant::now();
        let _stage = Stage::start(&format!("writing {}", destination.output));
        forest_file::write_all(destination, (&found.forest).into(), &found.ids)?;
        write = Some(start.elapsed());
        if let Some(checkpoint) = found.checkpoint.take() {
            checkpoint.remove()?;
        }
    }
    Ok(Outcome {
        graph: GraphFacts {
            vertices: found.vertices.into(),
            edges: found.edges,
            weight_type: found.forest.weight_type(),
            format: found.format,
            compression: found.compression,
        },
        forest: ForestFacts {
            edges: found.ids.len() as u64,
            components: u64::from(found.vertices) - found.ids.len() as u64,
            total: found.total,
        },
        constrained: None,
        algorithm: found.solver,
        place: external.place(found.device),
        threads: input.threads.wanted(),
        verified,
        times: Times {
            verify,
            open: found.times.open,
            load: found.times.load,
            compile: found.times.compile,
            solve: found.times.solve,
            write,
            ..Times::default()
        },
        notes,
        trace: None,
    })
}

/// What the solve reads, once or twice.
fn source_of(input: &InputRequest) -> anyhow::Result<external::Source<'_>> {
    Ok(match &input.source {
        GraphSource::File(file) => external::Source::File(file, &input.options),
        GraphSource::Generator(spec) => {
            input.refuse_options_of_files()?;
            external::Source::Generated(spec)
        }
    })
}

/// Shows the progress of a pass over the input.
fn show(stage: &Stage, source: external::Source<'_>, done: u64, of: Option<u64>) {
    match (source, of) {
        (external::Source::Generated(_), Some(of)) => stage.steps(done, of),
        _ => stage.bytes(done, of),
    }
}

/// Verifies the forest by a second pass. A refuted forest of a checkpoint may come from it.
fn prove(
    found: &ExternalForest,
    input: &InputRequest,
    source: external::Source<'_>,
) -> anyhow::Result<(Result<Proof, String>, Duration)> {
    let start = Instant::now();
    let stage = Stage::start(&format!("verifying with {}", input.source));
    let verdict = found.verify(source, &|done, of| show(&stage, source, done, of));
    let verdict = verdict.map_err(spelled)?.map(Proof::Canonical).map_err(|violation| match &found
        .checkpoint
    {
        Some(checkpoint) if found.resumed_after.is_some() => format!(
            "{violation}; the checkpoint {} may not be one of this solve: remove it, and solve \
                 from the start",
            shown(checkpoint.path())
        ),
        _ => violation.to_string(),
    });
    Ok((verdict, start.elapsed()))
}

fn spelled(error: ExternalError) -> anyhow::Error {
    match error {
        ExternalError::Read(error) => error.into(), // with the hints for readers
        error => anyhow::anyhow!(error.spelled(remedy::spell)),
    }
}

fn solve(
    external: &External,
    input: &InputRequest,
    order: Order,
    source: external::Source<'_>,
) -> anyhow::Result<ExternalForest> {
    let stage = Stage::start(&format!("reading {}", input.source));
    let progress = |done, of| show(&stage, source, done, of);
    let mut solve = ExternalSolve::within(external.memory)
        .order(order)
        .threads(input.threads.wanted())
        .progress(&progress);
    if let Some(path) = &external.checkpoint {
        let mut checkpoints = Checkpoints::at(path).resume(external.resume);
        if let Some(output) = &external.output {
            checkpoints = checkpoints.with_permissions_of(output);
        }
        if let Some(every) = external.every {
            checkpoints = checkpoints.every(every);
        }
        solve = solve.checkpoints(checkpoints);
    }
    solve.run(source).map_err(spelled)
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
