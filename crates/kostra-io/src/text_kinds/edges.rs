//! Edge lists: two columns are the ends of edges, by their names, or because each line is `u v` or
//! `u v weight` with one type per column.

use super::{Claim, Kind, Sample, Strength, shown};
use crate::formats::{edge_list, printed};
use crate::interface::Format;

pub(super) const KIND: Kind = Kind { format: Format::EDGE_LIST, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    if printed::columns(&sample.lines).is_some() {
        return None;
    }
    let found = edge_list::examine(&sample.comments, &sample.lines, sample.options).ok()?;
    let Some(found) = found else {
        let has_comment = sample.comments.iter().any(|line| !line.trim_ascii().is_empty());
        let evidence = "there are only comments".to_owned();
        return has_comment.then(|| Claim {
            strength: Strength::Fits,
            evidence,
            reading: "no edges".into(),
        });
    };
    let strength = if found.is_named { Strength::Certain } else { Strength::Fits };
    Some(Claim { strength, evidence: found.evidence, reading: shown(found.edges.into_iter()) })
}
