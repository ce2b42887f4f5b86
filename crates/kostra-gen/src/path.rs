//! Paths. With ascending weights, every vertex except the first hooks onto its predecessor. This
//! gives the longest possible chain of pointers for a contracting solver.

use crate::builder::Builder;
use crate::parameters::{self, Parameters, SEED};
use crate::{Generated, GeneratorInfo, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "path",
    summary: "a path; by default with ascending weights, which make the longest chain of hooks",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
        parameters::weights("index"),
        SEED,
    ],
    example: "path:n=1000",
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
        builder.edge(v - 1, v);
    }
    builder.finish(weights, seed)
}
