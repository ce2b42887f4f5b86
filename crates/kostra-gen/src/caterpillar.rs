//! Caterpillars: a path with leaves. In the first round every leaf hooks onto the path, and the
//! path's vertices hook onto each other.

use crate::parameters::{self, Parameters, SEED};
use crate::source::ById;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

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

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let legs = parameters.integer("legs", 0..=u32::MAX.into())?;
    // Each vertex of the path stands before its own leaves.
    let edge = move |id| {
        let v = id + 1;
        let leg = v % (legs + 1);
        let u = if leg == 0 { v - (legs + 1) } else { v - leg };
        (u as u32, v as u32)
    };
    let caterpillar = ById { edges: vertices.saturating_sub(1), edge };
    Made::edges(vertices.into(), parameters.weights_and_seed()?, caterpillar)
}
