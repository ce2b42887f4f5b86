//! Writing a forest whose graph is not in memory.

use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;
use kostra::io::{KeptColumns, KeptRows, Outgoing, Terms};
use kostra_core::{AnyGraph, Coordinates, with_graph};

use super::destination::{Destination, ForestFormat};
use super::geojson;
use super::line::Style;
use super::write::{check_columns, check_names, write_ids};
use crate::output;

/// What to do about a kept column with the name of another column.
const RENAME: &str = "rename the kept column, or pass `keep=False` to leave it out";

/// A forest without its graph.
#[derive(Clone, Copy, Debug)]
pub struct FoundForest<'a> {
    /// All vertices, and the edges of the forest in the order of their ids.
    pub edges: &'a AnyGraph,
    /// The id of each edge.
    pub ids: &'a [u64],
    /// The name of each vertex.
    pub names: Option<&'a [String]>,
    /// Whether the names are text, so that a format with types does not store them as integers.
    pub text_names: bool,
    /// The position of each vertex.
    pub coordinates: Option<&'a Coordinates>,
    /// Columns that are kept with the edges, one row per edge of the forest.
    pub kept: Option<&'a KeptColumns>,
}

impl<'a> FoundForest<'a> {
    /// A forest without kept columns, whose vertices have neither names nor positions.
    pub(crate) fn new(edges: &'a AnyGraph, ids: &'a [u64]) -> Self {
        Self { edges, ids, names: None, text_names: false, coordinates: None, kept: None }
    }

    /// Writes the forest to a file, as the command does, in the format with this name or of the
    /// file's extension. Messages are in the terms of Python. Returns whether the file has numbers
    /// in place of the names of vertices.
    ///
    /// # Errors
    /// When there is no such format, the format cannot hold the forest or the kept columns, or the
    /// output fails.
    pub fn write_file(&self, path: &Path, format: Option<&str>) -> anyhow::Result<bool> {
        let asked = format.map(|name| {
            ForestFormat::from_str(name, false).map_err(|_| {
                anyhow::anyhow!("format is {name:?}; {}", Destination::remedy(Terms::Python))
            })
        });
        let destination = Destination::resolve(path, asked.transpose()?, Terms::Python)?;
        if self.kept.is_some() && !destination.format.keeps_columns() {
            anyhow::bail!(
                "{}: {} holds no kept columns; write .csv, .parquet, .geojson or .graphml, or \
                 pass `keep=False` to leave them out",
                destination.output,
                destination.format.title()
            );
        }
        self.write(&destination)?;
        let drops_names = destination.format.graph().is_some_and(|format| !format.holds_names());
        Ok(self.names.is_some() && drops_names)
    }

    /// Writes the forest.
    ///
    /// # Errors
    /// When the format cannot hold the forest, or the output fails.
    pub(crate) fn write(&self, Destination { output, format }: &Destination) -> anyhow::Result<()> {
        let Self { edges, ids, names, text_names, coordinates, kept } = *self;
        if let Some(graph_format) = format.graph() {
            let edge_ids = Some(ids);
            let graph = Outgoing::from(edges);
            let outgoing = Outgoing { names, text_names, coordinates, edge_ids, kept, ..graph };
            output::write(output, graph_format, outgoing)?;
        } else if *format == ForestFormat::Geojson {
            check_columns(kept, RENAME)?;
            let kept = kept.map(|kept| KeptRows::new(kept, 0..edges.edges()));
            let edges_and_ids = &mut ids.iter().copied().enumerate();
            let kept = kept.as_ref();
            let lines = geojson::Lines { graph: edges, names, edges: edges_and_ids, kept };
            geojson::write(output, coordinates, lines, || Ok(()))?;
        } else if let Some(style) = Style::of_format(*format) {
            check_columns(kept, RENAME)?;
            check_names(names)?;
            output::write_lines(output, |to| self.write_lines(to, style))?;
        } else {
            write_ids(output, ids)?;
        }
        Ok(())
    }

    /// Writes a header and one line per edge.
    ///
    /// # Errors
    /// When the output fails.
    fn write_lines(&self, to: &mut dyn Write, style: Style) -> io::Result<()> {
        let (kept, separator) = (self.kept, style.separator());
        writeln!(to, "{}", style.header(kept.map(KeptColumns::names).unwrap_or_default()))?;
        with_graph!(self.edges, forest => {
            let edges = forest.edge_list();
            let ends = edges.u().iter().zip(edges.v());
            let edges = self.ids.iter().zip(ends).zip(edges.weights());
            for (edge, ((id, (u, v)), weight)) in edges.enumerate() {
                style.write_edge(to, (*id, [*u, *v], *weight), self.names)?;
                for field in kept.iter().flat_map(|kept| kept.row(edge)) {
                    write!(to, "{separator}{}", style.field(field))?;
                }
                writeln!(to)?;
            }
        });
        Ok(())
    }
}
