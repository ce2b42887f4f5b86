//! Where a graph comes from and how it is read: the meaning of [`InputArguments`].

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use kostra_gen::{Options, Recipe};
use kostra_io::{
    ArrayContent, ColumnChoice, ColumnOptions, Compression, Format, Header as FirstLine, Input,
    MappedFile, MissingWeights, Parsed, ReadError, ReadOptions, RoadOptions, Vertices,
};

use super::graph::{GraphSummary, InputGraph};
use crate::arguments::{ArrayChoice, InputArguments, NanChoice, WeightsChoice};
use crate::output;
use crate::progress::Stage;

/// The prefix of generated graphs.
pub(crate) const GENERATED: &str = "gen:";

/// Where a graph comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GraphSource {
    File(Input),
    Generator(String),
}

impl GraphSource {
    fn parse(name: &OsStr) -> Self {
        match name.to_str().and_then(|name| name.strip_prefix(GENERATED)) {
            Some(spec) => Self::Generator(spec.to_owned()),
            None => Self::File(file(name)),
        }
    }

    /// The file, if this is no generator.
    pub(crate) fn file(&self) -> Option<&Input> {
        match self {
            Self::File(input) => Some(input),
            Self::Generator(_) => None,
        }
    }
}

impl Display for GraphSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(input) => input.fmt(f),
            Self::Generator(spec) => write!(f, "{GENERATED}{spec}"),
        }
    }
}

/// The file that the user named; `-` is standard input.
pub(crate) fn file(name: &OsStr) -> Input {
    if name == "-" { Input::Stdin } else { Input::Path(Path::new(name).to_path_buf()) }
}

/// Where a graph comes from and how it is read.
#[derive(Debug)]
pub(crate) struct InputRequest {
    pub(crate) source: GraphSource,
    pub(crate) options: ReadOptions,
    pub(crate) threads: Threads,
}

/// The number of threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads {
    /// The number that the user typed, unless it is 0.
    pub(crate) asked: Option<usize>,
    /// The number that the machine runs at a time.
    pub(crate) present: usize,
}

impl Threads {
    pub(crate) fn resolve(argument: u16) -> Self {
        let present = kostra_core::granted_threads();
        Self { asked: (argument > 0).then_some(argument.into()), present }
    }

    /// The number of threads to start, at least 1.
    pub(crate) fn wanted(self) -> usize {
        self.asked.unwrap_or_else(kostra_core::default_threads)
    }
}

impl InputRequest {
    /// Resolves the arguments. `nan` applies unless the user typed `--nan`.
    pub(crate) fn resolve(arguments: InputArguments, nan: NanChoice) -> Self {
        let threads = Threads::resolve(arguments.threads);
        let options = ReadOptions {
            format: arguments.format.map(|(format, _)| format),
            raw: arguments.format.and_then(|(_, raw)| raw),
            missing_weights: arguments.weights.map(|weights| match weights {
                WeightsChoice::Unit => MissingWeights::Unit,
                WeightsChoice::Hash => MissingWeights::Hash,
                WeightsChoice::Distance => MissingWeights::Distance,
            }),
            nan: match arguments.nan.unwrap_or(nan) {
                NanChoice::Error => kostra_io::Nan::Error,
                NanChoice::Skip => kostra_io::Nan::Skip,
            },
            names: arguments.names,
            vertices: arguments.vertices.map_or(Vertices::Occurring, Vertices::Count),
            array: arguments.array.map(|array| match array {
                ArrayChoice::Matrix => ArrayContent::Matrix,
                ArrayChoice::Edges => ArrayContent::Edges,
            }),
            zeros: arguments.zeros,
            negatives: arguments.negatives,
            sheet: arguments.sheet,
            links: arguments.links,
            columns: ColumnOptions {
                source: arguments.source.map(ColumnChoice::NameOrPosition),
                target: arguments.target.map(ColumnChoice::NameOrPosition),
                weight: arguments.weight.map(ColumnChoice::NameOrPosition),
                id: arguments.id.map(ColumnChoice::NameOrPosition),
                keep: Vec::new(),
                names: arguments.columns,
                delimiter: arguments.delimiter,
                decimal_comma: arguments.decimal_comma,
                thousands: arguments.thousands,
                header: match (arguments.header, arguments.no_header) {
                    (true, _) => FirstLine::Present,
                    (false, true) => FirstLine::Absent,
                    (false, false) => FirstLine::Recognize,
                },
            },
            roads: RoadOptions { highway: arguments.highway, bbox: arguments.bbox },
            // A reader is no faster with more threads than the machine runs at a time.
            threads: threads.wanted().min(threads.present),
            copy: false,
            vertex_weights: false,
            terminals: false,
        };
        Self { source: GraphSource::parse(&arguments.input), options, threads }
    }

    /// The request with columns to keep.
    pub(crate) fn keeping(mut self, columns: Vec<String>) -> Self {
        let columns = columns.into_iter().map(ColumnChoice::NameOrPosition);
        self.options.columns.keep = columns.collect();
        self
    }

    /// The header of a Kostra file. Other formats have no header with all of this information.
    pub(crate) fn header(&self) -> Option<GraphSummary> {
        let GraphSource::File(Input::Path(path)) = &self.source else { return None };
        if self.options.missing_weights.is_some()
            || self.options.columns != ColumnOptions::default()
            || self.options.roads != RoadOptions::default()
            || matches!(self.options.vertices, Vertices::Count(_))
        {
            return None; // `load` refuses these options for a Kostra file
        }
        // `load` reports a file in another format or a damaged file.
        let file = kostra_io::open_kst(path).ok()?;
        Some(GraphSummary {
            vertices: file.vertices(),
            edges: file.edges(),
            weight_type: file.weight_type(),
            coordinates: file.has_coordinates(),
            names: file.has_names(),
            format: Some(Format::KST),
            storage: Format::KST.title().to_owned(),
            evidence: None,
        })
    }

    /// Reads or generates the graph.
    ///
    /// # Errors
    /// As [`kostra_io::read`] and [`kostra_gen::generate`].
    pub(crate) fn load(&self) -> anyhow::Result<InputGraph> {
        let start = Instant::now();
        let mut graph = match &self.source {
            GraphSource::File(input) => self.read(input)?,
            GraphSource::Generator(spec) => self.generate(spec)?,
        };
        graph.load = start.elapsed();
        Ok(graph)
    }

    fn read(&self, input: &Input) -> anyhow::Result<InputGraph> {
        let stage = Stage::start(&format!("reading {input}"));
        let loaded = kostra_io::read(input, &self.options, &|progress| {
            stage.bytes(progress.bytes, progress.of);
        })?;
        drop(stage);
        let graph = InputGraph::new(loaded.parsed, Some(loaded.format), loaded.compression);
        let graph = InputGraph {
            evidence: Some(loaded.evidence).filter(|shows| !shows.is_empty()),
            ..graph
        };
        output::warn(&graph.warnings);
        Ok(graph)
    }

    fn generate(&self, spec: &str) -> anyhow::Result<InputGraph> {
        self.refuse_options_of_files()?;
        let stage = Stage::start(&format!("generating {}", self.source));
        let progress = |done, total| stage.steps(done, total);
        let options = Options { threads: self.options.threads, progress: &progress };
        let generated = Recipe::new(spec)
            .and_then(|recipe| recipe.generate(&options))
            .with_context(|| self.source.to_string())?;
        let parsed = Parsed {
            coordinates: generated.coordinates,
            ..Parsed::new(generated.graph, Vec::new())
        };
        Ok(InputGraph::new(parsed, None, Compression::None))
    }

    /// Checks that the mapped file which holds the graph is unchanged. Results that were computed
    /// from a changed file are discarded.
    ///
    /// # Errors
    /// When the file was written to.
    pub(crate) fn refuse_changes(&self, graph: &InputGraph) -> Result<(), ReadError> {
        let result = graph.parsed.mapped.as_ref().map_or(Ok(()), MappedFile::check);
        result.map_err(|kind| ReadError { input: self.source.to_string(), place: None, kind })
    }

    /// Refuses options that apply to files only. For use with a generated graph.
    ///
    /// # Errors
    /// When the user typed such an option.
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
        if self.options.roads != RoadOptions::default() {
            anyhow::bail!(
                "{source}: `--highway` and `--bbox` apply to OpenStreetMap files; omit them"
            );
        }
        if matches!(self.options.vertices, Vertices::Count(_)) {
            anyhow::bail!("{source}: the generator knows its vertices; omit `--vertices`");
        }
        let ReadOptions { format, array, names, zeros, negatives, links, .. } = self.options;
        let has_other =
            zeros.or(negatives).is_some() || links.is_some() || self.options.sheet.is_some();
        if format.is_some() || array.is_some() || names || has_other {
            anyhow::bail!(
                "{source}: `--format`, `--array`, `--zeros`, `--negatives`, `--links`, `--sheet` \
                 and `--names` apply to files; omit them"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_files_from_generators_and_standard_input() {
        let source = |name: &str| GraphSource::parse(OsStr::new(name));
        assert_eq!(source("gen:road:n=5"), GraphSource::Generator("road:n=5".into()));
        assert_eq!(source("-"), GraphSource::File(Input::Stdin));
        assert_eq!(source("gen"), GraphSource::File(Input::Path("gen".into())));
        assert_eq!(source("gen:road:n=5").to_string(), "gen:road:n=5");
    }
}
