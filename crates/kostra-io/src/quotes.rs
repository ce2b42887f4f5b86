//! Fields in double quotes, of edge lists and tables of points.

use std::borrow::Cow;

/// The length of the quoted text at the start of a field, quotes included; 0 if there are no quotes
/// or the closing quote is missing.
pub(crate) fn quoted_length(rest: &[u8]) -> usize {
    let [b'"', inside @ ..] = rest else { return 0 };
    let mut at = 0;
    while let Some(quote) = memchr::memchr(b'"', inside.get(at..).unwrap_or_default()) {
        at += quote + 1;
        if inside.get(at) != Some(&b'"') {
            return at + 1;
        }
        at += 1;
    }
    0
}

/// Whether a field has an opening quote and no closing one.
pub(crate) fn is_open(field: &[u8]) -> bool {
    field.starts_with(b"\"") && quoted_length(field) == 0
}

/// The content of a field without quotes; `None` if the quotes do not match.
pub(crate) fn unquote(field: &[u8]) -> Option<Cow<'_, [u8]>> {
    let [b'"', ..] = field else { return Some(Cow::Borrowed(field)) };
    if quoted_length(field) != field.len() {
        return None;
    }
    let inside = field.get(1..field.len() - 1)?;
    if memchr::memchr(b'"', inside).is_none() {
        return Some(Cow::Borrowed(inside));
    }
    // Every quote inside is doubled; of each pair one stays.
    let mut keep = false;
    let once = |&byte: &u8| {
        keep = byte != b'"' || !keep;
        keep
    };
    Some(Cow::Owned(inside.iter().copied().filter(once).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_come_off_in_pairs() {
        for (field, text) in [
            ("a", Some("a")),
            ("\"a b\"", Some("a b")),
            ("\"a\"\"b\"", Some("a\"b")),
            ("\"\"", Some("")),
        ] {
            assert_eq!(unquote(field.as_bytes()).as_deref(), text.map(str::as_bytes));
        }
        for field in ["\"a", "\"a\"b", "\""] {
            assert_eq!(unquote(field.as_bytes()), None, "{field}");
        }
    }
}
