//! Complete graphs: every pair is an edge. With equal weights the forest is the star around vertex
//! 0, by edge id alone.

use crate::allocation;
use crate::pairs::pairs;
use crate::parameters::{self, Parameters, SEED};
use crate::source::{BLOCK_EDGES, BlockSource, EdgeEnds, InBlocks};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

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

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let (weights, seed) = parameters.weights_and_seed()?;
    allocation::check_size(vertices.into(), pairs(vertices), 0)?;
    Made::edges(vertices.into(), (weights, seed), InBlocks(Complete { vertices }))
}

struct Complete {
    vertices: u64,
}

impl Complete {
    /// The rows of a block.
    fn rows(&self) -> u64 {
        (BLOCK_EDGES / self.vertices.max(1)).max(1)
    }
}

impl BlockSource for Complete {
    fn blocks(&self) -> usize {
        self.vertices.div_ceil(self.rows()) as usize
    }

    fn edges(&self) -> Option<u64> {
        // The pairs were checked.
        Some(pairs(self.vertices) as u64)
    }

    fn fill(&self, block: usize, ends: &mut EdgeEnds) {
        let start = block as u64 * self.rows();
        for u in start..self.vertices.min(start + self.rows()) {
            (u + 1..self.vertices).for_each(|v| ends.push(u as u32, v as u32));
        }
    }
}
