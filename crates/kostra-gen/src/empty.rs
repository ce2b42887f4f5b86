//! Graphs without edges.

use crate::parameters::{self, Parameters, SEED};
use crate::source::ById;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "empty",
    summary: "vertices without edges",
    parameters: &[
        ParameterInfo { name: "n", default: "1000", meaning: "vertices" },
        parameters::weights("u24"),
        SEED,
    ],
    example: "empty:n=10",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let edges = ById { edges: 0, edge: |_| (0, 0) };
    Made::edges(vertices.into(), parameters.weights_and_seed()?, edges)
}
