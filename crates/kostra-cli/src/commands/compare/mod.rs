//! `kostra compare`: solves one graph with several algorithms and compares times and forests.
//!
//! `measure` solves, `standing` verifies the forests, and `report` prints the table.

mod measure;
mod report;
mod standing;

use clap::Parser;
use kostra_core::{Order, Platform, Solver};

use crate::algorithm::{self, ChosenAlgorithm};
use crate::arguments::{InputArguments, NanChoice};
use crate::command::{Answer, Command};
use crate::input::InputRequest;
use crate::output;

/// Solve a graph with several algorithms, and compare times, rounds and forests.
#[derive(Parser)]
#[command(
    name = "compare",
    after_help = "\
Examples:
  kostra compare roads.gr.gz --algorithm fast,kruskal,boruvka
  kostra compare gen:rmat:scale=18 --algorithm auto,prim-boundary --runs 5
  kostra compare gen:grid:side=500 --algorithm fast,pma --threads 4 --json

The algorithms take turns, and the table shows the median of each one's times.
No run is left out as a warm-up. The time is that of solving: rows of the graph
that an algorithm needs are built once and stay.

Each forest is verified, independently of the algorithms. The exit code is 1 if
a forest is wrong, or if an algorithm does not solve the graph."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// The algorithms, separated by commas; `kostra solvers` lists all algorithms, and `all` stands
    /// for all that run on the processor
    #[arg(
        long,
        short,
        value_name = "IDS",
        value_delimiter = ',',
        required = true,
        value_parser = algorithm::id_parser(),
        hide_possible_values = true,
    )]
    algorithm: Vec<String>,

    /// The number of runs of each algorithm
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..),
    )]
    runs: u16,

    /// Find maximum spanning forests
    #[arg(long)]
    maximum: bool,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print no report: the exit code is the answer
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
}

/// Stands for all algorithms that run on the processor.
const ALL: &str = "all";

/// What the arguments mean.
struct Plan {
    input: InputRequest,
    /// The algorithms; none leaves the choice to the command.
    solvers: Vec<Option<&'static dyn Solver>>,
    runs: u16,
    order: Order,
    json: bool,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let mut solvers = Vec::new();
        for id in &arguments.algorithm {
            if kostra::id_of(id) == ALL {
                let is_here = |solver: &&dyn Solver| {
                    matches!(solver.info().platform, Platform::Sequential | Platform::Threads)
                };
                solvers.extend(kostra::solvers().filter(is_here).map(Some));
            } else {
                solvers.push(ChosenAlgorithm::find(id)?.in_process()?);
            }
        }
        Ok(Self {
            solvers,
            input: InputRequest::resolve(arguments.input, NanChoice::Error),
            runs: arguments.runs,
            order: if arguments.maximum { Order::Maximum } else { Order::Minimum },
            json: arguments.json,
        })
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let quiet = self.quiet;
        let plan = Plan::resolve(self)?;
        let mut input = plan.input.load()?;
        input.warn_of_order(plan.order);
        let contestants = measure::measure(&plan, &mut input);
        let standings = standing::compare(&plan, &input, &contestants)?;
        plan.input.refuse_changes(&input)?;
        let rows: Vec<_> = contestants.iter().zip(&standings).collect();
        if !quiet {
            output::print(&report::text(&plan, &input, &rows)?)?;
        }
        let agree = standings.iter().all(standing::Standing::is_as_promised);
        Ok(if agree { Answer::Yes } else { Answer::No })
    }
}
