//! Weights, and the unsigned keys that order them.
//!
//! Solvers compare *keys*, not weights: unsigned integers in the order of the weights. So one code
//! path serves every weight type, and `-0.0` equals `0.0`. A maximum spanning forest is the same
//! problem with every bit of the key flipped; negation would overflow. A *rank* is a key with the
//! edge id in the bits below it: one integer that represents the strict total order.
//!
//! A solver reads weights as *bits*, unsigned integers of the weight's size. An [`Encoding`] says
//! how bits become keys. It is a value, not a type, so a solver is compiled twice, for weights of
//! 32 and of 64 bits, and not once for each of the six weight types.

use std::fmt::{Debug, Display};
use std::ops::{BitAnd, BitXor, Not};

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
    /// All types, in the order of their codes in files.
    pub const ALL: [Self; 6] = [Self::I32, Self::U32, Self::I64, Self::U64, Self::F32, Self::F64];

    /// The number that stands for the type in files: its place in [`ALL`](Self::ALL).
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The type with this code; none if no type has it.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }

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

    /// The number of bits of a weight: 32 or 64.
    pub const fn bits(self) -> u32 {
        match self {
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
        }
    }
}

impl Display for WeightType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// An unsigned integer that orders weights: `u32` for 32-bit weights, `u64` for 64-bit ones.
///
/// The bits of a weight have the same type.
pub trait Key:
    Pod
    + Default
    + Ord
    + Debug
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitXor<Output = Self>
    + Send
    + Sync
    + sealed::Sealed
{
    /// A key with an edge id in the bits below it, as one integer.
    type Rank: Pod + Default + Ord + Debug + Send + Sync;

    /// The number of bits of the key.
    const BITS: u32;
    /// The lowest key.
    const MIN: Self;
    /// The highest key.
    const MAX: Self;
    /// The highest bit: the sign of signed integers and floats.
    const SIGN: Self;

    /// All ones if the highest bit is set, otherwise zero.
    fn sign_mask(self) -> Self;
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
    ($key:ty, $signed:ty, $rank:ty) => {
        impl Key for $key {
            type Rank = $rank;
            const BITS: u32 = <$key>::BITS;
            const MIN: Self = <$key>::MIN;
            const MAX: Self = <$key>::MAX;
            const SIGN: Self = 1 << (<$key>::BITS - 1);

            #[inline]
            fn sign_mask(self) -> Self {
                ((self as $signed) >> (<$key>::BITS - 1)) as Self
            }
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
impl_key!(u32, i32, u64);
impl_key!(u64, i64, u128);

/// How the bits of weights become keys: the weight type and the order as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding<K: Key> {
    weight_type: WeightType,
    order: Order,
    /// The bits that mean zero besides zero itself: those of `-0.0` for floats, otherwise zero.
    negative_zero: K,
    /// The bits that are flipped in negative weights. Floats store a magnitude below the sign, so
    /// larger magnitudes must come first.
    flipped_if_negative: K,
    /// The bits that are flipped in all weights: the sign, so that negative weights come first; all
    /// bits for a maximum.
    flipped: K,
}

impl<K: Key> Encoding<K> {
    /// The encoding of weights of the type `W`.
    #[inline]
    pub fn new<W: Weight<Key = K>>(order: Order) -> Self {
        Self::of_type(W::TYPE, order)
    }

    /// The encoding of weights of this type.
    ///
    /// # Panics
    /// If the weights do not have the size of `K`.
    #[inline]
    pub fn of_type(weight_type: WeightType, order: Order) -> Self {
        assert!(weight_type.bits() == K::BITS, "the weights have the size of keys");
        let (is_signed, is_float) = match weight_type {
            WeightType::U32 | WeightType::U64 => (false, false),
            WeightType::I32 | WeightType::I64 => (true, false),
            WeightType::F32 | WeightType::F64 => (true, true),
        };
        let sign = if is_signed { K::SIGN } else { K::MIN };
        Self {
            weight_type,
            order,
            negative_zero: if is_float { K::SIGN } else { K::MIN },
            flipped_if_negative: if is_float { !K::SIGN } else { K::MIN },
            flipped: if order == Order::Minimum { sign } else { !sign },
        }
    }

    /// The type of the weights.
    pub fn weight_type(self) -> WeightType {
        self.weight_type
    }

    /// Whether low or high weights are better.
    pub fn order(self) -> Order {
        self.order
    }

    /// The key of a weight with these bits; lower is better. Meaningless for NaN, which no graph
    /// contains.
    #[inline]
    pub fn key(self, bits: K) -> K {
        let bits = if bits == self.negative_zero { K::MIN } else { bits };
        bits ^ (bits.sign_mask() & self.flipped_if_negative) ^ self.flipped
    }

    /// Whether the weight with these bits is NaN.
    pub fn is_nan(self, bits: K) -> bool {
        let bits = bits.to_u64();
        match self.weight_type {
            WeightType::F32 => f32::from_bits(bits as u32).is_nan(),
            WeightType::F64 => f64::from_bits(bits).is_nan(),
            _ => false,
        }
    }

    /// The weight with these bits, as text.
    pub fn text(self, bits: K) -> String {
        let bits = bits.to_u64();
        match self.weight_type {
            WeightType::U32 | WeightType::U64 => bits.to_string(),
            WeightType::I32 => (bits as i32).to_string(),
            WeightType::I64 => (bits as i64).to_string(),
            WeightType::F32 => f32::from_bits(bits as u32).to_string(),
            WeightType::F64 => f64::from_bits(bits).to_string(),
        }
    }

    /// The sum of the weights with these bits: exact for integers, compensated in the given order
    /// for floats.
    pub fn total(self, weights: impl Iterator<Item = K>) -> Total {
        let weights = weights.map(K::to_u64);
        match self.weight_type {
            WeightType::U32 | WeightType::U64 => u64::total(weights),
            WeightType::I32 => i32::total(weights.map(|bits| bits as i32)),
            WeightType::I64 => i64::total(weights.map(|bits| bits as i64)),
            WeightType::F32 => f32::total(weights.map(|bits| f32::from_bits(bits as u32))),
            WeightType::F64 => f64::total(weights.map(f64::from_bits)),
        }
    }
}

/// A type of edge weights: `i32 u32 i64 u64 f32 f64`.
pub trait Weight:
    Pod + PartialOrd + Debug + Display + Default + Send + Sync + sealed::Weight
{
    /// The unsigned integer that orders weights of this type.
    type Key: Key;
    /// The type as a value.
    const TYPE: WeightType;

    /// Whether this is NaN.
    fn is_nan(self) -> bool;
    /// The weight as a float. Integers above 2^53 are rounded.
    fn to_f64(self) -> f64;
    /// The sum of `weights`: exact for integers, compensated in the given order for floats.
    fn total(weights: impl Iterator<Item = Self>) -> Total;
}

macro_rules! impl_integer_weight {
    ($weight:ty, $key:ty, $type:ident) => {
        impl Weight for $weight {
            type Key = $key;
            const TYPE: WeightType = WeightType::$type;

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
impl_integer_weight!(u32, u32, U32);
impl_integer_weight!(u64, u64, U64);
impl_integer_weight!(i32, u32, I32);
impl_integer_weight!(i64, u64, I64);

macro_rules! impl_float_weight {
    ($weight:ty, $key:ty, $type:ident) => {
        impl Weight for $weight {
            type Key = $key;
            const TYPE: WeightType = WeightType::$type;

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
impl_float_weight!(f32, u32, F32);
impl_float_weight!(f64, u64, F64);

/// The weights as bits.
pub fn bits_of<W: Weight>(weights: &[W]) -> &[W::Key] {
    bytemuck::cast_slice(weights)
}

/// The key of a weight in an order; lower is better. Where many weights are compared, an
/// [`Encoding`] that is made once is faster.
#[inline]
pub fn key_of<W: Weight>(weight: W, order: Order) -> W::Key {
    Encoding::new::<W>(order).key(bytemuck::cast(weight))
}

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
        let (low, high) = (Encoding::new::<W>(Order::Minimum), Encoding::new::<W>(Order::Maximum));
        for pair in bits_of(weights).windows(2) {
            assert!(
                low.key(pair[0]) < low.key(pair[1]),
                "{} before {}",
                low.text(pair[0]),
                low.text(pair[1])
            );
            assert!(high.key(pair[0]) > high.key(pair[1]));
        }
        let keys: Vec<_> = weights.iter().map(|&weight| key_of(weight, Order::Minimum)).collect();
        assert!(keys.is_sorted());
        let texts = weights.iter().map(W::to_string);
        assert!(texts.eq(bits_of(weights).iter().map(|&bits| low.text(bits))));
        let total = low.total(bits_of(weights).iter().copied());
        let expected = W::total(weights.iter().copied());
        assert!(total == expected || total.to_f64().is_nan() && expected.to_f64().is_nan());
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
        for order in [Order::Minimum, Order::Maximum] {
            assert_eq!(key_of(-0.0_f32, order), key_of(0.0_f32, order));
            assert_eq!(key_of(-0.0_f64, order), key_of(0.0_f64, order));
        }
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
