//! The lines of a forest in the formats `edges` and `csv`.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

use kostra_core::{Vertex, Weight, WeightType};

/// The columns that every line has.
pub(super) const COLUMNS: [&str; 4] = ["edge", "u", "v", "weight"];

/// What separates the fields of a line. A field has quotes around it, and its quotes are doubled
/// (RFC 4180), if readers of edge lists would not return its text otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// Tabs.
    Tabs,
    /// Commas.
    Commas,
}

impl LineStyle {
    /// What separates two fields.
    pub fn separator(self) -> char {
        match self {
            Self::Tabs => '\t',
            Self::Commas => ',',
        }
    }

    /// The first line, with the names of further columns.
    pub(super) fn header(self, more: &[String]) -> String {
        self.line(COLUMNS.iter().copied().chain(more.iter().map(String::as_str)))
    }

    /// A line of these texts.
    pub fn line<'a>(self, texts: impl Iterator<Item = &'a str>) -> String {
        let fields: Vec<_> = texts.map(|text| self.field(text)).collect();
        fields.join(&*self.separator().to_string())
    }

    /// Writes the columns that every line has: the id, the ends (by name if the vertices have
    /// names), and the weight.
    pub(super) fn write_edge<W: Weight>(
        self,
        to: &mut dyn Write,
        (id, ends, weight): (u64, [Vertex; 2], W),
        names: Option<&[String]>,
    ) -> io::Result<()> {
        /// Floats up to this one are written without an exponent.
        const LARGEST: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
        let separator = self.separator();
        let is_float = matches!(W::TYPE, WeightType::F32 | WeightType::F64);
        let with_exponent;
        let weight: &dyn Display = if is_float && weight.to_f64().abs() > LARGEST {
            // Its digits would be read as those of an integer.
            with_exponent = format!("{:e}", weight.to_f64());
            &with_exponent
        } else {
            &weight
        };
        match names {
            None => {
                let [u, v] = ends;
                write!(to, "{id}{separator}{u}{separator}{v}{separator}{weight}")
            }
            Some(names) => {
                let [u, v] = ends.map(|vertex| self.field(&names[vertex as usize]));
                write!(to, "{id}{separator}{u}{separator}{v}{separator}{weight}")
            }
        }
    }

    /// Writes a text as one field of one line.
    pub fn field(self, text: &str) -> Cow<'_, str> {
        // Readers drop blanks around a field.
        let is_blank = |c| matches!(c, ' ' | '\t' | '\x0b' | '\x0c');
        if text.contains([self.separator(), '"', '\n', '\r'])
            || text.starts_with(is_blank)
            || text.ends_with(is_blank)
        {
            Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// The fields of a line as [`field`](Self::field) wrote them.
    pub(super) fn fields(self, line: &str) -> Vec<&str> {
        let mut quoted = false;
        line.split(move |character| {
            quoted ^= character == '"';
            character == self.separator() && !quoted
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_divided_as_they_were_written() {
        for style in [LineStyle::Tabs, LineStyle::Commas] {
            let written = ["a,b", "\"", "", "c\td"].map(|text| style.field(text).into_owned());
            let line = written.join(&*style.separator().to_string());
            assert_eq!(style.fields(&line), written, "{style:?}");
        }
        assert_eq!(LineStyle::Commas.header(&["a,b".into()]), "edge,u,v,weight,\"a,b\"");
    }
}
