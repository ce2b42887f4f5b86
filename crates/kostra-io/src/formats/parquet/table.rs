//! Writing a table of results, such as the labels of points.

use std::io::{self, Write};

use super::write::{Column, Values, integers, write};
use crate::{KeptColumns, KeptRows, TableColumn, TableValues};

/// Writes a Parquet file with these columns, and with those that are kept at their right. Each kept
/// column has a row per row of the others. It contains integers if all its fields are integers, and
/// texts otherwise.
///
/// # Errors
/// When the output cannot be written.
pub fn write_parquet_table(
    columns: &[TableColumn<'_>],
    kept: &KeptColumns,
    to: &mut dyn Write,
) -> io::Result<()> {
    let rows = columns.first().map_or(0, |column| column.values.len());
    let own = columns.iter().map(|&TableColumn { name, values }| match values {
        TableValues::Labels(labels) => {
            let label = move |row: usize| labels.get(row).copied().unwrap_or_default();
            Column::new(name, Values::Narrow(Box::new(label)))
        }
        TableValues::Floats(floats) => {
            let float = move |row: usize| floats.get(row).copied().unwrap_or_default();
            Column::new(name, Values::Double(Box::new(float)))
        }
        TableValues::Ends(ends, end) => integers(name, move |row| {
            ends.get(row).and_then(|ends| ends.get(end)).copied().unwrap_or_default().into()
        }),
    });
    let kept = super::write::kept(&KeptRows::new(kept, 0..rows), rows);
    write("table", rows, &own.chain(kept).collect::<Vec<_>>(), None, to)
}
