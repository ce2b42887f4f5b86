//! Weights as whole numbers, so that no comparison and no sum of the search is rounded.

use kostra_core::{AnyGraph, EdgeId, Key, Total, Weight, bits_of, with_graph};

use super::SteinerError;

/// The sum of all costs is below two to this power. So sums of costs fit into 64 bits, also if they
/// are doubled twice.
const SUM_BITS: i32 = 60;

/// The costs of the edges: `weight * 2^shift`, rounded down to a whole number.
///
/// Integer weights whose sum fits have the shift 0 and are exact. A sum of rounded costs is never
/// above the sum of the weights, so a lower bound on costs is also one on weights.
pub(super) struct Costs {
    pub(super) values: Vec<u64>,
    shift: i32,
    is_integer: bool,
}

impl Costs {
    /// The costs of a graph's edges.
    ///
    /// # Errors
    /// When a weight is negative or infinite, or their sum is infinite.
    pub(super) fn of(graph: &AnyGraph) -> Result<Self, SteinerError> {
        with_graph!(graph, graph => Self::of_weights(graph.edge_list().weights()))
    }

    fn of_weights<W: Weight>(weights: &[W]) -> Result<Self, SteinerError> {
        for (edge, &weight) in weights.iter().enumerate() {
            let edge = edge as EdgeId;
            if weight < W::default() {
                return Err(SteinerError::NegativeWeight { edge, weight: weight.to_string() });
            }
            if weight.to_f64().is_infinite() {
                return Err(SteinerError::InfiniteWeight { edge });
            }
        }
        let total = W::total(weights.iter().copied());
        let sum = total.to_f64();
        if sum.is_infinite() {
            return Err(SteinerError::SumTooLarge);
        }
        let is_integer = matches!(total, Total::Integer(_));
        let room = SUM_BITS - 1 - sum.max(f64::MIN_POSITIVE).log2().ceil() as i32;
        // The power itself is finite, and so is its inverse above zero.
        let shift = if is_integer && room >= 0 { 0 } else { room.min(f64::MAX_EXP - 1) };
        let factor = 2.0_f64.powi(shift);
        // The bits of an integer that is not negative are the integer.
        let values = weights.iter().zip(bits_of(weights)).map(|(weight, bits)| match total {
            Total::Integer(_) if shift <= 0 => bits.to_u64() >> -shift,
            _ => (weight.to_f64() * factor) as u64,
        });
        let values = values.collect();
        Ok(Self { values, shift, is_integer })
    }

    /// A sum of costs as a sum of weights, rounded down.
    pub(super) fn as_weight(&self, cost: u64) -> Total {
        if self.is_integer && self.shift <= 0 {
            return Total::Integer(i128::from(cost) << -self.shift);
        }
        let float = cost as f64;
        let float = if float as u64 > cost { float.next_down() } else { float };
        Total::Float(float * 2.0_f64.powi(-self.shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_whose_sum_fits_stay_as_they_are() {
        let found = Costs::of_weights(&[3_i64, 0, 1 << 50]).unwrap();
        assert_eq!(found.values, [3, 0, 1 << 50]);
    }

    #[test]
    fn large_integers_and_floats_are_rounded_down_to_one_scale() {
        let found = Costs::of_weights(&[u64::MAX, u64::MAX, 1 << 40]).unwrap();
        let sum: u64 = found.values.iter().sum();
        assert!(sum < 1 << SUM_BITS && sum > 1 << (SUM_BITS - 3));
        let Total::Integer(weight) = found.as_weight(sum) else { panic!("integers stay integers") };
        let exact = 2 * i128::from(u64::MAX) + (1 << 40);
        assert!(weight <= exact && weight > exact - (1 << 10));
        for weights in [[0.1, 0.2, 1e-9], [1e300, 1e299, 3.0], [1e-290, 0.0, 3e-290]] {
            let found = Costs::of_weights(&weights).unwrap();
            let (sum, exact) = (found.values.iter().sum(), weights.iter().sum::<f64>());
            assert!(sum < 1 << SUM_BITS);
            let back = found.as_weight(sum).to_f64();
            assert!(back <= exact * (1.0 + 1e-15) && back >= exact * (1.0 - 1e-12), "{weights:?}");
        }
    }

    #[test]
    fn numbers_that_are_no_costs_are_refused() {
        let refusal = |weights: &[f64]| {
            Costs::of_weights(weights).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(refusal(&[1.0, -0.5]).starts_with("edge 1 has weight -0.5"));
        assert!(refusal(&[f64::INFINITY]).starts_with("edge 0 has an infinite weight"));
        assert!(refusal(&[f64::MAX, f64::MAX]).contains("sum"));
        assert_eq!(refusal(&[-0.0]), "");
    }
}
