//! How results are printed: aligned lines for people, JSON for programs.

use std::fmt::Display;
use std::time::Duration;

use kostra_core::Total;
pub(crate) use kostra_core::{count, thousands};
use serde::{Serialize, Serializer};

/// Lines with a label and a text. The texts are aligned.
#[derive(Default)]
pub(crate) struct Sheet {
    lines: Vec<Option<(String, String)>>,
}

/// The least width of the labels. Most reports need no more, so their texts start in one column.
const LABEL_WIDTH: usize = 16;
/// The length of the longest bar. With a label and a number before the bar, a line has 80 columns
/// at most.
const BAR_CELLS: usize = 24;

impl Sheet {
    /// Adds a line.
    pub(crate) fn line(&mut self, label: impl Display, text: impl Display) {
        self.lines.push(Some((label.to_string(), text.to_string())));
    }

    /// Adds an empty line.
    pub(crate) fn gap(&mut self) {
        self.lines.push(None);
    }

    /// Adds a line for each note.
    pub(crate) fn notes(&mut self, notes: &[String]) {
        if !notes.is_empty() {
            self.gap();
        }
        for note in notes {
            self.line("note", note);
        }
    }

    /// Adds one line per step, with a bar relative to the longest step.
    pub(crate) fn times(&mut self, steps: &[(&str, Duration)]) {
        let longest = steps.iter().map(|(_, time)| time.as_secs_f64()).fold(0.0, f64::max);
        for (step, time) in steps {
            let share = if longest > 0.0 { time.as_secs_f64() / longest } else { 0.0 };
            self.line(step, format!("{:>10}  {}", duration(*time), bar(share)).trim_end());
        }
    }
}

impl Display for Sheet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines = self.lines.iter().flatten();
        let width = lines.map(|(label, _)| label.chars().count() + 2).fold(LABEL_WIDTH, usize::max);
        for line in &self.lines {
            match line {
                Some((label, text)) => {
                    writeln!(f, "  {}", format!("{label:<width$}{text}").trim_end())?;
                }
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

/// A bar for a share from 0 to 1.
pub(crate) fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share * (BAR_CELLS * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// The number of groups and the range of their sizes: `3 clusters of 1 to 4 points`, `2 clusters of
/// 4 points each`, `one cluster of 8 points`. Each noun is given as singular and plural.
pub(crate) fn count_of_sizes(
    number: u64,
    [group, groups]: [&str; 2],
    [least, most]: [u64; 2],
    [item, items]: [&str; 2],
) -> String {
    let number_of_groups = count(number, group, groups);
    match number {
        0 => number_of_groups,
        1 => format!("{number_of_groups} of {}", count(most, item, items)),
        _ if least == most => format!("{number_of_groups} of {} each", count(most, item, items)),
        _ => format!("{number_of_groups} of {} to {} {items}", thousands(least), thousands(most)),
    }
}

/// A time for people: `0.012 ms`, `54.1 ms`, `2.31 s`, `3 min 20 s`.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds < 0.000_000_5 => "0".to_owned(),
        _ if seconds < 0.001 => format!("{:.3} ms", seconds * 1e3),
        _ if seconds < 0.1 => format!("{:.1} ms", seconds * 1e3),
        _ if seconds < 100.0 => format!("{seconds:.2} s"),
        _ => format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60),
    }
}

/// [`duration`] for a number of seconds.
pub(crate) fn duration_of_seconds(seconds: f64) -> String {
    duration(Duration::from_secs_f64(seconds))
}

/// A number of bytes for people, in powers of a thousand: `24.3 GB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", units[unit]) }
}

/// A total or a weight for people: integers in full, floats in their shortest form, with commas
/// between thousands.
pub(crate) fn weight(total: Total) -> String {
    match total {
        Total::Integer(total) => grouped(&total.to_string()),
        Total::Float(total)
            if total != 0.0 && !(1e-5..1e16).contains(&total.abs()) && total.is_finite() =>
        {
            format!("{total:e}")
        }
        Total::Float(total) => grouped(&total.to_string()),
    }
}

/// A decimal number with commas between the thousands of its integer part.
fn grouped(number: &str) -> String {
    let start = usize::from(number.starts_with('-'));
    let end = number.find('.').unwrap_or(number.len());
    let (sign, integer, fraction) = (&number[..start], &number[start..end], &number[end..]);
    match integer.parse::<u128>() {
        Ok(integer) => format!("{sign}{}{fraction}", thousands(integer)),
        Err(_) => number.to_owned(), // infinity
    }
}

/// A total for programs. Integers are exact, however large. Infinities and NaN, which JSON has no
/// numbers for, are strings.
pub(crate) struct JsonNumber(pub(crate) Total);

impl Serialize for JsonNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Total::Integer(total) => serializer.serialize_i128(total),
            Total::Float(total) if total.is_finite() => serializer.serialize_f64(total),
            Total::Float(total) => serializer.collect_str(&total),
        }
    }
}

/// By how much a total misses the optimum in percent of the optimum, in parentheses; empty if this
/// is not a number.
pub(crate) fn share(excess: Total, optimum: Total) -> String {
    let percent = 100.0 * float(excess) / float(optimum).abs();
    if percent.is_finite() { format!(" ({percent:.3} %)") } else { String::new() }
}

/// A total as a floating-point number, rounded if necessary.
pub(crate) fn float(total: Total) -> f64 {
    match total {
        Total::Integer(total) => total as f64,
        Total::Float(total) => total,
    }
}

/// The head of a column of a table, and the side to which the cells are aligned.
#[derive(Clone, Copy)]
pub(crate) enum Heading {
    Left(&'static str),
    Right(&'static str),
}

/// A table with a head. Each column is as wide as its longest cell.
pub(crate) fn table<const COLUMNS: usize>(
    columns: [Heading; COLUMNS],
    rows: impl Iterator<Item = [String; COLUMNS]>,
) -> String {
    let head = columns.map(|column| match column {
        Heading::Left(head) | Heading::Right(head) => head.to_owned(),
    });
    let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    });
    let mut text = String::new();
    for row in rows {
        let cells: Vec<_> = (0..COLUMNS)
            .map(|index| {
                let (cell, width) = (&row[index], widths[index]);
                match columns[index] {
                    Heading::Left(_) => format!("{cell:<width$}"),
                    Heading::Right(_) => format!("{cell:>width$}"),
                }
            })
            .collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// A value as indented JSON.
///
/// # Errors
/// Never for the values that this program reports.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_are_equal_are_said_once() {
        let sizes = |number, sizes| {
            count_of_sizes(number, ["cluster", "clusters"], sizes, ["point", "points"])
        };
        assert_eq!(sizes(0, [0, 0]), "no clusters");
        assert_eq!(sizes(1, [8, 8]), "one cluster of 8 points");
        assert_eq!(sizes(2, [4, 4]), "2 clusters of 4 points each");
        assert_eq!(sizes(6, [1, 1]), "6 clusters of one point each");
        assert_eq!(sizes(1000, [1, 4000]), "1,000 clusters of 1 to 4,000 points");
    }

    #[test]
    fn times_are_short() {
        let text = |seconds| duration(Duration::from_secs_f64(seconds));
        assert_eq!(
            [0.0, 0.000_012, 0.0541, 2.314, 200.0].map(text),
            ["0", "0.012 ms", "54.1 ms", "2.31 s", "3 min 20 s"]
        );
    }

    #[test]
    fn bytes_are_short() {
        assert_eq!(
            [0, 999, 1000, 24_300_000_000].map(bytes),
            ["0 bytes", "999 bytes", "1.0 kB", "24.3 GB"]
        );
    }

    #[test]
    fn totals_are_exact_for_programs() {
        let json = |total| serde_json::to_string(&JsonNumber(total)).unwrap();
        assert_eq!(json(Total::Integer(i128::MAX)), i128::MAX.to_string());
        assert_eq!(json(Total::Float(0.1)), "0.1");
        assert_eq!(json(Total::Float(f64::INFINITY)), "\"inf\"");
        assert_eq!(json(Total::Float(f64::NEG_INFINITY)), "\"-inf\"");
        assert_eq!(json(Total::Float(f64::NAN)), "\"NaN\"");
    }

    #[test]
    fn totals_are_short_for_people() {
        assert_eq!(weight(Total::Integer(261_159_288)), "261,159,288");
        assert_eq!(weight(Total::Integer(-1000)), "-1,000");
        assert_eq!(
            [0.0, -12.5, 1e300, 1e-9, 6149.5105, f64::NEG_INFINITY]
                .map(|total| weight(Total::Float(total))),
            ["0", "-12.5", "1e300", "1e-9", "6,149.5105", "-inf"]
        );
    }

    #[test]
    fn lines_are_aligned() {
        let mut sheet = Sheet::default();
        sheet.line("one", 1);
        sheet.gap();
        sheet.line("a longer label", 2);
        assert_eq!(sheet.to_string(), "  one             1\n\n  a longer label  2\n");
    }
}
