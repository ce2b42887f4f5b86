//! The scale of an axis: its range, its ticks, and how numbers are written.

use super::plot::Axis;

/// The ticks that an axis aims at.
const TICKS: f64 = 6.0;

/// A range of coordinates. The coordinate of a value is the value, or its decimal logarithm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    log: bool,
    /// The first and the last coordinate.
    pub(super) range: (f64, f64),
    /// The coordinates of the ticks.
    pub(super) ticks: Vec<f64>,
}

impl Scale {
    /// The scale that shows all values of an axis.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let at = |value: f64| if axis.log { value.log10() } else { value };
        let shown = values.chain(axis.base).filter(|&value| axis.shows(value)).map(at);
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let width = if high > low { high - low } else { 1.0 };
        // Room for the marks at the ends, except at a base, where bars start.
        let base = axis.base.map(at);
        let margin = |end: f64| if base == Some(end) && !axis.log { 0.0 } else { 0.06 * width };
        let range = (low - margin(low), high + margin(high));
        let ticks = if axis.log { log_ticks(range) } else { linear_ticks(range) };
        Self { log: axis.log, range, ticks }
    }

    /// The scale of a line whose positions are few, with a tick at each of them.
    pub(super) fn with_ticks_at(mut self, values: &[f64]) -> Self {
        /// The texts of more ticks would overlap.
        const MANY: usize = 8;
        if values.len() <= MANY {
            self.ticks = values.iter().map(|&value| self.at(value)).collect();
        }
        self
    }

    /// The coordinate of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    /// The text of a tick.
    pub(super) fn text(&self, coordinate: f64) -> String {
        number(if self.log { 10.0_f64.powf(coordinate) } else { coordinate })
    }
}

/// The greatest of 1, 2 and 5 times a power of ten that is at most `value`.
fn round_step(value: f64) -> f64 {
    let power = 10.0_f64.powf(value.log10().floor());
    let factor = [5.0, 2.0, 1.0].into_iter().find(|factor| factor * power <= value * 1.000_001);
    factor.unwrap_or(1.0) * power
}

fn linear_ticks((low, high): (f64, f64)) -> Vec<f64> {
    let step = round_step(((high - low) / TICKS).max(f64::MIN_POSITIVE));
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|count| count as f64 * step).collect()
}

/// Powers of ten, with their multiples by 2 and 5 or by all digits if the range has few powers.
fn log_ticks((low, high): (f64, f64)) -> Vec<f64> {
    let decades = high - low;
    let digits: &[f64] = match decades {
        ..0.9 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        0.9..3.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let step = ((decades / 8.0).ceil() as usize).max(1);
    let powers = (low.floor() as i32..=high.ceil() as i32).step_by(step);
    let ticks =
        powers.flat_map(|power| digits.iter().map(move |digit| digit.log10() + f64::from(power)));
    let ticks: Vec<f64> = ticks.filter(|tick| (low..=high).contains(tick)).collect();
    if ticks.len() > 1 {
        return ticks;
    }
    // The range is so narrow that it looks linear.
    let range = (10.0_f64.powf(low), 10.0_f64.powf(high));
    linear_ticks(range).into_iter().map(f64::log10).collect()
}

/// A number with three significant digits, or with a unit if it is large: `12.3`, `4.5M`.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    let (scaled, unit) = match size {
        1e12.. => return format!("{value:.1e}"),
        1e9.. => (value / 1e9, "G"),
        1e6.. => (value / 1e6, "M"),
        1e4.. => (value / 1e3, "k"),
        _ => (value, ""),
    };
    if value == 0.0 {
        return "0".to_owned();
    }
    if size < 1e-3 {
        return format!("{value:.0e}");
    }
    let decimals = (2 - scaled.abs().log10().floor() as i32).clamp(0, 5) as usize;
    let text = format!("{scaled:.decimals$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        let shown = [0.0, 0.04, 1.0, 3.456, 12.34, 1234.0, 45_600.0, 7.5e6, 2e9].map(number);
        assert_eq!(shown, ["0", "0.04", "1", "3.46", "12.3", "1234", "45.6k", "7.5M", "2G"]);
    }

    #[test]
    fn ticks_are_round_and_inside_the_range() {
        let scale = Scale::new(&Axis::linear(""), [3.0, 17.0].into_iter());
        let texts: Vec<_> = scale.ticks.iter().map(|&tick| scale.text(tick)).collect();
        assert_eq!(texts, ["0", "2", "4", "6", "8", "10", "12", "14", "16", "18"]);
        let scale = Scale::new(&Axis::log(""), [0.02, 30.0].into_iter());
        let texts: Vec<_> = scale.ticks.iter().map(|&tick| scale.text(tick)).collect();
        assert_eq!(texts, ["0.1", "1", "10"]);
        assert!(scale.ticks.iter().all(|tick| (scale.range.0..=scale.range.1).contains(tick)));
    }

    #[test]
    fn a_narrow_range_of_ratios_has_ticks() {
        let scale = Scale::new(&Axis::log(""), [105.0, 118.0].into_iter());
        assert!(scale.ticks.len() > 2, "{scale:?}");
    }

    #[test]
    fn a_single_value_or_none_gives_a_range() {
        for values in [vec![], vec![5.0]] {
            let scale = Scale::new(&Axis::log(""), values.into_iter());
            assert!(scale.range.0 < scale.range.1, "{scale:?}");
        }
    }
}
