//! `kostra man`: manual pages, made from the definition of the command line.

use anyhow::Context;
use clap::Parser;

use crate::command::{Answer, Command};
use crate::output;

/// Print a manual page.
#[derive(Parser)]
#[command(
    name = "man",
    after_help = "\
Examples:
  kostra man > ~/.local/share/man/man1/kostra.1
  kostra man solve > ~/.local/share/man/man1/kostra-solve.1"
)]
pub(super) struct Arguments {
    /// Print the page of this command instead of the page of `kostra`
    command: Option<String>,
}

impl Command for Arguments {
    fn run(self, definition: &clap::Command) -> anyhow::Result<Answer> {
        let mut definition = definition.clone();
        // `build` gives each subcommand the name of its page, such as `kostra-solve`.
        definition.build();
        let described = match self.command {
            None => definition,
            Some(name) => definition
                .find_subcommand(&name)
                .with_context(|| format!("there is no command '{name}'; `kostra help` lists them"))?
                .clone(),
        };
        let mut page = Vec::new();
        clap_mangen::Man::new(described).render(&mut page)?;
        output::print(&String::from_utf8(page)?)?;
        Ok(Answer::Yes)
    }
}
