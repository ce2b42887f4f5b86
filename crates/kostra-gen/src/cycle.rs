//! Cycles: every edge except the heaviest is in the forest. With equal weights, only the edge ids
//! prevent all vertices from hooking around the cycle.

use crate::parameters::{self, Parameters, SEED};
use crate::source::ById;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

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

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 3)?;
    let last = vertices as u32 - 1;
    // The last edge closes the cycle.
    let edge = move |id| if id == u64::from(last) { (0, last) } else { (id as u32, id as u32 + 1) };
    Made::edges(vertices.into(), parameters.weights_and_seed()?, ById { edges: vertices, edge })
}
