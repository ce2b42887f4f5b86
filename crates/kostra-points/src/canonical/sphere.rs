//! Latitude and longitude as points of the unit sphere.
//!
//! The squared chord of two such points is a monotone function of the angle between them, so
//! haversine distances can be compared as squared Euclidean distances in three dimensions. A
//! rounding error of 1e-16 is less than a nanometer on the Earth.
//!
//! Sine and cosine are computed here, by additions and multiplications alone. The functions of the
//! standard library may differ between platforms, and then so would the order of pairs.

use kostra_core::memory;

use crate::PointsError;
use crate::points::Values;

/// The coefficients of t^3, t^5, ... of the sine's Taylor series: up to t^17, so that the rest is
/// below 1e-19 for 45 degrees.
const SINE: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
/// The coefficients of t^2, t^4, ... of the cosine's Taylor series, up to t^16.
const COSINE: [f64; 8] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// Rows of (latitude, longitude) in radians as rows of three coordinates. Rounding may put a pole
/// beyond 90 degrees, and a longitude may have any number of turns.
pub(super) fn embedded_radians(values: Values<'_>, len: u32) -> Result<Vec<f64>, PointsError> {
    const ROUNDING: f64 = 1e-4;
    rows(values, len, |[latitude, longitude]| {
        let latitude = latitude.to_degrees();
        let nearest = latitude.clamp(-90.0, 90.0);
        let is_rounded = (latitude - nearest).abs() < ROUNDING;
        let turned = longitude.to_degrees().rem_euclid(360.0);
        [if is_rounded { nearest } else { latitude }, turned]
    })
}

/// Rows of (latitude, longitude) in degrees as rows of three coordinates.
pub(super) fn embedded(values: Values<'_>, len: u32) -> Result<Vec<f64>, PointsError> {
    rows(values, len, |degrees| degrees)
}

fn rows(
    values: Values<'_>,
    len: u32,
    degrees: impl Fn([f64; 2]) -> [f64; 2],
) -> Result<Vec<f64>, PointsError> {
    let mut rows = memory::zeros(3 * len as usize)?;
    for (row, output) in rows.chunks_exact_mut(3).enumerate() {
        let mut given = [0.0; 2];
        values.copy_to(2 * row, &mut given);
        let [latitude, longitude] = degrees(given);
        if !(-90.0..=90.0).contains(&latitude) {
            return Err(PointsError::Latitude { row, value: latitude });
        }
        if !(-180.0..=360.0).contains(&longitude) {
            return Err(PointsError::Longitude { row, value: longitude });
        }
        let ((z, radius), (y, x)) = (sine_and_cosine(latitude), sine_and_cosine(longitude));
        output.copy_from_slice(&[radius * x, radius * y, z]);
    }
    Ok(rows)
}

/// The sine and cosine of an angle from -180 to 360 degrees. Exact for multiples of 90 degrees.
fn sine_and_cosine(degrees: f64) -> (f64, f64) {
    let quarters = (degrees / 90.0).round();
    // Exact: both numbers are multiples of the last bit of `degrees`, and the result is smaller.
    let t = (degrees - 90.0 * quarters) * (std::f64::consts::PI / 180.0);
    let square = t * t;
    let horner = |coefficients: &[f64]| {
        coefficients.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * square)
    };
    let (sine, cosine) = (t + t * horner(&SINE), 1.0 + horner(&COSINE));
    match quarters as i32 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_are_right_to_the_last_bits() {
        for step in -1800..=3600 {
            let degrees = f64::from(step) / 10.0;
            let (sine, cosine) = sine_and_cosine(degrees);
            let (expected_sine, expected_cosine) = degrees.to_radians().sin_cos();
            // The conversion to radians has an error of up to 2^-52 of the angle.
            assert!((sine - expected_sine).abs() < 1e-15, "sine of {degrees}");
            assert!((cosine - expected_cosine).abs() < 1e-15, "cosine of {degrees}");
        }
    }

    #[test]
    fn both_names_of_a_meridian_are_one() {
        for (a, b) in [(-180.0, 180.0), (0.0, 360.0), (-90.0, 270.0), (-33.25, 326.75)] {
            assert_eq!(sine_and_cosine(a), sine_and_cosine(b));
        }
    }
}
