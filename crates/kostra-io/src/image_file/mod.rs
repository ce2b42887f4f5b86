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
    /// The lengths of the `axes`, at least 1.
    pub shape: Vec<usize>,
    /// What the numbers of the shape are.
    pub axes: ImageAxes,
    /// The values, pixel by pixel and row by row.
    pub values: PixelValues,
    /// Whether the values are integers of 8 bits, from 0 to 255.
    pub is_bytes: bool,
    /// The value that stands for an unknown one: -32768 in a height tile, or what a GeoTIFF says.
    /// If a GeoTIFF says NaN, the lowest number of 32 bits replaces it.
    pub unknown: Option<f64>,
}

/// What the numbers of the shape of an image are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageAxes {
    /// The height and the width; for pixels of several values also the number of values.
    Image,
    /// The number of pages of a TIFF, the height and the width.
    Pages,
    /// Three numbers of an array of NumPy: those of an image, in an unknown order, or the depth,
    /// the height and the width of a volume.
    Unknown,
}

/// The values of pixels.
#[derive(Clone, Debug, PartialEq)]
pub enum PixelValues {
    /// Integers of up to 16 bits, or floats of 32 bits.
    Single(Vec<f32>),
    /// Other numbers.
    Double(Vec<f64>),
}

/// The size of an image, which is known before its pixels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSize {
    /// The number of values of all pixels.
    pub values: u64,
    /// The number of values of a pixel; for an array of three dimensions the last one.
    pub channels: u64,
    /// The bytes of a value in [`PixelValues`].
    pub value_bytes: u64,
}

impl ImageSize {
    fn new(shape: &[usize], is_single: bool) -> Self {
        let values = shape.iter().fold(1_u64, |product, &n| product.saturating_mul(n as u64));
        let channels = shape.get(2).map_or(1, |&channels| channels as u64);
        Self { values, channels, value_bytes: if is_single { 4 } else { 8 } }
    }
}

/// Refuses an image whose work takes too much memory, with a sentence.
type Admit<'a> = &'a dyn Fn(ImageSize) -> Result<(), String>;

/// Reads an image, a terrain or an array, plain or compressed.
///
/// Colors of a palette become red, green and blue. Transparency is the last value of a pixel.
/// Brightnesses of fewer than 8 bits in a PNG are scaled to 8 bits.
///
/// `admit` is called with the size before memory is reserved for pixels, and `progress` after every
/// read.
///
/// # Errors
/// What `admit` returns. When the input cannot be opened or read, is in none of the formats, has no
/// pixels, is damaged, contains several images that are no pages of one size with one value per
/// pixel, or an integer that a 64-bit float would round. NaN and infinite values are not refused.
pub fn read_image(
    input: &Input,
    admit: Admit<'_>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ImageFile, ReadError> {
    source::read(input, progress, |source| load(Stream::new(source)?, admit))
}

/// Reads an image from memory, as [`read_image`] does; errors call the input `name`.
///
/// # Errors
/// As [`read_image`].
pub fn read_image_bytes(name: &str, bytes: &[u8]) -> Result<ImageFile, ReadError> {
    Stream::new(source::from_bytes(bytes))
        .map_err(Fault::from)
        .and_then(|stream| load(stream, &|_| Ok(())))
        .map_err(|fault| fault.in_input(name))
}

fn load(mut stream: Stream<'_>, admit: Admit<'_>) -> Result<ImageFile, Fault> {
    let bytes = whole::bytes(&mut stream)?;
    if !bytes.starts_with(ZIP_MAGIC) {
        return parse(&bytes, admit);
    }
    let at_byte = |(byte, sentence): (usize, String)| Fault::at_byte(byte as u64, sentence);
    let archive = Archive::parse(&bytes).map_err(at_byte)?;
    let several = || Fault::whole("the archive does not contain one image; extract the image");
    let name = archive.only_name().ok_or_else(several)?;
    let (content, _) = archive.file(name).map_err(at_byte)?.ok_or_else(several)?;
    parse(&content, admit)
}

fn parse(bytes: &[u8], admit: Admit<'_>) -> Result<ImageFile, Fault> {
    match bytes {
        [] => Err(ReadErrorKind::Empty.into()),
        _ if bytes.starts_with(png::MAGIC) => png::parse(bytes, admit),
        _ if tiff::MAGICS.iter().any(|magic| bytes.starts_with(magic)) => tiff::parse(bytes, admit),
        _ if bytes.starts_with(NPY_MAGIC) => array::parse(bytes, admit),
        _ => match height::shape(bytes.len()) {
            Some(shape) => height::parse(bytes, shape, admit),
            None => Err(unknown(bytes)),
        },
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

/// Refuses an image of this shape if it has no pixels, or if `admit` refuses it.
fn check_size(shape: &[usize], is_single: bool, admit: Admit<'_>) -> Result<(), Fault> {
    if shape.contains(&0) {
        return Err(Fault::whole("the image has no pixels"));
    }
    admit(ImageSize::new(shape, is_single)).map_err(Fault::whole)
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
