//! `kostra completions`: a completion script, made from the definition of the command line.

use clap::Parser;

use crate::command::{Answer, Command};
use crate::output;

/// Print a completion script for a shell.
#[derive(Parser)]
#[command(
    name = "completions",
    after_help = "\
Examples:
  kostra completions bash > ~/.local/share/bash-completion/completions/kostra
  kostra completions fish > ~/.config/fish/completions/kostra.fish"
)]
pub(super) struct Arguments {
    /// The shell that runs the script
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

impl Command for Arguments {
    fn run(self, definition: &clap::Command) -> anyhow::Result<Answer> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut definition.clone(), "kostra", &mut script);
        output::print(&String::from_utf8(script)?)?;
        Ok(Answer::Yes)
    }
}
