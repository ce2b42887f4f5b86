//! What comments before the lines say about the columns, as `# id from to km`, `% sym weighted`,
//! Kostra's own counts, and `# Fields: query acc.ver, subject acc.ver, % identity` in tables of
//! BLAST.

use crate::column_choice::{name_ends, name_two_ends};
use crate::fields::{DividedLines, Fields, MOST_COLUMNS, Separator, fields, text};
use crate::number::words;
use crate::{ColumnOptions, Header, ReadOptions};

/// How the comment of BLAST starts that lists the columns.
const FIELDS: &[u8] = b"# Fields:";

/// Options with the names of the columns in a comment, if the first line is no header, but this
/// comment has as many fields. It is the one of BLAST, or the last one if names of ends are in it
/// and the options do not choose the ends.
pub(super) fn options_with_names(
    comments: &[&[u8]],
    lines: &DividedLines<'_>,
    options: &ReadOptions,
) -> Option<ReadOptions> {
    let ColumnOptions { source, target, names, header, .. } = &options.columns;
    let divided = |line, at| -> Fields<'_> {
        fields(line, at).map(|(_, field)| field).take(MOST_COLUMNS + 1).collect()
    };
    let separator = lines.separator(0, options);
    let of_blast = comments.iter().find_map(|comment| comment.strip_prefix(FIELDS));
    let head = match of_blast {
        Some(names) => divided(names, Separator::Byte(b',')),
        None => {
            let comment = comments.last()?.trim_ascii();
            let start = comment.iter().position(|byte| !b"#%/ \t".contains(byte))?;
            divided(comment.get(start..)?, separator)
        }
    };
    let first = divided(lines.lines.first()?, separator);
    let names_ends = || source.as_ref().or(target.as_ref()).is_none() && name_two_ends(&head);
    let is_head = names.is_none()
        && *header == Header::Recognize
        && head.len() > 2
        && head.len() == first.len()
        && (of_blast.is_some() || names_ends())
        && !name_ends(&first);
    is_head.then(|| {
        let mut options = options.clone();
        options.columns.names = Some(head.iter().map(|name| text(name)).collect());
        options
    })
}

/// The start of the comment by which Kostra states the numbers of vertices and edges.
pub(crate) const COUNTS_COMMENT: &str = "# kostra edge list:";

/// The comment that says that the lines are `u v` or `u v weight`, if there is one.
pub(super) fn says_edges(comments: &[&[u8]]) -> Option<&'static str> {
    if comments.first().is_some_and(|comment| is_konect(comment)) {
        return Some("a comment of KONECT");
    }
    let is_own = |comment: &&[u8]| comment.starts_with(COUNTS_COMMENT.as_bytes());
    comments.iter().any(is_own).then_some("a comment of Kostra")
}

/// Whether a comment is the first line of a file of KONECT, such as `% sym posweighted`.
fn is_konect(comment: &[u8]) -> bool {
    let mut words = words(comment).map(|(_, word)| word);
    words.next() == Some(b"%") && matches!(words.next(), Some(b"sym" | b"asym" | b"bip"))
}
