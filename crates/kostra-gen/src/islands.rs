//! One giant component and many tiny ones. Tiny components are finished in the first rounds, and
//! later rounds should not process them. A solver must not take the giant component for the whole
//! graph.
//!
//! In the giant component each vertex is joined to two earlier vertices (the second vertex only to
//! the first). So it is connected and simple and has `2n - 3` edges. A tiny component is a cycle,
//! or a path if it has fewer than three vertices.

use crate::builder::Builder;
use crate::parameters::{self, Parameters, SEED};
use crate::random;
use crate::{Generated, GeneratorInfo, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "islands",
    summary: "one giant component, then many tiny ones",
    parameters: &[
        ParameterInfo { name: "n", default: "500k", meaning: "vertices of the giant component" },
        ParameterInfo { name: "tiny", default: "100k", meaning: "how many tiny components" },
        ParameterInfo {
            name: "size",
            default: "5",
            meaning: "vertices of each tiny component, at least 1",
        },
        parameters::weights("u24"),
        SEED,
    ],
    example: "islands:n=1000,tiny=200,size=3",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Generated, SpecError> {
    let giant = parameters.vertices("n", 0)?;
    let tiny = parameters.vertices("tiny", 0)?;
    let size = parameters.vertices("size", 1)?;
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);

    let vertices = u128::from(giant) + u128::from(tiny) * u128::from(size);
    let edges_of_tiny = if size < 3 { size - 1 } else { size };
    let edges_of_giant = if giant < 2 { 0 } else { 2 * giant - 3 };
    let edges = u128::from(edges_of_giant) + u128::from(tiny) * u128::from(edges_of_tiny);
    let mut builder = Builder::new(vertices, edges, weights, parameters.share())?;

    let neighbors = random::stream(seed, "neighbours");
    for v in 1..giant {
        let first = neighbors.below(2 * v, v);
        builder.edge(first as u32, v as u32);
        if v > 1 {
            // One of the others: those from the first on move up by one.
            let second = neighbors.below(2 * v + 1, v - 1);
            builder.edge((second + u64::from(second >= first)) as u32, v as u32);
        }
    }
    for island in 0..tiny {
        let start = (giant + island * size) as u32;
        let last = start + (size as u32 - 1);
        for u in start..last {
            builder.edge(u, u + 1);
        }
        if size >= 3 {
            builder.edge(start, last);
        }
    }
    builder.finish(weights, seed)
}
