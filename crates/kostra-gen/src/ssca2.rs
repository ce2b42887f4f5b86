//! SSCA#2 graphs: cliques of random size, and edges between cliques that grow rarer with distance.
//!
//! The definition is that of the HPCS benchmark "SSCA#2 Graph Analysis" (Bader & Madduri 2005), as
//! GTgraph (Madduri & Bader 2006) generates it. Parameters have GTgraph's defaults:
//!
//! | here | GTgraph | meaning |
//! |---|---|---|
//! | `n` | `TotVertices` | vertices |
//! | `clique` | `MaxCliqueSize` | the sizes of cliques are uniform in 1 to `clique` |
//! | `inter` | `ProbIntercliqueEdges` | probability of an edge to a vertex at the least distance |
//! | `parallel` | `MaxParallelEdges` | a pair has 1 to `parallel` edges, uniformly distributed |
//!
//! Vertices are first in order of their cliques. Vertex `i` draws one vertex for each distance
//! `2^t`, with `t` from 1 to the logarithm of `n`: uniformly among the `2^(t-1)` vertices from
//! `i + 2^t` on, counted around the end. If this vertex is in another clique, each edge of the
//! pair is kept with probability `inter / 2^(t-1)`. Finally the ids are permuted. The edges of
//! cliques precede the edges between cliques.
//!
//! GTgraph's edges are directed, and `ProbUnidirectional` of the pairs have only one direction.
//! Here a pair of a clique has no direction, so the parameter has no meaning.
//!
//! A vertex has `2 (clique - 1) / 3` neighbors in its clique on average, because the mean is over
//! vertices and large cliques have more of them. O(n log n + m) time. Scratch memory: 4 bytes per
//! clique.

use std::ops::Range;

use kostra_core::Vertex;

use crate::allocation::{self, array};
use crate::parameters::{self, Parameters, SEED};
use crate::random::{self, Permutation};
use crate::recipe::ENDS;
use crate::source::{BLOCK_EDGES, BlockSource, EdgeEnds, InBlocks};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "ssca2",
    summary: "cliques with edges between them (SSCA#2), ids permuted",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
        ParameterInfo {
            name: "clique",
            default: "the cube root of n",
            meaning: "vertices of the largest clique, at least 1",
        },
        ParameterInfo {
            name: "inter",
            default: "0.5",
            meaning: "probability of an edge to the nearest clique; halved with each doubled distance",
        },
        ParameterInfo {
            name: "parallel",
            default: "3",
            meaning: "the greatest number of edges of a pair, at least 1; at most 255",
        },
        parameters::weights("u24"),
        SEED,
    ],
    example: "ssca2:n=1000,clique=12,parallel=2",
    make,
};

/// The streams draw this many numbers per vertex, one for each distance. There are less than 32
/// distances.
const DISTANCES: u64 = 32;
/// The streams of parallel edges draw this many numbers per pair.
const MOST_PARALLEL: u64 = 255;

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let given = parameters.integer_if_given("clique", 1..=vertices.max(1))?;
    let plan = CliquePlan {
        vertices,
        largest: given.unwrap_or_else(|| cube_root(vertices)),
        inter: parameters.probability("inter")?,
        parallel: parameters.integer("parallel", 1..=MOST_PARALLEL)?,
        seed: parameters.seed()?,
    };
    let (weights, share) = (parameters.weights()?, parameters.share());

    // Refused by its least size, one edge for each pair, before its edges are counted.
    let (cliques, pairs) = plan.count_cliques();
    let edge_bytes = (ENDS + weights.bytes()) as u128;
    let least = share.amount_of(pairs.saturating_mul(edge_bytes));
    allocation::check_size(vertices.into(), pairs, least + 4 * u128::from(cliques))?;
    let starts = plan.starts(cliques)?;
    let ids = Ids::new(plan.seed, vertices);
    let graph = Cliques { blocks: plan.blocks(&starts), plan, starts, ids };
    Made::edges(vertices.into(), parameters.weights_and_seed()?, InBlocks(graph))
}

/// The greatest number whose cube is at most `number`, but at least 1.
fn cube_root(number: u64) -> u64 {
    (1..).take_while(|root: &u64| root.pow(3) <= number).last().unwrap_or(1)
}

/// A permutation of the vertices, of any number.
struct Ids {
    vertices: u32,
    permutation: Permutation,
}

impl Ids {
    fn new(seed: u64, vertices: u64) -> Self {
        let bits = vertices.max(1).next_power_of_two().trailing_zeros();
        // There are fewer than 2^32 vertices.
        Self { vertices: vertices as u32, permutation: Permutation::new(seed, bits) }
    }

    /// Follows the cycle of `place` to the next id in range. The cycle leads back to `place`, so
    /// the loop ends, and different places give different ids. Fewer than two steps on average,
    /// because more than half of all numbers are in range.
    #[inline]
    fn at(&self, place: u64) -> Vertex {
        let mut id = self.permutation.apply(place as u32);
        while id >= self.vertices {
            id = self.permutation.apply(id);
        }
        id
    }
}

/// The graph, with its edges divided into blocks.
struct Cliques {
    plan: CliquePlan,
    /// The first vertex of each clique.
    starts: Vec<u32>,
    ids: Ids,
    blocks: Vec<Block>,
}

/// Some edges: those inside consecutive cliques, or those that start in them and leave them.
struct Block {
    cliques: Range<usize>,
    /// The number of the first pair inside the cliques; none for the edges between cliques.
    first_pair: Option<u64>,
}

impl BlockSource for Cliques {
    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn edges(&self) -> Option<u64> {
        None
    }

    fn fill(&self, block: usize, ends: &mut EdgeEnds) {
        self.plan.each_edge(&self.starts, &self.blocks[block], |u, v| {
            ends.push(self.ids.at(u), self.ids.at(v));
        });
    }
}

struct CliquePlan {
    vertices: u64,
    /// The size of the largest clique.
    largest: u64,
    inter: f64,
    parallel: u64,
    seed: u64,
}

impl CliquePlan {
    /// The sizes of all cliques in order. The last one takes the remaining vertices.
    fn sizes(&self) -> impl Iterator<Item = u64> {
        let stream = random::stream(self.seed, "cliques");
        let (largest, mut left) = (self.largest, self.vertices);
        (0..).map_while(move |clique| {
            let size = (1 + stream.below(clique, largest)).min(left);
            left -= size;
            (size > 0).then_some(size)
        })
    }

    /// The number of cliques, and the number of pairs in them.
    fn count_cliques(&self) -> (u64, u128) {
        self.sizes().fold((0, 0), |(cliques, pairs), size| {
            (cliques + 1, pairs + u128::from(size) * u128::from(size - 1) / 2)
        })
    }

    /// The first vertex of each clique.
    fn starts(&self, cliques: u64) -> Result<Vec<u32>, SpecError> {
        let mut starts = array(cliques as usize)?;
        let mut start = 0;
        starts.extend(self.sizes().map(|size| {
            start += size;
            (start - size) as u32
        }));
        Ok(starts)
    }

    /// The blocks in order: first those of cliques, then those between cliques.
    fn blocks(&self, starts: &[u32]) -> Vec<Block> {
        let (mut inside, mut between) = (Vec::new(), Vec::new());
        let (mut pair, mut of_inside, mut of_between) = (0, (0, 0), 0);
        for clique in 0..starts.len() {
            let (start, end) = self.clique(starts, clique);
            let pairs = (end - start) * (end - start - 1) / 2;
            pair += pairs;
            let last = clique + 1 == starts.len();
            if last || pair - of_inside.1 >= BLOCK_EDGES {
                inside.push(Block {
                    cliques: of_inside.0..clique + 1,
                    first_pair: Some(of_inside.1),
                });
                of_inside = (clique + 1, pair);
            }
            if last || end - u64::from(starts[of_between]) >= BLOCK_VERTICES {
                between.push(Block { cliques: of_between..clique + 1, first_pair: None });
                of_between = clique + 1;
            }
        }
        inside.append(&mut between);
        inside
    }

    /// Visits the edges of a block in order, with vertices in the order of their cliques.
    fn each_edge(&self, starts: &[u32], block: &Block, mut visit: impl FnMut(u64, u64)) {
        match block.first_pair {
            Some(pair) => self.each_edge_of_cliques(starts, block, pair, &mut visit),
            None => self.each_edge_between_cliques(starts, block, &mut visit),
        }
    }

    fn each_edge_of_cliques(
        &self,
        starts: &[u32],
        block: &Block,
        mut pair: u64,
        visit: &mut impl FnMut(u64, u64),
    ) {
        let copies = random::stream(self.seed, "parallel edges of cliques");
        for clique in block.cliques.clone() {
            let (start, end) = self.clique(starts, clique);
            for u in start..end {
                for v in u + 1..end {
                    for _ in 0..1 + copies.below(pair, self.parallel) {
                        visit(u, v);
                    }
                    pair += 1;
                }
            }
        }
    }

    fn each_edge_between_cliques(
        &self,
        starts: &[u32],
        block: &Block,
        visit: &mut impl FnMut(u64, u64),
    ) {
        let ends = random::stream(self.seed, "ends between cliques");
        let copies = random::stream(self.seed, "parallel edges between cliques");
        let kept = random::stream(self.seed, "edges between cliques");
        let levels = self.vertices.checked_ilog2().unwrap_or(0);
        for clique in block.cliques.clone() {
            let (start, end) = self.clique(starts, clique);
            for u in start..end {
                let mut probability = self.inter;
                for level in 1..u64::from(levels) {
                    let draw = u * DISTANCES + level;
                    let beyond = ends.below(draw, 1 << (level - 1));
                    let v = (u + (1 << level) + beyond) % self.vertices;
                    if !(start..end).contains(&v) {
                        for copy in 0..1 + copies.below(draw, self.parallel) {
                            if kept.unit(draw * MOST_PARALLEL + copy) < probability {
                                visit(u, v);
                            }
                        }
                    }
                    probability /= 2.0;
                }
            }
        }
    }

    /// The first vertex of a clique, and the vertex behind its last.
    fn clique(&self, starts: &[u32], clique: usize) -> (u64, u64) {
        let end = starts.get(clique + 1).map_or(self.vertices, |&start| start.into());
        (starts[clique].into(), end)
    }
}

/// The vertices of a block of edges between cliques.
const BLOCK_VERTICES: u64 = 1 << 13;

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(vertices: u64, largest: u64) -> CliquePlan {
        CliquePlan { vertices, largest, inter: 0.5, parallel: 3, seed: 4 }
    }

    fn edges(plan: &CliquePlan) -> (Vec<(u64, u64)>, usize) {
        let starts = plan.starts(plan.count_cliques().0).unwrap();
        let (mut all, mut inner) = (Vec::new(), 0);
        for block in plan.blocks(&starts) {
            plan.each_edge(&starts, &block, |u, v| all.push((u, v)));
            if block.first_pair.is_some() {
                inner = all.len();
            }
        }
        (all, inner)
    }

    #[test]
    fn the_sizes_of_cliques_are_uniform() {
        let mut count = [0_u32; 11];
        plan(550_000, 10).sizes().for_each(|size| count[size as usize] += 1);
        let cliques: u32 = count.iter().sum();
        // 550,000 vertices in cliques of 5.5 on average: four standard deviations.
        assert!(cliques.abs_diff(100_000) < 700, "{cliques}");
        assert_eq!(count[0], 0);
        assert!(count[1..].iter().all(|count| count.abs_diff(10_000) < 450), "{count:?}");
        assert_eq!(plan(550_000, 10).sizes().sum::<u64>(), 550_000);
    }

    #[test]
    fn a_vertex_has_the_expected_degree_in_its_clique() {
        let plan = CliquePlan { parallel: 1, ..plan(200_000, 31) };
        let (_, inner) = edges(&plan);
        // 2 * 30 / 3 neighbors. A clique of 16 on average adds 0.0035 to the deviation of the mean
        // degree for each of its vertices.
        let degree = 2.0 * inner as f64 / 200_000.0;
        assert!((degree - 20.0).abs() < 0.45, "{degree}");
    }

    #[test]
    fn a_pair_has_one_to_three_edges_with_equal_probability() {
        let (all, inner) = edges(&plan(60_000, 12));
        let mut count = [0_usize; 4];
        for pair in all[..inner].chunk_by(|one, next| one == next) {
            count[pair.len()] += 1;
        }
        let third = count.iter().sum::<usize>() / 3;
        assert_eq!(count[0], 0);
        // About 220,000 pairs: four standard deviations.
        assert!(count[1..].iter().all(|count| count.abs_diff(third) < 900), "{count:?}");
    }

    #[test]
    fn edges_between_cliques_halve_with_each_doubled_distance() {
        let vertices = 1 << 16;
        // Cliques of one vertex: every edge is between cliques.
        let plan = CliquePlan { parallel: 1, ..plan(vertices, 1) };
        let (all, inner) = edges(&plan);
        assert_eq!(inner, 0);
        let mut count = [0_usize; 17];
        for (u, v) in all {
            let distance = (v + vertices - u) % vertices;
            let level = distance.ilog2();
            assert!(distance < 3 << (level - 1), "{distance}");
            count[level as usize] += 1;
        }
        assert_eq!((count[0], count[16]), (0, 0));
        for (level, &count) in (1..8).zip(&count[1..]) {
            let expected = vertices as f64 / f64::from(1 << level);
            // Four standard deviations.
            assert!((count as f64 - expected).abs() < 4.0 * expected.sqrt(), "{level}: {count}");
        }
    }

    #[test]
    fn ids_are_a_permutation_of_any_number_of_vertices() {
        for vertices in [0, 1, 2, 3, 5, 64, 65, 1000] {
            let ids = Ids::new(3, vertices);
            let mut all: Vec<_> = (0..vertices).map(|place| ids.at(place)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..vertices as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_default_clique_is_the_cube_root() {
        assert_eq!([0, 1, 7, 8, 26, 27, 1 << 20].map(cube_root), [1, 1, 1, 2, 2, 3, 101]);
    }
}
