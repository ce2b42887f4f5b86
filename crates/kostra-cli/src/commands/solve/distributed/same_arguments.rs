//! Whether all ranks were started with the same arguments. Ranks with different arguments would
//! wait for each other in different operations.

use std::ffi::OsString;

use clap::CommandFactory;
use kostra_mpi::{Communicator, Refusal};

use crate::commands::solve::arguments::Arguments;

/// The argument that may differ between ranks, because machines may have different numbers of
/// processors.
const MAY_DIFFER: &str = "threads";

/// Compares the arguments of this process with those of rank 0. Collective.
///
/// # Errors
/// When they differ on any rank; the refusal names the first argument that differs.
pub(super) fn agree(world: &Communicator) -> Result<(), Refusal> {
    let own = meaning(std::env::args_os());
    let of_root = world.broadcast_vec(0, own.join("\n").into_bytes());
    let of_root = String::from_utf8_lossy(&of_root);
    world.agree(difference(&own, &of_root.lines().collect::<Vec<_>>()).map_or(Ok(()), Err))
}

/// One line per argument of `kostra solve`, with its value or its default. A line contains no
/// newline.
fn meaning(command_line: impl IntoIterator<Item = OsString>) -> Vec<String> {
    let mut command = Arguments::command();
    // Without the name of the program, the name of the command comes first.
    let arguments = command_line.into_iter().skip(1);
    let Ok(matches) = command.try_get_matches_from_mut(arguments) else { return Vec::new() };
    let line = |argument: &clap::Arg| {
        let name = argument.get_long().map_or_else(
            || argument.get_id().to_string().to_uppercase(),
            |long| format!("--{long}"),
        );
        let values = matches.try_get_raw(argument.get_id().as_str()).ok().flatten();
        let values: Vec<_> =
            values.into_iter().flatten().map(|value| format!("{value:?}")).collect();
        let values = if values.is_empty() { "not given".to_owned() } else { values.join(", ") };
        format!("{name}: {values}")
    };
    let compared = command.get_arguments().filter(|argument| argument.get_id() != MAY_DIFFER);
    compared.map(line).collect()
}

/// The first argument whose value differs from that of rank 0. Both lists have the same arguments.
fn difference(own: &[String], of_root: &[&str]) -> Option<String> {
    let (own, of_root) = own.iter().zip(of_root).find(|(own, of_root)| own != of_root)?;
    let (name, here) = own.split_once(": ").unwrap_or_default();
    let (_, there) = of_root.split_once(": ").unwrap_or_default();
    Some(format!(
        "the argument {name} is not the same as on rank 0: {here} here, {there} there; start all \
         ranks with the same arguments"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(here: &str, there: &str) -> Option<String> {
        let meaning = |text: &str| meaning(text.split_whitespace().map(OsString::from));
        difference(&meaning(here), &meaning(there).iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_difference_is_named() {
        const BASE: &str = "kostra solve x.gr --algorithm mpi-fast";
        assert_eq!(between(BASE, "kostra solve -a mpi-fast x.gr"), None);
        assert_eq!(between(BASE, "kostra solve -a mpi-fast x.gr --threads 3"), None);
        for (other, expected) in [
            (
                "kostra solve x.gr -a mpi-ghs",
                "--algorithm is not the same as on rank 0: \"mpi-fast\" here, \"mpi-ghs\"",
            ),
            (
                "kostra solve y.gr -a mpi-fast",
                "INPUT is not the same as on rank 0: \"x.gr\" here, \"y.gr\" there",
            ),
            (
                "kostra solve x.gr -a mpi-fast --verify",
                "--verify is not the same as on rank 0: \"false\" here, \"true\"",
            ),
            (
                "kostra solve x.gr -a mpi-fast -o f",
                "--output is not the same as on rank 0: not given here, \"f\" there",
            ),
            (
                "kostra solve x.gr -a mpi-fast --set light=7",
                "--set is not the same as on rank 0: not given here, \"light=7\"",
            ),
        ] {
            let found = between(BASE, other).unwrap();
            assert!(found.contains(expected), "{found}");
        }
    }
}
