//! Lengths of a picture on its grid, and text in markup.

use super::layers::Picture;
use super::shown::grid;

/// The lengths of a picture.
pub(super) struct Style {
    pub(super) margin: u32,
    /// The height of letters.
    pub(super) font: u32,
    /// The width of a forest edge.
    pub(super) line: f64,
}

impl Style {
    pub(super) fn new(picture: &Picture) -> Self {
        let side = grid(picture.points.len());
        // A tenth of the distance between neighbors, if the vertices were spread evenly.
        let distance = f64::from(side) / (picture.points.len() as f64).sqrt().max(1.0);
        let unit = f64::from(side) / 1000.0;
        Self {
            margin: side / 50,
            font: side / 50,
            line: (distance / 5.0).clamp(unit * 0.4, unit * 3.0),
        }
    }

    /// The width and the height, with margins and the legend.
    pub(super) fn size(&self, picture: &Picture) -> [u32; 2] {
        let least = self.font * 30; // the legend needs this width
        [
            self.margin * 2 + picture.size[0].max(least),
            self.legend(picture, Self::rows(picture)) + self.margin,
        ]
    }

    /// The middle of a row of the legend.
    pub(super) fn legend(&self, picture: &Picture, row: usize) -> u32 {
        picture.size[1] + self.margin * 2 + self.font * 3 / 2 * row as u32
    }

    fn rows(picture: &Picture) -> usize {
        picture.layers.iter().filter(|layer| !layer.name.is_empty()).count()
    }
}

/// A text as the content of an element of XML or HTML. XML has no control characters.
pub(super) fn escape(text: &str) -> String {
    let is_none = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(is_none, "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_valid_xml() {
        assert_eq!(escape("a<b> \u{1b}[1m \0"), "a&lt;b&gt; \u{fffd}[1m \u{fffd}");
    }
}
