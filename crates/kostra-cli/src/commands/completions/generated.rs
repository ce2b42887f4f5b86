//! Completion of the specs of generated graphs, such as `gen:road:n=1000,seed=7`.

use clap_complete::Shell;
use kostra_gen::generators;

const PREFIX: &str = "gen:";

/// The part of a shell's script that completes specs; empty for shells without one.
pub(super) fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("generated.bash"),
        Shell::Zsh => include_str!("generated.zsh"),
        Shell::Fish => include_str!("generated.fish"),
        _ => "",
    }
}

/// How a spec that begins with `word` can go on, up to the next part that the user chooses: the
/// generators, or the parameters that the spec does not give yet.
pub(super) fn continuations(word: &str) -> Vec<String> {
    let Some(spec) = word.strip_prefix(PREFIX) else { return Vec::new() };
    let Some((id, given)) = spec.split_once(':') else {
        let ids = generators().iter().map(|generator| generator.id);
        return ids.filter(|id| id.starts_with(spec)).map(|id| format!("{PREFIX}{id}")).collect();
    };
    let Some(generator) = generators().iter().find(|generator| generator.id == id) else {
        return Vec::new();
    };
    let last = given.rfind(',').map_or(0, |comma| comma + 1);
    let (before, begun) = given.split_at(last);
    let is_given = |name: &str| {
        before.split(',').any(|pair| pair.split_once('=').is_some_and(|(key, _)| key == name))
    };
    let names = generator.parameters.iter().map(|parameter| parameter.name);
    names
        .filter(|name| name.starts_with(begun) && !is_given(name))
        .map(|name| format!("{PREFIX}{id}:{before}{name}="))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_are_completed() {
        assert_eq!(continuations("gen:").len(), generators().len());
        assert_eq!(continuations("gen:gn"), ["gen:gnm", "gen:gnp"]);
        assert_eq!(continuations("gen:nothing"), [""; 0]);
        assert_eq!(continuations("road"), [""; 0]);
    }

    #[test]
    fn parameters_that_are_not_given_are_completed() {
        let all = continuations("gen:gnm:");
        assert!(all.contains(&"gen:gnm:n=".to_owned()), "{all:?}");
        let others = continuations("gen:gnm:n=5,");
        assert_eq!(others.len(), all.len() - 1, "{others:?}");
        assert!(others.contains(&"gen:gnm:n=5,m=".to_owned()), "{others:?}");
        assert_eq!(continuations("gen:gnm:n=5,m"), ["gen:gnm:n=5,m="]);
        // A value that is being typed.
        assert_eq!(continuations("gen:gnm:n=5,m=1"), [""; 0]);
        assert_eq!(continuations("gen:nothing:"), [""; 0]);
    }
}
