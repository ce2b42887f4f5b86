//! Texts that are not UTF-8: which encoding they probably have.

use super::Sample;
use crate::ReadErrorKind;
use crate::head::{Head, is_of_no_text};

/// Refuses a text in another encoding than UTF-8, with the probable one.
///
/// # Errors
/// When the first bytes are no UTF-8 text, but text in another encoding.
pub(crate) fn refuse_other_encodings(head: &Head<'_>, name: &str) -> Result<(), ReadErrorKind> {
    let bytes = head.bytes();
    let Some(encoding) = wide(bytes).or_else(|| narrow(head)) else { return Ok(()) };
    Err(ReadErrorKind::malformed(format!(
        "this is no UTF-8 text, but probably {encoding}; convert it, as with `iconv -f {encoding} \
         -t UTF-8 {name} > utf8.txt`"
    )))
}

/// Refuses lines that end with a carriage return only: all of old systems, or those of a part.
///
/// # Errors
/// When a line has a carriage return inside.
pub(crate) fn refuse_single_returns(sample: &Sample<'_>) -> Result<(), ReadErrorKind> {
    let mut lines = sample.comments.iter().chain(sample.lines());
    match lines.any(|line| line.contains(&b'\r')) {
        true => Err(ReadErrorKind::malformed(
            "some lines end with a carriage return only; save the file with line feeds at the ends \
             of lines",
        )),
        false => Ok(()),
    }
}

/// What to say about a text without columns whose spaces are none, and about an input that would be
/// a text without a few control characters.
pub(crate) fn odd_character(head: &Head<'_>) -> Option<String> {
    /// Binary inputs have more of them.
    const LETTERS_PER_CONTROL: usize = 20;
    let text = head.text();
    if head.lines().is_some() {
        let is_space = |&letter: &char| !letter.is_ascii() && letter.is_whitespace();
        let space = text.chars().find(is_space)?.escape_unicode();
        let what = format!("the lines have the space {space} between words");
        return Some(format!("{what}; replace it by a blank or a tab"));
    }
    let mut controls = text.char_indices().filter(|&(_, letter)| is_of_no_text(letter));
    let (at, letter) = controls.next()?;
    let line = text.get(..at)?.matches('\n').count() + 1;
    let is_text = str::from_utf8(head.bytes()).is_ok();
    (is_text && (controls.count() + 1) * LETTERS_PER_CONTROL <= text.len()).then(|| {
        format!("line {line} has the character U+{:04X}, as no text has; remove it", letter as u32)
    })
}

/// UTF-16 or UTF-32, with or without a byte-order mark: most letters of tables have zeros in all
/// but one byte.
fn wide(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => return Some("UTF-32LE"),
        [0, 0, 0xfe, 0xff, ..] => return Some("UTF-32BE"),
        [0xff, 0xfe, ..] => return Some("UTF-16LE"),
        [0xfe, 0xff, ..] => return Some("UTF-16BE"),
        _ => {}
    }
    const LOOK: usize = 1024;
    let units: Vec<[u8; 2]> = bytes.get(..bytes.len().min(LOOK))?.as_chunks().0.to_vec();
    let is_letter = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    let share = |is: fn(&[u8; 2], &dyn Fn(u8) -> bool) -> bool| {
        units.iter().filter(|unit| is(unit, &is_letter)).count()
    };
    let little = share(|&[low, high], is_letter| high == 0 && is_letter(low));
    let big = share(|&[high, low], is_letter| high == 0 && is_letter(low));
    let most = units.len().checked_mul(9)? / 10;
    match units.len() {
        0..4 => None,
        _ if little > most => Some("UTF-16LE"),
        _ if big > most => Some("UTF-16BE"),
        _ => None,
    }
}

/// An encoding with a byte per letter.
fn narrow(head: &Head<'_>) -> Option<&'static str> {
    head.lines()?;
    let bytes = head.bytes();
    let error = str::from_utf8(bytes).err()?;
    let is_cut = error.error_len().is_none() && !head.is_whole();
    if is_cut {
        return None;
    }
    let has = |range: std::ops::RangeInclusive<u8>| bytes.iter().any(|byte| range.contains(byte));
    let count = |letters: &[u8]| bytes.iter().filter(|byte| letters.contains(byte)).count();
    // Letters of Central Europe in the code page of Windows, except for those of others: Š š Ť ť Ž
    // ž ľ ě ď ň.
    let central = count(b"\x8a\x9a\x8d\x9d\x8e\x9e\xbe\xec\xef\xf2");
    // à ê ñ å æ
    let western = count(b"\xe0\xea\xf1\xe5\xe6");
    let high = bytes.iter().filter(|&&byte| byte >= 0x80).count();
    // Cyrillic texts consist of high letters.
    let cyrillic = bytes.iter().filter(|&&byte| byte >= 0xc0).count();
    Some(if high > bytes.len() / 4 && cyrillic > high * 9 / 10 {
        "WINDOWS-1251"
    } else if central > western {
        "WINDOWS-1250"
    } else if has(0x80..=0x9f) {
        "WINDOWS-1252"
    } else {
        "ISO-8859-1"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_known_by_their_bytes() {
        let said = |bytes: &[u8]| {
            let refused = refuse_other_encodings(&Head::new(bytes, true), "x.csv");
            refused.err().map(|error| error.to_string())
        };
        let wide = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(order).collect()
        };
        for (bytes, encoding) in [
            (wide("from,to,weight\na,b,5\n", u16::to_le_bytes), "UTF-16LE"),
            (wide("from,to,weight\na,b,5\n", u16::to_be_bytes), "UTF-16BE"),
            (wide("\u{feff}a b\n", u16::to_le_bytes), "UTF-16LE"),
            (b"od,do,d\xe9lka\nPlze\xf2,\x8aumperk,5\n".to_vec(), "WINDOWS-1250"),
            (b"von,nach\nK\xf6ln,M\xfcnchen\n".to_vec(), "ISO-8859-1"),
            (b"\xcc\xee\xf1\xea\xe2\xe0,\xd2\xf3\xeb\xe0,5\n".to_vec(), "WINDOWS-1251"),
        ] {
            let said = said(&bytes).unwrap();
            assert!(said.contains(&format!("iconv -f {encoding} -t UTF-8 x.csv")), "{said}");
        }
        assert_eq!(said("a,b\nK\u{f6}ln,x\n".as_bytes()), None);
        assert_eq!(said(b"\x01\x02\x03\x04\x05\x06\x07\x08\x00\x00"), None);
    }
}
