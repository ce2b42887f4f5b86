//! Weights that not every type holds, and conflicts between them.
//!
//! For each kind of weight the first edge is kept. From these follows the first edge at which two
//! kinds exclude each other, independent of the division of the input into blocks or parts.

use crate::thousands::Thousands;

/// The largest number up to which every integer is a 64-bit float.
const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// An edge, and its weight.
type First = Option<(u64, i128)>;

/// The first edges of the kinds of weights that exclude others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Kinds {
    /// The first weight that is not an integer.
    float: First,
    /// The first integer that no 64-bit float equals.
    inexact: First,
    negative: First,
    /// The first weight of 2^63 or more.
    huge: First,
    /// What the weights between semicolons say about points.
    pub(crate) thousands: Thousands,
}

/// A weight that excludes an earlier one.
#[derive(Debug, PartialEq)]
pub(crate) struct Conflict {
    /// The later of the two edges.
    pub(crate) edge: u64,
    /// What is wrong with its weight.
    pub(crate) sentence: String,
}

impl Kinds {
    /// The number of words of [`to_words`](Self::to_words).
    pub(crate) const WORDS: usize = 12 + Thousands::WORDS;

    pub(super) fn see_float(&mut self, edge: usize) {
        self.float = self.float.or(Some((edge as u64, 0)));
    }

    #[inline]
    pub(super) fn see_integer(&mut self, edge: usize, value: i64) {
        if value.unsigned_abs() > EXACT {
            self.see_large(edge, value.into());
        }
    }

    pub(super) fn see_negative(&mut self, edge: usize, value: i64) {
        self.negative = self.negative.or(Some((edge as u64, value.into())));
    }

    pub(super) fn see_huge(&mut self, edge: usize, value: u64) {
        self.huge = self.huge.or(Some((edge as u64, value.into())));
        self.see_large(edge, value.into());
    }

    #[cold]
    fn see_large(&mut self, edge: usize, value: i128) {
        if value as f64 as i128 != value {
            self.inexact = self.inexact.or(Some((edge as u64, value)));
        }
    }

    /// These kinds with all edge ids increased by `edges`.
    pub(crate) fn after(self, edges: u64) -> Self {
        let later = |first: First| first.map(|(edge, value)| (edge + edges, value));
        self.map(later)
    }

    fn map(self, change: impl Fn(First) -> First) -> Self {
        let Self { float, inexact, negative, huge, thousands } = self;
        Self {
            float: change(float),
            inexact: change(inexact),
            negative: change(negative),
            huge: change(huge),
            thousands,
        }
    }

    /// The kinds of these edges and of later ones together.
    pub(crate) fn and(self, later: Self) -> Self {
        Self {
            float: self.float.or(later.float),
            inexact: self.inexact.or(later.inexact),
            negative: self.negative.or(later.negative),
            huge: self.huge.or(later.huge),
            thousands: self.thousands.and(later.thousands),
        }
    }

    /// The first edge whose weight excludes an earlier one.
    pub(crate) fn conflict(&self) -> Option<Conflict> {
        let rounded = self.float.zip(self.inexact).map(|((float, _), (edge, value))| {
            let remedy = format!("write {value}.0 if it may be rounded");
            let sentence = if edge > float {
                format!(
                    "the weight {value} has no exact 64-bit float, which it must be among weights with decimals; \
                     {remedy}"
                )
            } else {
                format!(
                    "this weight is not an integer, but the weight {value} of edge {edge} (counted from 0) has no exact \
                     64-bit float; {remedy}"
                )
            };
            Conflict { edge: edge.max(float), sentence }
        });
        let wide = self.negative.zip(self.huge).map(|((negative, below), (huge, above))| {
            let remedy = format!("no 64-bit integers hold both; write {above}.0 if it may be rounded");
            let sentence = if huge > negative {
                format!(
                    "the weight {above} is 2^63 or more, but edge {negative} (counted from 0) weighs {below}: {remedy}"
                )
            } else {
                format!(
                    "the weight {below} is negative, but edge {huge} (counted from 0) weighs {above}: {remedy}"
                )
            };
            Conflict { edge: huge.max(negative), sentence }
        });
        rounded.into_iter().chain(wide).min_by_key(|conflict| conflict.edge)
    }

    pub(crate) fn to_words(self) -> [u64; Self::WORDS] {
        let mut words = [u64::MAX; Self::WORDS];
        let firsts = [self.float, self.inexact, self.negative, self.huge];
        for (words, (edge, value)) in
            words.chunks_exact_mut(3).zip(firsts).filter_map(|(w, f)| Some((w, f?)))
        {
            words.copy_from_slice(&[edge, value as u64, (value >> 64) as u64]);
        }
        if let Some(words) = words.last_chunk_mut() {
            *words = self.thousands.to_words();
        }
        words
    }

    pub(crate) fn from_words(words: [u64; Self::WORDS]) -> Self {
        let first = |at: usize| {
            let &[edge, low, high] = words.get(3 * at..)?.first_chunk()?;
            (edge != u64::MAX).then_some((edge, i128::from(high as i64) << 64 | i128::from(low)))
        };
        let thousands = words
            .last_chunk()
            .map_or_else(Thousands::default, |&words| Thousands::from_words(words));
        Self { float: first(0), inexact: first(1), negative: first(2), huge: first(3), thousands }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_through_words() {
        let mut kinds = Kinds::default();
        assert_eq!(Kinds::from_words(kinds.to_words()), kinds);
        kinds.see_negative(3, i64::MIN);
        kinds.see_huge(4, u64::MAX);
        kinds.see_float(9);
        kinds.thousands = Thousands::of([&b"1.000"[..], b"7"].into_iter());
        assert_eq!(Kinds::from_words(kinds.to_words()), kinds);
    }
}
