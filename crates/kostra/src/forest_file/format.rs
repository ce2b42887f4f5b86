//! The formats of a forest.

use std::path::Path;

use kostra_core::shown;
use kostra_io::Format;
use thiserror::Error;

/// The extension of a file belongs to no format of forests.
#[derive(Clone, Debug, Error)]
#[error(
    "{path}: no forest format has the extension .{extension}; use one of {}",
    ForestFormat::all_extensions()
)]
pub struct UnknownExtension {
    path: String,
    extension: String,
}

/// The format of a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForestFormat {
    /// One edge id per line.
    Ids,
    /// One edge per line: its id, its endpoints and its weight, separated by tabs.
    Edges,
    /// One edge per line as in [`Edges`](Self::Edges), separated by commas.
    Csv,
    /// A Parquet table of the edges, with their ids.
    Parquet,
    /// A DIMACS graph.
    Gr,
    /// A GraphML graph, with the ids of the edges.
    Graphml,
    /// Node-link JSON, with the ids of the edges.
    Json,
    /// DOT, the language of Graphviz, with the ids of the edges.
    Dot,
    /// Lines on a map, from longitudes and latitudes.
    Geojson,
    /// A Matrix Market matrix.
    Mtx,
    /// The trees in Newick, each from its lowest vertex.
    Newick,
    /// A Kostra graph.
    Kst,
}

impl ForestFormat {
    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::Ids,
        Self::Edges,
        Self::Csv,
        Self::Parquet,
        Self::Gr,
        Self::Graphml,
        Self::Json,
        Self::Dot,
        Self::Geojson,
        Self::Mtx,
        Self::Newick,
        Self::Kst,
    ];

    /// The name of the format in options, such as `graphml`.
    pub fn id(self) -> &'static str {
        self.id_and_summary().0
    }

    /// What a file contains, as one sentence without its period.
    pub fn summary(self) -> &'static str {
        self.id_and_summary().1
    }

    fn id_and_summary(self) -> (&'static str, &'static str) {
        match self {
            Self::Ids => ("ids", "One edge id per line"),
            Self::Edges => (
                "edges",
                "One edge per line: its id, its endpoints and its weight, separated by tabs",
            ),
            Self::Csv => {
                ("csv", "One edge per line as in edges, separated by commas, with the kept columns")
            }
            Self::Parquet => (
                "parquet",
                "The edges of the forest as a Parquet table, with their ids and the kept columns",
            ),
            Self::Gr => ("gr", "The edges of the forest as a DIMACS graph"),
            Self::Graphml => {
                ("graphml", "The edges of the forest as a GraphML graph, with their ids")
            }
            Self::Json => ("json", "The edges of the forest as node-link JSON, with their ids"),
            Self::Dot => {
                ("dot", "The edges of the forest in DOT, the language of Graphviz, with their ids")
            }
            Self::Geojson => (
                "geojson",
                "The edges of the forest as lines on a map, if the input has coordinates",
            ),
            Self::Mtx => ("mtx", "The edges of the forest as a Matrix Market matrix"),
            Self::Newick => {
                ("newick", "The trees in Newick, each from its lowest vertex; it has no edge ids")
            }
            Self::Kst => ("kst", "The edges of the forest as a Kostra graph"),
        }
    }

    /// The format with this [`id`](Self::id).
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.id() == id)
    }

    /// The format of files with the extension of this path, apart from `.gz` and `.zst`. A file
    /// without an extension is a list of ids.
    ///
    /// ```
    /// use kostra::forest_file::ForestFormat;
    ///
    /// assert_eq!(ForestFormat::by_path("forest.csv.gz")?, ForestFormat::Csv);
    /// assert_eq!(ForestFormat::by_path("forest")?, ForestFormat::Ids);
    /// assert!(ForestFormat::by_path("forest.pdf").is_err());
    /// # Ok::<(), kostra::forest_file::UnknownExtension>(())
    /// ```
    ///
    /// # Errors
    /// When the extension belongs to no format.
    pub fn by_path(path: impl AsRef<Path>) -> Result<Self, UnknownExtension> {
        let path = path.as_ref();
        let Some(extension) = kostra_io::extension(path) else { return Ok(Self::Ids) };
        Self::by_extension(&extension)
            .ok_or_else(|| UnknownExtension { path: shown(path), extension })
    }

    /// The format of files with this extension.
    pub fn by_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension))
    }

    /// The extensions of files in the format.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Ids => &["ids", "txt"],
            Self::Edges => &["edges", "tsv"],
            Self::Csv => &["csv"],
            Self::Geojson => &["geojson"],
            Self::Newick => &["nwk", "newick"],
            _ => self.graph().map_or(&[], |format| format.info().extensions),
        }
    }

    /// The extensions of all formats, for messages: `.ids, .txt, .edges, …`.
    pub fn all_extensions() -> String {
        let extensions = Self::ALL.into_iter().flat_map(Self::extensions);
        extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
    }

    /// The ids of all formats, for messages: `ids, edges, …`.
    pub fn all_ids() -> String {
        Self::ALL.map(Self::id).join(", ")
    }

    /// The name of the format, for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ids => "edge ids",
            Self::Edges => "edges",
            Self::Csv => "CSV",
            Self::Geojson => "GeoJSON",
            Self::Newick => "Newick",
            _ => self.graph().map_or("graph", Format::title),
        }
    }

    /// Whether the file holds the coordinates of the vertices.
    pub fn keeps_coordinates(self) -> bool {
        matches!(self, Self::Geojson | Self::Kst)
    }

    /// Whether the file holds the columns that are kept with the edges.
    pub fn keeps_columns(self) -> bool {
        match self {
            Self::Edges | Self::Csv | Self::Geojson => true,
            _ => self.graph().is_some_and(|format| format.info().has_attributes),
        }
    }

    /// The format of the graph that holds the forest; none for a text of ids or edges, a map and
    /// Newick.
    pub fn graph(self) -> Option<Format> {
        match self {
            Self::Ids | Self::Edges | Self::Csv | Self::Geojson | Self::Newick => None,
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
