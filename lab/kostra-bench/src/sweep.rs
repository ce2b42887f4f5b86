//! Sweeps: one argument that names several solvers or graphs, which differ in one value.
//!
//! Values are separated by `/`. `boruvka-edge:chunk=64/256` is a solver with two values of an
//! option, and `gen:gnm:n=1M,m=2M/8M` are two graphs. Several lists give all combinations.

use anyhow::{Context, Result};
use kostra_core::{Run, Solver};

/// A solver with values of its options.
#[derive(Clone)]
pub(crate) struct Entrant {
    /// The solver.
    pub(crate) solver: &'static dyn Solver,
    /// The options that differ from their defaults or are swept.
    pub(crate) settings: Settings,
}

/// Options with their values.
pub(crate) type Settings = Vec<(String, u64)>;

/// The solvers of an argument such as `boruvka-edge:chunk=64/256:merged-loop=1`.
///
/// # Errors
/// If the solver does not exist, does not have the option, or the value is out of range.
pub(crate) fn entrants(text: &str) -> Result<Vec<Entrant>> {
    let solver = kostra::solver(text.split(':').next().unwrap_or(text))?;
    let (_, all) = combinations(text)?;
    for (name, value) in all.iter().flatten() {
        Run::new().with_option(solver.info(), name, *value)?;
    }
    Ok(all.into_iter().map(|settings| Entrant { solver, settings }).collect())
}

/// The id in such an argument, and all combinations of the values of its options.
///
/// # Errors
/// If an option has no whole numbers.
pub(crate) fn combinations(text: &str) -> Result<(&str, Vec<Settings>)> {
    let (id, options) = text.split_once(':').unwrap_or((text, ""));
    let mut all = vec![Settings::new()];
    for option in options.split(':').filter(|option| !option.is_empty()) {
        let (name, values) = option
            .split_once('=')
            .with_context(|| format!("'{option}' in '{text}' is not OPTION=VALUE"))?;
        let mut next = Vec::new();
        for value in values.split('/') {
            let value: u64 = value
                .parse()
                .with_context(|| format!("'{value}' in '{text}' is not a whole number"))?;
            let with = |settings: &Settings| [&settings[..], &[(name.to_owned(), value)]].concat();
            next.extend(all.iter().map(with));
        }
        all = next;
    }
    Ok((id, all))
}

/// The specs of a spec with lists of values, such as `gnm:n=1M,m=2M/8M`.
pub(crate) fn specs(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for (at, part) in text.split(',').enumerate() {
        let separator = if at == 0 { "" } else { "," };
        let (name, values) = part.split_at(part.find('=').map_or(0, |equals| equals + 1));
        let with = |value: &str| -> Vec<String> {
            all.iter().map(|start| format!("{start}{separator}{name}{value}")).collect()
        };
        all = values.split('/').flat_map(with).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_an_option_is_an_entrant() {
        let settings = |text| {
            let all = entrants(text).unwrap().into_iter();
            all.map(|entrant| entrant.settings.iter().map(|(_, value)| *value).collect()).collect()
        };
        let all: Vec<Vec<u64>> = settings("boruvka-edge:chunk=64/128:merged-loop=0/1");
        assert_eq!(all, [[64, 0], [128, 0], [64, 1], [128, 1]]);
        let all: Vec<Vec<u64>> = settings("kruskal");
        assert_eq!(all, [[0_u64; 0]]);
    }

    #[test]
    fn wrong_options_are_refused_before_any_work() {
        let message = |text| entrants(text).err().map(|error| format!("{error:#}"));
        for (text, expected) in [
            ("kruskall", "there is no algorithm 'kruskall'; did you mean kruskal?"),
            ("kruskal:gamma=2", "kruskal has no option 'gamma'; it has none"),
            ("boruvka-edge:chunk", "'chunk' in 'boruvka-edge:chunk' is not OPTION=VALUE"),
            ("boruvka-edge:merged-loop=2", "merged-loop must be one of off, on, not 2"),
        ] {
            assert_eq!(message(text).as_deref(), Some(expected));
        }
        let message = message("boruvka-edge:chunk=x").unwrap();
        assert!(message.starts_with("'x' in 'boruvka-edge:chunk=x' is not a whole number"));
    }

    #[test]
    fn every_value_of_a_parameter_is_a_graph() {
        assert_eq!(
            specs("gen:gnm:n=1k/2k,m=3k/4k,seed=5"),
            [
                "gen:gnm:n=1k,m=3k,seed=5",
                "gen:gnm:n=2k,m=3k,seed=5",
                "gen:gnm:n=1k,m=4k,seed=5",
                "gen:gnm:n=2k,m=4k,seed=5"
            ]
        );
        assert_eq!(specs("gen:path"), ["gen:path"]);
    }
}
