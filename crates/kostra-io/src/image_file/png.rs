//! PNG images.

use kostra_core::memory;
use png::{BitDepth, Decoder, Limits, Transformations};

use super::{Admit, ImageAxes, ImageFile, PixelValues, check_ratio, check_size};
use crate::fault::Fault;

/// The first bytes.
pub(super) const MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The most bytes that the decoder may use besides the pixels, for rows and for text.
const BESIDES: usize = 64 << 20;

pub(super) fn parse(bytes: &[u8], admit: Admit<'_>) -> Result<ImageFile, Fault> {
    let damaged = |error: png::DecodingError| Fault::whole(format!("the PNG is damaged: {error}"));
    let mut decoder = Decoder::new_with_limits(bytes, Limits { bytes: BESIDES });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (color, depth) = reader.output_color_type();
    let info = reader.info();
    if info.animation_control.is_some_and(|animation| animation.num_frames > 1) {
        return Err(Fault::whole("the PNG contains several images; save the one you need"));
    }
    let (height, width) = (info.height as usize, info.width as usize);
    let channels = color.samples();
    // A pixel in the file may have one bit. The decoder makes one byte or four of it, and computes
    // the bytes of all pixels without a check.
    let row = width.checked_mul(info.color_type.samples() * info.bit_depth as usize);
    let size = row.and_then(|bits| bits.div_ceil(8).checked_mul(height));
    check_ratio(bytes.len(), size.unwrap_or(usize::MAX))?;
    let mut shape = vec![height, width];
    shape.extend((channels > 1).then_some(channels));
    check_size(&shape, true, admit)?;
    let mut pixels: Vec<u8> = memory::zeros(reader.output_buffer_size())?;
    reader.next_frame(&mut pixels).map_err(damaged)?;
    let is_bytes = depth != BitDepth::Sixteen;
    let values = if is_bytes {
        memory::collected(pixels.iter().map(|&value| f32::from(value)))?
    } else {
        let (words, _) = pixels.as_chunks::<2>();
        memory::collected(words.iter().map(|&word| f32::from(u16::from_be_bytes(word))))?
    };
    Ok(ImageFile {
        format: "PNG",
        shape,
        axes: ImageAxes::Image,
        values: PixelValues::Single(values),
        is_bytes,
        unknown: None,
    })
}
