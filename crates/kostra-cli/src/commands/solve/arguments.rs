//! The arguments of `kostra solve`, as the user typed them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Parser, ValueHint};
use kostra::forest_file::ForestFormat;
use kostra::{DeviceChoice, OptionValue};

use super::constraints::ConstraintArguments;
use crate::algorithm::{AUTO, id_parser};
use crate::arguments::InputArguments;
use crate::bytes::parse_bytes;
use crate::forest_file::format_parser;

/// Find the minimum (or maximum) spanning forest of a graph.
#[derive(Parser)]
#[command(
    name = "solve",
    // A quiet solve without these would have no result.
    group = ArgGroup::new("purpose").args(["output", "verify"]).multiple(true),
    after_help = "\
Examples:
  kostra solve roads.gr.gz --verify
  kostra solve links.csv --keep name,owner -o forest.csv
  kostra solve roads.csv --source from_id --target to_id --weight length_km
  kostra solve mesh.graph --weights hash --algorithm boruvka --trace
  zcat roads.gr.gz | kostra solve - --json
  kostra solve gen:grid:side=1000
  kostra solve gen:rmat:scale=22 --device cuda
  kostra solve big.kst --memory 4GiB -o forest.ids
  kostra solve big.kst --memory 16GiB --device cuda -o forest.ids
  kostra solve mesh.graph --algorithm prim-union --partition mesh.graph.part.8
  kostra solve cables.csv --include status=built --exclude 7,12 --most-trees 3

All exact algorithms find the same forest, on any number of threads: if two
edges have equal weights, the edge that comes first in the input wins. Edges are
numbered from 0 in input order. Vertices are numbered from 0, even if the format
counts from 1. In an edge list, the vertices are the names or numbers that occur."
)]
pub(in crate::commands) struct Arguments {
    #[command(flatten)]
    pub(super) input: InputArguments,

    /// The algorithm; `kostra solvers` lists all algorithms
    #[arg(
        long,
        short,
        value_name = "ID",
        default_value = AUTO,
        value_parser = id_parser(),
        hide_possible_values = true,
    )]
    pub(super) algorithm: String,

    /// Where to solve: cpu, cuda, cuda:1 for the second CUDA device, or cuda:0,1 for two of them.
    /// The ranks of mpi-fast take turns on the devices of their machine
    /// [default: cuda if there is a device and the graph is large enough, else cpu]
    #[arg(long, value_name = "DEVICE")]
    pub(super) device: Option<DeviceChoice>,

    /// Set an option of the algorithm; `kostra solvers` lists the options
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(super) set: Vec<(String, OptionValue)>,

    /// A file with the part of each vertex, one number per line. prim-union and prim-boundary work
    /// on the parts; with an algorithm for clusters, each rank owns the vertices of its parts
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) partition: Option<OsString>,

    /// Find the maximum spanning forest
    #[arg(long)]
    pub(super) maximum: bool,

    /// Prove that the forest is correct, independently of the algorithm
    #[arg(long)]
    pub(super) verify: bool,

    /// Print the algorithm's phases, rounds and counters; for a graph of up to 100 edges also the
    /// edges in the order in which `kruskal`, `boruvka`, `prim-binary`, `prim-dense` or
    /// `prim-pairing` choose or reject them
    #[arg(long)]
    pub(super) trace: bool,

    /// Solve within this much memory, such as 4GiB: the edges are read in blocks, in one pass, and
    /// only the forest so far is kept. `--verify` takes a second pass. With `--device cuda`, this
    /// is memory of the device
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = parse_bytes,
        allow_hyphen_values = true,
        conflicts_with_all = ["set", "partition", "trace"],
    )]
    pub(super) memory: Option<u64>,

    /// Continue an interrupted solve with `--memory` from the checkpoint beside the output file
    #[arg(long, requires_all = ["memory", "output"])]
    pub(super) resume: bool,

    /// With `--memory`, the seconds after which the forest so far is saved to the output file's
    /// name with `.checkpoint` [default: 300]
    #[arg(long, value_name = "SECONDS", requires_all = ["memory", "output"])]
    pub(super) checkpoint: Option<u64>,

    #[command(flatten)]
    pub(super) constraints: ConstraintArguments,

    /// Write each edge from the end that is nearer to this vertex, by name or number. In trees
    /// without it, the lowest vertex takes its place
    #[arg(long, value_name = "VERTEX", requires = "output", conflicts_with = "memory")]
    pub(super) root: Option<String>,

    /// Write the forest to this file; `-` writes it to standard output and the report to standard
    /// error
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// Columns of an edge list or a Parquet file, by name or position, attributes of edges in other
    /// formats (in GeoJSON, `feature` is the position of the feature, from 0), or tags of an
    /// OpenStreetMap file (`way` is the id of the way), to carry along into output as edges, CSV,
    /// Parquet, GeoJSON, GraphML, JSON or DOT; `all` for all columns or attributes
    #[arg(
        long,
        value_name = "COLUMN,...",
        value_delimiter = ',',
        requires = "output",
        conflicts_with = "memory"
    )]
    pub(super) keep: Vec<String>,

    /// The format of the forest [default: by the file's extension; ids for .ids, .txt and no
    /// extension, edges for .edges and .tsv]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), requires = "output")]
    pub(super) output_format: Option<ForestFormat>,

    /// Print the report as one JSON object
    #[arg(long)]
    pub(super) json: bool,

    /// Print no report; warnings, errors and a forest that `--verify` refutes are still printed
    #[arg(long, short, requires = "purpose", conflicts_with_all = ["json", "trace"])]
    pub(super) quiet: bool,
}

/// Parses an option and its value.
fn parse_setting(text: &str) -> Result<(String, OptionValue), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.into()))
}
