//! The errors of writing a forest.

use kostra_core::OutOfMemory;
use kostra_io::WriteError;
use thiserror::Error;

use super::UnknownExtension;

/// The reason why a forest is not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ForestFileError {
    /// The extension belongs to no format.
    #[error(transparent)]
    UnknownExtension(#[from] UnknownExtension),
    /// A kept column has the name of another column.
    #[error("two columns of the output would be called '{name}'")]
    EqualColumns {
        /// The name.
        name: String,
    },
    /// A vertex has an empty name, and the format is a table.
    #[error(
        "vertex {vertex} (counted from 0) has an empty name, which a line would not tell from a \
         missing one; rename it, or write .graphml"
    )]
    EmptyName {
        /// The vertex.
        vertex: usize,
    },
    /// The name of a vertex has a line break, and the format is a table.
    #[error(
        "the name {name:?} has a line break, which a line cannot hold; write .parquet or .graphml"
    )]
    LineBreak {
        /// The name.
        name: String,
    },
    /// The name of a vertex has a control character, which makes a text look like binary data.
    #[error(
        "the name {name:?} has the character U+{:04X}, which a text cannot hold; rename the vertex, \
         or write .parquet or .kst",
        u32::from(*character)
    )]
    NoText {
        /// The name.
        name: String,
        /// The character.
        character: char,
    },
    /// A kept column has a control character, which makes a text look like binary data.
    #[error(
        "the column '{}' has the character U+{:04X}, which a text cannot hold; leave the column \
         out, or write .parquet or .json",
        column.escape_default(),
        u32::from(*character)
    )]
    KeptNoText {
        /// The name of the column.
        column: String,
        /// The character.
        character: char,
    },
    /// A map needs longitudes and latitudes, and the vertices have none.
    #[error(
        "{output}: the vertices have {}, and GeoJSON needs places; write .csv or .graphml, or solve \
         a graph with longitudes and latitudes",
        if *is_planar { "positions in a plane" } else { "no positions" }
    )]
    NoPlaces {
        /// The file's path, or `standard output`.
        output: String,
        /// Whether the vertices have positions in a plane.
        is_planar: bool,
    },
    /// A position is not a longitude and a latitude in degrees.
    #[error(
        "{output}: vertex {vertex} (counted from 0) has the position [{x}, {y}], which is not a \
         longitude and a latitude in degrees; correct it"
    )]
    NoPlace {
        /// The file's path, or `standard output`.
        output: String,
        /// The vertex.
        vertex: usize,
        /// Its longitude.
        x: f64,
        /// Its latitude.
        y: f64,
    },
    /// A weight is infinite, and branches of Newick have finite lengths.
    #[error(
        "edge {edge} has an infinite weight, which Newick cannot hold as the length of a branch; \
         write .csv or .graphml"
    )]
    InfiniteBranch {
        /// The id of the edge.
        edge: u64,
    },
    /// The output fails, or the format cannot hold the forest.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The system does not grant the memory.
    #[error("the forest cannot be written: {0}")]
    OutOfMemory(#[from] OutOfMemory),
}
