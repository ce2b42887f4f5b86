//! A sink for weights of any type. The blocks of a text have the narrowest type that holds their
//! weights, so the type of the sink can become wider.
//!
//! There is one sink for each size of weights. The type is a value, an [`Encoding`].

use std::path::Path;

use kostra::external::Statistics;
use kostra::io::Checkpoint;
use kostra_core::{
    AnyGraph, Edges, Encoding, Key, OutOfMemory, Total, WeightType, bits_of, memory, with_graph,
};

use super::engine::{Engine, Settings};

/// The forest of all edges.
pub(super) struct Found {
    /// The ids of its edges, ascending.
    pub(super) ids: Vec<u64>,
    /// Its edges: edge `i` is edge `ids[i]` of the input.
    pub(super) forest: AnyGraph,
    pub(super) total: Total,
    pub(super) statistics: Statistics,
}

/// A sink for weights of some type.
pub(super) enum AnySink {
    Bits32(Engine<u32>),
    Bits64(Engine<u64>),
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
fn widened<K: Key>(
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
fn is_wider(to: WeightType, from: WeightType) -> bool {
    let place = |weight_type| match weight_type {
        WeightType::I32 => Some(0),
        WeightType::I64 => Some(1),
        WeightType::U64 => Some(2),
        WeightType::F64 => Some(3),
        WeightType::U32 | WeightType::F32 => None,
    };
    place(from).zip(place(to)).is_some_and(|(from, to)| from < to)
}

impl AnySink {
    pub(super) fn new(
        weight_type: WeightType,
        vertices: u32,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        Ok(match weight_type.bits() {
            32 => {
                let encoding = Encoding::of_type(weight_type, settings.order);
                Self::Bits32(Engine::new(encoding, vertices, settings)?)
            }
            _ => {
                let encoding = Encoding::of_type(weight_type, settings.order);
                Self::Bits64(Engine::new(encoding, vertices, settings)?)
            }
        })
    }

    /// The sink that a checkpoint holds.
    pub(super) fn saved(checkpoint: Checkpoint, settings: &Settings) -> anyhow::Result<Self> {
        let weight_type = checkpoint.facts().weight_type;
        Ok(match weight_type.bits() {
            32 => {
                let encoding = Encoding::of_type(weight_type, settings.order);
                Self::Bits32(Engine::saved(encoding, checkpoint, settings)?)
            }
            _ => {
                let encoding = Encoding::of_type(weight_type, settings.order);
                Self::Bits64(Engine::saved(encoding, checkpoint, settings)?)
            }
        })
    }

    fn weight_type(&self) -> WeightType {
        with_sink!(self, sink => sink.encoding().weight_type())
    }

    pub(super) fn vertices(&self) -> u32 {
        with_sink!(self, sink => sink.vertices())
    }

    /// Adds vertices, so that there are at least `vertices`.
    pub(super) fn grow(self, vertices: u32, settings: &Settings) -> anyhow::Result<Self> {
        Ok(match self {
            Self::Bits32(sink) => Self::Bits32(sink.grow(vertices, settings)?),
            Self::Bits64(sink) => Self::Bits64(sink.grow(vertices, settings)?),
        })
    }

    /// Converts the weights to a wider type, which has 64 bits.
    fn widened(self, to: WeightType, settings: &Settings) -> anyhow::Result<Self> {
        let wider = (Encoding::of_type(to, settings.order), self.vertices());
        let types = (self.weight_type(), to);
        let widened = with_sink!(self, sink => {
            sink.convert(wider, settings, &|weights| widened(&weights, types))
        });
        Ok(Self::Bits64(widened?))
    }

    /// Adds the next edges. The weights of the sink or of the block are converted if the others are
    /// wider.
    pub(super) fn add(
        mut self,
        first: u64,
        edges: &AnyGraph,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
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
        anyhow::ensure!(types.0 == types.1, "the weights of one input have two types");
        let order = settings.order;
        match (&mut self, edges) {
            (Self::Bits32(sink), AnyGraph::I32(graph)) => {
                sink.add(first, graph.edge_list().edges(order))
            }
            (Self::Bits32(sink), AnyGraph::U32(graph)) => {
                sink.add(first, graph.edge_list().edges(order))
            }
            (Self::Bits32(sink), AnyGraph::F32(graph)) => {
                sink.add(first, graph.edge_list().edges(order))
            }
            (Self::Bits64(sink), AnyGraph::I64(graph)) => {
                sink.add(first, graph.edge_list().edges(order))
            }
            (Self::Bits64(sink), AnyGraph::U64(graph)) => {
                sink.add(first, graph.edge_list().edges(order))
            }
            (Self::Bits64(sink), AnyGraph::F64(graph)) => {
                sink.add(first, graph.edge_list().edges(order))
            }
            _ => unreachable!("weights of one type have one size"),
        }?;
        Ok(self)
    }

    /// Writes the forest so far to a checkpoint.
    pub(super) fn save(&mut self, path: &Path, facts: (&str, u64)) -> anyhow::Result<()> {
        with_sink!(self, sink => sink.save(path, facts))
    }

    /// The forest of all edges of a graph with `vertices` vertices.
    pub(super) fn finish(self, vertices: u32) -> anyhow::Result<Found> {
        with_sink!(self, sink => {
            let encoding = sink.encoding();
            let (forest, statistics) = sink.finish()?;
            let total = encoding.total(forest.weights.iter().copied());
            let (ids, forest) = forest.into_graph(vertices, encoding.weight_type());
            Ok(Found { ids, forest, total, statistics })
        })
    }
}

/// Some consecutive edges of a block.
pub(super) fn part_of(block: &AnyGraph, range: std::ops::Range<usize>) -> AnyGraph {
    with_graph!(block, graph => graph.edge_list().range(range).into())
}
