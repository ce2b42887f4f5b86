//! Stars: one vertex that every edge ends at, so that all work by vertex falls to one, and all
//! atomics meet on it.

use crate::builder::Builder;
use crate::parameters::{self, Parameters, SEED};
use crate::{Generated, GeneratorInfo, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "star",
    summary: "a star around vertex 0: one vertex of the highest degree there is",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices, the centre included" },
        parameters::weights("u24"),
        SEED,
    ],
    example: "star:n=1000",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Generated, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);
    let mut builder = Builder::new(
        vertices.into(),
        vertices.saturating_sub(1).into(),
        weights,
        parameters.share(),
    )?;
    for v in 1..vertices as u32 {
        builder.edge(0, v);
    }
    builder.finish(weights, seed)
}
