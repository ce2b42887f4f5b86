//! Weights in the narrowest type that holds them.

use kostra_core::memory;

use crate::ReadErrorKind;

pub(super) fn reserve<T>(
    values: &mut Vec<T>,
    count: usize,
    exactly: bool,
) -> Result<(), ReadErrorKind> {
    let result =
        if exactly { memory::reserve_exact(values, count) } else { memory::reserve(values, count) };
    Ok(result?)
}

/// Weights of the narrowest type that holds all of them. [`Kinds`](super::Kinds) detects weights
/// that no type holds together.
#[derive(Debug, PartialEq)]
pub(crate) enum Weights {
    I32(Vec<i32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F64(Vec<f64>),
}

/// The ranks of the types, higher for wider ones.
pub(super) const I64: u64 = 2;
pub(super) const U64: u64 = 3;
pub(super) const F64: u64 = 4;

impl Default for Weights {
    fn default() -> Self {
        Self::I32(Vec::new())
    }
}

/// Evaluates an expression with the vector of any type.
macro_rules! with_values {
    ($weights:expr, $values:ident => $body:expr) => {
        match $weights {
            Weights::I32($values) => $body,
            Weights::I64($values) => $body,
            Weights::U64($values) => $body,
            Weights::F64($values) => $body,
        }
    };
}

impl Weights {
    pub(crate) fn len(&self) -> usize {
        with_values!(self, values => values.len())
    }

    /// The rank of the type.
    pub(super) fn rank(&self) -> u64 {
        match self {
            Self::I32(_) => 1,
            Self::I64(_) => I64,
            Self::U64(_) => U64,
            Self::F64(_) => F64,
        }
    }

    /// Removes all weights. The type stays, because later weights probably have it too.
    pub(super) fn clear(&mut self) {
        with_values!(self, values => values.clear());
    }

    pub(super) fn reserve(&mut self, count: usize, exactly: bool) -> Result<(), ReadErrorKind> {
        with_values!(self, values => reserve(values, count, exactly))
    }

    #[inline]
    pub(super) fn push_integer(&mut self, value: i64) {
        match self {
            Self::I32(values) => match i32::try_from(value) {
                Ok(value) => values.push(value),
                Err(_) => {
                    let mut wide = wider(values, i64::from);
                    wide.push(value);
                    *self = Self::I64(wide);
                }
            },
            Self::I64(values) => values.push(value),
            Self::U64(values) => values.push(value as u64),
            Self::F64(values) => values.push(value as f64),
        }
    }

    /// Adds a weight that does not fit into `i64`.
    pub(super) fn push_huge(&mut self, value: u64) {
        self.widen(U64);
        match self {
            Self::U64(values) => values.push(value),
            Self::F64(values) => values.push(value as f64),
            Self::I32(_) | Self::I64(_) => {}
        }
    }

    pub(super) fn push_float(&mut self, value: f64) {
        self.widen(F64);
        if let Self::F64(values) = self {
            values.push(value);
        }
    }

    /// Converts the weights to the type of this rank, unless theirs is wider.
    pub(super) fn widen(&mut self, rank: u64) {
        let wide = match (&*self, rank) {
            (Self::I32(values), I64) => Self::I64(wider(values, i64::from)),
            (Self::I32(values), U64) => Self::U64(wider(values, |value| value as u64)),
            (Self::I64(values), U64) => Self::U64(wider(values, |value| value as u64)),
            (Self::I32(values), F64) => Self::F64(wider(values, f64::from)),
            (Self::I64(values), F64) => Self::F64(wider(values, |value| value as f64)),
            (Self::U64(values), F64) => Self::F64(wider(values, |value| value as f64)),
            _ => return,
        };
        *self = wide;
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.widen(other.rank());
        match (&mut *self, other) {
            (Self::I32(values), Self::I32(more)) => values.extend_from_slice(more),
            (Self::I64(values), Self::I64(more)) => values.extend_from_slice(more),
            (Self::U64(values), Self::U64(more)) => values.extend_from_slice(more),
            (Self::F64(values), Self::F64(more)) => values.extend_from_slice(more),
            (Self::F64(values), Self::U64(more)) => {
                values.extend(more.iter().map(|&value| value as f64));
            }
            (_, Self::I32(more)) => more.iter().for_each(|&value| self.push_integer(value.into())),
            (_, Self::I64(more)) => more.iter().for_each(|&value| self.push_integer(value)),
            (_, Self::U64(_) | Self::F64(_)) => {}
        }
    }

    pub(super) fn remove_first(&mut self) {
        with_values!(self, values => drop(values.drain(..values.len().min(1))));
    }
}

/// The values in a wider type, with the same capacity.
fn wider<T: Copy, U>(values: &Vec<T>, widen: impl Fn(T) -> U) -> Vec<U> {
    let mut wide = Vec::with_capacity(values.capacity().max(values.len() + 1));
    wide.extend(values.iter().map(|&value| widen(value)));
    wide
}
