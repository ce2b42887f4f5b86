//! A sink for weights of one size, on threads or on a CUDA device.

use std::path::Path;
use std::sync::Arc;

use kostra::cuda::external as on_device;
use kostra::cuda::{self, external::LimitsError};
use kostra::external::{ForestSink, Statistics};
use kostra::io::{Checkpoint, CheckpointFacts, write_checkpoint};
use kostra_core::{
    Edges, Encoding, ForestEdges, ForestState, Key, Order, OutOfMemory, WeightType, counted,
};

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

/// A sink on threads or on a device. Weights are bits.
pub(super) enum Engine<K: Key> {
    Threads(Box<ForestSink<K>>),
    Device(Box<on_device::ForestSink<K>>),
}

impl Memory {
    /// Refuses any input for which there is too little memory.
    ///
    /// # Errors
    /// The error states how much memory suffices for reading.
    pub(super) fn check_reading(&self) -> anyhow::Result<()> {
        match self {
            Self::Host(budget) => budget.check_reading(),
            Self::Device { .. } => Ok(()),
        }
    }

    /// Refuses a graph that takes more memory.
    ///
    /// # Errors
    /// The error states how much memory suffices.
    pub(super) fn check(&self, vertices: u32, weight_type: WeightType) -> anyhow::Result<()> {
        match self {
            Self::Host(budget) => budget.limits(vertices, weight_type).map(drop),
            Self::Device { device, bytes } => {
                limits_on_device((device, *bytes), vertices, weight_type).map(drop)
            }
        }
    }
}

fn limits_on_device(
    (device, bytes): (&cuda::Device, u64),
    vertices: u32,
    weight_type: WeightType,
) -> anyhow::Result<on_device::Limits> {
    on_device::Limits::within(device, bytes, vertices, weight_type).map_err(|error| match error {
        LimitsError::BudgetTooSmall { least, vertices } => {
            let vertices = counted(vertices, "vertex", "vertices");
            let least = least.div_ceil(MIB);
            anyhow::anyhow!(
                "a graph with {vertices} and {weight_type} weights takes more memory of the device; \
                 pass at least `--memory {least}MiB`"
            )
        }
        LimitsError::Device(error) => error.into(),
    })
}

fn sink_on_device<K: Key>(
    encoding: Encoding<K>,
    vertices: u32,
    threads: usize,
    (device, bytes): (&Arc<cuda::Device>, u64),
) -> anyhow::Result<Box<on_device::ForestSink<K>>> {
    let limits = limits_on_device((device, bytes), vertices, encoding.weight_type())?;
    let sink = on_device::ForestSink::new(device, vertices, encoding, (limits, threads))?;
    Ok(Box::new(sink))
}

impl<K: Key> Engine<K> {
    pub(super) fn new(
        encoding: Encoding<K>,
        vertices: u32,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let Settings { threads, memory, .. } = settings;
        Ok(match memory {
            Memory::Host(budget) => {
                let limits = budget.limits(vertices, encoding.weight_type())?;
                Self::Threads(Box::new(ForestSink::new(vertices, encoding, limits, *threads)?))
            }
            Memory::Device { device, bytes } => {
                Self::Device(sink_on_device(encoding, vertices, *threads, (device, *bytes))?)
            }
        })
    }

    /// The sink that a checkpoint holds.
    pub(super) fn saved(
        encoding: Encoding<K>,
        checkpoint: Checkpoint,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let Settings { threads, memory, .. } = settings;
        let CheckpointFacts { taken, vertices, .. } = *checkpoint.facts();
        memory.check(vertices, encoding.weight_type())?;
        let forest = checkpoint.read::<K>()?;
        let state = forest.state(taken, vertices);
        let restored = match memory {
            Memory::Host(budget) => {
                let limits = budget.limits(vertices, encoding.weight_type())?;
                let sink = ForestSink::restore(state, encoding, limits, *threads)?;
                sink.map(|sink| Self::Threads(Box::new(sink)))
            }
            Memory::Device { device, bytes } => {
                let mut sink = sink_on_device(encoding, vertices, *threads, (device, *bytes))?;
                sink.restore(state)?.then_some(Self::Device(sink))
            }
        };
        restored.ok_or_else(|| anyhow::anyhow!("the checkpoint contains no forest; remove it"))
    }

    pub(super) fn encoding(&self) -> Encoding<K> {
        match self {
            Self::Threads(sink) => sink.encoding(),
            Self::Device(sink) => sink.encoding(),
        }
    }

    pub(super) fn vertices(&self) -> u32 {
        match self {
            Self::Threads(sink) => sink.vertices(),
            Self::Device(sink) => sink.vertices(),
        }
    }

    /// Adds vertices, so that there are at least `vertices`: some more than that if the budget
    /// allows, because inputs that do not state their number show it bit by bit. Without new
    /// vertices, only the buffer is resized, to what the memory of the settings allows.
    pub(super) fn grow(self, vertices: u32, settings: &Settings) -> anyhow::Result<Self> {
        let ample = if vertices > self.vertices() {
            vertices.max(self.vertices().saturating_add(self.vertices() / 4))
        } else {
            vertices
        };
        let encoding = self.encoding();
        let is_ample = settings.memory.check(ample, encoding.weight_type()).is_ok();
        let vertices = if is_ample { ample } else { vertices };
        match (self, &settings.memory) {
            (Self::Threads(mut sink), Memory::Host(budget)) => {
                sink.grow(vertices, budget.limits(vertices, encoding.weight_type())?)?;
                Ok(Self::Threads(sink))
            }
            (this, _) => this.convert((encoding, vertices), settings, &Ok),
        }
    }

    /// Converts all weights to another type. The order of the weights must stay.
    pub(super) fn convert<L: Key>(
        self,
        (encoding, vertices): (Encoding<L>, u32),
        settings: &Settings,
        weights_of: &dyn Fn(Vec<K>) -> Result<Vec<L>, OutOfMemory>,
    ) -> anyhow::Result<Engine<L>> {
        match (self, &settings.memory) {
            (Self::Threads(sink), Memory::Host(budget)) => {
                let limits = budget.limits(vertices, encoding.weight_type())?;
                let sink = sink.convert(encoding, limits, weights_of)?;
                Ok(Engine::Threads(Box::new(sink)))
            }
            (Self::Device(mut sink), _) => {
                let taken = sink.taken();
                let ForestEdges { ids, u, v, weights } = sink.forest()?;
                drop(sink);
                let weights = weights_of(weights)?;
                let mut engine = Engine::new(encoding, vertices, settings)?;
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

    pub(super) fn add(&mut self, first: u64, edges: Edges<'_, K>) -> anyhow::Result<()> {
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
        let weight_type = self.encoding().weight_type();
        let facts = |taken, vertices| CheckpointFacts {
            identity: identity.to_owned(),
            vertices,
            weight_type,
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

    /// The forest of all edges.
    pub(super) fn finish(self) -> anyhow::Result<(ForestEdges<K>, Statistics)> {
        match self {
            Self::Threads(sink) => Ok(sink.finish()?),
            Self::Device(mut sink) => {
                let forest = sink.forest()?;
                let on_device::Statistics { dropped, buffered, reductions, .. } = sink.statistics();
                Ok((forest, Statistics { dropped, buffered, reductions }))
            }
        }
    }
}
