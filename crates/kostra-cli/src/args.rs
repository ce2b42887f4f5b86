//! What the user typed. What it means is decided by each command, once.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use kostra::io::{FORMATS, Format};

/// Minimum spanning forests of weighted graphs, and proof that they are right.
#[derive(Parser)]
#[command(
    name = "kostra",
    version,
    after_help = after_help()
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Find the minimum (or maximum) spanning forest of a graph
    Solve(SolveArgs),
    /// Decide whether a forest is the minimum spanning forest of a graph
    Verify(VerifyArgs),
    /// Describe a graph: size, components, degrees, weights
    Info(InfoArgs),
    /// Write a graph in another format
    Convert(ConvertArgs),
    /// Make a graph and write it
    Generate(GenerateArgs),
    /// List the algorithms, with their sources
    Solvers(SolversArgs),
    /// Say what Kostra can use on this machine
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

/// Where a graph comes from, and how it is read.
#[derive(Args, Default)]
pub(crate) struct InputArgs {
    /// A file, `-` for standard input, or a generated graph: gen:NAME:key=value,...
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) input: OsString,

    /// The input's format, instead of recognizing it by its content
    #[arg(long, value_parser = formats(|_| true))]
    pub(crate) format: Option<Format>,

    /// Weights for a graph that has none: 1 each, a hash of the ends, or the distance between them
    /// [default: the graph's own weights; 1 each where it has none]
    #[arg(long, value_enum)]
    pub(crate) weights: Option<Weights>,

    /// The column of an edge list with the first vertices: its name, or its position, counted from
    /// 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) source: Option<String>,

    /// The column of an edge list with the second vertices
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,

    /// The column of an edge list with the weights
    #[arg(long, value_name = "COLUMN", conflicts_with = "weights")]
    pub(crate) weight: Option<String>,

    /// The first line of an edge list names the columns
    #[arg(long)]
    pub(crate) header: bool,

    /// The first line of an edge list is an edge
    #[arg(long, conflicts_with = "header")]
    pub(crate) no_header: bool,

    /// What to do about weights that are not numbers [default: error; `info` skips them]
    #[arg(long, value_enum)]
    pub(crate) nan: Option<Nan>,

    /// Take the vertices of an edge list as names
    #[arg(long)]
    pub(crate) names: bool,

    /// How many threads to use; 0 means all that the machine has
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=4096))]
    pub(crate) threads: u16,
}

/// An option and its value.
fn setting(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.split_once('=').ok_or("there is no '=' in it")?;
    let value = value.parse().map_err(|_| format!("'{value}' is not a whole number"))?;
    Ok((name.to_owned(), value))
}

/// Where a solver runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// The processor.
    Cpu,
    /// The CUDA device of this number.
    Cuda(usize),
}

fn device(text: &str) -> Result<Device, String> {
    match text.split_once(':') {
        None if text == "cpu" => Ok(Device::Cpu),
        None if text == "cuda" => Ok(Device::Cuda(0)),
        Some(("cuda", number)) => {
            let number: u16 =
                number.parse().map_err(|_| format!("'{number}' is not a device's number"))?;
            Ok(Device::Cuda(number.into()))
        }
        _ => Err("it is cpu, cuda or cuda:N".to_owned()),
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Weights {
    Unit,
    Hash,
    Distance,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Nan {
    Error,
    Skip,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra solve roads.gr.gz --verify
  kostra solve links.csv --names -o - --output-format edges
  kostra solve roads.csv --source from_id --target to_id --weight length_km
  kostra solve mesh.graph --weights hash --algorithm boruvka --trace
  zcat roads.gr.gz | kostra solve - --json
  kostra solve gen:grid:side=1000
  kostra solve gen:rmat:scale=22 --device cuda

The forest is the same whatever the algorithm and the number of threads: among
equal weights the edge that comes first in the input wins. Edges are numbered
from 0 in the order of the input. Vertices are numbered from 0, even if the
format counts from 1.")]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The algorithm; `kostra solvers` lists them
    #[arg(long, short, value_name = "ID", default_value = "auto")]
    pub(crate) algorithm: String,

    /// Where to solve: cpu, cuda, or cuda:1 for the second device [default: a device if there is
    /// one and it pays]
    #[arg(long, value_name = "DEVICE", value_parser = device)]
    pub(crate) device: Option<Device>,

    /// Set an option of the algorithm; `kostra solvers` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, u64)>,

    /// Find the maximum spanning forest
    #[arg(long)]
    pub(crate) maximum: bool,

    /// Prove the answer, independently of the algorithm
    #[arg(long)]
    pub(crate) verify: bool,

    /// Tell the algorithm's phases, rounds and counters
    #[arg(long)]
    pub(crate) trace: bool,

    /// Write the forest to this file; `-` for standard output, and the report then goes to standard
    /// error
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// How to write the forest [default: by the file's extension; ids for .ids, .txt and none,
    /// edges for .edges and .tsv]
    #[arg(long, value_enum, value_name = "FORMAT", requires = "output")]
    pub(crate) output_format: Option<ForestFormat>,

    /// Report as one JSON object: on standard output, or where the forest goes there, on standard
    /// error
    #[arg(long)]
    pub(crate) json: bool,
}

/// How a forest is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForestFormat {
    /// An edge id a line
    Ids,
    /// A line for each edge: its id, ends and weight, between tabs. In names, tab, backslash and
    /// the ends of lines are written `\t`, `\\`, `\n` and `\r`
    Edges,
    /// A DIMACS graph of the forest's edges
    Gr,
    /// A Kostra graph of the forest's edges
    Kst,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra solve roads.gr.gz -o forest.txt && kostra verify roads.gr.gz forest.txt
  kostra solve roads.gr.gz -o - | kostra verify roads.gr.gz -

Exits with 0 when the forest is right, and with 1 when it is not, naming the
first fault.")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The forest, as `kostra solve -o` writes it (ids, edges, gr or kst); `-` for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) forest: OsString,

    /// Compare with the maximum spanning forest
    #[arg(long)]
    pub(crate) maximum: bool,

    /// Report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra info roads.gr.gz
  kostra info gen:road:n=100000 --json")]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra convert roads.gr.gz roads.kst           opens in milliseconds from then on
  kostra convert mesh.graph mesh.mtx --weights hash
  kostra convert roads.kst - --to gr | zstd > roads.gr.zst")]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The file to write; `-` for standard output
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    /// The format to write [default: by the output's extension]
    #[arg(long, value_name = "FORMAT", value_parser = formats(Format::is_writable))]
    pub(crate) to: Option<Format>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra generate --list
  kostra generate road:n=1000000,seed=7 -o road.kst
  kostra generate gnm:n=1000,m=4000 -o - --to gr | head

A seed makes the same graph on every machine. Every command that reads a graph
also takes a generated one: gen:NAME:key=value,...")]
pub(crate) struct GenerateArgs {
    /// What to make: NAME:key=value,...
    #[arg(required_unless_present = "list")]
    pub(crate) spec: Option<String>,

    /// The file to write; `-` for standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "list")]
    pub(crate) output: Option<PathBuf>,

    /// The format to write [default: by the output's extension]
    #[arg(long, value_name = "FORMAT", value_parser = formats(Format::is_writable))]
    pub(crate) to: Option<Format>,

    /// List the generators and their parameters
    #[arg(long, conflicts_with_all = ["spec", "output", "to"])]
    pub(crate) list: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra solvers
  kostra solvers --json")]
pub(crate) struct SolversArgs {
    /// Report as a JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra doctor
  kostra doctor --json > machine.json

Measuring the memory takes a second or two and 512 MiB. It is left out if less
than 1 GiB is available.")]
pub(crate) struct DoctorArgs {
    /// Report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra completions bash > ~/.local/share/bash-completion/completions/kostra
  kostra completions fish > ~/.config/fish/completions/kostra.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  kostra man > ~/.local/share/man/man1/kostra.1
  kostra man solve > ~/.local/share/man/man1/kostra-solve.1")]
pub(crate) struct ManArgs {
    /// The command whose page to print, instead of that of `kostra` itself
    pub(crate) command: Option<String>,
}

/// The end of the help text of `kostra` itself.
fn after_help() -> String {
    let formats = FORMATS.iter().map(|format| format.info());
    let formats: String =
        formats.map(|format| format!("  {:<8} {}\n", format.id, format.summary)).collect();
    format!(
        "\
Examples:
  kostra solve roads.gr.gz --verify         size and weight of the forest, checked
  kostra solve roads.gr.gz -o forest.txt    the ids of its edges, a line each
  kostra solve gen:road:n=1000000           a generated road network
  kostra verify roads.gr.gz forest.txt      is this the minimum spanning forest?

Formats that are read, plain or in gzip, xz, zstd or bzip2:
{formats}
Exit codes: 0 done, 1 the answer is no, 2 the command, its input or its output
is at fault, 130 interrupted (by Ctrl-C, SIGTERM or SIGHUP)."
    )
}

/// A parser that knows the formats by name, for errors, help and completions.
fn formats(wanted: fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let ids = FORMATS.iter().copied().filter(|&format| wanted(format)).map(Format::id);
    PossibleValuesParser::new(ids).try_map(|id| id.parse::<Format>())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn devices_are_called_cpu_or_cuda_and_a_number() {
        assert_eq!(device("cpu"), Ok(Device::Cpu));
        assert_eq!(device("cuda"), Ok(Device::Cuda(0)));
        assert_eq!(device("cuda:3"), Ok(Device::Cuda(3)));
        for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:99999999", "cpu:0", "CUDA"] {
            assert!(device(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
