//! Graphs without edges.

use crate::builder::Builder;
use crate::parameters::{self, Parameters, SEED};
use crate::{Generated, GeneratorInfo, ParameterInfo, SpecError};

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

fn make(parameters: &Parameters<'_>) -> Result<Generated, SpecError> {
    let (vertices, weights, seed) =
        (parameters.vertices("n", 0)?, parameters.weights()?, parameters.seed()?);
    Builder::new(vertices.into(), 0, weights, parameters.share())?.finish(weights, seed)
}
