//! Adjacency lists: a vertex and its neighbors in each line.

use super::{Claim, Kind, Sample, Strength, shown};
use crate::formats::adjacency::{Facts, Line, Mark, Neighbor, Syntax};
use crate::interface::Format;
use crate::number::show;

pub(super) const KIND: Kind = Kind { format: Format::ADJACENCY, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    let (syntax, facts) = Syntax::find(sample.lines())?;
    // The first lines of a longer text do not show all vertices.
    let is_closed = facts.is_closed || !sample.is_whole() && may_be_closed(&facts);
    let is_of_networkx = sample.comments.iter().any(|line| line.starts_with(b"# GMT "));
    let parsed = || sample.lines().iter().filter_map(|line| syntax.parse(line));
    // Numbers before words count the lines.
    if facts.is_numbered && !facts.is_closed {
        return None;
    }
    // Words after a sign are prose if none of them has a line.
    if !is_closed && facts.share < 0.1 && sample.lines().len() > 1 {
        return None;
    }
    let is_wide = parsed().any(|line| line.neighbors.len() > 1);
    let bare = parsed().filter(|line| line.neighbors.is_empty()).count();
    let is_sparse = 2 * bare > sample.lines().len();
    let strength = match syntax.mark {
        Mark::Sign(_) if is_closed => Strength::Certain,
        // `a: b 5` can be an edge.
        Mark::Sign(_) if facts.is_measured || !facts.is_ragged && has_weights_alone(parsed()) => {
            Strength::Weak
        }
        // Most words after a speaker or a key have no line of their own.
        Mark::Sign(_) if facts.share <= 0.5 && sample.lines().len() > 1 => Strength::Weak,
        Mark::Sign(_) => Strength::Certain,
        Mark::None if is_of_networkx && is_closed => Strength::Certain,
        Mark::None if facts.is_mirrored && facts.is_weighted => Strength::Certain,
        Mark::None
            if is_closed
                && is_wide
                && !is_sparse
                && !counts_neighbors(parsed())
                && !facts.has_loops
                && (facts.is_ragged || facts.is_mirrored) =>
        {
            Strength::Fits
        }
        _ => return None,
    };
    let shows = [
        (facts.is_closed, "each neighbor has a line"),
        (facts.is_mirrored, "neighbors list each other"),
    ];
    let shows = shows.into_iter().filter(|(shows, _)| *shows).map(|(_, what)| format!(", {what}"));
    let edges = parsed().flat_map(|Line { vertex, neighbors }| {
        let edge = |(neighbor, weight): &Neighbor<'_>| {
            let weight = weight.map(|weight| format!(" {}", show(weight))).unwrap_or_default();
            format!("{}-{}{weight}", show(&vertex), show(neighbor))
        };
        neighbors.iter().map(edge).collect::<Vec<_>>()
    });
    let what = "a vertex and its neighbors in each line".to_owned();
    Some(Claim::new(strength, shows.fold(what, |all, one| all + &one), shown(edges)))
}

/// Whether the first number after a vertex counts its neighbors in each line.
fn counts_neighbors<'a>(mut lines: impl Iterator<Item = Line<'a>>) -> bool {
    lines.all(|line| match &line.neighbors[..] {
        [(count, None), rest @ ..] => **count == *rest.len().to_string().as_bytes(),
        _ => false,
    })
}

fn may_be_closed(facts: &Facts) -> bool {
    facts.is_of_numbers || facts.share >= 0.5
}

/// Whether each line has two neighbors, and the second is a number: it may be a weight.
fn has_weights_alone<'a>(mut lines: impl Iterator<Item = Line<'a>>) -> bool {
    lines.all(|line| match &line.neighbors[..] {
        [_, (second, None)] => str::from_utf8(second).is_ok_and(|text| text.parse::<f64>().is_ok()),
        _ => false,
    })
}
