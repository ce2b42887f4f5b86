//! `kostra solve`: finds a spanning forest, and reports its weight and the time of each step.
//!
//! `arguments` is what the user typed, and `plan` is what it means; `constraints` are a part of
//! both. `local` carries out a plan in this process, with `constrained` if there are constraints,
//! `external` if the edges do not fit into memory, and `distributed` on the ranks of an MPI job.
//! All return an `outcome`, which `report` prints.

mod arguments;
mod constrained;
mod constraints;
#[cfg(feature = "mpi")]
mod distributed;
mod external;
mod local;
mod outcome;
mod plan;
mod report;

use kostra_core::{GraphError, SolveError};
use kostra_io::{ReadError, ReadErrorKind};

use crate::command::{Answer, Command};
use crate::failure;
use crate::input::GraphSource;
pub(super) use arguments::Arguments;
#[cfg(feature = "mpi")]
pub(crate) use distributed::let_rank_0_report;
use plan::Plan;

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        #[cfg(feature = "mpi")]
        return distributed::run(self, run_here);
        #[cfg(not(feature = "mpi"))]
        run_here(self)
    }
}

/// Adds to an error about the memory of a file's graph that `--memory` needs less. Some formats are
/// not read in blocks, so the sentence says which graphs it is for.
fn name_the_way_out(plan: &Plan, error: anyhow::Error) -> anyhow::Error {
    let is_solver = matches!(error.downcast_ref(), Some(SolveError::OutOfMemory { .. }));
    let is_reader = error.downcast_ref::<ReadError>().is_some_and(|error| {
        matches!(
            error.kind,
            ReadErrorKind::OutOfMemory { .. }
                | ReadErrorKind::Graph(GraphError::TooManyEdges { .. })
        )
    });
    match plan.input.source {
        GraphSource::File(_) if is_solver || is_reader => {
            anyhow::anyhow!(
                "{}; if the file is a list of many more edges than vertices, `--memory SIZE` \
                 solves the graph without holding its edges",
                failure::sentence(&error)
            )
        }
        _ => error,
    }
}

/// Solves in this process.
fn run_here(arguments: Arguments) -> anyhow::Result<Answer> {
    let plan = Plan::resolve(arguments)?;
    let outcome = match &plan.external {
        Some(external) => {
            external::run(external, &plan.input, plan.order, plan.output.as_ref(), plan.verify)?
        }
        None => local::run(&plan).map_err(|error| name_the_way_out(&plan, error))?,
    };
    report::print(&plan, &outcome)?;
    Ok(match outcome.verified {
        Some(Err(_)) => Answer::No,
        Some(Ok(_)) | None => Answer::Yes,
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use kostra_testkit::small_device::{REASON, with_small_device};

    use super::*;

    #[test]
    fn a_report_says_why_the_processor_solved_a_graph_that_no_device_takes() {
        let solve = |line: &[&str]| {
            let plan = Plan::resolve(Arguments::try_parse_from(line).unwrap()).unwrap();
            let outcome = with_small_device(|| local::run(&plan)).unwrap();
            (report::text(&plan, &outcome).unwrap(), outcome)
        };
        let graph = "gen:grid:side=3";
        let (text, outcome) = solve(&["solve", graph, "--verify", "--threads", "1"]);
        assert!(matches!(outcome.verified, Some(Ok(_))));
        assert!(text.contains("kruskal on one thread") && text.contains(REASON), "{text}");
        let (text, _) = solve(&["solve", graph, "--json", "--trace"]);
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(record["algorithm"], "kruskal");
        assert!(record["device"].is_null() && record["seconds"]["upload"].is_null(), "{text}");
        assert!(record["notes"].as_array().unwrap().contains(&REASON.into()), "{text}");
        let (text, _) = solve(&["solve", graph, "--device", "cpu"]);
        assert!(!text.contains("small-device"), "{text}");
    }
}
