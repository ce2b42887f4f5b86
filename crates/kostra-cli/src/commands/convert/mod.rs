//! `kostra convert`: writes a graph in another format.

use std::path::PathBuf;

use clap::{Parser, ValueHint};
use kostra::io::{Format, Output};

use crate::arguments::{InputArguments, Nan, formats};
use crate::command::{Answer, Command};
use crate::graph_file;
use crate::input::Request;
use crate::output;

/// Write a graph in another format.
#[derive(Parser)]
#[command(
    name = "convert",
    after_help = "\
Examples:
  kostra convert roads.gr.gz roads.kst           roads.kst opens in milliseconds
  kostra convert mesh.graph mesh.mtx --weights hash
  kostra convert roads.kst - --to gr | zstd > roads.gr.zst"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// The file to write; `-` for standard output
    #[arg(value_hint = ValueHint::FilePath)]
    output: PathBuf,

    /// The format to write [default: by the extension of the output]
    #[arg(long, value_name = "FORMAT", value_parser = formats(Format::is_writable))]
    to: Option<Format>,
}

/// What the arguments mean.
struct Plan {
    input: Request,
    output: Output,
    format: Format,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let output = output::parse_path(&arguments.output);
        let format = output::graph_format(&output, arguments.to)?;
        output.check()?;
        Ok(Self { input: Request::resolve(arguments.input, Nan::Error), output, format })
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        graph_file::write(&plan.input, &plan.output, plan.format)?;
        Ok(Answer::Yes)
    }
}
