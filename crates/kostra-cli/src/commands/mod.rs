//! The commands. To add one, write a file with a struct that implements [`Command`], and add the
//! struct to [`COMMANDS`]. The help texts, the manual pages and the completions follow.
//!
//! [`Command`]: crate::command::Command

mod alternatives;
mod arborescence;
mod cluster;
mod compare;
mod completions;
mod convert;
mod doctor;
mod draw;
mod generate;
mod info;
mod man;
mod partition;
mod persistence;
mod segment;
mod solve;
mod solvers;
mod steiner;
mod tree;
mod verify;
mod watch;

use clap::{ArgMatches, ValueHint};
use kostra_io::FORMATS;

use crate::command::{Answer, Entry};
use crate::output;

#[cfg(feature = "mpi")]
pub(crate) use solve::let_rank_0_report;

/// All commands, in the order in which `kostra --help` lists them.
const COMMANDS: &[Entry] = &[
    Entry::new::<solve::Arguments>(),
    Entry::new::<verify::Arguments>(),
    Entry::new::<compare::Arguments>(),
    Entry::new::<alternatives::Arguments>(),
    Entry::new::<arborescence::Arguments>(),
    Entry::new::<steiner::Arguments>(),
    Entry::new::<info::Arguments>(),
    Entry::new::<convert::Arguments>(),
    Entry::new::<generate::Arguments>(),
    Entry::new::<partition::Arguments>(),
    Entry::new::<draw::Arguments>(),
    Entry::new::<tree::Arguments>(),
    Entry::new::<cluster::Arguments>(),
    Entry::new::<segment::Arguments>(),
    Entry::new::<persistence::Arguments>(),
    Entry::new::<watch::Arguments>(),
    Entry::new::<solvers::Arguments>(),
    Entry::new::<doctor::Arguments>(),
    Entry::new::<completions::Arguments>(),
    Entry::new::<man::Arguments>(),
];

const ABOUT: &str = "Minimum spanning forests of weighted graphs, and proof that they are correct";

/// The end of `kostra --help`.
fn after_help() -> String {
    let formats = FORMATS.iter().map(|format| format.info());
    let formats: String =
        formats.map(|format| format!("  {:<8} {}\n", format.id, format.summary)).collect();
    format!(
        "\
Examples:
  kostra solve roads.gr.gz --verify         find the forest and prove it minimal
  kostra solve roads.gr.gz -o forest.txt    write the forest's edge ids, one per line
  kostra solve gen:road:n=1000000           solve a generated road network
  kostra verify roads.gr.gz forest.txt      check a forest that another program found

Input formats, plain or compressed with gzip, xz, zstd or bzip2:
{formats}
Exit codes: 0 success; 1 the answer is no; 2 the command line, the input or the
output is at fault; 130 interrupted by Ctrl-C, SIGTERM or SIGHUP."
    )
}

/// The definition of the whole command line.
pub(crate) fn definition() -> clap::Command {
    clap::Command::new("kostra")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(after_help())
        .subcommands(COMMANDS.iter().map(|command| (command.define)().mut_args(taking_negatives)))
}

/// Makes a negative number after an option its value, so that the message names the option. The
/// name of a file is more likely missing.
fn taking_negatives(argument: clap::Arg) -> clap::Arg {
    let has_value = argument.get_action().takes_values() && !argument.is_positional();
    let is_file = argument.get_value_hint() != ValueHint::Unknown;
    argument.allow_negative_numbers(has_value && !is_file)
}

/// Runs the command that the user typed, or prints the help if there is none.
///
/// # Errors
/// When the command fails.
pub(crate) fn run(matches: &ArgMatches, mut definition: clap::Command) -> anyhow::Result<Answer> {
    let found = matches.subcommand().and_then(|(name, matches)| {
        let position = definition.get_subcommands().position(|one| one.get_name() == name)?;
        Some((COMMANDS.get(position)?, matches))
    });
    match found {
        Some((command, matches)) => {
            #[cfg(not(feature = "mpi"))]
            crate::launcher::refuse_several(|name| std::env::var(name).ok())?;
            (command.run)(matches, &definition)
        }
        None => {
            output::printing(|| definition.print_help())?;
            Ok(Answer::Yes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        definition().debug_assert();
    }

    #[test]
    fn examples_in_help_texts_are_valid_command_lines() {
        let definition = definition();
        for command in std::iter::once(&definition).chain(definition.get_subcommands()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<_> = help.lines().filter_map(example).collect();
            assert!(!examples.is_empty(), "{} has no examples", command.get_name());
            for line in examples {
                let parsed = definition.clone().try_get_matches_from(line.split_whitespace());
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }

    /// The first call of `kostra` in a line of examples, without the remark behind it.
    fn example(line: &str) -> Option<&str> {
        let line = &line[line.strip_prefix("  ")?.find("kostra ")? + 2..];
        line.split(['|', '&', '<', '>']).next()?.split("   ").next()
    }
}
