//! A picture as SVG: one path per layer, and in it one line per edge.

use std::io::{self, Write};

use super::labels;
use super::layers::Picture;
use super::style::{Style, escape};

/// Writes the picture. Each edge is `M x y l dx dy`, and each layer one `path`.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write(picture: &Picture, to: &mut dyn Write) -> io::Result<()> {
    let style = Style::new(picture);
    let [width, height] = style.size(picture);
    let margin = style.margin;
    write!(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{margin} -{margin} {width} {height}\" \
         fill=\"none\" stroke-linecap=\"round\" font-family=\"sans-serif\" font-size=\"{}\">\n\
         <title>{}</title>\n\
         <style>@media (prefers-color-scheme: dark) {{ .paper {{ fill: #16181c }} \
         text {{ fill: #e6e6e6 }} }}</style>\n\
         <rect class=\"paper\" x=\"-{margin}\" y=\"-{margin}\" width=\"{width}\" \
         height=\"{height}\" fill=\"#ffffff\"/>\n",
        style.font,
        escape(&picture.title),
    )?;
    for layer in &picture.layers {
        let line = style.line * layer.width;
        let (id, color) = (layer.id, layer.color);
        write!(to, "<path class=\"{id}\" stroke=\"{color}\" stroke-width=\"{line:.2}\" d=\"")?;
        for &(u, v) in &layer.ends {
            let ([x, y], end) = (picture.points[u as usize], picture.points[v as usize]);
            let (dx, dy) = (i64::from(end[0]) - i64::from(x), i64::from(end[1]) - i64::from(y));
            write!(to, "M{x} {y}l{dx} {dy}")?;
        }
        writeln!(to, "\"/>")?;
    }
    if !picture.labels.is_empty() {
        let font = labels::font(picture.points.len());
        writeln!(to, "<g class=\"names\" font-size=\"{font}\" fill=\"#222222\">")?;
        for label in &picture.labels {
            let (x, y, text) = (label.x, label.baseline, escape(&label.text));
            writeln!(to, "<text x=\"{x}\" y=\"{y}\">{text}</text>")?;
        }
        writeln!(to, "</g>")?;
    }
    for (row, layer) in picture.layers.iter().filter(|layer| !layer.name.is_empty()).enumerate() {
        let y = style.legend(picture, row);
        let (font, color) = (style.font, layer.color);
        let stroke = style.line * layer.width * 2.0;
        writeln!(
            to,
            "<line x1=\"0\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{color}\" \
             stroke-width=\"{stroke:.2}\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"#222222\">{}</text>",
            font * 2,
            font * 3,
            y + font / 3,
            escape(&layer.name),
        )?;
    }
    writeln!(to, "</svg>")
}
