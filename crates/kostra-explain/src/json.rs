//! Writing JSON: the few forms that answers need.

use std::fmt::Write;

/// Appends a string with its quotes.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            // The page is a script in HTML, which `<` could end.
            '<' | '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", character as u32); // a String accepts all
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// Appends a list, each item by `write`.
pub(crate) fn list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

/// Appends a number that is finite.
pub(crate) fn number(out: &mut String, value: impl std::fmt::Display) {
    let _ = write!(out, "{value}"); // a String accepts all
}

/// Appends `"name":`, after a comma unless the object has just begun.
pub(crate) fn key(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    string(out, name);
    out.push(':');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_control_characters_are_escaped() {
        let mut out = String::new();
        string(&mut out, "a\"b\\c\n</script>");
        assert_eq!(out, r#""a\"b\\c\u000a\u003c/script>""#);
    }
}
