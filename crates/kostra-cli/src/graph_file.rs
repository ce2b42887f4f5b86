//! Files of graphs, as `convert` and `generate` write them.

use std::io;
use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kostra::forest_file::ForestFormat;
use kostra_core::{EdgeId, memory, shown};
use kostra_io::{FORMATS, Format, Output, StreamHeader};

use kostra_gen::{Options, Recipe, StreamError};

use crate::forest_file::{self, Destination};
use crate::input::{InputGraph, InputRequest};
use crate::output;
use crate::progress::Stage;
use crate::report::{count, duration};

/// The formats of tables and maps, by their extensions. A forest has them, too.
const TABLES: [&str; 3] = ["csv", "tsv", "geojson"];

/// A format of `--to`.
#[derive(Clone, Copy)]
pub(crate) enum To {
    Graph(Format),
    /// All edges, as a forest of them would be written.
    Edges(ForestFormat),
}

impl To {
    /// The format with this id, if Kostra writes it.
    fn by_id(id: &str) -> Option<Self> {
        if TABLES.contains(&id) {
            return ForestFormat::by_extension(id).map(Self::Edges);
        }
        id.parse().ok().filter(|format: &Format| format.is_writable()).map(Self::Graph)
    }

    /// The format of files with this extension.
    fn by_extension(extension: &str) -> Option<Self> {
        let has = |format: &Format| format.info().extensions.contains(&extension);
        let graph = || FORMATS.iter().copied().filter(|format| format.is_writable()).find(has);
        Self::by_id(extension).or_else(|| graph().map(Self::Graph))
    }

    fn ids() -> impl Iterator<Item = &'static str> {
        let graphs = FORMATS.iter().copied().filter(|format| format.is_writable()).map(Format::id);
        graphs.chain(TABLES)
    }

    /// Parses an id. Errors, help texts and completions list the ids.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        PossibleValuesParser::new(Self::ids()).try_map(|id| Self::by_id(&id).ok_or("no format"))
    }
}

/// What is written.
pub(crate) enum Target {
    Graph(Output, Format),
    Edges(Destination),
}

impl Target {
    /// The target for the path that the user typed. Without `asked`, the file's extension decides
    /// the format.
    ///
    /// # Errors
    /// When the extension belongs to no format, or the output certainly cannot be written.
    pub(crate) fn resolve(path: &Path, asked: Option<To>) -> anyhow::Result<Self> {
        let extension = kostra_io::extension(path).unwrap_or_default();
        match asked.or_else(|| To::by_extension(&extension)) {
            Some(To::Graph(format)) => {
                let output = output::parse_path(path);
                output.check()?;
                Ok(Self::Graph(output, format))
            }
            Some(To::Edges(format)) => Destination::resolve(path, Some(format)).map(Self::Edges),
            None => {
                let fault = match output::parse_path(path) {
                    Output::Path(path) => {
                        format!("{}: no format that Kostra writes has this extension", shown(&path))
                    }
                    _ => "standard output has no file extension".to_owned(),
                };
                let ids: Vec<_> = To::ids().collect();
                bail!("{fault}; pass `--to` with one of {}", ids.join(", "))
            }
        }
    }

    pub(crate) fn output(&self) -> &Output {
        match self {
            Self::Graph(output, _) => output,
            Self::Edges(destination) => &destination.output,
        }
    }

    /// Whether the file holds columns that are kept with the edges.
    pub(crate) fn keeps_columns(&self) -> bool {
        match self {
            Self::Graph(_, format) => format.info().has_attributes,
            Self::Edges(_) => true,
        }
    }
}

/// Writes a graph that was loaded, with the coordinates and names that the format can hold. Returns
/// the report; it belongs on standard error, because the graph may go to standard output.
///
/// # Errors
/// When the input is at fault, the output cannot be written, or the format cannot hold the graph.
pub(crate) fn write(
    request: &InputRequest,
    input: &InputGraph,
    target: &Target,
) -> anyhow::Result<String> {
    match target {
        Target::Graph(output, format) => write_graph(request, input, output, *format),
        Target::Edges(destination) => write_edges(request, input, destination),
    }
}

/// Warns if the vertices have names, and a format has numbers in their place. Returns the warning.
pub(crate) fn warn_of_names(input: &InputGraph, format: Format) -> Option<String> {
    (input.parsed.names.is_some() && !format.holds_names()).then(|| {
        let title = format.title();
        output::warned(format!(
            "the format {title} has numbers in place of the names; .csv, .kst and .graphml keep the names"
        ))
    })
}

fn write_graph(
    request: &InputRequest,
    input: &InputGraph,
    to: &Output,
    format: Format,
) -> anyhow::Result<String> {
    let start = Instant::now();
    {
        let _stage = Stage::start(&format!("writing {to}"));
        let result = output::write(to, format, (&input.parsed).into());
        // If the input changed, this error comes first: it names the input, and the other the
        // output.
        request.refuse_changes(input)?;
        result?;
    }
    warn_of_names(input, format);
    Ok(report(input, to, format.title(), start))
}

/// Writes all edges of a graph as [`forest_file::write`] does.
fn write_edges(
    request: &InputRequest,
    input: &InputGraph,
    destination: &Destination,
) -> anyhow::Result<String> {
    let start = Instant::now();
    {
        let _stage = Stage::start(&format!("writing {}", destination.output));
        let ids = memory::collected(0..input.parsed.graph.edges() as EdgeId)?;
        let result = forest_file::write(destination, input, &ids);
        request.refuse_changes(input)?;
        result?;
    }
    Ok(report(input, &destination.output, destination.format.title(), start))
}

/// What the input was, and what was written since `start`.
fn report(input: &InputGraph, to: &Output, title: &str, start: Instant) -> String {
    let vertices = count(input.parsed.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.parsed.graph.edges() as u64, "edge", "edges");
    let (load, write) = (duration(input.load), duration(start.elapsed()));
    let notes = input.notes.iter().filter(|note| !input.warnings.contains(note));
    let notes: String = notes.map(|note| format!("note: {note}\n")).collect();
    format!("{notes}{to}: {title}, {vertices}, {edges} (load {load}, write {write})\n")
}

/// Generates a graph into a file, without holding it. Returns the report.
///
/// # Errors
/// When the graph cannot be made, or the output cannot be written.
pub(crate) fn stream(recipe: &Recipe, to: &Output, format: Format) -> anyhow::Result<String> {
    let start = Instant::now();
    let edges = {
        let stage = Stage::start("counting edges");
        let progress = |done, total| stage.steps(done, total);
        recipe.count_edges(&Options { progress: &progress, ..Options::default() })?
    };
    let (vertices, weight_type) = recipe.header();
    let header = StreamHeader { vertices, edges, weight_type };
    {
        let stage = Stage::start(&format!("generating {to}"));
        let progress = |done, total| stage.steps(done, total);
        let options = Options { progress: &progress, ..Options::default() };
        output::write_stream(to, format, &header, |take| {
            recipe.stream(&options, take).map_err(|error| match error {
                StreamError::Write(cause) => cause,
                error => io::Error::other(error),
            })
        })?;
    }
    let vertices = count(vertices.into(), "vertex", "vertices");
    let (edges, time) = (count(edges, "edge", "edges"), duration(start.elapsed()));
    Ok(format!("{to}: {}, {vertices}, {edges} (generate and write {time})\n", format.title()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_extension_needs_the_option_to() {
        let resolve = |path: &str, asked| Target::resolve(Path::new(path), asked);
        let graph = |path, asked| match resolve(path, asked) {
            Ok(Target::Graph(_, format)) => Some(format),
            _ => None,
        };
        assert_eq!(graph("a.mtx", None), Some(Format::MATRIX_MARKET));
        assert_eq!(graph("a.mtx", To::by_id("kst")), Some(Format::KST));
        assert!(matches!(resolve("a.csv.gz", None), Ok(Target::Edges(_))));
        assert!(matches!(resolve("-", To::by_id("tsv")), Ok(Target::Edges(_))));
        for path in ["a.txt", "-", "a.osm.pbf"] {
            let fault = resolve(path, None).err().map(|fault| fault.to_string());
            assert!(fault.is_some_and(|fault| fault.contains("--to")), "{path}");
        }
    }
}
