//! A picture as PNG, on white and without a legend.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use kostra_parallel::for_each_mut;
use png::{BitDepth, ColorType, Encoder};

use super::layers::Picture;
use super::style::Style;

/// The rows that are drawn at a time, so that their pixels stay in the cache.
const BAND: usize = 32;

/// Draws the picture, and writes it.
///
/// # Errors
/// When the output cannot be written, or the picture cannot be held.
pub(super) fn write(picture: &Picture, to: &mut dyn Write) -> io::Result<()> {
    let style = Style::new(picture);
    let [width, height] = picture.size.map(|length| length + style.margin * 2);
    let scale = picture.side as f32 / width.max(height) as f32;
    let [width, height] =
        [width, height].map(|length| ((length as f32 * scale).round() as u32).max(1));
    let mut encoder = Encoder::new(to, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    let mut rows = writer.stream_writer()?;
    let (width, height) = (width as usize, height as usize);
    let place = |vertex: u32| {
        picture.points[vertex as usize].map(|x| (x as f32 + style.margin as f32) * scale)
    };
    let layers = picture.layers.iter().map(|layer| {
        let radius = (style.line * layer.width) as f32 * scale / 2.0;
        let lines = layer.ends.iter().map(|&(u, v)| [place(u), place(v)]);
        (Pen { color: channels(layer.color), radius }, visible(lines))
    });
    let layers: Vec<_> = layers.collect();
    let starts: Vec<_> = (0..height).step_by(BAND).collect();
    for starts_of_threads in starts.chunks(picture.threads) {
        let band = |&first: &usize| Band::white(first..(first + BAND).min(height), width);
        let mut bands: Vec<_> = starts_of_threads.iter().map(band).collect();
        for_each_mut(&mut bands, |band| band.draw_layers(&layers));
        for band in bands {
            rows.write_all(band.pixels.as_flattened())?;
        }
    }
    rows.finish()?;
    writer.finish()?;
    Ok(())
}

/// Red, green and blue of a color such as `#0072b2`.
fn channels(color: &str) -> [u8; 3] {
    [1, 3, 5].map(|at| u8::from_str_radix(&color[at..at + 2], 16).unwrap_or_default())
}

/// The ends of a line, in pixels.
type Line = [[f32; 2]; 2];

/// The length from which on a line is drawn at most [`MOST_DRAWN`] times from and to the same half
/// pixels. Shorter lines take little time.
const LONG: f32 = 16.0;
/// After a fourth time, no more of the color of a thin line is left to add than can be seen.
const MOST_DRAWN: u8 = 4;

/// The lines that change the picture. A million edges at one vertex have as few lines as the
/// picture's border has pixels.
fn visible(lines: impl Iterator<Item = Line>) -> Vec<Line> {
    let mut drawn: HashMap<[[i32; 2]; 2], u8> = HashMap::new();
    let is_visible = |&[from, to]: &Line| {
        if (from[0] - to[0]).abs() + (from[1] - to[1]).abs() < LONG {
            return true;
        }
        let mut ends = [from, to].map(|end| end.map(|x| (2.0 * x) as i32));
        ends.sort_unstable();
        let times = drawn.entry(ends).or_default();
        let is_visible = *times < MOST_DRAWN;
        *times += u8::from(is_visible);
        is_visible
    };
    lines.filter(is_visible).collect()
}

/// What draws a line.
#[derive(Clone, Copy)]
struct Pen {
    color: [u8; 3],
    /// Half of the width of the line, in pixels.
    radius: f32,
}

/// Some rows of the picture.
struct Band {
    rows: Range<usize>,
    width: usize,
    /// Red, green and blue of the pixels, row by row.
    pixels: Vec<[u8; 3]>,
}

impl Band {
    fn white(rows: Range<usize>, width: usize) -> Self {
        let pixels = vec![[u8::MAX; 3]; rows.len() * width];
        Self { rows, width, pixels }
    }

    /// Draws what the rows show of the layers.
    fn draw_layers(&mut self, layers: &[(Pen, Vec<Line>)]) {
        for (pen, lines) in layers {
            lines.iter().for_each(|&[from, to]| self.draw(from, to, *pen));
        }
    }

    /// Draws a line with round ends. A pixel that the line covers in part gets a part of its color.
    ///
    /// Only the pixels near the line are visited, so an edge takes time by its length.
    fn draw(&mut self, [x, y]: [f32; 2], end: [f32; 2], pen: Pen) {
        let [dx, dy] = [end[0] - x, end[1] - y];
        let length = (dx * dx + dy * dy).sqrt();
        // The direction; none if the line is a point.
        let [ux, uy] = if length > 0.0 { [dx / length, dy / length] } else { [0.0; 2] };
        // Half of the width of a pixel, across the line.
        let half = ((ux.abs() + uy.abs()) / 2.0).max(0.5);
        // At this distance, the line covers nothing of a pixel.
        let reach = pen.radius + half;
        // How much of the pixel's width is between the two sides of the line, in 256ths: by how
        // much it grows with each unit below `reach`, and the most.
        let (growth, most) = (128.0 / half, 256.0 * (pen.radius / half).min(1.0));
        // The conversions to integers limit to 0.
        let range = |low: f32, high: f32, within: &Range<usize>| {
            (low as usize).max(within.start)..((high + 1.0) as usize).min(within.end)
        };
        let rows = range(y.min(end[1]) - reach, y.max(end[1]) + reach, &self.rows);
        if rows.is_empty() {
            return;
        }
        // Where the strip around the line crosses a row. Division by 0 gives bounds that are
        // infinite or no numbers; `max` and `min` ignore them.
        let (slope, strip) = (ux / uy, reach / uy.abs());
        let color = pen.color.map(i32::from);
        for row in rows {
            let down = row as f32 + 0.5 - y;
            let middle = x + down * slope;
            let low = (x.min(end[0]) - reach).max(middle - strip);
            let high = (x.max(end[0]) + reach).min(middle + strip);
            let columns = range(low, high, &(0..self.width));
            let start = (row - self.rows.start) * self.width;
            let pixels = &mut self.pixels[start..start + self.width];
            for (column, pixel) in columns.clone().zip(pixels.get_mut(columns).unwrap_or_default())
            {
                let right = column as f32 + 0.5 - x;
                // How far the pixel is from the line through both ends, and beyond the ends.
                let (beside, along) = (right * uy - down * ux, right * ux + down * uy);
                let beyond = (-along).max(along - length);
                let distance = if beyond > 0.0 {
                    (beside * beside + beyond * beyond).sqrt()
                } else {
                    beside.abs()
                };
                let share = ((reach - distance) * growth).clamp(0.0, most) as i32;
                for (channel, color) in pixel.iter_mut().zip(color) {
                    let old = i32::from(*channel);
                    *channel = (old + (((color - old) * share) >> 8)) as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layers::Layer;
    use super::*;

    #[test]
    fn a_layer_is_drawn_in_its_color() {
        let layer = Layer {
            id: "forest",
            name: String::new(),
            color: "#0072b2",
            width: 5.0,
            ends: vec![(0, 1), (2, 2)],
        };
        let mut picture = Picture {
            title: String::new(),
            points: vec![[0, 0], [1000, 0], [500, 900]],
            size: [1000, 900],
            layers: vec![layer],
            labels: vec![],
            left_out: 0,
            side: 208,
            threads: 1,
        };
        let [png, by_several] = [1, 3].map(|threads| {
            picture.threads = threads;
            let mut png = Vec::new();
            write(&picture, &mut png).unwrap();
            png
        });
        assert_eq!(png, by_several);
        let mut reader = png::Decoder::new(&png[..]).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (208, 188));
        let at = |x: usize, y: usize| &bytes[(y * 208 + x) * 3..][..3];
        assert_eq!(at(104, 4), [0x00, 0x72, 0xb2]);
        assert_eq!(at(104, 184), [0x00, 0x72, 0xb2]);
        assert_eq!(at(104, 90), [255; 3]);
    }

    /// The sum of what a black line leaves out of white, in pixels.
    fn drawn(from: [f32; 2], to: [f32; 2], radius: f32) -> f32 {
        let mut band = Band::white(0..30, 40);
        band.draw(from, to, Pen { color: [0; 3], radius });
        band.pixels.iter().map(|pixel| f32::from(255 - pixel[0]) / 255.0).sum()
    }

    #[test]
    fn long_lines_on_each_other_are_drawn_a_few_times() {
        let place = |x: f32| [[0.0, 0.0], [x, 30.0]];
        let many = |x: f32| std::iter::repeat_n(place(x), 1000);
        assert_eq!(visible(many(0.0).chain(many(0.1)).chain(many(9.0))).len(), 8);
        assert_eq!(visible(std::iter::repeat_n([[0.0, 0.0], [9.0, 0.0]], 1000)).len(), 1000);
    }

    #[test]
    fn a_line_covers_its_area_in_every_direction() {
        let middle = [20.0, 15.0];
        for radius in [0.1, 0.5, 1.0, 2.5] {
            for degrees in (0..360).step_by(15) {
                let (sin, cos) = (degrees as f32).to_radians().sin_cos();
                let end = [middle[0] + 10.0 * cos, middle[1] + 10.0 * sin];
                let area = 20.0 * radius + std::f32::consts::PI * radius * radius;
                let found = drawn(middle, end, radius);
                assert!((found / area - 1.0).abs() < 0.2, "{radius} {degrees}: {found} {area}");
            }
        }
    }

    #[test]
    fn lines_at_the_border_are_cut_off() {
        let (whole, cut) =
            (drawn([5.0, 5.0], [35.0, 5.0], 1.0), drawn([5.0, 0.0], [35.0, 0.0], 1.0));
        assert!((whole / 2.0 - cut).abs() < 1.0, "{whole} {cut}");
        assert_eq!(drawn([-50.0, -50.0], [-20.0, 10.0], 1.0), 0.0);
    }
}
