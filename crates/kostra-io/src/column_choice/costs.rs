//! Costs in both directions of a road: the columns `cost` and `reverse_cost` of pgRouting.

use crate::columns::TextNumber;
use crate::message::{Message, Remedy, message};
use crate::{Meaning, Nan, ReadErrorKind, ReadOptions};

/// What is said about costs in both directions.
pub(crate) const NOTE_ON_COSTS: &str =
    "the weight is the lower one of 'cost' and 'reverse_cost'; a negative cost is no edge";

/// The column of costs in the other direction, if that of the weight is called as pgRouting calls
/// the cost.
///
/// # Errors
/// When there is none, but an option says what negative costs are.
pub(crate) fn reverse_of(
    names: Option<&[&[u8]]>,
    weight: Option<usize>,
    options: &ReadOptions,
) -> Result<Option<usize>, ReadErrorKind> {
    let names = names.unwrap_or_default();
    let is = |name: &&[u8], other: &[u8]| name.eq_ignore_ascii_case(other);
    let is_cost = weight.and_then(|at| names.get(at)).is_some_and(|name| is(name, b"cost"));
    let reverse = names.iter().position(|name| is(name, b"reverse_cost"));
    let reverse = reverse.filter(|_| is_cost);
    match options.negatives {
        Some(_) if reverse.is_none() => Err(ReadErrorKind::question(message![
            Remedy::option("negatives"),
            " applies to matrices, and to costs next to a column reverse_cost; omit it",
        ])),
        _ => Ok(reverse),
    }
}

/// The lower one of the costs in both directions. A negative cost is no edge.
///
/// # Errors
/// When both are negative.
pub(crate) fn cheaper(
    costs: [TextNumber; 2],
    options: &ReadOptions,
) -> Result<TextNumber, Message> {
    let is_edge = |cost: &TextNumber| {
        options.negatives == Some(Meaning::Edge) || cost.exact_float().is_ok_and(|c| c >= 0.0)
    };
    let value = |cost: &TextNumber| cost.exact_float().unwrap_or(f64::MAX);
    let there = costs.into_iter().filter(is_edge);
    match there.min_by(|a, b| value(a).total_cmp(&value(b))) {
        Some(cheaper) => Ok(cheaper),
        None if options.nan == Nan::Skip => Ok(TextNumber::Float(f64::NAN)),
        None => Err(message![
            "both costs are negative, so there is no edge; remove the line, or pass ",
            Remedy::skip_nan()
        ]),
    }
}
