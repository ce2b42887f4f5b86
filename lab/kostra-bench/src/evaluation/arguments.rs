//! The command line of the evaluation of a paper.

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Result, ensure};
use clap::Args;

use super::description::Paper;
use super::real::file_of;

/// The divisor of `--quick`: every suite takes minutes on two processors.
const QUICK: u64 = 20;
/// The divisor of `--smoke`: every suite takes seconds.
const SMOKE: u64 = 2000;

/// The arguments of the evaluation of a paper.
#[derive(Args)]
pub(crate) struct PaperArguments {
    /// Divide the numbers of vertices and edges by this number; 1 gives the paper's sizes
    #[arg(long, value_name = "DIVISOR", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    scale: u64,
    /// Divide the sizes by 20, which takes minutes on a small machine
    #[arg(long, conflicts_with_all = ["scale", "smoke"])]
    quick: bool,
    /// Divide the sizes by 2000 and run once, to test in seconds that all contestants agree
    #[arg(long, conflicts_with_all = ["scale", "runs"])]
    pub(super) smoke: bool,
    /// Measure only these tables and figures, such as table-1,figure-8
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    only: Vec<String>,
    /// Number of counted rounds, after one warm-up round, by default 3, and 5 if the paper has
    /// five; slow contestants take fewer
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
    /// Start no further graph after this time
    #[arg(long, value_name = "SECONDS")]
    pub(super) budget: Option<u64>,
    /// Threads per contestant, and the most threads or ranks of a sweep; by default all processors
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder with real graphs, such as USA-road-d.NY.gr.gz or web-Google.txt.gz; a missing
    /// graph is replaced by a generated one of the same size, marked with *
    #[arg(long, value_name = "FOLDER")]
    pub(super) data: Option<PathBuf>,
    /// The folder of the peer programs; each program has its peer's name
    #[arg(long, value_name = "FOLDER")]
    pub(super) peer_programs: Option<PathBuf>,
    /// The example `bench` of kostra-mpi, which runs solvers for clusters; by default
    /// examples/bench beside this program
    #[arg(long, value_name = "FILE")]
    pub(super) rank_program: Option<PathBuf>,
}

impl PaperArguments {
    /// The number of threads per contestant.
    pub(crate) fn threads(&self) -> usize {
        let all = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(all, usize::from)
    }

    /// The divisor of all sizes.
    pub(crate) fn scale(&self) -> u64 {
        match (self.quick, self.smoke) {
            (true, _) => QUICK,
            (_, true) => SMOKE,
            _ => self.scale,
        }
    }

    /// The number of counted rounds.
    pub(super) fn runs(&self, paper: &Paper) -> usize {
        if self.smoke { 1 } else { self.runs.unwrap_or(paper.runs).into() }
    }

    /// Whether an experiment is to be measured.
    pub(super) fn wants(&self, experiment: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|id| id == experiment)
    }

    /// Refuses experiments that the paper does not have, and a folder of graphs that is missing or
    /// of no use.
    ///
    /// # Errors
    /// The first such argument.
    pub(crate) fn check(&self, paper: &Paper) -> Result<()> {
        let known: Vec<_> = paper.experiments.iter().map(|experiment| &*experiment.id).collect();
        for id in &self.only {
            ensure!(
                known.contains(&id.as_str()),
                "{} has no '{id}'; it has: {}",
                paper.id,
                known.join(", ")
            );
        }
        for folder in self.data.iter().chain(&self.peer_programs) {
            ensure!(folder.is_dir(), "{}: no such folder", folder.display());
        }
        match &self.data {
            Some(folder) => check_data(folder, paper, self),
            None => Ok(()),
        }
    }
}

/// Refuses a folder from which no graph would be taken: one without any graph of the wanted
/// experiments, and any folder if the sizes are divided, because a real graph has one size.
///
/// # Errors
/// A sentence with the names of the graphs.
fn check_data(folder: &Path, paper: &Paper, arguments: &PaperArguments) -> Result<()> {
    let wanted = paper.experiments.iter().filter(|experiment| arguments.wants(&experiment.id));
    let graphs = wanted.flat_map(|experiment| paper.graphs(experiment));
    let mut names: Vec<_> = graphs.filter_map(|graph| graph.real).collect();
    names.sort_unstable();
    names.dedup();
    ensure!(!names.is_empty(), "{} uses no real graphs; omit --data", paper.id);
    ensure!(
        arguments.scale() == 1,
        "graphs of divided sizes are generated; omit --data, or omit --quick, --smoke and --scale"
    );
    ensure!(
        names.iter().any(|name| file_of(folder, name).is_some()),
        "{} has none of the graphs of {} as .gr, .kst, .osm.pbf or SNAP's .txt, plain or \
         compressed: {}",
        folder.display(),
        paper.id,
        names.join(", ")
    );
    Ok(())
}
