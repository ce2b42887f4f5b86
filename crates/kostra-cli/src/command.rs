//! What a command is.

use clap::{ArgMatches, Parser};

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The work is done, or the answer is yes.
    Yes,
    /// The answer is no.
    No,
}

/// A command. The type is its arguments as the user typed them. Its documentation is the line for
/// the command in `kostra --help`.
pub(crate) trait Command: Parser {
    /// Resolves the arguments and does the work. `definition` describes the whole command line.
    ///
    /// # Errors
    /// When the arguments, the input or the output are at fault.
    fn run(self, definition: &clap::Command) -> anyhow::Result<Answer>;
}

/// A row of the table of commands.
pub(crate) struct Entry {
    /// Describes the arguments.
    pub(crate) define: fn() -> clap::Command,
    /// Parses the arguments and runs the command.
    pub(crate) run: fn(&ArgMatches, &clap::Command) -> anyhow::Result<Answer>,
}

impl Entry {
    /// The row for a command.
    pub(crate) const fn new<C: Command>() -> Self {
        Self {
            define: C::command,
            run: |matches, definition| C::from_arg_matches(matches)?.run(definition),
        }
    }
}
