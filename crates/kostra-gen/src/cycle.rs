//! Cycles: every edge except the heaviest is in the forest. With equal weights, only the edge ids
//! prevent all vertices from hooking around the cycle.

use crate::builder::Builder;
use crate::parameters::{self, Parameters, SEED};
use crate::{Generated, GeneratorInfo, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "cycle",
    summary: "one cycle through all vertices: exactly one edge is not in the forest",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices, at least 3" },
        parameters::weights("u24"),
        SEED,
    ],
    example: "cycle:n=1000,weights=equal",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Generated, SpecError> {
    let vertices = parameters.vertices("n", 3)?;
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);
    let mut builder = Builder::new(vertices.into(), vertices.into(), weights, parameters.share())?;
    let last = vertices as u32 - 1;
    for u in 0..last {
        builder.edge(u, u + 1);
    }
    builder.edge(0, last);
    builder.finish(weights, seed)
}
