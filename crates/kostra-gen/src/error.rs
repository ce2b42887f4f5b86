//! The errors of specs.

use kostra_core::{GraphError, MAX_EDGES, MAX_VERTICES};
use thiserror::Error;

/// The reason why a spec gives no graph, with a proposal.
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
    /// The text between two commas is not `key=value`.
    #[error("`{text}` is not a parameter; write `key=value`, with commas between parameters")]
    MalformedParameter {
        /// The text.
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
    /// The parameter does not know the value.
    #[error("`{name}={value}` is not one of the kinds that there are; choose from {choices}")]
    UnknownChoice {
        /// The parameter.
        name: &'static str,
        /// Its value as it was given.
        value: String,
        /// All known values.
        choices: String,
    },
    /// A number is too small or too large.
    #[error("`{name}={value}` is out of range; it must be from {least} to {most}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The lowest possible value with the other parameters.
        least: u64,
        /// The highest possible value with the other parameters.
        most: u64,
    },
    /// A real number is too small or too large, or the text is not a number.
    #[error("`{name}={value}` is not a number from {least} to {most}")]
    RealOutOfRange {
        /// The parameter.
        name: &'static str,
        /// Its value as it was given.
        value: String,
        /// The lowest possible value.
        least: f64,
        /// The highest possible value.
        most: f64,
    },
    /// The sum of the R-MAT probabilities is above one.
    #[error(
        "a + b + c is {sum}, but the probabilities of three quadrants must leave at least 0 for the fourth"
    )]
    QuadrantsAboveOne {
        /// The sum.
        sum: f64,
    },
    /// More vertices than 32-bit ids can name.
    #[error(
        "this would make {vertices} vertices, more than the {MAX_VERTICES} that 32-bit ids can name"
    )]
    TooManyVertices {
        /// The number.
        vertices: u128,
    },
    /// More edges than 32-bit ids can name.
    #[error("this would make {edges} edges, more than the {MAX_EDGES} that 32-bit ids can name")]
    TooManyEdges {
        /// The number.
        edges: u128,
    },
    /// The system refuses the memory.
    #[error(
        "this takes {bytes} bytes of memory, more than the system gives; ask for a smaller graph"
    )]
    OutOfMemory {
        /// The requested bytes.
        bytes: u128,
    },
    /// The generated arrays are not a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// The proposal for an unknown name: the most similar known name, or all names if none is similar.
pub(crate) fn advice<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = known.clone().min_by_key(|candidate| strsim::damerau_levenshtein(name, candidate));
    match near {
        Some(near) if strsim::damerau_levenshtein(name, near) <= near.len().min(name.len()) / 2 => {
            format!("did you mean `{near}`?")
        }
        _ => format!("there are {}", listed(known)),
    }
}

/// The names in backticks, separated by commas.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
