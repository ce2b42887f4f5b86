//! Why a spec makes no graph.

use kostra_core::{GraphError, MAX_EDGES, MAX_VERTICES};
use thiserror::Error;

/// Why a spec makes no graph, and what to write instead.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum SpecError {
    /// No generator has this name.
    #[error("there is no generator `{name}`; {advice}")]
    UnknownGenerator {
        /// The name.
        name: String,
        /// A near name, or all of them.
        advice: String,
    },
    /// The generator has no such parameter.
    #[error("`{generator}` has no parameter `{name}`; {advice}")]
    UnknownParameter {
        /// The generator.
        generator: &'static str,
        /// The parameter.
        name: String,
        /// A near name, or all of them.
        advice: String,
    },
    /// A parameter is given twice.
    #[error("`{name}` is given twice; give it once")]
    DuplicateParameter {
        /// The parameter.
        name: &'static str,
    },
    /// Something between two commas is not `key=value`.
    #[error("`{text}` is not a parameter; write `key=value`, with commas between parameters")]
    MalformedParameter {
        /// What stands there.
        text: String,
    },
    /// A value is not a whole number.
    #[error(
        "`{name}={value}` is not a whole number below 2^64; write it as 1000000, 1_000_000, 1e6, 4k, 1.5M or 2^20"
    )]
    NotAWholeNumber {
        /// The parameter.
        name: &'static str,
        /// Its value as it was given.
        value: String,
    },
    /// A value is not a probability.
    #[error("`{name}={value}` is not a probability; give a number from 0 to 1")]
    NotAProbability {
        /// The parameter.
        name: &'static str,
        /// Its value as it was given.
        value: String,
    },
    /// A value is none of those that the parameter knows.
    #[error("`{name}={value}` is not one of the kinds that there are; choose from {choices}")]
    UnknownChoice {
        /// The parameter.
        name: &'static str,
        /// Its value as it was given.
        value: String,
        /// All values that are known.
        choices: String,
    },
    /// A number is too small or too large.
    #[error("`{name}={value}` is out of range; it must be from {least} to {most}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The least value that is possible, given the other parameters.
        least: u64,
        /// The greatest value that is possible, given the other parameters.
        most: u64,
    },
    /// The probabilities of an R-MAT quadrant add up to more than one.
    #[error(
        "a + b + c is {sum}, but the probabilities of three quadrants must leave at least 0 for the fourth"
    )]
    QuadrantsAboveOne {
        /// What they add up to.
        sum: f64,
    },
    /// More vertices than 32-bit ids can name.
    #[error(
        "this would make {vertices} vertices, more than the {MAX_VERTICES} that 32-bit ids can name"
    )]
    TooManyVertices {
        /// How many it would make.
        vertices: u128,
    },
    /// More edges than 32-bit ids can name.
    #[error("this would make {edges} edges, more than the {MAX_EDGES} that 32-bit ids can name")]
    TooManyEdges {
        /// How many it would make.
        edges: u128,
    },
    /// The system does not give the memory.
    #[error(
        "this takes {bytes} bytes of memory, more than the system gives; ask for a smaller graph"
    )]
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: u128,
    },
    /// The arrays that were made are not a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// What to write instead of an unknown name: the nearest known one if it is near, else any of them.
pub(crate) fn advice<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = known.clone().min_by_key(|candidate| strsim::damerau_levenshtein(name, candidate));
    match near {
        Some(near) if strsim::damerau_levenshtein(name, near) <= near.len().min(name.len()) / 2 => {
            format!("did you mean `{near}`?")
        }
        _ => format!("there are {}", listed(known)),
    }
}

/// Names in backticks between commas.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
