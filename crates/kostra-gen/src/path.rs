//! Paths. With ascending weights, every vertex except the first hooks onto its predecessor. This
//! gives the longest possible chain of pointers for a contracting solver.

use crate::parameters::{self, Parameters, SEED};
use crate::source::ById;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

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

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let edges = vertices.saturating_sub(1);
    let path = ById { edges, edge: |id| (id as u32, id as u32 + 1) };
    Made::edges(vertices.into(), parameters.weights_and_seed()?, path)
}
