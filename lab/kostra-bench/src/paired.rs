//! A paired test: whether the times of two programs differ by more than noise.
//!
//! The test is Student's paired t-test on the logarithms of the ratios. It detects a steady change
//! with few pairs, which rank tests cannot: with five pairs, their least two-sided probability is
//! 0.06. It assumes that logarithms of ratios are about normal. An outlier widens the spread, so it
//! hides a change rather than showing a false one.

/// The ratios of pairs of times, and how likely they are without a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// The geometric mean of the ratios, second time by first time.
    pub(crate) ratio: f64,
    /// The probability of such a mean or a farther one without a change, on both sides.
    pub(crate) probability: f64,
    /// The number of pairs.
    pub(crate) pairs: usize,
}

impl Change {
    /// Tests the pairs of samples with the same position; none for fewer than two pairs.
    pub(crate) fn new(before: &[f64], after: &[f64]) -> Option<Self> {
        let ratios = before.iter().zip(after).map(|(before, after)| (after / before).ln());
        let ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
        if ratios.len() < 2 {
            return None;
        }
        let count = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / count;
        let squares = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>();
        let error = (squares / (count - 1.0) / count).sqrt();
        let probability = match (mean == 0.0, error == 0.0) {
            (true, _) => 1.0,
            (false, true) => 0.0,
            (false, false) => two_sided(mean / error, ratios.len() - 1),
        };
        Some(Self { ratio: mean.exp(), probability, pairs: ratios.len() })
    }
}

/// The probability that a t of `freedom` degrees of freedom is at least this far from 0.
///
/// The finite sums of Abramowitz & Stegun 1964, 26.7.3 and 26.7.4, for whole degrees of freedom.
fn two_sided(t: f64, freedom: usize) -> f64 {
    let angle = (t.abs() / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = !freedom.is_multiple_of(2);
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = if freedom == 1 { 0.0 } else { term };
    for step in (if odd { 3 } else { 2 }..freedom).step_by(2) {
        term *= (step - 1) as f64 / step as f64 * cosine * cosine;
        sum += term;
    }
    let inside = if odd { std::f64::consts::FRAC_2_PI * (angle + sine * sum) } else { sine * sum };
    (1.0 - inside).clamp(0.0, 1.0)
}

/// Which of several tests are significant at `level`, by Holm 1979: the probability that any of
/// them is a false alarm is at most `level`.
pub(crate) fn significant(probabilities: &[f64], level: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&left, &right| probabilities[left].total_cmp(&probabilities[right]));
    let mut found = vec![false; probabilities.len()];
    for (rank, &test) in order.iter().enumerate() {
        if probabilities[test] > level / (order.len() - rank) as f64 {
            break;
        }
        found[test] = true;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_tables() {
        let table = [(12.706, 1), (4.3027, 2), (3.1824, 3), (2.7764, 4), (2.2622, 9), (2.2281, 10)];
        for (t, freedom) in table {
            assert!((two_sided(t, freedom) - 0.05).abs() < 1e-4, "{t} {freedom}");
            assert_eq!(two_sided(t, freedom), two_sided(-t, freedom));
        }
        assert_eq!(two_sided(0.0, 7), 1.0);
    }

    #[test]
    fn a_steady_change_is_found_and_noise_is_not() {
        let before = [1.0, 1.3, 0.9, 1.1, 1.0];
        let steady: Vec<f64> =
            before.iter().zip([1.10, 1.11, 1.09, 1.10, 1.10]).map(|(x, y)| x * y).collect();
        let change = Change::new(&before, &steady).unwrap();
        assert!(change.probability < 1e-4 && (change.ratio - 1.1).abs() < 1e-3, "{change:?}");
        let noise: Vec<f64> =
            before.iter().zip([1.2, 0.8, 1.1, 0.9, 1.05]).map(|(x, y)| x * y).collect();
        assert!(Change::new(&before, &noise).unwrap().probability > 0.5);
        assert_eq!(Change::new(&before, &before).unwrap().probability, 1.0);
        assert_eq!(Change::new(&before[..1], &steady), None);
    }

    #[test]
    fn many_tests_need_a_lower_probability_each() {
        assert_eq!(significant(&[0.04], 0.05), [true]);
        assert_eq!(significant(&[0.04, 0.5, 0.001], 0.05), [false, false, true]);
        assert_eq!(significant(&[0.02, 0.03, 0.01], 0.05), [true, true, true]);
        assert_eq!(significant(&[0.03, 0.03, 0.03], 0.05), [false, false, false]);
    }
}
