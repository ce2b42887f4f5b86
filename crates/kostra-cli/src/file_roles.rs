//! Which file of a command has which role. A file has one role only.

use std::path::Path;

use kostra_core::shown;
use kostra_io::{Input, Output, is_same_file};

/// Refuses a standard stream in two roles, an output that replaces an input, and one output in two
/// roles. Each file comes with the name of its role, such as "graph".
///
/// # Errors
/// When a file has two roles.
pub(crate) fn check(
    inputs: &[(&str, Option<&Input>)],
    outputs: &[(&str, Option<&Output>)],
) -> anyhow::Result<()> {
    let standard = inputs.iter().filter(|(_, input)| *input == Some(&Input::Stdin));
    if let Some([first, second]) = two(standard.map(|(role, _)| *role)) {
        anyhow::bail!(
            "standard input cannot provide both the {first} and the {second}; name a file for one \
             of them"
        );
    }
    let standard = outputs.iter().filter(|(_, output)| output.is_some_and(Output::is_stdout));
    if let Some([first, second]) = two(standard.map(|(role, _)| *role)) {
        anyhow::bail!(
            "standard output cannot hold both the {first} and the {second}; name a file for one of \
             them"
        );
    }
    let replaced: Vec<_> = outputs
        .iter()
        .filter_map(|&(role, output)| Some((role, replaced_path(output?)?)))
        .collect();
    for (place, (role, path)) in replaced.iter().enumerate() {
        for (input_role, input) in inputs {
            if let Some(Input::Path(input)) = input
                && is_same_file(path, input)
            {
                anyhow::bail!(
                    "{}: writing the {role} would replace the {input_role}; name another file",
                    shown(path)
                );
            }
        }
        for (other, path_of_other) in replaced.iter().take(place) {
            if is_same_file(path, path_of_other) {
                anyhow::bail!("{}: the {other} and the {role} need different files", shown(path));
            }
        }
    }
    Ok(())
}

/// The first two roles; none if there are fewer.
fn two<'a>(mut roles: impl Iterator<Item = &'a str>) -> Option<[&'a str; 2]> {
    Some([roles.next()?, roles.next()?])
}

/// The path of an output that creates or replaces a file.
fn replaced_path(output: &Output) -> Option<&Path> {
    match output {
        Output::Path(path) if output.is_replaced() => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_two_roles_is_refused_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("graph"), "0 1\n").unwrap();
        std::fs::hard_link(path("graph"), path("same")).unwrap();
        let graph = Input::Path(path("graph"));
        let refusal = |output: &str| {
            let output = Output::Path(path(output));
            check(&[("graph", Some(&graph))], &[("forest", Some(&output))])
        };
        let said = refusal("same").unwrap_err().to_string();
        assert!(said.contains("same: writing the forest would replace the graph"), "{said}");
        assert!(refusal("graph").is_err());
        assert!(refusal("../no such folder/graph").is_ok());
        assert!(refusal("other").is_ok());

        let new = Output::Path(path("new"));
        let twice = check(&[], &[("graph", Some(&new)), ("map", Some(&new))]);
        assert!(twice.unwrap_err().to_string().contains("the graph and the map need"));

        let standard = [("graph", Some(&Input::Stdin)), ("forest", Some(&Input::Stdin))];
        let said = check(&standard, &[]).unwrap_err().to_string();
        assert!(said.contains("both the graph and the forest"), "{said}");
        let standard = [("graph", Some(&Output::Stdout)), ("map", Some(&Output::Stdout))];
        let said = check(&[], &standard).unwrap_err().to_string();
        assert!(said.contains("cannot hold both the graph and the map"), "{said}");
    }
}
