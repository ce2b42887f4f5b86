//! Square matrices of the distances of points.

use kostra_core::memory;

use super::is_rounding;

/// The magnitude to which rounding is relative.
fn largest(values: &[f64]) -> f64 {
    values.iter().filter(|value| value.is_finite()).fold(0.0, |most, value| most.max(value.abs()))
}

/// Whether a table of as many rows as columns looks like a matrix of distances: at least three
/// rows, symmetric, no value negative, and zeros on the diagonal only, all but for rounding.
pub fn may_be_distances(values: &[f64], size: usize) -> bool {
    size > 2 && largest(values) > 0.0 && condensed_distances(values, size).is_ok()
}

/// The distances above the diagonal of a matrix of `size` rows, row by row. Where the distances of
/// a pair differ by rounding, the smaller one counts.
///
/// # Errors
/// One sentence that says what is wrong: the matrix is not square or not symmetric, a value is
/// negative or NaN, or the diagonal is not zero.
pub fn condensed_distances(values: &[f64], size: usize) -> Result<Vec<f64>, String> {
    if size.checked_mul(size) != Some(values.len()) {
        let columns = values.len().checked_div(size).unwrap_or_default();
        return Err(format!(
            "a matrix of distances has as many rows as columns, not {size} x {columns}"
        ));
    }
    let at = |row: usize, column: usize| values.get(row * size + column).copied().unwrap_or(0.0);
    let largest = largest(values);
    let is_same = |a: f64, b: f64| is_rounding(f64::EPSILON, [a, b], largest);
    let pairs = size * size.saturating_sub(1) / 2;
    let mut condensed = memory::with_capacity(pairs).map_err(|refusal| refusal.to_string())?;
    for row in 0..size {
        for column in row..size {
            let (there, back) = (at(row, column), at(column, row));
            let wrong = |value: f64| value.is_nan() || (value < 0.0 && row != column);
            let fault = match (row == column, is_same(there, 0.0)) {
                _ if wrong(there) || wrong(back) => "no distance is negative or NaN",
                (true, false) => "a point has the distance 0 to itself",
                (false, _) if !is_same(there, back) => "the order of two points does not matter",
                (is_diagonal, _) => {
                    condensed.extend((!is_diagonal).then_some(there.min(back)));
                    continue;
                }
            };
            return Err(format!(
                "row {row}, column {column} (counted from 0) is {there} and the other way {back}, \
                 but {fault}; correct the distances"
            ));
        }
    }
    Ok(condensed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_symmetric_with_a_diagonal_of_zeros_but_for_rounding() {
        let rounded = [2e-8, 1.0, 4.0, 1.0 + f64::EPSILON, 0.0, 2.0, 4.0, 2.0, -1e-17];
        assert_eq!(condensed_distances(&rounded, 3).unwrap(), [1.0, 4.0, 2.0]);
        assert!(may_be_distances(&rounded, 3));
        for (at, value, fault) in [
            (1, 1.1, "row 0, column 1 (counted from 0) is 1.1 and the other way 1"),
            (5, f64::NAN, "no distance is negative or NaN"),
            (1, -1.0, "no distance is negative or NaN"),
            (4, 1.0, "a point has the distance 0 to itself"),
        ] {
            let mut values = rounded;
            values[at] = value;
            let said = condensed_distances(&values, 3).unwrap_err();
            assert!(said.contains(fault), "{said}");
            assert!(!may_be_distances(&values, 3));
        }
        let said = condensed_distances(&rounded[..6], 3).unwrap_err();
        assert!(said.contains("as many rows as columns, not 3 x 2"), "{said}");
        assert!(!may_be_distances(&[0.0; 9], 3) && !may_be_distances(&[0.0, 1.0, 1.0, 0.0], 2));
    }
}
