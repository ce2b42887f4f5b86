//! `kostra verify`: whether a forest is the minimum spanning forest of a graph.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use clap::{Parser, ValueHint};
use kostra_core::{Certificate, Order};
use kostra_io::Input;
use serde::Serialize;

use crate::arguments::{InputArguments, NanChoice};
use crate::command::{Answer, Command};
use crate::input::{InputGraph, InputRequest};
use crate::progress::Stage;
use crate::report::{self, Sheet, count};
use crate::verdict::{self, Verdict};
use crate::{file_roles, forest_file, input, output};

/// Decide whether a forest is the minimum spanning forest of a graph.
#[derive(Parser)]
#[command(
    name = "verify",
    after_help = "\
Examples:
  kostra solve roads.gr.gz -o forest.txt && kostra verify roads.gr.gz forest.txt
  kostra solve roads.gr.gz -o - | kostra verify roads.gr.gz -

The exit code is 0 if the forest is correct. It is 1 if the forest is wrong; the
report then names the first fault."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// The forest, in a format that `kostra solve -o` writes; `-` for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    forest: OsString,

    /// Compare with the maximum spanning forest
    #[arg(long)]
    maximum: bool,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print no report: the exit code is the answer
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
}

/// What the arguments mean.
struct Plan {
    input: InputRequest,
    forest: Input,
    order: Order,
    json: bool,
    quiet: bool,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let plan = Self {
            input: InputRequest::resolve(arguments.input, NanChoice::Error),
            forest: input::file(&arguments.forest),
            order: if arguments.maximum { Order::Maximum } else { Order::Minimum },
            json: arguments.json,
            quiet: arguments.quiet,
        };
        let graph = plan.input.source.file();
        file_roles::check(&[("graph", graph), ("forest", Some(&plan.forest))], &[])?;
        Ok(plan)
    }
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        let mut input = plan.input.load()?;
        let start = Instant::now();
        let ids = {
            let _stage = Stage::start(&format!("reading {}", plan.forest));
            forest_file::read(&plan.forest, &input)?
        };
        input.load += start.elapsed();
        let start = Instant::now();
        let verdict = {
            let _stage = Stage::start("verifying");
            verdict::verify(&input.parsed.graph, plan.order, &ids)?
        };
        let outcome = Outcome { forest_edges: ids.len(), verdict, time: start.elapsed() };
        plan.input.refuse_changes(&input)?;
        let text = if plan.json {
            report::json(&record(&plan, &input, &outcome))?
        } else {
            sheet(&plan, &input, &outcome)
        };
        if !plan.quiet {
            output::print(&text)?;
        }
        Ok(if outcome.verdict.is_ok() { Answer::Yes } else { Answer::No })
    }
}

/// The result of the verification.
struct Outcome {
    forest_edges: usize,
    verdict: Verdict,
    time: Duration,
}

fn sheet(plan: &Plan, input: &InputGraph, outcome: &Outcome) -> String {
    let Outcome { forest_edges, verdict, time } = outcome;
    let kind = kind(plan.order);
    let (forest, graph) = (&plan.forest, &plan.input.source);
    let heading = match verdict {
        Ok(_) => format!("{forest} is the {kind} spanning forest of {graph}"),
        Err(_) => format!("{forest} is NOT the {kind} spanning forest of {graph}"),
    };
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(input.parsed.graph.vertices().into(), "vertex", "vertices");
    let edges = count(input.parsed.graph.edges() as u64, "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let edges = count(*forest_edges as u64, "edge", "edges");
    match verdict {
        Ok(Certificate { components, compared }) => {
            sheet.line(
                "forest",
                format!("{edges}, {}", count((*components).into(), "component", "components")),
            );
            let compared = count(*compared as u64, "edge", "edges");
            sheet.line("compared", format!("{compared} outside the forest"));
        }
        Err(violation) => {
            sheet.line("forest", edges);
            sheet.line("fault", verdict::fault(violation, input));
        }
    }
    sheet.notes(&input.notes);
    sheet.gap();
    sheet.times(&[("load", input.load), ("verify", *time)]);
    format!("{heading}\n{sheet}")
}

fn kind(order: Order) -> &'static str {
    match order {
        Order::Minimum => "minimum",
        Order::Maximum => "maximum",
    }
}

/// The report as JSON.
#[derive(Serialize)]
struct Record<'a> {
    input: String,
    forest: String,
    vertices: u32,
    edges: usize,
    forest_edges: usize,
    maximum: bool,
    verified: bool,
    /// The number of components of the graph; null if the forest is wrong.
    components: Option<u32>,
    /// The first fault; null if there is none.
    violation: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    verify: f64,
}

fn record<'a>(plan: &Plan, input: &'a InputGraph, outcome: &Outcome) -> Record<'a> {
    let Outcome { forest_edges, verdict, time } = outcome;
    Record {
        input: plan.input.source.to_string(),
        forest: plan.forest.to_string(),
        vertices: input.parsed.graph.vertices(),
        edges: input.parsed.graph.edges(),
        forest_edges: *forest_edges,
        maximum: plan.order == Order::Maximum,
        verified: verdict.is_ok(),
        components: verdict.as_ref().ok().map(|certificate| certificate.components),
        violation: verdict.as_ref().err().map(|violation| verdict::fault(violation, input)),
        seconds: Seconds { load: input.load.as_secs_f64(), verify: time.as_secs_f64() },
        notes: &input.notes,
    }
}
