//! Segments as a PNG picture.

use std::io::{self, Write};

use clap::ValueEnum;
use kostra_core::memory;
use kostra_io::{ImageFile, PixelValues};
use kostra_points::cluster::Segments;
use kostra_points::grid::Value;
use png::{BitDepth, ColorType, Encoder};

use crate::pixels::PixelCells;

/// The colors of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Colors {
    /// A color for each segment
    Distinct,
    /// The mean color of the segment's pixels; values that are not of 8 bits are scaled, so that
    /// the lowest is black and the highest white
    Mean,
}

/// The segments of an image.
pub(super) struct Labeled<'a> {
    pub(super) segments: &'a Segments,
    /// The label of each segment in arrays and tables; none if they are numbered from 0.
    pub(super) names: Option<&'a [u32]>,
    pub(super) image: &'a ImageFile,
    pub(super) cells: &'a PixelCells,
}

/// The colors of all segments.
pub(super) struct Palette {
    color: ColorType,
    /// The samples of each segment.
    samples: Vec<u8>,
}

/// The colors of segments.
///
/// # Errors
/// When the system does not grant the memory, or the values are infinite and have no mean.
pub(super) fn palette(labeled: &Labeled<'_>, colors: Colors) -> anyhow::Result<Palette> {
    if colors == Colors::Distinct {
        let samples = memory::collected(0..labeled.segments.segments as usize * 3)?;
        let samples = samples.into_iter().map(|at| distinct(at / 3)[at % 3]).collect();
        return Ok(Palette { color: ColorType::Rgb, samples });
    }
    let color = match labeled.cells.channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    };
    let [black, white] = match labeled.image.is_bytes {
        true => [0.0, f64::from(u8::MAX)],
        false => super::range(labeled.image),
    };
    anyhow::ensure!(
        (white - black).is_finite(),
        "infinite values have no mean color; pass `--colors distinct`"
    );
    let means = match &labeled.image.values {
        PixelValues::Single(values) => means(values, labeled)?,
        PixelValues::Double(values) => means(values, labeled)?,
    };
    let share = f64::from(u8::MAX) / if white > black { white - black } else { 1.0 };
    // The conversion to `u8` is limited to its range.
    let samples = means.into_iter().map(|mean| ((mean - black) * share).round() as u8).collect();
    Ok(Palette { color, samples })
}

/// The mean of each channel of each segment. Unknown values do not count. A segment without known
/// values has the mean NaN, which becomes black.
fn means<T: Value>(values: &[T], labeled: &Labeled<'_>) -> anyhow::Result<Vec<f64>> {
    let channels = labeled.cells.channels;
    let means = labeled.segments.segments as usize * channels;
    let mut sums: Vec<f64> = memory::zeros(means)?;
    let mut sizes: Vec<f64> = memory::zeros(means)?;
    for (pixel, &label) in values.chunks_exact(channels).zip(&labeled.segments.labels) {
        for (value, at) in pixel.iter().zip(label as usize * channels..) {
            if labeled.image.unknown != Some(value.to_f64()) {
                sums[at] += value.to_f64();
                sizes[at] += 1.0;
            }
        }
    }
    sums.iter_mut().zip(sizes).for_each(|(sum, size)| *sum /= size);
    Ok(sums)
}

/// The color of a segment. Successive segments, which are often neighbors, have hues that are far
/// apart: the multiples of the golden ratio are spread evenly over the circle. Three brightnesses
/// repeat, so that segments differ also without colors.
fn distinct(segment: usize) -> [u8; 3] {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let hue = (segment as f64 * GOLDEN).fract() * 6.0;
    let [dark, light] = [[0.15, 0.65], [0.35, 0.85], [0.6, 1.0]][segment % 3];
    // A channel rises over a sixth of the circle, stays for two sixths, and falls.
    [0.0, 4.0, 2.0].map(|shift| {
        let place: f64 = (hue + shift) % 6.0;
        let height = ((place - 3.0).abs() - 1.0).clamp(0.0, 1.0);
        ((dark + (light - dark) * height) * f64::from(u8::MAX)).round() as u8
    })
}

/// Writes the picture.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write(
    labeled: &Labeled<'_>,
    palette: &Palette,
    to: &mut dyn Write,
) -> io::Result<()> {
    let [_, height, width] = labeled.cells.shape;
    // The sides are below 2^32, because the number of pixels is.
    let mut encoder = Encoder::new(to, width as u32, height as u32);
    encoder.set_color(palette.color);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    let mut rows = writer.stream_writer()?;
    let samples = palette.color.samples();
    for &label in &labeled.segments.labels {
        rows.write_all(&palette.samples[label as usize * samples..][..samples])?;
    }
    rows.finish()?;
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use kostra_io::ImageAxes;
    use kostra_points::grid::{Connectivity, Grid};

    use super::*;
    use crate::pixels::NeighborCount;

    #[test]
    fn unknown_heights_do_not_change_mean_colors() {
        let image = ImageFile {
            format: "heights",
            shape: vec![1, 4],
            axes: ImageAxes::Image,
            values: PixelValues::Single(vec![10.0, 20.0, -32768.0, -32768.0]),
            is_bytes: false,
            unknown: Some(-32768.0),
        };
        let shape = [1, 1, 4];
        let grid = Grid::new(shape, Connectivity::Faces).unwrap();
        let neighbors = NeighborCount::Four;
        let cells = PixelCells { grid, shape, channels: 1, neighbors, is_volume: false };
        let segments = Segments { labels: vec![0, 0, 0, 1], segments: 2 };
        let labeled = Labeled { segments: &segments, names: None, image: &image, cells: &cells };
        assert_eq!(palette(&labeled, Colors::Mean).unwrap().samples, [128, 0]);
    }

    #[test]
    fn segments_have_different_colors() {
        let colors: HashSet<_> = (0..200).map(distinct).collect();
        assert_eq!(colors.len(), 200);
    }
}
