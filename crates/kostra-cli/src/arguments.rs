//! Arguments that several commands share, as the user typed them.

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command, Error, ValueEnum, ValueHint};
use kostra_io::{BoundingBox, Delimiter, FORMATS, Format, Links, Meaning, RawRow, parse_format};

use crate::memory_limit::MemoryArguments;

/// The source of a graph, and how to read it. [`Request`](crate::input::Request) is what they mean.
#[derive(Args, Default)]
pub(crate) struct InputArguments {
    /// A file, `-` for standard input, or a generated graph: gen:NAME:key=value,...
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) input: OsString,

    /// The format of the input, or `raw:` and the types of the values in a row of binary numbers,
    /// such as raw:u32,u32,f32 [default: recognized by the content]
    #[arg(long, value_parser = FormatParser)]
    pub(crate) format: Option<InputFormat>,

    /// Weights for an input without weights: 1 for each edge, a hash of the endpoints, or the
    /// distance between the endpoints [default: 1 for each edge]
    #[arg(long, value_enum)]
    pub(crate) weights: Option<WeightsChoice>,

    /// The column of an edge list that holds the first endpoints: its name, or its position
    /// counted from 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) source: Option<String>,

    /// The column of an edge list that holds the second endpoints
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,

    /// The column of an edge list, or the attribute of the edges in other formats, that holds the
    /// weights
    #[arg(long, value_name = "COLUMN", conflicts_with = "weights")]
    pub(crate) weight: Option<String>,

    /// The column of an edge list, or the attribute of the edges in other formats, that holds the
    /// ids of the edges: it is no weight, and output that holds columns keeps it. In GeoJSON also
    /// `feature`, the position of the feature, or `id`, its member
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,

    /// The names of all columns of an edge list, in order, instead of those of a header
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) columns: Option<Vec<String>>,

    /// What separates the columns of an edge list: a character, tab, or blanks [default: recognized
    /// by the content]
    #[arg(long, value_name = "CHARACTER", allow_hyphen_values = true)]
    pub(crate) delimiter: Option<Delimiter>,

    /// The weights of an edge list have a decimal comma
    #[arg(long)]
    pub(crate) decimal_comma: bool,

    /// The weights of an edge list have signs between thousands: blanks, apostrophes, underscores,
    /// or commas; with `--decimal-comma` points
    #[arg(long)]
    pub(crate) thousands: bool,

    /// The first line of an edge list names the columns
    #[arg(long)]
    pub(crate) header: bool,

    /// The first line of an edge list is an edge
    #[arg(long, conflicts_with = "header")]
    pub(crate) no_header: bool,

    /// The roads of an OpenStreetMap file: values of the tag `highway` [default: all roads]
    #[arg(long, value_name = "VALUE,...", value_delimiter = ',')]
    pub(crate) highway: Vec<String>,

    /// Only the nodes of an OpenStreetMap file in this box, in degrees
    #[arg(long, value_name = "W,S,E,N", allow_hyphen_values = true)]
    pub(crate) bbox: Option<BoundingBox>,

    /// What to do with edges whose weight is NaN [default: error; `info` skips the edges]
    #[arg(long, value_enum)]
    pub(crate) nan: Option<NanChoice>,

    /// Treat the vertices of an edge list as names [default: if they are words]; name the vertices
    /// of an OpenStreetMap file by the ids of their nodes
    #[arg(long)]
    pub(crate) names: bool,

    /// The number of vertices of an edge list, which are the numbers from 0 [default: the vertices
    /// that occur; with several ranks the numbers up to the highest]
    #[arg(long, value_name = "N", conflicts_with = "names")]
    pub(crate) vertices: Option<u32>,

    /// What an array of NumPy with as many rows as columns contains: a matrix of weights, or edges
    #[arg(long, value_enum)]
    pub(crate) array: Option<ArrayChoice>,

    /// What zeros off the diagonal of a matrix are: edge, for distances of identical things, or
    /// none [default: Kostra asks]
    #[arg(long, value_name = "MEANING")]
    pub(crate) zeros: Option<Meaning>,

    /// What negative entries of a matrix and negative costs are: edge, or none for no edge
    /// [default: edge; Kostra asks if all are one number such as -1]
    #[arg(long, value_name = "MEANING")]
    pub(crate) negatives: Option<Meaning>,

    /// The sheet of a spreadsheet [default: the only one that is not empty]
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,

    /// How the edges of a JSON graph name their nodes: by id, or by position from 0 [default:
    /// Kostra asks where both are possible]
    #[arg(long, value_name = "WAY")]
    pub(crate) links: Option<Links>,

    /// The number of threads; 0 uses KOSTRA_NUM_THREADS, or all threads of the machine
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(..=i64::from(MOST_THREADS)),
    )]
    pub(crate) threads: u16,
}

impl InputArguments {
    /// Refuses options that say how a graph is read, for an input that is none.
    ///
    /// # Errors
    /// When the user typed such an option.
    pub(crate) fn refuse_options_of_graphs(&self) -> anyhow::Result<()> {
        let has_column = [&self.source, &self.target, &self.weight, &self.id];
        let has_column = has_column.into_iter().any(Option::is_some);
        let has_choice = self.format.is_some() || self.weights.is_some() || self.nan.is_some();
        let has_meaning = self.zeros.or(self.negatives).is_some() || self.array.is_some();
        let has_vertices = self.names || self.vertices.is_some() || self.links.is_some();
        let has_roads = !self.highway.is_empty() || self.bbox.is_some();
        let has_text = self.delimiter.is_some() || self.decimal_comma || self.thousands;
        let has_any = [has_column, has_choice, has_meaning, has_vertices, has_roads, has_text];
        if has_any.contains(&true) {
            anyhow::bail!("an option says how a graph is read, and the input is none; omit it");
        }
        Ok(())
    }
}

/// The source of a graph that the command holds in memory.
#[derive(Args)]
pub(crate) struct LimitedInput {
    #[command(flatten)]
    input: InputArguments,

    #[command(flatten)]
    memory: MemoryArguments,
}

impl LimitedInput {
    /// Limits the memory of the process, and returns the source.
    ///
    /// # Errors
    /// As [`MemoryArguments::apply`].
    pub(crate) fn apply(self) -> anyhow::Result<InputArguments> {
        self.memory.apply()?;
        Ok(self.input)
    }
}

/// More threads than any machine has processors. It keeps a typing error from starting tens of
/// thousands of threads.
const MOST_THREADS: u16 = 4096;

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum WeightsChoice {
    Unit,
    Hash,
    Distance,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum NanChoice {
    Error,
    Skip,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ArrayChoice {
    Matrix,
    Edges,
}

/// A format, and the types of a row of raw binary.
pub(crate) type InputFormat = (Format, Option<RawRow>);

/// Parses the id of a format, or `raw:` and types. Errors, help texts and completions list the ids.
#[derive(Clone)]
struct FormatParser;

impl FormatParser {
    fn ids() -> PossibleValuesParser {
        PossibleValuesParser::new(FORMATS.iter().copied().map(Format::id))
    }
}

impl TypedValueParser for FormatParser {
    type Value = InputFormat;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<InputFormat, Error> {
        if value.as_encoded_bytes().starts_with(b"raw:") {
            return parse_format.parse_ref(command, argument, value);
        }
        let id = Self::ids().parse_ref(command, argument, value)?;
        parse_format.parse_ref(command, argument, OsStr::new(&id))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<_> = Self::ids().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}
