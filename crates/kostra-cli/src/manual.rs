//! `kostra completions` and `kostra man`: what shells and manuals know of the command, made from
//! its arguments.

use anyhow::Context;
use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::{Answer, output};

/// Prints the help text.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn help() -> anyhow::Result<Answer> {
    output::printing(|| Arguments::command().print_help())?;
    Ok(Answer::Yes)
}

/// Prints a completion script.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn completions(args: CompletionsArgs) -> anyhow::Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "kostra", &mut script);
    print(script)
}

/// Prints a page of the manual.
///
/// # Errors
/// When there is no such command, or standard output cannot be written.
pub(crate) fn page(args: ManArgs) -> anyhow::Result<Answer> {
    let mut command = Arguments::command();
    // Building gives subcommands the names that their pages have: `kostra-solve`.
    command.build();
    let command = match args.command {
        None => command,
        Some(name) => {
            let found = command.get_subcommands().find(|subcommand| subcommand.get_name() == name);
            found
                .with_context(|| format!("there is no command '{name}'; `kostra help` lists them"))?
                .clone()
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    print(page)
}

fn print(bytes: Vec<u8>) -> anyhow::Result<Answer> {
    output::print(&String::from_utf8(bytes)?)?;
    Ok(Answer::Yes)
}
