//! Logarithm and exponential from basic arithmetic.
//!
//! The functions of a mathematics library differ between machines in the last digit. IEEE 754 fixes
//! the result of every addition, multiplication and division, so a graph that uses these functions
//! is the same on every machine. Relative error: below 1e-14 for moderate arguments.

use std::f64::consts::{LN_2, SQRT_2};

/// The natural logarithm of a positive normal number.
pub(crate) fn ln(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let mut exponent = (x.to_bits() >> 52) as i64 - 1023;
    let mut m = f64::from_bits(x.to_bits() & FRACTION | 1023 << 52);
    if m > SQRT_2 {
        (m, exponent) = (m / 2.0, exponent + 1);
    }
    // ln m = 2 atanh((m - 1) / (m + 1)), with an argument below 0.172.
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut sum = 0.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / odd;
    }
    2.0 * s * sum + exponent as f64 * LN_2
}

/// The logarithm of `1 - p`, exact also for a small `p`, for `p` in [0, 1).
pub(crate) fn ln_1m(p: f64) -> f64 {
    /// Up to this, five terms of the series suffice: the sixth is below 1e-20 of the first.
    const SMALL: f64 = 1e-4;
    if p > SMALL {
        return ln(1.0 - p);
    }
    // The series, because 1 - p loses the digits of p.
    -p * (1.0 + p * (1.0 / 2.0 + p * (1.0 / 3.0 + p * (1.0 / 4.0 + p / 5.0))))
}

/// The exponential of a number between -700 and 700.
pub(crate) fn exp(x: f64) -> f64 {
    let exponent = (x / LN_2).round();
    let rest = x - exponent * LN_2;
    let mut sum = 1.0;
    for step in (1..=16).rev() {
        sum = 1.0 + sum * rest / f64::from(step);
    }
    f64::from_bits(((exponent as i64 + 1023) as u64) << 52) * sum
}

/// The power `base^exponent` of a positive base.
pub(crate) fn pow(base: f64, exponent: f64) -> f64 {
    exp(exponent * ln(base))
}

/// The number of failures before the first success of trials with probability `p` in (0, 1), for a
/// uniform number in [0, 1) (Devroye 1986, X.2.1).
#[inline]
pub(crate) fn failures(uniform: f64, ln_of_failure: f64) -> u64 {
    // 1 - uniform is in (0, 1], and the conversion of large numbers saturates.
    (ln(1.0 - uniform) / ln_of_failure) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_agree_with_those_of_the_library() {
        for step in 1..2000 {
            let x = f64::from(step) * 0.37 / 100.0;
            for x in [x, x * 1e9, x * 1e-9] {
                assert!((ln(x) - x.ln()).abs() <= 2e-15 * (1.0 + x.ln().abs()), "ln {x}");
            }
            let p = x / 8.0;
            assert!((ln_1m(p) / (-p).ln_1p() - 1.0).abs() < 1e-11, "ln(1 - {p})");
            assert!((ln_1m(p / 1e9) / (-p / 1e9).ln_1p() - 1.0).abs() < 1e-14, "ln(1 - {p}e-9)");
            let power = x * 5.0 - 20.0;
            assert!((exp(power) / power.exp() - 1.0).abs() < 1e-14, "exp {power}");
            assert!((pow(x, 0.4) / x.powf(0.4) - 1.0).abs() < 1e-14, "{x}^0.4");
        }
    }
}
