//! A picture as a page that pans and zooms. The page loads nothing.

use std::io::{self, Write};

use serde_json::json;

use super::layers::Picture;
use super::style::{Style, escape};

const PAGE: &str = include_str!("page.html");

/// Writes the page: the places as pairs of 16-bit integers, and the ends of edges as pairs of
/// 32-bit integers, both in base64.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write(picture: &Picture, to: &mut dyn Write) -> io::Result<()> {
    let style = Style::new(picture);
    let layers: Vec<_> = picture
        .layers
        .iter()
        .map(|layer| json!({"name": layer.name, "color": layer.color, "width": layer.width}))
        .collect();
    let data = json!({"size": picture.size, "line": style.line, "layers": layers});
    // In a script, `</` would end the element.
    let data = data.to_string().replace('<', "\\u003c");
    let title = escape(&picture.title);
    let (before, after) = PAGE.split_once("<!-- data -->").unwrap_or((PAGE, ""));
    to.write_all(before.replace("{title}", &title).as_bytes())?;
    writeln!(to, "<script type=\"application/json\" id=\"picture\">{data}</script>")?;
    let points = picture.points.iter().flatten();
    array(to, points.flat_map(|&x| (x as u16).to_le_bytes()))?;
    for layer in &picture.layers {
        array(to, layer.ends.iter().flat_map(|&(u, v)| [u, v]).flat_map(u32::to_le_bytes))?;
    }
    to.write_all(after.as_bytes())
}

/// Writes bytes as the base64 content of a script.
fn array(to: &mut dyn Write, mut bytes: impl Iterator<Item = u8>) -> io::Result<()> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    write!(to, "<script type=\"text/plain\" class=\"array\">")?;
    while let Some(first) = bytes.next() {
        let rest = [bytes.next(), bytes.next()];
        let group = u32::from_be_bytes([
            0,
            first,
            rest[0].unwrap_or_default(),
            rest[1].unwrap_or_default(),
        ]);
        let mut digits = [18, 12, 6, 0].map(|shift| DIGITS[(group >> shift & 63) as usize]);
        if rest[1].is_none() {
            digits[3] = b'=';
        }
        if rest[0].is_none() {
            digits[2] = b'=';
        }
        to.write_all(&digits)?;
    }
    writeln!(to, "</script>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded() {
        let text = |bytes: &str| {
            let mut text = Vec::new();
            array(&mut text, bytes.bytes()).unwrap();
            let text = String::from_utf8(text).unwrap();
            text[text.find('>').unwrap() + 1..text.rfind('<').unwrap()].to_owned()
        };
        // Source: RFC 4648, section 10.
        assert_eq!(
            ["", "f", "fo", "foo", "foobar"].map(text),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYmFy"]
        );
    }
}
