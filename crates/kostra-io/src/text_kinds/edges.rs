//! Edge lists: two columns are the ends of edges, by their names, or because each line is `u v` or
//! `u v weight` with one type per column.

use super::{Claim, Kind, Sample, Strength, measured, shown};
use crate::formats::edge_list::{COUNTS_COMMENT, Says};
use crate::formats::matrix::{Form, Shape};
use crate::formats::{edge_list, printed};
use crate::interface::Format;
use crate::{ColumnChoice, ReadOptions};

pub(super) const KIND: Kind = Kind { format: Format::EDGE_LIST, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    if printed::find(sample.lines()).is_some() {
        return None;
    }
    let found = edge_list::examine(&sample.comments, &sample.divided, sample.options);
    let is_of_kostra = |line: &&[u8]| line.starts_with(COUNTS_COMMENT.as_bytes());
    let is_own = sample.comments.iter().any(is_of_kostra);
    let mut are_sure = sample.are_said_to_be_edges || is_own;
    let found = match found {
        Ok(found) => found,
        Err(_) => match square(sample) {
            // Three rows that are a matrix may be `u v weight`, too; those of a weak matrix may
            // rather have numbers of rows.
            Some(shape) if shape.is_bare_and_structured() && shape.size == 3 => {
                edge_list::examine(&sample.comments, &sample.divided, &with_ends_first(sample))
                    .ok()?
            }
            Some(_) => return None,
            None => {
                are_sure = true; // The reader asks about the first column.
                Some(edge_list::numbered(&sample.divided, sample.options)?)
            }
        },
    };
    let Some(found) = found else {
        let evidence = "there are only comments, which speak of edges".to_owned();
        let speaks = sample.comments.iter().any(|line| speaks_of_edges(line));
        return speaks.then(|| Claim::new(Strength::Fits, evidence, "no edges".into()));
    };
    let is_certain = is_own || found.says == Says::Header;
    let strength = if is_certain { Strength::Certain } else { Strength::Fits };
    let doubt = if are_sure { None } else { measured::doubt(sample, &found) };
    let reading = shown(found.edges.into_iter());
    Some(Claim { doubt, ..Claim::new(strength, found.evidence, reading) })
}

/// The matrix whose shape the lines have, about which its own kind or the reader asks.
fn square<'a>(sample: &Sample<'a>) -> Option<Shape<'a>> {
    let shape = Shape::find(&sample.divided, sample.is_whole(), &sample.options.columns);
    shape.filter(|shape| shape.form == Form::Full)
}

/// The options, and that the first two columns are the ends of the edges.
fn with_ends_first(sample: &Sample<'_>) -> ReadOptions {
    let mut options = sample.options.clone();
    options.columns.source = Some(ColumnChoice::Position(1));
    options.columns.target = Some(ColumnChoice::Position(2));
    options
}

/// Whether a comment tells what the vertices or edges are, as the comments before no edges do.
fn speaks_of_edges(comment: &[u8]) -> bool {
    let text = String::from_utf8_lossy(comment).to_ascii_lowercase();
    ["edge", "vert", "node", "% sym", "% asym"].iter().any(|word| text.contains(word))
}
