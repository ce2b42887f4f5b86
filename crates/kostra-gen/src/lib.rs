//! Graphs made from a line of text: `road:n=1000000,seed=7`.
//!
//! The same text makes the same graph on every machine and in every version: randomness is keyed by
//! position (which edge, which junction), comes from a generator of our own, and no arithmetic in
//! it depends on a mathematics library. Every graph is made in the memory of its final arrays (12
//! bytes an edge with 32-bit weights) and a little scratch by vertex; a graph that 32-bit ids or
//! the memory cannot hold is refused before it is begun.
//!
//! ```
//! let made = kostra_gen::generate("grid:rows=20,cols=30")?;
//! assert_eq!(made.graph.vertices(), 600);
//! assert_eq!(made.graph.edges(), 19 * 30 + 20 * 29);
//!
//! let refused = kostra_gen::generate("gird:side=20").unwrap_err();
//! assert_eq!(refused.to_string(), "there is no generator `gird`; did you mean `grid`?");
//! # Ok::<(), kostra_gen::SpecError>(())
//! ```
//!
//! A spec is a generator's name, a colon, and parameters as `key=value` between commas; what is
//! left out has the default that [`generators`] lists. Whole numbers may be written `1000000`,
//! `1_000_000`, `1e6`, `1.5M`, `4k` or `2^20` (`k`, `M` and `G` are powers of ten).
//!
//! Every generator takes a `seed`, and `weights`:
//!
//! | `weights` | type | what they are |
//! |---|---|---|
//! | `u24` | `u32` | uniform in 1 to 2^24 - 1 |
//! | `small` | `u32` | 1, 2 or 3: heavy ties |
//! | `equal` | `u32` | all 1 |
//! | `index` | `u32` | the edge's id: ascending in input order |
//! | `i32`, `i64`, `u64` | as named | uniform over the whole range of the type |
//! | `f32`, `f64` | as named | uniform in [0, 1) |
//! | `length` | `u32` | `road` only: the distance between the ends, in decimetres |

mod builder;
mod caterpillar;
mod complete;
mod cycle;
mod dense;
mod empty;
mod error;
mod gnm;
mod grid;
mod islands;
mod multigraph;
mod number;
mod pairs;
mod parameters;
mod path;
mod random;
mod rmat;
mod road;
mod rows;
mod share;
mod star;
mod weights;

use kostra_core::{AnyGraph, Coordinates};

pub use error::SpecError;
use parameters::Parameters;
use share::Share;

/// What a generator made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The graph.
    pub graph: AnyGraph,
    /// Where its vertices lie, if the generator places them.
    pub coordinates: Option<Coordinates>,
    /// The id of its first edge: 0, unless it is a [part](generate_part).
    pub first: u64,
}

/// A generator, as help texts show it.
#[derive(Debug)]
pub struct GeneratorInfo {
    /// The name that specs use.
    pub id: &'static str,
    /// What it makes, in one line.
    pub summary: &'static str,
    /// Its parameters, all of which have a default.
    pub parameters: &'static [ParameterInfo],
    /// A small spec to copy.
    pub example: &'static str,
    make: fn(&Parameters<'_>) -> Result<Generated, SpecError>,
}

/// A parameter of a generator, as help texts show it.
#[derive(Debug)]
pub struct ParameterInfo {
    /// The key in specs.
    pub name: &'static str,
    /// What it is when it is left out: a value, or the rule that gives one.
    pub default: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
}

static GENERATORS: &[GeneratorInfo] = &[
    road::INFO,
    grid::INFO,
    gnm::INFO,
    rmat::INFO,
    dense::INFO,
    path::INFO,
    star::INFO,
    cycle::INFO,
    caterpillar::INFO,
    complete::INFO,
    islands::INFO,
    empty::INFO,
    multigraph::INFO,
];

/// All generators.
pub fn generators() -> &'static [GeneratorInfo] {
    GENERATORS
}

/// Makes a graph from a text such as `road:n=1000000,seed=7`.
///
/// # Errors
/// When the text names no generator, or a parameter that the generator does not have, or a value
/// out of range; when the graph would have more vertices or edges than 32-bit ids can name; when
/// the memory is not to be had.
pub fn generate(spec: &str) -> Result<Generated, SpecError> {
    make(spec, Share::WHOLE)
}

/// Makes one of `parts` parts of the graph that [`generate`] makes: all its vertices, and a range
/// of its edges, which have the same ends, weights and ids; the parts together, in order, are the
/// graph. `part` counts from 0.
///
/// The parts are made at the same time, by callers that differ in `part` alone: `gather` tells the
/// others a number and returns everybody's, by part. It is called equally often in all parts, two
/// or three times or not at all. Takes the memory of the part (and 16 bytes for each vertex of a
/// `road`), but time as for the whole, for every part goes through all edges and keeps its own.
///
/// # Errors
/// As [`generate`], and then for every part, but for the memory that each needs.
///
/// # Panics
/// When there is no such part.
pub fn generate_part(
    spec: &str,
    part: usize,
    parts: usize,
    gather: &dyn Fn(u64) -> Vec<u64>,
) -> Result<Generated, SpecError> {
    assert!(part < parts, "part {part} of {parts}");
    make(spec, Share::new(part, parts, gather))
}

fn make(spec: &str, share: Share<'_>) -> Result<Generated, SpecError> {
    let (name, list) = spec.split_once(':').unwrap_or((spec, ""));
    let name = name.trim();
    let generator = GENERATORS.iter().find(|generator| generator.id == name).ok_or_else(|| {
        SpecError::UnknownGenerator {
            name: name.to_owned(),
            advice: error::advice(name, GENERATORS.iter().map(|generator| generator.id)),
        }
    })?;
    (generator.make)(&Parameters::parse(generator, list, share)?)
}
