//! A sink for weights of any type. The blocks of a text have the narrowest type that holds their
//! weights, so the type of the sink can become wider.

use std::path::Path;

use kostra::external::Statistics;
use kostra::io::Checkpoint;
use kostra_core::{AnyGraph, EdgeList, Total, WeightType, with_graph};

use super::engine::{Engine, Finished, Settings};

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
    I32(Engine<i32>),
    U32(Engine<u32>),
    I64(Engine<i64>),
    U64(Engine<u64>),
    F32(Engine<f32>),
    F64(Engine<f64>),
}

/// Evaluates an expression with the sink of any type.
macro_rules! with_sink {
    ($any:expr, $sink:ident => $body:expr) => {
        match $any {
            AnySink::I32($sink) => $body,
            AnySink::U32($sink) => $body,
            AnySink::I64($sink) => $body,
            AnySink::U64($sink) => $body,
            AnySink::F32($sink) => $body,
            AnySink::F64($sink) => $body,
        }
    };
}

/// Calls a constructor of the sink for the type of the weights, and wraps its result.
macro_rules! of_type {
    ($weight_type:expr, $function:ident($($argument:expr),*)) => {
        match $weight_type {
            WeightType::I32 => AnySink::I32(Engine::<i32>::$function($($argument),*)?),
            WeightType::U32 => AnySink::U32(Engine::<u32>::$function($($argument),*)?),
            WeightType::I64 => AnySink::I64(Engine::<i64>::$function($($argument),*)?),
            WeightType::U64 => AnySink::U64(Engine::<u64>::$function($($argument),*)?),
            WeightType::F32 => AnySink::F32(Engine::<f32>::$function($($argument),*)?),
            WeightType::F64 => AnySink::F64(Engine::<f64>::$function($($argument),*)?),
        }
    };
}

/// The conversions that keep the value of every weight which a reader of texts accepts.
macro_rules! widenings {
    ($(($from:ident, $to:ident, $type:ty)),*) => {
        impl AnySink {
            /// Converts the weights to a wider type.
            fn widened(self, to: WeightType, settings: &Settings) -> anyhow::Result<Self> {
                let vertices = self.vertices();
                Ok(match (self, to) {
                    $((Self::$from(sink), WeightType::$to) => {
                        Self::$to(sink.convert(vertices, settings, |weight| weight as $type)?)
                    })*
                    (sink, _) => sink,
                })
            }
        }

        /// Converts the weights of a block to a wider type.
        fn widened(block: AnyGraph, to: WeightType) -> AnyGraph {
            match (block, to) {
                $((AnyGraph::$from(graph), WeightType::$to) => {
                    let edges = graph.edge_list();
                    let weights = edges.weights().iter().map(|&weight| weight as $type);
                    let (u, v) = (edges.u().to_vec(), edges.v().to_vec());
                    let weights: Vec<_> = weights.collect();
                    EdgeList::of_checked(edges.vertices(), u, v, weights).into()
                })*
                (block, _) => block,
            }
        }
    };
}
widenings!(
    (I32, I64, i64),
    (I32, U64, u64),
    (I32, F64, f64),
    (I64, U64, u64),
    (I64, F64, f64),
    (U64, F64, f64)
);

/// The place of a type among those of texts.
fn width(weight_type: WeightType) -> u32 {
    match weight_type {
        WeightType::I32 | WeightType::U32 | WeightType::F32 => 0,
        WeightType::I64 => 1,
        WeightType::U64 => 2,
        WeightType::F64 => 3,
    }
}

impl AnySink {
    pub(super) fn new(
        weight_type: WeightType,
        vertices: u32,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        Ok(of_type!(weight_type, new(vertices, settings)))
    }

    /// The sink that a checkpoint holds.
    pub(super) fn saved(checkpoint: Checkpoint, settings: &Settings) -> anyhow::Result<Self> {
        Ok(of_type!(checkpoint.weight_type(), saved(checkpoint, settings)))
    }

    fn weight_type(&self) -> WeightType {
        match self {
            Self::I32(_) => WeightType::I32,
            Self::U32(_) => WeightType::U32,
            Self::I64(_) => WeightType::I64,
            Self::U64(_) => WeightType::U64,
            Self::F32(_) => WeightType::F32,
            Self::F64(_) => WeightType::F64,
        }
    }

    pub(super) fn vertices(&self) -> u32 {
        with_sink!(self, sink => sink.vertices())
    }

    /// Adds vertices, so that there are at least `vertices`.
    pub(super) fn grow(self, vertices: u32, settings: &Settings) -> anyhow::Result<Self> {
        Ok(match self {
            Self::I32(sink) => Self::I32(sink.grow(vertices, settings)?),
            Self::U32(sink) => Self::U32(sink.grow(vertices, settings)?),
            Self::I64(sink) => Self::I64(sink.grow(vertices, settings)?),
            Self::U64(sink) => Self::U64(sink.grow(vertices, settings)?),
            Self::F32(sink) => Self::F32(sink.grow(vertices, settings)?),
            Self::F64(sink) => Self::F64(sink.grow(vertices, settings)?),
        })
    }

    /// Adds the next edges. Either the sink or the block is converted if their types differ.
    pub(super) fn add(
        mut self,
        first: u64,
        mut edges: AnyGraph,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        if width(edges.weight_type()) > width(self.weight_type()) {
            self = self.widened(edges.weight_type(), settings)?;
        } else {
            edges = widened(edges, self.weight_type());
        }
        match (&mut self, &edges) {
            (Self::I32(sink), AnyGraph::I32(graph)) => sink.add(first, graph.edge_list()),
            (Self::U32(sink), AnyGraph::U32(graph)) => sink.add(first, graph.edge_list()),
            (Self::I64(sink), AnyGraph::I64(graph)) => sink.add(first, graph.edge_list()),
            (Self::U64(sink), AnyGraph::U64(graph)) => sink.add(first, graph.edge_list()),
            (Self::F32(sink), AnyGraph::F32(graph)) => sink.add(first, graph.edge_list()),
            (Self::F64(sink), AnyGraph::F64(graph)) => sink.add(first, graph.edge_list()),
            _ => anyhow::bail!("the weights of one input have two types"),
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
            let Finished { ids, forest, total, statistics } = sink.finish(vertices)?;
            Ok(Found { ids, forest: AnyGraph::from(forest), total, statistics })
        })
    }
}

/// Some consecutive edges of a block.
pub(super) fn part_of(block: &AnyGraph, range: std::ops::Range<usize>) -> AnyGraph {
    with_graph!(block, graph => graph.edge_list().range(range).into())
}
