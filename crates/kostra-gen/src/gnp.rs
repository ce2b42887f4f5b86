//! Random graphs G(n, p): each pair of vertices is an edge with probability p, independent of all
//! others (Gilbert 1959).
//!
//! The pairs in ascending order are divided into blocks. In a block, the number of pairs before the
//! next edge has a geometric distribution, so the generator jumps from edge to edge (Batagelj &
//! Brandes 2005). Blocks have streams of their own, because the pairs of different blocks are
//! independent. O(n + m) time, no scratch memory.

use kostra_core::random::RandomStream;

use crate::pairs::{pairs, pairs_before, row_of};
use crate::parameters::{self, Parameters, SEED};
use crate::source::{BLOCK_EDGES, BlockSource, EdgeEnds, InBlocks};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError, random, real};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "gnp",
    summary: "a graph with each pair of vertices with probability p, ascending by (u, v)",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
        ParameterInfo {
            name: "p",
            default: "8 / (n - 1), for a mean degree of 8",
            meaning: "probability of each pair",
        },
        parameters::weights("u24"),
        SEED,
    ],
    example: "gnp:n=1000,p=0.01",
    make,
};

/// The mean degree by default.
const DEGREE: f64 = 8.0;

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let default = (DEGREE / vertices.saturating_sub(1).max(1) as f64).min(1.0);
    let p = parameters.probability_if_given("p")?.unwrap_or(default);
    let (weights, seed) = parameters.weights_and_seed()?;
    // All pairs of 32-bit ids fit 64 bits.
    let all = pairs(vertices) as u64;
    let expected = all as f64 * p;
    parameters::check_expected_edges(expected)?;
    let blocks = (expected / BLOCK_EDGES as f64).ceil().max(1.0) as u64;
    let stream = random::stream(seed, "jumps");
    let graph = Pairs { vertices, all, p, block: all.div_ceil(blocks).max(1), stream };
    Made::edges(vertices.into(), (weights, seed), InBlocks(graph))
}

struct Pairs {
    vertices: u64,
    all: u64,
    p: f64,
    /// The number of pairs in a block.
    block: u64,
    stream: RandomStream,
}

impl BlockSource for Pairs {
    fn blocks(&self) -> usize {
        self.all.div_ceil(self.block) as usize
    }

    fn edges(&self) -> Option<u64> {
        match self.p {
            0.0 => Some(0),
            1.0 => Some(self.all),
            _ => None,
        }
    }

    fn fill(&self, block: usize, ends: &mut EdgeEnds) {
        if self.p == 0.0 {
            return;
        }
        let start = block as u64 * self.block;
        let end = self.all.min(start + self.block);
        let stream = self.stream.split(block as u64);
        let ln_of_failure = if self.p == 1.0 { f64::NEG_INFINITY } else { real::ln_1m(self.p) };
        let (mut pair, mut draw) = (start, 0);
        let mut u = row_of(self.vertices, start);
        let mut row_end = pairs_before(self.vertices, u + 1);
        loop {
            pair = pair.saturating_add(real::failures(stream.unit(draw), ln_of_failure));
            if pair >= end {
                return;
            }
            while pair >= row_end {
                u += 1;
                row_end = pairs_before(self.vertices, u + 1);
            }
            // The last pair of a row ends at the last vertex.
            ends.push(u as u32, (self.vertices - (row_end - pair)) as u32);
            pair += 1;
            draw += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(spec: &str) -> Vec<(u32, u32)> {
        let graph = crate::generate(spec).unwrap().graph;
        graph.u().iter().copied().zip(graph.v().iter().copied()).collect()
    }

    #[test]
    fn the_number_of_edges_is_binomial() {
        for (vertices, p) in [(2000, 0.3), (20_000, 1e-3), (1_000_000, 2e-7), (300, 0.95)] {
            let found = edges(&format!("gnp:n={vertices},p={p}")).len() as f64;
            let expected = pairs(vertices) as f64 * p;
            // Four standard deviations.
            let bound = 4.0 * (expected * (1.0 - p)).sqrt();
            assert!((found - expected).abs() < bound, "{found} {expected}");
        }
        let mut squares = 0.0;
        for seed in 0..400 {
            let found = edges(&format!("gnp:n=60,p=0.2,seed={seed}")).len() as f64;
            squares += (found - 354.0).powi(2) / 400.0;
        }
        // The variance is 283.2; its estimate has a standard deviation of 20.
        assert!((squares - 283.2).abs() < 80.0, "{squares}");
    }

    #[test]
    fn every_pair_is_equally_likely() {
        let mut count = [[0_u32; 7]; 7];
        for seed in 0..4000 {
            for (u, v) in edges(&format!("gnp:n=7,p=0.25,seed={seed}")) {
                count[u as usize][v as usize] += 1;
            }
        }
        for (u, count) in count.iter().enumerate() {
            for (v, &count) in count.iter().enumerate() {
                // Four standard deviations of 27.4.
                let expected = if u < v { 1000 } else { 0 };
                assert!(count.abs_diff(expected) < 110, "{u} {v}: {count}");
            }
        }
    }
}
