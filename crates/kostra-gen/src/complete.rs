//! Complete graphs: every pair is an edge. With equal weights the forest is the star around vertex
//! 0, by edge id alone.

use crate::builder::Builder;
use crate::pairs::pairs;
use crate::parameters::{self, Parameters, SEED};
use crate::{Generated, GeneratorInfo, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "complete",
    summary: "every pair of vertices; by default all weights are equal, so that only edge ids decide",
    parameters: &[
        ParameterInfo { name: "n", default: "1000", meaning: "vertices" },
        parameters::weights("equal"),
        SEED,
    ],
    example: "complete:n=100",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Generated, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);
    let mut builder = Builder::new(vertices.into(), pairs(vertices), weights, parameters.share())?;
    for u in 0..vertices as u32 {
        for v in u + 1..vertices as u32 {
            builder.edge(u, v);
        }
    }
    builder.finish(weights, seed)
}
