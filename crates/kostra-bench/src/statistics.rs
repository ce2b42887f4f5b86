//! What a handful of timings says: median and range, and nothing that pretends to more.

use serde::{Deserialize, Serialize};

/// The samples of one contestant, in the order in which they were taken, and their summary.
///
/// The median is the figure to quote; the range shows how far to trust it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timing {
    /// Seconds of the first run, which finds cold caches and untouched memory. Not in the summary.
    pub(crate) warm_up: f64,
    /// Seconds of every other run.
    pub(crate) seconds: Vec<f64>,
    /// The middle one of the seconds, or the mean of the two in the middle.
    pub(crate) median: f64,
    /// The least of the seconds.
    pub(crate) minimum: f64,
    /// The greatest of the seconds.
    pub(crate) maximum: f64,
    /// `(maximum - minimum) / median`: 0.1 means that the runs lie within a tenth of each other.
    pub(crate) spread: f64,
}

impl Timing {
    /// The summary of a warm-up and the runs that followed it; none if there were no such runs.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle() {
        let median =
            |seconds: &[f64]| Timing::new(9.0, seconds.to_vec()).map(|timing| timing.median);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[5.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn samples_stay_in_order_and_the_warm_up_stays_out() {
        let timing = Timing::new(100.0, vec![2.0, 1.0, 4.0]).unwrap();
        assert_eq!(timing.seconds, [2.0, 1.0, 4.0]);
        assert_eq!((timing.minimum, timing.maximum, timing.spread), (1.0, 4.0, 1.5));
    }

    #[test]
    fn a_clock_too_coarse_is_no_division_by_zero() {
        assert_eq!(Timing::new(0.0, vec![0.0, 0.0]).map(|timing| timing.spread), Some(0.0));
    }
}
