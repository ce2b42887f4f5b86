//! Segments as a file: a picture, an array or a table.

use std::io::{self, Write};
use std::path::Path;

use anyhow::bail;
use kostra_core::shown;
use kostra_io::{Output, WriteError, write_npy_header};

use super::picture::{self, Colors, Labeled};
use crate::output;
use crate::pixels::PixelCells;

/// The format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelFormat {
    Png(Colors),
    Npy,
    Csv,
}

impl LabelFormat {
    /// The format of an extension. Standard output is a table.
    pub(super) fn by_extension(path: &Path, colors: Option<Colors>) -> anyhow::Result<Self> {
        match kostra_io::extension(path).as_deref() {
            Some("png") => Ok(Self::Png(colors.unwrap_or(Colors::Distinct))),
            Some("npy") => Ok(Self::Npy),
            Some("csv") => Ok(Self::Csv),
            None if path == Path::new("-") => Ok(Self::Csv),
            _ => bail!(
                "{}: segments are not written with this extension; use .png, .npy or .csv",
                shown(path)
            ),
        }
    }

    /// Refuses cells that the format cannot hold.
    pub(super) fn check(self, cells: &PixelCells) -> anyhow::Result<()> {
        if cells.is_volume && self != Self::Npy {
            bail!("pictures and tables have two dimensions; write the labels of a volume as .npy");
        }
        if self == Self::Png(Colors::Mean) && cells.channels > 4 {
            bail!(
                "a pixel has {} values, which are no color; pass `--colors distinct`",
                cells.channels
            );
        }
        Ok(())
    }
}

impl Labeled<'_> {
    /// Writes the segments.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn write(&self, to: &Output, format: LabelFormat) -> anyhow::Result<()> {
        let write = |write: &dyn Fn(&mut dyn Write) -> io::Result<()>| -> Result<(), WriteError> {
            output::write_lines(to, |file| write(file))
        };
        match format {
            LabelFormat::Png(colors) => {
                let palette = picture::palette(self, colors)?;
                write(&|file| picture::write(self, &palette, file))?;
            }
            LabelFormat::Npy => write(&|file| self.array(file))?,
            LabelFormat::Csv => write(&|file| self.table(file))?,
        }
        Ok(())
    }

    /// The label of a segment in arrays and tables.
    fn name(&self, segment: u32) -> u32 {
        self.names.map_or(segment, |names| names[segment as usize])
    }

    /// An array of NumPy with the shape of the image, of the type that Python's functions return.
    fn array(&self, to: &mut dyn Write) -> io::Result<()> {
        let shape = &self.cells.shape[usize::from(!self.cells.is_volume)..];
        write_npy_header(to, "'<i4'", shape)?;
        let labels = self.segments.labels.iter();
        labels.copied().try_for_each(|label| to.write_all(&self.name(label).to_le_bytes()))
    }

    /// A row of the table for each row of the image.
    fn table(&self, to: &mut dyn Write) -> io::Result<()> {
        for row in self.segments.labels.chunks(self.cells.shape[2]) {
            for (column, &label) in row.iter().enumerate() {
                let separator = if column == 0 { "" } else { "," };
                let label = self.name(label);
                write!(to, "{separator}{label}")?;
            }
            writeln!(to)?;
        }
        Ok(())
    }
}
