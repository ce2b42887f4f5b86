//! `kostra completions`: a completion script, made from the definition of the command line.
//!
//! Generated graphs have a syntax of their own, which the scripts of clap do not know. In bash, zsh
//! and fish, the script calls this command for a word that begins with `gen:`.

mod generated;

use clap::Parser;
use clap_complete::Shell;

use crate::command::{Answer, Command};
use crate::output;

/// Print a completion script for a shell.
#[derive(Parser)]
#[command(
    name = "completions",
    after_help = "\
Examples:
  kostra completions bash > ~/.local/share/bash-completion/completions/kostra
  kostra completions fish > ~/.config/fish/completions/kostra.fish

In bash, zsh and fish, the script also completes generated graphs (`gen:`)."
)]
pub(super) struct Arguments {
    /// The shell that runs the script
    #[arg(value_enum, required = true)]
    shell: Option<Shell>,

    /// Print how this beginning of the name of a generated graph can go on: for the scripts
    #[arg(long, hide = true, value_name = "WORD", exclusive = true)]
    generated: Option<String>,
}

impl Command for Arguments {
    fn run(self, definition: &clap::Command) -> anyhow::Result<Answer> {
        if let Some(word) = self.generated {
            let lines = generated::continuations(&word).into_iter().map(|line| line + "\n");
            output::print(&lines.collect::<String>())?;
        }
        if let Some(shell) = self.shell {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut definition.clone(), "kostra", &mut script);
            script.extend_from_slice(generated::script(shell).as_bytes());
            output::print(&String::from_utf8(script)?)?;
        }
        Ok(Answer::Yes)
    }
}
