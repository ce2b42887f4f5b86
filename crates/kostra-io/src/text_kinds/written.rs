//! Edges with the same signs in each line, as `A -> B: 5` and `(A, B, 5)`.

use super::{Claim, Kind, Sample, Strength, shown};
use crate::formats::adjacency::Syntax;
use crate::formats::written::{Clarity, Signs, WrittenEdge};
use crate::interface::Format;

pub(super) const KIND: Kind = Kind { format: Format::WRITTEN, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    if sample.options.columns.delimiter.is_some() {
        return None;
    }
    let (signs, clarity) = Signs::find(sample.lines())?;
    let parsed = sample.lines().iter().filter_map(|line| signs.parse(str::from_utf8(line).ok()?));
    // A vertex and one neighbor in each line are the same edges.
    let is_list =
        parsed.clone().all(|edge| edge.weight.is_none()) && Syntax::find(sample.lines()).is_some();
    let edges = parsed.map(|WrittenEdge { ends: [u, v], weight }| match weight {
        Some(weight) => format!("{u}-{v} {weight}"),
        None => format!("{u}-{v}"),
    });
    let strength = match clarity {
        Clarity::Doubtful => Strength::Weak,
        Clarity::Open => Strength::Fits,
        Clarity::Clear => Strength::Certain,
    };
    let evidence = "the same signs around two ends in each line".into();
    (!is_list).then(|| Claim::new(strength, evidence, shown(edges)))
}
