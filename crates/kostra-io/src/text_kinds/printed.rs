//! Tables as programs print them.

use super::{Claim, Kind, Sample, Strength};
use crate::formats::printed;
use crate::interface::Format;

pub(super) const KIND: Kind = Kind { format: Format::TABLE, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    printed::find(sample.lines())?;
    let evidence = "a rule of dashes next to the header".into();
    Some(Claim::new(Strength::Certain, evidence, "the rows between the rules".into()))
}
