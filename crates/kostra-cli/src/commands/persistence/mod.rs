//! `kostra persistence`: when the components of an image, a graph or points start and end.

mod diagram;
mod filtration;
mod record;
mod table;

use std::path::PathBuf;
use std::time::Instant;

use clap::{Parser, ValueEnum, ValueHint};
use kostra::variants::longer_than;
use kostra_core::Order;
use kostra_io::Output;

use self::filtration::{Filtration, Found, Kind};
use self::record::{Record, Seconds};
use self::table::Destination;
use crate::arguments::LimitedInput;
use crate::command::{Answer, Command};
use crate::measure::{self, Measure};
use crate::pixels::NeighborCount;
use crate::progress::Stage;
use crate::report;
use crate::{file_roles, input, output};

/// Find when the components of an image, a graph or points start and end: persistence.
#[derive(Parser)]
#[command(
    name = "persistence",
    after_help = "\
Examples:
  kostra persistence image.png -o diagram.svg
  kostra persistence scan.npy --connectivity 26 --superlevel -o pairs.csv
  kostra persistence points.csv --of points --min-persistence 0.5 -o pairs.csv
  kostra persistence roads.csv --of graph --heights heights.csv --edges ends

Values enter from the lowest to the highest, or with --superlevel from the highest
to the lowest. A component starts with a local minimum (maximum). When two meet,
the younger one ends. The output is a table of the components, those that last
longest first, or a picture of the persistence diagram (.svg).

A cell of an image enters at its value, a pair of neighbors with the later one.
Points enter at 0, and two of them are joined at their distance. The vertices of a
graph enter at 0 or at --heights, and its edges at their weights or with their ends."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: LimitedInput,

    /// What the input is [default: an image for .png, .tif, .tiff and .hgt, a graph if it is
    /// generated; otherwise Kostra asks]
    #[arg(long, value_enum)]
    of: Option<Kind>,

    /// High values enter first
    #[arg(long)]
    superlevel: bool,

    /// The number of neighbors of a pixel (4 or 8), or of a cell of a volume (6 or 26) [default: 4]
    #[arg(long, value_name = "N", value_enum)]
    connectivity: Option<NeighborCount>,

    /// The metric of points; their columns are those of `--columns` [default: euclidean]
    #[arg(long, value_name = "METRIC", value_parser = measure::names())]
    metric: Option<Measure>,

    /// A table with one column: the value at which each vertex of a graph enters, in the order of
    /// their numbers
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    heights: Option<PathBuf>,

    /// When the edges of a graph enter: at their weights, or with the later one of their ends
    /// [default: weights]
    #[arg(long, value_enum)]
    edges: Option<EdgeEntry>,

    /// Leave out components that do not last longer than this
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = persistence)]
    min_persistence: f64,

    /// The file for the components: a table (.csv, .tsv, .npy, .parquet) or the persistence diagram
    /// (.svg); `-` for the table on standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// A file for a table of the join tree, or with `--superlevel` the split tree: how the
    /// components meet
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tree: Option<PathBuf>,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print no report
    #[arg(long, short, requires = "output", conflicts_with = "json")]
    quiet: bool,
}

/// When edges enter.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EdgeEntry {
    Weights,
    Ends,
}

fn persistence(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    number.ok_or_else(|| "it must be a number from 0".to_owned())
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let output = self.output.as_deref().map(output::parse_path);
        let tree = self.tree.as_deref().map(output::parse_path);
        let to = output.as_ref().map(Destination::of).transpose()?;
        let tree_format = tree.as_ref().map(table::tree_format).transpose()?;
        output.iter().chain(&tree).try_for_each(Output::check)?;
        let heights = self.heights.as_deref().map(|path| input::file(path.as_os_str()));
        let filtration = Filtration {
            order: if self.superlevel { Order::Maximum } else { Order::Minimum },
            neighbors: self.connectivity,
            metric: self.metric,
            edges: self.edges,
            heights,
        };
        let arguments = self.input.apply()?;
        let source = input::file(&arguments.input);
        file_roles::check(
            &[("input", Some(&source)), ("heights", filtration.heights.as_ref())],
            &[("components", output.as_ref()), ("tree", tree.as_ref())],
        )?;
        let kind = self.of.map_or_else(|| Kind::by_name(&arguments.input), Ok)?;
        let mut found = filtration.find(kind, arguments)?;
        let all = found.pairs.len();
        longer_than(&mut found.pairs, self.min_persistence);
        let start = Instant::now();
        if let Some((to, format)) = output.as_ref().zip(to) {
            let _stage = Stage::start(&format!("writing {to}"));
            found.write(to, format, filtration.order)?;
        }
        if let Some((to, format)) = tree.as_ref().zip(tree_format) {
            found.write_tree(to, format)?;
        }
        let is_written = output.is_some() || tree.is_some();
        let write = is_written.then(|| start.elapsed());
        let files = [&output, &tree].map(|to| to.as_ref().map(ToString::to_string));
        let mut record = Record::new(source.to_string(), &found);
        record.superlevel = self.superlevel;
        (record.min_persistence, record.left_out) = (self.min_persistence, all - found.pairs.len());
        record.files = files;
        record.seconds = Seconds::new(&found, write);
        let text = if self.json { report::json(&record)? } else { record.sheet(&found) };
        if !self.quiet {
            let is_stdout = |to: &&Output| to.is_stdout();
            output::report(&text, output.iter().chain(&tree).find(is_stdout))?;
        }
        Ok(Answer::Yes)
    }
}

impl Found {
    /// The components that last longest first; equal ones in the order in which they end.
    fn longest_first(&self) -> Vec<usize> {
        let mut order: Vec<_> = (0..self.pairs.len()).collect();
        order.sort_by(|&a, &b| self.pairs[b].persistence().total_cmp(&self.pairs[a].persistence()));
        order
    }
}
