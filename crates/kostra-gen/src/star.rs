//! Stars: every edge ends at the same vertex. So work per vertex is not divided, and all atomic
//! operations access one address.

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
