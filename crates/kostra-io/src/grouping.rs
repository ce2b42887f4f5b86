//! Signs between the thousands of a number, as in `1 250`, `1'250` and `1,250`.

use std::borrow::Cow;

use crate::message::{Message, Remedy, message};
use crate::number::{has_decimal_comma, show};

/// Whether a letter separates thousands wherever it stands between digits.
fn is_separator(letter: char) -> bool {
    letter.is_whitespace() || "'\u{2019}_".contains(letter)
}

/// Whether a field is a number with blanks, apostrophes or underscores between groups of digits.
pub(crate) fn has_groups(field: &[u8]) -> bool {
    let text = String::from_utf8_lossy(field);
    let text = text.trim_matches('"');
    let is_digit = |letter: char| letter.is_ascii_digit() || ".,-".contains(letter);
    text.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-')
        && text.contains(is_separator)
        && text.chars().all(|letter| is_digit(letter) || is_separator(letter))
}

/// What to pass so that a field is read as a number, if commas or signs between thousands may be
/// the reason that it is none.
/// `decimal_comma` says whether the options say that numbers have one.
pub(crate) fn remedy(field: &[u8], decimal_comma: bool) -> Option<Message> {
    let comma = || Remedy::on("decimal-comma");
    let thousands = || Remedy::on("thousands");
    if !decimal_comma && has_decimal_comma(field) && !field.contains(&b'.') && !has_groups(field) {
        let mut sentence = message!["pass ", comma(), " if the comma is a decimal point"];
        let is_group = field.rsplit(|&byte| byte == b',').next().is_some_and(|end| end.len() == 3);
        if is_group && without_separators(field, false).is_ok() {
            sentence.push(message![", or ", thousands(), " if it separates thousands"]);
        }
        return Some(sentence);
    }
    let is_grouped = |decimal_comma| {
        let number = without_separators(field, decimal_comma);
        let is_number = |number: &[u8]| {
            let text = String::from_utf8_lossy(number);
            let text = if decimal_comma { text.replace(',', ".") } else { text.into_owned() };
            text.parse::<f64>().is_ok()
        };
        number.is_ok_and(|number| *number != *field && is_number(&number))
    };
    if is_grouped(decimal_comma) {
        return Some(message!["pass ", thousands(), " if signs separate thousands"]);
    }
    let both = message!["pass ", thousands(), " and ", comma(), " if signs separate thousands"];
    (!decimal_comma && is_grouped(true)).then_some(both)
}

/// A number without the signs between its thousands. A comma is one of them, or a point if the
/// number has a decimal comma.
///
/// # Errors
/// When a sign does not stand between groups of three digits.
pub(crate) fn without_separators(
    field: &[u8],
    decimal_comma: bool,
) -> Result<Cow<'_, [u8]>, String> {
    let Ok(text) = str::from_utf8(field) else { return Ok(Cow::Borrowed(field)) };
    let (sign, point) = if decimal_comma { ('.', ',') } else { (',', '.') };
    let is_sign = |letter: char| letter == sign || is_separator(letter);
    let (whole, rest) = text.split_once(point).map_or((text, ""), |(whole, rest)| (whole, rest));
    let Some(found) = whole.chars().find(|letter| is_sign(*letter)) else {
        return Ok(Cow::Borrowed(field));
    };
    let mut groups = whole.trim_start_matches(['-', '+']).split(found);
    let are_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let groups: Vec<&str> = groups.collect();
    let is_last = |at: usize| at + 1 == groups.len();
    // Numbers of India have groups of two digits before the last three.
    let are_groups = |size: usize| {
        let is_group = |(at, group): (usize, &&str)| {
            group.len() == if is_last(at) { 3 } else { size } && are_digits(group)
        };
        groups.iter().enumerate().all(is_group)
    };
    let is_first = (1..=3).contains(&first.len()) && are_digits(first);
    if !is_first || !(are_groups(3) || are_groups(2)) || rest.contains(is_sign) {
        let field = show(field);
        return Err(format!(
            "the weight is '{field}', whose signs do not separate groups of three digits; correct \
             it"
        ));
    }
    Ok(Cow::Owned(text.chars().filter(|letter| *letter != found).collect::<String>().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_between_thousands_are_left_out_where_they_stand_between_three_digits() {
        let read = |text: &str, decimal_comma| {
            let number = without_separators(text.as_bytes(), decimal_comma);
            number.ok().map(|number| String::from_utf8(number.into_owned()).unwrap())
        };
        for (text, number) in [
            ("1 250", "1250"),
            ("1\u{a0}250\u{a0}000.5", "1250000.5"),
            ("-1\u{202f}250", "-1250"),
            ("1'250", "1250"),
            ("1\u{2019}250", "1250"),
            ("1_250", "1250"),
            ("1,250.75", "1250.75"),
            ("12,34,567", "1234567"),
            ("950", "950"),
            ("1.5", "1.5"),
        ] {
            assert_eq!(read(text, false).as_deref(), Some(number), "{text}");
        }
        assert_eq!(read("1.250,5", true).as_deref(), Some("1250,5"));
        assert_eq!(read("1\u{a0}250,5", true).as_deref(), Some("1250,5"));
        for text in ["1 25", "1,2", "1234,567", "1,250,5", ",250", "1'250'", "1 a50"] {
            assert_eq!(read(text, false), None, "{text}");
        }
    }
}
