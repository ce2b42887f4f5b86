//! The summary of a few timings: median and range. More would suggest an accuracy that few samples
//! do not have.

use serde::{Deserialize, Serialize};

/// The samples of one contestant in the order of measurement, and their summary.
///
/// The median is the result to quote. The range shows its reliability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timing {
    /// Seconds of the first run, with cold caches and untouched memory. The summary excludes it.
    pub(crate) warm_up: f64,
    /// Seconds of all other runs.
    pub(crate) seconds: Vec<f64>,
    /// The median of `seconds`: the middle value, or the mean of the two middle values.
    pub(crate) median: f64,
    /// The minimum of `seconds`.
    pub(crate) minimum: f64,
    /// The maximum of `seconds`.
    pub(crate) maximum: f64,
    /// `(maximum - minimum) / median`. A spread of 0.1 means that the runs differ by at most a
    /// tenth.
    pub(crate) spread: f64,
}

impl Timing {
    /// Summarizes a warm-up and the runs after it; none if `seconds` is empty.
    pub(crate) fn new(warm_up: f64, seconds: Vec<f64>) -> Option<Self> {
        let mut sorted = seconds.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let (&minimum, &maximum) = (sorted.first()?, sorted.last()?);
        let middle = &sorted[(sorted.len() - 1) / 2..=sorted.len() / 2];
        let median = middle.iter().sum::<f64>() / middle.len() as f64;
        let spread = if median > 0.0 { (maximum - minimum) / median } else { 0.0 };
        Some(Self { warm_up, seconds, median, minimum, maximum, spread })
    }
}

/// Formats seconds as milliseconds with at least three significant digits.
pub(crate) fn milliseconds(seconds: f64) -> String {
    let milliseconds = seconds * 1e3;
    let decimals = match milliseconds {
        0.0 | 100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 4,
    };
    format!("{milliseconds:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_significant_digits() {
        let shown = [12.345_67, 0.045_678, 0.001_234_5, 0.000_123_45].map(milliseconds);
        assert_eq!(shown, ["12346", "45.7", "1.23", "0.1234"]);
    }

    #[test]
    fn the_median_is_the_middle_value_or_the_mean_of_the_two_middle_values() {
        let median =
            |seconds: &[f64]| Timing::new(9.0, seconds.to_vec()).map(|timing| timing.median);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[5.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn samples_keep_their_order_and_exclude_the_warm_up() {
        let timing = Timing::new(100.0, vec![2.0, 1.0, 4.0]).unwrap();
        assert_eq!(timing.seconds, [2.0, 1.0, 4.0]);
        assert_eq!((timing.minimum, timing.maximum, timing.spread), (1.0, 4.0, 1.5));
    }

    #[test]
    fn a_median_of_zero_gives_a_spread_of_zero() {
        assert_eq!(Timing::new(0.0, vec![0.0, 0.0]).map(|timing| timing.spread), Some(0.0));
    }
}
