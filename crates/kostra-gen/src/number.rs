//! Whole numbers as people write them: `1000000`, `1_000_000`, `1e6`, `1.5M`, `4k`, `2^20`.

/// The number of a text, if it is whole and below 2^64.
pub(crate) fn parse(text: &str) -> Option<u64> {
    if let Some((base, exponent)) = text.split_once('^') {
        return digits(base)?.checked_pow(u32::try_from(digits(exponent)?).ok()?);
    }
    let (number, mut exponent) = match text.char_indices().last()? {
        (end, 'k' | 'K') => (&text[..end], 3),
        (end, 'M') => (&text[..end], 6),
        (end, 'G') => (&text[..end], 9),
        _ => match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, u32::try_from(digits(exponent)?).ok()?),
            None => (text, 0),
        },
    };
    let (whole, mut fraction) = number.split_once('.').unwrap_or((number, "0"));
    fraction = fraction.trim_end_matches('0');
    let mut value = digits(whole)?;
    if !fraction.is_empty() {
        let places = u32::try_from(fraction.len()).ok()?;
        // Digits after the point must be shifted before it, or the number is not whole.
        exponent = exponent.checked_sub(places)?;
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        value = value.checked_mul(10_u64.checked_pow(places)?)?.checked_add(digits(fraction)?)?;
    }
    if value == 0 { Some(0) } else { value.checked_mul(10_u64.checked_pow(exponent)?) }
}

/// Decimal digits, with single underscores between them.
fn digits(text: &str) -> Option<u64> {
    if !text
        .split('_')
        .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return None;
    }
    text.bytes()
        .filter(|&byte| byte != b'_')
        .try_fold(0_u64, |value, byte| value.checked_mul(10)?.checked_add(u64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_written_as_people_do() {
        for (text, number) in [
            ("0", 0),
            ("007", 7),
            ("1000000", 1_000_000),
            ("1_000_000", 1_000_000),
            ("1e6", 1_000_000),
            ("1.5E3", 1500),
            ("4k", 4000),
            ("4K", 4000),
            ("28.8M", 28_800_000),
            ("1.50M", 1_500_000),
            ("2G", 2_000_000_000),
            ("2.0", 2),
            ("0e99", 0),
            ("2^20", 1 << 20),
            ("2^0", 1),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Some(number), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_whole_number_is_refused() {
        for text in [
            "",
            " ",
            "k",
            "e6",
            "1e",
            "1e-3",
            "-1",
            "+1",
            "1.5",
            "1.2345k",
            "1..5M",
            "1.k5",
            ".5k",
            "1._5M",
            "_1",
            "1_",
            "1__0",
            "2^",
            "^2",
            "2^64",
            "1e20",
            "18446744073709551616",
            "0x10",
            "4kk",
            "4 k",
            "é",
            "4é",
            "1.é5M",
            "1e4294967296",
            "99999999999G",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
