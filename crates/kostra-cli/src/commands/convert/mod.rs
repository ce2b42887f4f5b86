//! `kostra convert`: writes a graph in another format, or with other numbers of the vertices.

mod reorder;

use std::path::PathBuf;

use clap::{Parser, ValueHint};

use crate::arguments::{InputArguments, NanChoice};
use crate::command::{Answer, Command};
use crate::graph_file::{self, Target, To};
use crate::input::InputRequest;
use crate::{file_roles, output};
use reorder::{Reorder, ReorderArguments};

/// Write a graph in another format.
#[derive(Parser)]
#[command(
    name = "convert",
    after_help = "\
Examples:
  kostra convert roads.gr.gz roads.kst           roads.kst opens in milliseconds
  kostra convert mesh.graph mesh.mtx --weights hash
  kostra convert roads.graphml roads.csv --keep name,lanes
  kostra convert roads.kst - --to gr | zstd > roads.gr.zst
  kostra convert roads.gr.gz roads.kst --reorder bfs
  kostra convert roads.gr new.gr --reorder bfs --map old-numbers.txt

With --reorder, neighbors get near numbers, and solvers may be faster. Edges keep
their order, so a format that keeps it gives the same forest, with the same edge
ids. The old numbers are not lost: a .kst file keeps names, and a vertex without
a name gets its old number as its name. Other formats need --map."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// The file to write; `-` for standard output
    #[arg(value_hint = ValueHint::FilePath)]
    output: PathBuf,

    /// The format to write [default: by the extension of the output]
    #[arg(long, value_name = "FORMAT", value_parser = To::parser())]
    to: Option<To>,

    /// Columns of an edge list or a Parquet file, by name or position, attributes of edges in other
    /// formats, or `all`, to carry along into output as edges, CSV, Parquet, GeoJSON, GraphML, JSON
    /// or DOT
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    keep: Vec<String>,

    /// Print no report
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    reorder: ReorderArguments,
}

/// What the arguments mean.
struct Plan {
    input: InputRequest,
    target: Target,
    reorder: Option<Reorder>,
    quiet: bool,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let input =
            InputRequest::resolve(arguments.input, NanChoice::Error).keeping(arguments.keep);
        let quiet = arguments.quiet;
        let target = Target::resolve(&arguments.output, arguments.to)?;
        let output = target.output();
        let columns = &input.options.columns;
        if (columns.id.is_some() || !columns.keep.is_empty()) && !target.keeps_columns() {
            let option = if columns.id.is_some() { "--id" } else { "--keep" };
            anyhow::bail!("{output}: this format holds no columns; omit `{option}`, or write .csv");
        }
        let reorder = match &target {
            Target::Graph(_, format) => Reorder::resolve(arguments.reorder, output, *format)?,
            Target::Edges(_) if arguments.reorder.is_used() => {
                anyhow::bail!("{output}: `--reorder` needs the format of a graph; write .kst")
            }
            Target::Edges(_) => None,
        };
        let (partition, map) = reorder.as_ref().map(Reorder::files).unwrap_or_default();
        file_roles::check(
            &[("input", input.source.file()), ("partition", partition)],
            &[("graph", Some(output)), ("old numbers", map)],
        )?;
        Ok(Self { input, target, reorder, quiet })
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        let mut graph = plan.input.load()?;
        if let Some(reorder) = &plan.reorder {
            reorder.apply(&plan.input, &mut graph)?;
        }
        let report = graph_file::write(&plan.input, &graph, &plan.target)?;
        if !plan.quiet {
            output::tell(&report);
        }
        Ok(Answer::Yes)
    }
}
