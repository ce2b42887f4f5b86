//! Uniform random graphs G(n, m): every simple graph with n vertices and m edges is equally likely.

use crate::pairs::{pairs, uniform};
use crate::parameters::{self, Parameters, SEED};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

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
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let pairs = pairs(vertices);
    // All pairs of 32-bit ids fit 64 bits.
    let given = parameters.integer_if_given("m", 0..=pairs as u64)?;
    let edges = given.unwrap_or(pairs.min(4 * u128::from(vertices)) as u64);
    uniform(vertices, edges, parameters)
}
