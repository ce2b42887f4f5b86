//! A graph in memory, and how it was stored.

use std::mem::take;
use std::time::Duration;

use kostra_core::{Order, WeightType};
use kostra_io::{Compression, Format, Parsed};

use crate::output;
use crate::remedy::spelled;

/// A graph that was read or generated.
#[derive(Debug)]
pub(crate) struct InputGraph {
    /// The graph and what the input says of it, but for its notes.
    pub(crate) parsed: Parsed,
    /// The format of the input; none for a generated graph.
    pub(crate) format: Option<Format>,
    /// What shows that the input is in this format.
    pub(crate) evidence: Option<String>,
    pub(crate) compression: Compression,
    /// What reports say of the input and of how it was used.
    pub(crate) notes: Vec<String>,
    /// The notes that were also printed to standard error.
    pub(crate) warnings: Vec<String>,
    pub(crate) load: Duration,
}

/// What is known of a graph without a pass over its edges.
pub(crate) struct GraphSummary {
    pub(crate) vertices: u32,
    pub(crate) edges: usize,
    pub(crate) weight_type: WeightType,
    pub(crate) coordinates: bool,
    pub(crate) names: bool,
    /// The format of the input; none for a generated graph.
    pub(crate) format: Option<Format>,
    /// How the graph was stored, for people.
    pub(crate) storage: String,
    /// What shows the format.
    pub(crate) evidence: Option<String>,
}

/// The warning that weights of this name are minimized, if they are.
pub(crate) fn doubt_about_order(similarity: Option<&str>, order: Order) -> Option<String> {
    let name = similarity.filter(|_| order == Order::Minimum)?;
    Some(format!(
        "the weights are '{name}', and a minimum spanning forest keeps the least; pass `--maximum` \
         if the greatest are meant"
    ))
}

impl InputGraph {
    /// A graph whose loading was not timed.
    pub(crate) fn new(
        mut parsed: Parsed,
        format: Option<Format>,
        compression: Compression,
    ) -> Self {
        let [notes, warnings] =
            [take(&mut parsed.notes), take(&mut parsed.warnings)].map(|all| spelled(&all));
        let (evidence, load) = (None, Duration::ZERO);
        Self { parsed, format, evidence, compression, notes, warnings, load }
    }

    /// Warns of weights that are minimized although their name says that greater ones are nearer.
    pub(crate) fn warn_of_order(&self, order: Order) {
        output::warn(doubt_about_order(self.parsed.similarity.as_deref(), order).as_slice());
    }

    pub(crate) fn header(&self) -> GraphSummary {
        GraphSummary {
            vertices: self.parsed.graph.vertices(),
            edges: self.parsed.graph.edges(),
            weight_type: self.parsed.graph.weight_type(),
            coordinates: self.parsed.coordinates.is_some(),
            names: self.parsed.names.is_some(),
            format: self.format,
            storage: storage(self.format, self.compression),
            evidence: self.evidence.clone(),
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
