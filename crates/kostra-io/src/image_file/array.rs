//! Arrays of NumPy of two or three dimensions.

use kostra_core::memory;

use super::{Admit, ImageAxes, ImageFile, PixelValues, check_size, would_round};
use crate::fault::Fault;
use crate::formats::Array;

pub(super) fn parse(bytes: &[u8], admit: Admit<'_>) -> Result<ImageFile, Fault> {
    let at_byte = |(byte, sentence): (usize, String)| Fault::at_byte(byte as u64, sentence);
    let array = Array::parse_of(bytes, 2..=3).map_err(at_byte)?;
    check_size(&array.shape, array.is_single(), admit)?;
    let values = if array.is_single() {
        PixelValues::Single(values(&array, |value| value as f32)?)
    } else {
        PixelValues::Double(values(&array, |value| value)?)
    };
    Ok(ImageFile {
        format: "NumPy array",
        shape: array.shape.clone(),
        axes: if array.shape.len() == 3 { ImageAxes::Unknown } else { ImageAxes::Image },
        values,
        is_bytes: array.is_bytes(),
        unknown: None,
    })
}

/// The values in the order in which the last dimension changes fastest.
fn values<T>(array: &Array<'_>, convert: fn(f64) -> T) -> Result<Vec<T>, Fault> {
    let mut values = memory::with_capacity(array.rows.saturating_mul(array.columns))?;
    let last = array.shape.get(2).copied().unwrap_or(1).max(1);
    let middle = array.columns / last;
    for row in 0..array.rows {
        for column in 0..array.columns {
            let column = match array.is_by_columns() {
                true => column % last * middle + column / last,
                false => column,
            };
            let value = array.number(row, column).exact_float();
            let value = value.map_err(|integer| would_round(integer, row, column / last))?;
            values.push(convert(value));
        }
    }
    Ok(values)
}
