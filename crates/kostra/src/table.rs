//! Tables of results, such as the labels of points or the edges of their tree: text, a structured
//! array of NumPy, or Parquet.
//!
//! ```
//! use kostra::table::{Table, TableColumn, TableFormat, TableValues};
//!
//! let columns = [TableColumn { name: "label", values: TableValues::Labels(&[0, -1]) }];
//! let mut text = Vec::new();
//! Table::new(&columns, &Default::default())?.write(TableFormat::CSV, &mut text)?;
//! assert_eq!(text, b"label\n0\n-1\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::{self, Write};
use std::path::Path;

use kostra_core::shown;
pub use kostra_io::{KeptColumns, TableColumn, TableValues};
use kostra_io::{Output, write_npy_header, write_parquet_table};
use thiserror::Error;

use crate::forest_file::LineStyle;

/// The reason why a table is not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The extension belongs to no format of tables.
    #[error(
        "{file}: this table is not written with this extension; use .csv, .tsv, .txt (CSV), .npy \
         or .parquet"
    )]
    Extension {
        /// The path of the file.
        file: String,
    },
    /// Columns of the input are texts, and arrays have numbers.
    #[error("{file}: an array cannot hold kept columns; use .csv, .tsv, .txt or .parquet")]
    KeptInArray {
        /// The path of the file.
        file: String,
    },
    /// A kept column has the name of another column.
    #[error("two columns of the table would be called '{name}'; rename the kept column")]
    EqualColumns {
        /// The name.
        name: String,
    },
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// A line for each row, after a line with the names of the columns.
    Text(LineStyle),
    /// A structured array of NumPy: its fields are the columns.
    Npy,
    /// Parquet.
    Parquet,
}

impl TableFormat {
    /// Text with commas.
    pub const CSV: Self = Self::Text(LineStyle::Commas);

    /// The format of the output's extension. Standard output and a file without an extension are
    /// CSV. `keeps` tells whether the table has columns of the input.
    ///
    /// # Errors
    /// When the extension is another one, or the format cannot hold texts and columns are kept.
    pub fn of(output: &Output, keeps: bool) -> Result<Self, TableError> {
        let Output::Path(path) = output else { return Ok(Self::CSV) };
        let format = Self::of_path(path)?;
        if keeps && format == Self::Npy {
            return Err(TableError::KeptInArray { file: shown(path) });
        }
        Ok(format)
    }

    fn of_path(path: &Path) -> Result<Self, TableError> {
        match kostra_io::extension(path).as_deref() {
            Some("csv" | "txt") | None => Ok(Self::CSV),
            Some("tsv") => Ok(Self::Text(LineStyle::Tabs)),
            Some("npy") => Ok(Self::Npy),
            Some("parquet") => Ok(Self::Parquet),
            Some(_) => Err(TableError::Extension { file: shown(path) }),
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
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    columns: &'a [TableColumn<'a>],
    kept: &'a KeptColumns,
}

impl<'a> Table<'a> {
    /// A table of `columns` and of the columns that a reader kept, which have a row for each of
    /// their rows.
    ///
    /// # Errors
    /// When two columns have one name.
    pub fn new(columns: &'a [TableColumn<'a>], kept: &'a KeptColumns) -> Result<Self, TableError> {
        let own = |name: &&String| columns.iter().any(|column| column.name == **name);
        match kept.names().iter().find(own) {
            Some(name) => Err(TableError::EqualColumns { name: name.clone() }),
            None => Ok(Self { columns, kept }),
        }
    }

    /// Writes the table. A structured array has no kept columns.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write(&self, format: TableFormat, to: &mut dyn Write) -> io::Result<()> {
        match format {
            TableFormat::Text(style) => self.text(style, to),
            TableFormat::Npy => self.array(to),
            TableFormat::Parquet => write_parquet_table(self.columns, self.kept, to),
        }
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
        write_npy_header(to, &format!("[{}]", fields.join(", ")), &[self.rows()])?;
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
            assert_eq!(format(path).unwrap(), TableFormat::CSV, "{path}");
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
        let kept = KeptColumns::default();
        Table::new(&columns, &kept).unwrap().write(TableFormat::Npy, &mut bytes).unwrap();
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
