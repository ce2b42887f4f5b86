//! Weights, and the unsigned keys that order them.
//!
//! Solvers compare *keys*, not weights: unsigned integers in the order of the weights. So one code
//! path serves every weight type, and `-0.0` equals `0.0`. A maximum spanning forest is the same
//! problem with every bit of the key flipped; negation would overflow. A *rank* is a key with the
//! edge id in the bits below it: one integer that represents the strict total order.

use std::fmt::{Debug, Display};
use std::ops::BitXor;

use bytemuck::Pod;

use crate::{EdgeId, Total};

/// The kind of spanning forest: minimum or maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// A minimum spanning forest.
    #[default]
    Minimum,
    /// A maximum spanning forest. Among equal weights the lowest edge id wins, as for a minimum.
    Maximum,
}

/// The type of a graph's weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the type it is named after")]
pub enum WeightType {
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl WeightType {
    /// The Rust name of the type, such as `"i32"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl Display for WeightType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// An unsigned integer that orders weights: `u32` for 32-bit weights, `u64` for 64-bit ones.
pub trait Key: Pod + Ord + Debug + BitXor<Output = Self> + Send + Sync + sealed::Sealed {
    /// A key with an edge id in the bits below it, as one integer.
    type Rank: Pod + Default + Ord + Debug + Send + Sync;

    /// The number of bits of the key.
    const BITS: u32;
    /// The lowest key.
    const MIN: Self;
    /// The highest key.
    const MAX: Self;

    /// The key as a 64-bit integer, in the same order.
    fn to_u64(self) -> u64;
    /// The key from a 64-bit integer; [`MAX`](Self::MAX) if it is too large.
    fn from_u64(key: u64) -> Self;
    /// The rank of the edge `id` with this key.
    fn rank(self, id: EdgeId) -> Self::Rank;
    /// The edge id of a rank.
    fn rank_id(rank: Self::Rank) -> EdgeId;
    /// The key of a rank.
    fn rank_key(rank: Self::Rank) -> Self;
}

macro_rules! impl_key {
    ($key:ty, $rank:ty) => {
        impl Key for $key {
            type Rank = $rank;
            const BITS: u32 = <$key>::BITS;
            const MIN: Self = <$key>::MIN;
            const MAX: Self = <$key>::MAX;

            #[inline]
            fn to_u64(self) -> u64 {
                self.into()
            }
            #[inline]
            fn from_u64(key: u64) -> Self {
                Self::try_from(key).unwrap_or(Self::MAX)
            }
            #[inline]
            fn rank(self, id: EdgeId) -> $rank {
                (<$rank>::from(self) << 32) | <$rank>::from(id)
            }
            #[inline]
            fn rank_id(rank: $rank) -> EdgeId {
                rank as EdgeId
            }
            #[inline]
            fn rank_key(rank: $rank) -> Self {
                (rank >> 32) as Self
            }
        }
        impl sealed::Sealed for $key {}
    };
}
impl_key!(u32, u64);
impl_key!(u64, u128);

/// A type of edge weights: `i32 u32 i64 u64 f32 f64`.
pub trait Weight:
    Pod + PartialOrd + Debug + Display + Default + Send + Sync + sealed::Weight
{
    /// The unsigned integer that orders weights of this type.
    type Key: Key;
    /// The type as a value.
    const TYPE: WeightType;

    /// The weight's key: `a.key() < b.key()` exactly when `a < b`. Meaningless for NaN, which no
    /// graph contains.
    fn key(self) -> Self::Key;
    /// Whether this is NaN.
    fn is_nan(self) -> bool;
    /// The weight as a float. Integers above 2^53 are rounded.
    fn to_f64(self) -> f64;
    /// The sum of `weights`: exact for integers, compensated in the given order for floats.
    fn total(weights: impl Iterator<Item = Self>) -> Total;
}

macro_rules! impl_integer_weight {
    ($weight:ty, $key:ty, $type:ident, $flip:expr) => {
        impl Weight for $weight {
            type Key = $key;
            const TYPE: WeightType = WeightType::$type;

            #[inline]
            fn key(self) -> $key {
                (self as $key) ^ $flip
            }
            #[inline]
            fn is_nan(self) -> bool {
                false
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn total(weights: impl Iterator<Item = Self>) -> Total {
                Total::Integer(weights.map(i128::from).sum())
            }
        }
        impl sealed::Weight for $weight {}
    };
}
impl_integer_weight!(u32, u32, U32, 0);
impl_integer_weight!(u64, u64, U64, 0);
impl_integer_weight!(i32, u32, I32, 1 << 31);
impl_integer_weight!(i64, u64, I64, 1 << 63);

macro_rules! impl_float_weight {
    ($weight:ty, $key:ty, $signed:ty, $type:ident) => {
        impl Weight for $weight {
            type Key = $key;
            const TYPE: WeightType = WeightType::$type;

            #[inline]
            fn key(self) -> $key {
                // Adding zero turns -0.0 into 0.0 and changes nothing else.
                let bits = (self + 0.0).to_bits();
                // Negative: flip all bits, so that larger magnitudes come first. Positive: set the
                // sign bit.
                let negative = ((bits as $signed) >> (<$key>::BITS - 1)) as $key;
                bits ^ (negative | (1 << (<$key>::BITS - 1)))
            }
            #[inline]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn total(weights: impl Iterator<Item = Self>) -> Total {
                Total::Float(compensated_sum(weights.map(f64::from)))
            }
        }
        impl sealed::Weight for $weight {}
    };
}
impl_float_weight!(f32, u32, i32, F32);
impl_float_weight!(f64, u64, i64, F64);

fn compensated_sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut sum = CompensatedSum::default();
    for value in values {
        sum.add(value);
    }
    sum.value()
}

/// Neumaier's compensated sum, as a state that can be passed on. Infinities are summed without
/// compensation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompensatedSum {
    /// The plain sum.
    pub sum: f64,
    /// The accumulated rounding error.
    pub lost: f64,
}

impl CompensatedSum {
    /// Adds a value. The order of the values can change the last bit.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let Self { sum, lost } = self;
        let next = *sum + value;
        *lost +=
            if sum.abs() >= value.abs() { (*sum - next) + value } else { (value - next) + *sum };
        *sum = next;
    }

    /// The sum so far.
    pub fn value(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

mod sealed {
    pub trait Sealed {}
    pub trait Weight {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_keys_ascend<W: Weight>(weights: &[W]) {
        for pair in weights.windows(2) {
            assert!(pair[0].key() < pair[1].key(), "{} before {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn keys_order_as_weights_do() {
        assert_keys_ascend(&[i32::MIN, -7, -1, 0, 1, 7, i32::MAX]);
        assert_keys_ascend(&[i64::MIN, -7, -1, 0, 1, 7, i64::MAX]);
        assert_keys_ascend(&[0, 1, u32::MAX]);
        assert_keys_ascend(&[0, 1, u64::MAX]);
        let tiny = f32::from_bits(1);
        assert_keys_ascend(&[
            f32::NEG_INFINITY,
            f32::MIN,
            -1.5,
            -tiny,
            0.0,
            tiny,
            1.5,
            f32::MAX,
            f32::INFINITY,
        ]);
        let tiny = f64::from_bits(1);
        assert_keys_ascend(&[
            f64::NEG_INFINITY,
            f64::MIN,
            -1.5,
            -tiny,
            0.0,
            tiny,
            1.5,
            f64::MAX,
            f64::INFINITY,
        ]);
    }

    #[test]
    fn negative_zero_is_zero() {
        assert_eq!((-0.0_f32).key(), 0.0_f32.key());
        assert_eq!((-0.0_f64).key(), 0.0_f64.key());
    }

    #[test]
    fn a_rank_holds_key_and_id() {
        let rank = 7_u32.rank(9);
        assert_eq!((u32::rank_key(rank), u32::rank_id(rank)), (7, 9));
        let rank = u64::MAX.rank(u32::MAX);
        assert_eq!((u64::rank_key(rank), u64::rank_id(rank)), (u64::MAX, u32::MAX));
        assert!(1_u32.rank(u32::MAX) < 2_u32.rank(0));
    }

    #[test]
    fn integer_totals_do_not_overflow() {
        assert_eq!(
            u64::total([u64::MAX, u64::MAX].into_iter()),
            Total::Integer(2 * i128::from(u64::MAX))
        );
        assert_eq!(
            i64::total([i64::MIN, i64::MIN].into_iter()),
            Total::Integer(2 * i128::from(i64::MIN))
        );
    }

    #[test]
    fn float_totals_keep_what_a_plain_sum_loses() {
        assert_eq!(f64::total([1e100, 1.0, -1e100].into_iter()), Total::Float(1.0));
        assert_eq!(f64::total([f64::INFINITY, 1.0].into_iter()), Total::Float(f64::INFINITY));
        assert_eq!(
            f64::total([1.0, f64::NEG_INFINITY].into_iter()),
            Total::Float(f64::NEG_INFINITY)
        );
        assert_eq!(f64::total([f64::MAX, f64::MAX].into_iter()), Total::Float(f64::INFINITY));
    }
}
