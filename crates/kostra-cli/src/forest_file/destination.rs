//! Where a forest is written, and in which format.

use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use kostra::io::{Format, Output, Terms};

use crate::commands::PictureFormat;
use crate::output;

/// The format of a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForestFormat {
    /// One edge id per line
    Ids,
    /// One edge per line: its id, its endpoints and its weight, separated by tabs
    Edges,
    /// One edge per line as in edges, separated by commas, with the columns of `--keep`
    Csv,
    /// The edges of the forest as a Parquet table, with their ids and the columns of `--keep`
    Parquet,
    /// The edges of the forest as a DIMACS graph
    Gr,
    /// The edges of the forest as a GraphML graph, with their ids
    Graphml,
    /// The edges of the forest as node-link JSON, with their ids
    Json,
    /// The edges of the forest in DOT, the language of Graphviz, with their ids
    Dot,
    /// The edges of the forest as lines on a map, if the input has coordinates
    Geojson,
    /// The edges of the forest as a Matrix Market matrix
    Mtx,
    /// The edges of the forest as a Kostra graph
    Kst,
}

impl ForestFormat {
    /// The format of files with this extension, if there is one.
    pub(crate) fn by_extension(extension: Option<&str>) -> Option<Self> {
        let Some(extension) = extension else { return Some(Self::Ids) };
        let has = |format: &&Self| format.extensions().contains(&extension);
        Self::value_variants().iter().find(has).copied()
    }

    /// The extensions of files in the format.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Ids => &["ids", "txt"],
            Self::Edges => &["edges", "tsv"],
            Self::Csv => &["csv"],
            Self::Geojson => &["geojson"],
            _ => self.graph().map_or(&[], |format| format.info().extensions),
        }
    }

    /// The name of the format, for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Ids => "edge ids",
            Self::Edges => "edges",
            Self::Csv => "CSV",
            Self::Geojson => "GeoJSON",
            _ => self.graph().map_or("graph", Format::title),
        }
    }

    /// Whether the file holds the coordinates of the vertices.
    pub(crate) fn keeps_coordinates(self) -> bool {
        matches!(self, Self::Geojson | Self::Kst)
    }

    /// Whether the file holds the columns that are kept with the edges.
    pub(crate) fn keeps_columns(self) -> bool {
        match self {
            Self::Edges | Self::Csv | Self::Geojson => true,
            _ => self.graph().is_some_and(|format| format.info().has_attributes),
        }
    }

    /// The format of the graph that holds the forest; none for a text of ids or edges.
    pub(crate) fn graph(self) -> Option<Format> {
        match self {
            Self::Ids | Self::Edges | Self::Csv | Self::Geojson => None,
            Self::Parquet => Some(Format::PARQUET),
            Self::Gr => Some(Format::DIMACS),
            Self::Graphml => Some(Format::GRAPHML),
            Self::Json => Some(Format::NODE_LINK),
            Self::Dot => Some(Format::DOT),
            Self::Mtx => Some(Format::MATRIX_MARKET),
            Self::Kst => Some(Format::KST),
        }
    }
}

/// An output for a forest.
#[derive(Debug)]
pub(crate) struct Destination {
    pub(crate) output: Output,
    pub(crate) format: ForestFormat,
}

impl Destination {
    /// Resolves the path that the user typed. Without `asked`, the file's extension decides the
    /// format.
    ///
    /// # Errors
    /// When the extension belongs to no format, or the output certainly cannot be written.
    pub(crate) fn resolve(
        path: &Path,
        asked: Option<ForestFormat>,
        terms: Terms,
    ) -> anyhow::Result<Self> {
        let extension = output::extension(path);
        let by_extension = || ForestFormat::by_extension(extension.as_deref());
        let format = asked.or_else(by_extension).with_context(|| {
            let (path, extension) = (path.display(), extension.as_deref().unwrap_or_default());
            if PictureFormat::named(extension).is_some() {
                return format!("{path}: `kostra draw` writes pictures; {}", Self::remedy(terms));
            }
            let remedy = Self::remedy(terms);
            format!("{path}: no forest format has the extension .{extension}; {remedy}")
        })?;
        let output = output::parse_path(path);
        output.check()?;
        if output.shares_stdout() {
            anyhow::bail!(
                "{output}: standard output, which receives the report, is the same file; pass \
                 `-o -` to send the report to standard error, or redirect standard output elsewhere"
            );
        }
        Ok(Self { output, format })
    }
}

impl Destination {
    /// How to name a format.
    pub(super) fn remedy(terms: Terms) -> String {
        let formats = ForestFormat::value_variants();
        let extensions: Vec<_> = formats
            .iter()
            .flat_map(|format| format.extensions())
            .map(|e| format!(".{e}"))
            .collect();
        let values = formats.iter().filter_map(ValueEnum::to_possible_value);
        let ids: Vec<_> = values.map(|value| value.get_name().to_owned()).collect();
        // In Python, pictures are forest files.
        let (option, extra) = match terms {
            Terms::Command | Terms::Rust | Terms::C => ("`--output-format`", ["", ""]),
            Terms::Python => ("`format`", [", .svg, .png, .html", ", svg, png, html"]),
        };
        format!(
            "use one of {}{}, or pass {option} with one of {}{}",
            extensions.join(", "),
            extra[0],
            ids.join(", "),
            extra[1]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_the_format_or_is_refused() {
        let resolve =
            |path: &str, asked| Destination::resolve(Path::new(path), asked, Terms::Command);
        let format = |path: &str| resolve(path, None).map(|found| found.format);
        for path in
            ["-", "forest", "a.b/forest", "forest.ids", "forest.TXT", "forest.gz", "forest.ids.zst"]
        {
            assert_eq!(format(path).unwrap(), ForestFormat::Ids, "{path}");
        }
        for path in ["forest.edges", "forest.tsv", "forest.tsv.gz"] {
            assert_eq!(format(path).unwrap(), ForestFormat::Edges, "{path}");
        }
        assert_eq!(format("forest.gr.gz").unwrap(), ForestFormat::Gr);
        assert_eq!(format("forest.graphml.gz").unwrap(), ForestFormat::Graphml);
        assert_eq!(format("forest.kst").unwrap(), ForestFormat::Kst);
        assert_eq!(format("forest.csv.gz").unwrap(), ForestFormat::Csv);
        assert_eq!(format("forest.parquet").unwrap(), ForestFormat::Parquet);
        let picture = format("forest.svg").unwrap_err().to_string();
        assert!(picture.contains("`kostra draw` writes pictures"), "{picture}");
        for path in ["forest.xml.gz", "forest.1", "forest.ids.bz2"] {
            assert!(format(path).is_err(), "{path}");
            let asked = resolve(path, Some(ForestFormat::Ids));
            assert_eq!(asked.is_ok(), !path.ends_with("bz2"), "{path}");
        }
    }
}
