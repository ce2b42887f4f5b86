//! The number of spanning trees of a multigraph: the matrix-tree theorem, exactly.
//!
//! The number is a determinant of the Laplacian (Kirchhoff 1847). Eliminating a vertex joins its
//! neighbors `i` and `j` by an edge of weight `w_i w_j / d`, where `d` is the sum of the weights at
//! the vertex, and the number of trees is `d` times that of the rest. The vertices are eliminated
//! in the order of least degree, so sparse graphs stay sparse (Tinney & Walker 1967).
//!
//! Elimination is repeated modulo primes, and the remainders determine the number: it is at most
//! the product of all degrees but one, because a rooted tree is a choice of one edge for each other
//! vertex.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use num_bigint::BigUint;

use super::modular::{BITS, Field, Fields, Remainders};

/// The order of elimination, and the structure of the eliminated graph.
struct Elimination {
    /// The later neighbors of each vertex, ascending. Vertices are numbered in their order.
    later: Vec<Vec<u32>>,
    /// The weight of the edge to each later neighbor before any elimination.
    weights: Vec<Vec<u32>>,
    /// For each vertex, the earlier ones that have it as a later neighbor, and its place there.
    earlier: Vec<Vec<(u32, u32)>>,
    /// The number of trees is below this power of two.
    bits: u64,
}

/// The number of spanning trees of a connected graph of these edges, without self-loops, whose
/// vertices are the numbers below `vertices`. Nothing if it would take more than `most_steps`
/// multiplications; the number of steps is subtracted otherwise.
pub(super) fn spanning_trees(
    vertices: usize,
    ends: &[[u32; 2]],
    fields: &mut Fields,
    most_steps: &mut u64,
) -> Option<BigUint> {
    let elimination = Elimination::new(vertices, ends, most_steps)?;
    let mut remainders = Remainders::new();
    let mut place = 0;
    while remainders.bits() < elimination.bits {
        let field = fields.get(place);
        place += 1;
        // A prime that divides a sum of weights says nothing. No number has many prime factors
        // of 61 bits, so the next primes do.
        if let Some(trees) = elimination.trees(field) {
            remainders.add(field, trees);
        }
    }
    Some(remainders.number())
}

impl Elimination {
    fn new(vertices: usize, ends: &[[u32; 2]], most_steps: &mut u64) -> Option<Self> {
        let bits = bits(vertices, ends);
        let primes = bits / BITS + 1;
        // Each vertex takes at least one step. This refuses large graphs before any work.
        most_steps.checked_sub(vertices as u64 * primes)?;
        let mut neighbors = vec![Vec::new(); vertices];
        for &[u, v] in ends {
            neighbors[u as usize].push(v);
            neighbors[v as usize].push(u);
        }
        neighbors.iter_mut().for_each(|row| {
            row.sort_unstable();
            row.dedup();
        });
        let mut queue: BinaryHeap<_> =
            (0..).zip(&neighbors).map(|(vertex, row)| Reverse((row.len(), vertex))).collect();
        let (mut order, mut later) = (vec![u32::MAX; vertices], Vec::with_capacity(vertices));
        let mut spare = Vec::new();
        while let Some(Reverse((degree, vertex))) = queue.pop() {
            // Degrees change, and the queue keeps the former ones.
            if order[vertex as usize] != u32::MAX || degree != neighbors[vertex as usize].len() {
                continue;
            }
            order[vertex as usize] = later.len() as u32;
            let row = std::mem::take(&mut neighbors[vertex as usize]);
            let steps = (row.len() as u64 + 1) * (row.len() as u64 + 1) / 2 * primes;
            *most_steps = most_steps.checked_sub(steps)?;
            for &neighbor in &row {
                join(&neighbors[neighbor as usize], &row, &mut spare);
                spare.retain(|&other| other != neighbor && other != vertex);
                std::mem::swap(&mut neighbors[neighbor as usize], &mut spare);
                queue.push(Reverse((neighbors[neighbor as usize].len(), neighbor)));
            }
            later.push(row);
        }
        for row in &mut later {
            row.iter_mut().for_each(|vertex| *vertex = order[*vertex as usize]);
            row.sort_unstable();
        }
        let mut weights: Vec<_> = later.iter().map(|row| vec![0; row.len()]).collect();
        for &[u, v] in ends {
            let (u, v) = (order[u as usize], order[v as usize]);
            let first = u.min(v) as usize;
            if let Ok(place) = later[first].binary_search(&u.max(v)) {
                weights[first][place] += 1;
            }
        }
        let mut earlier = vec![Vec::new(); vertices];
        for (vertex, row) in (0..).zip(&later) {
            for (place, &neighbor) in (0..).zip(row) {
                earlier[neighbor as usize].push((vertex, place));
            }
        }
        Some(Self { later, weights, earlier, bits })
    }

    /// The number of trees in a field; nothing if the prime divides a sum of weights.
    fn trees(&self, field: Field) -> Option<u64> {
        let vertices = self.later.len();
        let mut rows: Vec<Vec<u64>> = Vec::with_capacity(vertices);
        let (mut inverses, mut sums) = (Vec::with_capacity(vertices), vec![0; vertices]);
        let mut trees = field.of(1);
        for (vertex, (later, weights)) in self.later.iter().zip(&self.weights).enumerate() {
            for (&neighbor, &weight) in later.iter().zip(weights) {
                sums[neighbor as usize] = field.of(weight.into());
            }
            for &(one, place) in &self.earlier[vertex] {
                let (row, place) = (&rows[one as usize], place as usize);
                let factor = field.product(row[place], inverses[one as usize]);
                let behind = &self.later[one as usize][place + 1..];
                for (&neighbor, &weight) in behind.iter().zip(&row[place + 1..]) {
                    let sum = &mut sums[neighbor as usize];
                    *sum = field.sum(*sum, field.product(factor, weight));
                }
            }
            let row: Vec<_> = later.iter().map(|&neighbor| sums[neighbor as usize]).collect();
            // The last vertex has no later neighbors, and is the one without a choice.
            if !row.is_empty() {
                let degree = row.iter().fold(0, |sum, &weight| field.sum(sum, weight));
                if degree == 0 {
                    return None;
                }
                trees = field.product(trees, degree);
                inverses.push(field.inverse(degree));
            }
            rows.push(row);
        }
        Some(field.value(trees))
    }
}

/// A number whose power of two is above the product of all degrees but the highest.
fn bits(vertices: usize, ends: &[[u32; 2]]) -> u64 {
    let mut degrees = vec![0_u32; vertices];
    ends.iter().flatten().for_each(|&end| degrees[end as usize] += 1);
    let highest = degrees.iter().copied().max().unwrap_or(1);
    let logarithms = degrees.iter().map(|&degree| f64::from(degree).log2()).sum::<f64>();
    // A billionth is far more than the sum loses to rounding.
    ((logarithms - f64::from(highest).log2()) * (1.0 + 1e-9)) as u64 + 2
}

/// The numbers of two ascending lists, ascending, each once.
fn join(a: &[u32], b: &[u32], joined: &mut Vec<u32>) {
    joined.clear();
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(&&x), Some(&&y)) = (a.peek(), b.peek()) {
        joined.push(x.min(y));
        if x <= y {
            a.next();
        }
        if y <= x {
            b.next();
        }
    }
    joined.extend(a.chain(b));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(vertices: usize, ends: &[[u32; 2]]) -> BigUint {
        spanning_trees(vertices, ends, &mut Fields::default(), &mut u64::MAX.clone()).unwrap()
    }

    #[test]
    fn complete_graphs_have_as_many_trees_as_cayley_says() {
        for n in 1..40_u32 {
            let ends: Vec<_> = (0..n).flat_map(|u| (0..u).map(move |v| [u, v])).collect();
            let cayley = if n < 3 { 1_u32.into() } else { BigUint::from(n).pow(n - 2) };
            assert_eq!(trees(n as usize, &ends), cayley, "{n}");
        }
    }

    #[test]
    fn cycles_parallel_edges_and_grids_have_known_numbers() {
        let cycle: Vec<_> = (0..50).map(|u| [u, (u + 1) % 50]).collect();
        assert_eq!(trees(50, &cycle), 50_u32.into());
        assert_eq!(trees(2, &[[0, 1]; 7]), 7_u32.into());
        // Grids of 2 x n, OEIS A001353.
        let ladder = |n: u32| {
            let rungs = (0..n).map(|i| [2 * i, 2 * i + 1]);
            let rails = (0..2 * (n - 1)).map(|i| [i, i + 2]);
            rungs.chain(rails).collect::<Vec<_>>()
        };
        let expected = [1_u32, 4, 15, 56, 209, 780, 2911];
        for (n, expected) in (1..).zip(expected) {
            assert_eq!(trees(2 * n as usize, &ladder(n)), expected.into(), "{n}");
        }
    }

    #[test]
    fn more_steps_than_allowed_are_refused() {
        let ends: Vec<_> = (0..40).flat_map(|u| (0..u).map(move |v| [u, v])).collect();
        let within = |mut steps| spanning_trees(40, &ends, &mut Fields::default(), &mut steps);
        assert_eq!(within(10_000), None);
        assert!(within(100_000).is_some());
    }
}
