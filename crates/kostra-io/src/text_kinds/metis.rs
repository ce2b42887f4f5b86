//! METIS: a line of counts, and the neighbors of a vertex in each line.

use super::{Claim, Kind, Sample, Strength, shown};
use crate::head::Evidence;
use crate::interface::Format;
use crate::number::{natural, show, words};

pub(super) const KIND: Kind = Kind { format: Format::METIS, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    let strength = match (Format::METIS.info().recognize)(sample.head) {
        Evidence::Absent => return None,
        Evidence::Fallback => Strength::Fits,
        Evidence::Structure | Evidence::Signature => Strength::Certain,
    };
    if are_beyond(sample.lines(), sample.is_whole()) {
        return None;
    }
    let rows = (1..).zip(sample.lines().iter().skip(1));
    let neighbors = rows.flat_map(|(vertex, line)| {
        words(line).map(move |(_, neighbor)| format!("{vertex}-{}", show(neighbor)))
    });
    let evidence = "a line of counts, and a line of neighbors per vertex".into();
    Some(Claim::new(strength, evidence, shown(neighbors)))
}

/// Whether a neighbor is 0, or there are more lines than vertices: then the lines are others.
fn are_beyond(lines: &[&[u8]], is_whole: bool) -> bool {
    let Some((first, rows)) = lines.split_first() else { return true };
    let mut counts = words(first).map(|(_, word)| word);
    let Some(n) = counts.next().and_then(|count| natural(count, "").ok()) else { return true };
    let has_weights = counts.count() > 1;
    let mut neighbors = rows.iter().flat_map(|row| words(row)).map(|(_, word)| word);
    is_whole && rows.len() as u64 > n || !has_weights && neighbors.any(|word| word == b"0")
}
