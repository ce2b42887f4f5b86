//! What a text of rows is. Each kind of text looks for its own evidence in the first lines, several
//! hundred of them or all: widths, types of columns, names, ranges, symmetry, counts that match.
//!
//! One kind fits: the text is read as this kind, and a note says so if it is no edge list. Several
//! fit: a question shows what the first lines are in each kind. None fits: the reader of edge lists
//! says which columns are in question.
//!
//! To add a kind, write its file with a [`Kind`] and add a line to [`KINDS`].

mod adjacency;
mod edges;
mod encoding;
mod matrix;
mod measured;
mod metis;
mod phylip;
mod printed;
#[cfg(test)]
mod tests;
mod written;

use crate::ReadErrorKind;
use crate::fields::{DividedLines, is_comment};
use crate::head::Head;
use crate::interface::{Format, ReadOptions};
use crate::message::{Message, Remedy, message};

pub(crate) use encoding::{odd_character, refuse_other_encodings, refuse_single_returns};
pub(crate) use matrix::nearly as nearly_a_matrix;

/// The lines of a longer text that are looked at.
const MOST_LINES: usize = 500;

/// A kind of texts.
pub(crate) struct Kind {
    format: Format,
    claim: fn(&Sample<'_>) -> Option<Claim>,
}

/// All kinds, in the order in which questions list them.
static KINDS: &[Kind] = &[
    edges::KIND,
    matrix::KIND,
    adjacency::KIND,
    written::KIND,
    metis::KIND,
    phylip::KIND,
    printed::KIND,
];

/// How strongly the lines show a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// They can be of this kind, which nothing shows.
    Weak,
    /// They have the structure of this kind.
    Fits,
    /// They are of no other kind.
    Certain,
}

/// That some lines are of a kind.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) strength: Strength,
    /// What shows it, as `3 x 3 numbers, symmetric`.
    pub(crate) evidence: String,
    /// What the first lines are in this kind, as `3 vertices, 0-1 3, 0-2 1`.
    pub(crate) reading: String,
    /// The question whether the lines are something that Kostra does not read.
    pub(crate) doubt: Option<Message>,
}

impl Claim {
    fn new(strength: Strength, evidence: String, reading: String) -> Self {
        Self { strength, evidence, reading, doubt: None }
    }
}

/// The first lines of a text.
pub(crate) struct Sample<'a> {
    /// The head of the input.
    pub(crate) head: &'a Head<'a>,
    /// The comments before the first row.
    pub(crate) comments: Vec<&'a [u8]>,
    /// The lines that are neither blank nor comments, and their fields.
    pub(crate) divided: DividedLines<'a>,
    pub(crate) options: &'a ReadOptions,
    /// Whether the options or the name of the file say that the lines are edges.
    pub(crate) are_said_to_be_edges: bool,
}

impl<'a> Sample<'a> {
    /// The first lines of a text; `None` if the input is binary.
    pub(crate) fn new(
        head: &'a Head<'a>,
        options: &'a ReadOptions,
        are_said_to_be_edges: bool,
    ) -> Option<Self> {
        let most = if head.is_whole() { usize::MAX } else { MOST_LINES };
        let all = head.lines()?.iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let comments = all.clone().take_while(|line| is_comment(line)).collect();
        let lines = all.filter(|line| !is_comment(line)).take(most).collect();
        let divided = DividedLines::new(lines);
        Some(Self { head, comments, divided, options, are_said_to_be_edges })
    }

    pub(crate) fn lines(&self) -> &[&'a [u8]] {
        &self.divided.lines
    }

    /// Whether the lines are the whole input.
    pub(crate) fn is_whole(&self) -> bool {
        self.head.is_whole()
    }
}

/// What a text was recognized as.
#[derive(Debug)]
pub(crate) struct Recognized {
    pub(crate) format: Format,
    /// What shows it.
    pub(crate) evidence: String,
}

/// The kind of a text, if one fits. `among` excludes kinds that the name of the file excludes.
///
/// # Errors
/// When several kinds fit.
pub(crate) fn recognize(
    sample: &Sample<'_>,
    among: impl Fn(Format) -> bool,
) -> Result<Option<Recognized>, ReadErrorKind> {
    let kinds = KINDS.iter().filter(|kind| among(kind.format));
    let mut claims: Vec<(Format, Claim)> =
        kinds.filter_map(|kind| Some((kind.format, (kind.claim)(sample)?))).collect();
    if claims.iter().any(|(_, claim)| claim.strength == Strength::Certain) {
        claims.retain(|(_, claim)| claim.strength == Strength::Certain);
    }
    if claims.iter().all(|(_, claim)| claim.strength == Strength::Weak) {
        // Three columns may be those of edges, and the reader of edge lists asks.
        let is_wide = sample.lines().len() > 3;
        let doubtful = claims.iter().find(|(format, _)| is_wide || *format != Format::MATRIX);
        return doubtful.map_or(Ok(None), |(format, claim)| Err(doubt(*format, claim)));
    }
    match &mut claims[..] {
        [(format, claim)] => match claim.doubt.take() {
            Some(doubt) => Err(ReadErrorKind::question(doubt)),
            None => {
                let evidence = std::mem::take(&mut claim.evidence);
                Ok(Some(Recognized { format: *format, evidence }))
            }
        },
        _ => Err(ReadErrorKind::question(question(&claims))),
    }
}

/// The question whether lines that are no plain edges are of a kind that nothing shows.
fn doubt(format: Format, claim: &Claim) -> ReadErrorKind {
    ReadErrorKind::question(message![
        format!("are the lines {} ({})? they would be ", with_article(format), claim.evidence),
        format!("{}; pass ", claim.reading),
        Remedy::text("format", format.id()),
        " if they are, or ",
        Remedy::ends(),
        "; ",
        Remedy::PointTree,
        " finds the tree of points",
    ])
}

/// The title of a format with its article.
pub(crate) fn with_article(format: Format) -> String {
    let title = format.title();
    let article = if title.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {title}")
}

/// The question which of some kinds a text is, with what its first lines are in each.
fn question(claims: &[(Format, Claim)]) -> Message {
    let titles: Vec<&str> = claims.iter().map(|(format, _)| format.title()).collect();
    let mut sentence = message![format!("which format is this, {}? ", titles.join(" or "))];
    for (format, claim) in claims {
        sentence.push(format!("as {}: {}; ", format.title(), claim.reading));
    }
    sentence.push("pass ");
    for (index, (format, _)) in claims.iter().enumerate() {
        let or = if index == 0 { "" } else { " or " };
        sentence.push(message![or, Remedy::text("format", format.id())]);
    }
    sentence
}

/// The first of some edges, as text.
fn shown(edges: impl Iterator<Item = String>) -> String {
    const MOST: usize = 3;
    let mut edges: Vec<String> = edges.take(MOST + 1).collect();
    if edges.len() > MOST {
        edges[MOST] = "...".into();
    }
    edges.join(", ")
}
