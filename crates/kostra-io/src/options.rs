//! What a caller asks of the readers, and what it gets.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use kostra_core::{AnyGraph, Coordinates};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// DIMACS: `p sp n m` and `a u v w` lines; also the kin `p tw`, `p edge`, `p col` without weights.
    Dimacs,
    /// Lines of `u v` or `u v weight`, in any separator: SNAP, CSV, TSV.
    EdgeList,
    /// Matrix Market coordinate files.
    MatrixMarket,
    /// METIS and Chaco graphs: a line of neighbours for each vertex.
    Metis,
    /// The binary CSR of the ECL suite.
    Ecl,
    /// The binary CSR of the GAP benchmark suite, with weights.
    Gap,
    /// OpenStreetMap extracts: roads, with great-circle lengths.
    OsmPbf,
    /// Kostra's own binary form.
    Kst,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] = [
        Self::Dimacs,
        Self::EdgeList,
        Self::MatrixMarket,
        Self::Metis,
        Self::Ecl,
        Self::Gap,
        Self::OsmPbf,
        Self::Kst,
    ];

    /// The name that users type; also the customary file extension.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Dimacs => "gr",
            Self::EdgeList => "edges",
            Self::MatrixMarket => "mtx",
            Self::Metis => "graph",
            Self::Ecl => "egr",
            Self::Gap => "wsg",
            Self::OsmPbf => "osm.pbf",
            Self::Kst => "kst",
        }
    }

    /// The name that people say.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Dimacs => "DIMACS",
            Self::EdgeList => "edge list",
            Self::MatrixMarket => "Matrix Market",
            Self::Metis => "METIS",
            Self::Ecl => "ECL",
            Self::Gap => "GAP",
            Self::OsmPbf => "OpenStreetMap",
            Self::Kst => "Kostra",
        }
    }

    /// Whether Kostra can write it too.
    pub const fn is_writable(self) -> bool {
        !matches!(self, Self::OsmPbf)
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(id: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|format| format.id() == id).ok_or_else(|| {
            let ids: Vec<_> = Self::ALL.iter().map(|format| format.id()).collect();
            format!("there is no format '{id}'; there are: {}", ids.join(", "))
        })
    }
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the compression it is named after")]
pub enum Compression {
    None,
    Gzip,
    Xz,
    Zstd,
    Bzip2,
}

/// Where a graph is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
}

impl Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Stdin => f.write_str("standard input"),
        }
    }
}

/// Which weights the edges of a graph without weights get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingWeights {
    /// 1 each (`i32`).
    #[default]
    Unit,
    /// A hash of the two ends, in either order, from 1 to `2^24 - 1` (`u32`): the same on every run and machine.
    Hash,
    /// The distance between the ends (`f64`, metres where coordinates are geographic). Needs coordinates.
    Distance,
}

/// What to do with an edge whose weight is not a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nan {
    /// Refuse the input, naming the place.
    #[default]
    Error,
    /// Make the edge a self-loop of weight 0, which is in no forest; the other edges keep their ids.
    Skip,
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format, instead of recognizing it by content.
    pub format: Option<Format>,
    /// The weights of a graph that has none.
    pub missing_weights: MissingWeights,
    /// What to do about NaN.
    pub nan: Nan,
    /// Whether the vertices of an edge list are names, numbered in the order in which they appear.
    pub names: bool,
    /// How many threads to use; 0 means all.
    pub threads: usize,
}

/// A graph from a file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The graph. Edge ids are positions in the input; an edge that the format stores twice counts once.
    pub graph: AnyGraph,
    /// Where the vertices lie, if the file says so.
    pub coordinates: Option<Coordinates>,
    /// The vertices' names, if asked for.
    pub names: Option<Vec<String>>,
    /// The format that it was in.
    pub format: Format,
    /// How it was compressed.
    pub compression: Compression,
    /// What the user should know of the reading, a sentence each: weights made up, edges skipped, columns left out.
    pub notes: Vec<String>,
}
