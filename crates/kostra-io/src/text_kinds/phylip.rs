//! PHYLIP distance matrices whose names are numbers. Those with words have a signature.

use super::{Claim, Kind, Sample, Strength, shown};
use crate::formats::phylip;
use crate::interface::Format;

pub(super) const KIND: Kind = Kind { format: Format::PHYLIP, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    let edges = phylip::of_numbers(sample.head)?;
    let evidence = "the number of species, and a name and distances for each".into();
    Some(Claim::new(Strength::Fits, evidence, shown(edges.into_iter())))
}
