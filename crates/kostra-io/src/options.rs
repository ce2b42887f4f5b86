//! What a caller asks of the readers, and what it gets.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use kostra_core::{AnyGraph, Coordinates};

use crate::{MappedFile, Terms};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// DIMACS: `p sp n m` and `a u v w` lines; also the kin `p tw`, `p edge`, `p col` without
    /// weights.
    Dimacs,
    /// Lines of `u v` or `u v weight`, between blanks, tabs, commas, semicolons or bars: SNAP, CSV,
    /// TSV.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingWeights {
    /// 1 each (`i32`).
    Unit,
    /// A hash of the two ends, in either order, from 1 to `2^24 - 1` (`u32`): the same on every run
    /// and machine.
    Hash,
    /// The distance between the ends (`f64`, metres where coordinates are geographic). Needs
    /// coordinates, so it is an error for now: the formats that have coordinates have weights too.
    Distance,
}

/// What to do with an edge whose weight is not a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nan {
    /// Refuse the input, naming the place.
    #[default]
    Error,
    /// Make the edge a self-loop of weight 0, which is in no forest; the other edges keep their
    /// ids.
    Skip,
}

/// A column of an edge list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnChoice {
    /// The column that the header calls so.
    Name(String),
    /// The column at this position, counted from 1.
    Position(usize),
    /// As a person types it: a name, or a position counted from 1. What may be either is refused.
    NameOrPosition(String),
}

/// Whether the first line of an edge list, comments apart, names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The lines tell. Where they do not, the input is refused.
    #[default]
    Recognize,
    /// It does.
    Present,
    /// It is an edge.
    Absent,
}

/// Which columns of an edge list hold what. What is not chosen is recognized by names and contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnOptions {
    /// The first vertex of an edge.
    pub source: Option<ColumnChoice>,
    /// The second vertex.
    pub target: Option<ColumnChoice>,
    /// The weight.
    pub weight: Option<ColumnChoice>,
    /// Whether there is a header.
    pub header: Header,
}

impl ColumnOptions {
    /// The columns that are chosen, by the names of their options.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = (&'static str, &ColumnChoice)> {
        let all = [("source", &self.source), ("target", &self.target), ("weight", &self.weight)];
        all.into_iter().filter_map(|(option, choice)| Some((option, choice.as_ref()?)))
    }

    /// The name of an option that is used, if one is.
    pub(crate) fn used(&self) -> Option<&'static str> {
        let header = match self.header {
            Header::Recognize => None,
            Header::Present => Some("header"),
            Header::Absent => Some("no-header"),
        };
        self.chosen().map(|(option, _)| option).next().or(header)
    }
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format, instead of recognizing it by content.
    pub format: Option<Format>,
    /// The weights of a graph that has none; one that has some is refused. Without, the input's
    /// weights are taken, and where it has none, each edge weighs 1. An edge list with columns that
    /// may or may not be weights is refused.
    pub missing_weights: Option<MissingWeights>,
    /// What to do about NaN.
    pub nan: Nan,
    /// Whether the vertices of an edge list are names, numbered in the order in which they appear.
    /// Without a format, the input is then read as an edge list, whatever its content.
    pub names: bool,
    /// Which columns of an edge list hold what; other formats are refused where something is
    /// chosen.
    pub columns: ColumnOptions,
    /// In whose terms messages name these options.
    pub terms: Terms,
    /// How many threads to use; 0 means all.
    pub threads: usize,
    /// Whether a `.kst` file is copied into memory, so that the graph stays as it is when the file
    /// changes. Otherwise a plain one is mapped, which takes no memory of its own; see
    /// [`open_kst`](crate::open_kst).
    pub copy: bool,
}

/// A graph from a file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The graph. Edge ids are positions in the input; an edge that the format stores twice counts
    /// once.
    pub graph: AnyGraph,
    /// Where the vertices lie, if the file says so.
    pub coordinates: Option<Coordinates>,
    /// The vertices' names, if asked for.
    pub names: Option<Vec<String>>,
    /// The format that it was in.
    pub format: Format,
    /// How it was compressed.
    pub compression: Compression,
    /// What the user should know of the reading, a sentence each: weights made up, edges skipped,
    /// columns left out.
    pub notes: Vec<String>,
    /// Those of the notes that may well mean a mistake: ids that no edge ends at.
    pub warnings: Vec<String>,
    /// The file that the graph borrows its arrays from, if it does: a `.kst` file that is mapped
    /// into memory.
    pub mapped: Option<MappedFile>,
}
