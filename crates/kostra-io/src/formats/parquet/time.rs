//! Dates and times as text, after ISO 8601.

/// The date that is this number of days after 1970-01-01.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
pub(super) fn date(days: i64) -> String {
    // Years start in March, so that a leap day is the last day of its year. Eras have 400 years.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The time that is this number of ticks after 1970-01-01T00:00, without zeros at the end of its
/// fraction. A second has `10^digits` ticks.
pub(super) fn timestamp(ticks: i64, digits: u32, is_utc: bool) -> String {
    let per_second = 10_i64.pow(digits);
    let (seconds, fraction) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let mut text = format!("{}T{hour:02}:{minute:02}:{second:02}", date(days));
    if fraction > 0 {
        let fraction = format!("{fraction:0width$}", width = digits as usize);
        text += &format!(".{}", fraction.trim_end_matches('0'));
    }
    text + if is_utc { "Z" } else { "" }
}

/// The time in 96 bits: the nanoseconds of the day, the lower half first, and the Julian day. None
/// if a day has no such time. The bits do not say in which zone the time is.
///
/// Source: <https://github.com/apache/parquet-format/blob/master/LogicalTypes.md>, "Deprecated
/// timestamp with INT96".
pub(super) fn of_96_bits(words: &[u32]) -> Option<String> {
    const JULIAN_DAY_OF_1970: i64 = 2_440_588;
    const NANOSECONDS_OF_DAY: u64 = 86_400_000_000_000;
    let &[low, high, day] = words else { return None };
    let nanoseconds = u64::from(high) << 32 | u64::from(low);
    let days = i64::from(day.cast_signed()) - JULIAN_DAY_OF_1970;
    let time = timestamp(i64::try_from(nanoseconds).ok()?, 9, false);
    let (_, time) = time.split_once('T')?;
    (nanoseconds < NANOSECONDS_OF_DAY).then(|| format!("{}T{time}", date(days)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (19_782, "2024-02-29"),
            (-25_509, "1900-02-28"),
            (-25_508, "1900-03-01"),
            (-719_528, "0000-01-01"),
        ] {
            assert_eq!(date(days), text);
        }
    }

    #[test]
    fn times_of_96_bits_are_a_julian_day_and_nanoseconds() {
        let nanoseconds = 45_296_500_000_000_u64;
        let words = |day| [nanoseconds as u32, (nanoseconds >> 32) as u32, day];
        assert_eq!(of_96_bits(&words(2_440_588)).unwrap(), "1970-01-01T12:34:56.5");
        assert_eq!(of_96_bits(&words(2_460_370)).unwrap(), "2024-02-29T12:34:56.5");
        assert_eq!(of_96_bits(&[0, 0, 2_440_587]).unwrap(), "1969-12-31T00:00:00");
        assert_eq!(of_96_bits(&[u32::MAX, u32::MAX, 0]), None);
    }

    #[test]
    fn times_have_the_digits_that_they_need() {
        assert_eq!(timestamp(0, 3, true), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(1_709_210_096_500, 3, false), "2024-02-29T12:34:56.5");
        assert_eq!(timestamp(-1, 9, true), "1969-12-31T23:59:59.999999999Z");
    }
}
