//! `kostra convert`: writes a graph in another format, or with other numbers of the vertices.

mod reorder;

use std::path::PathBuf;

use clap::{Parser, ValueHint};
use kostra::io::{Format, Output};

use crate::arguments::{InputArguments, Nan, formats};
use crate::command::{Answer, Command};
use crate::forest_file::Destination;
use crate::input::Request;
use crate::{file_roles, graph_file, output};
use reorder::{Reorder, ReorderArguments};

/// Write a graph in another format.
#[derive(Parser)]
#[command(
    name = "convert",
    after_help = "\
Examples:
  kostra convert roads.gr.gz roads.kst           roads.kst opens in milliseconds
  kostra convert mesh.graph mesh.mtx --weights hash
  kostra convert roads.graphml roads.csv
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

    /// The format to write [default: by the extension of the output, also .csv, .tsv and .geojson]
    #[arg(long, value_name = "FORMAT", value_parser = formats(Format::is_writable))]
    to: Option<Format>,

    /// Print no report
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    reorder: ReorderArguments,
}

/// What the arguments mean.
struct Plan {
    input: Request,
    output: Target,
    reorder: Option<Reorder>,
    quiet: bool,
}

/// What is written.
enum Target {
    Graph(Output, Format),
    /// All edges, as a forest of them would be written.
    Edges(Destination),
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let input = Request::resolve(arguments.input, Nan::Error);
        let quiet = arguments.quiet;
        let lines = Destination::of_edges(&arguments.output);
        if let (Some(destination), None) = (lines, arguments.to) {
            let destination = destination?;
            let output = [("edges", Some(&destination.output))];
            file_roles::check(&[("input", input.source.file())], &output)?;
            if arguments.reorder.is_used() {
                anyhow::bail!("{}: `--reorder` needs a format of `--to`", destination.output);
            }
            return Ok(Self { input, output: Target::Edges(destination), reorder: None, quiet });
        }
        let output = output::parse_path(&arguments.output);
        let format = output::graph_format(&output, arguments.to)?;
        output.check()?;
        let reorder = Reorder::resolve(arguments.reorder, &output, format)?;
        let (partition, map) = reorder.as_ref().map(Reorder::files).unwrap_or_default();
        file_roles::check(
            &[("input", input.source.file()), ("partition", partition)],
            &[("graph", Some(&output)), ("old numbers", map)],
        )?;
        Ok(Self { input, output: Target::Graph(output, format), reorder, quiet })
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        let mut graph = plan.input.load()?;
        if let Some(reorder) = &plan.reorder {
            reorder.apply(&plan.input, &mut graph)?;
        }
        let report = match &plan.output {
            Target::Graph(output, format) => {
                graph_file::write(&plan.input, &graph, output, *format)?
            }
            Target::Edges(destination) => {
                graph_file::write_edges(&plan.input, &graph, destination)?
            }
        };
        if !plan.quiet {
            output::tell(&report);
        }
        Ok(Answer::Yes)
    }
}
