//! `kostra generate`: writes a generated graph.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Parser, ValueHint};
use kostra_gen::{Recipe, generators};
use kostra_io::is_streamed;

use crate::arguments::{InputArguments, NanChoice};
use crate::command::{Answer, Command};
use crate::graph_file::{self, Target, To};
use crate::input::{GENERATED, InputRequest};
use crate::output;

/// Generate a graph and write it.
#[derive(Parser)]
#[command(
    name = "generate",
    after_help = "\
Examples:
  kostra generate --list
  kostra generate road:n=1000000,seed=7 -o road.kst
  kostra generate gnm:n=1000,m=4000 -o - --to gr | head
  kostra generate rmat:scale=24,a=0.45,b=0.15,c=0.15 -o gtgraph.kst
  kostra generate geometric2d:n=1M,radius=0.002 -o points.gr.zst

A seed gives the same graph on every machine and for any number of threads.
Formats gr and edges, and kst files without compression, are written without
holding the graph; graphs of road, and gnm and dense graphs with more than a
quarter of all pairs, are held.
Commands that read a graph also generate one: gen:NAME:key=value,..."
)]
pub(super) struct Arguments {
    /// The graph: NAME:key=value,...
    #[arg(required_unless_present = "list")]
    spec: Option<String>,

    /// The file to write; `-` for standard output
    #[arg(
        long,
        short,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        required_unless_present = "list",
    )]
    output: Option<PathBuf>,

    /// The format to write [default: by the extension of the output]
    #[arg(long, value_name = "FORMAT", value_parser = To::parser())]
    to: Option<To>,

    /// List the generators and their parameters
    #[arg(long, conflicts_with_all = ["spec", "output", "to"])]
    list: bool,

    /// Print no report
    #[arg(long, short, conflicts_with = "list")]
    quiet: bool,
}

/// What the arguments mean.
enum Plan {
    List,
    Write { input: Box<InputRequest>, spec: String, target: Target, quiet: bool },
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        if arguments.list {
            return Ok(Self::List);
        }
        let spec = arguments.spec.context("name the graph: NAME:key=value,...")?;
        let path = arguments.output.context("name the file to write: `-o FILE`")?;
        let target = Target::resolve(&path, arguments.to)?;
        let spec = spec.strip_prefix(GENERATED).unwrap_or(&spec).to_owned();
        let input = OsString::from(format!("{GENERATED}{spec}"));
        let input = InputArguments { input, ..InputArguments::default() };
        let input = Box::new(InputRequest::resolve(input, NanChoice::Error));
        Ok(Self::Write { input, spec, target, quiet: arguments.quiet })
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        match Plan::resolve(self)? {
            Plan::List => output::print(&list())?,
            Plan::Write { input, spec, target, quiet } => {
                let recipe = Recipe::new(&spec).with_context(|| input.source.to_string())?;
                let report = match &target {
                    Target::Graph(output, format)
                        if is_streamed(output, *format) && recipe.is_streamed() =>
                    {
                        graph_file::stream(&recipe, output, *format)?
                    }
                    _ => graph_file::write(&input, &input.load()?, &target)?,
                };
                if !quiet {
                    output::tell(&report);
                }
            }
        }
        Ok(Answer::Yes)
    }
}

/// The generators, with their parameters and an example each.
fn list() -> String {
    let mut text = String::new();
    for generator in generators() {
        text += &format!("{:<16}{}\n", generator.id, generator.summary);
        for parameter in generator.parameters {
            let setting = format!("{}={}", parameter.name, parameter.default);
            text += &format!("    {setting:<22}  {}\n", parameter.meaning);
        }
        text += &format!("    {GENERATED}{}\n\n", generator.example);
    }
    text.pop();
    text
}
