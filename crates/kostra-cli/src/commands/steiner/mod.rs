//! `kostra steiner`: a cheap tree that joins some vertices of a graph.

mod terminals;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Parser, ValueHint};
use kostra::variants::{SteinerOptions, SteinerTree, steiner_tree};
use kostra_core::{Observer, Run, Vertex};
use serde::Serialize;

use crate::arguments::{LimitedInput, NanChoice};
use crate::command::{Answer, Command};
use crate::file_roles;
use crate::forest_file::{self, Destination, OutputArguments};
use crate::input::{InputGraph, InputRequest};
use crate::interrupt::SoftInterrupt;
use crate::progress::Stage;
use crate::report::{self, JsonNumber, Sheet, count};
use crate::vertex_names::VertexChoice;

/// Find a cheap tree that joins some vertices of a graph.
#[derive(Parser)]
#[command(
    name = "steiner",
    after_help = "\
Examples:
  kostra steiner roads.csv --terminals Albury,Benalla,Cobram -o cables.csv
  kostra steiner roads.gr.gz --terminals @villages.txt --json
  kostra steiner instance.stp
  kostra steiner roads.csv --terminals @villages.txt --time-limit 60 --rounds 1000

The tree may pass other vertices, too. Its weight is near the least possible: the
report has a lower bound, and how far the weight is above it at most. Ctrl-C ends
the search, and the best tree so far is the answer; a second one ends the command.

Without --time-limit, the tree is the same on any machine, for any number of
threads. `kostra draw roads.csv cables.csv -o cables.svg` draws it."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: LimitedInput,

    /// The vertices to join: their names or numbers, or a file with one on each line [default: the
    /// terminals of an .stp file]
    #[arg(long, value_name = "VERTEX,...|@FILE")]
    terminals: Option<VertexChoice>,

    /// The most rounds of the search after the first improvements; 0 for none
    #[arg(long, value_name = "N", default_value_t = SteinerOptions::default().rounds)]
    rounds: u32,

    /// End the search after this time, with the best tree so far
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,

    /// The file for the edges of the tree; `-` for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    #[command(flatten)]
    out: OutputArguments,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "it must be a number of seconds from 0".to_owned())
}

/// What was found.
struct Outcome {
    terminals: Vec<Vertex>,
    tree: SteinerTree,
    solve: Duration,
    write: Option<Duration>,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let request = InputRequest::resolve(self.input.apply()?, NanChoice::Error);
        let (mut request, to) = self.out.resolve(self.output.as_deref(), request)?;
        request.options.terminals = true;
        let file = self.terminals.as_ref().and_then(VertexChoice::file);
        file_roles::check(
            &[("graph", request.source.file()), ("list of terminals", file)],
            &[("tree", to.as_ref().map(|to| &to.output))],
        )?;
        let mut input = request.load()?;
        let mut terminals = terminals::of_graph(self.terminals.as_ref(), &mut input)?;
        terminals.sort_unstable();
        terminals.dedup();
        let options =
            SteinerOptions { rounds: self.rounds, time_limit: self.time_limit, improve: true };
        let start = Instant::now();
        let tree = find(&request, &input, &terminals, &options)?;
        let solve = start.elapsed();
        request.refuse_changes(&input)?;
        if !tree.is_complete() {
            input.notes.push("the search ended early, so this is the best tree so far".to_owned());
        }
        let start = Instant::now();
        let write = to.as_ref().map(|to| forest_file::write(to, &input, tree.ids())).transpose()?;
        let write = write.map(|()| start.elapsed());
        let outcome = Outcome { terminals, tree, solve, write };
        let record = Record::new((&request, to.as_ref()), &input, &outcome);
        self.out.report(to.as_ref(), &record, || sheet(&record, &outcome, &input))?;
        Ok(Answer::Yes)
    }
}

/// Finds the tree, and ends the search at the first Ctrl-C.
fn find(
    request: &InputRequest,
    input: &InputGraph,
    terminals: &[Vertex],
    options: &SteinerOptions,
) -> anyhow::Result<SteinerTree> {
    let stage = Stage::start("searching");
    let mut watcher = SearchWatcher { stage, interrupt: SoftInterrupt::start() };
    let mut run = Run::new().on_threads(request.threads.wanted()).observed_by(&mut watcher);
    steiner_tree(&input.parsed.graph, terminals, options, &mut run)
        .map_err(|error| terminals::explain(error, input))
}

/// Shows the progress of a search, and ends it when the user does.
struct SearchWatcher {
    stage: Stage,
    interrupt: SoftInterrupt,
}

impl Observer for SearchWatcher {
    fn phase_started(&mut self, name: &'static str) {
        self.stage.say(format!("searching: {name}"));
    }

    fn progress(&mut self, done: u64, total: u64) {
        if total > 1 {
            self.stage.steps(done, total);
        }
    }

    fn cancelled(&self) -> bool {
        self.interrupt.is_asked()
    }
}

/// The report as JSON.
#[derive(Serialize)]
struct Record<'a> {
    input: String,
    vertices: u32,
    edges: usize,
    terminals: usize,
    /// The vertices of the tree that are no terminals.
    junctions: usize,
    tree_edges: usize,
    total_weight: JsonNumber,
    lower_bound: JsonNumber,
    /// Null if the bound is 0 and the total is not.
    gap: Option<f64>,
    /// The total of the first tree, which is at most twice the least.
    first_weight: JsonNumber,
    /// Whether the search ended by itself.
    complete: bool,
    output: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    solve: f64,
    /// Null if nothing is written.
    write: Option<f64>,
}

impl<'a> Record<'a> {
    fn new(
        (request, to): (&InputRequest, Option<&Destination>),
        input: &'a InputGraph,
        outcome: &Outcome,
    ) -> Self {
        let Outcome { terminals, tree, solve, write } = outcome;
        Self {
            input: request.source.to_string(),
            vertices: input.parsed.graph.vertices(),
            edges: input.parsed.graph.edges(),
            terminals: terminals.len(),
            junctions: terminals::junctions(input, tree.ids(), terminals),
            tree_edges: tree.ids().len(),
            total_weight: JsonNumber(tree.total()),
            lower_bound: JsonNumber(tree.lower_bound()),
            gap: Some(tree.gap()).filter(|gap| gap.is_finite()),
            first_weight: JsonNumber(tree.first_total()),
            complete: tree.is_complete(),
            output: to.map(|to| to.output.to_string()),
            seconds: Seconds {
                load: input.load.as_secs_f64(),
                solve: solve.as_secs_f64(),
                write: write.map(|write| write.as_secs_f64()),
            },
            notes: &input.notes,
        }
    }
}

fn sheet(record: &Record<'_>, outcome: &Outcome, input: &InputGraph) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(record.vertices.into(), "vertex", "vertices");
    sheet.line("graph", format!("{vertices}, {}", count(record.edges as u64, "edge", "edges")));
    let terminals = count(record.terminals as u64, "terminal", "terminals");
    let junctions = count(record.junctions as u64, "other vertex", "other vertices");
    let edges = count(record.tree_edges as u64, "edge", "edges");
    sheet.line("tree", format!("{edges}, {terminals} and {junctions}"));
    sheet.line("total weight", report::weight(outcome.tree.total()));
    let bound = report::weight(outcome.tree.lower_bound());
    sheet.line("at least", format!("{bound} in any tree that joins the terminals"));
    sheet.line(
        "gap",
        match record.gap {
            Some(0.0) => "none: no tree is lighter".to_owned(),
            Some(gap) => format!("{:.2} % at most", gap * 100.0),
            None => "not known".to_owned(),
        },
    );
    if let Some(to) = &record.output {
        sheet.line("written", to);
    }
    sheet.notes(record.notes);
    sheet.gap();
    let mut times = vec![("load", input.load), ("solve", outcome.solve)];
    times.extend(outcome.write.map(|write| ("write", write)));
    sheet.times(&times);
    format!("Steiner tree of {}\n{sheet}", record.input)
}
