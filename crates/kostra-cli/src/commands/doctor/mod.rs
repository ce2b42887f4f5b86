//! `kostra doctor`: what Kostra can use on this machine, and why it cannot use the rest.

mod bandwidth;
mod machine;
mod sheet;

use clap::Parser;

use crate::command::{Answer, Command};
use crate::{output, report};
use machine::Machine;
use sheet::sheet;

/// Report what Kostra can use on this machine.
#[derive(Parser)]
#[command(
    name = "doctor",
    after_help = "\
Examples:
  kostra doctor
  kostra doctor --json > machine.json

Measuring the memory takes one or two seconds and 512 MiB. It is omitted if less
than 1 GiB of memory is available."
)]
pub(super) struct Arguments {
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let machine = Machine::examine();
        let text = if self.json { report::json(&machine)? } else { sheet(&machine).to_string() };
        output::print(&text)?;
        Ok(Answer::Yes)
    }
}
