//! Uniform random graphs G(n, m): every simple graph with n vertices and m edges is equally likely.

use crate::pairs::{Uniform, pairs};
use crate::parameters::{self, Parameters, SEED};
use crate::selection::SimpleGraph;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError, allocation};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "gnm",
    summary: "a uniform simple graph with exactly m edges, ascending by (u, v)",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
        ParameterInfo {
            name: "m",
            default: "four times n, or all pairs if fewer",
            meaning: "edges",
        },
        parameters::weights("u24"),
        SEED,
    ],
    example: "gnm:n=1000,m=4000",
    make: |parameters| uniform(parameters, |vertices, pairs| pairs.min(4 * u128::from(vertices))),
};

/// As `gnm`, with most of all pairs by default.
pub(crate) const DENSE: GeneratorInfo = GeneratorInfo {
    id: "dense",
    summary: "a uniform simple graph with most of all pairs, edges ascending by (u, v)",
    parameters: &[
        ParameterInfo { name: "n", default: "2000", meaning: "vertices" },
        ParameterInfo { name: "m", default: "nine tenths of all pairs", meaning: "edges" },
        parameters::weights("u24"),
        SEED,
    ],
    example: "dense:n=100,m=4000",
    make: |parameters| uniform(parameters, |_, pairs| pairs * 9 / 10),
};

/// A simple graph, ascending by `(u, v)`. `default` has the number of edges for the numbers of
/// vertices and pairs.
fn uniform(parameters: &Parameters<'_>, default: fn(u64, u128) -> u128) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let pairs = pairs(vertices);
    // All pairs of 32-bit ids fit 64 bits.
    let given = parameters.integer_if_given("m", 0..=pairs as u64)?;
    let edges = given.unwrap_or_else(|| default(vertices, pairs) as u64);
    let (weights, seed) = parameters.weights_and_seed()?;
    allocation::check_size(vertices.into(), edges.into(), 0)?;
    if u128::from(edges) * 4 > pairs {
        let selection = SimpleGraph::new(vertices, edges, seed);
        return Made::edges(vertices.into(), (weights, seed), selection);
    }
    Made::edges(vertices.into(), (weights, seed), Uniform::new(vertices, edges, seed))
}
