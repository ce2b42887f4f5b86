//! A total to which weights are added, and from which they are subtracted.

use kostra_core::{CompensatedSum, Total, Weight};

/// The bits of a digit.
const DIGIT: u32 = 32;
/// Digits for all finite floats: bit 0 stands for 2^-1074, and the highest one is below 2^1024.
const DIGITS: usize = 68;
/// Digits have this many bits in reserve for carries, less two.
const ADDITIONS: u32 = 1 << 29;

/// A total without rounding.
pub(super) enum RunningTotal {
    Integer(i128),
    Float(Box<FloatSum>),
}

/// The exact sum of finite floats, and how many of the others are below and above all of them.
pub(super) struct FloatSum {
    /// Digit `i` counts for 2^(32 i - 1074). Digits have any sign, and carries are late.
    digits: [i64; DIGITS],
    /// Additions since the last carries.
    additions: u32,
    infinite: [u32; 2],
}

impl RunningTotal {
    pub(super) fn new<W: Weight>() -> Self {
        match W::total(std::iter::empty()) {
            Total::Integer(_) => Self::Integer(0),
            Total::Float(_) => Self::Float(Box::new(FloatSum {
                digits: [0; DIGITS],
                additions: 0,
                infinite: [0; 2],
            })),
        }
    }

    /// Adds a weight, or subtracts one that was added.
    pub(super) fn add<W: Weight>(&mut self, weight: W, is_added: bool) {
        match (self, W::total(std::iter::once(weight))) {
            (Self::Integer(sum), Total::Integer(weight)) => {
                *sum += if is_added { weight } else { -weight };
            }
            (Self::Float(sum), Total::Float(weight)) if weight.is_infinite() => {
                let count = &mut sum.infinite[usize::from(weight > 0.0)];
                *count = if is_added { *count + 1 } else { *count - 1 };
            }
            (Self::Float(sum), Total::Float(weight)) => {
                sum.add(if is_added { weight } else { -weight });
            }
            _ => unreachable!("all weights have one type"),
        }
    }

    pub(super) fn value(&mut self) -> Total {
        match self {
            Self::Integer(sum) => Total::Integer(*sum),
            Self::Float(sum) => Total::Float(match sum.infinite {
                [0, 0] => sum.value(),
                [_, 0] => f64::NEG_INFINITY,
                [0, _] => f64::INFINITY,
                _ => f64::NAN,
            }),
        }
    }
}

impl FloatSum {
    /// Adds a finite float.
    fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as u32;
        let fraction = bits & ((1 << 52) - 1);
        // Floats without an exponent have no implicit bit, and count as those with the exponent 1.
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let place = exponent.max(1) - 1;
        let shifted = u128::from(mantissa) << (place % DIGIT);
        let first = (place / DIGIT) as usize;
        for (digit, shift) in self.digits[first..first + 3].iter_mut().zip([0, 32, 64]) {
            let part = (shifted >> shift) as u32;
            *digit += if value < 0.0 { -i64::from(part) } else { part.into() };
        }
        self.additions += 1;
        if self.additions == ADDITIONS {
            self.carry();
        }
    }

    /// Makes all digits but the highest one numbers of 32 bits.
    fn carry(&mut self) {
        self.additions = 0;
        let mut carry = 0;
        for digit in &mut self.digits[..DIGITS - 1] {
            let sum = *digit + carry;
            carry = sum >> DIGIT;
            *digit = sum - (carry << DIGIT);
        }
        self.digits[DIGITS - 1] += carry;
    }

    /// The sum, rounded to a float: within two units of the last place.
    fn value(&mut self) -> f64 {
        self.carry();
        let is_negative = self.digits[DIGITS - 1] < 0;
        if is_negative {
            self.negate();
        }
        let mut sum = CompensatedSum::default();
        for (place, &digit) in self.digits.iter().enumerate().rev().filter(|digit| *digit.1 != 0) {
            // In two steps: the highest powers are no floats.
            let exponent = (DIGIT as usize * place) as i32 - 1074;
            let half = exponent / 2;
            sum.add(digit as f64 * 2_f64.powi(half) * 2_f64.powi(exponent - half));
        }
        if is_negative {
            self.negate();
            return -sum.value();
        }
        sum.value()
    }

    fn negate(&mut self) {
        self.digits.iter_mut().for_each(|digit| *digit = -*digit);
        self.carry();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_and_subtracted_again_leaves_no_trace() {
        let values = [1e300, -7.25, 5e-324, f64::MAX, -f64::MAX, 1.5, -1e-300, 3e10, f64::INFINITY];
        for &kept in &values {
            let mut total = RunningTotal::new::<f64>();
            values.iter().for_each(|&value| total.add(value, true));
            values
                .iter()
                .filter(|&&value| value != kept)
                .for_each(|&value| total.add(value, false));
            assert_eq!(total.value(), Total::Float(kept));
            total.add(kept, false);
            assert_eq!(total.value(), Total::Float(0.0));
        }
        let mut total = RunningTotal::new::<f64>();
        total.add(f64::MAX, true);
        total.add(f64::MAX, true);
        assert_eq!(total.value(), Total::Float(f64::INFINITY));
        total.add(f64::MAX, false);
        assert_eq!(total.value(), Total::Float(f64::MAX));
    }
}
