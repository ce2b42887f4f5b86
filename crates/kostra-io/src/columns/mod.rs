//! The growing arrays of an edge list whose weight type depends on its weights.
//!
//! Weights start as `i32`. They become `i64` with the first integer that needs it, `u64` with the
//! first integer beyond that, and `f64` with the first number that is not an integer. No integer
//! changes its value: if no type holds two weights, that is an error at the line of the later one.
//! Decimals are rounded to the nearest `f64`.

mod ends;
mod kinds;
mod weights;

use std::fmt;

use kostra_core::{GraphError, MAX_EDGES, Vertex};

use crate::ReadErrorKind;
use crate::fault::BlockFault;
pub(crate) use ends::Ends;
pub(crate) use kinds::{Conflict, Kinds};
pub(crate) use weights::Weights;
use weights::reserve;

/// A weight in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TextNumber {
    Integer(i64),
    /// An integer of 2^63 or more.
    Huge(u64),
    Float(f64),
}

impl TextNumber {
    /// Whether the value is zero, with any sign.
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Self::Integer(0)) || matches!(self, Self::Float(value) if value == 0.0)
    }

    /// The value as a float.
    ///
    /// # Errors
    /// The integer that a float would round.
    pub(crate) fn exact_float(self) -> Result<f64, i128> {
        let integer = match self {
            Self::Integer(value) => i128::from(value),
            Self::Huge(value) => i128::from(value),
            Self::Float(value) => return Ok(value),
        };
        Some(integer as f64).filter(|&float| float as i128 == integer).ok_or(integer)
    }
}

impl fmt::Display for TextNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Huge(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
        }
    }
}

/// Edges in input order. The weights stay empty where the input has none.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) u: Vec<Vertex>,
    pub(crate) v: Vec<Vertex>,
    pub(crate) weights: Weights,
    /// The number of edges of the input before these.
    pub(crate) base: u64,
    /// The kinds of weights in the input up to the last of these edges.
    pub(crate) kinds: Kinds,
}

impl Columns {
    /// No edges; `base` edges with weights of these `kinds` precede them in the input.
    pub(crate) fn after(base: u64, kinds: Kinds) -> Self {
        Self { base, kinds, ..Self::default() }
    }

    /// The number of edges.
    pub(crate) fn len(&self) -> usize {
        self.u.len()
    }

    /// Whether the edges have weights, if there are any edges.
    pub(crate) fn is_weighted(&self) -> bool {
        self.weights.len() > 0
    }

    /// Adds an edge without its weight.
    #[inline]
    pub(crate) fn push_ends(&mut self, u: Vertex, v: Vertex) {
        self.u.push(u);
        self.v.push(v);
    }

    /// Adds the weight of the edge that was added last.
    #[inline]
    pub(crate) fn push_weight(&mut self, weight: TextNumber) {
        let edge = self.weights.len();
        match weight {
            TextNumber::Integer(value) => {
                if value < 0 {
                    self.kinds.see_negative(edge, value);
                }
                self.push_integer(value);
            }
            TextNumber::Huge(value) => {
                self.kinds.see_huge(edge, value);
                self.weights.push_huge(value);
            }
            TextNumber::Float(value) => {
                self.kinds.see_float(edge);
                self.weights.push_float(value);
            }
        }
    }

    /// Adds the weight of the edge that was added last, which is not negative.
    #[inline]
    pub(crate) fn push_integer(&mut self, weight: i64) {
        self.kinds.see_integer(self.weights.len(), weight);
        self.weights.push_integer(weight);
    }

    /// Converts all weights to floats, for a format that declares them as such.
    pub(crate) fn make_float(&mut self) {
        self.weights.widen(weights::F64);
    }

    /// Reserves memory for exactly `count` more edges. `count` must be checked if it comes from the
    /// input.
    pub(crate) fn reserve_exact(
        &mut self,
        count: usize,
        weighted: bool,
    ) -> Result<(), ReadErrorKind> {
        self.reserve(count, weighted, true)
    }

    fn reserve(
        &mut self,
        count: usize,
        weighted: bool,
        exactly: bool,
    ) -> Result<(), ReadErrorKind> {
        reserve(&mut self.u, count, exactly)?;
        reserve(&mut self.v, count, exactly)?;
        if weighted { self.weights.reserve(count, exactly) } else { Ok(()) }
    }

    /// Gives each edge this weight. None has one.
    pub(crate) fn fill_weights(&mut self, weight: TextNumber) -> Result<(), ReadErrorKind> {
        self.weights.reserve(self.len(), false)?;
        (0..self.len()).for_each(|_| self.push_weight(weight));
        Ok(())
    }

    /// Moves all edges of a block to the end of these. A weight that excludes an earlier one is an
    /// error at `place`, which returns the offset of an edge in the block. Only the first
    /// `accepted` edges of the block are checked for that: the caller refuses the others.
    pub(crate) fn join(
        &mut self,
        block: &mut Self,
        accepted: usize,
        place: impl Fn(usize) -> usize,
    ) -> Result<(), BlockFault> {
        let before = self.base + self.len() as u64;
        let kinds = self.kinds.and(block.kinds.after(before));
        if let Some(Conflict { edge, sentence }) = kinds.conflict() {
            let edge = usize::try_from(edge.saturating_sub(before)).unwrap_or(usize::MAX);
            if edge < accepted {
                return Err(BlockFault::new(place(edge), sentence));
            }
        }
        let edges = self.len() + block.len();
        if edges > MAX_EDGES {
            return Err(
                ReadErrorKind::from(GraphError::TooManyEdges { edges: edges as u64 }).into()
            );
        }
        self.reserve(block.len(), block.is_weighted(), false)?;
        self.kinds = kinds;
        self.u.extend_from_slice(&block.u);
        self.v.extend_from_slice(&block.v);
        if block.is_weighted() {
            self.weights.append(&block.weights);
        }
        block.clear();
        Ok(())
    }

    /// The rank of the weight type, higher for wider types; 0 if there are no weights.
    pub(crate) fn rank_of_weights(&self) -> u64 {
        if self.is_weighted() { self.weights.rank() } else { 0 }
    }

    /// Converts the weights to the type of this [rank](Self::rank_of_weights), which is not lower
    /// than theirs.
    pub(crate) fn widen(&mut self, rank: u64) {
        self.weights.widen(rank);
    }

    /// Removes the first edge.
    pub(crate) fn remove_first(&mut self) {
        self.u.drain(..self.u.len().min(1));
        self.v.drain(..self.v.len().min(1));
        self.weights.remove_first();
    }

    fn clear(&mut self) {
        self.u.clear();
        self.v.clear();
        self.weights.clear();
        self.kinds = Kinds::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(weights: &[TextNumber]) -> Columns {
        let mut columns = Columns::default();
        for &weight in weights {
            columns.push_ends(0, 1);
            columns.push_weight(weight);
        }
        columns
    }

    const SMALL: TextNumber = TextNumber::Integer(7);
    const MINUS: TextNumber = TextNumber::Integer(-7);
    const LARGE: TextNumber = TextNumber::Integer(1 << 40);
    const INEXACT: TextNumber = TextNumber::Integer((1 << 53) + 1);
    const HUGE: TextNumber = TextNumber::Huge(1 << 63);
    const HALF: TextNumber = TextNumber::Float(0.5);

    /// Joins chunks of every size; all must agree. A fault comes with the edge at which it is
    /// found.
    fn joined(weights: &[TextNumber]) -> Result<Weights, (usize, String)> {
        let mut results: Vec<_> = (1..=weights.len())
            .map(|size| {
                let mut all = Columns::default();
                for chunk in weights.chunks(size) {
                    let before = all.len();
                    all.join(&mut columns(chunk), usize::MAX, |edge| before + edge)
                        .map_err(|fault| (fault.offset.unwrap(), fault.kind.to_string()))?;
                }
                assert_eq!(all.weights.len(), all.len());
                Ok(all.weights)
            })
            .collect();
        assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
        results.remove(0)
    }

    #[test]
    fn weights_take_the_narrowest_type_that_holds_them() {
        assert_eq!(joined(&[SMALL, SMALL]), Ok(Weights::I32(vec![7, 7])));
        assert_eq!(joined(&[SMALL, LARGE, MINUS]), Ok(Weights::I64(vec![7, 1 << 40, -7])));
        assert_eq!(joined(&[SMALL, HUGE, LARGE]), Ok(Weights::U64(vec![7, 1 << 63, 1 << 40])));
        assert_eq!(joined(&[SMALL, HALF, SMALL]), Ok(Weights::F64(vec![7.0, 0.5, 7.0])));
        assert_eq!(
            joined(&[LARGE, HUGE, HALF, LARGE]),
            Ok(Weights::F64(vec![
                1_099_511_627_776.0,
                9_223_372_036_854_775_808.0,
                0.5,
                1_099_511_627_776.0
            ]))
        );
        assert_eq!(joined(&[INEXACT, SMALL]), Ok(Weights::I64(vec![(1 << 53) + 1, 7])));
    }

    #[test]
    fn an_integer_that_floats_cannot_hold_is_an_error_among_floats() {
        let remedy = "write 9007199254740993.0 if it may be rounded";
        let late = format!(
            "the weight 9007199254740993 has no exact 64-bit float, which it must be among weights with decimals; \
             {remedy}"
        );
        let early = format!(
            "this weight is not an integer, but the weight 9007199254740993 of edge 1 (counted from 0) has no exact \
             64-bit float; {remedy}"
        );
        assert_eq!(joined(&[SMALL, INEXACT, SMALL, HALF]), Err((3, early)));
        assert_eq!(joined(&[HALF, SMALL, INEXACT]), Err((2, late.clone())));
        assert_eq!(joined(&[LARGE, HALF, SMALL, INEXACT]), Err((3, late)));
    }

    #[test]
    fn integers_that_no_type_holds_together_are_an_error() {
        let remedy =
            "no 64-bit integers hold both; write 9223372036854775808.0 if it may be rounded";
        let huge = format!(
            "the weight 9223372036854775808 is 2^63 or more, but edge 1 (counted from 0) weighs -7: {remedy}"
        );
        let negative = format!(
            "the weight -7 is negative, but edge 0 (counted from 0) weighs 9223372036854775808: {remedy}"
        );
        assert_eq!(joined(&[SMALL, MINUS, SMALL, HUGE, HALF]), Err((3, huge)));
        assert_eq!(joined(&[HUGE, SMALL, MINUS]), Err((2, negative)));
    }

    #[test]
    fn a_promise_beyond_memory_is_an_error() {
        let error = Columns::default().reserve_exact(usize::MAX / 8, true).unwrap_err();
        assert!(matches!(error, ReadErrorKind::OutOfMemory { .. }));
    }
}
