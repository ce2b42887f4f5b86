//! Numbers with a unit, such as `12 km`, perhaps inside tags of HTML.

/// A text that is a number and a unit.
#[derive(Debug, PartialEq)]
pub(crate) struct Quantity<'a> {
    pub(crate) number: &'a str,
    pub(crate) unit: &'a str,
}

/// Units that precede the number.
const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];

/// The most bytes of a unit.
const LONGEST_UNIT: usize = 24;

/// The text without tags and with the entities for blanks resolved, if it has tags.
pub(crate) fn without_tags(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = inside(text).unwrap_or(text);
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        (_, rest) = tag.split_once('>')?;
    }
    plain.push_str(rest);
    let has_entities = plain.contains("&nbsp;") || plain.contains("&#160;");
    (plain.len() < text.len() || has_entities)
        .then(|| plain.replace("&nbsp;", " ").replace("&#160;", " "))
}

/// The text inside the brackets that enclose all of it, as DOT has them around HTML.
fn inside(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let end = text.find(|c: char| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })?;
    (end > 0 && end + 1 == text.len()).then(|| text.get(1..end)).flatten()
}

impl<'a> Quantity<'a> {
    /// The number and the unit of a text without tags; none if it is anything else. A unit has no
    /// digits, so that dates, ratios and addresses are no numbers.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        if let Some(number) = text.strip_prefix(CURRENCIES) {
            let unit = text.get(..text.len() - number.len())?;
            return Self::of(number.trim_start(), unit);
        }
        let is_part = |c: char| c.is_ascii_digit() || "+-.".contains(c);
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        // An exponent is part of the number, and the `e` of a unit is not.
        let exponent = text.get(end..)?.strip_prefix(['e', 'E']).map(|rest| {
            let signed = rest.strip_prefix(['+', '-']).unwrap_or(rest);
            let digits = signed.find(|c: char| !c.is_ascii_digit()).unwrap_or(signed.len());
            if digits == 0 { 0 } else { 1 + rest.len() - signed.len() + digits }
        });
        let (number, unit) = text.split_at_checked(end + exponent.unwrap_or(0))?;
        Self::of(number, unit.trim())
    }

    fn of(number: &'a str, unit: &'a str) -> Option<Self> {
        let is_of_unit = |c: char| !c.is_ascii_digit() && !c.is_control() && !",;:=<>".contains(c);
        let is_unit = unit.len() <= LONGEST_UNIT && unit.chars().all(is_of_unit);
        (is_unit && number.parse::<f64>().is_ok()).then_some(Self { number, unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit_are_a_measure() {
        for (text, number, unit) in [
            ("12 km", "12", "km"),
            (" 3.5min ", "3.5", "min"),
            ("-2e3 m/s", "-2e3", "m/s"),
            ("5 eV", "5", "eV"),
            ("$7.25", "7.25", "$"),
            ("90 %", "90", "%"),
            ("4\u{a0}m²", "4", "m²"),
            ("8", "8", ""),
        ] {
            assert_eq!(Quantity::parse(text), Some(Quantity { number, unit }), "{text}");
        }
        for text in ["km", "3-4", "12:30", "A12", "12,5 km", "1 of 2", "2026-11-28", "", "1.2.3"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
    }

    #[test]
    fn tags_are_removed() {
        for (text, plain) in [
            ("<b>12</b> km", Some("12 km")),
            ("12&nbsp;km", Some("12 km")),
            ("<font color=\"red\">3</font>", Some("3")),
            ("<12 km>", Some("12 km")),
            ("<<b>12</b> km>", Some("12 km")),
            ("12 km", None),
            ("a < b", None),
        ] {
            assert_eq!(without_tags(text).as_deref(), plain, "{text}");
        }
    }
}
