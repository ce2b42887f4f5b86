//! Height tiles of the Shuttle Radar Topography Mission: big-endian 16-bit integers in meters, row
//! by row from the north. The heights -32768 are unknown.
//!
//! Source: the documentation of SRTM by NASA and USGS. A tile covers one degree in steps of 3
//! seconds or 1 second; north of 50 degrees, the columns of the latter are 2 seconds apart.

use kostra_core::memory;

use super::{Admit, ImageAxes, ImageFile, PixelValues, check_size};
use crate::fault::Fault;

/// The heights and widths of tiles.
const SHAPES: [[usize; 2]; 3] = [[1201, 1201], [3601, 3601], [3601, 1801]];

/// The numbers of bytes of tiles.
pub(super) const LENGTHS: [usize; 3] = {
    let [[a, b], [c, d], [e, f]] = SHAPES;
    [2 * a * b, 2 * c * d, 2 * e * f]
};

/// The shape of a tile with this number of bytes.
pub(super) fn shape(length: usize) -> Option<[usize; 2]> {
    Some(SHAPES[LENGTHS.iter().position(|&known| known == length)?])
}

/// The heights of a tile.
pub(super) fn parse(bytes: &[u8], shape: [usize; 2], admit: Admit<'_>) -> Result<ImageFile, Fault> {
    check_size(&shape, true, admit)?;
    let (words, _) = bytes.as_chunks::<2>();
    let values = memory::collected(words.iter().map(|&word| f32::from(i16::from_be_bytes(word))))?;
    Ok(ImageFile {
        format: "SRTM heights",
        shape: shape.to_vec(),
        axes: ImageAxes::Image,
        values: PixelValues::Single(values),
        is_bytes: false,
        unknown: Some(i16::MIN.into()),
    })
}
