//! What a format's reader returns.

use kostra_core::{AnyGraph, Coordinates, Vertex};

use crate::kept::KeptColumns;
use crate::mapped_file::MappedFile;
use crate::message::Message;
use crate::outgoing::Outgoing;

/// The content of a file: what a format's reader returns. `G` is the type of the graph.
#[derive(Clone, Debug)]
pub struct Parsed<G = AnyGraph> {
    /// The graph. Edge ids are positions in the input; an edge that the format stores twice counts
    /// once.
    pub graph: G,
    /// The coordinates of the vertices, if the file contains them.
    pub coordinates: Option<Coordinates>,
    /// The names of the vertices, if the file has them or [`ReadOptions::names`](crate::ReadOptions::names) is set.
    pub names: Option<Vec<String>>,
    /// Whether the file stores the names as text, so that `1` is no number.
    pub text_names: bool,
    /// Whether `names` are integers of the input, which are names because some integers from 0 to
    /// the highest do not occur.
    pub names_are_ids: bool,
    /// The weights of the vertices, if the file has them and `ReadOptions::vertex_weights` is set.
    pub vertex_weights: Option<Vec<i64>>,
    /// The terminals of a Steiner tree problem, if the format has them and
    /// `ReadOptions::terminals` is set.
    pub terminals: Option<Vec<Vertex>>,
    /// The columns that [`ColumnOptions`](crate::ColumnOptions) keeps.
    pub kept: Option<KeptColumns>,
    /// The positions on each edge's line as a list in JSON, if a line of the file is one edge.
    pub lines: Option<Vec<Box<str>>>,
    /// The name of the column or the attribute that is the weight, if the name says that vertices
    /// are nearer where it is greater (see [`is_similarity`](crate::is_similarity)).
    pub similarity: Option<String>,
    /// What the user should know, one sentence each: generated weights, skipped edges.
    pub notes: Vec<Message>,
    /// The notes that may indicate a mistake: ids at which no edge ends.
    pub warnings: Vec<Message>,
    /// The `.kst` file that the graph borrows its arrays from, if the file is mapped into memory.
    pub mapped: Option<MappedFile>,
}

impl<'a, G: AsRef<AnyGraph>> From<&'a Parsed<G>> for Outgoing<'a> {
    fn from(parsed: &'a Parsed<G>) -> Self {
        Self {
            coordinates: parsed.coordinates.as_ref(),
            names: parsed.names.as_deref(),
            text_names: parsed.text_names,
            kept: parsed.kept.as_ref(),
            lines: parsed.lines.as_deref(),
            mapped: parsed.mapped.as_ref(),
            ..parsed.graph.as_ref().into()
        }
    }
}

impl<G> Parsed<G> {
    /// A graph with notes and nothing else.
    pub fn new(graph: G, notes: Vec<Message>) -> Self {
        Self {
            graph,
            coordinates: None,
            names: None,
            text_names: false,
            names_are_ids: false,
            vertex_weights: None,
            terminals: None,
            kept: None,
            lines: None,
            similarity: None,
            notes,
            warnings: Vec::new(),
            mapped: None,
        }
    }

    /// The same content with the graph as another type.
    pub fn with_graph_as<H: From<G>>(self) -> Parsed<H> {
        Parsed {
            graph: self.graph.into(),
            coordinates: self.coordinates,
            names: self.names,
            text_names: self.text_names,
            names_are_ids: self.names_are_ids,
            vertex_weights: self.vertex_weights,
            terminals: self.terminals,
            kept: self.kept,
            lines: self.lines,
            similarity: self.similarity,
            notes: self.notes,
            warnings: self.warnings,
            mapped: self.mapped,
        }
    }
}
