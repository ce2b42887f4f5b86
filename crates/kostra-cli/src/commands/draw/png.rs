//! A picture as PNG, on white and without a legend; the command's report names the colors.

use std::io::{self, Write};

use tiny_skia::{Color, LineCap, Paint, PathBuilder, Pixmap, Stroke, Transform};

use super::picture::Picture;
use super::style::Style;

/// The edges that are drawn as one path. Longer paths take more time per edge.
const BATCH: usize = 1000;

/// Writes the picture, with `side` pixels on the longer side.
///
/// # Errors
/// When the output cannot be written, or the picture cannot be held.
pub(super) fn write(picture: &Picture, side: u32, to: &mut dyn Write) -> io::Result<()> {
    let style = Style::new(picture);
    let [width, height] = picture.size.map(|length| length + style.margin * 2);
    let scale = side as f32 / width.max(height) as f32;
    let pixels = |length: u32| ((length as f32 * scale).round() as u32).max(1);
    let mut map = Pixmap::new(pixels(width), pixels(height)).ok_or_else(|| {
        io::Error::other("the picture has too many pixels; pass a lower `--size`")
    })?;
    map.fill(Color::WHITE);
    let margin = style.margin as f32;
    let transform = Transform::from_translate(margin, margin).post_scale(scale, scale);
    for layer in &picture.layers {
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        let [red, green, blue] = channels(layer.color);
        paint.set_color_rgba8(red, green, blue, u8::MAX);
        let width = (style.line * layer.width) as f32;
        let stroke = Stroke { width, line_cap: LineCap::Round, ..Stroke::default() };
        for batch in layer.ends.chunks(BATCH) {
            let mut path = PathBuilder::new();
            for &(u, v) in batch {
                let [x, y] = picture.points[u as usize].map(|x| x as f32);
                path.move_to(x, y);
                let [x, y] = picture.points[v as usize].map(|x| x as f32);
                path.line_to(x, y);
            }
            if let Some(path) = path.finish() {
                map.stroke_path(&path, &paint, &stroke, transform, None);
            }
        }
    }
    to.write_all(&map.encode_png().map_err(io::Error::other)?)
}

/// Red, green and blue of a color such as `#0072b2`.
fn channels(color: &str) -> [u8; 3] {
    [1, 3, 5].map(|at| u8::from_str_radix(&color[at..at + 2], 16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::picture::Layer;
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
        let picture = Picture {
            title: String::new(),
            points: vec![[0, 0], [1000, 0], [500, 900]],
            size: [1000, 900],
            layers: vec![layer],
        };
        let mut png = Vec::new();
        write(&picture, 208, &mut png).unwrap();
        let map = Pixmap::decode_png(&png).unwrap();
        assert_eq!((map.width(), map.height()), (208, 188));
        let at = |x: u32, y: u32| {
            let pixel = map.pixel(x, y).unwrap();
            [pixel.red(), pixel.green(), pixel.blue()]
        };
        assert_eq!(at(104, 4), [0x00, 0x72, 0xb2]);
        assert_eq!(at(104, 184), [0x00, 0x72, 0xb2]);
        assert_eq!(at(104, 90), [255; 3]);
    }
}
