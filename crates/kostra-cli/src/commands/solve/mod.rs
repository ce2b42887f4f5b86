//! `kostra solve`: finds a spanning forest, and reports its weight and the time of each step.
//!
//! `arguments` is what the user typed, and `plan` is what it means. `local` carries out a plan in
//! this process, `external` if the edges do not fit into memory, and `distributed` on the ranks of
//! an MPI job. All return an `outcome`, which
//! `report` prints.

mod arguments;
#[cfg(feature = "mpi")]
mod distributed;
mod external;
mod local;
mod outcome;
mod plan;
mod report;

use crate::command::{Answer, Command};
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

/// Solves in this process.
fn run_here(arguments: Arguments) -> anyhow::Result<Answer> {
    let plan = Plan::resolve(arguments)?;
    let outcome = match &plan.external {
        Some(external) => external::run(&plan, external)?,
        None => local::run(&plan)?,
    };
    report::print(&plan, &outcome)?;
    Ok(match outcome.verified {
        Some(Err(_)) => Answer::No,
        Some(Ok(_)) | None => Answer::Yes,
    })
}
