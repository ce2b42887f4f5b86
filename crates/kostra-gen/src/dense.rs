//! Dense random graphs: as `gnm`, with most of all pairs by default.

use crate::pairs::{pairs, uniform};
use crate::parameters::{self, Parameters, SEED};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "dense",
    summary: "a uniform simple graph with most of all pairs, edges ascending by (u, v)",
    parameters: &[
        ParameterInfo { name: "n", default: "2000", meaning: "vertices" },
        ParameterInfo { name: "m", default: "nine tenths of all pairs", meaning: "edges" },
        parameters::weights("u24"),
        SEED,
    ],
    example: "dense:n=100,m=4000",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let pairs = pairs(vertices);
    // All pairs of 32-bit ids fit 64 bits.
    let given = parameters.integer_if_given("m", 0..=pairs as u64)?;
    let edges = given.unwrap_or((pairs * 9 / 10) as u64);
    uniform(vertices, edges, parameters)
}
