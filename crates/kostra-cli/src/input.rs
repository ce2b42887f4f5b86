//! Graphs from wherever the user says: a file, standard input, or a generator.

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use kostra::io::{
    ColumnChoice, ColumnOptions, Compression, Format, Header as FirstLine, Input, MappedFile,
    MissingWeights, ReadError, ReadOptions, Terms,
};
use kostra::{AnyGraph, Coordinates, WeightType};

use crate::args::{InputArgs, Nan, Weights};
use crate::output;
use crate::progress::Stage;

/// What the name of a generated graph starts with.
pub(crate) const GENERATED: &str = "gen:";

/// Where a graph comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    File(Input),
    Generator(String),
}

impl Source {
    fn of(name: &OsStr) -> Self {
        match name.to_str().and_then(|name| name.strip_prefix(GENERATED)) {
            Some(spec) => Self::Generator(spec.to_owned()),
            None => Self::File(file(name)),
        }
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(input) => input.fmt(f),
            Self::Generator(spec) => write!(f, "{GENERATED}{spec}"),
        }
    }
}

/// The file that a user means: `-` is standard input.
pub(crate) fn file(name: &OsStr) -> Input {
    if name == "-" { Input::Stdin } else { Input::Path(Path::new(name).to_path_buf()) }
}

/// Where a graph comes from, and how it is read: what [`InputArgs`] mean.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) source: Source,
    pub(crate) options: ReadOptions,
    pub(crate) threads: Threads,
}

/// How many threads to use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads {
    /// How many, at least 1.
    pub(crate) wanted: usize,
    /// How many the machine has.
    pub(crate) present: usize,
}

impl Threads {
    fn of(argument: u16) -> Self {
        let present = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let wanted = if argument == 0 { present } else { argument.into() };
        Self { wanted, present }
    }
}

/// A graph, and what became known on the way.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) graph: AnyGraph,
    pub(crate) coordinates: Option<Coordinates>,
    pub(crate) names: Option<Vec<String>>,
    /// The format it was in, unless it was made to order.
    pub(crate) format: Option<Format>,
    pub(crate) compression: Compression,
    pub(crate) notes: Vec<String>,
    /// Those of the notes that have been told on standard error.
    pub(crate) warnings: Vec<String>,
    /// The file that the graph borrows from, if it does.
    pub(crate) mapped: Option<MappedFile>,
    pub(crate) load: Duration,
}

impl Request {
    /// What the arguments mean; edges whose weights are not numbers are treated as `nan` says,
    /// unless they say.
    pub(crate) fn resolve(args: InputArgs, nan: Nan) -> Self {
        let threads = Threads::of(args.threads);
        let column = |name: Option<String>| name.map(ColumnChoice::NameOrPosition);
        let header = match (args.header, args.no_header) {
            (true, _) => FirstLine::Present,
            (false, true) => FirstLine::Absent,
            (false, false) => FirstLine::Recognize,
        };
        let options = ReadOptions {
            format: args.format,
            missing_weights: args.weights.map(|weights| match weights {
                Weights::Unit => MissingWeights::Unit,
                Weights::Hash => MissingWeights::Hash,
                Weights::Distance => MissingWeights::Distance,
            }),
            nan: match args.nan.unwrap_or(nan) {
                Nan::Error => kostra::io::Nan::Error,
                Nan::Skip => kostra::io::Nan::Skip,
            },
            names: args.names,
            columns: ColumnOptions {
                source: column(args.source),
                target: column(args.target),
                weight: column(args.weight),
                header,
            },
            terms: Terms::Command,
            // Readers gain nothing from more threads than there are.
            threads: threads.wanted.min(threads.present),
            copy: false,
        };
        Self { source: Source::of(&args.input), options, threads }
    }

    /// What the graph says of itself, if it does so in one place: in Kostra's own form.
    pub(crate) fn header(&self) -> Option<Header> {
        let Source::File(Input::Path(path)) = &self.source else { return None };
        if self.options.missing_weights.is_some()
            || self.options.columns != ColumnOptions::default()
        {
            return None; // such a file is refused
        }
        // A file that is not in this form, or damaged, is told of when it is read whole.
        let file = kostra::io::open_kst(path).ok()?;
        Some(Header {
            vertices: file.vertices(),
            edges: file.edges(),
            weight_type: file.weight_type(),
            coordinates: file.has_coordinates(),
            names: file.has_names(),
            storage: Format::KST.title().to_owned(),
        })
    }

    /// Reads or makes the graph.
    ///
    /// # Errors
    /// As [`kostra::io::read`] and [`kostra::generate::generate`].
    pub(crate) fn load(&self) -> anyhow::Result<Graph> {
        let start = Instant::now();
        let mut graph = match &self.source {
            Source::File(input) => {
                let stage = Stage::start(&format!("reading {input}"));
                let loaded = kostra::io::read(input, &self.options, &|progress| {
                    stage.bytes(progress.bytes, progress.of);
                })?;
                drop(stage);
                warn(&loaded.warnings);
                Graph {
                    graph: loaded.graph,
                    coordinates: loaded.coordinates,
                    names: loaded.names,
                    format: Some(loaded.format),
                    compression: loaded.compression,
                    notes: loaded.notes,
                    warnings: loaded.warnings,
                    mapped: loaded.mapped,
                    load: Duration::ZERO,
                }
            }
            Source::Generator(spec) => {
                self.refuse_options_of_files()?;
                let _stage = Stage::start(&format!("making {GENERATED}{spec}"));
                let made =
                    kostra::generate::generate(spec).with_context(|| self.source.to_string())?;
                Graph {
                    graph: made.graph,
                    coordinates: made.coordinates,
                    names: None,
                    format: None,
                    compression: Compression::None,
                    notes: Vec::new(),
                    warnings: Vec::new(),
                    mapped: None,
                    load: Duration::ZERO,
                }
            }
        };
        graph.load = start.elapsed();
        Ok(graph)
    }

    /// Refuses what was computed from a graph that has changed since it was loaded, because it is
    /// in a mapped file.
    ///
    /// # Errors
    /// When the file was written to.
    pub(crate) fn refuse_changes(&self, graph: &Graph) -> Result<(), ReadError> {
        let result = graph.mapped.as_ref().map_or(Ok(()), MappedFile::check);
        result.map_err(|kind| ReadError { input: self.source.to_string(), place: None, kind })
    }

    /// Refuses the options that only graphs from files have, for a graph that is made to order.
    ///
    /// # Errors
    /// When one of them is used.
    pub(crate) fn refuse_options_of_files(&self) -> anyhow::Result<()> {
        let source = &self.source;
        if self.options.missing_weights.is_some() {
            anyhow::bail!("{source}: the graph has weights; omit `--weights` to use them");
        }
        if self.options.columns != ColumnOptions::default() {
            anyhow::bail!(
                "{source}: a generated graph has no columns; omit the options that name columns"
            );
        }
        Ok(())
    }
}

/// Tells on standard error what may well be a mistake.
pub(crate) fn warn(warnings: &[String]) {
    warnings.iter().for_each(|warning| output::tell(&format!("warning: {warning}\n")));
}

/// What a graph says of itself before its edges are looked at.
pub(crate) struct Header {
    pub(crate) vertices: u32,
    pub(crate) edges: usize,
    pub(crate) weight_type: WeightType,
    pub(crate) coordinates: bool,
    pub(crate) names: bool,
    /// What it is stored as, for people.
    pub(crate) storage: String,
}

impl Graph {
    pub(crate) fn header(&self) -> Header {
        Header {
            vertices: self.graph.vertices(),
            edges: self.graph.edges(),
            weight_type: self.graph.weight_type(),
            coordinates: self.coordinates.is_some(),
            names: self.names.is_some(),
            storage: self.storage(),
        }
    }

    /// What the graph was stored as, for people: `DIMACS, gzip`.
    pub(crate) fn storage(&self) -> String {
        storage(self.format, self.compression)
    }

    /// What the graph was stored as, for programs.
    pub(crate) fn format_id(&self) -> &'static str {
        self.format.map_or("gen", Format::id)
    }
}

/// What a graph was stored as, for people: `DIMACS, gzip`.
pub(crate) fn storage(format: Option<Format>, compressed: Compression) -> String {
    match (format, compression(compressed)) {
        (None, _) => "generated".to_owned(),
        (Some(format), None) => format.title().to_owned(),
        (Some(format), Some(compression)) => format!("{}, {compression}", format.title()),
    }
}

/// The name of a compression, if it is one.
fn compression(compression: Compression) -> Option<&'static str> {
    match compression {
        Compression::None => None,
        Compression::Gzip => Some("gzip"),
        Compression::Xz => Some("xz"),
        Compression::Zstd => Some("zstd"),
        Compression::Bzip2 => Some("bzip2"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_files_from_generators_and_standard_input() {
        let source = |name: &str| Source::of(OsStr::new(name));
        assert_eq!(source("gen:road:n=5"), Source::Generator("road:n=5".into()));
        assert_eq!(source("-"), Source::File(Input::Stdin));
        assert_eq!(source("gen"), Source::File(Input::Path("gen".into())));
        assert_eq!(source("gen:road:n=5").to_string(), "gen:road:n=5");
    }
}
