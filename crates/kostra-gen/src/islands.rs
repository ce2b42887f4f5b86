//! One giant component and many tiny ones. Tiny components are finished in the first rounds, and
//! later rounds should not process them. A solver must not take the giant component for the whole
//! graph.
//!
//! In the giant component each vertex is joined to two earlier vertices (the second vertex only to
//! the first). So it is connected and simple and has `2n - 3` edges. A tiny component is a cycle,
//! or a path if it has fewer than three vertices.

use crate::parameters::{self, Parameters, SEED};
use crate::source::ById;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};
use crate::{allocation, random};

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

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let giant = parameters.vertices("n", 0)?;
    let tiny = parameters.vertices("tiny", 0)?;
    let size = parameters.vertices("size", 1)?;
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);

    let vertices = u128::from(giant) + u128::from(tiny) * u128::from(size);
    let edges_of_tiny = if size < 3 { size - 1 } else { size };
    let edges_of_giant = if giant < 2 { 0 } else { 2 * giant - 3 };
    let edges = u128::from(edges_of_giant) + u128::from(tiny) * u128::from(edges_of_tiny);
    allocation::check_size(vertices, edges, 0)?;
    let neighbors = random::stream(seed, "neighbours");
    let edge = move |id: u64| {
        if id >= edges_of_giant {
            let (island, edge) =
                ((id - edges_of_giant) / edges_of_tiny, (id - edges_of_giant) % edges_of_tiny);
            let start = giant + island * size;
            // The last edge of a cycle joins its ends.
            let u = if edge + 1 == size { start } else { start + edge };
            return (u as u32, (start + size - 1).min(start + edge + 1) as u32);
        }
        // Two edges for each vertex but the first two.
        let (v, is_second) =
            if id == 0 { (1, false) } else { ((id + 3) / 2, id.is_multiple_of(2)) };
        let first = neighbors.below(2 * v, v);
        if !is_second {
            return (first as u32, v as u32);
        }
        // One of the others: those from the first on move up by one.
        let second = neighbors.below(2 * v + 1, v - 1);
        ((second + u64::from(second >= first)) as u32, v as u32)
    };
    Made::edges(vertices, (weights, seed), ById { edges: edges as u64, edge })
}
