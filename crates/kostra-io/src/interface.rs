//! The types that formats and their users share. A format has a [`FormatInfo`]; its reader returns
//! [`Parsed`] or a [`Part`], and its writer takes [`Outgoing`].

use std::fmt::{self, Debug, Display};
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use kostra_core::{AnyGraph, WeightType};

use crate::compression::{Compression, Stream};
use crate::edge_blocks::EdgeSink;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::message::Message;
use crate::options::{
    ArrayContent, ColumnOptions, Links, Meaning, MissingWeights, Nan, RoadOptions, WeightRules,
};
pub use crate::outgoing::Outgoing;
pub use crate::parsed::Parsed;
use crate::raw_row::RawRow;
use crate::text_writer::TextWriter;

/// The description of a format, and its functions.
#[derive(Debug)]
pub struct FormatInfo {
    /// The name that users type.
    pub id: &'static str,
    /// The name in reports.
    pub title: &'static str,
    /// The extensions of files in this format, without the dot. An output with such an extension
    /// is written in this format.
    pub extensions: &'static [&'static str],
    /// What its files contain, in one line without a period.
    pub summary: &'static str,
    /// Whether a graph that is written and read back keeps the order of its edges.
    pub keeps_edge_order: bool,
    /// Whether edges have named attributes, one of which is chosen as the weight.
    pub has_attributes: bool,
    /// How strongly the start of an input shows this format.
    pub(crate) recognize: fn(&Head<'_>) -> Evidence,
    /// Reads a graph.
    pub(crate) read: fn(Stream<'_>, &ReadOptions) -> Result<Parsed, Fault>,
    /// Returns what writes a graph; the error is one sentence that says why the format cannot hold
    /// the graph, and which format can. `None` if Kostra does not write this format.
    pub(crate) write: Option<for<'a> fn(Outgoing<'a>) -> Result<Writer<'a>, String>>,
    /// Writes the edges of a graph that is not in memory. `None` if this format needs the whole
    /// graph.
    pub(crate) write_stream: Option<StreamWriter>,
    /// Opens one part of a file, or returns `None` for a file that has no parts. `None` if files
    /// in this format are only read as a whole.
    pub(crate) read_part: Option<OpenPart>,
    /// Reads the edges in blocks. `None` if files in this format are only read as a whole.
    pub(crate) read_blocks: Option<ReadBlocks>,
}

/// Reads the edges of a graph in blocks.
pub(crate) type ReadBlocks = fn(Stream<'_>, &ReadOptions, &mut EdgeSink<'_>) -> Result<(), Fault>;

/// Opens one part of a file, whose stream has not been read.
pub(crate) type OpenPart = for<'a> fn(
    &PartOfFile<'a>,
    Stream<'a>,
    &ReadOptions,
) -> Result<Option<Box<dyn PartContent>>, Fault>;

/// A file format: an entry of [`FORMATS`](crate::FORMATS).
#[derive(Clone, Copy)]
pub struct Format(&'static FormatInfo);

impl Format {
    /// The format with this description.
    pub(crate) const fn new(info: &'static FormatInfo) -> Self {
        Self(info)
    }

    /// Everything that is known about the format.
    pub const fn info(self) -> &'static FormatInfo {
        self.0
    }

    /// The name that users type.
    pub const fn id(self) -> &'static str {
        self.0.id
    }

    /// The name in reports.
    pub const fn title(self) -> &'static str {
        self.0.title
    }

    /// Whether Kostra writes the names of vertices in this format. Otherwise, numbers replace them.
    pub fn holds_names(self) -> bool {
        self.0.has_attributes || self == Self::KST
    }

    /// Whether Kostra writes this format.
    pub const fn is_writable(self) -> bool {
        self.0.write.is_some()
    }

    /// Whether a graph in this format can be read in blocks of edges (see
    /// [`stream_edges`](crate::stream_edges)).
    pub const fn is_streamed(self) -> bool {
        self.0.read_blocks.is_some()
    }

    /// Whether several processes can read a file in this format together, each a part of its edges
    /// (see [`PartReader`](crate::PartReader)).
    pub const fn is_read_in_parts(self) -> bool {
        self.0.read_part.is_some()
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Format {}

impl Hash for Format {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// How to read a graph.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; by default it is recognized by content.
    pub format: Option<Format>,
    /// The types of the values of a row, for [`Format::RAW`].
    pub raw: Option<RawRow>,
    /// The weights of a graph that has none; a graph with weights is refused. By default the
    /// weights of the input are used, and each edge of an input without weights has weight 1. An
    /// edge list with columns that may be weights is then refused.
    pub missing_weights: Option<MissingWeights>,
    /// What to do about NaN.
    pub nan: Nan,
    /// Whether the vertices of an edge list are names, numbered in order of first appearance. If
    /// `format` is `None`, an input that is in no other format is read as an edge list.
    pub names: bool,
    /// Which vertices an edge list of numbers has.
    pub vertices: Vertices,
    /// What an array of NumPy contains, if its shape allows both.
    pub array: Option<ArrayContent>,
    /// What zeros off the diagonal of a matrix are; by default a question if they may be distances.
    pub zeros: Option<Meaning>,
    /// What negative values of a matrix, or negative costs of pgRouting, are. By default they are
    /// weights of a matrix, and a question if all are one number that often means "no edge".
    pub negatives: Option<Meaning>,
    /// The sheet of a spreadsheet. By default, the only one that is not empty.
    pub sheet: Option<String>,
    /// How the edges of a JSON graph name their nodes. By default, a question if both ways fit.
    pub links: Option<Links>,
    /// Which columns of an edge list or a Parquet file contain what. In other formats with
    /// [attributes](FormatInfo::has_attributes), `weight` names the attribute that is the weight,
    /// and `id` and `keep` attributes that are kept with the edges; in GeoJSON also `feature`, the
    /// position of the feature, and `id`, its member. Other choices are refused in other formats.
    pub columns: ColumnOptions,
    /// Which roads of an OpenStreetMap file are read. `names` gives their vertices the ids of their
    /// nodes as names; kept columns are tags, or `way`.
    pub roads: RoadOptions,
    /// The number of threads; 0 means all.
    pub threads: usize,
    /// Whether a `.kst` file is copied into memory, so that the graph does not change with it. By
    /// default an uncompressed file is mapped; see [`open_kst`](crate::open_kst).
    pub copy: bool,
    /// Whether the weights of the vertices of a METIS file are kept, one per vertex at most.
    pub vertex_weights: bool,
    /// Whether the terminals of a SteinLib file are kept.
    pub terminals: bool,
}

/// The vertices of an edge list that does not state their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vertices {
    /// The numbers from 0 to the highest that occurs. Names need [`ReadOptions::names`].
    #[default]
    UpToHighest,
    /// Those that occur, also if they are words. Numbers with gaps become names. An edge list that
    /// is read in parts or in blocks has the numbers from 0 to the highest.
    Occurring,
    /// The numbers from 0 up to this number.
    Count(u32),
}

impl ReadOptions {
    /// The name of the first option that is used and says what entries of a matrix mean.
    pub(crate) fn first_of_matrix(&self) -> Option<&'static str> {
        let negatives = self.negatives.map(|_| "negatives");
        self.zeros.map_or(negatives, |_| Some("zeros"))
    }

    /// The name of the first option that is used and applies to arrays of rows.
    pub(crate) fn first_of_rows(&self) -> Option<&'static str> {
        self.array.map_or(self.first_of_matrix(), |_| Some("array"))
    }

    /// The number of threads to use: `threads`, or all that the system offers.
    pub(crate) fn thread_count(&self) -> usize {
        match self.threads {
            0 => kostra_core::default_threads(),
            threads => threads,
        }
    }
}

impl From<&ReadOptions> for WeightRules {
    fn from(options: &ReadOptions) -> Self {
        Self { missing: options.missing_weights, nan: options.nan }
    }
}

/// A graph from a file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the file contains.
    pub parsed: Parsed,
    /// The format of the file.
    pub format: Format,
    /// What shows that a text of rows is in this format; else empty.
    pub evidence: String,
    /// The compression of the file.
    pub compression: Compression,
}

/// Writes a graph that the format can hold.
pub(crate) type Writer<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// What is known of a graph before its edges are.
#[derive(Clone, Copy, Debug)]
pub struct StreamHeader {
    /// The number of vertices.
    pub vertices: u32,
    /// The number of edges.
    pub edges: u64,
    /// The type of the weights.
    pub weight_type: WeightType,
}

/// Receives consecutive edges: graphs with all vertices, and with the weight type of the header.
pub type TakeEdges<'a> = &'a mut dyn FnMut(&[AnyGraph]) -> io::Result<()>;

/// How a format writes edges that arrive in blocks.
#[derive(Debug)]
pub(crate) enum StreamWriter {
    /// As lines of text, after a first line.
    Lines(TextLines),
    /// Into a file, at the places that the header determines.
    File(for<'a> fn(&'a mut File, &StreamHeader) -> io::Result<Box<dyn FileSink + 'a>>),
}

/// A text with one line for each edge.
#[derive(Debug)]
pub(crate) struct TextLines {
    /// Writes the first line, which states the numbers of vertices and edges.
    pub(crate) first: fn(&mut TextWriter<'_>, u64, u64) -> io::Result<()>,
    /// Writes the lines of some edges.
    pub(crate) lines: fn(&mut TextWriter<'_>, &AnyGraph) -> io::Result<()>,
}

impl TextLines {
    /// Writes a graph in memory.
    pub(crate) fn write(&self, graph: &AnyGraph, to: &mut dyn Write) -> io::Result<()> {
        let mut text = TextWriter::new(to);
        (self.first)(&mut text, graph.vertices().into(), graph.edges() as u64)?;
        (self.lines)(&mut text, graph)?;
        text.finish()
    }
}

/// A file that is filled in several places.
pub(crate) trait FileSink {
    /// Adds edges after those before.
    fn add(&mut self, edges: &AnyGraph) -> io::Result<()>;
    /// Completes the file, which has all edges.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A part of a graph: all its vertices, and a range of its edges.
#[derive(Clone, Debug)]
pub struct Part {
    /// The vertices of the whole graph, and the edges of the part.
    pub graph: AnyGraph,
    /// The id of its first edge.
    pub first: u64,
    /// The format of the file.
    pub format: Format,
    /// As [`Parsed::notes`].
    pub notes: Vec<Message>,
    /// As [`Parsed::similarity`].
    pub similarity: Option<String>,
    /// The lowest vertex id in any part, if the file does not state the number of vertices. Then
    /// the vertices are the ids from 0 to the highest in any part, and ids in no part are isolated
    /// vertices.
    pub lowest_id: Option<u64>,
}

/// Which part of a file is read: part `part` of `parts`, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartOfFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) part: usize,
    pub(crate) parts: usize,
}

/// How a format reads one part of a file; see [`PartReader`](crate::PartReader).
pub(crate) trait PartContent: Debug + Send + Sync {
    /// Reads the part, and returns the words that the other parts need to complete theirs. Faults
    /// of the content are not returned here but by [`finish`](Self::finish).
    fn survey(&mut self, options: &ReadOptions) -> Result<Vec<u64>, Fault>;

    /// The bytes of the file that the part depends on; `head` are the bytes that were read to
    /// recognize the format and to open the part.
    fn dependencies(&self, head: Range<u64>) -> Vec<Range<u64>>;

    /// Completes the part with the surveys of all parts, in order.
    fn finish(self: Box<Self>, surveys: &[&[u64]], options: &ReadOptions) -> Result<Part, Fault>;
}
