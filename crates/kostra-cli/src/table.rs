//! Tables that commands for points write: text, or an array of NumPy.

use std::io::{self, Write};
use std::path::Path;

use kostra::io::{KeptColumns, Output};

use crate::forest_file::Style;
use crate::{npy, output};

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFormat {
    Text(Style),
    Npy,
}

impl TableFormat {
    /// The format of the output's extension. Standard output and a file without an extension are
    /// CSV.
    ///
    /// # Errors
    /// When the extension is another one, or the format cannot hold texts and columns are kept.
    pub(crate) fn of(output: &Output, is_keeping: bool) -> anyhow::Result<Self> {
        let Output::Path(path) = output else { return Ok(Self::Text(Style::Commas)) };
        let format = Self::of_path(path)?;
        if is_keeping && format == Self::Npy {
            anyhow::bail!(
                "{}: `--keep` needs a table of text; use .csv, .tsv or .txt",
                path.display()
            );
        }
        Ok(format)
    }

    fn of_path(path: &Path) -> anyhow::Result<Self> {
        match output::extension(path).as_deref() {
            Some("csv" | "txt") | None => Ok(Self::Text(Style::Commas)),
            Some("tsv") => Ok(Self::Text(Style::Tabs)),
            Some("npy") => Ok(Self::Npy),
            Some(_) => anyhow::bail!(
                "{}: this table is not written with this extension; use .csv, .tsv, .txt (CSV) or \
                 .npy",
                path.display()
            ),
        }
    }
}

/// A column with a value per row.
pub(crate) struct Column<'a> {
    pub(crate) name: &'a str,
    pub(crate) values: Values<'a>,
}

pub(crate) enum Values<'a> {
    Labels(&'a [i32]),
    /// The point at this end of each edge.
    Ends(&'a [[u32; 2]], usize),
    Floats(&'a [f64]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Labels(labels) => labels.len(),
            Self::Ends(ends, _) => ends.len(),
            Self::Floats(floats) => floats.len(),
        }
    }

    /// The type of NumPy.
    fn dtype(&self) -> &'static str {
        match self {
            Self::Labels(_) => "<i4",
            Self::Ends(..) => "<u4",
            Self::Floats(_) => "<f8",
        }
    }

    fn write_text(&self, row: usize, to: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Labels(labels) => write!(to, "{}", labels[row]),
            Self::Ends(ends, end) => write!(to, "{}", ends[row][*end]),
            Self::Floats(floats) => write!(to, "{}", floats[row]),
        }
    }

    fn write_bytes(&self, row: usize, to: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Labels(labels) => to.write_all(&labels[row].to_le_bytes()),
            Self::Ends(ends, end) => to.write_all(&ends[row][*end].to_le_bytes()),
            Self::Floats(floats) => to.write_all(&floats[row].to_le_bytes()),
        }
    }
}

/// A table, with columns of the input at its right.
pub(crate) struct Table<'a> {
    pub(crate) columns: &'a [Column<'a>],
    pub(crate) kept: &'a KeptColumns,
}

impl Table<'_> {
    /// Writes the table.
    ///
    /// # Errors
    /// When two columns have one name, or the output cannot be written.
    pub(crate) fn write(&self, to: &Output, format: TableFormat) -> anyhow::Result<()> {
        let own = |name: &&String| self.columns.iter().any(|column| column.name == **name);
        if let Some(name) = self.kept.names().iter().find(own) {
            anyhow::bail!("two columns of {to} would be called '{name}'; rename the kept column");
        }
        output::write_lines(to, |to| match format {
            TableFormat::Text(style) => self.text(style, to),
            TableFormat::Npy => self.array(to),
        })?;
        Ok(())
    }

    fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    fn text(&self, style: Style, to: &mut dyn Write) -> io::Result<()> {
        let separator = style.separator();
        let names = self.columns.iter().map(|column| column.name);
        let names = names.chain(self.kept.names().iter().map(String::as_str));
        let names: Vec<_> = names.map(|name| style.field(name)).collect();
        writeln!(to, "{}", names.join(&*separator.to_string()))?;
        for row in 0..self.rows() {
            for (index, column) in self.columns.iter().enumerate() {
                if index > 0 {
                    write!(to, "{separator}")?;
                }
                column.values.write_text(row, to)?;
            }
            for field in self.kept.row(row) {
                write!(to, "{separator}{}", style.field(field))?;
            }
            writeln!(to)?;
        }
        Ok(())
    }

    /// A structured array: its fields are the columns.
    fn array(&self, to: &mut dyn Write) -> io::Result<()> {
        let fields = self.columns.iter();
        let fields: Vec<_> = fields
            .map(|Column { name, values }| format!("('{name}', '{}')", values.dtype()))
            .collect();
        npy::write_header(to, &format!("[{}]", fields.join(", ")), &[self.rows()])?;
        for row in 0..self.rows() {
            for column in self.columns {
                column.values.write_bytes(row, to)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_chooses_the_format_and_others_are_refused() {
        let format = |path: &str| TableFormat::of_path(Path::new(path));
        for path in ["labels", "a.csv", "a.TXT", "a.csv.gz", "/dev/stdout"] {
            assert_eq!(format(path).unwrap(), TableFormat::Text(Style::Commas), "{path}");
        }
        assert_eq!(format("a.tsv").unwrap(), TableFormat::Text(Style::Tabs));
        assert_eq!(format("a.npy").unwrap(), TableFormat::Npy);
        for path in ["a.parquet", "a.json", "a.png"] {
            let error = format(path).unwrap_err().to_string();
            assert!(error.contains(".csv, .tsv, .txt (CSV) or .npy"), "{error}");
        }
    }

    #[test]
    fn an_array_has_a_field_per_column() {
        let columns = [
            Column { name: "source", values: Values::Ends(&[[1, 2], [3, 4]], 0) },
            Column { name: "distance", values: Values::Floats(&[0.5, 1.0]) },
        ];
        let mut bytes = Vec::new();
        Table { columns: &columns, kept: &KeptColumns::default() }.array(&mut bytes).unwrap();
        let (header, values) = bytes.split_at(128);
        let header = String::from_utf8_lossy(header);
        assert!(header.contains(
            "'descr': [('source', '<u4'), ('distance', '<f8')], 'fortran_order': False, \
             'shape': (2,), }"
        ));
        let row =
            |end: u32, distance: f64| [&end.to_le_bytes()[..], &distance.to_le_bytes()].concat();
        assert_eq!(values, [row(1, 0.5), row(3, 1.0)].concat());
    }
}
