//! Caterpillars: a path with leaves. In the first round every leaf hooks onto the path, and the
//! path's vertices hook onto each other.

use crate::builder::Builder;
use crate::parameters::{self, Parameters, SEED};
use crate::{Generated, GeneratorInfo, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "caterpillar",
    summary: "a path with the same number of leaves on each of its vertices",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices, path and leaves together" },
        ParameterInfo {
            name: "legs",
            default: "3",
            meaning: "leaves on each vertex of the path; 0 makes a path",
        },
        parameters::weights("u24"),
        SEED,
    ],
    example: "caterpillar:n=1000,legs=4",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Generated, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let legs = parameters.integer("legs", 0..=u32::MAX.into())?;
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);
    let mut builder = Builder::new(
        vertices.into(),
        vertices.saturating_sub(1).into(),
        weights,
        parameters.share(),
    )?;
    // Each vertex of the path stands before its own leaves.
    for v in 1..vertices {
        let leg = v % (legs + 1);
        let u = if leg == 0 { v - (legs + 1) } else { v - leg };
        builder.edge(u as u32, v as u32);
    }
    builder.finish(weights, seed)
}
