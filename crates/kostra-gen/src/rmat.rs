//! R-MAT graphs: few vertices of very high degree and many of low degree, as in social networks.
//!
//! An edge chooses a quadrant of the adjacency matrix with the probabilities `a`, `b`, `c` and
//! `1 - a - b - c`, then a quadrant of that quadrant, and so on, `scale` times (Chakrabarti, Zhan &
//! Faloutsos 2004). Self-loops are dropped, repeated edges are merged, and the vertex ids are
//! permuted, because otherwise the lowest ids would be the hubs. O(edgefactor * scale * 2^scale)
//! time. Scratch memory: 8 bytes per draw, 1 GiB at most.
//!
//! The default probabilities are those of the Graph500 benchmark. GTgraph (Madduri & Bader 2006)
//! has .45, .15, .15 and .25: `rmat:scale=20,edgefactor=8,a=0.45,b=0.15,c=0.15`.

use std::hint::select_unpredictable;
use std::ops::Range;

use kostra_core::random::RandomStream;

use crate::allocation;
use crate::draw::{Draw, Edge};
use crate::drawn::Draws;
use crate::parameters::{self, Parameters, SEED};
use crate::random::{self, Permutation};
use crate::share::Share;
use crate::source::{Drawn, EdgeEnds, EdgeSource, Emit, SourceRun, StopReason};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "rmat",
    summary: "a scale-free graph (R-MAT), simple, ids permuted, edges ascending by (u, v)",
    parameters: &[
        ParameterInfo {
            name: "scale",
            default: "16",
            meaning: "there are 2^scale vertices; at most 31",
        },
        ParameterInfo {
            name: "edgefactor",
            default: "16",
            meaning: "edges drawn for each vertex; repeats merge",
        },
        ParameterInfo {
            name: "a",
            default: "0.57",
            meaning: "probability of the quadrant of low ids; GTgraph has a=0.45,b=0.15,c=0.15",
        },
        ParameterInfo {
            name: "b",
            default: "0.19",
            meaning: "probability of the quadrant from low to high ids",
        },
        ParameterInfo {
            name: "c",
            default: "0.19",
            meaning: "probability of the quadrant from high to low ids",
        },
        parameters::weights("u24"),
        SEED,
    ],
    example: "rmat:scale=10,edgefactor=8",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let scale = parameters.integer("scale", 0..=31)? as u32;
    let edge_factor = parameters.integer("edgefactor", 0..=u64::MAX)?;
    let [a, b, c] =
        [parameters.probability("a")?, parameters.probability("b")?, parameters.probability("c")?];
    // Three decimal fractions may miss 1 by a rounding.
    if a + b + c > 1.0 + 1e-9 {
        return Err(SpecError::QuadrantsAboveOne { sum: a + b + c });
    }
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);
    let vertices = 1_usize << scale;
    let draws = u128::from(edge_factor) << scale;
    allocation::check_size(vertices as u128, draws, 0)?;
    let matrix = Matrix::new(scale, [a, b, c], seed);
    // There are fewer than 2^32 draws.
    let source = RMat(Draws { vertices: vertices as u64, draws: draws as u64, draw: matrix });
    Made::edges(vertices as u128, (weights, seed), source)
}

/// The draws of the matrix.
struct RMat(Draws<Matrix>);

impl EdgeSource for RMat {
    fn edges(&self) -> Option<u64> {
        (self.0.draws == 0).then_some(0)
    }

    fn at_most(&self) -> Option<u64> {
        Some(self.0.draws)
    }

    fn run(&self, run: &SourceRun<'_>, _ids: Range<u64>, emit: Emit<'_>) -> Result<(), StopReason> {
        self.0.sorted(run, emit)
    }

    fn drawn(&self) -> Option<&dyn Drawn> {
        Some(self)
    }
}

impl Drawn for RMat {
    fn part(&self, run: &SourceRun<'_>, share: Share<'_>) -> Result<(EdgeEnds, u64), StopReason> {
        let ends = self.0.collect(run, share)?;
        let (first, _) = share.sum(ends.len());
        Ok((ends, first))
    }
}

/// The number of levels of the matrix that one table lookup decides.
const LEVELS: u32 = 4;
/// The number of outcomes of these levels, with one row bit and one column bit per level.
const OUTCOMES: usize = 1 << (2 * LEVELS);
/// The number of random bits that choose between the two outcomes of a slot.
const CHOICE_BITS: u32 = 24;

struct Matrix {
    scale: u32,
    table: Table,
    quadrants: RandomStream,
    ids: Permutation,
}

/// An alias table (Walker 1977). All slots are equally likely, and each has two outcomes: itself
/// and one other. A draw takes constant time for any probabilities.
///
/// A slot is its bound, times `OUTCOMES`, plus the other outcome. The outcome is the other one if a
/// random number of `CHOICE_BITS` bits is at least the bound.
type Table = [u32; OUTCOMES];

/// The draws that are made together: each step is a loop over all of them, without a branch.
const TOGETHER: usize = 64;

impl Matrix {
    fn new(scale: u32, [a, b, c]: [f64; 3], seed: u64) -> Self {
        let quadrant = [a, b, c, (1.0 - a - b - c).max(0.0)];
        // An outcome has the bits of the row above those of the column.
        let probability = |outcome: usize| {
            let at =
                |level| quadrant[(outcome >> (LEVELS + level) & 1) << 1 | outcome >> level & 1];
            (0..LEVELS).map(at).product::<f64>()
        };
        Self {
            scale,
            table: alias_table(std::array::from_fn(probability)),
            quadrants: random::stream(seed, "quadrants"),
            ids: Permutation::new(seed, scale),
        }
    }

    /// As [`Draw::draw`], for at most [`TOGETHER`] edges.
    #[inline(always)]
    fn draw_together(&self, first: u64, edges: &mut [Edge]) {
        let looks = self.scale.div_ceil(LEVELS);
        // The outcomes of all looks, the last one lowest.
        let mut outcomes = [0_u64; TOGETHER];
        for pair in 0..looks.div_ceil(2) {
            // A random number lasts for two looks; an edge has four of them.
            for (index, outcomes) in (first..).zip(&mut outcomes) {
                let number = self.quadrants.at(4 * index + u64::from(pair));
                let two = self.outcome(number as u32) << 8 | self.outcome((number >> 32) as u32);
                *outcomes = *outcomes << 16 | u64::from(two);
            }
        }
        // Levels are independent, so those beyond the scale can be dropped.
        let beyond = looks * LEVELS - self.scale;
        let unused = looks % 2 * 8;
        for (edge, outcomes) in edges.iter_mut().zip(outcomes) {
            let outcomes = outcomes >> unused;
            let row = low_halves(outcomes >> LEVELS) >> beyond;
            let column = low_halves(outcomes) >> beyond;
            let (u, v) = (self.ids.apply(row), self.ids.apply(column));
            *edge = (u.min(v), u.max(v));
        }
    }

    /// The outcome that a random number chooses: its lowest bits the slot, the others the choice.
    #[inline(always)]
    fn outcome(&self, number: u32) -> u32 {
        const SLOT: u32 = OUTCOMES as u32 - 1;
        let slot = self.table[(number & SLOT) as usize];
        // Any branch would be mispredicted.
        select_unpredictable(number | SLOT < slot | SLOT, number, slot) & SLOT
    }
}

/// The lower halves of the bytes, side by side.
#[inline(always)]
fn low_halves(bytes: u64) -> u32 {
    let halves = bytes & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (halves | halves >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    (fours | fours >> 16) as u32
}

impl Draw for Matrix {
    #[inline(always)]
    fn draw(&self, first: u64, edges: &mut [Edge]) {
        for (first, edges) in (first..).step_by(TOGETHER).zip(edges.chunks_mut(TOGETHER)) {
            self.draw_together(first, edges);
        }
    }
}

/// The alias table of `probabilities`: slots below the average are filled from slots above it.
fn alias_table(probabilities: [f64; OUTCOMES]) -> Table {
    let mut left = probabilities.map(|probability| probability * OUTCOMES as f64);
    let (mut poor, mut rich): (Vec<_>, Vec<_>) =
        (0..OUTCOMES).partition(|&outcome| left[outcome] < 1.0);
    // If rounding errors leave a slot without a partner, the slot with the highest probability
    // fills it.
    let richest = (0..OUTCOMES).max_by(|&x, &y| left[x].total_cmp(&left[y])).unwrap_or_default();
    let mut others = [richest; OUTCOMES];
    while let (Some(&to), Some(&from)) = (poor.last(), rich.last()) {
        poor.pop();
        others[to] = from;
        left[from] -= 1.0 - left[to];
        if left[from] < 1.0 {
            rich.pop();
            poor.push(from);
        }
    }
    std::array::from_fn(|slot| {
        let bound = (left[slot].min(1.0) * f64::from(1_u32 << CHOICE_BITS)).round() as u32;
        // A slot that is always itself needs no bound above all numbers.
        let (bound, other) =
            if bound >> CHOICE_BITS == 0 { (bound, others[slot]) } else { (0, slot) };
        bound * OUTCOMES as u32 + other as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    #[test]
    fn quadrants_are_drawn_with_their_probabilities() {
        // One level: self-loops are the quadrants on the diagonal.
        let matrix = Matrix::new(1, [0.5, 0.25, 0.125], 3);
        let mut edges = vec![(0, 0); 80_000];
        matrix.draw(0, &mut edges);
        let off_diagonal = edges.iter().filter(|(u, v)| u != v).count();
        // b + c = 3/8 of all, with a deviation of 137.
        assert!(off_diagonal.abs_diff(30_000) < 600, "{off_diagonal}");
    }

    #[test]
    fn wide_instructions_draw_the_same_edges() {
        for scale in [1, 4, 7, 16, 31] {
            let matrix = Matrix::new(scale, [0.57, 0.19, 0.19], 6);
            let [mut plain, mut wide] = [(); 2].map(|()| vec![(0, 0); 999]);
            matrix.draw(5, &mut plain);
            draw::draw(&matrix, 5, &mut wide);
            assert_eq!(plain, wide, "{scale}");
        }
    }

    #[test]
    fn a_table_gives_each_outcome_its_probability() {
        for quadrants in [[0.57, 0.19, 0.19], [0.25, 0.25, 0.25], [1.0, 0.0, 0.0], [0.3, 0.7, 0.0]]
        {
            let table = Matrix::new(8, quadrants, 1).table;
            let [a, b, c] = quadrants;
            let mut share = [0.0; OUTCOMES];
            for (slot, &entry) in table.iter().enumerate() {
                let (bound, other) = (entry as usize / OUTCOMES, entry as usize % OUTCOMES);
                let own = bound as f64 / f64::from(1_u32 << CHOICE_BITS) / OUTCOMES as f64;
                share[slot] += own;
                share[other] += 1.0 / OUTCOMES as f64 - own;
            }
            for (outcome, expected) in [
                (0, a * a * a * a),
                (0b0000_1111, b * b * b * b),
                (0b1111_0000, c * c * c * c),
                (0b0001_1001, a * a * b * (1.0 - a - b - c).max(0.0)),
            ] {
                assert!(
                    (share[outcome] - expected).abs() < 1e-6,
                    "{outcome}: {} {expected}",
                    share[outcome]
                );
            }
        }
    }
}
