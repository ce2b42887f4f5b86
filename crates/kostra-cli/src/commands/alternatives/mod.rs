//! `kostra alternatives`: whether the forest is the only best one, and what else could be in it.

mod network;
mod report;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Parser, ValueHint};
use kostra::Solve;
use kostra::variants::{Alternatives, BestForests, BigUint, CountError};
use kostra_core::{AnyGraph, EdgeId, Forest, Order, Run, Total, with_graph};

use crate::arguments::{LimitedInput, NanChoice};
use crate::command::{Answer, Command};
use crate::file_roles;
use crate::forest_file::{self, Destination, OutputArguments};
use crate::input::{InputGraph, InputRequest};
use crate::progress::Stage;

/// Tell whether the forest is unique, and find its alternatives.
#[derive(Parser)]
#[command(
    name = "alternatives",
    after_help = "\
Examples:
  kostra alternatives distances.csv
  kostra alternatives distances.csv -o network.csv     the minimum spanning network
  kostra alternatives roads.csv --all -o edges.csv     each edge, and what replaces it
  kostra alternatives cables.csv --best 5

Edges of equal weight give several minimum spanning forests. An edge is in every
one, in some, or in none. The edges of the first two kinds are the minimum
spanning network.

An output that holds columns has three more: `forests` is every, some or none;
`rival` is the edge that takes the place of this one if its weight changes far
enough, or whose place this one takes; and `rival_weight` is how far that is."
)]
pub(in crate::commands) struct Arguments {
    #[command(flatten)]
    input: LimitedInput,

    /// Compare maximum spanning forests
    #[arg(long)]
    maximum: bool,

    /// List this number of forests, from the best one on
    #[arg(long, value_name = "N", default_value_t = 0)]
    best: usize,

    /// Count the forests even if this takes minutes [default: if it takes a few seconds]
    #[arg(long)]
    count: bool,

    /// Write the edges that are in some best forest to this file; `-` for standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Write all edges of the graph
    #[arg(long, requires = "output")]
    all: bool,

    #[command(flatten)]
    out: OutputArguments,
}

/// The most multiplications for a number of forests that nobody asked for: some seconds.
const FEW_STEPS: u64 = 1_000_000_000;
/// The most multiplications for a number that the user asked for: an hour.
const MANY_STEPS: u64 = 1_000_000_000_000;

/// What the arguments mean.
struct Plan {
    input: InputRequest,
    order: Order,
    best: usize,
    /// Whether the user asked for the number of forests.
    count: bool,
    output: Option<Destination>,
    all: bool,
    out: OutputArguments,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let input = InputRequest::resolve(arguments.input.apply()?, NanChoice::Error);
        let (input, output) = arguments.out.resolve(arguments.output.as_deref(), input)?;
        file_roles::check(
            &[("graph", input.source.file())],
            &[("network", output.as_ref().map(|to| &to.output))],
        )?;
        Ok(Self {
            input,
            order: if arguments.maximum { Order::Maximum } else { Order::Minimum },
            best: arguments.best,
            count: arguments.count,
            output,
            all: arguments.all,
            out: arguments.out,
        })
    }
}

/// A forest in the list of the best ones.
struct BestForest {
    total: Total,
    left: Vec<EdgeId>,
    entered: Vec<EdgeId>,
}

/// What was found.
struct Outcome {
    forest: Forest,
    alternatives: Alternatives,
    /// The edges that are in some best forest.
    network: Vec<EdgeId>,
    /// The number of best forests, or why it is not known.
    number: Result<BigUint, CountError>,
    best: Vec<BestForest>,
    solve: Duration,
    compare: Duration,
    count: Duration,
    /// The time to list the best forests; none if none was asked for.
    list: Option<Duration>,
    write: Option<Duration>,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        let mut input = plan.input.load()?;
        input.warn_of_order(plan.order);
        let mut outcome = find(&plan, &input)?;
        plan.input.refuse_changes(&input)?;
        if let Some(to) = &plan.output {
            let start = Instant::now();
            let _stage = Stage::start(&format!("writing {}", to.output));
            write(&plan, to, &mut input, &outcome)?;
            outcome.write = Some(start.elapsed());
        }
        let record = report::Record::new(&plan, &input, &outcome);
        let sheet = || report::sheet(&plan, &input, &outcome);
        plan.out.report(plan.output.as_ref(), &record, sheet)?;
        Ok(Answer::Yes)
    }
}

fn find(plan: &Plan, input: &InputGraph) -> anyhow::Result<Outcome> {
    let (graph, order) = (&input.parsed.graph, plan.order);
    let threads = plan.input.threads.wanted();
    let start = Instant::now();
    let forest = {
        let _stage = Stage::start("solving");
        Solve::new().order(order).threads(threads).run_any(graph)?.forest
    };
    let solve = start.elapsed();
    let start = Instant::now();
    let alternatives = {
        let _stage = Stage::start("comparing");
        Alternatives::find(graph, order, forest.ids(), &mut Run::new().on_threads(threads))?
    };
    let compare = start.elapsed();
    let start = Instant::now();
    let number = {
        let _stage = Stage::start("counting");
        alternatives.count(graph, order, if plan.count { MANY_STEPS } else { FEW_STEPS })
    };
    if let (true, Err(error)) = (plan.count, &number) {
        return Err(error.clone().into());
    }
    let count = start.elapsed();
    let start = Instant::now();
    let best = list(plan, graph, &forest, &alternatives)?;
    let list = (plan.best > 0).then(|| start.elapsed());
    let network = alternatives.network();
    let write = None;
    Ok(Outcome { forest, alternatives, network, number, best, solve, compare, count, list, write })
}

/// Lists the best forests.
fn list(
    plan: &Plan,
    graph: &AnyGraph,
    forest: &Forest,
    alternatives: &Alternatives,
) -> anyhow::Result<Vec<BestForest>> {
    if plan.best == 0 {
        return Ok(Vec::new());
    }
    let _stage = Stage::start("listing forests");
    let best = BestForests::new(graph, plan.order, alternatives, plan.best)?;
    best.map(|found| {
        let found = found?;
        let ids = found.ids(forest.ids());
        let total = with_graph!(graph, graph => {
            Forest::new(graph.edge_list().edges(plan.order), ids).total()
        });
        Ok(BestForest { total, left: found.left, entered: found.entered })
    })
    .collect()
}

fn write(
    plan: &Plan,
    to: &Destination,
    input: &mut InputGraph,
    outcome: &Outcome,
) -> anyhow::Result<()> {
    if to.format.keeps_columns() {
        let columns = network::columns(&input.parsed, &outcome.alternatives)?;
        input.parsed.kept = Some(columns);
    }
    let all: Vec<EdgeId>;
    let ids = if plan.all {
        all = (0..input.parsed.graph.edges() as EdgeId).collect();
        &all
    } else {
        &outcome.network
    };
    let written = forest_file::write(to, input, ids);
    plan.input.refuse_changes(input)?;
    written
}
