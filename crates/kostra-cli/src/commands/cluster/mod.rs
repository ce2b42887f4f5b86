//! `kostra cluster`: clusters of points by HDBSCAN.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Parser, ValueEnum, ValueHint};
use kostra::table::{Table, TableColumn, TableFormat, TableValues};
use kostra_io::{KeptColumns, Output, PointColumn};
use kostra_points::cluster::{Hierarchy, Method, Selection, Ties};

use self::predict::NewPoints;
use self::record::{Record, Seconds};
use self::sizes::Cuts;
use crate::command::{Answer, Command};
use crate::point_arguments::PointArguments;
use crate::point_output::PointOutput;
use crate::point_search::Wanted;
use crate::points::PointRequest;
use crate::progress::Stage;
use crate::{file_roles, input, output, report};

mod dendrogram;
mod predict;
mod record;
mod sizes;

/// Find clusters of points, and noise.
#[derive(Parser)]
#[command(
    name = "cluster",
    after_help = "\
Examples:
  kostra cluster points.npy --min-cluster-size 50
  kostra cluster shops.csv --columns lat,lon --metric haversine --min-cluster-size 50 -o labels.csv
  kostra cluster shops.csv --columns x,y --keep id,name -o labels.csv
  kostra cluster points.csv --min-samples 5 --selection leaf --json
  kostra cluster points.csv --min-samples 5 --min-cluster-size 10,20,50 -o labels.csv
  kostra cluster cells.csv --columns x,y --weights count -o labels.csv
  kostra cluster points.csv --predict new.csv -o labels.csv
  kostra cluster points.npy --device cuda -o labels.csv
  kostra cluster embeddings.npy --approximate --min-cluster-size 50 -o labels.csv
  kostra cluster points.csv --min-samples 1 --keep name -o dendrogram.nwk

Clusters are those of HDBSCAN, whatever the order of the points. The output
is the label and the probability of each point, in the order of the input: CSV
(.csv, .txt), .tsv, a structured array (.npy), or .parquet. The label -1 is
noise. With several sizes, there are two columns for each, such as label_10 and
probability_10. A .nwk is the dendrogram of all merges in Newick, with the points at its
leaves, named by a column in `--keep`; with `--min-samples 1` it is that of
single linkage. The result is the same for any number of threads, and on a CUDA device,
which finds the spanning tree. --approximate finds a spanning tree that may be
longer, and reports how much at most."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    points: PointArguments,

    /// The least number of points of a cluster; several values have labels of their own, from one
    /// tree, and need `--min-samples`
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "5",
        value_parser = clap::value_parser!(u32).range(2..),
    )]
    min_cluster_size: Vec<u32>,

    /// The number of nearest points, itself included, within the core distance of a point
    /// [default: the least size of a cluster]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    min_samples: Option<u32>,

    /// The column of the weights, by name or position: how many points each row counts as, a whole
    /// number. Sizes of clusters and `--min-samples` count these points
    #[arg(long, value_name = "COLUMN")]
    weights: Option<PointColumn>,

    /// Which clusters are selected: those with the most excess of mass, or those that are not
    /// divided further
    #[arg(long, value_enum, default_value = "eom")]
    selection: SelectionMethod,

    /// Do not divide clusters below this distance
    #[arg(
        long,
        value_name = "DISTANCE",
        default_value_t = 0.0,
        value_parser = distance,
    )]
    epsilon: f64,

    /// The largest cluster that the excess of mass selects
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_cluster_size: Option<u32>,

    /// Allow that all points are one cluster
    #[arg(long)]
    allow_single_cluster: bool,

    /// Whether merges at one distance are undone together, or one by one as scikit-learn does, so
    /// that labels depend on the order of the points
    #[arg(long, value_enum, default_value = "together")]
    ties: TiesMethod,

    /// A file of new points with the same columns. The output then has their labels, and `--keep`
    /// carries their columns along
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    predict: Option<OsString>,

    /// The file for the labels; `-` for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Columns of a table, by name or position, or all, to carry along into the output, such as the
    /// id of each point
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', requires = "output")]
    keep: Vec<PointColumn>,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print no report
    #[arg(long, short, requires = "output", conflicts_with = "json")]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum TiesMethod {
    Together,
    ScikitLearn,
}

impl From<TiesMethod> for Ties {
    fn from(ties: TiesMethod) -> Self {
        match ties {
            TiesMethod::Together => Self::Together,
            TiesMethod::ScikitLearn => Self::OneByOne,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum SelectionMethod {
    Eom,
    Leaf,
}

fn distance(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    number.ok_or_else(|| "it must be a number from 0".to_owned())
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let output = self.output.as_deref().map(output::parse_path);
        let format = self.output_format(output.as_ref())?;
        let selection = self.selection();
        let min_samples = self.min_samples.unwrap_or(self.min_cluster_size[0]);
        let new = self.predict.as_deref().map(input::file);
        // The output has a row for each new point, if there are any.
        let (keep, keep_new) =
            if new.is_some() { (Vec::new(), self.keep) } else { (self.keep, Vec::new()) };
        let request = PointRequest::resolve(self.points, keep)?.weighted_by(self.weights)?;
        let inputs = [("points", Some(&request.source)), ("new points", new.as_ref())];
        file_roles::check(&inputs, &[("labels", output.as_ref())])?;
        if new.is_some() {
            predict::metric(&request)?;
        }
        let mut solved = request.solve(match self.min_samples {
            Some(samples) => Wanted::MutualReachability(samples as usize),
            None => Wanted::MutualReachabilityOfSize(min_samples as usize),
        })?;
        let start = Instant::now();
        let hierarchy = Hierarchy::on_threads(std::mem::take(&mut solved.tree), request.threads)?;
        let cores = sizes::cores(&request, &solved, min_samples as usize)?;
        let cuts = Cuts { sizes: self.min_cluster_size, ties: self.ties.into(), selection };
        let found = cuts.of(&hierarchy, &solved, &cores)?;
        let cluster = start.elapsed();
        let record = Record::new(&request, &solved, &found);
        record.warn_of_noise();
        let new = new.map(|source| {
            let request = request.of_new_points(source, &solved.names, keep_new);
            NewPoints::predict(&request, &solved, (&found[0], min_samples as usize))
        });
        let new = new.transpose()?;
        let (labels, kept) = match &new {
            Some(new) => (vec![(String::new(), &*new.labels, &*new.probabilities)], &new.kept),
            None => (sizes::labels(&found), &solved.kept),
        };
        let to = output.as_ref().zip(format);
        let write = to.map(|(to, format)| match format {
            PointOutput::Table(format) => write(to, format, &labels, kept),
            PointOutput::Newick => dendrogram::write(to, &hierarchy, &solved),
        });
        let write = write.transpose()?;
        let record = Record {
            min_samples,
            output: output.as_ref().map(ToString::to_string),
            seconds: Seconds {
                solved: solved.times,
                cluster: cluster.as_secs_f64(),
                predict: new.as_ref().map(|new| new.time.as_secs_f64()),
                write: write.map(|write| write.as_secs_f64()),
            },
            new_points: new.as_ref().map(NewPoints::record),
            ..record
        };
        let text = if self.json { report::json(&record)? } else { record.sheet() };
        if !self.quiet {
            output::report(&text, output.as_ref())?;
        }
        Ok(Answer::Yes)
    }
}

impl Arguments {
    /// The format of the output, if there is one.
    ///
    /// # Errors
    /// When the output or the sizes of clusters are at fault, or new points have no place in it.
    fn output_format(&self, output: Option<&Output>) -> anyhow::Result<Option<PointOutput>> {
        output.map_or(Ok(()), Output::check)?;
        let is_keeping = !self.keep.is_empty();
        let format = output.map(|to| PointOutput::of(to, is_keeping)).transpose()?;
        self.check_sizes(matches!(format, Some(PointOutput::Newick)))?;
        if self.predict.is_some() && matches!(format, Some(PointOutput::Newick)) {
            anyhow::bail!(
                "a dendrogram has no new points; leave out `--predict`, or write a table"
            );
        }
        Ok(format)
    }

    fn selection(&self) -> Selection {
        Selection {
            method: match self.selection {
                SelectionMethod::Eom => Method::ExcessOfMass,
                SelectionMethod::Leaf => Method::Leaf,
            },
            epsilon: self.epsilon,
            allow_single_cluster: self.allow_single_cluster,
            max_cluster_size: self.max_cluster_size,
            ..Selection::default()
        }
    }

    /// Refuses sizes of clusters that have no effect, or that no cluster has.
    fn check_sizes(&self, is_dendrogram: bool) -> anyhow::Result<()> {
        let sizes = &self.min_cluster_size;
        if let Some((_, size)) = (1..).zip(sizes).find(|&(next, size)| sizes[next..].contains(size))
        {
            anyhow::bail!("`--min-cluster-size` contains {size} twice; leave one of them out");
        }
        if sizes.len() > 1 && self.min_samples.is_none() {
            anyhow::bail!(
                "several values of `--min-cluster-size` need one tree; pass `--min-samples`, which \
                 by default is another number for each of them"
            );
        }
        if sizes.len() > 1 && (self.predict.is_some() || is_dendrogram) {
            let what = if is_dendrogram {
                "a dendrogram has no sizes"
            } else {
                "`--predict` finds the clusters of one size"
            };
            anyhow::bail!("{what}; pass one `--min-cluster-size`");
        }
        if self.weights.is_some() && matches!(self.ties, TiesMethod::ScikitLearn) {
            anyhow::bail!(
                "with `--ties scikit-learn`, labels depend on the order of equal points, which \
                 `--weights` does not tell; leave out one of them"
            );
        }
        let least = sizes.iter().copied().max().unwrap_or_default();
        let Some(most) = self.max_cluster_size else { return Ok(()) };
        if matches!(self.selection, SelectionMethod::Leaf) {
            anyhow::bail!(
                "`--max-cluster-size` has no effect with `--selection leaf`; leave it out"
            );
        }
        if most < least {
            anyhow::bail!(
                "`--max-cluster-size` is {most}, below the least size of a cluster, {least}; pass \
                 {least} or more, or a lower `--min-cluster-size`"
            );
        }
        Ok(())
    }
}

/// Writes labels and probabilities, each pair with what ends the names of its columns, and returns
/// the time.
fn write(
    to: &Output,
    format: TableFormat,
    labels: &[(String, &[i32], &[f64])],
    kept: &KeptColumns,
) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let _stage = Stage::start(&format!("writing {to}"));
    let names = labels.iter().map(|(end, ..)| [format!("label{end}"), format!("probability{end}")]);
    let names: Vec<_> = names.collect();
    let columns = names.iter().zip(labels).flat_map(|([label, probability], of)| {
        let (_, labels, probabilities) = *of;
        [
            TableColumn { name: label, values: TableValues::Labels(labels) },
            TableColumn { name: probability, values: TableValues::Floats(probabilities) },
        ]
    });
    let columns: Vec<_> = columns.collect();
    let table = Table::new(&columns, kept).with_context(|| to.to_string())?;
    output::write_lines(to, |lines| table.write(format, lines))?;
    Ok(start.elapsed())
}
