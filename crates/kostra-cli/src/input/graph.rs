//! A graph in memory, and how it was stored.

use std::time::Duration;

use kostra::io::{Compression, Format, KeptColumns, MappedFile};
use kostra_core::{AnyGraph, Coordinates, Order, WeightType};

use crate::output;

/// A graph that was read or generated.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) graph: AnyGraph,
    pub(crate) coordinates: Option<Coordinates>,
    pub(crate) names: Option<Vec<String>>,
    /// Whether the input stores the names as text.
    pub(crate) text_names: bool,
    /// The weights of the vertices, if they were wanted and the file has them.
    pub(crate) vertex_weights: Option<Vec<i64>>,
    /// The columns of the input that are kept with the edges.
    pub(crate) kept: Option<KeptColumns>,
    /// The name of the weights, if it says that greater ones are nearer.
    pub(crate) similarity: Option<String>,
    /// The format of the input; none for a generated graph.
    pub(crate) format: Option<Format>,
    pub(crate) compression: Compression,
    pub(crate) notes: Vec<String>,
    /// The notes that were also printed to standard error.
    pub(crate) warnings: Vec<String>,
    /// The file whose memory map holds the graph, if there is one.
    pub(crate) mapped: Option<MappedFile>,
    pub(crate) load: Duration,
}

/// What is known of a graph without a pass over its edges.
pub(crate) struct Header {
    pub(crate) vertices: u32,
    pub(crate) edges: usize,
    pub(crate) weight_type: WeightType,
    pub(crate) coordinates: bool,
    pub(crate) names: bool,
    /// How the graph was stored, for people.
    pub(crate) storage: String,
}

/// The warning that weights of this name are minimized, if they are.
pub(crate) fn doubt_about_order(similarity: Option<&str>, order: Order) -> Option<String> {
    let name = similarity.filter(|_| order == Order::Minimum)?;
    Some(format!(
        "the weights are '{name}', and a minimum spanning forest keeps the least; pass `--maximum` \
         if the greatest are meant"
    ))
}

impl Graph {
    /// Warns of weights that are minimized although their name says that greater ones are nearer.
    pub(crate) fn warn_of_order(&self, order: Order) {
        output::warn(doubt_about_order(self.similarity.as_deref(), order).as_slice());
    }

    pub(crate) fn header(&self) -> Header {
        Header {
            vertices: self.graph.vertices(),
            edges: self.graph.edges(),
            weight_type: self.graph.weight_type(),
            coordinates: self.coordinates.is_some(),
            names: self.names.is_some(),
            storage: storage(self.format, self.compression),
        }
    }
}

/// How a graph was stored, for people: `DIMACS, gzip`.
pub(crate) fn storage(format: Option<Format>, compression: Compression) -> String {
    match (format, compression_name(compression)) {
        (None, _) => "generated".to_owned(),
        (Some(format), None) => format.title().to_owned(),
        (Some(format), Some(compression)) => format!("{}, {compression}", format.title()),
    }
}

fn compression_name(compression: Compression) -> Option<&'static str> {
    match compression {
        Compression::None => None,
        Compression::Gzip => Some("gzip"),
        Compression::Xz => Some("xz"),
        Compression::Zstd => Some("zstd"),
        Compression::Bzip2 => Some("bzip2"),
    }
}

/// How a graph was stored, for programs.
pub(crate) fn format_id(format: Option<Format>) -> &'static str {
    format.map_or("gen", Format::id)
}
