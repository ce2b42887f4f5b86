//! Edge lists: two columns are the ends of edges, by their names, or because each line is `u v` or
//! `u v weight` with one type per column.

use super::{Claim, Kind, Sample, Strength, measured, shown};
use crate::formats::edge_list::{COUNTS_COMMENT, Says};
use crate::formats::matrix::{Form, Shape};
use crate::formats::{edge_list, printed};
use crate::interface::Format;

pub(super) const KIND: Kind = Kind { format: Format::EDGE_LIST, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    if printed::find(sample.lines()).is_some() {
        return None;
    }
    let found = edge_list::examine(&sample.comments, &sample.divided, sample.options);
    let is_of_kostra = |line: &&[u8]| line.starts_with(COUNTS_COMMENT.as_bytes());
    let mut are_sure = sample.are_said_to_be_edges || sample.comments.iter().any(is_of_kostra);
    let found = match found {
        Ok(found) => found,
        Err(_) if is_square(sample) => return None,
        Err(_) => {
            are_sure = true; // The reader asks about the first column.
            Some(edge_list::numbered(&sample.divided, sample.options)?)
        }
    };
    let Some(found) = found else {
        let evidence = "there are only comments, which speak of edges".to_owned();
        let speaks = sample.comments.iter().any(|line| speaks_of_edges(line));
        return speaks.then(|| Claim::new(Strength::Fits, evidence, "no edges".into()));
    };
    let strength = if found.says == Says::Header { Strength::Certain } else { Strength::Fits };
    let doubt = if are_sure { None } else { measured::doubt(sample, &found) };
    let reading = shown(found.edges.into_iter());
    Some(Claim { doubt, ..Claim::new(strength, found.evidence, reading) })
}

/// Whether the lines have the shape of a matrix, about which its own kind or the reader asks.
fn is_square(sample: &Sample<'_>) -> bool {
    let shape = Shape::find(&sample.divided, sample.is_whole(), &sample.options.columns);
    shape.is_some_and(|shape| shape.form == Form::Full)
}

/// Whether a comment tells what the vertices or edges are, as the comments before no edges do.
fn speaks_of_edges(comment: &[u8]) -> bool {
    let text = String::from_utf8_lossy(comment).to_ascii_lowercase();
    ["edge", "vert", "node", "% sym", "% asym"].iter().any(|word| text.contains(word))
}
