//! A sink for weights of any type. The blocks of a text have the narrowest type that holds their
//! weights, so the type of the sink can become wider.
//!
//! There is one sink for each size of weights. The type is a value, an [`Encoding`].

use std::error::Error;
use std::path::Path;

use kostra_core::{
    AnyGraph, Edges, Encoding, ForestEdges, ForestSink, ForestSoFar, ForestState, Key, Order,
    OutOfMemory, SinkStatistics, SolveError, Total, WeightType, bits_of, memory, with_graph,
};
use kostra_io::{Checkpoint, CheckpointFacts, ReadError, write_checkpoint};

use super::ExternalError;
use super::memory::Memory;

/// How a sink works.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) order: Order,
    pub(super) threads: usize,
    pub(super) memory: Memory,
}

/// The forest of all edges.
pub(super) struct FinalForest {
    /// The ids of its edges, ascending.
    pub(super) ids: Vec<u64>,
    /// Its edges: edge `i` is edge `ids[i]` of the input.
    pub(super) forest: AnyGraph,
    pub(super) total: Total,
    pub(super) statistics: SinkStatistics,
}

/// A sink for weights of some type.
pub(super) enum AnySink {
    Bits32(Box<dyn ForestSink<u32>>),
    Bits64(Box<dyn ForestSink<u64>>),
}

/// Evaluates an expression with the sink of any type.
macro_rules! with_sink {
    ($any:expr, $sink:ident => $body:expr) => {
        match $any {
            AnySink::Bits32($sink) => $body,
            AnySink::Bits64($sink) => $body,
        }
    };
}

/// The bits of weights as those of a wider type. The conversions keep the value of every weight
/// which a reader of texts accepts.
///
/// # Panics
/// If the type is not wider.
pub(super) fn widened<K: Key>(
    weights: &[K],
    (from, to): (WeightType, WeightType),
) -> Result<Vec<u64>, OutOfMemory> {
    use WeightType::{F64, I32, I64, U64};
    let weights = weights.iter().map(|bits| bits.to_u64());
    match (from, to) {
        (I32, I64 | U64) => memory::collected(weights.map(|bits| bits as i32 as u64)),
        (I32, F64) => memory::collected(weights.map(|bits| f64::from(bits as i32).to_bits())),
        (I64, U64) => memory::collected(weights),
        (I64, F64) => memory::collected(weights.map(|bits| (bits as i64 as f64).to_bits())),
        (U64, F64) => memory::collected(weights.map(|bits| (bits as f64).to_bits())),
        _ => unreachable!("{from} weights do not become {to}"),
    }
}

/// Whether the blocks of a text can have one type and then the other, which is wider.
pub(super) fn is_wider(to: WeightType, from: WeightType) -> bool {
    let place = |weight_type| match weight_type {
        WeightType::I32 => Some(0),
        WeightType::I64 => Some(1),
        WeightType::U64 => Some(2),
        WeightType::F64 => Some(3),
        WeightType::U32 | WeightType::F32 => None,
    };
    place(from).zip(place(to)).is_some_and(|(from, to)| from < to)
}

impl Settings {
    fn sink<K: Key>(
        &self,
        weight_type: WeightType,
        vertices: u32,
    ) -> Result<Box<dyn ForestSink<K>>, ExternalError> {
        let encoding = Encoding::of_type(weight_type, self.order);
        self.memory.sink(encoding, vertices, self.threads)
    }

    /// A sink that continues from a forest; none if the edges are no forest.
    fn sink_from<K: Key>(
        &self,
        from: ForestSoFar<K>,
        weight_type: WeightType,
        vertices: u32,
    ) -> Result<Option<Box<dyn ForestSink<K>>>, ExternalError> {
        let mut sink = self.sink(weight_type, vertices)?;
        Ok(sink.restore(from)?.then_some(sink))
    }
}

/// The error that the forest of one sink is none for another.
fn damaged() -> ExternalError {
    let what = "the forest so far is damaged; the memory of the machine or of the device is faulty";
    SolveError::Device { what: what.to_owned() }.into()
}

impl AnySink {
    pub(super) fn new(
        weight_type: WeightType,
        vertices: u32,
        settings: &Settings,
    ) -> Result<Self, ExternalError> {
        Ok(match weight_type.bits() {
            32 => Self::Bits32(settings.sink(weight_type, vertices)?),
            _ => Self::Bits64(settings.sink(weight_type, vertices)?),
        })
    }

    /// The sink that a checkpoint holds; none if its edges are no forest.
    pub(super) fn saved(
        checkpoint: Checkpoint,
        settings: &Settings,
    ) -> Result<Option<Self>, ExternalError> {
        let CheckpointFacts { weight_type, vertices, taken, .. } = *checkpoint.facts();
        settings.memory.check(vertices, weight_type)?;
        fn so_far<K: Key>(checkpoint: Checkpoint, taken: u64) -> Result<ForestSoFar<K>, ReadError> {
            let (forest, statistics) = (checkpoint.read()?, SinkStatistics::default());
            Ok(ForestSoFar { forest, taken, statistics })
        }
        Ok(match weight_type.bits() {
            32 => {
                let from = so_far(checkpoint, taken)?;
                settings.sink_from(from, weight_type, vertices)?.map(Self::Bits32)
            }
            _ => {
                let from = so_far(checkpoint, taken)?;
                settings.sink_from(from, weight_type, vertices)?.map(Self::Bits64)
            }
        })
    }

    fn weight_type(&self) -> WeightType {
        with_sink!(self, sink => sink.encoding().weight_type())
    }

    pub(super) fn vertices(&self) -> u32 {
        with_sink!(self, sink => sink.vertices())
    }

    /// Adds vertices, so that there are at least `vertices`: some more than that if the memory
    /// allows, because inputs that do not state their number show it bit by bit. Without new
    /// vertices, only the buffer is resized, to what the memory of the settings allows.
    pub(super) fn grow(self, vertices: u32, settings: &Settings) -> Result<Self, ExternalError> {
        let (before, weight_type) = (self.vertices(), self.weight_type());
        let ample = if vertices > before {
            vertices.max(before.saturating_add(before / 4))
        } else {
            vertices
        };
        let is_ample = settings.memory.check(ample, weight_type).is_ok();
        let vertices = if is_ample { ample } else { vertices };
        let grown = match self {
            Self::Bits32(sink) => {
                settings.sink_from(sink.finish()?, weight_type, vertices)?.map(Self::Bits32)
            }
            Self::Bits64(sink) => {
                settings.sink_from(sink.finish()?, weight_type, vertices)?.map(Self::Bits64)
            }
        };
        grown.ok_or_else(damaged)
    }

    /// Converts the weights to a wider type, which has 64 bits.
    fn widened(self, to: WeightType, settings: &Settings) -> Result<Self, ExternalError> {
        let (types, vertices) = ((self.weight_type(), to), self.vertices());
        let so_far = with_sink!(self, sink => {
            let ForestSoFar { forest, taken, statistics } = sink.finish()?;
            let ForestEdges { ids, u, v, weights } = forest;
            let forest = ForestEdges { ids, u, v, weights: widened(&weights, types)? };
            ForestSoFar { forest, taken, statistics }
        });
        settings.sink_from(so_far, to, vertices)?.map(Self::Bits64).ok_or_else(damaged)
    }

    /// Adds the next edges. The weights of the sink or of the block are converted if the others are
    /// wider.
    pub(super) fn add(
        mut self,
        first: u64,
        edges: &AnyGraph,
        settings: &Settings,
    ) -> Result<Self, ExternalError> {
        let weight_type = edges.weight_type();
        if is_wider(weight_type, self.weight_type()) {
            self = self.widened(weight_type, settings)?;
        }
        let types = (weight_type, self.weight_type());
        if let (true, Self::Bits64(sink)) = (is_wider(types.1, types.0), &mut self) {
            let weights = with_graph!(edges, graph => {
                widened(bits_of(graph.edge_list().weights()), types)
            })?;
            let ends = (edges.u(), edges.v());
            let edges = Edges::of_checked(edges.vertices(), ends, &weights, sink.encoding());
            sink.add(first, edges)?;
            return Ok(self);
        }
        if types.0 != types.1 {
            return Err(ExternalError::TwoTypes(types.0, types.1));
        }
        with_sink!(&mut self, sink => sink.add(first, edges.edges_in(settings.order)))?;
        Ok(self)
    }

    /// Writes the forest so far to a checkpoint, with the permissions of another file.
    pub(super) fn save(
        &mut self,
        paths: (&Path, Option<&Path>),
        (identity, seen): (&str, u64),
    ) -> Result<(), Box<dyn Error>> {
        let weight_type = self.weight_type();
        let mut saved = Ok(());
        with_sink!(self, sink => sink.see_forest(&mut |state| {
            let ForestState { taken, vertices, .. } = state;
            let identity = identity.to_owned();
            let facts = CheckpointFacts { identity, vertices, weight_type, taken, seen };
            saved = write_checkpoint(paths, &facts, &state);
        }))?;
        Ok(saved?)
    }

    /// The forest of all edges of a graph with `vertices` vertices.
    pub(super) fn finish(self, vertices: u32) -> Result<FinalForest, ExternalError> {
        with_sink!(self, sink => {
            let encoding = sink.encoding();
            let ForestSoFar { forest, statistics, .. } = sink.finish()?;
            let total = encoding.total(forest.weights.iter().copied());
            let (ids, forest) = forest.into_graph(vertices, encoding.weight_type());
            Ok(FinalForest { ids, forest, total, statistics })
        })
    }
}

/// Some consecutive edges of a block.
pub(super) fn part_of(block: &AnyGraph, range: std::ops::Range<usize>) -> AnyGraph {
    with_graph!(block, graph => graph.edge_list().range(range).into())
}
