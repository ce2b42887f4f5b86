//! Images and terrain: PNG, TIFF, height tiles of SRTM (`.hgt`), and arrays of NumPy.
//!
//! A file is recognized by its first bytes, and a height tile, which has no signature, by its
//! length. A ZIP archive of one file is read as this file, because height tiles are distributed so.
//!
//! The reader holds the file in memory.

mod array;
mod height;
mod png;
mod tiff;

#[cfg(test)]
mod tests;

use crate::compression::Stream;
use crate::fault::Fault;
use crate::formats::{Archive, NPY_MAGIC, ZIP_MAGIC};
use crate::source::{self, Input, Progress};
use crate::{ReadError, ReadErrorKind, number, whole};

/// The most bytes that one compressed byte stands for: deflate reaches 1032, LZW less than 3000.
/// A header that claims more pixels than this is refused before memory is reserved for them.
const MOST_RATIO: usize = 4096;

/// An image, a terrain or a volume.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageFile {
    /// The format, such as `PNG`.
    pub format: &'static str,
    /// The height and the width; for pixels of several values also the number of values. All
    /// numbers are at least 1.
    pub shape: Vec<usize>,
    /// Whether the three numbers of the shape may also be the depth, the height and the width of a
    /// volume. This is so for arrays of NumPy.
    pub may_be_volume: bool,
    /// The values, pixel by pixel and row by row.
    pub values: PixelValues,
    /// Whether the values are integers of 8 bits, from 0 to 255.
    pub is_bytes: bool,
    /// The value that stands for an unknown one: -32768 in a height tile, or what a GeoTIFF says.
    /// If a GeoTIFF says NaN, the lowest number of 32 bits replaces it.
    pub unknown: Option<f64>,
}

/// The values of pixels.
#[derive(Clone, Debug, PartialEq)]
pub enum PixelValues {
    /// Integers of up to 16 bits, or floats of 32 bits.
    Single(Vec<f32>),
    /// Other numbers.
    Double(Vec<f64>),
}

/// Reads an image, a terrain or an array, plain or compressed.
///
/// Colors of a palette become red, green and blue. Transparency is the last value of a pixel.
/// Brightnesses of fewer than 8 bits in a PNG are scaled to 8 bits.
///
/// `progress` is called after every read.
///
/// # Errors
/// When the input cannot be opened or read, is in none of the formats, has no pixels, is damaged,
/// contains several images, or an integer that a 64-bit float would round. NaN and infinite values
/// are not refused.
pub fn read_image(
    input: &Input,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ImageFile, ReadError> {
    source::read(input, progress, |source| load(Stream::new(source)?))
}

/// Reads an image from memory, as [`read_image`] does; errors call the input `name`.
///
/// # Errors
/// As [`read_image`].
pub fn read_image_bytes(name: &str, bytes: &[u8]) -> Result<ImageFile, ReadError> {
    Stream::new(source::from_bytes(bytes))
        .map_err(Fault::from)
        .and_then(load)
        .map_err(|fault| fault.in_input(name))
}

fn load(mut stream: Stream<'_>) -> Result<ImageFile, Fault> {
    let bytes = whole::bytes(&mut stream)?;
    if !bytes.starts_with(ZIP_MAGIC) {
        return parse(&bytes);
    }
    let at_byte = |(byte, sentence): (usize, String)| Fault::at_byte(byte as u64, sentence);
    let archive = Archive::parse(&bytes).map_err(at_byte)?;
    let several = || Fault::whole("the archive does not contain one image; extract the image");
    let name = archive.only_name().ok_or_else(several)?;
    let (content, _) = archive.file(name).map_err(at_byte)?.ok_or_else(several)?;
    parse(&content)
}

fn parse(bytes: &[u8]) -> Result<ImageFile, Fault> {
    let image = match bytes {
        [] => return Err(ReadErrorKind::Empty.into()),
        _ if bytes.starts_with(png::MAGIC) => png::parse(bytes)?,
        _ if tiff::MAGICS.iter().any(|magic| bytes.starts_with(magic)) => tiff::parse(bytes)?,
        _ if bytes.starts_with(NPY_MAGIC) => array::parse(bytes)?,
        _ => match height::shape(bytes.len()) {
            Some(shape) => height::parse(bytes, shape)?,
            None => return Err(unknown(bytes)),
        },
    };
    match image.shape.contains(&0) {
        true => Err(Fault::whole("the image has no pixels")),
        false => Ok(image),
    }
}

/// Why a file is no image.
fn unknown(bytes: &[u8]) -> Fault {
    if bytes.starts_with(b"\xff\xd8\xff") {
        return Fault::whole("this is a JPEG, which Kostra does not read; save it as PNG");
    }
    Fault::whole(format!(
        "this is none of PNG, TIFF, .npy and .hgt (a height tile of {} bytes)",
        height::LENGTHS.map(|length| length.to_string()).join(" or ")
    ))
}

/// Refuses an integer that a float would round.
fn would_round(integer: i128, row: usize, column: usize) -> Fault {
    Fault::whole(format!(
        "row {row}, column {column} (counted from 0): {}; subtract a constant from all values",
        number::would_round(integer)
    ))
}

/// Whether `file` bytes can hold `content` decompressed bytes.
fn check_ratio(file: usize, content: usize) -> Result<(), Fault> {
    match content / MOST_RATIO > file {
        true => Err(Fault::whole(format!(
            "the header claims {content} bytes of pixels, more than {file} bytes can hold; the \
             file is damaged"
        ))),
        false => Ok(()),
    }
}
