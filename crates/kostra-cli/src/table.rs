//! Tables that commands for points write: text, an array of NumPy, or Parquet.

use std::io::{self, Write};
use std::path::Path;

use kostra::forest_file::LineStyle;
use kostra_core::shown;
use kostra_io::{KeptColumns, Output, TableColumn, TableValues, write_parquet_table};

use crate::{npy, output};

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFormat {
    Text(LineStyle),
    Npy,
    Parquet,
}

impl TableFormat {
    /// The format of the output's extension. Standard output and a file without an extension are
    /// CSV.
    ///
    /// # Errors
    /// When the extension is another one, or the format cannot hold texts and columns are kept.
    pub(crate) fn of(output: &Output, is_keeping: bool) -> anyhow::Result<Self> {
        let Output::Path(path) = output else { return Ok(Self::Text(LineStyle::Commas)) };
        let format = Self::of_path(path)?;
        if is_keeping && format == Self::Npy {
            anyhow::bail!(
                "{}: an array cannot hold the columns of `--keep`; use .csv, .tsv, .txt or .parquet",
                shown(path)
            );
        }
        Ok(format)
    }

    fn of_path(path: &Path) -> anyhow::Result<Self> {
        match kostra_io::extension(path).as_deref() {
            Some("csv" | "txt") | None => Ok(Self::Text(LineStyle::Commas)),
            Some("tsv") => Ok(Self::Text(LineStyle::Tabs)),
            Some("npy") => Ok(Self::Npy),
            Some("parquet") => Ok(Self::Parquet),
            Some(_) => anyhow::bail!(
                "{}: this table is not written with this extension; use .csv, .tsv, .txt (CSV), \
                 .npy or .parquet",
                shown(path)
            ),
        }
    }
}

/// The type of NumPy.
fn dtype(values: TableValues<'_>) -> &'static str {
    match values {
        TableValues::Labels(_) => "<i4",
        TableValues::Ends(..) => "<u4",
        TableValues::Floats(_) => "<f8",
    }
}

fn write_text(values: TableValues<'_>, row: usize, to: &mut dyn Write) -> io::Result<()> {
    match values {
        TableValues::Labels(labels) => write!(to, "{}", labels[row]),
        TableValues::Ends(ends, end) => write!(to, "{}", ends[row][end]),
        TableValues::Floats(floats) => write!(to, "{}", floats[row]),
    }
}

fn write_bytes(values: TableValues<'_>, row: usize, to: &mut dyn Write) -> io::Result<()> {
    match values {
        TableValues::Labels(labels) => to.write_all(&labels[row].to_le_bytes()),
        TableValues::Ends(ends, end) => to.write_all(&ends[row][end].to_le_bytes()),
        TableValues::Floats(floats) => to.write_all(&floats[row].to_le_bytes()),
    }
}

/// A table, with columns of the input at its right.
pub(crate) struct Table<'a> {
    pub(crate) columns: &'a [TableColumn<'a>],
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
            TableFormat::Parquet => write_parquet_table(self.columns, self.kept, to),
        })?;
        Ok(())
    }

    fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    fn text(&self, style: LineStyle, to: &mut dyn Write) -> io::Result<()> {
        let separator = style.separator();
        let names = self.columns.iter().map(|column| column.name);
        let names = names.chain(self.kept.names().iter().map(String::as_str));
        writeln!(to, "{}", style.line(names))?;
        for row in 0..self.rows() {
            for (index, column) in self.columns.iter().enumerate() {
                if index > 0 {
                    write!(to, "{separator}")?;
                }
                write_text(column.values, row, to)?;
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
            .map(|TableColumn { name, values }| format!("('{name}', '{}')", dtype(*values)))
            .collect();
        npy::write_header(to, &format!("[{}]", fields.join(", ")), &[self.rows()])?;
        for row in 0..self.rows() {
            for column in self.columns {
                write_bytes(column.values, row, to)?;
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
            assert_eq!(format(path).unwrap(), TableFormat::Text(LineStyle::Commas), "{path}");
        }
        assert_eq!(format("a.tsv").unwrap(), TableFormat::Text(LineStyle::Tabs));
        assert_eq!(format("a.npy").unwrap(), TableFormat::Npy);
        assert_eq!(format("a.parquet").unwrap(), TableFormat::Parquet);
        for path in ["a.json", "a.png", "a.kst"] {
            let error = format(path).unwrap_err().to_string();
            assert!(error.contains(".csv, .tsv, .txt (CSV), .npy or .parquet"), "{error}");
        }
    }

    #[test]
    fn an_array_has_a_field_per_column() {
        let columns = [
            TableColumn { name: "source", values: TableValues::Ends(&[[1, 2], [3, 4]], 0) },
            TableColumn { name: "distance", values: TableValues::Floats(&[0.5, 1.0]) },
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
