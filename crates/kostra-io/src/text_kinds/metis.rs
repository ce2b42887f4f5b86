//! METIS: a line of counts, and the neighbors of a vertex in each line.

use super::{Claim, Kind, Sample, Strength, shown};
use crate::head::Evidence;
use crate::interface::Format;
use crate::number::{show, words};

pub(super) const KIND: Kind = Kind { format: Format::METIS, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    let strength = match (Format::METIS.info().recognize)(sample.head) {
        Evidence::Absent => return None,
        Evidence::Fallback => Strength::Fits,
        Evidence::Structure | Evidence::Signature => Strength::Certain,
    };
    let rows = (1..).zip(sample.lines.iter().skip(1));
    let neighbors = rows.flat_map(|(vertex, line)| {
        words(line).map(move |(_, neighbor)| format!("{vertex}-{}", show(neighbor)))
    });
    Some(Claim {
        strength,
        evidence: "a line of counts, and a line of neighbors per vertex".into(),
        reading: shown(neighbors),
    })
}
