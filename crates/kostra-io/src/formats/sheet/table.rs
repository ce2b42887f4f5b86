//! The cells of a sheet, and their text.

use std::sync::Arc;

use kostra_core::{counted, memory};

use crate::fault::Fault;
use crate::fields::{Separator, fields};
use crate::number::show;
use crate::{Place, ReadErrorKind};

/// The most filled cells of a workbook. A file of a few bytes can repeat a cell as often as it
/// likes.
const MOST_CELLS: usize = 1 << 25;

/// The most cells of a rectangle of rows and columns, filled or not.
const MOST_FIELDS: u64 = 1 << 28;

/// The most bytes of the texts of all cells. A file of a few bytes can use a long text often.
const MOST_TEXT: usize = 1 << 29;

/// From here on, not every whole number is a 64-bit float.
const FIRST_ROUNDED: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// Not empty, and shared by all cells that have it from one place of the file.
    Text(Arc<str>),
    Number(f64),
    Boolean,
    Date,
    /// The name of an error, such as `#N/A`.
    Error(String),
    /// A formula without a result.
    Formula,
}

#[derive(Clone, Debug)]
pub(super) struct Cell {
    row: u32,
    column: u32,
    pub(super) content: Content,
}

/// A sheet: its filled cells, with rows and columns counted from 0.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) cells: Vec<Cell>,
    bytes_of_texts: usize,
    /// The number of filled cells in the sheets before.
    cells_before: usize,
    /// The corners of merged cells: the first and the last row and column.
    merged: Vec<[[u32; 2]; 2]>,
}

/// A sheet as CSV. The rows of the sheet are lines of the text.
#[derive(Debug)]
pub(crate) struct SheetText {
    /// The name of the sheet.
    pub(crate) name: String,
    pub(crate) csv: String,
    /// The first column that is filled.
    first_column: u32,
}

impl Table {
    /// An empty sheet after the others of a workbook.
    pub(super) fn after(others: &[Self], name: String) -> Self {
        let cells_before = others.last().map_or(0, |last| last.cells_before + last.cells.len());
        Self { name, cells_before, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Adds a cell.
    pub(super) fn push(&mut self, [row, column]: [u32; 2], content: Content) -> Result<(), Fault> {
        self.expect(1)?;
        if let Content::Text(text) = &content {
            self.bytes_of_texts = self.bytes_of_texts.saturating_add(text.len());
        }
        Ok(memory::push(&mut self.cells, Cell { row, column, content })?)
    }

    /// Checks that a workbook may have as many further filled cells.
    pub(super) fn expect(&self, more: u64) -> Result<(), Fault> {
        if more <= (MOST_CELLS - self.cells_before - self.cells.len()) as u64 {
            return Ok(());
        }
        let name = show(self.name.as_bytes());
        Err(Fault::whole(format!(
            "with the sheet {name}, the workbook has more than {MOST_CELLS} filled cells; save the \
             table as CSV"
        )))
    }

    pub(super) fn merge(&mut self, first: [u32; 2], last: [u32; 2]) -> Result<(), Fault> {
        Ok(memory::push(&mut self.merged, [first, last])?)
    }

    /// The sheet as CSV: as many fields in each line as there are filled columns, and empty lines
    /// for empty rows.
    ///
    /// # Errors
    /// When a cell holds anything but a number or a text of one line, or cells are merged.
    pub(super) fn text(mut self) -> Result<SheetText, Fault> {
        self.cells.sort_by_key(|cell| [cell.row, cell.column]);
        let columns = || self.cells.iter().map(|cell| cell.column);
        let first_column = columns().min().unwrap_or_default();
        let last_column = columns().max().unwrap_or_default();
        let last_row = self.cells.last().map_or(0, |cell| cell.row);
        let [rows, width] = [last_row, last_column - first_column].map(|last| u64::from(last) + 1);
        if rows * width > MOST_FIELDS {
            let sentence = format!(
                "the filled cells of the sheet {} span {rows} rows and {width} columns; save the \
                 table as CSV",
                show(self.name.as_bytes())
            );
            return Err(Fault::whole(sentence));
        }
        if self.bytes_of_texts > MOST_TEXT {
            let sentence = format!(
                "the texts in the cells of the sheet {} have {} bytes, more than {MOST_TEXT}; save \
                 the table as CSV",
                show(self.name.as_bytes()),
                self.bytes_of_texts
            );
            return Err(Fault::whole(sentence));
        }
        let is_filled = |[row, column]: [u32; 2]| {
            row <= last_row && (first_column..=last_column).contains(&column)
        };
        if let Some(&[first, last]) = self.merged.iter().find(|[first, _]| is_filled(*first)) {
            let [first, last] = [first, last].map(address);
            let sentence = format!(
                "the cells {first} to {last} are merged; split them, and write the value of each"
            );
            return Err(Fault::whole(sentence));
        }
        let mut csv = String::new();
        let (mut row, mut column) = (0, first_column);
        for cell in &self.cells {
            if cell.row > row {
                end_line(&mut csv, column, last_column)?;
                fill(&mut csv, u64::from(cell.row - row), '\n')?;
                (row, column) = (cell.row, first_column);
            }
            if cell.column < column
                || cell.column == column && csv.ends_with(|c| c != ',' && c != '\n')
            {
                let address = address([cell.row, cell.column]);
                return Err(Fault::whole(format!(
                    "the cell {address} is stored twice; save it again"
                )));
            }
            fill(&mut csv, u64::from(cell.column - column), ',')?;
            column = cell.column;
            let text = cell.content.text().map_err(|sentence| cell.fault(sentence))?;
            csv.push_str(&text);
        }
        end_line(&mut csv, column, last_column)?;
        csv.push('\n');
        Ok(SheetText { name: self.name, csv, first_column })
    }
}

/// Adds the separators before the empty cells at the end of a row, unless all cells are empty.
fn end_line(csv: &mut String, column: u32, last: u32) -> Result<(), Fault> {
    if csv.is_empty() || csv.ends_with('\n') {
        return Ok(());
    }
    fill(csv, u64::from(last - column), ',')
}

fn fill(csv: &mut String, count: u64, with: char) -> Result<(), Fault> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    csv.try_reserve(count).map_err(|_| ReadErrorKind::OutOfMemory { bytes: count as u64 })?;
    csv.extend(std::iter::repeat_n(with, count));
    Ok(())
}

impl Cell {
    fn fault(&self, sentence: String) -> Fault {
        let place =
            Place::Cell { row: u64::from(self.row) + 1, column: u64::from(self.column) + 1 };
        Fault { place: Some(place), kind: ReadErrorKind::malformed(sentence) }
    }
}

impl Content {
    /// The content of a cell with a text, if it is filled. As in a CSV file, blanks around the text
    /// do not count.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let text = text.trim_ascii();
        (!text.is_empty()).then(|| Self::Text(text.into()))
    }

    /// The field of a CSV file.
    fn text(&self) -> Result<String, String> {
        match self {
            Self::Text(text) if text.contains(['\n', '\r']) => {
                Err("the text of this cell has a line break; write it in one line".into())
            }
            Self::Text(text) if text.bytes().all(is_plain) => Ok(text.to_string()),
            Self::Text(text) => Ok(format!("\"{}\"", text.replace('"', "\"\""))),
            Self::Number(number) if number.abs() >= FIRST_ROUNDED && number.fract() == 0.0 => {
                Err("spreadsheets round whole numbers as large as in this cell; store it as text, \
                     or save the table as CSV from its source"
                    .into())
            }
            Self::Number(number) => Ok(number.to_string()),
            Self::Boolean => Err("this cell holds a truth value; write a number or a text".into()),
            Self::Date => {
                Err("this cell holds a date or a time, perhaps because the program took \
                               a name for one; format the column as text and type the value again, \
                               or remove the column"
                    .into())
            }
            Self::Error(error) => Err(format!(
                "this cell holds the error {}; correct its formula, or empty the cell",
                show(error.as_bytes())
            )),
            Self::Formula => {
                Err("the formula in this cell has no stored result; open the file in \
                                  a spreadsheet program and save it"
                    .into())
            }
        }
    }
}

/// Whether a byte of a text needs no quotes: it separates nothing and starts no comment.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+".contains(&byte) || !byte.is_ascii()
}

/// The address of a cell, such as `B7`.
fn address([row, column]: [u32; 2]) -> String {
    Place::Cell { row: u64::from(row) + 1, column: u64::from(column) + 1 }
        .to_string()
        .trim_start_matches("cell ")
        .to_owned()
}

impl SheetText {
    /// A fault of the text, at the cell that it is in.
    pub(crate) fn fault(&self, fault: Fault) -> Fault {
        let Some(Place::Line { line, column }) = fault.place else { return fault };
        let at = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        let text = self.csv.lines().nth(at).unwrap_or_default();
        let starts = fields(text.as_bytes(), Separator::Byte(b',')).map(|(start, _)| start as u64);
        let before = starts.skip(1).take_while(|start| start < &column).count() as u64;
        let place = Place::Cell { row: line, column: u64::from(self.first_column) + before + 1 };
        Fault { place: Some(place), ..fault }
    }

    /// What the table was read from.
    pub(crate) fn note(&self) -> String {
        let rows = self.csv.lines().filter(|line| !line.is_empty()).count() as u64;
        let rows = counted(rows, "row", "rows");
        format!("the table is the sheet {} with {rows}", show(self.name.as_bytes()))
    }
}
