//! Arithmetic modulo primes of 62 bits, and numbers from their remainders.

use num_bigint::BigUint;

/// The primes are below this number, so that sums of two remainders fit into 64 bits.
const HIGHEST: u64 = 1 << 62;
/// The bits that each prime adds to the numbers that remainders determine: the primes are so dense
/// that all that are ever used are above 2^61.
pub(super) const BITS: u64 = 61;

/// Remainders modulo an odd prime in Montgomery's form: times 2^64 (Montgomery 1985).
#[derive(Clone, Copy)]
pub(super) struct Field {
    prime: u64,
    /// Minus the inverse of the prime, modulo 2^64.
    inverse: u64,
    /// 2^128 modulo the prime.
    square: u64,
}

impl Field {
    fn new(prime: u64) -> Self {
        // Newton's iteration doubles the correct bits. It begins with three, for an odd number.
        let mut inverse = prime;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(prime.wrapping_mul(inverse)));
        }
        let radix = (1_u128 << 64) % u128::from(prime);
        let square = (radix * radix % u128::from(prime)) as u64;
        Self { prime, inverse: inverse.wrapping_neg(), square }
    }

    #[inline]
    pub(super) fn product(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let multiple = (product as u64).wrapping_mul(self.inverse);
        // Below twice the prime, and the lower half is zero.
        let sum = (product + u128::from(multiple) * u128::from(self.prime)) >> 64;
        self.reduced(sum as u64)
    }

    #[inline]
    pub(super) fn sum(self, a: u64, b: u64) -> u64 {
        self.reduced(a + b)
    }

    #[inline]
    fn reduced(self, number: u64) -> u64 {
        if number >= self.prime { number - self.prime } else { number }
    }

    /// The remainder of a number.
    pub(super) fn of(self, number: u64) -> u64 {
        self.product(number % self.prime, self.square)
    }

    /// The number below the prime that a remainder stands for.
    pub(super) fn value(self, remainder: u64) -> u64 {
        self.product(remainder, 1)
    }

    fn power(self, base: u64, mut exponent: u64) -> u64 {
        let (mut base, mut power) = (base, self.of(1));
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = self.product(power, base);
            }
            base = self.product(base, base);
            exponent /= 2;
        }
        power
    }

    /// The inverse of a remainder; zero if the remainder is zero.
    pub(super) fn inverse(self, remainder: u64) -> u64 {
        self.power(remainder, self.prime - 2)
    }

    /// Whether the modulus is a prime: no such number below 2^64 passes this test of Miller and
    /// Rabin for the first twelve primes (Sorenson & Webster 2017).
    fn is_prime(self) -> bool {
        const WITNESSES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        let (one, minus_one) = (self.of(1), self.of(self.prime - 1));
        let twos = (self.prime - 1).trailing_zeros();
        WITNESSES.iter().all(|&witness| {
            let mut power = self.power(self.of(witness), (self.prime - 1) >> twos);
            let mut passes = power == one;
            for _ in 0..twos {
                passes |= power == minus_one;
                power = self.product(power, power);
            }
            passes
        })
    }
}

/// The fields of the primes below 2^62, from the largest. Those that were found are kept, because
/// finding one takes longer than counting a few trees.
#[derive(Default)]
pub(super) struct Fields {
    found: Vec<Field>,
    /// The number of odd numbers below 2^62 that were tried.
    tried: u64,
}

impl Fields {
    /// The field of this place.
    pub(super) fn get(&mut self, place: usize) -> Field {
        while self.found.len() <= place {
            self.tried += 1;
            let field = Field::new(HIGHEST + 1 - 2 * self.tried);
            if field.is_prime() {
                self.found.push(field);
            }
        }
        self.found[place]
    }
}

/// A number that remainders determine (Garner 1959).
pub(super) struct Remainders {
    number: BigUint,
    /// The product of the primes so far.
    modulus: BigUint,
}

impl Remainders {
    pub(super) fn new() -> Self {
        Self { number: BigUint::ZERO, modulus: BigUint::from(1_u32) }
    }

    /// The bits of numbers that are certainly determined.
    pub(super) fn bits(&self) -> u64 {
        self.modulus.bits() - 1
    }

    /// Takes the value of the number in another field.
    pub(super) fn add(&mut self, field: Field, value: u64) {
        let remainder = |number: &BigUint| {
            let digits = (number % field.prime).to_u64_digits();
            field.of(digits.first().copied().unwrap_or_default())
        };
        let missing = field.sum(field.of(value), field.prime - remainder(&self.number));
        let factor = field.product(missing, field.inverse(remainder(&self.modulus)));
        self.number += &self.modulus * field.value(factor);
        self.modulus *= field.prime;
    }

    pub(super) fn number(self) -> BigUint {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_primes_are_known() {
        // The largest primes below 2^62 are 2^62 less these numbers.
        let mut fields = Fields::default();
        let less = [3, 0, 1, 2].map(|place| HIGHEST - fields.get(place).prime);
        let less = [less[1], less[2], less[3], less[0]];
        assert_eq!(less, [57, 87, 117, 143]);
        let composite = Field::new((1 << 31) - 1);
        assert!(composite.is_prime(), "2^31 - 1 is a prime of Mersenne");
        assert!(!Field::new(3_215_031_751).is_prime(), "a pseudoprime to 2, 3, 5 and 7");
    }

    #[test]
    fn products_and_inverses_are_those_of_wide_integers() {
        let field = Fields::default().get(0);
        for (a, b) in [(0, 5), (1, 1), (field.prime - 1, field.prime - 1), (1 << 61, 12_345)] {
            let wide = u128::from(a) * u128::from(b) % u128::from(field.prime);
            assert_eq!(u128::from(field.value(field.product(field.of(a), field.of(b)))), wide);
        }
        for a in [1, 2, 99, field.prime - 1] {
            let one = field.product(field.of(a), field.inverse(field.of(a)));
            assert_eq!(field.value(one), 1);
        }
    }

    #[test]
    fn a_number_is_found_from_its_remainders() {
        let number = BigUint::from(3_u32).pow(300);
        let mut remainders = Remainders::new();
        let mut fields = Fields::default();
        for field in (0..10).map(|place| fields.get(place)) {
            let remainder = (&number % field.prime).to_u64_digits();
            remainders.add(field, remainder.first().copied().unwrap_or_default());
        }
        assert!(remainders.bits() > number.bits());
        assert_eq!(remainders.number(), number);
    }
}
