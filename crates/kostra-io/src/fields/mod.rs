//! Dividing the lines of texts into fields: of edge lists, tables and matrices.

mod divided;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::ColumnOptions;
use crate::grouping::without_separators;
use crate::message::Message;
use crate::number::{is_blank, show, words};
use crate::quotes::{is_open, quoted_length, unquote};

pub(crate) use divided::{DividedLines, DividedRows, MOST_COLUMNS};

/// What separates two fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Separator {
    /// Any number of spaces and tabs.
    Blanks,
    /// This byte, with or without blanks around it. Two separators in a row enclose an empty field.
    Byte(u8),
}

impl Separator {
    /// Recognizes the separator by the first line and the lines after it. Tabs separate names,
    /// which may contain spaces. They separate numbers if every line has tabs, and no line has
    /// numbers between blanks.
    pub(crate) fn of_lines(first: &[u8], rest: &[&[u8]], names: bool) -> Self {
        let recognized = Self::recognize(first, names);
        let tabs = || std::iter::once(first).chain(rest.iter().copied()).all(tabs_separate);
        if recognized == Self::Blanks && tabs() { Self::Byte(b'\t') } else { recognized }
    }

    /// Recognizes the separator by a line. A tab is a separator if names may contain spaces.
    pub(crate) fn recognize(line: &[u8], names: bool) -> Self {
        let bare = bare(line);
        let candidates: &[u8] = if names { b",;|\t" } else { b",;|" };
        let mut found = candidates.iter().filter(|&&byte| memchr::memchr(byte, &bare).is_some());
        let (first, next) = (found.next(), found.next());
        let inside = bare.trim_ascii();
        let blanks_separate = !names
            && (memchr::memchr2(b' ', b'\t', inside).is_some()
                || memchr::memchr3(b'\r', 0x0b, 0x0c, inside).is_some());
        match first {
            // If something else separates and every comma has digits on both sides, the commas
            // belong to numbers: `0;1;1,5`.
            Some(b',') if (next.is_some() || blanks_separate) && commas_are_in_numbers(&bare) => {
                next.map_or(Self::Blanks, |&byte| Self::Byte(byte))
            }
            first => first.map_or(Self::Blanks, |&byte| Self::Byte(byte)),
        }
    }

    /// Whether this byte alone can stand between two numbers.
    #[inline(always)]
    pub(crate) fn is(self, byte: Option<&u8>) -> bool {
        match (self, byte) {
            (Self::Blanks, Some(b' ' | b'\t')) => true,
            (Self::Byte(separator), Some(&byte)) => byte == separator,
            _ => false,
        }
    }
}

/// Whether a line can be divided at its tabs, so that no field is several numbers.
fn tabs_separate(line: &[u8]) -> bool {
    let several_numbers = |field: &[u8]| {
        let words = || words(field).map(|(_, word)| word);
        words().count() > 1 && words().all(|word| is_weight(word, false))
    };
    let mut divided = fields(line, Separator::Byte(b'\t')).map(|(_, field)| field);
    memchr::memchr(b'\t', line).is_some() && !divided.any(several_numbers)
}

/// Whether every comma of a line has digits on both sides, and several in one word separate groups
/// of thousands.
fn commas_are_in_numbers(line: &[u8]) -> bool {
    let mut words = line.split(|byte| is_blank(*byte) || b";|".contains(byte));
    let is_group = |group: &[u8]| matches!(group, [_, _, _] | [_, _, _, b'.', ..]);
    let are_groups = |word: &[u8]| word.split(|&byte| byte == b',').skip(1).all(is_group);
    let has_several = |word: &[u8]| memchr::memchr_iter(b',', word).count() > 1;
    if words.any(|word| has_several(word) && !are_groups(word)) {
        return false;
    }
    let is_digit =
        |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(u8::is_ascii_digit);
    memchr::memchr_iter(b',', line).all(|at| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)))
}

/// A line without its quoted parts.
fn bare(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'"', line).is_none() {
        return line.into();
    }
    let mut quoted = false;
    let outside = |&byte: &u8| {
        quoted ^= byte == b'"';
        !quoted
    };
    line.iter().copied().filter(outside).collect()
}

/// A line's fields.
pub(crate) type Fields<'a> = Vec<&'a [u8]>;

/// Whether a line is blank or a comment.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    let start = line.iter().position(|&byte| !is_blank(byte)).unwrap_or(line.len());
    matches!(line.get(start..), None | Some([] | [b'#' | b'%', ..] | [b'/', b'/', ..]))
}

/// A line without its line end. Blanks before it stay: a tab there may end an empty field.
pub(crate) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The fields of a line, each with its offset in the line and with its quotes.
pub(crate) fn fields(
    line: &[u8],
    separator: Separator,
) -> impl Iterator<Item = (usize, &[u8])> + Clone {
    let mut at = Some(0);
    std::iter::from_fn(move || {
        let blank = |&byte: &u8| is_blank(byte) && Separator::Byte(byte) != separator;
        let mut start = at?;
        start += line.get(start..)?.iter().take_while(|byte| blank(byte)).count();
        let rest = line.get(start..)?;
        let is_end = |byte: &u8| match separator {
            Separator::Blanks => is_blank(*byte),
            Separator::Byte(separator) => *byte == separator,
        };
        let quoted = quoted_length(rest);
        let length = rest.iter().skip(quoted).position(is_end).map(|length| quoted + length);
        if separator == Separator::Blanks && rest.is_empty() {
            return None;
        }
        at = length.map(|length| start + length + 1);
        let mut field = rest.get(..length.unwrap_or(rest.len()))?;
        while let [before @ .., last] = field {
            if !blank(last) {
                break;
            }
            field = before;
        }
        Some((start, field))
    })
}

/// What to say about a field whose quotes do not match.
pub(crate) fn open_quote(field: &[u8]) -> String {
    let shown = show(field);
    if is_open(field) {
        format!(
            "the field {shown} has no closing quote in this line; close it, and write fields \
             without line breaks"
        )
    } else {
        format!("the quotes of the field {shown} do not match; write quotes in it twice")
    }
}

/// Divides a line into the part before the Python dictionary at its end, and the dictionary.
pub(crate) fn cut(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    let end = memchr::memchr(b'{', line).filter(|_| line.trim_ascii_end().ends_with(b"}"));
    let Some((row, dictionary)) = end.and_then(|at| line.split_at_checked(at)) else {
        return (line, None);
    };
    let row = row.trim_ascii_end();
    (row.strip_suffix(b",").unwrap_or(row), Some(dictionary))
}

/// Whether a dictionary has no entries.
pub(crate) fn is_empty(dictionary: &[u8]) -> bool {
    dictionary.iter().all(|&byte| is_blank(byte) || matches!(byte, b'{' | b'}'))
}

/// The value of `weight` in a Python dictionary, with its offset in the dictionary.
pub(crate) fn weight_in(dictionary: &[u8]) -> Option<(usize, &[u8])> {
    let key = memchr::memmem::find(dictionary, b"'weight':")
        .or_else(|| memchr::memmem::find(dictionary, b"\"weight\":"))?;
    let mut start = key + "'weight':".len();
    start += dictionary.get(start..)?.iter().take_while(|&&byte| is_blank(byte)).count();
    let rest = dictionary.get(start..)?;
    let length = rest.iter().position(|byte| matches!(byte, b',' | b'}')).unwrap_or(rest.len());
    Some((start, rest.get(..length)?.trim_ascii_end()))
}

/// Whether a field is a number with a zero before other digits. `01` and `1` may be two names.
pub(crate) fn has_leading_zero(field: &[u8]) -> bool {
    matches!(field, [b'0', _, ..]) && field.iter().all(u8::is_ascii_digit)
}

/// A field without quotes, as a message shows it.
pub(crate) fn text(field: &[u8]) -> String {
    unquote(field).map_or_else(|| show(field), |field| show(&field))
}

/// The fields without quotes, as a message shows them.
pub(crate) fn texts(fields: &[&[u8]]) -> Vec<String> {
    fields.iter().map(|field| text(field)).collect()
}

/// Whether a field is meant as a weight. A number that is too large counts, so that its line is
/// refused when it is read. If `decimal_comma` is true, numbers have a decimal comma.
pub(crate) fn is_weight(field: &[u8], decimal_comma: bool) -> bool {
    let is_number =
        |field: &[u8]| str::from_utf8(field).is_ok_and(|text| text.parse::<f64>().is_ok());
    unquote(field).is_some_and(|field| {
        if decimal_comma {
            with_point(&field).is_ok_and(|field| is_number(&field))
        } else {
            is_number(&field)
        }
    })
}

/// Whether a field is meant as a weight, as the options say that weights are written.
pub(crate) fn is_number_of(columns: &ColumnOptions, field: &[u8]) -> bool {
    if !columns.thousands {
        return is_weight(field, columns.decimal_comma);
    }
    let number = unquote(field);
    let number = number.as_deref().map(|text| without_separators(text, columns.decimal_comma));
    number.is_some_and(|number| number.is_ok_and(|text| is_weight(&text, columns.decimal_comma)))
}

/// A number with a decimal comma, rewritten with a decimal point.
///
/// # Errors
/// When it has a point or several commas, so that one of them may separate thousands.
pub(crate) fn with_point(field: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    let commas = memchr::memchr_iter(b',', field).count();
    if commas > 1 || field.contains(&b'.') {
        return Err(format!(
            "the weight is '{}', but numbers with a decimal comma have one comma and no point; \
             write it so",
            show(field)
        ));
    }
    if commas == 0 {
        return Ok(Cow::Borrowed(field));
    }
    let point = |&byte: &u8| if byte == b',' { b'.' } else { byte };
    Ok(Cow::Owned(field.iter().map(point).collect()))
}

/// A note about the columns that are not used.
pub(crate) fn left_out(
    columns: usize,
    names: Option<&[&[u8]]>,
    used: impl IntoIterator<Item = usize>,
) -> Option<Message> {
    let name = |column: usize| match names.and_then(|names| names.get(column)) {
        Some(name) => format!("'{}'", text(name)),
        None => (column + 1).to_string(),
    };
    let used: HashSet<usize> = used.into_iter().collect();
    let left = (0..columns).filter(|column| !used.contains(column));
    let left: Vec<String> = left.map(name).collect();
    match &left[..] {
        [] => None,
        [column] => Some(format!("column {column} is left out").into()),
        columns => Some(format!("columns {} are left out", columns.join(", ")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str, separator: Separator) -> Vec<(usize, String)> {
        fields(line.as_bytes(), separator)
            .map(|(at, field)| (at, String::from_utf8_lossy(field).into()))
            .collect()
    }

    fn pairs(expected: &[(usize, &str)]) -> Vec<(usize, String)> {
        expected.iter().map(|&(at, text)| (at, text.to_string())).collect()
    }

    #[test]
    fn fields_know_their_places() {
        assert_eq!(
            texts("  a\tb  \"c d\" \r", Separator::Blanks),
            pairs(&[(2, "a"), (4, "b"), (7, "\"c d\"")])
        );
        let comma = Separator::Byte(b',');
        assert_eq!(
            texts("a, b ,,\"c,\"\"d\"\r", comma),
            pairs(&[(0, "a"), (3, "b"), (6, ""), (7, "\"c,\"\"d\"")])
        );
        assert_eq!(texts("a,", comma), pairs(&[(0, "a"), (2, "")]));
        assert_eq!(texts("a b\tc", Separator::Byte(b'\t')), pairs(&[(0, "a b"), (4, "c")]));
        assert_eq!(texts("", Separator::Blanks), []);
    }

    #[test]
    fn the_separator_shows_outside_quotes() {
        assert_eq!(Separator::recognize(b"1 2\t3", false), Separator::Blanks);
        assert_eq!(Separator::recognize(b"\"a,b\";c", true), Separator::Byte(b';'));
        assert_eq!(Separator::recognize(b"a b\tc", true), Separator::Byte(b'\t'));
        assert_eq!(Separator::recognize(b"0;1;1,5", false), Separator::Byte(b';'));
        assert_eq!(Separator::recognize(b"0 1 1,5", false), Separator::Blanks);
        assert_eq!(Separator::recognize(b"0, 1, 5", false), Separator::Byte(b','));
        assert_eq!(Separator::recognize(b"0,1,5 ", false), Separator::Byte(b','));
        assert_eq!(Separator::recognize(b"0,1,5 km", false), Separator::Byte(b','));
        assert_eq!(Separator::recognize(b"0 1 1,234,567", false), Separator::Blanks);
        assert_eq!(Separator::recognize(b"Route 66,67 Street", true), Separator::Byte(b','));
    }

    #[test]
    fn tabs_separate_numbers_if_nothing_else_does() {
        let of_lines = |lines: &[&'static str]| {
            let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
            Separator::of_lines(lines[0], &lines[1..], false)
        };
        let tab = Separator::Byte(b'\t');
        assert_eq!(of_lines(&["1\t2\t\t3", "2 \t 3\t 4\t"]), tab);
        assert_eq!(of_lines(&["from node\tto node", "1\t2"]), tab);
        assert_eq!(of_lines(&["1\t2\tMain Street 5"]), tab);
        assert_eq!(of_lines(&["1 2\t3"]), Separator::Blanks, "two numbers before the tab");
        assert_eq!(of_lines(&["1\t2", "1 2"]), Separator::Blanks, "a line without tabs");
        assert_eq!(of_lines(&["1,\t2"]), Separator::Byte(b','));
    }

    #[test]
    fn dictionaries_tell_their_weight() {
        assert_eq!(weight_in(b"{'weight': 3}"), Some((11, &b"3"[..])));
        assert_eq!(weight_in(b"{\"a\": 1, \"weight\":2.5 , \"b\": 2}"), Some((18, &b"2.5"[..])));
        assert_eq!(weight_in(b"{}"), None);
    }
}
