//! A fingerprint of a multiset of edges: two multisets of edges are equal if their fingerprints
//! are, except with negligible probability.
//!
//! The fingerprint of a multiset is the product of `x + a u + b v + c w` over its edges `(u, v, w)`,
//! modulo a prime, for random `x`, `a`, `b` and `c`. Polynomials factor in one way only, so the
//! products of different multisets are different polynomials in `x`, `a`, `b` and `c`. Two
//! different polynomials of degree `m` agree at a random point with a probability of at most
//! `m / p` (Schwartz 1980; Lipton 1989 compares multisets so). There are two points modulo
//! `2^61 - 1`. So with `2^26` edges the probability is below `2^-69`, and with `2^31` below `2^-59`,
//! whatever the edges are: the points are drawn when the program runs.
//!
//! A fingerprint takes constant memory and O(1) time per edge, in any order. Parts of a multiset
//! can be evaluated by different threads, because products commute.

use std::hash::{BuildHasher, RandomState};

use kostra_core::Vertex;

/// The modulus, a Mersenne prime: reducing by it takes a shift and an addition.
const P: u64 = (1 << 61) - 1;

/// A random point at which the polynomials are evaluated.
#[derive(Clone, Copy, Debug)]
struct Point {
    constant: u64,
    ends: [u64; 2],
    /// For the low and the high 32 bits of the weight.
    weight: [u64; 2],
}

/// Two independent random points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points([Point; 2]);

impl Points {
    /// Draws points from the randomness that the system gives this process.
    pub(super) fn draw() -> Self {
        let random = RandomState::new();
        Self([0_u64, 1].map(|point| {
            let number = |index: u64| random.hash_one((point, index)) % P;
            Point {
                constant: number(0),
                ends: [number(1), number(2)],
                weight: [number(3), number(4)],
            }
        }))
    }

    /// What the entries of a row share.
    #[inline]
    pub(super) fn row(&self, row: Vertex) -> RowFactors {
        RowFactors(self.0.map(|point| {
            let base = |end: usize| {
                fold(u128::from(point.constant) + u128::from(point.ends[end]) * u128::from(row))
            };
            RowPoint { bases: [base(0), base(1)], ends: point.ends, weight: point.weight }
        }))
    }
}

#[derive(Clone, Copy)]
struct RowPoint {
    /// The constant plus the term of the row, if the row is the first or the second end.
    bases: [u64; 2],
    ends: [u64; 2],
    weight: [u64; 2],
}

/// The points, with the terms of one row evaluated.
pub(super) struct RowFactors([RowPoint; 2]);

impl RowFactors {
    /// Multiplies `fingerprint` by the edge from the row to `to`. `end` says which end of the edge
    /// the row is: 0 for the first one and 1 for the second one.
    #[inline]
    pub(super) fn multiply<W: Into<i64>>(
        &self,
        fingerprint: &mut Fingerprint,
        end: usize,
        to: Vertex,
        weight: W,
    ) {
        let weight = Into::<i64>::into(weight) as u64;
        for (product, point) in fingerprint.0.iter_mut().zip(&self.0) {
            let mut value = u128::from(point.bases[end])
                + u128::from(point.ends[1 - end]) * u128::from(to)
                + u128::from(point.weight[0]) * u128::from(weight as u32);
            if size_of::<W>() > 4 {
                value += u128::from(point.weight[1]) * u128::from(weight >> 32);
            }
            *product = times(*product, fold(value));
        }
    }
}

/// The fingerprint of a multiset of edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// The fingerprint of no edges.
    pub(super) const EMPTY: Self = Self([1; 2]);

    /// The fingerprint of both multisets together.
    pub(super) fn and(self, other: Self) -> Self {
        Self([times(self.0[0], other.0[0]), times(self.0[1], other.0[1])])
    }
}

impl PartialEq for Fingerprint {
    fn eq(&self, other: &Self) -> bool {
        self.0.map(|product| product % P) == other.0.map(|product| product % P)
    }
}

/// A number that is equal modulo `P` and below `2^61 + 2^36`, if `number` is below `2^97`.
#[inline]
fn fold(number: u128) -> u64 {
    (number as u64 & P) + (number >> 61) as u64
}

/// The product modulo `P`, at most `P + 7`, of a factor up to `P + 7` and one below `2^62`.
#[inline]
fn times(a: u64, b: u64) -> u64 {
    let once = fold(u128::from(a) * u128::from(b));
    (once & P) + (once >> 61)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(points: &Points, edges: &[(Vertex, Vertex, i64)], end: usize) -> Fingerprint {
        edges.iter().fold(Fingerprint::EMPTY, |mut all, &(u, v, weight)| {
            let (row, to) = if end == 0 { (u, v) } else { (v, u) };
            points.row(row).multiply(&mut all, end, to, weight);
            all
        })
    }

    #[test]
    fn products_stay_within_their_bounds() {
        let largest = u128::from(P) + u128::from(P) * ((1 << 33) + u128::from(u32::MAX));
        assert!(largest < 1 << 97 && fold((1 << 97) - 1) < (1 << 61) + (1 << 36));
        for a in [0, 1, P - 1, P, P + 7] {
            for b in [0, 1, P, (1 << 61) + (1 << 36), (1 << 62) - 1] {
                let exact = (u128::from(a) * u128::from(b) % u128::from(P)) as u64;
                assert!(times(a, b) <= P + 7 && times(a, b) % P == exact, "{a} {b}");
            }
        }
    }

    #[test]
    fn the_order_and_the_end_that_is_the_row_do_not_matter() {
        let points = Points::draw();
        let edges = [(0, 1, -5), (0, 1, -5), (7, u32::MAX, i64::MIN), (3, 9, i64::MAX)];
        let mut turned = edges;
        turned.reverse();
        let whole = product(&points, &edges, 0);
        assert_eq!(whole, product(&points, &turned, 1));
        let (one, two) = edges.split_at(1);
        assert_eq!(whole, product(&points, one, 1).and(product(&points, two, 0)));
    }

    #[test]
    fn edges_that_differ_in_one_bit_or_one_copy_have_other_fingerprints() {
        let points = Points::draw();
        let edges = [(0, 1, -5), (0, 1, -5), (7, 8, 1 << 40)];
        let whole = product(&points, &edges, 0);
        for bit in 0..64 {
            let mut others = edges;
            others[0].2 ^= 1 << bit;
            assert_ne!(whole, product(&points, &others, 0), "weight, bit {bit}");
            let mut others = edges;
            others[1].0 ^= 1 << (bit % 32);
            assert_ne!(whole, product(&points, &others, 0), "first end, bit {bit}");
            let mut others = edges;
            others[1].1 ^= 1 << (bit % 32);
            assert_ne!(whole, product(&points, &others, 0), "second end, bit {bit}");
        }
        assert_ne!(whole, product(&points, &edges[1..], 0), "a copy less");
        assert_ne!(whole, product(&points, &[(1, 0, -5), edges[1], edges[2]], 0), "ends swapped");
    }
}
