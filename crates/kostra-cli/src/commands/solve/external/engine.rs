//! A sink for weights of one type, on threads or on a CUDA device.

use std::path::Path;
use std::sync::Arc;

use kostra::cuda::external as on_device;
use kostra::cuda::{self, external::LimitsError};
use kostra::external::{ExternalForest, ForestSink, Statistics};
use kostra::io::{Checkpoint, CheckpointFacts, write_checkpoint};
use kostra_core::{EdgeList, ForestEdges, ForestState, Order, Total, Weight, counted};

use super::budget::{Budget, MIB};

/// How a sink works.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) order: Order,
    pub(super) threads: usize,
    pub(super) memory: Memory,
}

/// The memory that holds the vertices and the buffer of edges.
#[derive(Clone)]
pub(super) enum Memory {
    Host(Budget),
    Device { device: Arc<cuda::Device>, bytes: u64 },
}

/// A sink on threads or on a device.
pub(super) enum Engine<W: Weight> {
    Threads(Box<ForestSink<W>>),
    Device(Box<on_device::ForestSink<W>>),
}

impl Memory {
    /// Refuses a graph that takes more memory.
    ///
    /// # Errors
    /// The error states how much memory suffices.
    pub(super) fn check<W: Weight>(&self, vertices: u32) -> anyhow::Result<()> {
        match self {
            Self::Host(budget) => budget.limits::<W>(vertices).map(drop),
            Self::Device { device, bytes } => {
                limits_on_device::<W>(device, *bytes, vertices).map(drop)
            }
        }
    }
}

fn limits_on_device<W: Weight>(
    device: &cuda::Device,
    bytes: u64,
    vertices: u32,
) -> anyhow::Result<on_device::Limits> {
    on_device::Limits::within::<W>(device, bytes, vertices).map_err(|error| match error {
        LimitsError::BudgetTooSmall { least, vertices } => {
            let vertices = counted(vertices, "vertex", "vertices");
            let least = least.div_ceil(MIB);
            anyhow::anyhow!(
                "a graph with {vertices} and {} weights takes more memory of the device; pass at least \
                 `--memory {least}MiB`",
                W::TYPE
            )
        }
        LimitsError::Device(error) => error.into(),
    })
}

fn sink_on_device<W: Weight>(
    vertices: u32,
    Settings { order, threads, .. }: &Settings,
    (device, bytes): (&Arc<cuda::Device>, u64),
) -> anyhow::Result<Box<on_device::ForestSink<W>>> {
    let limits = limits_on_device::<W>(device, bytes, vertices)?;
    let sink = on_device::ForestSink::new(device, vertices, *order, (limits, *threads))?;
    Ok(Box::new(sink))
}

impl<W: Weight> Engine<W> {
    pub(super) fn new(vertices: u32, settings: &Settings) -> anyhow::Result<Self> {
        let Settings { order, threads, memory } = settings;
        Ok(match memory {
            Memory::Host(budget) => {
                let limits = budget.limits::<W>(vertices)?;
                Self::Threads(Box::new(ForestSink::new(vertices, *order, limits, *threads)?))
            }
            Memory::Device { device, bytes } => {
                Self::Device(sink_on_device(vertices, settings, (device, *bytes))?)
            }
        })
    }

    /// The sink that a checkpoint holds.
    pub(super) fn saved(checkpoint: Checkpoint, settings: &Settings) -> anyhow::Result<Self> {
        let Settings { order, threads, memory } = settings;
        let CheckpointFacts { taken, vertices, .. } = *checkpoint.facts();
        memory.check::<W>(vertices)?;
        let forest = checkpoint.read::<W>()?;
        let state = forest.state(taken, vertices);
        let restored = match memory {
            Memory::Host(budget) => {
                let limits = budget.limits::<W>(vertices)?;
                let sink = ForestSink::restore(state, *order, limits, *threads)?;
                sink.map(|sink| Self::Threads(Box::new(sink)))
            }
            Memory::Device { device, bytes } => {
                let mut sink = sink_on_device(vertices, settings, (device, *bytes))?;
                sink.restore(state)?.then_some(Self::Device(sink))
            }
        };
        restored.ok_or_else(|| anyhow::anyhow!("the checkpoint contains no forest; remove it"))
    }

    pub(super) fn vertices(&self) -> u32 {
        match self {
            Self::Threads(sink) => sink.vertices(),
            Self::Device(sink) => sink.vertices(),
        }
    }

    /// Adds vertices, so that there are at least `vertices`: some more than that if the budget
    /// allows, because inputs that do not state their number show it bit by bit.
    pub(super) fn grow(self, vertices: u32, settings: &Settings) -> anyhow::Result<Self> {
        let ample = vertices.max(self.vertices().saturating_add(self.vertices() / 4));
        let is_ample = settings.memory.check::<W>(ample).is_ok();
        let vertices = if is_ample { ample } else { vertices };
        match (self, &settings.memory) {
            (Self::Threads(mut sink), Memory::Host(budget)) => {
                sink.grow(vertices, budget.limits::<W>(vertices)?)?;
                Ok(Self::Threads(sink))
            }
            (this, _) => this.convert(vertices, settings, |weight| weight),
        }
    }

    /// Converts all weights. The order of the weights must stay.
    pub(super) fn convert<V: Weight>(
        self,
        vertices: u32,
        settings: &Settings,
        weight: impl Fn(W) -> V,
    ) -> anyhow::Result<Engine<V>> {
        match (self, &settings.memory) {
            (Self::Threads(sink), Memory::Host(budget)) => {
                let sink = sink.convert(budget.limits::<V>(vertices)?, weight)?;
                Ok(Engine::Threads(Box::new(sink)))
            }
            (Self::Device(mut sink), _) => {
                let taken = sink.taken();
                let ForestEdges { ids, u, v, weights } = sink.forest()?;
                drop(sink);
                let weights = weights.into_iter().map(weight).collect();
                let mut engine = Engine::new(vertices, settings)?;
                if let Engine::Device(sink) = &mut engine {
                    let forest = ForestEdges { ids, u, v, weights };
                    let restored = sink.restore(forest.state(taken, vertices))?;
                    anyhow::ensure!(restored, "the device has returned edges that are no forest");
                }
                Ok(engine)
            }
            (Self::Threads(_), Memory::Device { .. }) => {
                anyhow::bail!("a sink on threads does not move to a device")
            }
        }
    }

    pub(super) fn add(&mut self, first: u64, edges: &EdgeList<W>) -> anyhow::Result<()> {
        match self {
            Self::Threads(sink) => Ok(sink.add(first, edges)?),
            Self::Device(sink) => Ok(sink.add(first, edges)?),
        }
    }

    /// Writes the forest so far to a checkpoint.
    pub(super) fn save(
        &mut self,
        path: &Path,
        (identity, seen): (&str, u64),
    ) -> anyhow::Result<()> {
        let facts = |taken, vertices| CheckpointFacts {
            identity: identity.to_owned(),
            vertices,
            taken,
            seen,
        };
        match self {
            Self::Threads(sink) => {
                let ForestState { taken, vertices, ids, u, v, weights } = sink.state()?;
                Ok(write_checkpoint(path, &facts(taken, vertices), (ids, u, v, weights))?)
            }
            Self::Device(sink) => {
                let facts = facts(sink.taken(), sink.vertices());
                let ForestEdges { ids, u, v, weights } = sink.forest()?;
                Ok(write_checkpoint(path, &facts, (&ids, &u, &v, &weights))?)
            }
        }
    }

    /// The forest of all edges of a graph with `vertices` vertices.
    pub(super) fn finish(self, vertices: u32) -> anyhow::Result<Finished<W>> {
        let (ids, [u, v], weights, statistics) = match self {
            Self::Threads(sink) => {
                let (forest, statistics) = sink.finish()?;
                let ExternalForest { ids, u, v, weights, .. } = forest;
                (ids, [u, v], weights, statistics)
            }
            Self::Device(mut sink) => {
                let ForestEdges { ids, u, v, weights } = sink.forest()?;
                let on_device::Statistics { dropped, buffered, reductions, .. } = sink.statistics();
                (ids, [u, v], weights, Statistics { dropped, buffered, reductions })
            }
        };
        let total = W::total(weights.iter().copied());
        let forest = EdgeList::of_checked(vertices, u, v, weights);
        Ok(Finished { ids, forest, total, statistics })
    }
}

/// The forest of all edges.
pub(super) struct Finished<W: Weight> {
    pub(super) ids: Vec<u64>,
    pub(super) forest: EdgeList<W>,
    pub(super) total: Total,
    pub(super) statistics: Statistics,
}
