//! The content of a file: one value of JSON, or a sequence of features.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::distinct::Distinct;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::number;
use crate::whole::{self, WholeText};

/// The memory for a sign between the values of a tree of JSON.
const BYTES_PER_SIGN: usize = 200;

/// The content of a file. Refuses positions that are no longitudes and latitudes.
pub(crate) fn parse(stream: &mut Stream<'_>) -> Result<Value, Fault> {
    let text = WholeText::read(stream)?;
    whole::ask_for_values(text.text().as_bytes(), BYTES_PER_SIGN)?;
    // Sequences may have a record separator before each value.
    let text = match text.text() {
        text if text.contains('\u{1e}') => Cow::Owned(text.replace('\u{1e}', " ")),
        text => Cow::Borrowed(text),
    };
    let text = quote_large_integers(&text);
    let values = serde_json::Deserializer::from_str(&text).into_iter::<Distinct>();
    let values: Result<Vec<_>, _> =
        values.map(|value| value.map(|Distinct(value)| value)).collect();
    let mut values = values.map_err(|error| {
        let sentence: String = error.to_string().chars().filter(|c| !c.is_control()).collect();
        let cause = sentence.rsplit_once(" at line ").map_or(&*sentence, |(cause, _)| cause);
        let sentence = format!("this is not GeoJSON: {cause}; correct the file");
        Fault::at_line(error.line() as u64, error.column() as u64, sentence)
    })?;
    let value = match &values[..] {
        [_] => values.remove(0),
        // The macro `json` would copy the values.
        _ => Value::Object(Map::from_iter([
            ("type".to_owned(), "FeatureCollection".into()),
            ("features".to_owned(), Value::Array(values)),
        ])),
    };
    refuse_other_positions(&value)?;
    Ok(value)
}

/// Puts integers of more than 64 bits in quotes, because the parser would round them to floats.
fn quote_large_integers(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut quoted, mut copied, mut at) = (String::new(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let part = |byte: &&u8| byte.is_ascii_digit() || b"-+.eE".contains(byte);
                let start = at;
                at += bytes[at..].iter().take_while(part).count();
                let number = &text[start..at];
                if is_large_integer(number) {
                    quoted.extend([&text[copied..start], "\"", number, "\""]);
                    copied = at;
                }
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return text.into();
    }
    quoted.push_str(&text[copied..]);
    quoted.into()
}

/// Whether a number is an integer that 64 bits do not hold.
fn is_large_integer(number: &str) -> bool {
    /// The digits of the lowest number that 64 bits do not hold.
    const FEWEST_DIGITS: usize = 19;
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.len() >= FEWEST_DIGITS
        && digits.bytes().all(|digit| digit.is_ascii_digit())
        && number.parse::<i64>().is_err()
        && number.parse::<u64>().is_err()
}

/// The position after the string that starts at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1; // the escaped character
    }
    bytes.len()
}

/// Refuses positions that are no longitudes and latitudes, as the member `crs` of older files says.
fn refuse_other_positions(value: &Value) -> Result<(), Fault> {
    let Some(crs) = value.get("crs").filter(|crs| !crs.is_null()) else { return Ok(()) };
    let name = crs.pointer("/properties/name").and_then(Value::as_str).unwrap_or_default();
    if ["CRS84", "EPSG:4326", "EPSG::4326"].iter().any(|known| name.ends_with(known)) {
        return Ok(());
    }
    Err(Fault::whole(format!(
        "the positions are in '{}'; save the file in WGS 84 (EPSG:4326)",
        number::show(name.as_bytes())
    )))
}

/// The member `type` of an object.
pub(crate) fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}
