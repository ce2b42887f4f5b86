//! `kostra arborescence`: the minimum spanning forest of a directed graph.

mod directions;
mod report;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Parser, ValueHint};
use kostra::forest_file::ForestFormat;
use kostra::variants::{Arborescence, ArborescenceError, arborescence};
use kostra_core::{Order, Run, Vertex, on_one_line};

use crate::arguments::{LimitedInput, NanChoice};
use crate::command::{Answer, Command};
use crate::file_roles;
use crate::forest_file::{self, OutputArguments};
use crate::input::{InputGraph, InputRequest};
use crate::progress::Stage;
use crate::vertex_names::{VertexChoice, VertexNames};

/// Find the minimum spanning forest of a directed graph.
#[derive(Parser)]
#[command(
    name = "arborescence",
    after_help = "\
Examples:
  kostra arborescence links.csv --root Depot -o tree.csv
  kostra arborescence distances.csv --verify
  kostra arborescence scores.csv --maximum --root @starts.txt --json

Each edge leads from its first end to its second. With --root, a tree leads from
each root, and every vertex is in one. Without, there are as few trees as
possible, and the roots are chosen so that the total weight is least: if some
vertex reaches all others, there is one tree, the minimum spanning arborescence.

Of several best forests, the answer is the one that grows from its first root by
the lowest edge ids."
)]
pub(in crate::commands) struct Arguments {
    #[command(flatten)]
    input: LimitedInput,

    /// The roots: their names or numbers, or a file with one on each line [default: those of the
    /// best forest]
    #[arg(long, value_name = "VERTEX,...|@FILE")]
    root: Option<VertexChoice>,

    /// Find the forest of the greatest total weight
    #[arg(long)]
    maximum: bool,

    /// Prove that no forest is better, independently of the algorithm
    #[arg(long)]
    verify: bool,

    /// The file for the edges of the forest; `-` for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    #[command(flatten)]
    out: OutputArguments,
}

/// What was found.
struct Outcome {
    found: Arborescence,
    order: Order,
    solve: Duration,
    /// The time of the proof; none if nobody asked for it.
    verify: Option<Duration>,
    write: Option<Duration>,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let request = InputRequest::resolve(self.input.apply()?, NanChoice::Error);
        let (request, to) = self.out.resolve(self.output.as_deref(), request)?;
        if let Some(to) = to.as_ref().filter(|to| to.format == ForestFormat::Newick) {
            anyhow::bail!(
                "{}: Newick does not hold the directions of edges; write .csv",
                to.output
            );
        }
        let file = self.root.as_ref().and_then(VertexChoice::file);
        file_roles::check(
            &[("graph", request.source.file()), ("list of roots", file)],
            &[("forest", to.as_ref().map(|to| &to.output))],
        )?;
        let mut input = request.load()?;
        directions::check(&mut input)?;
        let order = if self.maximum { Order::Maximum } else { Order::Minimum };
        input.warn_of_order(order);
        let roots = match &self.root {
            None => Vec::new(),
            Some(choice) => {
                let names = VertexNames::new(input.parsed.names.clone());
                choice.vertices(&names, input.parsed.graph.vertices(), "`--root`")?
            }
        };
        let mut outcome = find(&input, &roots, order, self.verify)?;
        request.refuse_changes(&input)?;
        let start = Instant::now();
        if let Some(to) = &to {
            let _stage = Stage::start(&format!("writing {}", to.output));
            forest_file::write(to, &input, outcome.found.ids())?;
            outcome.write = Some(start.elapsed());
        }
        let record = report::Record::new((&request, to.as_ref()), &input, &outcome);
        self.out.report(to.as_ref(), &record, || report::sheet(&record, &outcome, &input))?;
        Ok(Answer::Yes)
    }
}

fn find(
    input: &InputGraph,
    roots: &[Vertex],
    order: Order,
    verify: bool,
) -> anyhow::Result<Outcome> {
    let graph = &input.parsed.graph;
    let start = Instant::now();
    let found = {
        let _stage = Stage::start("solving");
        arborescence(graph, roots, order, &mut Run::new()).map_err(|error| explain(error, input))?
    };
    let solve = start.elapsed();
    let start = Instant::now();
    if verify {
        let _stage = Stage::start("verifying");
        found.verify(graph).map_err(|flaw| anyhow::anyhow!("the forest is wrong: {flaw}"))?;
    }
    let verify = verify.then(|| start.elapsed());
    Ok(Outcome { found, order, solve, verify, write: None })
}

/// The most vertices that a refusal names.
const MOST_NAMED: usize = 10;

/// The reason why there is no forest, with the names of vertices.
fn explain(error: ArborescenceError, input: &InputGraph) -> anyhow::Error {
    let ArborescenceError::Unreached { unreached } = error else { return error.into() };
    let names = unreached.iter().take(MOST_NAMED).map(|&vertex| name(input, vertex));
    let mut listed = names.collect::<Vec<_>>().join(", ");
    if unreached.len() > MOST_NAMED {
        listed += &format!(" and {} more", unreached.len() - MOST_NAMED);
    }
    anyhow::anyhow!(
        "no path leads from the roots to {listed}; name more roots, or omit `--root` for a forest \
         with as few trees as possible"
    )
}

/// A vertex as the input names it.
fn name(input: &InputGraph, vertex: Vertex) -> String {
    match &input.parsed.names {
        Some(names) => on_one_line(&names[vertex as usize]).to_string(),
        None => vertex.to_string(),
    }
}
