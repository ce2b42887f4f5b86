//! Points that may separate thousands, as in `1.000` next to `950`.
//!
//! Where a comma is the decimal point, programs write semicolons, tabs or spaces between columns.
//! If every number with a point has one to three digits before it, the first not 0, and three after
//! it, the points may separate thousands. The other numbers, at least one, have up to three digits:
//! programs that write a decimal point write it in all numbers, or leave out zeros at the end.

use crate::message::{Message, Remedy, message};
use crate::quotes::unquote;

/// What some numbers say about points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Thousands {
    /// The first number whose point may separate thousands, without the point.
    grouped: Option<i32>,
    /// Whether a number has no point, and at most three digits.
    has_short: bool,
    /// Whether a number shows that points do not separate thousands.
    is_clear: bool,
}

impl Thousands {
    /// The number of words of [`to_words`](Self::to_words).
    pub(crate) const WORDS: usize = 2;

    /// What the numbers in these fields say. Reads them up to one that decides.
    pub(crate) fn of<'a>(fields: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut found = Self::default();
        for field in fields {
            found.see(field);
            if found.is_clear {
                break;
            }
        }
        found
    }

    /// Adds what the number in the next field says.
    pub(crate) fn see(&mut self, field: &[u8]) {
        if matches!(field.len(), 1..=3) && field.iter().all(u8::is_ascii_digit) {
            self.has_short = true;
        } else if !self.is_clear {
            *self = self.and(unquote(field).map_or(Self::CLEAR, |number| Self::of_number(&number)));
        }
    }

    const CLEAR: Self = Self { grouped: None, has_short: false, is_clear: true };

    fn of_number(number: &[u8]) -> Self {
        let (sign, digits) = match number {
            [b'-', digits @ ..] => (-1, digits),
            [b'+', digits @ ..] | digits => (1, digits),
        };
        let short = |digits: &[u8]| (1..=3).contains(&digits.len());
        let value = |digits: &[u8]| str::from_utf8(digits).ok()?.parse::<u16>().ok();
        let mut groups = digits.split(|&byte| byte == b'.');
        let Some(first) = groups.next().filter(|first| short(first)) else { return Self::CLEAR };
        match (value(first), groups.next(), groups.next()) {
            (Some(_), None, None) => Self { has_short: true, ..Self::default() },
            (Some(thousands), Some(rest), None) if rest.len() == 3 && first[0] != b'0' => {
                let value = value(rest).map(|rest| i32::from(thousands) * 1000 + i32::from(rest));
                value.map_or(Self::CLEAR, |value| Self {
                    grouped: Some(sign * value),
                    ..Self::default()
                })
            }
            _ => Self::CLEAR,
        }
    }

    /// What these numbers and later ones say together.
    pub(crate) fn and(self, later: Self) -> Self {
        Self {
            grouped: self.grouped.or(later.grouped),
            has_short: self.has_short || later.has_short,
            is_clear: self.is_clear || later.is_clear,
        }
    }

    /// The question whether points separate thousands, if they may.
    pub(crate) fn question(self) -> Option<Message> {
        let number = self.grouped.filter(|_| self.has_short && !self.is_clear)?;
        Some(message![
            format!(
                "does the point in '{}.{:03}' separate thousands? pass ",
                number / 1000,
                number.abs() % 1000
            ),
            Remedy::on("thousands"),
            " and ",
            Remedy::on("decimal-comma"),
            " if it does, or write a point in every number, as '950.0', if it is a decimal point",
        ])
    }

    pub(crate) fn to_words(self) -> [u64; Self::WORDS] {
        let flags = [self.grouped.is_some(), self.has_short, self.is_clear];
        let flags = flags.iter().fold(0, |flags, &flag| flags << 1 | u64::from(flag));
        [flags, self.grouped.unwrap_or_default() as u64]
    }

    pub(crate) fn from_words([flags, grouped]: [u64; Self::WORDS]) -> Self {
        Self {
            grouped: (flags & 4 != 0).then_some(grouped as i32),
            has_short: flags & 2 != 0,
            is_clear: flags & 1 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Thousands {
        Thousands::of(text.split(' ').map(str::as_bytes))
    }

    #[test]
    fn points_may_separate_thousands_beside_short_numbers() {
        for text in ["1.000 950", "12.500 7 1.000", "-1.000 0", "\"1.000\" \"950\"", "+1.234 +5"] {
            assert!(of(text).question().is_some(), "{text}");
        }
        for text in [
            "1.000 2.500",
            "0.125 3",
            "1.000 950 0.5",
            "1.000 1000",
            "1.5 950",
            "1.0000 950",
            "1234.000 950",
            "950 3",
            "1.000 1e3",
            "1.000 nan",
            "1.000.000 950",
            "1.000 ",
            "1.00x 950",
            ".125 3",
            "",
        ] {
            assert_eq!(of(text).question(), None, "{text}");
        }
        let question = of("-12.050 7 1.000").question().unwrap().to_string();
        assert!(question.starts_with("does the point in '-12.050' separate thousands? pass "));
    }

    #[test]
    fn parts_say_together_what_the_whole_says() {
        assert_eq!(of("7 1.000").and(of("5 2.000")), of("7 1.000 5 2.000"));
        for text in ["7", "-1.000", "0.5", "999.999 5"] {
            assert_eq!(Thousands::from_words(of(text).to_words()), of(text));
        }
    }
}
