//! Errors in the arguments. Clap prints them, in several lines; this module adds what Clap does not
//! know.

use std::error::Error;
use std::ffi::OsString;
use std::num::ParseIntError;

use clap::ValueHint;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::{EXIT_CODE, explain};
use crate::{commands, output};

/// Options that people look for, and how to get what they want without them.
const ABSENT: [(&[&str], &str); 4] = [
    (&["--force", "--require", "--must"], "`--include` names edges that the forest contains"),
    (&["--forbid", "--without", "--avoid"], "`--exclude` names edges that the forest avoids"),
    (
        &["--terminals", "--terminal", "--steiner"],
        "a tree that joins only some vertices is a Steiner tree, which kostra does not find; its \
         trees join all vertices",
    ),
    (
        &["--start", "--start-vertex"],
        "the forest does not depend on a start vertex; `--root` directs the edges that are written",
    ),
];

/// Prints an error in the arguments, or the help text that the user asked for. Returns the exit
/// code.
pub(crate) fn show(mut usage: clap::Error, arguments: &[OsString]) -> u8 {
    if usage.kind() == ErrorKind::InvalidUtf8
        && let Some(sentence) = not_utf_8(arguments)
    {
        explain(&anyhow::Error::msg(sentence));
        return EXIT_CODE;
    }
    // Its own words are "invalid digit found in string".
    if usage.source().is_some_and(<dyn Error + 'static>::is::<ParseIntError>) {
        let tip = "pass a whole number, 0 or more".into();
        usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    usage = explained(usage);
    if usage.use_stderr() {
        let _ = usage.print(); // no stream is left for an error about standard error
        return EXIT_CODE;
    }
    match output::printing(|| usage.print()) {
        Ok(()) => 0,
        Err(error) => {
            explain(&error);
            EXIT_CODE
        }
    }
}

/// Adds a tip to an error about an option that the command does not have.
fn explained(mut usage: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(name)) = usage.get(ContextKind::InvalidArg)
        && usage.kind() == ErrorKind::UnknownArgument
        && let Some(tip) = way_out(name)
    {
        usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        // An option with a similar name is another one.
        usage.remove(ContextKind::SuggestedArg);
    }
    usage
}

/// How to get what an option promises that the command does not have.
fn way_out(option: &str) -> Option<String> {
    if let Some((_, tip)) = ABSENT.iter().find(|(names, _)| names.contains(&option)) {
        return Some((*tip).to_owned());
    }
    let name = option.strip_prefix("--")?;
    let has =
        |command: &&clap::Command| command.get_arguments().any(|it| it.get_long() == Some(name));
    let definition = commands::definition();
    let commands: Vec<_> = definition
        .get_subcommands()
        .filter(has)
        .map(|command| format!("`kostra {}`", command.get_name()))
        .collect();
    let (last, others) = commands.split_last()?;
    let list = match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    };
    Some(format!("'{option}' is an option of {list}"))
}

/// Options whose value is a column, which also has a position.
const OF_COLUMNS: [&str; 5] = ["--source", "--target", "--weight", "--id", "--keep"];

/// Why a value that is not UTF-8 is refused. The names of files may have any bytes.
fn not_utf_8(arguments: &[OsString]) -> Option<String> {
    let definition = commands::definition();
    let command = definition.find_subcommand(arguments.get(1)?)?;
    let is_text = |option: &str| {
        let long = option.strip_prefix("--");
        let mut all = command.get_arguments();
        let found = all.find(|it| it.get_long() == long && long.is_some())?;
        (found.get_value_hint() == ValueHint::Unknown).then_some(())
    };
    let wrong = (2..arguments.len()).find_map(|at| {
        let text = &arguments[at];
        let lossy = text.to_str().map_or_else(|| Some(text.to_string_lossy()), |_| None)?;
        let option = match lossy.split_once('=') {
            Some((option, _)) if option.starts_with("--") => option.to_owned(),
            _ => arguments[at - 1].to_str()?.to_owned(),
        };
        is_text(&option).map(|()| (option, text))
    });
    let (option, text) = wrong?;
    let position = match OF_COLUMNS.contains(&&*option) {
        true => format!(", or name the column by its position, such as `{option} 1`"),
        false => String::new(),
    };
    Some(format!(
        "`{option}`: {text:?} is not UTF-8, and the names in files are read as UTF-8; \
         type it in UTF-8{position}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tip(line: &[&str]) -> String {
        let usage = commands::definition().try_get_matches_from(line).unwrap_err();
        explained(usage).to_string()
    }

    #[test]
    fn options_that_people_look_for_have_a_way_out() {
        for (names, tip_of_all) in ABSENT {
            for name in names {
                let shown = tip(&["kostra", "solve", "a.gr", name]);
                assert!(shown.contains(&tip_of_all[..20]), "{name}");
            }
        }
    }

    #[test]
    fn options_of_other_commands_name_these() {
        let shown = tip(&["kostra", "solve", "a.gr", "--min-samples", "5"]);
        assert!(
            shown.contains("'--min-samples' is an option of `kostra tree` and `kostra cluster`")
        );
        assert!(!shown.contains("similar argument"), "{shown}");
        let shown = tip(&["kostra", "solve", "a.gr", "--threds", "2"]);
        assert!(shown.contains("'--threads'"), "{shown}");
    }

    #[cfg(unix)]
    #[test]
    fn values_that_are_not_utf_8_are_named_with_their_option() {
        use std::os::unix::ffi::OsStringExt;
        let word = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let line = |words: &[&[u8]]| words.iter().map(|bytes| word(bytes)).collect::<Vec<_>>();
        let said = not_utf_8(&line(&[b"kostra", b"solve", b"\xff.csv", b"--weight", b"d\xe9lka"]));
        let said = said.unwrap();
        assert!(said.starts_with("`--weight`: \"d\\xE9lka\" is not UTF-8"), "{said}");
        assert!(said.ends_with("such as `--weight 1`"), "{said}");
        let said = not_utf_8(&line(&[b"kostra", b"solve", b"a", b"--delimiter=\xe9"])).unwrap();
        assert!(said.starts_with("`--delimiter`") && said.ends_with("type it in UTF-8"), "{said}");
    }
}
