//! Graphs whose degrees follow a power law: the model of Chung & Lu 2002 ("The average distances in
//! random graphs with given expected degrees"), as Miller & Hagberg 2011 ("Efficient generation of
//! networks with given expected degrees") generate it.
//!
//! Vertex `i` has the weight `w = c (i + i0)^(-1 / (exponent - 1))`, and the pair of `i` and `j` is
//! an edge with probability `w_i w_j / S`, where `S` is the sum of all weights. So the expected
//! degree of a vertex is about its weight, and the share of vertices with a degree above `d` falls
//! as `d^(1 - exponent)`. The factor `c` gives the mean degree. The offset `i0` limits the weights
//! to the root of `S`, so that no probability is above 1.
//!
//! Vertex 0 has the highest degree. Weights fall along a row, so a row is scanned with jumps that
//! are too short for the pairs ahead, and each pair reached is accepted with the quotient of its
//! probability and that of the jump. Every row has a stream of its own. Edges ascend by `(u, v)`.
//! Expected time: O(n + m). Scratch memory: 8 bytes per vertex.

use kostra_core::random::RandomStream;

use crate::allocation::{self, array};
use crate::parameters::{self, Parameters, SEED};
use crate::source::{BLOCK_EDGES, BlockSource, EdgeEnds, InBlocks};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError, random, real};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "power-law",
    summary: "degrees that follow a power law (Chung-Lu), vertex 0 has the highest",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
        ParameterInfo {
            name: "degree",
            default: "8, or less if n is below 9",
            meaning: "expected mean degree, below n, at most 10000",
        },
        ParameterInfo {
            name: "exponent",
            default: "2.5",
            meaning: "exponent of the power law, from 2.01 to 10",
        },
        parameters::weights("u24"),
        SEED,
    ],
    example: "power-law:n=1000,degree=6",
    make,
};

/// The mean degree by default, and the greatest one.
const DEGREE: f64 = 8.0;
const MOST_DEGREE: f64 = 10_000.0;

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let most = (vertices.saturating_sub(1) as f64).min(MOST_DEGREE);
    let degree = parameters.real_if_given("degree", 0.0..=most)?.unwrap_or(DEGREE.min(most));
    let exponent = parameters.real("exponent", 2.01..=10.0)?;
    let (weights, seed) = parameters.weights_and_seed()?;
    parameters::check_expected_edges(vertices as f64 * degree / 2.0)?;
    allocation::check_size(vertices.into(), 0, 8 * u128::from(vertices))?;
    let graph = ChungLu::new(vertices as usize, degree, exponent, seed)?;
    Made::edges(vertices.into(), (weights, seed), InBlocks(graph))
}

struct ChungLu {
    /// The expected degrees, descending.
    weights: Vec<f64>,
    sum: f64,
    /// The first row of each block, and the number of rows.
    blocks: Vec<usize>,
    jumps: RandomStream,
    accepted: RandomStream,
}

impl ChungLu {
    fn new(vertices: usize, degree: f64, exponent: f64, seed: u64) -> Result<Self, SpecError> {
        let sum = vertices as f64 * degree;
        let power = -1.0 / (exponent - 1.0);
        let mut weights = array(vertices)?;
        // The greatest weight falls with the offset. A few steps halve the interval enough.
        let (mut low, mut high) = (0.0, MOST_OFFSET * vertices as f64);
        for _ in 0..OFFSET_STEPS {
            let offset = f64::midpoint(low, high);
            let first = real::pow(1.0 + offset, power);
            let total = integral(vertices as f64, offset, power);
            if first * sum / total > sum.sqrt() { low = offset } else { high = offset }
        }
        weights.extend((0..vertices).map(|i| real::pow(1.0 + i as f64 + high, power)));
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight *= sum / total.max(f64::MIN_POSITIVE));
        let mut blocks = vec![0];
        let mut edges = 0.0;
        for (row, weight) in (1..vertices).zip(&weights) {
            // The expected edges of a row, and its own cost.
            edges += weight + 1.0;
            if edges > BLOCK_EDGES as f64 {
                blocks.push(row);
                edges = 0.0;
            }
        }
        blocks.push(vertices);
        let stream = |purpose| random::stream(seed, purpose);
        let sum = sum.max(f64::MIN_POSITIVE);
        Ok(Self { weights, sum, blocks, jumps: stream("jumps"), accepted: stream("accepted") })
    }

    fn fill_row(&self, u: usize, ends: &mut EdgeEnds) {
        let (jumps, accepted) = (self.jumps.split(u as u64), self.accepted.split(u as u64));
        let probability = |v: usize| (self.weights[u] * self.weights[v] / self.sum).min(1.0);
        let (mut v, mut draw) = (u + 1, 0);
        while v < self.weights.len() {
            let bound = probability(v);
            if bound <= 0.0 {
                return;
            }
            if bound < 1.0 {
                let jump = real::failures(jumps.unit(draw), real::ln_1m(bound));
                v = v.saturating_add(usize::try_from(jump).unwrap_or(usize::MAX));
            }
            if v >= self.weights.len() {
                return;
            }
            if accepted.unit(draw) * bound < probability(v) {
                ends.push(u as u32, v as u32);
            }
            v += 1;
            draw += 1;
        }
    }
}

/// The greatest offset, in vertices: with it, all weights are almost equal.
const MOST_OFFSET: f64 = 1e6;
/// The number of halvings of the interval of the offset.
const OFFSET_STEPS: u32 = 60;

/// About the sum of `(i + 1 + offset)^power` over all vertices.
fn integral(vertices: f64, offset: f64, power: f64) -> f64 {
    let antiderivative = |x: f64| real::pow(x, power + 1.0) / (power + 1.0);
    antiderivative(vertices + offset + 0.5) - antiderivative(offset + 0.5)
}

impl BlockSource for ChungLu {
    fn blocks(&self) -> usize {
        self.blocks.len() - 1
    }

    fn edges(&self) -> Option<u64> {
        None
    }

    fn fill(&self, block: usize, ends: &mut EdgeEnds) {
        for u in self.blocks[block]..self.blocks[block + 1] {
            self.fill_row(u, ends);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degrees(graph: &ChungLu) -> Vec<u32> {
        let mut ends = EdgeEnds::default();
        (0..graph.blocks()).for_each(|block| graph.fill(block, &mut ends));
        let mut degrees = vec![0; graph.weights.len()];
        ends.u.iter().chain(&ends.v).for_each(|&end| degrees[end as usize] += 1);
        degrees
    }

    #[test]
    fn degrees_are_the_expected_ones() {
        let graph = ChungLu::new(60_000, 12.0, 2.5, 1).unwrap();
        let degrees = degrees(&graph);
        // Vertices in groups of falling weight: the sums of their degrees are almost Poisson. A
        // vertex has no edge to itself, which takes its weight squared over the sum.
        for (group, weights) in degrees.chunks(5000).zip(graph.weights.chunks(5000)) {
            let expected: f64 = weights.iter().map(|w| w - w * w / graph.sum).sum();
            let found = f64::from(group.iter().sum::<u32>());
            // Edges inside a group count twice: up to twice the variance, four deviations.
            let bound = 4.0 * (2.0 * expected).sqrt();
            assert!((found - expected).abs() < bound, "{found} {expected}");
        }
        let mean = f64::from(degrees.iter().sum::<u32>()) / 60_000.0;
        assert!((mean - 12.0).abs() < 0.12, "{mean}");
    }

    #[test]
    fn the_tail_of_the_degrees_has_the_exponent() {
        for exponent in [2.2, 2.5, 3.0] {
            let degrees = degrees(&ChungLu::new(300_000, 10.0, exponent, 4).unwrap());
            // The estimator of Clauset, Shalizi & Newman 2009 for integers from `least` on. The
            // highest weights are limited, so degrees above `most` are left out of the comparison
            // by their number: the tail between both bounds has the exponent.
            let at_least = |least: u32| degrees.iter().filter(|&&degree| degree >= least).count();
            let [low, high] = [at_least(30), at_least(120)].map(|count| count as f64);
            let found = 1.0 + (low / high).ln() / 4.0_f64.ln();
            assert!((found - exponent).abs() < 0.12, "{found} for {exponent}");
        }
    }

    #[test]
    fn no_probability_is_above_one() {
        for (vertices, degree, exponent) in [(1000, 6.0, 2.01), (50, 49.0, 2.5), (2, 1.0, 10.0)] {
            let graph = ChungLu::new(vertices, degree, exponent, 1).unwrap();
            let highest = graph.weights[0] * graph.weights[0] / graph.sum;
            assert!(highest <= 1.1, "{highest}");
        }
    }
}
