//! Dates in UTC, in the format of ISO 8601.

use std::time::{SystemTime, UNIX_EPOCH};

/// The current time, for example `2026-11-21T09:30:00Z`.
pub(crate) fn now() -> String {
    // A clock that is set before 1970 gives the date 1970-01-01.
    format(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs()))
}

/// Formats seconds since 1970 as a date. Counts whole years and months, in at most a few hundred
/// steps.
fn format(seconds: u64) -> String {
    let (mut days, time) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    while days >= year_length(year) {
        days -= year_length(year);
        year += 1;
    }
    let mut month = 1;
    while days >= month_length(year, month) {
        days -= month_length(year, month);
        month += 1;
    }
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn year_length(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn month_length(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_include_leap_days() {
        assert_eq!(format(0), "1970-01-01T00:00:00Z");
        assert_eq!(format(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(format(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(format(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(format(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
