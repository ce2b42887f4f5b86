//! Numbers with their nouns, and names, for messages.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

/// A name for a message, which has one line for it. Control characters, which could move the cursor
/// of a terminal, and marks that change the direction of writing are escaped, and the name is
/// quoted.
pub fn on_one_line(name: &str) -> Cow<'_, str> {
    let misleads =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if name.contains(misleads) { format!("{name:?}").into() } else { name.into() }
}

/// The name of a file for a message, [on one line](on_one_line).
pub fn shown(path: &Path) -> String {
    on_one_line(&path.to_string_lossy()).into_owned()
}

/// A number with its noun: `counted(1, "vertex", "vertices")` is `1 vertex`.
pub fn counted<N: Display + PartialEq + From<u8>>(
    number: N,
    singular: &str,
    plural: &str,
) -> String {
    let noun = if number == N::from(1) { singular } else { plural };
    format!("{number} {noun}")
}

/// A number with its noun, for prose: `no edges`, `one edge`, `264,345 edges`.
pub fn count(number: u64, singular: &str, plural: &str) -> String {
    match number {
        0 => format!("no {plural}"),
        1 => format!("one {singular}"),
        _ => format!("{} {plural}", thousands(number)),
    }
}

/// A number with commas between thousands: `264,345`.
pub fn thousands(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(thousands(0_u32), "0");
        assert_eq!(thousands(999_u32), "999");
        assert_eq!(thousands(264_345_u32), "264,345");
        assert_eq!(thousands(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn names_stay_on_one_line() {
        for plain in ["roads.gr", "a b", "Žižkov", ""] {
            assert_eq!(on_one_line(plain), plain);
        }
        for (name, quoted) in [
            ("a\nb", r#""a\nb""#),
            ("\u{1b}[2J.csv", r#""\u{1b}[2J.csv""#),
            ("gpj.\u{202e}exe", r#""gpj.\u{202e}exe""#),
        ] {
            assert_eq!(on_one_line(name), quoted);
            assert_eq!(shown(Path::new(name)), quoted);
        }
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(count(0, "edge", "edges"), "no edges");
        assert_eq!(count(1, "component", "components"), "one component");
        assert_eq!(count(1000, "edge", "edges"), "1,000 edges");
    }

    #[test]
    fn a_number_agrees_with_its_noun() {
        let text = |number: u64| counted(number, "vertex", "vertices");
        assert_eq!([0, 1, 2].map(text), ["0 vertices", "1 vertex", "2 vertices"]);
    }
}
