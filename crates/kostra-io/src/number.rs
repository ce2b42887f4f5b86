//! Numbers in texts.
//!
//! A fast path reads short numbers in plain digits; it counts the digits, so that overflow is
//! detected. All other numbers go through slower code, which handles every case and reports faults.

use kostra_core::Vertex;

use crate::Nan;
use crate::columns::TextNumber;
use crate::message::{Message, Remedy, message};

/// The largest number of digits that cannot overflow 64 bits.
const SAFE_DIGITS: usize = 19;

/// The number that starts at a byte, and where its digits end. Beyond [`SAFE_DIGITS`] digits the
/// value means nothing.
///
/// Up to eight digits are read as one word, without a branch on their number (after Lemire's
/// eight-digit trick), because branches on the lengths of numbers are hard to predict.
#[inline(always)]
pub(crate) fn digits(bytes: &[u8], start: usize) -> (u64, usize) {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    const TO_HIGH_BIT: u64 = u64::from_le_bytes([0x80 - 10; 8]);
    const HIGH_BITS: u64 = u64::from_le_bytes([0x80; 8]);
    let Some(&eight) = bytes.get(start..).and_then(|rest| rest.first_chunk()) else {
        return more_digits(bytes, start, 0);
    };
    let values = u64::from_le_bytes(eight) ^ ZEROS;
    // The high bit of each byte that is no digit; a carry only reaches the bytes after the first of
    // these.
    let others = (values.wrapping_add(TO_HIGH_BIT) | values) & HIGH_BITS;
    let count = others.trailing_zeros() / 8;
    if count == 0 {
        return (0, start);
    }
    let value = join_digits(values << (64 - 8 * count));
    if count < 8 { (value, start + count as usize) } else { more_digits(bytes, start + 8, value) }
}

/// Eight digits, the first in the lowest byte, as a number: pairs, then fours, then all.
#[inline(always)]
fn join_digits(digits: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x0000_00ff_0000_00ff;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let upper = (pairs & EVERY_FOURTH).wrapping_mul(100 + (1_000_000 << 32));
    let lower = ((pairs >> 16) & EVERY_FOURTH).wrapping_mul(1 + (10_000 << 32));
    upper.wrapping_add(lower) >> 32
}

fn more_digits(bytes: &[u8], start: usize, before: u64) -> (u64, usize) {
    let (mut value, mut at) = (before, start);
    while let Some(digit) =
        bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10)
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (value, at)
}

/// An edge as most lines have it.
pub(crate) struct PlainEntry {
    pub(crate) u: Vertex,
    pub(crate) v: Vertex,
    /// 0 where the line has none.
    pub(crate) weight: i64,
    /// Where the next line starts.
    pub(crate) next: usize,
}

/// Two vertices that count from 1, perhaps a weight, one space apart, with nothing wrong with them,
/// and the end of the line; the vertices come out counting from 0. Whatever else stands there gives
/// `None`.
#[inline(always)]
pub(crate) fn plain_entry<const WEIGHTED: bool>(
    block: &[u8],
    start: usize,
    n: u32,
) -> Option<PlainEntry> {
    const DIGITS: usize = SAFE_DIGITS - 1; // so that weights fit into a signed integer
    let (u, end_of_u) = digits(block, start);
    let (v, end_of_v) = digits(block, end_of_u + 1);
    // 0, or no digit, becomes larger than any n.
    let (u, v) = (u.wrapping_sub(1), v.wrapping_sub(1));
    let n = u64::from(n);
    if block.get(end_of_u) != Some(&b' ') || u >= n || v >= n || end_of_v - start > DIGITS {
        return None;
    }
    let (u, v) = (u as Vertex, v as Vertex);
    if !WEIGHTED {
        let entry = PlainEntry { u, v, weight: 0, next: end_of_v + 1 };
        return (block.get(end_of_v) == Some(&b'\n')).then_some(entry);
    }
    let (weight, end) = digits(block, end_of_v + 1);
    let plain = block.get(end_of_v) == Some(&b' ') && block.get(end) == Some(&b'\n');
    let short = (1..=DIGITS).contains(&(end - end_of_v - 1));
    (plain && short).then_some(PlainEntry { u, v, weight: weight as i64, next: end + 1 })
}

/// A number without a sign, such as a count or a vertex.
pub(crate) fn natural(token: &[u8], what: &str) -> Result<u64, String> {
    let (value, end) = digits(token, 0);
    if end == token.len() && (1..=SAFE_DIGITS).contains(&end) {
        return Ok(value);
    }
    let text = show(token);
    if token.is_empty() {
        return Err(format!("the {what} is missing; add it"));
    }
    if end == token.len() {
        let significant = token.iter().position(|&byte| byte != b'0').unwrap_or(end - 1);
        let (value, digits) = digits(token, significant);
        return if digits - significant <= SAFE_DIGITS {
            Ok(value)
        } else {
            Err(format!("the {what} {text} is too large"))
        };
    }
    match token.strip_prefix(b"-") {
        Some(rest) if !rest.is_empty() && digits(rest, 0).1 == rest.len() => {
            Err(format!("the {what} {text} is negative"))
        }
        _ if number(token).is_ok() => Err(format!("the {what} {text} is not a whole number")),
        _ => Err(format!("the {what} is '{text}', which is not a number")),
    }
}

/// The weight that a token denotes, or why it denotes none. NaN is a weight if it is skipped.
pub(crate) fn weight(token: &[u8], nan: Nan) -> Result<TextNumber, Message> {
    match number(token)? {
        TextNumber::Float(value) if value.is_nan() && nan == Nan::Error => {
            Err(message!["the weight is NaN; fix it, or pass ", Remedy::skip_nan()])
        }
        number => Ok(number),
    }
}

fn number(token: &[u8]) -> Result<TextNumber, String> {
    let (negative, unsigned) = match token {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, token),
    };
    let (whole, end) = digits(unsigned, 0);
    if end == unsigned.len() && end > 0 {
        return integer(token, unsigned, negative);
    }
    if let Some(value) = short_decimal(unsigned, whole, end) {
        return Ok(TextNumber::Float(if negative { -value } else { value }));
    }
    let value: f64 =
        std::str::from_utf8(token).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
            if token.is_empty() {
                "the weight is missing; add it".into()
            } else {
                let remedy = match remedy_for_comma(token) {
                    "" => "; correct it",
                    remedy => remedy,
                };
                format!("the weight is '{}', which is not a number{remedy}", show(token))
            }
        })?;
    if value.is_infinite()
        && unsigned.first().is_some_and(|&byte| byte.is_ascii_digit() || byte == b'.')
    {
        return Err(format!(
            "the weight {} is too large for a 64-bit float; write inf if that is meant",
            show(token)
        ));
    }
    let mantissa = unsigned.split(|byte| byte.eq_ignore_ascii_case(&b'e')).next();
    if value == 0.0 && mantissa.unwrap_or_default().iter().any(|byte| matches!(byte, b'1'..=b'9')) {
        return Err(format!(
            "the weight {} is too small for a 64-bit float; write 0 if that is meant",
            show(token)
        ));
    }
    Ok(TextNumber::Float(value))
}

fn integer(token: &[u8], unsigned: &[u8], negative: bool) -> Result<TextNumber, String> {
    let magnitude = unsigned
        .iter()
        .try_fold(0_u64, |value, byte| value.checked_mul(10)?.checked_add(u64::from(byte - b'0')));
    let number = magnitude.and_then(|magnitude| match i64::try_from(magnitude) {
        Ok(value) => Some(TextNumber::Integer(if negative { -value } else { value })),
        Err(_) if negative => 0_i64.checked_sub_unsigned(magnitude).map(TextNumber::Integer),
        Err(_) => Some(TextNumber::Huge(magnitude)),
    });
    number.ok_or_else(|| {
        format!(
            "the weight {} does not fit in 64 bits; with a decimal point it is read as a float",
            show(token)
        )
    })
}

/// Whether a field is a number with a comma among its digits, as `1,5`.
pub(crate) fn has_decimal_comma(field: &[u8]) -> bool {
    let unsigned = field.strip_prefix(b"-").or(field.strip_prefix(b"+")).unwrap_or(field);
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    is_digit(unsigned.first())
        && is_digit(unsigned.last())
        && unsigned.contains(&b',')
        && unsigned.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.'))
}

/// The remedy for a number with a comma in it, to end a sentence.
pub(crate) fn remedy_for_comma(field: &[u8]) -> &'static str {
    if has_decimal_comma(field) { "; write it with a decimal point and no comma" } else { "" }
}

/// A decimal with few enough digits that one correctly rounded division of two exact floats is its
/// exact value, correctly rounded (Clinger 1990). `whole` are the digits up to `point`.
#[inline]
fn short_decimal(unsigned: &[u8], whole: u64, point: usize) -> Option<f64> {
    const EXACT_DIGITS: usize = 15;
    const POWERS: [f64; EXACT_DIGITS + 1] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    if unsigned.get(point) != Some(&b'.') || unsigned.len() > EXACT_DIGITS + 1 || unsigned.len() < 2
    {
        return None;
    }
    let (fraction, end) = digits(unsigned, point + 1);
    if end != unsigned.len() {
        return None;
    }
    let decimals = end - point - 1;
    let shift = *POWERS.get(decimals)?;
    Some((whole as f64 * shift + fraction as f64) / shift)
}

/// A question for the name that is most similar to one that is not there: `; did you mean 'km'?`.
/// Empty if none is similar. Capitals do not count, and a lost accent (`d?lka`) is one letter.
pub(crate) fn did_you_mean<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    /// Less similar names are unrelated.
    const SIMILAR: f64 = 0.8;
    let wanted = wanted.to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &wanted);
    let nearest = names.map(|name| (likeness(name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
    match nearest.filter(|(likeness, _)| *likeness > SIMILAR) {
        Some((_, name)) => format!("; did you mean '{}'?", show(name.as_bytes())),
        None => String::new(),
    }
}

/// A token as errors show it: at most 40 bytes, with control characters escaped.
pub(crate) fn show(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let shown =
        String::from_utf8_lossy(token.get(..LONGEST).unwrap_or(token)).escape_debug().to_string();
    if token.len() > LONGEST { format!("{shown}...") } else { shown }
}

/// Whether a byte separates words in formats that separate them by white space.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// The words of a line that are separated by blanks, each with its offset in the line.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> + Clone {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += line.get(at..)?.iter().position(|&byte| !is_blank(byte))?;
        let rest = line.get(at..)?;
        let start = at;
        at += rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len());
        Some((start, line.get(start..at)?))
    })
}

/// What to say about an integer that is no float; a remedy follows.
pub(crate) fn would_round(integer: i128) -> String {
    format!("{integer} is an integer that a 64-bit float would round")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn float(text: &str) -> f64 {
        match weight(text.as_bytes(), Nan::Skip) {
            Ok(TextNumber::Float(value)) => value,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn failure(text: &str) -> String {
        weight(text.as_bytes(), Nan::Error).unwrap_err().to_string()
    }

    #[test]
    fn integers_up_to_64_bits_are_exact() {
        for value in [0, 1, -1, i64::MAX, i64::MIN, 1_234_567_890_123_456_789] {
            assert_eq!(
                weight(value.to_string().as_bytes(), Nan::Error),
                Ok(TextNumber::Integer(value))
            );
        }
        assert_eq!(weight(b"+5", Nan::Error), Ok(TextNumber::Integer(5)));
        assert_eq!(weight(b"00000000000000000000000005", Nan::Error), Ok(TextNumber::Integer(5)));
        for value in [1 << 63, u64::MAX] {
            assert_eq!(
                weight(value.to_string().as_bytes(), Nan::Error),
                Ok(TextNumber::Huge(value))
            );
        }
        let beyond = "does not fit in 64 bits; with a decimal point it is read as a float";
        assert_eq!(
            failure("18446744073709551616"),
            format!("the weight 18446744073709551616 {beyond}")
        );
        assert_eq!(
            failure("-9223372036854775809"),
            format!("the weight -9223372036854775809 {beyond}")
        );
    }

    #[test]
    fn floats_come_in_every_usual_spelling() {
        for (text, value) in [
            ("1.5", 1.5),
            ("-1.5", -1.5),
            ("1.", 1.0),
            (".5", 0.5),
            ("+.5", 0.5),
            ("1e3", 1e3),
            ("1E-3", 1e-3),
        ] {
            assert_eq!(float(text), value, "{text}");
        }
        for text in ["inf", "+inf", "Infinity", "INF"] {
            assert_eq!(float(text), f64::INFINITY, "{text}");
        }
        assert_eq!(float("-inf"), f64::NEG_INFINITY);
        assert!(float("-0.0").is_sign_negative());
        assert!(float("NaN").is_nan() && float("nan").is_nan() && float("-nan").is_nan());
        assert_eq!(failure("nan"), "the weight is NaN; fix it, or pass `nan(Nan::Skip)`");
    }

    #[test]
    fn what_is_no_weight_is_named() {
        assert_eq!(
            failure("1e999"),
            "the weight 1e999 is too large for a 64-bit float; write inf if that is meant"
        );
        assert_eq!(
            failure("-1E-400"),
            "the weight -1E-400 is too small for a 64-bit float; write 0 if that is meant"
        );
        assert_eq!(float("0.0e-400"), 0.0);
        assert_eq!(failure("abc"), "the weight is 'abc', which is not a number; correct it");
        let comma = "which is not a number; write it with a decimal point and no comma";
        assert_eq!(failure("1,5"), format!("the weight is '1,5', {comma}"));
        assert_eq!(failure("-1,234.5"), format!("the weight is '-1,234.5', {comma}"));
        assert_eq!(failure("."), "the weight is '.', which is not a number; correct it");
        assert_eq!(failure("-"), "the weight is '-', which is not a number; correct it");
        assert_eq!(failure(""), "the weight is missing; add it");
        assert_eq!(
            failure("1\u{1b}[0m"),
            "the weight is '1\\u{1b}[0m', which is not a number; correct it"
        );
    }

    #[test]
    fn what_is_no_vertex_is_named() {
        let failure = |text: &str| natural(text.as_bytes(), "vertex").unwrap_err();
        assert_eq!(natural(b"0", "vertex"), Ok(0));
        assert_eq!(natural(b"000000000000000000000000000000012", "vertex"), Ok(12));
        assert_eq!(failure("-3"), "the vertex -3 is negative");
        assert_eq!(failure("1.5"), "the vertex 1.5 is not a whole number");
        assert_eq!(failure("1e5"), "the vertex 1e5 is not a whole number");
        assert_eq!(failure("99999999999999999999"), "the vertex 99999999999999999999 is too large");
        assert_eq!(failure("x"), "the vertex is 'x', which is not a number");
        assert_eq!(failure(""), "the vertex is missing; add it");
        assert_eq!(
            failure(&"x".repeat(100)),
            format!("the vertex is '{}...', which is not a number", "x".repeat(40))
        );
    }

    #[test]
    fn words_know_their_places() {
        let found: Vec<_> = words(b"  a\tbc d\r").collect();
        assert_eq!(found, [(2, &b"a"[..]), (4, b"bc"), (7, b"d")]);
        assert_eq!(words(b" \t").count(), 0);
    }

    proptest! {
        #[test]
        fn any_number_of_digits_is_read_up_to_other_text(
            value: u64, digits_kept in 0_usize..20, tail: Vec<u8>
        ) {
            let text = value.to_string();
            let kept = &text[..text.len().min(digits_kept)];
            let tail = [&b"/"[..], &tail].concat();
            for tail in [&tail[..], b"", b":", b"\xff\xb0"] {
                let bytes = [b"x", kept.as_bytes(), tail].concat();
                prop_assert_eq!(digits(&bytes, 1), (kept.parse().unwrap_or(0), 1 + kept.len()));
            }
        }

        #[test]
        fn decimals_are_rounded_correctly(
            whole in 0_u64..10_000_000_000,
            fraction in 0_u64..1_000_000_000,
            digits in 0_usize..9
        ) {
            let text = format!("{whole}.{fraction:0digits$}");
            prop_assert_eq!(float(&text).to_bits(), text.parse::<f64>().unwrap().to_bits());
        }
    }
}
