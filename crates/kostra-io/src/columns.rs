//! The growing arrays of an edge list whose weight type shows only as it is read.
//!
//! Weights start as `i32`, become `i64` with the first integer that needs it, and `f64` with the first number that
//! is no integer. No integer changes its value on the way: one that `f64` cannot hold exactly is an error among floats.
//! Decimals are rounded to the nearest `f64`.

use kostra_core::{GraphError, MAX_EDGES, Vertex};

use crate::ReadErrorKind;

/// A weight as it stands in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i64),
    Float(f64),
}

/// Weights of the narrowest type that holds all of them.
#[derive(Debug, PartialEq)]
pub(crate) enum Weights {
    I32(Vec<i32>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

impl Default for Weights {
    fn default() -> Self {
        Self::I32(Vec::new())
    }
}

/// The first integer, by position, that cannot stand among floats.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inexact {
    position: usize,
    value: i64,
}

fn exact(value: i64) -> Option<f64> {
    let float = value as f64;
    (float as i128 == i128::from(value)).then_some(float)
}

impl Weights {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::I32(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Empties the array; it keeps its type, for what follows is likely to have it too.
    fn clear(&mut self) {
        match self {
            Self::I32(values) => values.clear(),
            Self::I64(values) => values.clear(),
            Self::F64(values) => values.clear(),
        }
    }

    fn reserve(&mut self, count: usize, exactly: bool) -> Result<(), ReadErrorKind> {
        match self {
            Self::I32(values) => reserve(values, count, exactly),
            Self::I64(values) => reserve(values, count, exactly),
            Self::F64(values) => reserve(values, count, exactly),
        }
    }

    #[inline]
    fn push_integer(&mut self, value: i64, inexact: &mut Option<Inexact>) {
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
            Self::F64(values) => {
                let float = exact(value);
                if float.is_none() && inexact.is_none() {
                    *inexact = Some(Inexact { position: values.len(), value });
                }
                values.push(float.unwrap_or_default());
            }
        }
    }

    fn push_float(&mut self, value: f64, inexact: &mut Option<Inexact>) {
        self.make_float(inexact);
        if let Self::F64(values) = self {
            values.push(value);
        }
    }

    fn make_float(&mut self, inexact: &mut Option<Inexact>) {
        match self {
            Self::I32(values) => *self = Self::F64(wider(values, f64::from)),
            Self::I64(values) => {
                if inexact.is_none() {
                    let culprit = values.iter().position(|&value| exact(value).is_none());
                    *inexact = culprit.map(|position| Inexact { position, value: values[position] });
                }
                *self = Self::F64(wider(values, |value| value as f64));
            }
            Self::F64(_) => {}
        }
    }

    fn append(&mut self, other: &Self, inexact: &mut Option<Inexact>) {
        match (&mut *self, other) {
            (Self::I32(values), Self::I32(more)) => values.extend_from_slice(more),
            (Self::I64(values), Self::I64(more)) => values.extend_from_slice(more),
            (Self::F64(values), Self::F64(more)) => values.extend_from_slice(more),
            (_, Self::F64(more)) => {
                self.make_float(inexact);
                if let Self::F64(values) = self {
                    values.extend_from_slice(more);
                }
            }
            (_, Self::I32(more)) => more.iter().for_each(|&value| self.push_integer(value.into(), inexact)),
            (_, Self::I64(more)) => more.iter().for_each(|&value| self.push_integer(value, inexact)),
        }
    }

    fn remove_first(&mut self) {
        match self {
            Self::I32(values) => drop(values.drain(..values.len().min(1))),
            Self::I64(values) => drop(values.drain(..values.len().min(1))),
            Self::F64(values) => drop(values.drain(..values.len().min(1))),
        }
    }
}

/// The same values in a wider type, with the same room to grow.
fn wider<T: Copy, U>(values: &Vec<T>, widen: impl Fn(T) -> U) -> Vec<U> {
    let mut wide = Vec::with_capacity(values.capacity().max(values.len() + 1));
    wide.extend(values.iter().map(|&value| widen(value)));
    wide
}

fn reserve<T>(values: &mut Vec<T>, count: usize, exactly: bool) -> Result<(), ReadErrorKind> {
    let result = if exactly { values.try_reserve_exact(count) } else { values.try_reserve(count) };
    let bytes = (values.len() as u64).saturating_add(count as u64).saturating_mul(size_of::<T>() as u64);
    result.map_err(|_| ReadErrorKind::OutOfMemory { bytes })
}

/// How many edges there are, and the lowest and the highest vertex that one of them ends at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ends {
    pub(crate) edges: u64,
    /// Of all edges.
    pub(crate) all: Span,
    /// Of all but the first.
    pub(crate) rest: Span,
}

/// The lowest and the highest of some vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) least: u64,
    pub(crate) largest: u64,
}

impl Span {
    const NONE: Self = Self { least: u64::MAX, largest: 0 };

    fn of(u: &[Vertex], v: &[Vertex]) -> Self {
        let wider = |Self { least, largest }, &end: &Vertex| Self {
            least: u64::min(least, end.into()),
            largest: u64::max(largest, end.into()),
        };
        u.iter().chain(v).fold(Self::NONE, wider)
    }

    fn and(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), largest: self.largest.max(other.largest) }
    }
}

impl Ends {
    pub(crate) const NONE: Self = Self { edges: 0, all: Span::NONE, rest: Span::NONE };

    pub(crate) fn of(columns: &Columns) -> Self {
        let Some(((u, v), (rest_u, rest_v))) = columns
            .u
            .split_first()
            .zip(columns.v.split_first())
            .map(|((u, rest_u), (v, rest_v))| ((*u, *v), (rest_u, rest_v)))
        else {
            return Self::NONE;
        };
        let rest = Span::of(rest_u, rest_v);
        Self { edges: columns.len() as u64, all: Span::of(&[u], &[v]).and(rest), rest }
    }

    /// The same of these edges and then others.
    pub(crate) fn then(self, next: Self) -> Self {
        let rest = if self.edges == 0 { next.rest } else { self.rest.and(next.all) };
        Self { edges: self.edges + next.edges, all: self.all.and(next.all), rest }
    }

    pub(crate) fn to_words(self) -> [u64; 5] {
        [self.edges, self.all.least, self.all.largest, self.rest.least, self.rest.largest]
    }

    pub(crate) fn from_words([edges, least, largest, rest_least, rest_largest]: [u64; 5]) -> Self {
        let rest = Span { least: rest_least, largest: rest_largest };
        Self { edges, all: Span { least, largest }, rest }
    }
}

/// Edges in input order. The weights stay empty where the input has none.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) u: Vec<Vertex>,
    pub(crate) v: Vec<Vertex>,
    pub(crate) weights: Weights,
    /// How many edges of the input come before these.
    pub(crate) base: u64,
    inexact: Option<Inexact>,
}

impl Columns {
    /// None yet, after so many edges of the input.
    pub(crate) fn after(base: u64) -> Self {
        Self { base, ..Self::default() }
    }

    /// How many edges there are.
    pub(crate) fn len(&self) -> usize {
        self.u.len()
    }

    /// Whether the edges have weights; there must be some.
    pub(crate) fn is_weighted(&self) -> bool {
        self.weights.len() > 0
    }

    /// Adds an edge, weight apart.
    #[inline]
    pub(crate) fn push_ends(&mut self, u: Vertex, v: Vertex) {
        self.u.push(u);
        self.v.push(v);
    }

    /// Adds the weight of the edge that was added last.
    #[inline]
    pub(crate) fn push_weight(&mut self, weight: Number) {
        match weight {
            Number::Integer(value) => self.push_integer(value),
            Number::Float(value) => self.weights.push_float(value, &mut self.inexact),
        }
    }

    /// Adds the weight of the edge that was added last.
    #[inline]
    pub(crate) fn push_integer(&mut self, weight: i64) {
        self.weights.push_integer(weight, &mut self.inexact);
    }

    /// Makes all weights floats, for a format that says so.
    pub(crate) fn make_float(&mut self) {
        self.weights.make_float(&mut self.inexact);
    }

    /// Makes room for exactly so many edges more. `count` must not come from the input unchecked.
    pub(crate) fn reserve_exact(&mut self, count: usize, weighted: bool) -> Result<(), ReadErrorKind> {
        self.reserve(count, weighted, true)
    }

    fn reserve(&mut self, count: usize, weighted: bool, exactly: bool) -> Result<(), ReadErrorKind> {
        reserve(&mut self.u, count, exactly)?;
        reserve(&mut self.v, count, exactly)?;
        if weighted { self.weights.reserve(count, exactly) } else { Ok(()) }
    }

    /// Takes all edges out of `other` and adds them after these.
    pub(crate) fn append(&mut self, other: &mut Self) -> Result<(), ReadErrorKind> {
        let edges = self.len() + other.len();
        if edges > MAX_EDGES {
            return Err(GraphError::TooManyEdges { edges: edges as u64 }.into());
        }
        let first = self.len();
        self.reserve(other.len(), other.weights.len() > 0, false)?;
        self.u.extend_from_slice(&other.u);
        self.v.extend_from_slice(&other.v);
        self.weights.append(&other.weights, &mut self.inexact);
        // What the chunk found lies after what joining found.
        let of_chunk =
            other.inexact.map(|Inexact { position, value }| Inexact { position: first + position, value });
        let inexact = self.inexact.or(of_chunk);
        other.clear();
        self.refuse(inexact)
    }

    fn refuse(&self, inexact: Option<Inexact>) -> Result<(), ReadErrorKind> {
        let Some(Inexact { position, value }) = inexact else { return Ok(()) };
        let position = self.base + position as u64;
        Err(ReadErrorKind::Malformed(format!(
            "the weight {value} of edge {position} (counted from 0) has no exact 64-bit float, which it must be \
             among weights with decimals"
        )))
    }

    /// A number for the type of the weights, higher for wider types; 0 if there are none.
    pub(crate) fn rank_of_weights(&self) -> u64 {
        match self.weights {
            _ if self.weights.len() == 0 => 0,
            Weights::I32(_) => 1,
            Weights::I64(_) => 2,
            Weights::F64(_) => 3,
        }
    }

    /// Gives the weights the type of this [number](Self::rank_of_weights), which is not lower than theirs.
    pub(crate) fn widen(&mut self, rank: u64) -> Result<(), ReadErrorKind> {
        match (&self.weights, rank) {
            (_, 3) => {
                let mut inexact = self.inexact;
                self.weights.make_float(&mut inexact);
                self.refuse(inexact)
            }
            (Weights::I32(values), 2) => {
                self.weights = Weights::I64(wider(values, i64::from));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Leaves out the first edge.
    pub(crate) fn remove_first(&mut self) {
        self.u.drain(..self.u.len().min(1));
        self.v.drain(..self.v.len().min(1));
        self.weights.remove_first();
    }

    fn clear(&mut self) {
        self.u.clear();
        self.v.clear();
        self.weights.clear();
        self.inexact = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(weights: &[Number]) -> Columns {
        let mut columns = Columns::default();
        for &weight in weights {
            columns.push_ends(0, 1);
            columns.push_weight(weight);
        }
        columns
    }

    const SMALL: Number = Number::Integer(7);
    const LARGE: Number = Number::Integer(1 << 40);
    const HUGE: Number = Number::Integer((1 << 53) + 1);
    const HALF: Number = Number::Float(0.5);

    /// Joins chunks of every size; all must agree.
    fn joined(weights: &[Number]) -> Result<Weights, String> {
        let mut results: Vec<_> = (1..=weights.len())
            .map(|size| {
                let mut all = Columns::default();
                for chunk in weights.chunks(size) {
                    all.append(&mut columns(chunk)).map_err(|kind| kind.to_string())?;
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
        assert_eq!(joined(&[SMALL, LARGE, SMALL]), Ok(Weights::I64(vec![7, 1 << 40, 7])));
        assert_eq!(joined(&[SMALL, HALF, SMALL]), Ok(Weights::F64(vec![7.0, 0.5, 7.0])));
        assert_eq!(
            joined(&[LARGE, HALF, LARGE]),
            Ok(Weights::F64(vec![1_099_511_627_776.0, 0.5, 1_099_511_627_776.0]))
        );
        assert_eq!(joined(&[HUGE, SMALL]), Ok(Weights::I64(vec![(1 << 53) + 1, 7])));
    }

    #[test]
    fn an_integer_that_floats_cannot_hold_is_an_error_among_floats() {
        let sentence = |position| {
            format!(
                "the weight 9007199254740993 of edge {position} (counted from 0) has no exact 64-bit float, which it \
                 must be among weights with decimals"
            )
        };
        assert_eq!(joined(&[SMALL, HUGE, SMALL, HALF]), Err(sentence(1)));
        assert_eq!(joined(&[HALF, SMALL, HUGE]), Err(sentence(2)));
        assert_eq!(joined(&[LARGE, HALF, SMALL, HUGE]), Err(sentence(3)));
    }

    #[test]
    fn a_promise_beyond_memory_is_an_error() {
        let error = Columns::default().reserve_exact(usize::MAX / 8, true).unwrap_err();
        assert!(matches!(error, ReadErrorKind::OutOfMemory { .. }));
    }
}
