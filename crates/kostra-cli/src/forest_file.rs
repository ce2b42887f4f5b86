//! Files of forests on the command line.

use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kostra::forest_file::{ForestFileError, ForestFormat};
use kostra::picture::PictureFormat;
use kostra_core::{EdgeId, shown};
use kostra_io::{Format, Input, Outgoing, Output, ReadError};
use serde::Serialize;

use crate::input::{InputGraph, InputRequest};
use crate::{output, report};

/// Parses the name of a format. Errors, help texts and completions list the names.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = ForestFormat> {
    let value = |format: ForestFormat| PossibleValue::new(format.id()).help(format.summary());
    PossibleValuesParser::new(ForestFormat::ALL.map(value))
        .try_map(|id| ForestFormat::by_id(&id).ok_or("no format"))
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
    pub(crate) fn resolve(path: &Path, asked: Option<ForestFormat>) -> anyhow::Result<Self> {
        let format = asked.map_or_else(|| ForestFormat::by_path(path), Ok).map_err(|error| {
            let fault = match PictureFormat::by_path(path) {
                Err(_) => error.to_string(),
                Ok(_) => {
                    let (path, extensions) = (shown(path), ForestFormat::all_extensions());
                    format!("{path}: `kostra draw` writes pictures; use one of {extensions}")
                }
            };
            let ids = ForestFormat::all_ids();
            anyhow::anyhow!("{fault}, or pass `--output-format` with one of {ids}")
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

/// How a command writes edges of its graph, and how it reports. `--output`, with the command's own
/// help, is an argument of the command.
#[derive(Args)]
pub(crate) struct OutputArguments {
    /// Columns or attributes of edges to carry along into the output; `all` for all
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', requires = "output")]
    keep: Vec<String>,

    /// The format of the output [default: by the file's extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), requires = "output")]
    output_format: Option<ForestFormat>,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print no report
    #[arg(long, short, requires = "output", conflicts_with = "json")]
    quiet: bool,
}

impl OutputArguments {
    /// Resolves the path of `--output`, and lets `input` read the columns to keep.
    ///
    /// # Errors
    /// As [`Destination::resolve`], and when the format does not hold the columns.
    pub(crate) fn resolve(
        &self,
        path: Option<&Path>,
        input: InputRequest,
    ) -> anyhow::Result<(InputRequest, Option<Destination>)> {
        let to = path.map(|path| Destination::resolve(path, self.output_format)).transpose()?;
        let columns = !self.keep.is_empty() || input.options.columns.id.is_some();
        if let Some(to) = to.as_ref().filter(|to| columns && !to.format.keeps_columns()) {
            anyhow::bail!(
                "{}: this format does not hold the columns of `--keep` and `--id`; write .csv, \
                 .tsv, .parquet, .geojson, .graphml, .json or .dot",
                to.output
            );
        }
        Ok((input.keeping(self.keep.clone()), to))
    }

    /// Prints the report: `record` as JSON, or `sheet` for people.
    ///
    /// # Errors
    /// When a number cannot be written as JSON, or the report cannot be printed.
    pub(crate) fn report(
        &self,
        to: Option<&Destination>,
        record: &impl Serialize,
        sheet: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let text = if self.json { report::json(record)? } else { sheet() };
        output::report(&text, to.map(|to| &to.output))
    }
}

/// Writes the forest of these edges of a graph.
///
/// # Errors
/// When the output fails, the input's file has changed, or the format cannot hold the graph.
pub(crate) fn write(to: &Destination, input: &InputGraph, ids: &[EdgeId]) -> anyhow::Result<()> {
    match kostra::forest_file::write(&to.output, to.format, (&input.parsed).into(), ids) {
        Err(error @ ForestFileError::EqualColumns { .. }) => {
            let remedy = if input.format == Some(Format::EDGE_LIST) {
                "give the kept column another name with `--columns`"
            } else {
                "rename the one in the input, or do not keep it"
            };
            anyhow::bail!("{error}; {remedy}")
        }
        written => allow_early_end(&to.output, written),
    }
}

/// Writes the forest that has all edges of a graph, whose ids in the input are `ids`.
///
/// # Errors
/// When the output fails, or the format cannot hold the graph.
pub(crate) fn write_all(to: &Destination, forest: Outgoing<'_>, ids: &[u64]) -> anyhow::Result<()> {
    let written = kostra::forest_file::write_all(&to.output, to.format, forest, ids);
    allow_early_end(&to.output, written)
}

/// A reader of a standard stream may close its end.
pub(crate) fn allow_early_end(
    output: &Output,
    written: Result<(), ForestFileError>,
) -> anyhow::Result<()> {
    match written {
        Err(ForestFileError::Write(error)) => Ok(output::allow_early_end(output, Err(error))?),
        written => Ok(written?),
    }
}

/// Reads the edge ids of a forest of `input`, and sorts them.
///
/// # Errors
/// When the file cannot be read, or is a forest of another graph.
pub(crate) fn read(file: &Input, input: &InputGraph) -> Result<Vec<EdgeId>, ReadError> {
    kostra::forest_file::read(file, &input.parsed.graph, input.parsed.names.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_the_format_or_is_refused() {
        let resolve = |path: &str, asked| Destination::resolve(Path::new(path), asked);
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
