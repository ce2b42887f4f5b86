//! Generators of graphs, which a line of text describes: `road:n=1000000,seed=7`.
//!
//! The same text gives the same graph on every machine, in every version and for any number of
//! threads. Random numbers depend only on the seed and a position, such as an edge or a junction.
//! They come from this crate, and no arithmetic depends on a mathematics library. A generator needs
//! the memory of the final arrays (12 bytes per edge with 32-bit weights) and little scratch memory
//! per vertex; `gnm` and `rmat` also need up to 1 GiB to sort edges. A graph that is too large for
//! 32-bit ids or for the memory is refused before the generator starts, or as soon as it has too
//! many edges. [`Recipe::stream`] passes the edges on without holding the graph.
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
//! A spec is a generator's name, a colon, and parameters `key=value`, separated by commas. Missing
//! parameters have the defaults that [`generators`] lists. Whole numbers may be written `1000000`,
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
//! | `length` | `u32` | `road` only: the distance between the ends, in decimeters |

mod allocation;
mod caterpillar;
mod complete;
mod cycle;
mod draw;
mod drawn;
mod empty;
mod error;
mod geometric;
mod gnm;
mod gnp;
mod grid;
mod islands;
mod mesh;
mod multigraph;
mod number;
mod pairs;
mod parameters;
mod path;
mod power_law;
mod radix_sort;
mod random;
mod real;
mod recipe;
mod rmat;
mod road;
mod selection;
mod share;
mod source;
mod ssca2;
mod star;
mod target;
mod torus;
mod watts_strogatz;
mod weights;

use kostra_core::{AnyGraph, Coordinates};

pub use error::SpecError;
use parameters::Parameters;
use recipe::Made;
pub use recipe::{Options, Recipe, StreamError};
use share::Share;

/// A generated graph.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The graph.
    pub graph: AnyGraph,
    /// The coordinates of its vertices, if the generator has them.
    pub coordinates: Option<Coordinates>,
    /// The id of its first edge: 0, except for a [part](generate_part).
    pub first: u64,
}

/// The description of a generator, for help texts.
#[derive(Debug)]
pub struct GeneratorInfo {
    /// The name in specs.
    pub id: &'static str,
    /// The kind of graph, in one line.
    pub summary: &'static str,
    /// The parameters. All have a default.
    pub parameters: &'static [ParameterInfo],
    /// An example of a spec.
    pub example: &'static str,
    make: fn(&Parameters<'_>) -> Result<Made, SpecError>,
}

/// The description of a parameter, for help texts.
#[derive(Debug)]
pub struct ParameterInfo {
    /// The key in specs.
    pub name: &'static str,
    /// The default: a value, or a rule in words.
    pub default: &'static str,
    /// The meaning in one line.
    pub meaning: &'static str,
}

static GENERATORS: &[GeneratorInfo] = &[
    road::INFO,
    grid::INFO,
    gnm::INFO,
    gnp::INFO,
    rmat::INFO,
    ssca2::INFO,
    watts_strogatz::INFO,
    geometric::PLANE,
    geometric::SPACE,
    power_law::INFO,
    mesh::INFO,
    torus::INFO,
    gnm::DENSE,
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

/// Generates the graph of a spec such as `road:n=1000000,seed=7`, on all processors.
///
/// # Errors
/// When the generator or a parameter is unknown, or a value is out of range. When the graph would
/// have more vertices or edges than 32-bit ids can name, or the system refuses the memory.
pub fn generate(spec: &str) -> Result<Generated, SpecError> {
    Recipe::new(spec)?.generate(&Options::default())
}

/// Generates part `part` of `parts` parts of the graph of [`generate`], counted from 0. A part has
/// all vertices and a range of the edges, with the same ends, weights and ids. The parts in order
/// are the graph.
///
/// All parts must be generated at the same time, by calls that differ only in `part`. `gather`
/// exchanges numbers: it sends the part's number to the other parts and returns the numbers of all
/// parts, indexed by part. All parts call it equally often: two or three times, or never. Memory:
/// that of the part, and 16 bytes per vertex for `road`. Time: that of the whole graph on one
/// thread, because a part generates the edges of other parts as well, unless their ids alone
/// determine them.
///
/// # Errors
/// As [`generate`]. All parts fail alike, except when the system refuses memory.
///
/// # Panics
/// When `part` is not below `parts`.
pub fn generate_part(
    spec: &str,
    part: usize,
    parts: usize,
    gather: &dyn Fn(u64) -> Vec<u64>,
) -> Result<Generated, SpecError> {
    assert!(part < parts, "part {part} of {parts}");
    let share = Share::new(part, parts, gather);
    recipe::make(spec, share)?.generate_share(share, &Options { threads: 1, ..Options::default() })
}
