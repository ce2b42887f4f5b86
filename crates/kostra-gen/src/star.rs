//! Stars: every edge ends at the same vertex. So work per vertex is not divided, and all atomic
//! operations access one address.

use crate::parameters::{self, Parameters, SEED};
use crate::source::ById;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

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

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let edges = vertices.saturating_sub(1);
    let star = ById { edges, edge: |id| (0, id as u32 + 1) };
    Made::edges(vertices.into(), parameters.weights_and_seed()?, star)
}
