//! Random multigraphs with all special cases: self-loops, parallel edges, ends in either order,
//! isolated vertices, and few distinct weights.
//!
//! One edge in eight is a self-loop. One in eight repeats an earlier pair in reverse order. All
//! others are uniform pairs, which may be self-loops or repetitions as well.

use crate::parameters::{self, Parameters, SEED};
use crate::random;
use crate::source::ById;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "multigraph",
    summary: "random edges with self-loops, parallel edges and, by default, heavy ties: for tests",
    parameters: &[
        ParameterInfo {
            name: "n",
            default: "1000",
            meaning: "vertices; at least 1 if there are edges",
        },
        ParameterInfo {
            name: "m",
            default: "4000",
            meaning: "edges, self-loops and parallel edges included",
        },
        parameters::weights("small"),
        SEED,
    ],
    example: "multigraph:n=50,m=200",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let edges = parameters.integer("m", 0..=u64::MAX)?;
    let vertices = parameters.vertices("n", u64::from(edges > 0))?;
    let (weights, seed) = parameters.weights_and_seed()?;
    let (kinds, ends) = (random::stream(seed, "kinds"), random::stream(seed, "ends"));
    let edge = move |id| {
        // An edge may repeat one that repeats another. Each repetition reverses the pair.
        let (mut edge, mut turned) = (id, false);
        while kinds.below(edge, 8) == 1 && edge > 0 {
            (edge, turned) = (ends.below(2 * edge, edge), !turned);
        }
        let u = ends.below(2 * edge, vertices) as u32;
        let v = ends.below(2 * edge + 1, vertices) as u32;
        match kinds.below(edge, 8) {
            0 => (u, u),
            _ if turned => (v, u),
            _ => (u, v),
        }
    };
    Made::edges(vertices.into(), (weights, seed), ById { edges, edge })
}
