//! A graph on its way to a file.

use kostra_core::{AnyGraph, Coordinates};

use crate::kept::{KeptColumns, KeptRows};
use crate::mapped_file::MappedFile;

/// A graph to write. `.kst` keeps names and coordinates. Formats with
/// [attributes](crate::FormatInfo::has_attributes) keep names, edge ids and columns. Others keep
/// neither.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The graph.
    pub graph: &'a AnyGraph,
    /// The coordinates of its vertices.
    pub coordinates: Option<&'a Coordinates>,
    /// The names of its vertices.
    pub names: Option<&'a [String]>,
    /// Whether the names are text, so that a format with types does not store them as integers.
    pub text_names: bool,
    /// The id of each edge in the graph that the edges come from, such as the graph of a forest.
    pub edge_ids: Option<&'a [u64]>,
    /// Columns that are kept with the edges, one row per edge. Formats with attributes keep them.
    pub kept: Option<&'a KeptColumns>,
    /// The positions on each edge's line, as [`Parsed::lines`](crate::Parsed::lines). Maps keep them.
    pub lines: Option<&'a [Box<str>]>,
    /// The file that the graph borrows its arrays from. If that file has changed by the end of
    /// writing, nothing is written.
    pub mapped: Option<&'a MappedFile>,
}

impl<'a> From<&'a AnyGraph> for Outgoing<'a> {
    fn from(graph: &'a AnyGraph) -> Self {
        Self {
            graph,
            coordinates: None,
            names: None,
            text_names: false,
            edge_ids: None,
            kept: None,
            lines: None,
            mapped: None,
        }
    }
}

impl<'a> Outgoing<'a> {
    /// Whether all names are integers of 64 bits as they are usually written, and not text in the
    /// input.
    pub(crate) fn has_integer_names(&self) -> bool {
        let is_integer =
            |name: &String| name.parse::<i64>().is_ok_and(|integer| integer.to_string() == *name);
        !self.text_names && self.names.is_some_and(|names| names.iter().all(is_integer))
    }

    /// The kept columns of the edges, if there are any.
    ///
    /// # Errors
    /// When one of them has the name of another, or one in `reserved`, which the format uses.
    pub(crate) fn kept_rows(&self, reserved: &[&str]) -> Result<Option<KeptRows<'a>>, String> {
        let Some(kept) = self.kept else { return Ok(None) };
        let names = kept.names();
        let is_taken = |&place: &usize| {
            let name = &names[place];
            reserved.contains(&&**name) || names[..place].contains(name)
        };
        if let Some(name) = (0..names.len()).find(is_taken).map(|place| &names[place]) {
            return Err(format!(
                "two columns would be called '{name}'; give the kept column another name"
            ));
        }
        Ok(Some(KeptRows::new(kept, 0..self.graph.edges())))
    }
}
