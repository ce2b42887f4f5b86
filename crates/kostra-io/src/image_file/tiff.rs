//! TIFF images: gray, RGB, or any number of channels; plain, or compressed by deflate, LZW or
//! PackBits.

use std::io::Cursor;

use kostra_core::memory;
use tiff::decoder::{BufferLayoutPreference, ChunkType, Decoder, DecodingSampleType, Limits};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError, TiffUnsupportedError};

use super::{Admit, ImageAxes, ImageFile, PixelValues, check_ratio, check_size, would_round};
use crate::columns::TextNumber;
use crate::fault::Fault;
use crate::formats::half;

/// The first bytes, in both byte orders, and of BigTIFF.
pub(super) const MAGICS: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];

/// The bits of the tag `NewSubfileType` that mark a smaller version of an image, or a mask.
const NO_PAGE: u32 = 1 | 4;

/// The value of the tag `PhotometricInterpretation` for gray values that the decoder inverts.
const WHITE_IS_ZERO: u16 = 0;

pub(super) fn parse(bytes: &[u8], admit: Admit<'_>) -> Result<ImageFile, Fault> {
    let mut limits = Limits::unlimited();
    // Compressed strips, texts and lists are parts of the file. A number of a list takes up to 32
    // bytes in memory, and at least 4 in the file, together with the strip that it describes.
    limits.intermediate_buffer_size = bytes.len();
    limits.decoding_buffer_size = bytes.len().saturating_mul(8);
    limits.ifd_value_size = bytes.len().saturating_mul(8);
    let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(fault)?.with_limits(limits);
    let (width, height) = decoder.dimensions().map_err(fault)?;
    let color = decoder.colortype().map_err(fault)?;
    let channels = channels(&mut decoder, color)?;
    let layout = decoder.image_buffer_layout().map_err(fault)?;
    check_ratio(bytes.len(), layout.complete_len)?;
    let shape = [height as usize, width as usize, channels];
    let pages = pages(&mut decoder, channels)?;
    let shown = match pages[..] {
        [_] => shape[..if channels > 1 { 3 } else { 2 }].to_vec(),
        _ => vec![pages.len(), shape[0], shape[1]],
    };
    check_size(&shown, is_single(layout.sample_type), admit)?;
    refuse_tiles_of_planes(&decoder, &layout, height)?;
    let mut pixels: Vec<u8> = memory::zeros(layout.complete_len.saturating_mul(pages.len()))?;
    for (&page, pixels) in pages.iter().zip(pixels.chunks_mut(layout.complete_len.max(1))) {
        decoder.seek_to_image(page).map_err(fault)?;
        decoder.read_image_bytes(pixels).map_err(fault)?;
    }
    decoder.seek_to_image(0).map_err(fault)?;
    // The pages are read as one image below the other.
    let shape = [pages.len() * shape[0], shape[1], channels];
    let unknown = decoder.find_tag(Tag::GdalNodata).map_err(fault)?;
    let unknown = unknown.and_then(|text| text.into_string().ok());
    let unknown = unknown.as_deref().map(str::trim);
    let unknown_integer: Option<i128> = unknown.and_then(|text| text.parse().ok());
    let unknown = unknown.and_then(|text| text.parse().ok());
    // Digits for 64 bits name the value of 32 bits that is closest.
    let is_single = layout.sample_type == Some(DecodingSampleType::F32);
    let unknown = unknown.map(|value: f64| if is_single { f64::from(value as f32) } else { value });
    let black = decoder.find_tag_unsigned(Tag::PhotometricInterpretation).map_err(fault)?;
    if black == Some(WHITE_IS_ZERO) && unknown.is_some() {
        return Err(Fault::whole(
            "the TIFF has 0 as white, and a value for unknown ones, which Kostra does not read \
             together; save it with 0 as black",
        ));
    }
    refuse_inexact(&pixels, &layout, shape, unknown_integer)?;
    let mut values = values(&pixels, &layout, color, shape)?;
    let unknown = match unknown {
        Some(value) if value.is_nan() => Some(replace_nan(&mut values)),
        _ => unknown,
    };
    let is_bytes = color.bit_depth() <= 8 && layout.sample_type == Some(DecodingSampleType::U8);
    let axes = if pages.len() > 1 { ImageAxes::Pages } else { ImageAxes::Image };
    Ok(ImageFile { format: "TIFF", shape: shown, axes, values, is_bytes, unknown })
}

/// Replaces NaN, which has no difference to other values, by the number that GDAL most often writes
/// for unknown heights. Returns this number.
fn replace_nan(values: &mut PixelValues) -> f64 {
    const UNKNOWN: f32 = f32::MIN;
    match values {
        PixelValues::Single(values) => {
            values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = UNKNOWN);
        }
        PixelValues::Double(values) => {
            values
                .iter_mut()
                .filter(|value| value.is_nan())
                .for_each(|value| *value = UNKNOWN.into());
        }
    }
    UNKNOWN.into()
}

fn fault(error: TiffError) -> Fault {
    Fault::whole(match error {
        TiffError::UnsupportedError(TiffUnsupportedError::UnsupportedCompressionMethod(method)) => {
            format!(
                "the TIFF is compressed by {method:?}; save it without compression, or with \
                 deflate or LZW"
            )
        }
        TiffError::UnsupportedError(reason) => {
            format!("Kostra cannot read this TIFF: {reason}; save it as PNG")
        }
        // The decoder misses the end of the compressed data in some files that are not damaged.
        TiffError::IoError(error) if error.to_string().contains("lzw") => format!(
            "Kostra cannot read the LZW data of this TIFF: {error}; save it without compression, \
             or with deflate"
        ),
        error => format!("the TIFF is damaged: {error}"),
    })
}

/// Refuses planes of tiles whose last row is not full: the decoder panics on them.
fn refuse_tiles_of_planes(
    decoder: &Decoder<Cursor<&[u8]>>,
    layout: &BufferLayoutPreference,
    height: u32,
) -> Result<(), Fault> {
    let is_tiled = decoder.get_chunk_type() == ChunkType::Tile;
    match is_tiled && layout.planes > 1 && !height.is_multiple_of(decoder.chunk_dimensions().1) {
        true => Err(Fault::whole(
            "the TIFF has tiles of one channel each, which Kostra does not read; save it with \
             strips, or with all channels in each tile",
        )),
        false => Ok(()),
    }
}

/// The number of values of a pixel.
fn channels(decoder: &mut Decoder<Cursor<&[u8]>>, color: ColorType) -> Result<usize, Fault> {
    let channels = match color {
        ColorType::Gray(_)
        | ColorType::GrayA(_)
        | ColorType::RGB(_)
        | ColorType::RGBA(_)
        | ColorType::Multiband { .. } => usize::from(color.num_samples()),
        _ => {
            return Err(Fault::whole(format!(
                "the TIFF has colors of the type {color:?}; save it with gray or RGB colors"
            )));
        }
    };
    let stored = decoder.find_tag_unsigned::<u16>(Tag::SamplesPerPixel).map_err(fault)?;
    // The decoder would leave out further channels.
    match stored {
        Some(stored) if usize::from(stored) != channels => Err(Fault::whole(format!(
            "the TIFF has {stored} values per pixel, and only {channels} of them are colors; save \
             it with the channels that you need"
        ))),
        _ => Ok(channels),
    }
}

/// The numbers of the images that are pages of one array: all but smaller versions of an image, and
/// masks. The first image is one. Refuses pages that differ, or have several values per pixel.
fn pages(decoder: &mut Decoder<Cursor<&[u8]>>, channels: usize) -> Result<Vec<usize>, Fault> {
    let kind = |decoder: &mut Decoder<_>| -> Result<_, Fault> {
        let size = decoder.dimensions().map_err(fault)?;
        let layout = decoder.image_buffer_layout().map_err(fault)?;
        Ok((size, decoder.colortype().map_err(fault)?, layout.complete_len))
    };
    let (first, mut pages, mut image) = (kind(decoder)?, vec![0], 0);
    while decoder.more_images() {
        decoder.next_image().map_err(fault)?;
        image += 1;
        let stands_for = decoder.find_tag_unsigned::<u32>(Tag::NewSubfileType).map_err(fault)?;
        if stands_for.unwrap_or_default() & NO_PAGE != 0 {
            continue;
        }
        if kind(decoder)? != first {
            return Err(Fault::whole(
                "the TIFF contains several images of different sizes or types; save the one you \
                 need",
            ));
        }
        pages.push(image);
    }
    if pages.len() > 1 && channels > 1 {
        return Err(Fault::whole(format!(
            "the TIFF contains {} images with {channels} values per pixel; save the one you need, \
             or for a volume pages with one value per pixel",
            pages.len()
        )));
    }
    decoder.seek_to_image(0).map_err(fault)?;
    Ok(pages)
}

/// Refuses integers that a float would round, apart from the one that stands for unknown values.
fn refuse_inexact(
    pixels: &[u8],
    layout: &BufferLayoutPreference,
    [height, width, channels]: [usize; 3],
    unknown: Option<i128>,
) -> Result<(), Fault> {
    let (words, _) = pixels.as_chunks();
    let number = |word: &[u8; 8]| match layout.sample_type {
        Some(DecodingSampleType::I64) => TextNumber::Integer(i64::from_ne_bytes(*word)),
        Some(DecodingSampleType::U64) => TextNumber::Huge(u64::from_ne_bytes(*word)),
        _ => TextNumber::Float(0.0),
    };
    for (at, word) in words.iter().enumerate() {
        let Err(integer) = number(word).exact_float() else { continue };
        if Some(integer) != unknown {
            let pixel =
                if layout.planes > 1 { at % (height * width).max(1) } else { at / channels.max(1) };
            return Err(would_round(integer, pixel / width.max(1), pixel % width.max(1)));
        }
    }
    Ok(())
}

/// Whether 32-bit floats hold the values.
fn is_single(kind: Option<DecodingSampleType>) -> bool {
    use DecodingSampleType::{F16, F32, I8, I16, U8, U16};
    matches!(kind, Some(U8 | U16 | I8 | I16 | F16 | F32))
}

/// The values pixel by pixel.
fn values(
    pixels: &[u8],
    layout: &BufferLayoutPreference,
    color: ColorType,
    [height, width, channels]: [usize; 3],
) -> Result<PixelValues, Fault> {
    let count = height * width * channels;
    let bits = color.bit_depth();
    let is_plain = matches!(bits, 8 | 16 | 32 | 64);
    let Some(kind) = layout.sample_type.filter(|_| is_plain || bits == 1 && channels == 1) else {
        return Err(Fault::whole(format!(
            "the TIFF has values of {bits} bits; save it with 8 or 16 bits"
        )));
    };
    if bits == 1 {
        let row = width.div_ceil(8);
        let bit = |at: usize| {
            let byte = pixels.get(at / width * row + at % width / 8).copied().unwrap_or_default();
            f32::from((byte >> (7 - at % width % 8)) & 1) * f32::from(u8::MAX)
        };
        return Ok(PixelValues::Single(memory::collected((0..count).map(bit))?));
    }
    // The planes of the channels may be stored one after the other.
    let pixels_of_plane = height * width;
    let place = |at: usize| match layout.planes > 1 {
        true => at % channels * pixels_of_plane + at / channels,
        false => at,
    };
    macro_rules! values {
        ($variant:ident, $from:ty, $to:ty) => {{
            let (words, _) = pixels.as_chunks::<{ size_of::<$from>() }>();
            let word = |at| words.get(place(at)).copied().unwrap_or_default();
            let values = (0..count).map(|at| <$from>::from_ne_bytes(word(at)) as $to);
            PixelValues::$variant(memory::collected(values)?)
        }};
    }
    Ok(match kind {
        DecodingSampleType::U8 => values!(Single, u8, f32),
        DecodingSampleType::U16 => values!(Single, u16, f32),
        DecodingSampleType::I8 => values!(Single, i8, f32),
        DecodingSampleType::I16 => values!(Single, i16, f32),
        DecodingSampleType::F32 => values!(Single, f32, f32),
        DecodingSampleType::U32 => values!(Double, u32, f64),
        DecodingSampleType::U64 => values!(Double, u64, f64),
        DecodingSampleType::I32 => values!(Double, i32, f64),
        DecodingSampleType::I64 => values!(Double, i64, f64),
        DecodingSampleType::F64 => values!(Double, f64, f64),
        DecodingSampleType::F16 => {
            let (words, _) = pixels.as_chunks();
            let word = |at| words.get(place(at)).copied().unwrap_or_default();
            let value = |at| half(u16::from_ne_bytes(word(at))) as f32;
            PixelValues::Single(memory::collected((0..count).map(value))?)
        }
    })
}
