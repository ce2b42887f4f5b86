//! The points of a command, as the user typed them.

use std::ffi::OsString;

use clap::{Args, ValueHint};
use kostra::DeviceChoice;
use kostra_io::PointColumn;

use crate::arguments::InputArguments;
use crate::measure::{self, Measure};
use crate::memory_limit::MemoryArguments;

/// The points, and how distances are measured, as the user typed them.
#[derive(Args)]
pub(crate) struct PointArguments {
    /// A file of points: a table as text (CSV, TSV, blanks), Parquet or a spreadsheet, an array of
    /// NumPy (.npy, or .npz with one table), or GeoJSON; `-` for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) points: OsString,

    /// The columns of the coordinates, by name or by position counted from 1 [default: all columns]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) columns: Vec<PointColumn>,

    /// The first line of a table contains the names of the columns [default: if none of its fields
    /// is a number]
    #[arg(long)]
    pub(crate) header: bool,

    /// The first line of a table is a point
    #[arg(long, conflicts_with = "header")]
    pub(crate) no_header: bool,

    /// The sheet of a spreadsheet [default: the only one that is not empty]
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,

    /// How distances are measured; for haversine the columns are latitude and longitude in degrees,
    /// and distances are in meters; precomputed is for a square matrix of the distances
    /// themselves [default: euclidean]
    #[arg(long, value_name = "METRIC", value_parser = measure::names())]
    pub(crate) metric: Option<Measure>,

    /// The number of threads; 0 uses KOSTRA_NUM_THREADS, or all threads of the machine
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(..=4096),
    )]
    pub(crate) threads: u16,

    /// Where to find the tree: cpu, cuda, cuda:1 for the second CUDA device, or cuda:0,1 for points
    /// of more than 64 dimensions; devices take the metrics euclidean and cosine
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub(crate) device: DeviceChoice,

    /// Find a tree from near neighbors that may be longer than the minimum, and report how much
    /// longer at most; for many points of more than 16 dimensions
    #[arg(long)]
    pub(crate) approximate: bool,

    /// The seed of the random choices of `--approximate`
    #[arg(long, value_name = "N", default_value_t = 0, requires = "approximate")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

impl PointArguments {
    /// The arguments for points, from those of a command that reads graphs, too.
    ///
    /// # Errors
    /// When an argument has a meaning for graphs only.
    pub(crate) fn of_table(input: InputArguments, metric: Option<Measure>) -> anyhow::Result<Self> {
        let InputArguments { columns, header, no_header, sheet, threads, .. } = &input;
        let columns = columns.iter().flatten().map(|column| column.parse());
        let arguments = Self {
            columns: columns.collect::<Result<_, _>>().map_err(anyhow::Error::msg)?,
            header: *header,
            no_header: *no_header,
            sheet: sheet.clone(),
            metric,
            threads: *threads,
            device: DeviceChoice::Processor,
            approximate: false,
            seed: 0,
            memory: MemoryArguments::default(),
            points: input.input.clone(),
        };
        input.refuse_options_of_graphs()?;
        Ok(arguments)
    }
}
