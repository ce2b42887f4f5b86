//! Square matrices of weights or distances, as every format stores them: from values to edges.
//!
//! Each pair of vertices is one edge, row by row. The rules:
//!
//! - A value that is missing, NaN or infinite is no edge.
//! - A zero on the diagonal is no edge. Zeros off the diagonal are distances of identical things,
//!   or no edges: [`ReadOptions::zeros`] decides, and without it they are a question. The
//!   exception is a sparse matrix, see [`Matrix::is_sparse`].
//! - If all negative values are one number that often means "no edge", they are a question that
//!   [`ReadOptions::negatives`] answers.
//! - Two values of a pair are the same if they differ by rounding, see [`is_rounding`].
//!   The smaller one counts. Other differences are refused, unless one value is no edge.
//! - A diagonal of one positive number, which no other value exceeds, shows similarities.
//!
//! What is left out or rounded is a note. Time and memory: a few passes over the values, and the
//! edges.

mod distances;
mod doubts;

use kostra_core::counted;

use crate::columns::{Columns, TextNumber};
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::message::{Message, Remedy, message};
use crate::weights::RawGraph;
use crate::{Meaning, Place, ReadErrorKind, ReadOptions};

pub use distances::{condensed_distances, may_be_distances};

/// A sum of many terms is as exact as this many units in the last place of the largest value.
const ROUNDED_UNITS: f64 = 64.0;

/// Numbers that often stand for a missing value, with a minus sign before them.
const CODES: [f64; 6] = [1.0, 9.0, 99.0, 999.0, 9999.0, 99999.0];

/// The most rows in which [`Matrix::is_sparse`] checks a zero.
const MOST_CHECKED: usize = 1000;

/// A square matrix.
pub(crate) struct Matrix<'a, V> {
    /// The number of rows.
    pub(crate) size: usize,
    /// The value in a row and a column; none where the format has none.
    pub(crate) value: V,
    /// Where the value in a row and a column is stored.
    pub(crate) place: &'a dyn Fn(usize, usize) -> Place,
    /// The relative precision of the values; 0 for integers.
    pub(crate) epsilon: f64,
}

/// What one pass over the values shows.
#[derive(Default)]
struct Facts {
    /// The largest magnitude, and the largest value off the diagonal.
    largest: f64,
    highest: f64,
    /// The sum of the weights of pairs that are not zero, and their number.
    sum: f64,
    pairs: usize,
    /// The number of pairs whose values are zeros, and the first one.
    zeros: usize,
    first_zero: Option<[usize; 2]>,
    /// The negative values: the first, and whether the others differ.
    negative: Option<f64>,
    has_several_negatives: bool,
    /// Whether a value above or below the diagonal is not zero.
    sides: [bool; 2],
    /// The range of the values on the diagonal, and their number.
    diagonal: Option<[f64; 2]>,
    on_diagonal: usize,
}

/// What rounding changed: the largest difference of two values of a pair, and from zero on the
/// diagonal.
#[derive(Default)]
struct Rounded {
    pair: f64,
    diagonal: f64,
}

/// Whether two values of a matrix are the same but for rounding. A square root magnifies the
/// rounding of small values: so the difference, multiplied by the values, may be some units in the
/// last place of the square of the largest value. `epsilon` is the relative precision of values.
fn is_rounding(epsilon: f64, [a, b]: [f64; 2], largest: f64) -> bool {
    let [part, other] = [a, b].map(|value| if value == 0.0 { 0.0 } else { value / largest });
    a == b || (part - other).abs() * part.abs().max(other.abs()) <= ROUNDED_UNITS * epsilon
}

/// A number as a float, rounded.
fn float(number: TextNumber) -> f64 {
    match number {
        TextNumber::Integer(value) => value as f64,
        TextNumber::Huge(value) => value as f64,
        TextNumber::Float(value) => value,
    }
}

/// The graph of a matrix of `size` rows that are in memory, one after the other. Formats of text
/// share it, so that the rules are compiled once for all of them.
///
/// # Errors
/// As [`Matrix::graph`].
pub(crate) fn graph_of_rows(
    size: usize,
    values: &[Option<TextNumber>],
    place: &dyn Fn(usize, usize) -> Place,
    options: &ReadOptions,
) -> Result<Parsed, Fault> {
    let value = |row: usize, column: usize| values.get(row * size + column).copied()?;
    Matrix { size, value, place, epsilon: f64::EPSILON }.graph(options)
}

impl<V: Fn(usize, usize) -> Option<TextNumber>> Matrix<'_, V> {
    /// The graph of the matrix.
    ///
    /// # Errors
    /// When the matrix is not symmetric, or zeros or negative values are in question.
    pub(crate) fn graph(&self, options: &ReadOptions) -> Result<Parsed, Fault> {
        self.refuse_totals()?;
        let facts = self.facts(Meaning::Edge);
        let negatives = options.negatives.unwrap_or(Meaning::Edge);
        if options.negatives.is_none() && self.may_mean_none(&facts) {
            let value = facts.negative.unwrap_or_default();
            return Err(self.ask(
                format!("all negative entries are {value}: are they weights or no edges?"),
                "negatives",
            ));
        }
        // With negative values left out, others are the smallest and the diagonal.
        let facts = if negatives == Meaning::None && facts.negative.is_some() {
            self.facts(negatives)
        } else {
            facts
        };
        let zeros = match (options.zeros, facts.first_zero) {
            (Some(zeros), _) => zeros,
            (None, None) => Meaning::None,
            (None, Some(_)) if self.is_sparse(&facts) => Meaning::None,
            (None, Some([u, v])) => {
                let pairs = counted(facts.zeros as u64, "pair has", "pairs have");
                return Err(self.ask(
                    format!(
                        "{pairs} an entry of 0 off the diagonal, the first in row {u}, column {v}: \
                         is 0 a weight, as of identical things, or no edge?"
                    ),
                    "zeros",
                ));
            }
        };
        let (columns, rounded) = self.edges(&facts, zeros, negatives)?;
        let mut notes = self.notes(&facts, zeros, &rounded);
        if negatives == Meaning::None {
            notes.push("negative entries are no edges".into());
        }
        let graph = RawGraph::new(self.size, columns, true).build(options, &mut notes)?;
        let similarity = self.similarity(&facts);
        let warnings: Vec<Message> = self.far_entry(&facts).into_iter().collect();
        notes.extend_from_slice(&warnings);
        Ok(Parsed { similarity, warnings, ..Parsed::new(graph, notes) })
    }

    /// The finite value in a row and a column.
    fn number(&self, row: usize, column: usize) -> Option<TextNumber> {
        (self.value)(row, column).filter(|&number| float(number).is_finite())
    }

    /// The largest magnitude of the values of a pair.
    fn magnitude(&self, u: usize, v: usize) -> Option<f64> {
        let pair = [self.number(u, v), self.number(v, u)];
        pair.into_iter().flatten().map(|number| float(number).abs()).reduce(f64::max)
    }

    /// The finite values of a pair, unless they are negative and mean that there is no edge.
    fn pair(&self, u: usize, v: usize, negatives: Meaning) -> [Option<TextNumber>; 2] {
        let is_edge = |number: &TextNumber| negatives == Meaning::Edge || float(*number) >= 0.0;
        [self.number(u, v), self.number(v, u)].map(|value| value.filter(is_edge))
    }

    fn facts(&self, negatives: Meaning) -> Facts {
        let mut facts = Facts { highest: f64::NEG_INFINITY, ..Facts::default() };
        for u in 0..self.size {
            for v in u..self.size {
                let pair = self.pair(u, v, negatives).map(|value| value.map(float));
                for value in pair.into_iter().flatten().take(if u == v { 1 } else { 2 }) {
                    facts.see(value, u == v);
                }
                if u != v {
                    facts.see_pair(pair, [u, v]);
                }
            }
        }
        facts
    }

    /// What shows that vertices are nearer where values are greater: a diagonal of one positive
    /// number, which no other value exceeds.
    fn similarity(&self, facts: &Facts) -> Option<String> {
        let [low, high] = facts.diagonal.filter(|_| facts.on_diagonal == self.size)?;
        if low > 0.0 && self.size > 2 && self.are_covariances() {
            return Some("covariances, none above those on the diagonal".into());
        }
        let is_constant = low > 0.0 && self.is_rounding(low, high, facts.largest);
        let shows = is_constant && facts.pairs > 0 && facts.highest <= high;
        shows.then(|| format!("similarities, with {high} on the diagonal"))
    }

    /// Whether the square of each number is at most the product of those on the diagonal in its row
    /// and its column (Cauchy and Schwarz), and the diagonal is not constant.
    fn are_covariances(&self) -> bool {
        let value = |row, column| self.number(row, column).map_or(0.0, float);
        let is_constant = (1..self.size).all(|u| value(u, u) == value(0, 0));
        let mut pairs = (0..self.size).flat_map(|u| (0..u).map(move |v| (u, v)));
        let is_below = |(u, v)| value(u, v).powi(2) <= value(u, u) * value(v, v) * (1.0 + 1e-9);
        !is_constant && pairs.all(is_below)
    }

    fn is_rounding(&self, a: f64, b: f64, largest: f64) -> bool {
        is_rounding(self.epsilon, [a, b], largest)
    }

    /// Whether the negative values may all mean "no edge": they are one number that fills the
    /// diagonal or is one of the [`CODES`], next to other values.
    fn may_mean_none(&self, facts: &Facts) -> bool {
        let Some(value) = facts.negative.filter(|_| !facts.has_several_negatives) else {
            return false;
        };
        let fills_diagonal = self.size > 1
            && facts.on_diagonal == self.size
            && facts.diagonal == Some([value; 2])
            && !self.is_rounding(value, 0.0, facts.largest);
        fills_diagonal || CODES.contains(&-value)
    }

    /// Whether zeros are no edges beyond doubt: most pairs are zeros, and as distances of identical
    /// things they contradict the other values. In at least half of the checked rows, a vertex at
    /// distance 0 is far from another one at distance 0.
    fn is_sparse(&self, facts: &Facts) -> bool {
        if facts.zeros <= facts.pairs {
            return false;
        }
        let far = facts.sum / facts.pairs as f64 / 2.0;
        let is_zero = |u: usize, v: usize| self.magnitude(u, v) == Some(0.0);
        let is_far = |u: usize, v: usize| self.magnitude(u, v).is_some_and(|weight| weight >= far);
        let (mut checked, mut contradicted) = (0, 0);
        for u in (0..self.size).step_by(self.size.div_ceil(MOST_CHECKED)) {
            let Some(v) = (0..self.size).find(|&v| v != u && is_zero(u, v)) else { continue };
            checked += 1;
            let mut others = (0..self.size).filter(|&w| w != u && w != v);
            contradicted += usize::from(others.any(|w| is_zero(u, w) && is_far(v, w)));
        }
        2 * contradicted >= checked && checked > 0
    }

    /// The edges of all pairs, row by row.
    fn edges(
        &self,
        facts: &Facts,
        zeros: Meaning,
        negatives: Meaning,
    ) -> Result<(Columns, Rounded), Fault> {
        let (mut columns, mut row) = (Columns::default(), Columns::default());
        let mut rounded = Rounded::default();
        let is_triangular = facts.sides.contains(&false);
        let diagonal = facts.diagonal.map_or(0.0, |[low, high]| high.max(-low));
        let has_zero_diagonal = self.is_rounding(diagonal, 0.0, facts.largest);
        if has_zero_diagonal {
            rounded.diagonal = diagonal;
        }
        for u in 0..self.size {
            for v in u..self.size {
                let pair = self.pair(u, v, negatives);
                let [is_zero, other_is_zero] =
                    pair.map(|value| value.is_some_and(|value| float(value) == 0.0));
                let weight = match pair {
                    _ if u == v && (has_zero_diagonal || is_zero) => continue,
                    [None, None] => continue,
                    [Some(weight), None] | [None, Some(weight)] => weight,
                    [Some(weight), Some(other)] if weight == other => weight,
                    [Some(weight), Some(other)]
                        if is_zero != other_is_zero
                            && (zeros == Meaning::None || is_triangular) =>
                    {
                        if is_zero {
                            other
                        } else {
                            weight
                        }
                    }
                    [Some(weight), Some(other)] => {
                        let [a, b] = [weight, other].map(float);
                        if !self.is_rounding(a, b, facts.largest) {
                            return Err(self.differ(u, v));
                        }
                        rounded.pair = rounded.pair.max((a - b).abs());
                        if a <= b { weight } else { other }
                    }
                };
                if float(weight) == 0.0 && zeros == Meaning::None {
                    continue;
                }
                // More vertices than 32-bit ids would be more entries than any memory holds.
                row.push_ends(u as u32, v as u32);
                row.push_weight(weight);
            }
            let joined = columns.join(&mut row, usize::MAX, |edge| edge);
            joined.map_err(|fault| Fault { place: Some((self.place)(u, 0)), kind: fault.kind })?;
        }
        Ok((columns, rounded))
    }

    fn differ(&self, u: usize, v: usize) -> Fault {
        let sentence = format!(
            "the entries in row {u}, column {v} and in row {v}, column {u} differ; make the matrix \
             symmetric"
        );
        let kind = ReadErrorKind::malformed(sentence);
        Fault { place: Some((self.place)(u, v)), kind }
    }

    /// A question that an option with the values `edge` and `none` answers.
    fn ask(&self, question: String, option: &'static str) -> Fault {
        ReadErrorKind::question(message![
            question,
            " pass ",
            Remedy::text(option, "edge"),
            " or ",
            Remedy::text(option, "none"),
        ])
        .into()
    }

    fn notes(&self, facts: &Facts, zeros: Meaning, rounded: &Rounded) -> Vec<Message> {
        let mut notes = Vec::new();
        if facts.zeros > 0 {
            let pairs = counted(facts.zeros as u64, "pair", "pairs");
            notes.push(match zeros {
                Meaning::None => message![
                    format!("the entries of 0 off the diagonal, {pairs}, are no edges; pass "),
                    Remedy::text("zeros", "edge"),
                    " if they are weights",
                ],
                Meaning::Edge => {
                    format!("the entries of 0 off the diagonal, {pairs}, are edges").into()
                }
            });
        }
        let Rounded { pair, diagonal } = *rounded;
        if pair > 0.0 {
            let sentence = format!(
                "entries differ from those across the diagonal by up to {pair:.1e}, as by \
                 rounding; the smaller one counts"
            );
            notes.push(sentence.into());
        }
        if diagonal > 0.0 {
            let sentence = format!(
                "the entries on the diagonal are 0 but for rounding of up to {diagonal:.1e}"
            );
            notes.push(sentence.into());
        }
        notes
    }
}

impl Facts {
    fn see(&mut self, value: f64, is_diagonal: bool) {
        self.largest = self.largest.max(value.abs());
        if value < 0.0 {
            let first = *self.negative.get_or_insert(value);
            self.has_several_negatives |= first != value;
        }
        if is_diagonal {
            let [low, high] = self.diagonal.unwrap_or([value; 2]);
            self.diagonal = Some([low.min(value), high.max(value)]);
            self.on_diagonal += 1;
        } else {
            self.highest = self.highest.max(value);
        }
    }

    fn see_pair(&mut self, pair: [Option<f64>; 2], place: [usize; 2]) {
        let is_not_zero = |value: Option<f64>| value.is_some_and(|value| value != 0.0);
        let [above, below] = pair.map(is_not_zero);
        let [has_above, has_below] = &mut self.sides;
        *has_above |= above;
        *has_below |= below;
        if above || below {
            self.pairs += 1;
            self.sum += pair.into_iter().flatten().map(f64::abs).fold(0.0, f64::max);
        } else if pair.iter().any(Option::is_some) {
            self.zeros += 1;
            self.first_zero.get_or_insert(place);
        }
    }
}

#[cfg(test)]
mod tests;
