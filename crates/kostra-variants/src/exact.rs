//! Weights as integers, so that sums of them compare exactly.

use kostra_core::{AnyGraph, EdgeId, Order};
use num_bigint::BigInt;

/// The weights of edges as integers, where less is better. Weights of floats are multiplied by a
/// power of two.
pub(crate) enum Amounts {
    /// Small enough that no sum of differences of fewer than 2^30 edges overflows.
    Narrow(Vec<i128>),
    Wide(Vec<BigInt>),
}

/// The bits of a narrow amount, the sign apart.
const NARROW: i32 = 96;

/// A float as an odd integer, or zero, times a power of two.
#[derive(Clone, Copy)]
struct Dyadic {
    integer: i64,
    exponent: i32,
}

impl Dyadic {
    /// The value of a float that is finite.
    fn of(float: f64) -> Self {
        let bits = float.to_bits();
        let (field, fraction) = ((bits >> 52) as i32 & 0x7ff, (bits & ((1 << 52) - 1)) as i64);
        // Subnormal numbers have the exponent of the least normal ones, and no implicit bit.
        let magnitude = if field == 0 { fraction } else { fraction | 1 << 52 };
        let twos = if magnitude == 0 { 0 } else { magnitude.trailing_zeros() as i32 };
        let integer = if float.is_sign_negative() { -magnitude } else { magnitude } >> twos;
        Self { integer, exponent: field.max(1) - 1075 + twos }
    }
}

impl Amounts {
    /// The weights of all edges.
    ///
    /// # Errors
    /// The first edge whose weight is infinite.
    pub(crate) fn of(graph: &AnyGraph, order: Order) -> Result<Self, EdgeId> {
        macro_rules! integers {
            ($graph:ident) => {{
                let weights = $graph.edge_list().weights().iter();
                Ok(Self::Narrow(weights.map(|&weight| signed(weight.into(), order)).collect()))
            }};
        }
        macro_rules! floats {
            ($graph:ident) => {
                Self::of_floats($graph.edge_list().weights().iter().map(|&w| w.into()), order)
            };
        }
        match graph {
            AnyGraph::I32(graph) => integers!(graph),
            AnyGraph::U32(graph) => integers!(graph),
            AnyGraph::I64(graph) => integers!(graph),
            AnyGraph::U64(graph) => integers!(graph),
            AnyGraph::F32(graph) => floats!(graph),
            AnyGraph::F64(graph) => floats!(graph),
        }
    }

    /// The same integers without a limit of their size.
    pub(crate) fn widened(self) -> Vec<BigInt> {
        match self {
            Self::Narrow(amounts) => amounts.into_iter().map(BigInt::from).collect(),
            Self::Wide(amounts) => amounts,
        }
    }

    fn of_floats(weights: impl Iterator<Item = f64> + Clone, order: Order) -> Result<Self, EdgeId> {
        if let Some(edge) = weights.clone().position(f64::is_infinite) {
            return Err(edge as EdgeId);
        }
        let parts = weights.map(Dyadic::of);
        let (mut lowest, mut highest) = (i32::MAX, i32::MIN);
        for Dyadic { integer, exponent } in parts.clone().filter(|part| part.integer != 0) {
            lowest = lowest.min(exponent);
            highest = highest.max(exponent + 64 - integer.unsigned_abs().leading_zeros() as i32);
        }
        // Zero may have any exponent.
        let shift = |part: Dyadic| if part.integer == 0 { 0 } else { part.exponent - lowest };
        Ok(if highest.saturating_sub(lowest) <= NARROW {
            let amount = |part: Dyadic| signed(i128::from(part.integer) << shift(part), order);
            Self::Narrow(parts.map(amount).collect())
        } else {
            let amount = |part: Dyadic| {
                let amount = BigInt::from(part.integer) << shift(part);
                if order == Order::Maximum { -amount } else { amount }
            };
            Self::Wide(parts.map(amount).collect())
        })
    }
}

fn signed(amount: i128, order: Order) -> i128 {
    if order == Order::Maximum { -amount } else { amount }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_become_integers_of_the_same_ratios() {
        let narrow =
            |weights: &[f64]| match Amounts::of_floats(weights.iter().copied(), Order::Minimum) {
                Ok(Amounts::Narrow(amounts)) => amounts,
                _ => panic!("{weights:?} are narrow"),
            };
        assert_eq!(narrow(&[0.5, -1.5, 0.0, -0.0, 4.0]), [1, -3, 0, 0, 8]);
        assert_eq!(narrow(&[f64::from_bits(1), f64::MIN_POSITIVE]), [1, 1 << 52]);
        assert_eq!(narrow(&[f64::MAX]), [(1 << 53) - 1]);
        assert_eq!(narrow(&[]), []);
        let [a, b] = [0.1, 0.3].map(|float: f64| Dyadic::of(float));
        assert_eq!(a.integer as f64 * f64::from(a.exponent).exp2(), 0.1);
        assert_eq!(b.integer as f64 * f64::from(b.exponent).exp2(), 0.3);
    }

    #[test]
    fn weights_of_all_magnitudes_are_wide_and_infinite_ones_are_named() {
        let weights = [f64::MAX, -f64::from_bits(1), 1.0];
        let Ok(Amounts::Wide(amounts)) = Amounts::of_floats(weights.into_iter(), Order::Maximum)
        else {
            panic!("these weights are wide");
        };
        let highest: BigInt = BigInt::from((1_u64 << 53) - 1) << 2045;
        assert_eq!(amounts[0], -highest);
        assert_eq!((&amounts[1], &amounts[2]), (&1.into(), &-BigInt::from(2).pow(1074)));
        let infinite = [1.0, f64::NEG_INFINITY];
        assert_eq!(Amounts::of_floats(infinite.into_iter(), Order::Minimum).err(), Some(1));
    }
}
