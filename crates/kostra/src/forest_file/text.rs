//! Forests as text: each line is an edge id, or an edge id, two endpoints and a weight.

use std::io::{BufRead, Read};

use kostra_core::{EdgeId, Vertex, count};
use kostra_io::{Input, Place, ReadError, ReadErrorKind};

use super::content::{BYTE_ORDER_MARK, Content, Solved, read_error};
use super::line::{COLUMNS, LineStyle};
use super::number::Number;

/// The longest line without names, in bytes. It bounds the memory for a file that is not a forest.
const LONGEST_LINE: u64 = 1 << 16;
/// The number of columns of a line with endpoints and a weight.
const EDGE_COLUMNS: usize = COLUMNS.len();

/// What an error about a line ends with.
const EXPECTED: &str = "each line of a forest is an edge id, or an edge id, two endpoints and a \
                        weight separated by tabs, as `kostra solve -o` writes it";

/// Reads the edge ids of a forest of `solved`. The id is the first column of each line; the other
/// columns must match the graph.
///
/// Reading stops as soon as there are more ids than the graph has edges, because such a forest is
/// wrong.
///
/// # Errors
/// When the file cannot be read, is not a forest, or is a forest of another graph.
pub(super) fn read_ids(
    input: &Input,
    content: Content,
    solved: Solved<'_>,
) -> Result<Vec<EdgeId>, ReadError> {
    let names = solved.names.unwrap_or_default();
    let longest_name = names.iter().map(String::len).max().unwrap_or(0) as u64;
    // Two names, whose quotes are doubled.
    let longest = LONGEST_LINE.saturating_add(longest_name.saturating_mul(4));
    let mut lines = Lines { content, input, longest, number: 0, text: String::new() };
    let mut ids = Vec::new();
    let (mut columns_expected, mut style) = (None, LineStyle::Tabs);
    while ids.len() <= solved.graph.edges() && lines.next()? {
        if lines.number == 1
            && let Some((found, columns)) = style_of_header(&lines.text)
        {
            (style, columns_expected) = (found, Some(columns));
            continue;
        }
        if lines.text.trim().is_empty() {
            continue;
        }
        if columns_expected.is_some() {
            lines.complete()?;
        }
        let columns: Vec<_> = style.fields(&lines.text);
        let id = parse_id(columns[0]).ok_or_else(|| {
            let message = format!("'{}' is not an edge id; {EXPECTED}", excerpt(columns[0].trim()));
            lines.error(1, message)
        })?;
        let has = columns.len();
        let right = match columns_expected {
            None => has == 1 || has == EDGE_COLUMNS,
            Some(expected) => has == expected,
        };
        if !right {
            let expected =
                columns_expected.map_or("1 or 4".to_owned(), |expected| expected.to_string());
            let has = count(has as u64, "column", "columns");
            let message = format!("this line has {has}, not {expected}; {EXPECTED}");
            return Err(lines.error(1, message));
        }
        columns_expected = Some(has);
        if let [_, first, second, weight, ..] = columns[..] {
            check_edge(&lines, (id, style), [first, second, weight], solved)?;
        }
        ids.push(id);
    }
    Ok(ids)
}

/// The style of lines after this header, and the number of columns; none if it is no header.
fn style_of_header(line: &str) -> Option<(LineStyle, usize)> {
    [LineStyle::Tabs, LineStyle::Commas].into_iter().find_map(|style| {
        let fields = style.fields(line);
        fields.starts_with(&COLUMNS).then_some((style, fields.len()))
    })
}

/// Parses an unsigned decimal number, with optional blanks around it.
fn parse_id(text: &str) -> Option<EdgeId> {
    let text = text.trim();
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Compares the endpoints and the weight in a line with those of edge `id`. They differ in a forest
/// of another graph, or of the same graph read with other options.
fn check_edge(
    lines: &Lines<'_>,
    (id, style): (EdgeId, LineStyle),
    [first, second, weight]: [&str; 3],
    solved: Solved<'_>,
) -> Result<(), ReadError> {
    let line = lines.text.as_str();
    let first_column = line.find(style.separator()).unwrap_or(0) as u64 + 2;
    let weight_column = (weight.as_ptr() as usize - line.as_ptr() as usize) as u64 + 1;
    let weight_type = solved.graph.weight_type();
    let Some(number) = Number::parse(weight.trim(), weight_type) else {
        let message = format!("'{}' is not a weight; {EXPECTED}", excerpt(weight));
        return Err(lines.error(weight_column, message));
    };
    let edge = id as usize;
    let (Some(&u), Some(&v)) = (solved.graph.u().get(edge), solved.graph.v().get(edge)) else {
        return Ok(()); // the verification reports an unknown edge
    };
    let name = |vertex: Vertex| match solved.names.and_then(|names| names.get(vertex as usize)) {
        Some(name) => style.field(name).into_owned(),
        None => vertex.to_string(),
    };
    let (u, v) = (name(u), name(v));
    if (first, second) != (&u, &v) {
        let [u, v, first, second] = [&u, &v, first, second].map(excerpt);
        let message = format!(
            "edge {id} joins {u} and {v} in the graph, not {first} and {second}; this is a forest \
             of another graph"
        );
        return Err(lines.error(first_column, message));
    }
    let own = Number::edge_weight(solved.graph, edge);
    if number.key(weight_type) != own.key(weight_type) {
        let weight = excerpt(weight);
        let message = format!(
            "edge {id} has weight {own} in the graph, not {weight}; this is a forest of another \
             graph"
        );
        return Err(lines.error(weight_column, message));
    }
    Ok(())
}

/// The lines of a file, with their numbers.
struct Lines<'a> {
    content: Content,
    input: &'a Input,
    longest: u64,
    number: u64,
    /// The line without its end, and without the byte order mark.
    text: String,
}

impl Lines<'_> {
    /// Reads the next line; false at the end of the file.
    fn next(&mut self) -> Result<bool, ReadError> {
        self.number += 1;
        let mut bytes = Vec::new();
        let mut limited = self.content.by_ref().take(self.longest);
        limited.read_until(b'\n', &mut bytes).map_err(|cause| read_error(self.input, cause))?;
        if bytes.len() as u64 == self.longest {
            return Err(self.error(self.longest, format!("this line is too long; {EXPECTED}")));
        }
        let is_line = !bytes.is_empty();
        let text = String::from_utf8(bytes).map_err(|error| {
            let column = error.utf8_error().valid_up_to() as u64 + 1;
            self.error(column, format!("this is not text; {EXPECTED}"))
        })?;
        let text = text.trim_end_matches(['\r', '\n']);
        let first = self.number == 1;
        self.text = if first { text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text) } else { text }
            .to_owned();
        Ok(is_line)
    }

    /// Reads on to the end of a row. A kept field in quotes may have line breaks.
    fn complete(&mut self) -> Result<(), ReadError> {
        let mut row = std::mem::take(&mut self.text);
        while row.matches('"').count() % 2 == 1 && self.next()? {
            row.push('\n');
            row += &self.text;
        }
        self.text = row;
        Ok(())
    }

    fn error(&self, column: u64, message: String) -> ReadError {
        let place = Some(Place::Line { line: self.number, column });
        let kind = ReadErrorKind::Malformed(message.into());
        ReadError { input: self.input.to_string(), place, kind }
    }
}

/// The longest quotation in an error, in characters.
const EXCERPT: usize = 40;

/// The start of a text, safe to print even if the text is long or has control characters.
fn excerpt(text: &str) -> String {
    let mut excerpt: String = text.chars().take(EXCERPT).flat_map(char::escape_debug).collect();
    if text.chars().nth(EXCERPT).is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_short_and_safe_to_print() {
        assert_eq!(excerpt("\x1b[31m"), "\\u{1b}[31m");
        assert_eq!(excerpt(&"x".repeat(1000)).chars().count(), 41);
    }

    #[test]
    fn ids_are_decimal_digits() {
        assert_eq!(parse_id("7"), Some(7));
        assert_eq!(parse_id(" 4294967295\r"), Some(u32::MAX));
        for text in ["", " ", "+1", "-1", "1.0", "1e3", "0x1", "4294967296", "１"] {
            assert_eq!(parse_id(text), None, "{text}");
        }
    }
}
