//! `kostra verify`: whether a forest is the minimum spanning forest of a graph.

use std::time::{Duration, Instant};

use kostra::io::Input;
use kostra::{Certificate, Order};
use serde::Serialize;

use crate::args::{Nan, VerifyArgs};
use crate::input::{Graph, Request, Source};
use crate::progress::Stage;
use crate::report::{self, Sheet, count, thousands};
use crate::solve::Verdict;
use crate::{Answer, forest_file, input, output, solve};

/// What the arguments mean.
struct Plan {
    input: Request,
    forest: Input,
    order: Order,
    json: bool,
}

impl Plan {
    fn resolve(args: VerifyArgs) -> anyhow::Result<Self> {
        let plan = Self {
            input: Request::resolve(args.input, Nan::Error),
            forest: input::file(&args.forest),
            order: if args.maximum { Order::Maximum } else { Order::Minimum },
            json: args.json,
        };
        if plan.forest == Input::Stdin && plan.input.source == Source::File(Input::Stdin) {
            anyhow::bail!(
                "the graph and the forest cannot both come from standard input; name a file for one"
            );
        }
        Ok(plan)
    }
}

/// Verifies and reports.
///
/// # Errors
/// When the graph or the forest cannot be read.
pub(crate) fn run(args: VerifyArgs) -> anyhow::Result<Answer> {
    let plan = Plan::resolve(args)?;
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
        solve::verify(&input.graph, plan.order, &ids)?
    };
    let time = start.elapsed();
    plan.input.refuse_changes(&input)?;
    let text = if plan.json {
        report::json(&record(&plan, &input, ids.len(), &verdict, time))?
    } else {
        sheet(&plan, &input, ids.len(), &verdict, time)
    };
    output::print(&text)?;
    Ok(if verdict.is_ok() { Answer::Yes } else { Answer::No })
}

fn sheet(
    plan: &Plan,
    input: &Graph,
    forest_edges: usize,
    verdict: &Verdict,
    time: Duration,
) -> String {
    let kind = kind(plan.order);
    let (forest, graph) = (&plan.forest, &plan.input.source);
    let heading = match verdict {
        Ok(_) => format!("{forest} is the {kind} spanning forest of {graph}"),
        Err(_) => format!("{forest} is NOT the {kind} spanning forest of {graph}"),
    };
    let mut sheet = Sheet::default();
    sheet.gap();
    let vertices = count(input.graph.vertices() as usize, "vertex", "vertices");
    let edges = count(input.graph.edges(), "edge", "edges");
    sheet.line("graph", format!("{vertices}, {edges}"));
    let edges = count(forest_edges, "edge", "edges");
    match verdict {
        Ok(Certificate { components, compared }) => {
            sheet.line(
                "forest",
                format!("{edges}, {}", count(*components as usize, "component", "components")),
            );
            sheet.line(
                "compared",
                format!("{} edges outside the forest", thousands(*compared as u128)),
            );
        }
        Err(violation) => {
            sheet.line("forest", edges);
            sheet.line("fault", violation);
        }
    }
    sheet.notes(&input.notes);
    sheet.gap();
    sheet.times(&[("load", input.load), ("verify", time)]);
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
    /// How many components the graph has; null when the forest is wrong.
    components: Option<u32>,
    /// The first fault; null when there is none.
    violation: Option<String>,
    seconds: Seconds,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    verify: f64,
}

fn record<'a>(
    plan: &Plan,
    input: &'a Graph,
    forest_edges: usize,
    verdict: &Verdict,
    time: Duration,
) -> Record<'a> {
    Record {
        input: plan.input.source.to_string(),
        forest: plan.forest.to_string(),
        vertices: input.graph.vertices(),
        edges: input.graph.edges(),
        forest_edges,
        maximum: plan.order == Order::Maximum,
        verified: verdict.is_ok(),
        components: verdict.as_ref().ok().map(|certificate| certificate.components),
        violation: verdict.as_ref().err().map(ToString::to_string),
        seconds: Seconds { load: input.load.as_secs_f64(), verify: time.as_secs_f64() },
        notes: &input.notes,
    }
}
